/* The size and the frame rate of a picture that a bitrate is enough for.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/rate/picture.h>

#include <math.h>

/* libwebrtc's least bitrate of 640x360, and how it grows with the number of pixels:
 * between 480x270 and 1280x720 its rows are within 10 % of this power. */
#define LEAST_BPS 300e3
#define LEAST_PIXELS (640 * 360)
#define LEAST_POWER .75
/* libwebrtc never makes a picture smaller by itself (kDefaultMinPixelsPerFrame), */
#define PIXELS_MIN (320 * 180)
/* nor does its "balanced" preference make it slower (balanced_degradation_settings.cc:
 * 7 frames per second for the smallest pictures). */
#define FPS_MIN 7
/* libwebrtc's quality scaler looks at 2 s at a time.  Each step costs a key frame, so
 * the way up is slower. */
#define DOWN_AFTER (2 * RA_SECOND)
#define UP_AFTER (10 * RA_SECOND)
#define UP_MORE (4 / 3.)

/* Of width and height, in eighths; the frame rate is divided by `slower`. */
static const struct
{
  guint eighths, slower;
} steps[] = { { 8, 1 }, { 6, 1 }, { 6, 2 }, { 4, 2 }, { 3, 2 }, { 2, 2 } };

/* So many eighths of `n`, as the nearest even number; all of `n` for 8. */
static guint
part_of (guint n, guint eighths)
{
  return eighths == 8 ? n : (n * eighths + 8) / 16 * 2;
}

RaPicture
ra_picture_at (const RaPicture *full, guint step)
{
  RaPicture p = *full;

  step = MIN (step, G_N_ELEMENTS (steps) - 1);
  p.width = part_of (full->width, steps[step].eighths);
  p.height = part_of (full->height, steps[step].eighths);
  if (full->fps_n >= (guint64) full->fps_d * FPS_MIN * steps[step].slower)
    p.fps_d *= steps[step].slower;
  return p;
}

static gdouble
pixels (const RaPicture *p)
{
  return (gdouble) p->width * p->height;
}

guint64
ra_picture_least (const RaPicture *full, guint step)
{
  RaPicture p = ra_picture_at (full, step);
  gdouble least = LEAST_BPS * pow (pixels (&p) / LEAST_PIXELS, LEAST_POWER);

  return (guint64) (p.fps_d > full->fps_d ? least / 2 : least);
}

/* FALSE: this picture does not have such a step. */
static gboolean
exists (const RaPicture *full, guint step)
{
  RaPicture p = ra_picture_at (full, step);

  return step < G_N_ELEMENTS (steps)
      && (step == 0 || pixels (&p) >= PIXELS_MIN);
}

gboolean
ra_picture_fit (
    RaPictureFit *fit, const RaPicture *full, guint64 bps, RaTime now)
{
  gint towards = 0;
  RaSpan wait;

  if (fit->step > 0 && !exists (full, fit->step)) { /* another picture came */
    *fit = (RaPictureFit){ 0 };
    return TRUE;
  }
  if (bps < ra_picture_least (full, fit->step) && exists (full, fit->step + 1))
    towards = 1;
  else if (fit->step > 0
      && (gdouble) bps
          >= UP_MORE * (gdouble) ra_picture_least (full, fit->step - 1))
    towards = -1;
  if (towards != fit->towards || now < fit->since)
    fit->since = now;
  fit->towards = towards;
  wait = towards > 0 ? DOWN_AFTER : UP_AFTER;
  if (towards == 0 || ra_diff (now, fit->since) < wait)
    return FALSE;
  /* Down at once to where the bitrate is enough, up by one. */
  do
    fit->step = (guint) ((gint) fit->step + towards);
  while (towards > 0 && bps < ra_picture_least (full, fit->step)
      && exists (full, fit->step + 1));
  fit->towards = 0;
  return TRUE;
}
