/* When a receiver asks for a packet that is missing, and when for nothing.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/rtxrequests.h>

#include <string.h>

/* A packet may be later than the latest of the last LATELY by its share. */
#define MARGIN 1.25
#define LATELY (10 * RA_SECOND)
/* Of the latency: what waits longer is asked for, however late others came. */
#define LONGEST 2
/* What RTCP waits for other RTCP, which the variance of the round trip may miss
 * (RFC 6298 2.3: the granularity of the clock). */
#define GRANULE (10 * RA_MSECOND)
/* One hopeless request in this time goes out: else nobody would find out that
 * the path is shorter now. */
#define TRIAL RA_SECOND
/* A timeout of 20 ms is more than a second then. */
#define BACK_OFF_MOST 6

/* NULL: it is not missing. */
static RaHole *
hole_find (RaRtxRequests *r, guint16 seq)
{
  RaHole *hole = &r->hole[seq % RA_RTX_REQUESTS_HOLES];

  return hole->missing && hole->seq == seq ? hole : NULL;
}

/* That of the past, less and less. */
static RaSpan
lateness (const RaRtxRequests *r, RaTime now)
{
  RaSpan age = ra_diff (now, r->measured);

  return age < LATELY
      ? (RaSpan) ((gdouble) r->late * (1 - (gdouble) age / LATELY))
      : 0;
}

/* RFC 6298 2.3, 5.5. */
static RaSpan
timeout (const RaRtxRequests *r)
{
  return (r->rtt + MAX (GRANULE, 4 * r->var)) << r->back_off;
}

/* `hole` was filled by an answer.  FALSE: nobody asked. */
static gboolean
measure (RaRtxRequests *r, const RaHole *hole, RaTime now)
{
  RaSpan rtt = ra_diff (now, hole->first);

  if (hole->first == 0)
    return FALSE;
  /* RFC 6298 3, Karn: whose answer it is has to be clear; it is the first's if
   * it comes too soon to be the last's.  Else the timeout is doubled until one is
   * clear: the path may have become longer than that.  Requests that were sent before
   * it was doubled are of the same expiry (5.5). */
  if (hole->asked != hole->first && ra_diff (now, hole->asked) > r->rtt / 2) {
    if (hole->asked >= r->backed_off) {
      r->back_off = MIN (r->back_off + 1, BACK_OFF_MOST);
      r->backed_off = now;
    }
    return TRUE;
  }
  r->back_off = 0;
  r->last_rtt = rtt;
  if (r->rtt == 0) {
    r->rtt = rtt;
    r->var = rtt / 2;
    return TRUE;
  }
  r->var += (ABS (r->rtt - rtt) - r->var) / 4;
  r->rtt += (rtt - r->rtt) / 8;
  return TRUE;
}

static void
holes_open (RaRtxRequests *r, guint16 seq, RaTime now)
{
  gint16 ahead = (gint16) (seq - r->highest);

  if (!r->started || ABS (ahead) >= RA_RTX_REQUESTS_HOLES) {
    /* It starts its numbers again. */
    memset (r->hole, 0, sizeof r->hole);
    r->started = TRUE;
  } else if (ahead <= 0) {
    return;
  } else {
    for (guint16 next = (guint16) (r->highest + 1); next != seq; next++)
      r->hole[next % RA_RTX_REQUESTS_HOLES]
          = (RaHole){ .opened = now, .seq = next, .missing = TRUE };
    r->hole[seq % RA_RTX_REQUESTS_HOLES].missing = FALSE;
  }
  r->highest = seq;
}

RaSpan
ra_rtx_requests_on_packet (
    RaRtxRequests *r, guint16 seq, gboolean again, RaTime now)
{
  RaHole *hole = hole_find (r, seq);
  RaSpan next = 0;

  if (hole) {
    RaSpan late = ra_diff (now, hole->opened);

    hole->missing = FALSE;
    if (again && measure (r, hole, now))
      next = timeout (r);
    if (!again && late > lateness (r, now)) {
      r->late = late;
      r->measured = now;
    }
  }
  if (!again)
    holes_open (r, seq, now);
  return next;
}

/* Nobody could use the answer, by the mean round trip and by the last: after a
 * stall the mean would take long to fall by trials alone.  A request that waits
 * does not count as one: it is checked again before it leaves. */
static gboolean
is_hopeless (
    RaRtxRequests *r, RaSpan age, RaSpan latency, RaSpan wait, RaTime now)
{
  if (latency == RA_SPAN_NONE
      || age + MIN (r->rtt, r->last_rtt) + wait <= latency)
    return FALSE;
  if (r->trial > 0 && ra_diff (now, r->trial) < TRIAL)
    return TRUE;
  if (wait == 0)
    r->trial = now;
  return FALSE;
}

RaSpan
ra_rtx_requests_wait (
    RaRtxRequests *r, guint16 seq, RaSpan age, RaSpan latency, RaTime now)
{
  RaHole *hole = hole_find (r, seq);
  RaSpan wait;

  if (!hole || (hole->asked > 0 && r->rtt == 0))
    return RA_SPAN_NONE;
  wait = (RaSpan) ((gdouble) lateness (r, now) * MARGIN);
  wait = MIN (wait, MAX (latency, 0) / LONGEST);
  wait -= ra_diff (now, hole->opened);
  if (hole->asked > 0)
    wait = MAX (wait, timeout (r) - ra_diff (now, hole->asked));
  wait = MAX (wait, 0);
  if (hole->due == 0)
    hole->due = ra_later (now, -age);
  age = MAX (age, ra_diff (now, hole->due));
  if (is_hopeless (r, age, latency, wait, now))
    return RA_SPAN_NONE;
  if (wait == 0) {
    hole->asked = now;
    hole->first = hole->first > 0 ? hole->first : now;
  }
  return wait;
}
