/* A sender with its ear, and what it sends, for inputs that are feedback.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packet i leaves at 1,000 s + 10 i ms, with SSRC 1 and number i.
 */
#pragma once

#include "fuzz.h"
#include "laws.h"

#include <gst/rtpadapt/defaults.h>
#include <gst/rtpadapt/feedback/ear.h>

#define EARFUZZ_SSRC 1
#define EARFUZZ_SIZE 1200
#define EARFUZZ_START (1000 * RA_SECOND)
#define EARFUZZ_GAP (10 * RA_MSECOND)
/* The middle of the time of the SR that was sent before the first packet. */
#define EARFUZZ_LSR 0x12, 0x34, 0x56, 0x78

typedef struct
{
  RaRateConfig limits;
  RaSender *sender;
  RaEar *ear;
  guint64 n; /* packets sent */
  RaTime now;
} EarFuzz;

static inline void
earfuzz_init (EarFuzz *f, const RaFeedbackOps *kind)
{
  static const guint8 sr[28]
      = { 0x80, 200, 0, 6, 0, 0, 0, EARFUZZ_SSRC, 0, 0, EARFUZZ_LSR };
  RaSenderConfig config = {
    .controller = ra_rate_find ("delay"),
    .lda = ra_lda_find ("fused"),
    .rate = { 100000, 500000, 20000000, EARFUZZ_SIZE },
    .burst = 5 * RA_MSECOND,
    .friendliness_cap = RA_DEFAULT_FRIENDLINESS_CAP,
    .breakers = TRUE,
    .seed = 1,
  };

  *f = (EarFuzz){ .limits = config.rate, .now = EARFUZZ_START };
  f->sender = ra_sender_new (&config, f->now, NULL);
  f->ear = ra_ear_new (f->sender, 1);
  ra_ear_set (f->ear,
      &(RaEarConfig){ .kind = kind,
          .tfrc_fmt = ra_feedback_tfrc.fmt,
          .ecn = RA_ECN_ECT_0,
          .skips = TRUE });
  ra_ear_on_rtcp_sent (f->ear, sr, sizeof sr, f->now);
}

/* The next `n` packets leave, and time goes on. */
static inline void
earfuzz_send (EarFuzz *f, guint n)
{
  for (; n > 0; n--, f->n++, f->now += EARFUZZ_GAP) {
    ra_ear_on_sent (f->ear,
        &(RaEarPacket){ .out = { .ssrc = EARFUZZ_SSRC,
                            .rtp_seq = (guint16) f->n,
                            .size = EARFUZZ_SIZE,
                            .media = EARFUZZ_SIZE - 12,
                            .flags = RA_SENT_ASKS | RA_SENT_FRAME_END },
            .payload = EARFUZZ_SIZE - 12,
            .passed = f->now,
            .stamped = TRUE },
        f->now);
    ra_ear_on_pushed (f->ear, f->now);
  }
}

/* After each input: the laws of a sender, and each loss is of a packet that was
 * sent. */
static inline void
earfuzz_check (EarFuzz *f, RaEarNews news)
{
  RaEarLoss loss;

  law_sender (f->sender, &f->limits, RA_DEFAULT_FRIENDLINESS_CAP, f->now);
  g_assert_true (!(news & RA_EAR_OTHER) || ra_ear_other (f->ear));
  g_assert_true (!(news & RA_EAR_WISH) || ra_ear_wish (f->ear));
  fuzz_note ("news %x", news);
  for (guint i = 0; ra_ear_next_loss (f->ear, &loss); i++) {
    g_assert_cmpuint (i, <, RA_EAR_LOSSES_MAX);
    g_assert_cmpuint (loss.ssrc, ==, EARFUZZ_SSRC);
    g_assert_cmpuint (loss.sent, <, f->now);
    fuzz_note ("lost %u: %s", loss.seq, ra_cause_nick (loss.verdict));
  }
}

static inline void
earfuzz_clear (EarFuzz *f)
{
  RaEarStats s;

  ra_ear_get_stats (f->ear, &s);
  for (guint i = 0; i < RA_N_HEARD; i++)
    fuzz_note ("%s %" G_GUINT64_FORMAT, ra_heard_nick (i), s.heard[i]);
  fuzz_note ("foreign %" G_GUINT64_FORMAT " unasked %" G_GUINT64_FORMAT
             " unmapped %" G_GUINT64_FORMAT " doubtful %" G_GUINT64_FORMAT
             " realigned %" G_GUINT64_FORMAT " ECN %d, fault %d, %u times, "
             "%" G_GUINT64_FORMAT " CE",
      s.foreign, s.unasked, s.unmapped, s.doubtful, s.realigned, s.ecn_state,
      s.ecn_fault, s.ecn_failed, s.ecn_ce);
  ra_ear_free (f->ear);
  ra_sender_free (f->sender);
}
