/* The ear for feedback=tfrc, fed by hand.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packets of 1,000 bytes leave each 10 ms from 1,000 ms on: packet k, from 0, at
 * 1,000 + 10 k ms.  A path of 50 ms in all.
 */
#pragma once

#include "../rows.h"

#include <gst/rtpadapt/feedback/tfrcear.h>
#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/ledger.h>

#include <string.h>

#define MS(t) ((RaTime) (t) *RA_MSECOND)
#define SIZE 1000
#define PLAIN -1 /* expected: there is no RADP */

typedef struct
{
  gint t, t_delay, now; /* ms */
  guint kbps;
  gdouble p;
  gint expected, arrived, congestion, wireless; /* of RADP, all together */
  RaHeard heard;
  guint marks;     /* loss events that are none of its losses */
  gint age, queue; /* ms; 0: 20 and 7 */
} Said;

typedef struct
{
  RaLedger *ledger;
  RaTfrcEar *tfrc_ear;
  RaTime next; /* packet */
  RaReport report;
  RaSpan t_delay;
} Ear;

static inline void
ear_init (Ear *e)
{
  *e = (Ear){ .ledger = ra_ledger_new (), .next = MS (1000) };
  e->tfrc_ear = ra_tfrc_ear_new (e->ledger);
}

static inline void
ear_clear (Ear *e)
{
  ra_tfrc_ear_free (e->tfrc_ear);
  ra_ledger_free (e->ledger);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ear, ear_clear)

/* One packet leaves. */
static inline void
ear_sent (Ear *e, RaTime now)
{
  ra_ledger_add (e->ledger,
      &(RaLedgerEntry){ .index = e->ledger->next, .sent = now, .size = SIZE });
}

static inline void
ear_send (Ear *e, RaTime now)
{
  for (; e->next <= now; e->next += MS (10))
    ear_sent (e, e->next);
}

static inline RaHeard
ear_radp (Ear *e, const Said *s)
{
  RaRadp radp = { .t_i = ra_stamp_us (MS (s->t)),
    .expected = (guint) s->expected,
    .arrived = (guint) s->arrived,
    .lost_congestion = (guint) s->congestion,
    .lost_wireless = (guint) s->wireless,
    .wireless_runs = s->wireless > 0,
    .n_events = (s->congestion > 0) + s->marks,
    .t_lost = ra_stamp_us (MS (s->t) - MS (s->age ? s->age : 20)),
    .queue = (s->queue ? s->queue : 7) * RA_MSECOND };
  guint8 data[RA_RADP_SIZE_MAX];
  gsize size = ra_radp_write (&radp, data, sizeof data);

  return ra_tfrc_ear_on_radp (e->tfrc_ear, data, size, MS (s->now));
}

static inline RaHeard
ear_hear (Ear *e, const Said *s)
{
  RaTfrcFb fb
      = { ra_stamp_us (MS (s->t)), MS (s->t_delay), s->kbps * 1000ull, s->p };
  guint8 fci[RA_TFRC_FB_SIZE];

  ear_send (e, MS (s->now));
  if (s->expected != PLAIN)
    ear_radp (e, s);
  ra_tfrc_fb_write (&fb, fci, sizeof fci);
  return ra_tfrc_ear_on_tfrc (
      e->tfrc_ear, fci, sizeof fci, MS (s->now), &e->report, &e->t_delay);
}

/* Packet 10 leaves at 1100. */
#define FIRST                                      \
  {                                                \
    1100, 0, 1150, 0, 0, 11, 11, 0, 0, RA_HEARD_OK \
  }
#define FIRST_PLAIN                                  \
  {                                                  \
    1100, 0, 1150, 0, 0, PLAIN, 0, 0, 0, RA_HEARD_OK \
  }
