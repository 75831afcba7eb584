/* The sender's clock as its stamps on the packets show it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/sendclock.h>

#include <gst/rtpadapt/feedback/stamp.h>

/* How long an empty queue is remembered, as in the receiver. */
#define FASTEST_WINDOW (30 * RA_SECOND)
/* No packet is as late: the sender started again. */
#define CLOCK_JUMP (10 * RA_SECOND)
/* Where the sender's time begins here: far from both ends of RaTime. */
#define EPOCH (G_GUINT64_CONSTANT (1) << 62)

void
ra_send_clock_init (RaSendClock *c)
{
  *c = (RaSendClock){ .sent = EPOCH };
  ra_winmin_init (&c->fastest);
}

gboolean
ra_send_clock_hear (RaSendClock *c, guint32 t_i, RaTime arrival)
{
  /* Had it been as fast as the latest. */
  RaTime expected
      = c->known ? ra_later (c->sent, ra_diff (arrival, c->arrival)) : c->sent;
  RaTime sent
      = ra_stamp_us_time (t_i, ra_later (expected, RA_STAMP_US_WRAP / 2));
  RaSpan later;

  if (sent == RA_TIME_NONE)
    return FALSE;
  later = ra_diff (expected, sent);
  if (c->known && later <= CLOCK_JUMP && later >= -CLOCK_JUMP)
    c->rott = ra_diff ((RaTime) c->rott, -(RaTime) later); /* modulo 2^64 */
  else if (c->known) /* as if it had not waited: a faster one will show it */
    c->rott -= ra_send_clock_queue (c);
  c->known = TRUE;
  c->sent = sent;
  c->arrival = arrival;
  ra_winmin_add (&c->fastest, (gdouble) c->rott, arrival, FASTEST_WINDOW);
  return TRUE;
}

RaSpan
ra_send_clock_queue (const RaSendClock *c)
{
  gdouble queue = (gdouble) c->rott
      - ra_winmin_get (&c->fastest, c->arrival, FASTEST_WINDOW);

  return ra_span (1e-9 * MAX (queue, 0));
}
