/* The receiver: shows the stream, and writes down which picture stood on the
 * screen from when on.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "barcode.h"
#include "clip.h"
#include "measure.h"
#include "options.h"
#include "play.h"
#include "systems.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <gst/app/gstappsink.h>
#include <tools/sim/run.h>

static struct
{
  gchar *system, *systems, *options, *from, *out, *frames;
  gint port;
  gdouble seconds;
} arg = { .port = 5004 };

static const GOptionEntry entries[] = {
  { "system", 0, 0, G_OPTION_ARG_STRING, &arg.system, "what receives", "NAME" },
  { "options", 0, 0, G_OPTION_ARG_FILENAME, &arg.options,
      "properties of its receiver", "\"NAME=VALUE ...\"" },
  { "port", 0, 0, G_OPTION_ARG_INT, &arg.port,
      "(5004; some systems take the two after it, too)", "N" },
  { "from", 0, 0, G_OPTION_ARG_STRING, &arg.from,
      "the sender, where a system has to know it", "HOST" },
  { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &arg.seconds,
      "(until SIGINT or SIGTERM)", "S" },
  { "out", 0, 0, G_OPTION_ARG_FILENAME, &arg.out, "the record", "FILE" },
  { "frames", 0, 0, G_OPTION_ARG_FILENAME, &arg.frames,
      "the pictures shown, raw I420 one after the other", "FILE" },
  { "systems", 0, 0, G_OPTION_ARG_FILENAME, &arg.systems, "other launch lines",
      "FILE" },
  { NULL },
};

typedef struct
{
  Log *log;
  Play *play;
  GstVideoInfo info; /* of the first picture; others are not kept */
  guint64 shown, unreadable, kept;
  FILE *frames;
  GThread *writer;
  GAsyncQueue *queue; /* of GstSample, NULL-like `last` at the end */
  gint bad;           /* the frames could not be written */
} Receiver;

static gchar last; /* its address ends the queue */

/* Apart from the screen's thread, which no disk may hold up. */
static gpointer
write_frames (gpointer data)
{
  Receiver *r = data;
  gpointer item;

  while ((item = g_async_queue_pop (r->queue)) != &last) {
    if (!clip_write_picture (
            r->frames, gst_sample_get_buffer (item), &r->info, 3))
      g_atomic_int_set (&r->bad, TRUE);
    gst_sample_unref (item);
  }
  return NULL;
}

static void
first_picture (Receiver *r, const GstVideoInfo *info)
{
  r->info = *info;
  log_line (r->log, "{\"video\":{\"width\":%d,\"height\":%d}}", info->width,
      info->height);
}

/* The number in it, or "null". */
static gchar *
number_text (Receiver *r, GstSample *sample, const GstVideoInfo *info)
{
  GstVideoFrame frame;
  guint32 number = 0;
  gboolean ok;

  if (!gst_video_frame_map (
          &frame, info, gst_sample_get_buffer (sample), GST_MAP_READ))
    return g_strdup ("null");
  ok = barcode_read (&frame, &number);
  gst_video_frame_unmap (&frame);
  if (ok)
    return g_strdup_printf ("%u", number);
  r->unreadable++;
  return g_strdup ("null");
}

static GstFlowReturn
on_picture (GstAppSink *sink, gpointer data)
{
  Receiver *r = data;
  gint64 mono = log_monotonic (), real = log_realtime ();
  g_autoptr (GstSample) sample = gst_app_sink_pull_sample (sink);
  g_autofree gchar *number = NULL, *at = NULL;
  g_autoptr (GstPad) pad = NULL;
  GstClockTime pts;
  GstVideoInfo info;

  if (!sample
      || !gst_video_info_from_caps (&info, gst_sample_get_caps (sample)))
    return GST_FLOW_OK;
  if (r->shown++ == 0)
    first_picture (r, &info);
  number = number_text (r, sample, &info);
  pad = gst_element_get_static_pad (GST_ELEMENT (sink), "sink");
  pts = play_running_time (
      pad, GST_BUFFER_PTS (gst_sample_get_buffer (sample)));
  if (r->frames && info.width == r->info.width
      && info.height == r->info.height) {
    at = g_strdup_printf ("%" G_GUINT64_FORMAT, r->kept++);
    g_async_queue_push (r->queue, gst_sample_ref (sample));
  }
  log_line (r->log,
      "{\"shown\":{\"n\":%s,\"mono\":%" G_GINT64_FORMAT
      ",\"real\":%" G_GINT64_FORMAT ",\"at\":%s,\"pts\":%" G_GUINT64_FORMAT
      "}}",
      number, mono, real, at ? at : "null", pts);
  return GST_FLOW_OK;
}

static gboolean
frames_open (Receiver *r, GError **error)
{
  if (!arg.frames)
    return TRUE;
  r->frames = g_fopen (arg.frames, "wb");
  if (!r->frames) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
        "%s cannot be written: %s", arg.frames, g_strerror (errno));
    return FALSE;
  }
  r->queue = g_async_queue_new ();
  r->writer = g_thread_new ("frames", write_frames, r);
  return TRUE;
}

static gboolean
frames_close (Receiver *r, GError **error)
{
  gboolean bad;

  if (!r->frames)
    return TRUE;
  g_async_queue_push (r->queue, &last);
  g_thread_join (r->writer);
  g_async_queue_unref (r->queue);
  bad = fclose (r->frames) != 0 || g_atomic_int_get (&r->bad);
  if (bad)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
        "not all of %s could be written", arg.frames);
  return !bad;
}

static gboolean
receiver_build (Receiver *r, const System *system, GError **error)
{
  SystemValues values
      = { .from = arg.from, .options = arg.options, .port = (guint) arg.port };
  GstAppSinkCallbacks callbacks = { .new_sample = on_picture };
  g_autofree gchar *line = system_line (system, "receive", &values, error);
  g_autoptr (GstElement) screen = NULL;

  if (!line)
    return FALSE;
  r->play = play_new (arg.system, line, r->log, error);
  screen = r->play ? play_need (r->play, "screen", error) : NULL;
  if (!screen)
    return FALSE;
  gst_app_sink_set_callbacks (GST_APP_SINK (screen), &callbacks, r, NULL);
  play_count_rtp (r->play, "depay", "sink");
  return TRUE;
}

static guint64
stat_get (const GstStructure *stats, const gchar *field)
{
  guint64 value = 0;

  gst_structure_get_uint64 (stats, field, &value);
  return value;
}

/* With the packets of all and of repair, where the receiver counts them. */
static void
write_end (Receiver *r, const GstStructure *stats)
{
  g_autofree gchar *text = stats ? gst_structure_to_string (stats) : NULL;
  g_autofree gchar *json = ra_json_string (text ? text : "");

  if (stats)
    log_line (r->log,
        "{\"packets\":{\"rtp\":%" G_GUINT64_FORMAT ",\"fec\":%" G_GUINT64_FORMAT
        ",\"retransmitted\":%" G_GUINT64_FORMAT "}}",
        stat_get (stats, "rtp"), stat_get (stats, "fec"),
        stat_get (stats, "retransmitted"));
  log_line (r->log,
      "{\"end\":{\"cpu_ns\":%" G_GINT64_FORMAT ",\"shown\":%" G_GUINT64_FORMAT
      ",\"unreadable\":%" G_GUINT64_FORMAT ",\"stats\":%s}}",
      log_cpu (), r->shown, r->unreadable, json);
}

static gboolean
receiver_play (Receiver *r, GError **error)
{
  g_autofree gchar *system = ra_json_string (arg.system);
  g_autoptr (GstStructure) stats = NULL;
  gboolean ok;

  log_line (r->log,
      "{\"receive\":{\"system\":%s,\"port\":%d,\"start_ns\":%" G_GINT64_FORMAT
      "}}",
      system, arg.port, log_monotonic ());
  log_flush (r->log);
  if (!play_start (r->play, error))
    return FALSE;
  ok = play_run (r->play, arg.seconds, error);
  stats = play_stats (r->play, "receiver");
  play_halt (r->play);
  write_end (r, stats);
  return ok;
}

static gboolean
receiver_run (Receiver *r, const System *system, GError **error)
{
  gboolean ok = FALSE;

  if (!system_installed (system, error))
    return FALSE;
  r->log = log_open (arg.out, error);
  if (!r->log)
    return FALSE;
  if (frames_open (r, error))
    ok = receiver_build (r, system, error) && receiver_play (r, error);
  g_clear_pointer (&r->play, play_free);
  ok = frames_close (r, ok ? error : NULL) && ok;
  return log_close (r->log, ok ? error : NULL) && ok;
}

static gboolean
arguments_check (GError **error)
{
  if (!arg.system || !arg.out)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "receive needs --system and --out");
  else if (arg.port < 1 || arg.port > G_MAXUINT16 - 2)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--port must be from 1 to %d", G_MAXUINT16 - 2);
  else if (!(arg.seconds >= 0 && arg.seconds <= 86400))
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--seconds must be from 0 to a day");
  else
    return TRUE;
  return FALSE;
}

gboolean
measure_receive (int argc, char **argv, GError **error)
{
  Receiver r = { 0 };
  System *system;
  gboolean ok;

  if (!measure_options (entries, "receive",
          "Shows the stream of one of the systems and writes down which "
          "picture was to be seen when.",
          &argc, &argv, error)
      || !arguments_check (error))
    return FALSE;
  system = system_load (arg.systems, arg.system, error);
  if (!system)
    return FALSE;
  ok = receiver_run (&r, system, error);
  system_free (system);
  return ok;
}
