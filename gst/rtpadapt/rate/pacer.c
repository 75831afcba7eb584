/* The pacer: when may the next packet leave? (RFC 5348 4.6)
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/rate/pacer.h>

void
ra_pacer_init (RaPacer *p, RaSpan burst, RaTime now)
{
  *p = (RaPacer){ .burst = burst, .time = now };
}

static gdouble
credit_at (const RaPacer *p, guint64 bps, RaTime now)
{
  gdouble x = ra_bytes (bps);
  RaSpan since = MAX (ra_diff (now, p->time), 0);
  RaSpan most = MAX (p->burst, p->late);

  return MIN (p->credit + x * ra_seconds (since), x * ra_seconds (most));
}

void
ra_pacer_settle (RaPacer *p, guint64 bps, RaTime now)
{
  p->credit = credit_at (p, bps, now);
  p->time = now;
}

void
ra_pacer_on_sent (RaPacer *p, guint size, guint64 bps, RaSpan late, RaTime now)
{
  ra_pacer_settle (p, bps, now);
  p->credit -= size;
  p->late = late;
}

RaTime
ra_pacer_next (const RaPacer *p, guint64 bps, RaTime now)
{
  gdouble credit = credit_at (p, bps, now);

  /* Where the clock went back, the time since then is unknown. */
  if (credit >= 0 || now < p->time)
    return now;
  /* Rounded up, or the caller would wake just before its time. */
  return ra_later (now, MIN (ra_send_span (-credit, bps), G_MAXINT64 - 1) + 1);
}

gboolean
ra_pacer_is_spent (const RaPacer *p, guint64 bps, RaSpan grain, RaTime now)
{
  RaSpan since = MAX (ra_diff (now, p->time), 0);

  return p->credit + ra_bytes (bps) * ra_seconds (since - grain) < 0;
}
