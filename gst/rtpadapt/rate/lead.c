/* What an encoder is asked for, so that it makes what it should.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/rate/lead.h>

#include <math.h>

/* s.  An encoder needs about five frames to follow. */
#define MADE_OF_LATE .2
#define WANTED_OF_LATE .5
/* From one picture to the next, unless some are skipped. */
#define FRAME_MOST .5
/* A bitrate that differs by less from its mean stays. */
#define LITTLE .05
#define MOST 1.5
#define LEAST .5

static void
begin (RaLead *l, gdouble bps, const RaMade *made, RaTime now)
{
  l->mean = bps;
  l->wanted = l->made = bps * MADE_OF_LATE;
  l->before = *made;
  l->at = l->frame_at = now;
}

/* Pictures that came since the last call were made of the bitrate that was wanted then,
 * all but the last.  While pictures are skipped nothing can be made, so nothing is known
 * after a long time without one. */
static void
pictures_hear (RaLead *l, gdouble bps, const RaMade *made, RaTime now)
{
  gdouble n = (gdouble) (made->frames - l->before.frames);
  gdouble passed = ra_seconds (ra_diff (now, l->frame_at));
  gdouble keep = exp (-passed / MADE_OF_LATE);

  if (passed > FRAME_MOST * n) {
    l->wanted = l->made = bps * MADE_OF_LATE;
  } else {
    l->wanted = l->wanted * keep + (l->bps * (n - 1) + bps) / n * passed;
    l->made = l->made * keep + 8. * (gdouble) (made->bytes - l->before.bytes);
  }
  l->before = *made;
  l->frame_at = now;
}

gdouble
ra_lead_for (
    RaLead *l, gdouble bps, const RaMade *made, gboolean lags, RaTime now)
{
  gdouble behind;

  if (l->at == 0 || now < l->at || made->frames < l->before.frames)
    begin (l, bps, made, now); /* the first, another clock, another encoder */
  l->mean += (bps - l->mean)
      * (1 - exp (-ra_seconds (ra_diff (now, l->at)) / WANTED_OF_LATE));
  l->at = now;
  if (made->frames > l->before.frames)
    pictures_hear (l, bps, made, now);
  l->bps = bps;
  l->moves = made->frames > 0 && fabs (bps - l->mean) > LITTLE * l->mean;
  if (!l->moves)
    return bps;
  behind = l->wanted / fmax (l->made, 1);
  if (bps > l->mean)
    return bps * CLAMP (behind, 1, MOST);
  if (lags)
    behind = fmin (behind, sqrt (bps / l->mean));
  return bps * CLAMP (behind, LEAST, 1);
}
