/* How good the pictures were, by ffmpeg.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "shown.h"

G_BEGIN_DECLS

typedef struct
{
  gdouble ssim, vmaf; /* NaN: could not be had */
  GArray *per_frame;  /* of gdouble, SSIM of r->frames from `first` on */
  guint first;
} Pictures;

/* What stood on the screen against what should have: `frames` as receive wrote
 * it, the clip as send read it.  FALSE and one sentence if they do not fit the
 * records; NaN without ffmpeg. */
gboolean picture_score (const Records *r, const Shown *shown,
    const gchar *frames, const gchar *clip, Pictures *out, GError **error);
void picture_clear (Pictures *p);

/* Writes what stood on the screen when the frame of `seconds` should have. */
gboolean picture_save (const Records *r, const Shown *shown,
    const gchar *frames, gdouble seconds, const gchar *path, GError **error);

G_END_DECLS
