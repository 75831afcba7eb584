/* fixed: the start rate for ever, or the maximum if none was given.  The
 * baseline: it answers nothing, neither loss nor silence.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/rate.h>

static void
fixed_init (RaRate *r, RaTime now)
{
  r->bps = r->cfg.start ? r->cfg.start : r->cfg.max;
}

/* Only to follow ra_rate_set_config(). */
static void
fixed_on_report (RaRate *r, const RaReport *report, RaTime now)
{
  fixed_init (r, now);
}

const RaRateOps ra_rate_fixed = {
  .name = "fixed",
  .cite = "baseline: a constant rate",
  .needs = "nothing",
  .use = "the baseline: what a fixed bitrate does to the path",
  .open_loop = TRUE,
  .size = sizeof (RaRate),
  .init = fixed_init,
  .on_report = fixed_on_report,
};
