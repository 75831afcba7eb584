/* A sender with its ear, for inputs that are feedback.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "fuzz.h"
#include "laws.h"

#include "../unit/heard-fixture.h"
#include "../unit/heard-nick.h"

/* After each input: the laws of a sender, and each loss is of a packet that was
 * sent. */
static inline void
earfuzz_check (Heard *h, RaEarNews news)
{
  RaEarLoss loss;

  law_sender (h->sender, &h->limits, RA_DEFAULT_FRIENDLINESS_CAP, h->now);
  g_assert_true (!(news & RA_EAR_OTHER) || ra_ear_other (h->ear));
  g_assert_true (!(news & RA_EAR_WISH) || ra_ear_wish (h->ear));
  fuzz_note ("news %x", news);
  for (guint i = 0; ra_ear_next_loss (h->ear, &loss); i++) {
    g_assert_cmpuint (i, <, RA_EAR_LOSSES_MAX);
    g_assert_cmpuint (loss.ssrc, ==, HEARD_SSRC);
    g_assert_cmpuint (loss.sent, <, h->now);
    fuzz_note ("lost %u: %s", loss.seq, ra_cause_nick (loss.verdict));
  }
}

static inline void
earfuzz_end (Heard *h)
{
  RaEarStats s;

  ra_ear_get_stats (h->ear, &s);
  for (guint i = 0; i < RA_N_HEARD; i++)
    fuzz_note ("%s %" G_GUINT64_FORMAT, heard_nick (i), s.heard[i]);
  fuzz_note ("foreign %" G_GUINT64_FORMAT " unasked %" G_GUINT64_FORMAT
             " unmapped %" G_GUINT64_FORMAT " doubtful %" G_GUINT64_FORMAT
             " realigned %" G_GUINT64_FORMAT " ECN %d, fault %d, %u times, "
             "%" G_GUINT64_FORMAT " CE",
      s.foreign, s.unasked, s.unmapped, s.doubtful, s.realigned, s.ecn_state,
      s.ecn_fault, s.ecn_failed, s.ecn_ce);
  heard_clear (h);
}
