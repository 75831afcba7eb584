/* Sequence numbers that are never sent, so that nobody can say that they came.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/safety/skips.h>

#include <math.h>

void
ra_skip_draw_init (RaSkipDraw *d, guint64 seed)
{
  *d = (RaSkipDraw){ 0 };
  ra_rng_init (&d->rng, seed, 1);
}

/* Exponential: how long it has been says nothing about how long it will be, so
 * that no loss is safer to deny than another. */
static void
draw (RaSkipDraw *d, guint mean)
{
  gdouble x = -log (1 - ra_rng_uniform (&d->rng));

  d->mean = mean;
  d->left = (guint) fmin (
      ceil (mean * fmin (x, RA_SKIP_LONGEST)), (gdouble) G_MAXUINT);
}

gboolean
ra_skip_draw_next (RaSkipDraw *d, guint mean, gboolean begins_frame)
{
  gboolean due;

  if (mean != d->mean)
    draw (d, mean);
  if (mean == 0)
    return FALSE;
  due = d->left <= 1;
  if (due && begins_frame) {
    draw (d, mean);
    return TRUE;
  }
  if (!due)
    d->left--;
  return FALSE;
}

gboolean
ra_overclaim_hear (RaOverclaim *c, guint32 arrived, guint64 sent)
{
  guint32 more = arrived - c->last;

  if (!c->begun || more > G_MAXINT32) {
    *c = (RaOverclaim){ .begun = TRUE, .last = arrived };
    return FALSE;
  }
  c->last = arrived;
  c->arrived += more;
  return c->arrived > sent;
}
