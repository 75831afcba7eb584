/* How good the pictures were, by ffmpeg.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "picture.h"

#include "barcode.h"
#include "clip.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib-unix.h>
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* The one that the caller named; the one with libvmaf that PyPI has; any. */
static gchar *
ffmpeg_find (void)
{
  static const gchar *const ask[] = { "python3", "-c",
    "import imageio_ffmpeg; print(imageio_ffmpeg.get_ffmpeg_exe())", NULL };
  const gchar *named = g_getenv ("RTPADAPT_FFMPEG");
  g_autofree gchar *out = NULL;
  gint status;

  if (named)
    return g_strdup (named);
  if (g_spawn_sync (NULL, (gchar **) ask, NULL,
          G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &out,
          NULL, &status, NULL)
      && g_spawn_check_wait_status (status, NULL))
    return g_strdup (g_strstrip (out));
  return g_find_program_in_path ("ffmpeg");
}

static gboolean
has_vmaf (const gchar *ffmpeg)
{
  const gchar *const ask[] = { ffmpeg, "-hide_banner", "-filters", NULL };
  g_autofree gchar *out = NULL;

  return g_spawn_sync (NULL, (gchar **) ask, NULL, G_SPAWN_STDERR_TO_DEV_NULL,
             NULL, NULL, &out, NULL, NULL, NULL)
      && strstr (out, " libvmaf ") != NULL;
}

/* --- feeding -------------------------------------------------------------- */

typedef struct
{
  const Records *r;
  const Shown *shown;
  const Clip *clip; /* of the one that feeds the source */
  FILE *frames;     /* of the one that feeds what was shown */
  FILE *out;
  guint first, last; /* of r->frames */
  gboolean cut;      /* pictures are missing */
} Feed;

static gsize
picture_size (const Records *r)
{
  return (gsize) (r->width * r->height * 3 / 2);
}

/* ITU-R BT.601 2.5.3: black. */
static void
picture_black (const Records *r, guint8 *picture)
{
  gsize luma = (gsize) (r->width * r->height);

  memset (picture, 16, luma);
  memset (picture + luma, 128, picture_size (r) - luma);
}

/* What stood on the screen for r->frames[i]; black before the first picture,
 * and unchanged if the picture was not kept. */
static gboolean
picture_read (const Records *r, const Shown *shown, FILE *frames, guint i,
    guint8 *picture)
{
  gint screen = shown_screen (r, shown, i);
  gint64 at = screen < 0 ? -1 : g_array_index (r->shown, FrameShown, screen).at;

  if (at < 0)
    return TRUE;
  return fseeko (frames, (off_t) at * (off_t) picture_size (r), SEEK_SET) == 0
      && fread (picture, picture_size (r), 1, frames) == 1;
}

static gpointer
feed_shown (gpointer data)
{
  Feed *f = data;
  g_autofree guint8 *picture = g_malloc (picture_size (f->r));
  gboolean ok = TRUE;

  picture_black (f->r, picture);
  for (guint i = f->first; ok && !f->cut && i < f->last; i++) {
    f->cut = !picture_read (f->r, f->shown, f->frames, i, picture);
    ok = fwrite (picture, picture_size (f->r), 1, f->out) == 1;
  }
  fclose (f->out);
  return NULL;
}

static gpointer
feed_source (gpointer data)
{
  Feed *f = data;
  gboolean ok = TRUE;

  for (guint i = f->first; ok && i < f->last; i++) {
    guint64 n = (guint64) g_array_index (f->r->frames, FrameSent, i).n;

    ok = clip_write_picture (f->out,
        f->clip->frames->pdata[n % f->clip->frames->len], &f->clip->info, 3);
  }
  fclose (f->out);
  return NULL;
}

/* --- ffmpeg --------------------------------------------------------------- */

#define SHOWN_FD 3
#define SOURCE_FD 4

/* The writing end; the program gets the reading one as its `fd`. */
static FILE *
pipe_to (GSubprocessLauncher *launcher, gint fd, GError **error)
{
  gint ends[2];

  if (!g_unix_open_pipe (ends, FD_CLOEXEC, error))
    return NULL;
  g_subprocess_launcher_take_fd (launcher, ends[0], fd);
  return fdopen (ends[1], "wb");
}

static GSubprocess *
ffmpeg_start (GSubprocessLauncher *launcher, const Records *r,
    const gchar *ffmpeg, GError **error)
{
  gint cut = barcode_height ((gint) r->width);
  gboolean vmaf = has_vmaf (ffmpeg);
  g_autofree gchar *size = g_strdup_printf (
      "%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT, r->width, r->height);
  /* The number at the top does not belong to the picture. */
  g_autofree gchar *filter = g_strdup_printf (
      "[0:v]crop=iw:ih-%d:0:%d,setpts=N%s;[1:v]crop=iw:ih-%d:0:%d,setpts=N%s;"
      "[s0][r0]ssim=stats_file=-[o0]%s",
      cut, cut, vmaf ? ",split[s0][s1]" : "[s0]", cut, cut,
      vmaf ? ",split[r0][r1]" : "[r0]",
      vmaf ? ";[s1][r1]libvmaf=n_threads=2[o1]" : "");
  const gchar *argv[] = { ffmpeg, "-nostats", "-hide_banner", "-nostdin", "-f",
    "rawvideo", "-pix_fmt", "yuv420p", "-s", size, "-i", "pipe:3", "-f",
    "rawvideo", "-pix_fmt", "yuv420p", "-s", size, "-i", "pipe:4", "-lavfi",
    filter, "-map", "[o0]", "-f", "null", "-", vmaf ? "-map" : NULL, "[o1]",
    "-f", "null", "-", NULL };

  return g_subprocess_launcher_spawnv (launcher, argv, error);
}

/* "n:1 Y:0.98 U:..." a line. */
static void
ssim_take (const gchar *text, guint frames, Pictures *out)
{
  gdouble sum = 0;

  for (const gchar *c = text; (c = strstr (c, "n:"));) {
    const gchar *y = strstr (c, " Y:");
    gdouble value = y ? g_ascii_strtod (y + 3, NULL) : 0;

    g_array_append_val (out->per_frame, value);
    sum += value;
    c = y ? y : c + 2;
  }
  if (out->per_frame->len == frames)
    out->ssim = sum / frames;
  else
    g_array_set_size (out->per_frame, 0);
}

static void
vmaf_take (const gchar *text, Pictures *out)
{
  const gchar *found = strstr (text, "VMAF score: ");

  if (found)
    out->vmaf = g_ascii_strtod (found + strlen ("VMAF score: "), NULL);
}

/* Whether it came to its end; else its last line says why. */
static gboolean
ffmpeg_ended (GSubprocess *process, const gchar *said, GError **error)
{
  g_autofree gchar *text = g_strchomp (g_strdup (said));
  const gchar *last = strrchr (text, '\n');

  if (g_subprocess_get_successful (process))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
      "ffmpeg did not compare the pictures: %s", last ? last + 1 : text);
  return FALSE;
}

static gboolean
ffmpeg_run (Feed *screen, Feed *source, const gchar *ffmpeg, Pictures *out,
    GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (
      G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GSubprocess) process = NULL;
  g_autofree gchar *said = NULL, *problem = NULL;
  GThread *threads[2];
  gboolean ok;

  screen->out = pipe_to (launcher, SHOWN_FD, error);
  source->out = screen->out ? pipe_to (launcher, SOURCE_FD, error) : NULL;
  if (source->out)
    process = ffmpeg_start (launcher, screen->r, ffmpeg, error);
  g_subprocess_launcher_close (launcher);
  if (!process) {
    g_clear_pointer (&screen->out, fclose);
    g_clear_pointer (&source->out, fclose);
    return FALSE;
  }
  threads[0] = g_thread_new ("shown", feed_shown, screen);
  threads[1] = g_thread_new ("source", feed_source, source);
  ok = g_subprocess_communicate_utf8 (
      process, NULL, NULL, &said, &problem, error);
  g_thread_join (threads[0]);
  g_thread_join (threads[1]);
  ok = ok && ffmpeg_ended (process, problem, error);
  if (ok) {
    ssim_take (said, screen->last - screen->first, out);
    vmaf_take (problem, out);
  }
  return ok;
}

/* --- the parts ------------------------------------------------------------ */

/* The frames that count. */
static void
window (const Records *r, const Shown *shown, guint *first, guint *last)
{
  *first = *last = 0;
  for (guint i = 0; i < r->frames->len; i++) {
    gint64 t = g_array_index (r->frames, FrameSent, i).t;

    *first += t < shown->from;
    *last += t < shown->until;
  }
}

static FILE *
frames_open (const Records *r, const gchar *path, GError **error)
{
  FILE *file = g_fopen (path, "rb");

  if (!file)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s cannot be read: %s",
        path, g_strerror (errno));
  else if (r->shown->len > 0
      && (r->shown_width != r->width || r->shown_height != r->height))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "the pictures shown are not as large as those sent");
  else
    return file;
  g_clear_pointer (&file, fclose);
  return NULL;
}

gboolean
picture_score (const Records *r, const Shown *shown, const gchar *frames,
    const gchar *path, Pictures *out, GError **error)
{
  g_autofree gchar *ffmpeg = ffmpeg_find ();
  FILE *file = frames_open (r, frames, error);
  Feed screen = { .r = r, .shown = shown, .frames = file };
  Feed source = screen;
  GError *problem = NULL;
  Clip *clip;

  *out = (Pictures){ .ssim = (gdouble) NAN, .vmaf = (gdouble) NAN };
  out->per_frame = g_array_new (FALSE, FALSE, sizeof (gdouble));
  if (!file)
    return FALSE;
  window (r, shown, &screen.first, &screen.last);
  source.first = out->first = screen.first;
  source.last = screen.last;
  clip = clip_load (path, (gint) r->width, (gint) r->height, error);
  if (clip && !ffmpeg)
    g_printerr ("rtpadapt-measure: no SSIM and VMAF, as there is no ffmpeg\n");
  if (clip && ffmpeg && screen.last > screen.first) {
    source.clip = clip;
    signal (SIGPIPE, SIG_IGN); /* of an ffmpeg that breaks off */
    ffmpeg_run (&screen, &source, ffmpeg, out, &problem);
  }
  fclose (file);
  if (!clip)
    return FALSE;
  clip_free (clip);
  if (screen.cut) { /* which ffmpeg may complain of, too */
    g_clear_error (&problem);
    g_set_error (&problem, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "%s has not all pictures", frames);
  }
  if (!problem)
    return TRUE;
  g_propagate_error (error, problem);
  return FALSE;
}

void
picture_clear (Pictures *p)
{
  g_clear_pointer (&p->per_frame, g_array_unref);
}

static gboolean
picture_encode (const Records *r, const gchar *ffmpeg, GBytes *picture,
    const gchar *path, GError **error)
{
  g_autofree gchar *size = g_strdup_printf (
      "%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT, r->width, r->height);
  g_autoptr (GSubprocess) process = g_subprocess_new (
      G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_SILENCE
          | G_SUBPROCESS_FLAGS_STDERR_PIPE,
      error, ffmpeg, "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt",
      "yuv420p", "-s", size, "-i", "pipe:0", "-frames:v", "1", "-q:v", "3",
      "-update", "1", path, NULL);
  g_autoptr (GBytes) said = NULL;

  if (!process
      || !g_subprocess_communicate (process, picture, NULL, NULL, &said, error))
    return FALSE;
  if (g_subprocess_get_successful (process))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
      "%s cannot be written by ffmpeg", path);
  return FALSE;
}

gboolean
picture_save (const Records *r, const Shown *shown, const gchar *frames,
    gdouble seconds, const gchar *path, GError **error)
{
  g_autofree gchar *ffmpeg = ffmpeg_find ();
  g_autoptr (GBytes) bytes = NULL;
  guint8 *picture;
  gboolean ok;
  FILE *file;
  guint i = 0;

  while (i < r->frames->len
      && g_array_index (r->frames, FrameSent, i).t
          < r->start + ra_span (seconds))
    i++;
  if (i == r->frames->len || !ffmpeg) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "%s",
        ffmpeg ? "the stream ended before --at" : "--strip needs ffmpeg");
    return FALSE;
  }
  file = frames_open (r, frames, error);
  if (!file)
    return FALSE;
  picture = g_malloc (picture_size (r));
  bytes = g_bytes_new_take (picture, picture_size (r));
  picture_black (r, picture);
  ok = picture_read (r, shown, file, i, picture)
      && picture_encode (r, ffmpeg, bytes, path, error);
  if (!ok && error && !*error)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "%s has not all pictures", frames);
  fclose (file);
  return ok;
}
