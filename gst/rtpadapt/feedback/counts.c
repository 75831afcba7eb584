/* RADP's counters since some report, held against what was sent.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/counts.h>

void
ra_counts_begin (
    RaCounts *c, const RaRadp *radp, guint64 sent, guint64 late, RaTime now)
{
  *c = (RaCounts){ .radp = *radp, .begun = now, .sent = sent, .late = late };
}

gboolean
ra_counts_add (RaCounts *c, const RaRadp *radp, RaReport *report)
{
  if (!ra_radp_since (radp, &c->radp, report))
    return FALSE;
  c->radp = *radp;
  c->expected += report->expected;
  c->arrived += report->arrived;
  c->congestion += report->lost_congestion;
  c->wireless += report->lost_wireless;
  return TRUE;
}

gboolean
ra_counts_were_sent (const RaCounts *c, guint64 sent)
{
  return c->arrived <= MIN (c->expected, sent - c->sent) + c->late;
}

gboolean
ra_counts_add_up (const RaCounts *c)
{
  return c->congestion + c->wireless <= c->expected + c->late;
}
