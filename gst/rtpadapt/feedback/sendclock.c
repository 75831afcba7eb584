/* The sender's clock as its stamps on the packets show it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/sendclock.h>

#include <gst/rtpadapt/feedback/stamp.h>

/* How long an empty queue is remembered: a new route has another one. */
#define FASTEST_WINDOW (30 * RA_SECOND)
/* No packet is as late: one of the clocks was set, or the sender started again. */
#define CLOCK_JUMP (10 * RA_SECOND)
/* Where the sender's time begins here: far from both ends of RaTime. */
#define EPOCH (G_GUINT64_CONSTANT (1) << 62)

void
ra_send_clock_init (RaSendClock *c)
{
  *c = (RaSendClock){ .sent = EPOCH };
  ra_winmin_init (&c->fastest);
}

/* The time between the two, whichever is earlier. */
static RaSpan
apart (RaTime a, RaTime b)
{
  return a > b ? ra_diff (a, b) : ra_diff (b, a);
}

/* The same, where a stamp does not say how often it wrapped. */
static RaSpan
apart_stamped (RaTime a, RaTime b)
{
  RaSpan span = apart (a, b) % RA_STAMP_US_WRAP;

  return MIN (span, RA_STAMP_US_WRAP - span);
}

/* After a jump: a queue that still stood must not become the empty one, or no
 * loss in it would count as congestion, nothing would drain it, and no faster
 * packet would ever show the mistake.  The packet before saw a queue, which takes
 * its time to drain.  One clock was set, so the shorter of both times since then
 * is the true one.  The window is of the receiver's clock, so it starts again. */
static void
jump (RaSendClock *c, RaTime sent, RaTime arrival)
{
  RaSpan before = ra_send_clock_queue (c);
  RaSpan since
      = MIN (apart_stamped (sent, c->sent), apart (arrival, c->arrival));
  RaSpan left = MAX (before - since, 0);

  ra_winmin_init (&c->fastest);
  ra_winmin_add (
      &c->fastest, (gdouble) (c->rott - before), arrival, FASTEST_WINDOW);
  c->rott -= before - left;
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
  else if (c->known)
    jump (c, sent, arrival);
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
