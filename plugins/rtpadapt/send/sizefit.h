/* Which size and frame rate the pictures of an encoder should have, and making them so.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pictures are made smaller by a capsfilter between a videoscale (and, for the
 * frame rate, a videorate) and the encoder.  The capsfilter gets back the caps that the
 * application set last.
 */
#pragma once

#include "parts/fields.h"

#include <gst/gst.h>
#include <gst/rtpadapt/rate/picture.h>

G_BEGIN_DECLS

/* Of one encoder; zeroed memory is ready. */
typedef struct
{
  RaPicture full; /* the largest lately */
  RaPictureFit fit;
  gboolean others; /* another that drives the encoder changes them */
  gboolean begun;  /* a session before may have left small pictures */
  gboolean wanted; /* the pictures are to be changed, as said last */
  gboolean adapts; /* a capsfilter was found that changes them */
} SizeFit;

/* The encoder has `bps`.  `adapt`: its pictures are changed where the proposal changes.
 * The proposal if there is another one now, "rtpadapt-size" (transfer full), or NULL.
 * May block. */
GstStructure *size_fit_do (
    SizeFit *s, GstElement *encoder, guint64 bps, gboolean adapt, RaTime now);
/* The pictures of the encoder get the size that the application wants, unless it has set
 * that by itself since.  May block. */
void size_fit_restore (GstElement *encoder);
/* Of "rtpadapt-size". */
extern const Field size_fit_fields[];

G_END_DECLS
