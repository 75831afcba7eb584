/* RADP's counters since some report, held against what was sent.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/radpcounters.h>

void
ra_radp_counters_begin (RaRadpCounters *c, const RaRadp *radp, guint64 sent,
    guint64 late, RaTime now)
{
  *c = (RaRadpCounters){
    .radp = *radp, .begun = now, .sent = sent, .late = late
  };
}

gboolean
ra_radp_counters_add (RaRadpCounters *c, const RaRadp *radp, RaReport *report)
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
ra_radp_counters_were_sent (const RaRadpCounters *c, guint64 sent)
{
  return c->arrived <= MIN (c->expected, sent - c->sent) + c->late;
}

gboolean
ra_radp_counters_add_up (const RaRadpCounters *c)
{
  return c->congestion + c->wireless <= c->expected + c->late;
}
