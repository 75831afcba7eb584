/* X_recv_set of RFC 5348 4.3: the receive rates of the last two RTTs.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/rate/recvset.h>

#include <math.h>

void
ra_recv_set_init (RaRecvSet *set, gdouble initial, RaTime now)
{
  set->n = 0;
  set->initial = initial;
  set->initial_at = now;
}

static void
drop_oldest (RaRecvSet *set)
{
  set->n--;
  for (guint i = 0; i < set->n; i++)
    set->item[i] = set->item[i + 1];
}

void
ra_recv_set_update (RaRecvSet *set, gdouble x, RaSpan rtt, RaTime now)
{
  RaSpan old = 2 * MIN (rtt, G_MAXINT64 / 2);

  while (set->n > 0 && set->item[set->n - 1].x <= x)
    set->n--;
  if (set->n == RA_RECV_SET_MAX)
    drop_oldest (set); /* RFC 5348 8.2.2, N = 64 */
  set->item[set->n].x = x;
  set->item[set->n++].at = now;
  while (ra_diff (now, set->item[0].at) > old)
    drop_oldest (set);
  if (ra_diff (now, set->initial_at) > old)
    set->initial = 0;
}

void
ra_recv_set_maximize (RaRecvSet *set, gdouble x, RaTime now)
{
  set->initial = 0;
  ra_recv_set_replace (set, fmax (x, ra_recv_set_max (set)), now);
}

void
ra_recv_set_halve (RaRecvSet *set)
{
  for (guint i = 0; i < set->n; i++)
    set->item[i].x /= 2;
  set->initial /= 2;
}

void
ra_recv_set_replace (RaRecvSet *set, gdouble x, RaTime now)
{
  set->item[0].x = x;
  set->item[0].at = now;
  set->n = 1;
  set->initial = 0;
}

gdouble
ra_recv_set_max (const RaRecvSet *set)
{
  return fmax (set->n > 0 ? set->item[0].x : 0, set->initial);
}
