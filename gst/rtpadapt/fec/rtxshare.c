/* How much of what is lost comes after all because it is sent again.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/fec/rtxshare.h>

#include <math.h>

/* s: the same as `ulp` knows the radio by. */
#define WINDOW 10

void
ra_rtx_share_on_asked (RaRtxShare *r)
{
  r->asked++;
}

void
ra_rtx_share_on_report (
    RaRtxShare *r, const RaReport *report, guint percentage, RaTime now)
{
  gdouble span = r->reported && now > r->reported
      ? ra_seconds (ra_diff (now, r->reported))
      : 0;
  gdouble keep = exp (-span / WINDOW);
  guint lost = report->lost_wireless + report->lost_congestion;

  r->reported = now;
  r->asked *= keep;
  r->lost = r->lost * keep + lost * 100. / (100 + percentage);
  r->loss = r->loss * keep + lost;
  r->sent = r->sent * keep + report->expected;
}

gdouble
ra_rtx_share_mended (const RaRtxShare *r)
{
  gdouble asked, arrives;

  if (r->lost <= 0 || r->sent <= 0)
    return 0;
  asked = MIN (r->asked / r->lost, 1);
  arrives = 1 - MIN (r->loss / r->sent, 1);
  return asked * arrives;
}
