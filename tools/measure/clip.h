/* A clip in memory, as raw pictures.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/video/video.h>
#include <stdio.h>

G_BEGIN_DECLS

/* Decoded to I420 of even size. */
typedef struct
{
  GPtrArray *frames; /* of GstBuffer */
  GstVideoInfo info;
} Clip;

/* Of width x height, which are even, or as it is, less a last odd row or
 * column, if they are 0.  (transfer full): clip_free(). */
Clip *clip_load (const gchar *path, gint width, gint height, GError **error);
void clip_free (Clip *clip);

/* The first `planes` planes (1: luma, 3: all) without padding. */
gboolean clip_write_picture (
    FILE *file, GstBuffer *buffer, const GstVideoInfo *info, guint planes);
/* All pictures of the clip into a new file. */
gboolean clip_write (
    const Clip *clip, const gchar *path, guint planes, GError **error);

G_END_DECLS
