/* The clip, and which of its frames a viewer saw.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frames.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

struct _Frames
{
  GMutex lock;
  const Clip *clip;
  gchar *luma_path;       /* of the clip's luma, in a file */
  GHashTable *by_rtptime; /* rtptime -> index + 1 */
  GHashTable *by_pts;     /* GstClockTime -> rtptime + 1 */
  GHashTable *decoded;    /* index -> number in the file + 1 */
  guint64 n_sent, n_decoded;
  gchar *path;
  FILE *file;   /* luma of the decoded frames, in order of decoding */
  gboolean bad; /* not all of it could be written */
};

Frames *
frames_new (const Clip *clip, const gchar *dir, GError **error)
{
  g_autofree gchar *path = g_build_filename (dir, "decoded.y", NULL);
  g_autofree gchar *luma_path = g_build_filename (dir, "source.y", NULL);
  FILE *file;
  Frames *f;

  if (!clip_write (clip, luma_path, 1, error))
    return NULL;
  file = g_fopen (path, "w+b");
  if (!file) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "cannot write %s", path);
    g_unlink (luma_path);
    return NULL;
  }
  f = g_new0 (Frames, 1);
  g_mutex_init (&f->lock);
  f->clip = clip;
  f->path = g_steal_pointer (&path);
  f->luma_path = g_steal_pointer (&luma_path);
  f->file = file;
  f->by_rtptime = g_hash_table_new (NULL, NULL);
  f->by_pts = g_hash_table_new (NULL, NULL);
  f->decoded = g_hash_table_new (NULL, NULL);
  return f;
}

void
frames_free (Frames *f)
{
  g_hash_table_unref (f->by_rtptime);
  g_hash_table_unref (f->by_pts);
  g_hash_table_unref (f->decoded);
  fclose (f->file);
  g_unlink (f->path);
  g_unlink (f->luma_path);
  g_free (f->path);
  g_free (f->luma_path);
  g_mutex_clear (&f->lock);
  g_free (f);
}

static gsize
frames_lookup (GHashTable *table, gsize key)
{
  return GPOINTER_TO_SIZE (g_hash_table_lookup (table, GSIZE_TO_POINTER (key)));
}

static void
frames_insert (Frames *f, GHashTable *table, gsize key, gsize value)
{
  g_mutex_lock (&f->lock);
  g_hash_table_insert (
      table, GSIZE_TO_POINTER (key), GSIZE_TO_POINTER (value + 1));
  g_mutex_unlock (&f->lock);
}

void
frames_sent (Frames *f, guint64 index)
{
  g_mutex_lock (&f->lock);
  f->n_sent = MAX (f->n_sent, index + 1);
  g_mutex_unlock (&f->lock);
}

void
frames_rtptime (Frames *f, guint32 rtptime, guint64 index)
{
  frames_insert (f, f->by_rtptime, rtptime, index);
}

void
frames_pts (Frames *f, GstClockTime pts, guint32 rtptime)
{
  frames_insert (f, f->by_pts, pts, rtptime);
}

void
frames_decoded (Frames *f, GstBuffer *buffer, const GstVideoInfo *info)
{
  gsize rtptime, index = 0;

  g_mutex_lock (&f->lock);
  rtptime = frames_lookup (f->by_pts, GST_BUFFER_PTS (buffer));
  if (rtptime)
    index = frames_lookup (f->by_rtptime, rtptime - 1);
  if (index && GST_VIDEO_INFO_WIDTH (info) == f->clip->info.width
      && GST_VIDEO_INFO_HEIGHT (info) == f->clip->info.height) {
    if (clip_write_picture (f->file, buffer, info, 1))
      g_hash_table_insert (f->decoded, GSIZE_TO_POINTER (index - 1),
          GSIZE_TO_POINTER (++f->n_decoded));
    else
      f->bad = TRUE;
  }
  g_mutex_unlock (&f->lock);
}

/* Compares what was shown from frame `first` on, fed to its standard input by
 * feed(), with the clip. */
static GSubprocess *
ssim_start (const Frames *f, guint64 first, GError **error)
{
  const GstVideoInfo *info = &f->clip->info;
  g_autofree gchar *size = g_strdup_printf ("%dx%d", info->width, info->height);
  g_autofree gchar *filter = g_strdup_printf (
      "[1:v]trim=start_frame=%" G_GUINT64_FORMAT ",setpts=N[ref];"
      "[0:v]setpts=N[shown];[shown][ref]ssim=shortest=1",
      first % f->clip->frames->len);

  return g_subprocess_new (
      G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE, error,
      "ffmpeg", "-nostats", "-hide_banner", "-f", "rawvideo", "-pix_fmt",
      "gray", "-s", size, "-i", "pipe:0", "-stream_loop", "-1", "-f",
      "rawvideo", "-pix_fmt", "gray", "-s", size, "-i", f->luma_path, "-lavfi",
      filter, "-f", "null", "-", NULL);
}

static gboolean
ssim_feed (Frames *f, guint64 first, GOutputStream *out)
{
  gsize size = (gsize) f->clip->info.width * (gsize) f->clip->info.height;
  g_autofree guint8 *luma = g_malloc0 (size); /* black before the first */
  gboolean ok = TRUE;

  for (guint64 i = 0; ok && i < f->n_sent; i++) {
    gsize n = frames_lookup (f->decoded, i);

    if (n)
      ok = fseeko (f->file, (off_t) ((n - 1) * size), SEEK_SET) == 0
          && fread (luma, size, 1, f->file) == 1;
    if (ok && i >= first)
      ok = g_output_stream_write_all (out, luma, size, NULL, NULL, NULL);
  }
  return g_output_stream_close (out, NULL, NULL) && ok;
}

/* What ffmpeg said last. */
static const gchar *
last_line (GString *text)
{
  const gchar *line;

  g_strchomp (text->str);
  line = strrchr (text->str, '\n');
  return line ? line + 1 : text->str;
}

static void
ssim_score (Frames *f, guint64 first, RaRun *run)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) ffmpeg = ssim_start (f, first, &error);
  GString *text = g_string_new (NULL);
  const gchar *found;
  gchar buffer[4096];
  gboolean fed;
  gssize n;

  if (!ffmpeg) {
    g_printerr ("no SSIM: %s\n", error->message);
    return;
  }
  fed = ssim_feed (f, first, g_subprocess_get_stdin_pipe (ffmpeg));
  while ((n = g_input_stream_read (g_subprocess_get_stderr_pipe (ffmpeg),
              buffer, sizeof buffer, NULL, NULL))
      > 0)
    g_string_append_len (text, buffer, n);
  g_subprocess_wait (ffmpeg, NULL, NULL);
  found = strstr (text->str, "SSIM Y:");
  if (!fed || !found || !g_subprocess_get_successful (ffmpeg))
    g_printerr (
        "no SSIM: ffmpeg did not compare the frames: %s\n", last_line (text));
  else
    run->ssim = g_ascii_strtod (found + strlen ("SSIM Y:"), NULL);
  g_string_free (text, TRUE);
}

gboolean
frames_score (Frames *f, guint64 first, RaRun *run, GError **error)
{
  gdouble frame_s = (gdouble) f->clip->info.fps_d / f->clip->info.fps_n;
  guint64 frozen = 0, longest = 0, freeze = 0, decoded = 0;
  gboolean bad;

  g_mutex_lock (&f->lock);
  bad = fflush (f->file) != 0 || f->bad;
  for (guint64 i = first; i < f->n_sent; i++) {
    gboolean shown = frames_lookup (f->decoded, i) != 0;

    decoded += shown;
    frozen += !shown;
    freeze = shown ? 0 : freeze + 1;
    longest = MAX (longest, freeze);
  }
  run->frames_sent = (gdouble) (f->n_sent - MIN (first, f->n_sent));
  run->frames_decoded = (gdouble) decoded;
  run->frozen_s = (gdouble) frozen * frame_s;
  run->longest_freeze_s = (gdouble) longest * frame_s;
  if (f->n_sent > first && !bad)
    ssim_score (f, first, run);
  g_mutex_unlock (&f->lock);
  if (bad)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
        "not all of %s could be written", f->path);
  return !bad;
}
