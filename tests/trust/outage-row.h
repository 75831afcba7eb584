/* One row of the outages: a stream, what happens to it, and when it is back.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rtpadaptsink and rtpadaptsrc, in pipelines as gst-launch-1.0 would make them,
 * with the relay between.  The encoder makes no key frame unless it is asked,
 * and its pictures are noise, so that it uses the bitrate that it is given.
 */
#pragma once

#include "outage-relay.h"

#include "../watchdog.h"

/* That much RTP arrives with nothing in the way, too ("--row 0 none"). */
#define MAX_BITRATE 1000000
#define KEY "e1f97a0d3e018be0d64fa32c06de41390ec675ad498afeebb6960b3aabe6"

typedef enum
{
  OUTAGE_BOTH, /* as if an interface were down */
  OUTAGE_MEDIA,
  OUTAGE_FEEDBACK,
  OUTAGE_RECEIVER_REPLACED,
  OUTAGE_SENDER_REPLACED,
  OUTAGE_SENDER_FIRST,
  OUTAGE_RECEIVER_FIRST,
  OUTAGE_ROAMS, /* the sender comes back with another address */
  OUTAGE_NONE,
} OutageKind;

static const gchar *const outage_kinds[]
    = { "both", "media", "feedback", "receiver-replaced", "sender-replaced",
        "sender-first", "receiver-first", "roams", "none", NULL };

typedef struct
{
  guint seconds;
  OutageKind kind;
  const gchar *feedback, *security;
} OutageRow;

/* The bounds of a row, in time of the fast clock at speed 1. */
typedef struct
{
  gboolean fast; /* the clock is fast during the outage */
  gdouble share; /* of the rate before it */
  GstClockTime picture, rate, hold, patience, null;
} OutageBounds;

/* The bounds of the recorded matrix, in real time. */
static const OutageBounds outage_strict = { .share = .8,
  .picture = 2 * GST_SECOND,
  .rate = 5 * GST_SECOND,
  .hold = 2 * GST_SECOND,
  .patience = 25 * GST_SECOND,
  .null = 2 * GST_SECOND };

typedef struct
{
  OutageRow row;
  const OutageBounds *bounds;
  Relay relay;
  FastClock *clock;
  GstElement *sender, *receiver;
  gint thin;    /* atomic: one of so many frames is encoded */
  guint camera; /* frames so far */
  GMutex lock;
  GstClockTime armed; /* when the outage ended */
  GstClockTime first; /* when the first picture came after that */
  guint frames;       /* pictures since then */
  guint errors;
  gchar *said;         /* the first error, or the latest warning */
  GstClockTime null;   /* the longest set_state (NULL) */
  gdouble before;      /* bit/s */
  GstClockTime rate;   /* time until it was back, or NONE */
  GstClockTime latest; /* of the relay, while it was measured */
} OutageWorld;

/* --- a watchdog ------------------------------------------------------------ */

/* The process ends if the next call does not come within `seconds`. */
static inline void
outage_watch (const OutageWorld *w, guint seconds, const gchar *what)
{
  g_autofree gchar *hangs = g_strdup_printf (
      "outage,%u,%s,%s,%s,,,,,,,fail,%s does not return in %u s\n",
      w->row.seconds, outage_kinds[w->row.kind], w->row.feedback,
      w->row.security, what, seconds);

  watchdog_start (seconds, hangs);
}

/* --- sender and receiver --------------------------------------------------- */

static inline const gchar *
outage_security (const OutageWorld *w)
{
  if (g_str_equal (w->row.security, "key"))
    return "key=" KEY;
  return g_str_equal (w->row.security, "dtls") ? "dtls=true" : "";
}

static GstBusSyncReply
outage_message (GstBus *bus, GstMessage *message, gpointer data)
{
  OutageWorld *w = data;
  gboolean error = GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;
  GError *what = NULL;
  g_autofree gchar *debug = NULL;

  if (error)
    gst_message_parse_error (message, &what, &debug);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &what, &debug);
  /* The elements make their certificates, so nobody knows the fingerprints. */
  if (what && !error && strstr (what->message, "not authenticated"))
    g_clear_error (&what);
  if (what) {
    gchar *said
        = g_strdup_printf ("%s from %s: %s", error ? "error" : "warning",
            GST_MESSAGE_SRC_NAME (message), what->message);

    g_printerr ("# %s (%s)\n", said, debug ? debug : "");
    g_mutex_lock (&w->lock);
    if (w->errors == 0) {
      g_free (w->said);
      w->said = g_steal_pointer (&said);
    }
    w->errors += error;
    g_mutex_unlock (&w->lock);
    g_free (said);
    g_error_free (what);
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static inline GstElement *
outage_start (OutageWorld *w, const gchar *line)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);
  g_autoptr (GstBus) bus = NULL;

  g_assert_no_error (error);
  gst_pipeline_use_clock (GST_PIPELINE (pipeline), GST_CLOCK (w->clock));
  bus = gst_element_get_bus (pipeline);
  gst_bus_set_sync_handler (bus, outage_message, w, NULL);
  return pipeline;
}

static inline void
outage_play (OutageWorld *w, GstElement *pipeline)
{
  outage_watch (w, 60, "set_state(PLAYING)");
  g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_PLAYING), !=,
      GST_STATE_CHANGE_FAILURE);
  outage_watch (w, w->row.seconds + 400, "the row");
}

static GstPadProbeReturn
outage_camera (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  OutageWorld *w = data;
  guint thin = (guint) g_atomic_int_get (&w->thin);

  return w->camera++ % thin == 0 ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

static inline void
outage_sender (OutageWorld *w)
{
  g_autofree gchar *line = g_strdup_printf (
      "videotestsrc is-live=true pattern=snow name=camera ! "
      "video/x-raw,format=I420,width=160,height=90,framerate=30/1 ! "
      "x264enc tune=zerolatency speed-preset=ultrafast threads=1 bitrate=500 "
      "vbv-buf-capacity=200 key-int-max=100000 option-string=scenecut=0 ! "
      "rtph264pay config-interval=-1 mtu=1200 ! rtpadaptsink name=sink "
      "host=%s port=%u max-bitrate=%u feedback=%s %s",
      w->relay.address, relay_port (&w->relay), MAX_BITRATE, w->row.feedback,
      outage_security (w));
  GstElement *camera;
  g_autoptr (GstPad) pad = NULL;

  w->sender = outage_start (w, line);
  camera = gst_bin_get_by_name (GST_BIN (w->sender), "camera");
  pad = gst_element_get_static_pad (camera, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, outage_camera, w, NULL);
  gst_object_unref (camera);
  outage_play (w, w->sender);
}

static void
outage_frame (GstElement *out, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  OutageWorld *w = data;

  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_CORRUPTED))
    return;
  g_mutex_lock (&w->lock);
  if (GST_CLOCK_TIME_IS_VALID (w->armed)) {
    w->frames++;
    if (!GST_CLOCK_TIME_IS_VALID (w->first))
      w->first = fast_now ();
  }
  g_mutex_unlock (&w->lock);
}

static inline void
outage_receiver (OutageWorld *w)
{
  g_autofree gchar *line = g_strdup_printf (
      "rtpadaptsrc address=%s port=%u encoding-name=H264 feedback=%s %s ! "
      "rtph264depay request-keyframe=true wait-for-keyframe=true ! "
      "video/x-h264,stream-format=byte-stream,alignment=au ! "
      "avdec_h264 max-threads=1 ! fakesink name=out sync=false async=false "
      "signal-handoffs=true",
      w->relay.address, RELAY_PORT, w->row.feedback, outage_security (w));
  GstElement *out;

  w->receiver = outage_start (w, line);
  out = gst_bin_get_by_name (GST_BIN (w->receiver), "out");
  g_signal_connect (out, "handoff", G_CALLBACK (outage_frame), w);
  gst_object_unref (out);
  outage_play (w, w->receiver);
}

/* The change to NULL is measured by the real clock, and must not hang. */
static inline void
outage_stop (OutageWorld *w, GstElement **pipeline)
{
  GstClockTime began = fast_read (CLOCK_MONOTONIC);

  outage_watch (w, (guint) (w->bounds->null / GST_SECOND) + 20,
      pipeline == &w->sender ? "set_state(NULL) of the sender"
                             : "set_state(NULL) of the receiver");
  gst_element_set_state (*pipeline, GST_STATE_NULL);
  w->null = MAX (w->null, fast_read (CLOCK_MONOTONIC) - began);
  gst_clear_object (pipeline);
  outage_watch (w, w->row.seconds + 400, "the row");
}

/* --- measuring -------------------------------------------------------------- */

#define STEP (50 * GST_MSECOND)
#define STEPS 20 /* a second */

typedef struct
{
  guint64 bytes[STEPS + 1];
  GstClockTime at[STEPS + 1];
  guint n;
} OutageWindow;

/* A step later: bit/s of the last second, 0 before there was one. */
static inline gdouble
outage_step (OutageWorld *w, OutageWindow *window)
{
  guint i = window->n++ % (STEPS + 1), oldest = window->n % (STEPS + 1);

  window->bytes[i] = relay_bytes (&w->relay);
  window->at[i] = fast_now ();
  fast_sleep (w->clock, STEP);
  if (window->n <= STEPS)
    return 0;
  return 8e9 * (gdouble) (window->bytes[i] - window->bytes[oldest])
      / (gdouble) (window->at[i] - window->at[oldest]);
}

/* The rate over 2 s, once it does not change any more. */
static inline void
outage_before (OutageWorld *w)
{
  GstClockTime end = fast_now () + w->bounds->patience, began;
  OutageWindow window = { 0 };
  guint64 bytes;

  while (outage_step (w, &window) < .9 * MAX_BITRATE && fast_now () < end)
    ;
  bytes = relay_bytes (&w->relay);
  began = fast_now ();
  fast_sleep (w->clock, 2 * GST_SECOND);
  w->before = 8e9 * (gdouble) (relay_bytes (&w->relay) - bytes)
      / (gdouble) (fast_now () - began);
}

/* From now on the picture and the rate have to come back. */
static inline void
outage_arm (OutageWorld *w)
{
  g_mutex_lock (&w->lock);
  w->armed = fast_now ();
  g_mutex_unlock (&w->lock);
  relay_latest (&w->relay);
}

static inline gboolean
outage_has_picture (OutageWorld *w)
{
  gboolean has;

  g_mutex_lock (&w->lock);
  has = GST_CLOCK_TIME_IS_VALID (w->first);
  g_mutex_unlock (&w->lock);
  return has;
}

/* Waits until both are back.  The rate is back once it holds. */
static inline void
outage_after (OutageWorld *w)
{
  GstClockTime end = w->armed + w->bounds->patience;
  GstClockTime since = GST_CLOCK_TIME_NONE;
  OutageWindow window = { 0 };

  while (fast_now () < end
      && !(GST_CLOCK_TIME_IS_VALID (w->rate) && outage_has_picture (w))) {
    gboolean enough = outage_step (w, &window) >= w->bounds->share * w->before;
    GstClockTime now = fast_now ();

    if (!enough)
      since = GST_CLOCK_TIME_NONE;
    else if (!GST_CLOCK_TIME_IS_VALID (since))
      since = now;
    if (enough && !GST_CLOCK_TIME_IS_VALID (w->rate)
        && now - since >= w->bounds->hold)
      w->rate = since - w->armed;
  }
  w->latest = relay_latest (&w->relay);
}

/* --- the row ------------------------------------------------------------- */

/* Lets the time of the outage pass, most of it at up to 20 times the speed.  Fewer
 * frames are encoded meanwhile. */
static inline void
outage_pass (OutageWorld *w)
{
  const GstClockTime calm = GST_SECOND / 2;
  GstClockTime time = w->row.seconds * GST_SECOND;

  if (w->bounds->fast && w->row.seconds > 5) {
    guint speed = MIN (w->row.seconds, 20);

    g_atomic_int_set (&w->thin, (gint) speed / 2);
    fast_clock_set_speed (w->clock, speed);
    fast_sleep (w->clock, time - calm);
    fast_clock_set_speed (w->clock, 1);
    g_atomic_int_set (&w->thin, 1);
    time = calm;
  }
  fast_sleep (w->clock, time);
}

static inline void
outage_path (OutageWorld *w)
{
  OutageKind kind = w->row.kind;

  relay_cut (&w->relay,
      kind == OUTAGE_MEDIA          ? RELAY_MEDIA
          : kind == OUTAGE_FEEDBACK ? RELAY_FEEDBACK
                                    : RELAY_BOTH);
  /* The sender is killed, so the packets that it sends at its end are lost. */
  if (kind == OUTAGE_RECEIVER_REPLACED)
    outage_stop (w, &w->receiver);
  if (kind == OUTAGE_SENDER_REPLACED)
    outage_stop (w, &w->sender);
  if (kind != OUTAGE_NONE)
    outage_pass (w);
  if (kind == OUTAGE_SENDER_REPLACED || kind == OUTAGE_ROAMS)
    relay_link (&w->relay, kind == OUTAGE_ROAMS);
  outage_arm (w);
  relay_cut (&w->relay, 0);
  if (kind == OUTAGE_RECEIVER_REPLACED)
    outage_receiver (w);
  if (kind == OUTAGE_SENDER_REPLACED)
    outage_sender (w);
}

static inline void
outage_run (OutageWorld *w, const OutageRow *row, const OutageBounds *bounds)
{
  gboolean sender_first = row->kind == OUTAGE_SENDER_FIRST;

  *w = (OutageWorld){ .row = *row,
    .bounds = bounds,
    .thin = 1,
    .armed = GST_CLOCK_TIME_NONE,
    .first = GST_CLOCK_TIME_NONE,
    .rate = GST_CLOCK_TIME_NONE,
    .before = MAX_BITRATE };
  g_mutex_init (&w->lock);
  w->clock = fast_clock_install ();
  relay_start (&w->relay);
  if (sender_first)
    outage_sender (w);
  else
    outage_receiver (w);
  if (sender_first || row->kind == OUTAGE_RECEIVER_FIRST) {
    outage_pass (w);
    outage_arm (w);
    if (sender_first)
      outage_receiver (w);
    else
      outage_sender (w);
  } else {
    outage_sender (w);
    outage_before (w);
    outage_path (w);
  }
  outage_after (w);
  outage_stop (w, &w->sender);
  outage_stop (w, &w->receiver);
  watchdog_stop ();
  relay_end (&w->relay);
  fast_clock_uninstall (w->clock);
}

static inline gboolean
outage_passes (const OutageWorld *w)
{
  return w->errors == 0 && w->null <= w->bounds->null
      && GST_CLOCK_TIME_IS_VALID (w->first)
      && w->first - w->armed <= w->bounds->picture
      && GST_CLOCK_TIME_IS_VALID (w->rate) && w->rate <= w->bounds->rate;
}

static inline gdouble
outage_seconds (GstClockTime time)
{
  return (gdouble) time / GST_SECOND;
}

/* "outage," and the columns of outages.csv; times in s, "" is never. */
static inline void
outage_print (const OutageWorld *w)
{
  g_autofree gchar *picture = NULL, *rate = NULL, *said = NULL;

  if (GST_CLOCK_TIME_IS_VALID (w->first))
    picture = g_strdup_printf ("%.2f", outage_seconds (w->first - w->armed));
  if (GST_CLOCK_TIME_IS_VALID (w->rate))
    rate = g_strdup_printf ("%.2f", outage_seconds (w->rate));
  said = g_strdelimit (g_strdup (w->said ? w->said : ""), ",\n", ' ');
  g_print ("outage,%u,%s,%s,%s,%s,%s,%.0f,%u,%.0f,%.2f,%s,%s\n", w->row.seconds,
      outage_kinds[w->row.kind], w->row.feedback, w->row.security,
      picture ? picture : "", rate ? rate : "", w->before / 1e3, w->frames,
      1e3 * outage_seconds (w->latest), outage_seconds (w->null),
      outage_passes (w) ? "pass" : "fail", said);
}
