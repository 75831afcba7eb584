/* The sender: a clip over and over, at its pace, numbered, encoded, and away.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "barcode.h"
#include "clip.h"
#include "measure.h"
#include "options.h"
#include "play.h"
#include "systems.h"

#include <gst/app/gstappsrc.h>
#include <stdio.h>
#include <tools/sim/run.h>

#define SAMPLE_MS 100
/* It goes on for longer than any of the systems and a path hold a picture, so
 * that what counts does not end with the stream. */
#define AFTER_S 1.5

static struct
{
  gchar *system, *systems, *options, *clip, *to, *out, *size;
  gdouble seconds;
  gint64 bitrate, start, max;
} arg = { .seconds = 20 };

static const GOptionEntry entries[] = {
  { "system", 0, 0, G_OPTION_ARG_STRING, &arg.system, "what sends", "NAME" },
  { "options", 0, 0, G_OPTION_ARG_FILENAME, &arg.options,
      "properties of its sender", "\"NAME=VALUE ...\"" },
  { "clip", 0, 0, G_OPTION_ARG_FILENAME, &arg.clip, "video file", "FILE" },
  { "size", 0, 0, G_OPTION_ARG_STRING, &arg.size, "of the picture (640x360)",
      "WxH" },
  { "to", 0, 0, G_OPTION_ARG_STRING, &arg.to, "the receiver", "HOST:PORT" },
  { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &arg.seconds, "(20)", "S" },
  { "bitrate", 0, 0, G_OPTION_ARG_INT64, &arg.bitrate,
      "of the encoder, where it is fixed", "BIT/S" },
  { "start-bitrate", 0, 0, G_OPTION_ARG_INT64, &arg.start,
      "where it adapts (as the system likes)", "BIT/S" },
  { "max-bitrate", 0, 0, G_OPTION_ARG_INT64, &arg.max,
      "where it adapts (as the system likes)", "BIT/S" },
  { "out", 0, 0, G_OPTION_ARG_FILENAME, &arg.out, "the record", "FILE" },
  { "systems", 0, 0, G_OPTION_ARG_FILENAME, &arg.systems, "other launch lines",
      "FILE" },
  { NULL },
};

typedef struct
{
  Clip *clip;
  Log *log;
  Play *play;
  GstElement *source, *encoder;
  GObject *estimator; /* or NULL */
  gchar *estimate;    /* its property, */
  guint unit;         /* in so many bit/s; */
  guint drive_unit;   /* and that of what drives the encoder */
  gint stopping;
  guint64 skipped; /* frames that were not handed over in time */
  GMutex lock;
  guint64 bytes; /* that the encoder made */
} Sender;

/* --- the source ----------------------------------------------------------- */

static GstBuffer *
picture_new (Sender *s, guint64 n)
{
  GstBuffer *picture
      = gst_buffer_copy_deep (s->clip->frames->pdata[n % s->clip->frames->len]);
  GstVideoFrame frame;

  if (gst_video_frame_map (&frame, &s->clip->info, picture, GST_MAP_WRITE)) {
    barcode_paint (&frame, (guint32) n);
    gst_video_frame_unmap (&frame);
  }
  return picture;
}

/* A camera's pace: frame n is due at n / fps.  A source that could not hand
 * over its frame in time has the next one by then. */
static gpointer
feed (gpointer data)
{
  Sender *s = data;
  const gdouble fps = (gdouble) s->clip->info.fps_n / s->clip->info.fps_d;
  const gint64 period = (gint64) (GST_SECOND / fps);
  g_autoptr (GstClock) clock = gst_element_get_clock (s->source);
  const gint64 begin = (gint64) gst_clock_get_time (clock);
  const gint64 base = (gint64) gst_element_get_base_time (s->source);

  for (guint64 n = 0; !g_atomic_int_get (&s->stopping); n++) {
    gint64 due = begin + (gint64) ((gdouble) n / fps * GST_SECOND);
    gint64 now = log_monotonic ();
    GstBuffer *picture;

    if (now > due + period) {
      s->skipped++;
      continue;
    }
    if (now < due)
      g_usleep ((gulong) ((due - now) / 1000));
    picture = picture_new (s, n);
    GST_BUFFER_PTS (picture) = (GstClockTime) (due - base);
    GST_BUFFER_DURATION (picture) = (GstClockTime) period;
    log_line (s->log,
        "{\"frame\":{\"n\":%" G_GUINT64_FORMAT ",\"mono\":%" G_GINT64_FORMAT
        ",\"real\":%" G_GINT64_FORMAT ",\"pts\":%" G_GUINT64_FORMAT "}}",
        n, log_monotonic (), log_realtime (), GST_BUFFER_PTS (picture));
    if (gst_app_src_push_buffer (GST_APP_SRC (s->source), picture)
        != GST_FLOW_OK)
      break;
  }
  return NULL;
}

/* --- what is written down ------------------------------------------------- */

static GstPadProbeReturn
on_encoded (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Sender *s = data;

  g_mutex_lock (&s->lock);
  s->bytes += gst_buffer_get_size (GST_PAD_PROBE_INFO_BUFFER (info));
  g_mutex_unlock (&s->lock);
  return GST_PAD_PROBE_OK;
}

static guint64
number_get (GObject *object, const gchar *property)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_UINT64);
  g_object_get_property (object, property, &value);
  return g_value_get_uint64 (&value);
}

static gboolean
on_sample (gpointer data)
{
  Sender *s = data;
  g_autofree gchar *estimated = g_strdup ("null");
  guint64 bytes;

  if (s->estimator) {
    g_free (estimated);
    estimated = g_strdup_printf (
        "%" G_GUINT64_FORMAT, number_get (s->estimator, s->estimate) * s->unit);
  }
  g_mutex_lock (&s->lock);
  bytes = s->bytes;
  g_mutex_unlock (&s->lock);
  log_line (s->log,
      "{\"rate\":{\"mono\":%" G_GINT64_FORMAT ",\"estimated_bps\":%s"
      ",\"encoder_bps\":%" G_GUINT64_FORMAT
      ",\"encoded_bytes\":%" G_GUINT64_FORMAT "}}",
      log_monotonic (), estimated,
      number_get (G_OBJECT (s->encoder), "bitrate") * 1000, bytes);
  return G_SOURCE_CONTINUE;
}

static void
on_message (const GstStructure *m, gpointer data)
{
  Sender *s = data;
  guint ssrc, seqnum;
  guint64 time;

  if (gst_structure_has_name (m, "rtpadapt-loss")
      && gst_structure_get_uint (m, "ssrc", &ssrc)
      && gst_structure_get_uint (m, "seqnum", &seqnum)
      && gst_structure_get_uint64 (m, "time", &time)) /* it was sent */
    log_line (s->log,
        "{\"loss\":{\"mono\":%" G_GUINT64_FORMAT
        ",\"ssrc\":%u,\"seq\":%u,\"verdict\":\"%s\"}}",
        time, ssrc, seqnum, gst_structure_get_string (m, "verdict"));
}

/* What an application of such an estimator has to do.  SCReAM's is 0 before its first
 * packet, and x264enc never recovers from a start at 1 kbit/s. */
static void
on_estimate (GObject *object, GParamSpec *spec, gpointer data)
{
  Sender *s = data;
  guint64 kbps = number_get (object, spec->name) * s->drive_unit / 1000;

  if (kbps > 0)
    g_object_set (s->encoder, "bitrate", (guint) MIN (kbps, 2048000), NULL);
}

/* The object and property that `key` of the system names; TRUE with *object
 * NULL if it names none. */
static gboolean
sender_find (Sender *s, const System *system, const gchar *key,
    GObject **object, gchar **property, guint *unit, GError **error)
{
  g_autofree gchar *element = NULL;

  if (!system_property (system, key, &element, property, unit))
    return TRUE;
  *object = (GObject *) play_need (s->play, element, error);
  if (!*object)
    return FALSE;
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (*object), *property))
    return TRUE;
  g_set_error (error, SYSTEM_ERROR, SYSTEM_ERROR_UNKNOWN,
      "%s has no property %s", element, *property);
  return FALSE;
}

static gboolean
sender_watch (Sender *s, const System *system, GError **error)
{
  g_autofree gchar *property = NULL, *signal = NULL;
  g_autoptr (GObject) driver = NULL;

  if (!sender_find (
          s, system, "estimate", &s->estimator, &s->estimate, &s->unit, error)
      || !sender_find (
          s, system, "drive", &driver, &property, &s->drive_unit, error))
    return FALSE;
  if (!driver)
    return TRUE;
  signal = g_strdup_printf ("notify::%s", property);
  g_signal_connect (driver, signal, G_CALLBACK (on_estimate), s);
  on_estimate (driver,
      g_object_class_find_property (G_OBJECT_GET_CLASS (driver), property), s);
  return TRUE;
}

/* --- the run -------------------------------------------------------------- */

static gboolean
sender_build (
    Sender *s, const System *system, const SystemValues *values, GError **error)
{
  g_autofree gchar *line = system_line (system, "send", values, error);
  g_autoptr (GstCaps) caps = NULL;
  g_autoptr (GstPad) pad = NULL;

  if (!line)
    return FALSE;
  s->play = play_new (arg.system, line, s->log, error);
  if (!s->play)
    return FALSE;
  s->source = play_need (s->play, "source", error);
  s->encoder = s->source ? play_need (s->play, "encoder", error) : NULL;
  if (!s->encoder || !sender_watch (s, system, error))
    return FALSE;
  caps = gst_video_info_to_caps (&s->clip->info);
  gst_app_src_set_caps (GST_APP_SRC (s->source), caps);
  pad = gst_element_get_static_pad (s->encoder, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_encoded, s, NULL);
  play_count_rtp (s->play, "pay", "src");
  play_on_message (s->play, on_message, s);
  return TRUE;
}

static void
write_begin (const Sender *s, guint port)
{
  const GstVideoInfo *info = &s->clip->info;
  g_autofree gchar *system = ra_json_string (arg.system);
  g_autofree gchar *options = ra_json_string (arg.options ? arg.options : "");

  log_line (s->log,
      "{\"send\":{\"system\":%s,\"options\":%s,\"port\":%u,\"width\":%d,"
      "\"height\":%d,\"fps_n\":%d,\"fps_d\":%d,\"milliseconds\":%d,"
      "\"start_ns\":%" G_GINT64_FORMAT ",\"start_real_ns\":%" G_GINT64_FORMAT
      "}}",
      system, options, port, info->width, info->height, info->fps_n,
      info->fps_d, (gint) (arg.seconds * 1e3), log_monotonic (),
      log_realtime ());
}

static void
write_end (Sender *s, const gchar *stats)
{
  g_autofree gchar *json = ra_json_string (stats ? stats : "");

  log_line (s->log,
      "{\"end\":{\"cpu_ns\":%" G_GINT64_FORMAT
      ",\"encoded_bytes\":%" G_GUINT64_FORMAT ",\"skipped\":%" G_GUINT64_FORMAT
      ",\"stats\":%s}}",
      log_cpu (), s->bytes, s->skipped, json);
}

static gboolean
sender_play (Sender *s, guint port, GError **error)
{
  g_autoptr (GstStructure) stats = NULL;
  g_autofree gchar *text = NULL;
  GThread *feeder;
  guint sample;
  gboolean ok;

  if (!play_start (s->play, error))
    return FALSE;
  write_begin (s, port);
  feeder = g_thread_new ("feed", feed, s);
  sample = g_timeout_add (SAMPLE_MS, on_sample, s);
  ok = play_run (s->play, arg.seconds + AFTER_S, error);
  g_source_remove (sample);
  stats = play_stats (s->play, "sender");
  g_atomic_int_set (&s->stopping, TRUE);
  play_halt (s->play); /* lets go of a feeder that waits for the encoder */
  g_thread_join (feeder);
  text = stats ? gst_structure_to_string (stats) : NULL;
  write_end (s, text);
  return ok;
}

static gboolean
size_parse (gint *width, gint *height, GError **error)
{
  gchar rest;

  *width = 640;
  *height = 360;
  if (!arg.size
      || (sscanf (arg.size, "%4dx%4d%c", width, height, &rest) == 2
          && *width >= 64 && *height >= 64 && (*width | *height) % 2 == 0
          && *height >= 2 * barcode_height (*width)))
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "--size %s is not WxH of even numbers with room for a frame's number",
      arg.size);
  return FALSE;
}

static gboolean
arguments_check (GError **error)
{
  if (!arg.system || !arg.clip || !arg.to || !arg.out)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "send needs --system, --clip, --to and --out");
  else if (!(arg.seconds > 0 && arg.seconds <= 86400))
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--seconds must be above 0 and at most a day");
  else if (MIN (MIN (arg.bitrate, arg.start), arg.max) < 0
      || MAX (MAX (arg.bitrate, arg.start), arg.max) > G_MAXINT)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "a bitrate must be from 1 to %d bit/s", G_MAXINT);
  else
    return TRUE;
  return FALSE;
}

static gboolean
sender_run (Sender *s, const System *system, GError **error)
{
  SystemValues values = { .options = arg.options,
    .bitrate = (guint64) arg.bitrate,
    .start = (guint64) arg.start,
    .max = (guint64) arg.max };
  g_autofree gchar *host = NULL;
  gint width, height;
  gboolean ok = FALSE;

  if (!measure_address (arg.to, &host, &values.port, error)
      || !size_parse (&width, &height, error)
      || !system_installed (system, error))
    return FALSE;
  values.host = host;
  s->clip = clip_load (arg.clip, width, height, error);
  if (s->clip && s->clip->info.fps_n <= 0) {
    s->clip->info.fps_n = 25; /* it does not say */
    s->clip->info.fps_d = 1;
  }
  s->log = s->clip ? log_open (arg.out, error) : NULL;
  if (s->log)
    ok = sender_build (s, system, &values, error)
        && sender_play (s, values.port, error);
  gst_clear_object (&s->source);
  gst_clear_object (&s->encoder);
  g_clear_object (&s->estimator);
  g_clear_pointer (&s->play, play_free);
  if (s->log)
    ok = log_close (s->log, ok ? error : NULL) && ok;
  g_clear_pointer (&s->clip, clip_free);
  g_free (s->estimate);
  return ok;
}

gboolean
measure_send (int argc, char **argv, GError **error)
{
  Sender s = { 0 };
  System *system;
  gboolean ok;

  if (!measure_options (entries, "send",
          "Streams a clip by one of the systems, each picture numbered, and "
          "writes down what was sent.",
          &argc, &argv, error)
      || !arguments_check (error))
    return FALSE;
  system = system_load (arg.systems, arg.system, error);
  if (!system)
    return FALSE;
  g_mutex_init (&s.lock);
  ok = sender_run (&s, system, error);
  g_mutex_clear (&s.lock);
  system_free (system);
  return ok;
}
