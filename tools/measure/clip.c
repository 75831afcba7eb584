/* A clip in memory, as raw pictures.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "clip.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <gst/app/gstappsink.h>
#include <string.h>
#include <unistd.h>

gboolean
clip_write_picture (
    FILE *file, GstBuffer *buffer, const GstVideoInfo *info, guint planes)
{
  GstVideoFrame frame;
  gboolean ok = TRUE;

  if (!gst_video_frame_map (&frame, info, buffer, GST_MAP_READ))
    return FALSE;
  for (guint p = 0; p < planes; p++) {
    gsize width = (gsize) GST_VIDEO_FRAME_COMP_WIDTH (&frame, p);

    for (gint y = 0; ok && y < GST_VIDEO_FRAME_COMP_HEIGHT (&frame, p); y++) {
      const guint8 *line
          = (const guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&frame, p)
          + y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, p);

      ok = fwrite (line, width, 1, file) == 1;
    }
  }
  gst_video_frame_unmap (&frame);
  return ok;
}

/* What decodebin lacks is in the part of an error that is for developers. */
static gchar *
problem_text (GstMessage *problem)
{
  static const gchar missing[] = "Missing decoder: ";
  g_autoptr (GError) error = NULL;
  g_autofree gchar *debug = NULL;
  gchar *found;

  gst_message_parse_error (problem, &error, &debug);
  found = debug ? strstr (debug, missing) : NULL;
  if (!found)
    return g_strdup (error->message);
  found += strlen (missing);
  return g_strdup_printf (
      "GStreamer has no decoder for %.*s", (int) strcspn (found, "(\n"), found);
}

/* NULL at the end, or after an error, which brings no EOS with it. */
static GstSample *
clip_pull (GstElement *pipeline, GstAppSink *sink, gchar **why)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) problem = NULL;
  GstSample *sample = NULL;

  while (!sample && !problem && !gst_app_sink_is_eos (sink)) {
    sample = gst_app_sink_try_pull_sample (sink, 100 * GST_MSECOND);
    if (!sample)
      problem = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  }
  if (problem)
    *why = problem_text (problem);
  return sample;
}

/* `filter` shapes the picture; `size` are caps' fields. */
static gboolean
clip_decode (Clip *clip, const gchar *path, const gchar *filter,
    const gchar *size, GError **error)
{
  g_autofree gchar *text
      = g_strdup_printf ("filesrc name=src ! decodebin ! videoconvert ! %s ! "
                         "video/x-raw,format=I420,colorimetry=bt601%s ! "
                         "appsink name=sink sync=false",
          filter, size);
  g_autoptr (GstElement) pipeline = gst_parse_launch (text, error);
  g_autoptr (GstElement) src = NULL, sink = NULL;
  g_autofree gchar *why = NULL;
  GstSample *sample;

  if (!pipeline)
    return FALSE;
  src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_object_set (src, "location", path, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = clip_pull (pipeline, GST_APP_SINK (sink), &why))) {
    gst_video_info_from_caps (&clip->info, gst_sample_get_caps (sample));
    g_ptr_array_add (
        clip->frames, gst_buffer_ref (gst_sample_get_buffer (sample)));
    gst_sample_unref (sample);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  if (clip->frames->len == 0) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "%s has no video that can be decoded%s%s", path, why ? ": " : "",
        why ? why : "");
    return FALSE;
  }
  if (why) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "%s ends after %u pictures: %s", path, clip->frames->len, why);
    return FALSE;
  }
  return TRUE;
}

static gboolean
clip_decode_scaled (
    Clip *clip, const gchar *path, gint width, gint height, GError **error)
{
  g_autofree gchar *size = g_strdup_printf (
      ",width=%d,height=%d,pixel-aspect-ratio=1/1", width, height);

  return clip_decode (clip, path, "videoscale add-borders=false", size, error);
}

static gboolean
clip_decode_even (Clip *clip, const gchar *path, GError **error)
{
  g_autofree gchar *crop = NULL;

  if (!clip_decode (clip, path, "identity", "", error))
    return FALSE;
  if (((clip->info.width | clip->info.height) & 1) == 0)
    return TRUE;
  /* 4:2:0 needs even sizes. */
  crop = g_strdup_printf ("videocrop right=%d bottom=%d", clip->info.width & 1,
      clip->info.height & 1);
  g_ptr_array_set_size (clip->frames, 0);
  return clip_decode (clip, path, crop, "", error);
}

Clip *
clip_load (const gchar *path, gint width, gint height, GError **error)
{
  Clip *clip;
  gboolean ok;

  if (g_access (path, R_OK) != 0) {
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "%s: %s",
        path, g_strerror (errno));
    return NULL;
  }
  clip = g_new0 (Clip, 1);
  clip->frames
      = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
  if (width > 0)
    ok = clip_decode_scaled (clip, path, width, height, error);
  else
    ok = clip_decode_even (clip, path, error);
  if (!ok)
    g_clear_pointer (&clip, clip_free);
  return clip;
}

gboolean
clip_write (const Clip *clip, const gchar *path, guint planes, GError **error)
{
  FILE *file = g_fopen (path, "wb");
  gboolean ok = file != NULL;

  for (guint i = 0; ok && i < clip->frames->len; i++)
    ok = clip_write_picture (file, clip->frames->pdata[i], &clip->info, planes);
  if (file && fclose (file) != 0)
    ok = FALSE;
  if (!ok) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "cannot write %s", path);
    g_unlink (path);
  }
  return ok;
}

void
clip_free (Clip *clip)
{
  g_ptr_array_unref (clip->frames);
  g_free (clip);
}
