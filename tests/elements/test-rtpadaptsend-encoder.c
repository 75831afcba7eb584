/* rtpadaptsend: the encoder it drives.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "encoder-fixture.h"
#include "session-fixture.h"

typedef struct
{
  GstElement *pipeline, *send, *encoder;
} Drive;

/* `upstream` makes the encoder "enc" and what stands behind it. */
static Drive
drive_new (const gchar *upstream, const gchar *properties)
{
  g_autofree gchar *line = g_strdup_printf (
      "%s ! rtpadaptsend name=send stats-interval=0 %s ! fakesink name=out",
      upstream, properties);
  g_autoptr (GError) error = NULL;
  Drive d = { .pipeline = gst_parse_launch (line, &error) };

  g_assert_no_error (error);
  d.send = gst_bin_get_by_name (GST_BIN (d.pipeline), "send");
  d.encoder = gst_bin_get_by_name (GST_BIN (d.pipeline), "enc");
  return d;
}

static void
drive_free (Drive *d)
{
  gst_element_set_state (d->pipeline, GST_STATE_NULL);
  gst_object_unref (d->send);
  gst_clear_object (&d->encoder);
  gst_object_unref (d->pipeline);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Drive, drive_free)

static gint64
stat_of (GstElement *send, const gchar *field)
{
  return stat (&(Send){ .element = send }, field);
}

/* Before a packet was sent the whole rate is the encoder's; 777,777 bit/s are
 * 777 of x264enc's kbit/s. */
static const struct
{
  const gchar *name, *upstream, *property;
  gint value;
  guint encoder_bitrate;
  const gchar *why;
} encoder_rows[] = {
  { "x264enc", "x264enc name=enc ! h264parse ! rtph264pay", "bitrate", 777,
      777000, "kbit/s, rounded down; through a parser and a payloader" },
  { "queue", "x264enc name=enc ! queue ! identity ! rtph264pay ! capsfilter",
      "bitrate", 777, 777000, "through queues and filters" },
  { "vp8enc", "vp8enc name=enc ! rtpvp8pay", "target-bitrate", 777000, 777000,
      "bit/s, but libvpx knows whole kbit/s" },
  { "vp9enc", "vp9enc name=enc ! rtpvp9pay", "target-bitrate", 777000, 777000,
      "the same" },
  { "in-bin",
      "( ( x264enc name=enc ! h264parse name=a ) ) a. ! ( rtph264pay name=b ) b.",
      "bitrate", 777, 777000,
      "the encoder two bins deep, the payloader in another" },
};

static void
test_encoder (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_auto (Drive) d = drive_new (
      encoder_rows[row].upstream, "controller=fixed start-bitrate=777777");
  const gchar *property = encoder_rows[row].property;

  g_test_message ("%s", encoder_rows[row].why);
  g_assert_cmpint (number_get (d.send, "encoder-bitrate"), ==, 0);
  gst_element_set_state (d.pipeline, GST_STATE_PAUSED);
  wait_until (number_get (d.encoder, property) == encoder_rows[row].value);
  wait_until (number_get (d.send, "encoder-bitrate")
      == encoder_rows[row].encoder_bitrate);
  g_object_set (d.send, "max-bitrate", 400000, NULL);
  wait_until (number_get (d.send, "encoder-bitrate") == 400000);
  /* 0.75 % less: not worth an encoder's reconfiguration. */
  g_object_set (d.send, "max-bitrate", 397000, NULL);
  wait_until (number_get (d.send, "estimated-bitrate") == 397000);
  g_object_set (d.send, "max-bitrate", 300000, NULL);
  wait_until (number_get (d.send, "encoder-bitrate") == 300000);
}

/* A recording of the same encoder goes on with what the application had set, and the next
 * start is as the first. */
static void
test_encoder_left (void)
{
  g_auto (Drive) d = drive_new ("x264enc name=enc bitrate=4000 ! rtph264pay",
      "controller=fixed start-bitrate=700000");

  for (guint start = 0; start < 2; start++) {
    gst_element_set_state (d.send, GST_STATE_PAUSED);
    wait_until (number_get (d.encoder, "bitrate") == 700);
    wait_until (number_get (d.send, "encoder-bitrate") == 700000);
    gst_element_set_state (d.send, GST_STATE_READY);
    wait_until (number_get (d.encoder, "bitrate") == 4000);
  }
}

/* A packet of 1,200 bytes carries 1,188; the share is that of all packets while
 * they are fewer than 256: 0.99 of media alone, 0.99 / 65 with 64 packets of
 * another type. */
static const struct
{
  const gchar *name, *caps;
  gint kbps; /* of 10,000 */
  const gchar *why;
} share_rows[] = {
  { "fec", "application/x-rtp,payload=96", 152, "97 is none of the encoder's" },
  { "not-known", "application/x-rtp", 9900, "every packet is the encoder's" },
};

static void
test_encoder_share (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree gchar *upstream = g_strdup_printf (
      "x264enc name=enc ! fakesink async=false appsrc name=src caps=%s",
      share_rows[row].caps);
  g_auto (Drive) d = drive_new (upstream,
      "controller=fixed start-bitrate=20000000 "
      "encoder=enc max-backlog=1000000000");
  g_autoptr (GstElement) src
      = gst_bin_get_by_name (GST_BIN (d.pipeline), "src");
  GstFlowReturn flow;

  g_test_message ("%s", share_rows[row].why);
  gst_element_set_state (d.pipeline, GST_STATE_PLAYING);
  for (guint16 i = 0; i < 65; i++) {
    g_autoptr (GstBuffer) packet = packet_new (SSRC, i, 0, PAYLOAD);

    gst_buffer_memset (packet, 1, i == 0 ? 96 : 97, 1);
    g_signal_emit_by_name (src, "push-buffer", packet, &flow);
  }
  wait_until (stat_of (d.send, "packets-sent") == 65);
  g_object_set (d.send, "max-bitrate", 10000000, NULL);
  wait_until (number_get (d.encoder, "bitrate") == share_rows[row].kbps);
}

/* The name wins over what is upstream. */
static void
test_encoder_named (void)
{
  g_auto (Drive) d = drive_new ("x264enc name=other ! fakesink "
                                "x264enc name=enc ! rtph264pay",
      "controller=fixed start-bitrate=500000 encoder=other");
  g_autoptr (GstElement) other
      = gst_bin_get_by_name (GST_BIN (d.pipeline), "other");
  gint64 untouched = number_get (d.encoder, "bitrate");

  gst_element_set_state (d.pipeline, GST_STATE_PAUSED);
  wait_until (number_get (other, "bitrate") == 500);
  g_assert_cmpint (number_get (d.encoder, "bitrate"), ==, untouched);
  g_object_set (d.send, "encoder", "", NULL);
  wait_until (number_get (d.encoder, "bitrate") == 500);
}

/* Warned of once caps come, once; a name that is none, too. */
static void
test_encoder_missing (void)
{
  g_auto (Send) s = send_new ("controller=fixed start-bitrate=500000");

  wait_until (warnings (&s) == 1);
  gst_harness_set_src_caps_str (s.h, "application/x-rtp,again=1");
  g_object_set (s.element, "encoder", "nobody", NULL);
  wait_until (warnings (&s) == 1);
  g_assert_cmpuint (get_uint (&s, "encoder-bitrate"), ==, 0);
}

#define X264 \
  "videotestsrc ! video/x-raw,format=I420 ! x264enc name=enc tune=zerolatency vbv-buf-capacity=200 ! rtph264pay"

static const struct
{
  const gchar *name, *upstream, *properties, *text;
} missing_rows[] = {
  { "upstream", "videotestsrc ! rtpvrawpay", "",
      "No encoder that can be driven is upstream." },
  { "named", X264, "encoder=nobody",
      "No encoder that can be driven is named 'nobody'." },
  { "some", X264, "encoder=\"nobody, enc, other\"",
      "No encoder that can be driven is named 'nobody, other'." },
  { "property", X264, "encoder-property=pace",
      "No element upstream has a number 'pace' to set." },
  { "both", X264, "encoder=enc encoder-property=pace",
      "No element named 'enc' has a number 'pace' to set." },
};

/* The warning says what was looked for. */
static void
test_missing_text (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_auto (Drive) d
      = drive_new (missing_rows[row].upstream, missing_rows[row].properties);
  g_autoptr (GstBus) bus = gst_element_get_bus (d.pipeline);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  gst_element_set_state (d.pipeline, GST_STATE_PAUSED);
  message = gst_bus_timed_pop_filtered (
      bus, PATIENCE * GST_USECOND, GST_MESSAGE_WARNING);
  g_assert_nonnull (message);
  gst_message_parse_warning (message, &error, NULL);
  g_assert_cmpstr (error->message, ==, missing_rows[row].text);
}

/* 60 kbit/s are too little for this picture, and nothing can make it smaller.  Each new rate
 * drives the encoder. */
static void
test_size_lacks (void)
{
  g_auto (Drive) d = drive_new (
      "videotestsrc is-live=true ! video/x-raw,format=I420,width=640,height=360 ! "
      "x264enc name=enc tune=zerolatency vbv-buf-capacity=200 ! rtph264pay",
      "controller=fixed start-bitrate=60000 circuit-breakers=false "
      "adapt-size=true");
  g_autoptr (GstBus) bus = gst_element_get_bus (d.pipeline);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;
  gint64 end = g_get_monotonic_time () + PATIENCE;

  gst_element_set_state (d.pipeline, GST_STATE_PLAYING);
  for (guint i = 0; !message && g_get_monotonic_time () < end; i++) {
    g_object_set (d.send, "max-bitrate", 59000 + i % 2 * 1000, NULL);
    message = gst_bus_timed_pop_filtered (
        bus, 100 * GST_MSECOND, GST_MESSAGE_WARNING);
  }
  g_assert_nonnull (message);
  gst_message_parse_warning (message, &error, NULL);
  g_assert_cmpstr (error->message, ==,
      "adapt-size finds no way to make the pictures of enc smaller.");
}

#define VIDEO_CAPS "application/x-rtp,media=video,encoding-name=RAW"
#define AUDIO_CAPS "application/x-rtp,media=audio,encoding-name=OPUS"

/* One stream's caps after the other's, without an encoder. */
static const struct
{
  const gchar *name, *caps[2], *settings;
  guint warnings;
  const gchar *why;
} quiet_rows[] = {
  { "audio", { AUDIO_CAPS, AUDIO_CAPS ",x=1" }, "", 0, "no video, no encoder" },
  { "audio-first", { AUDIO_CAPS, VIDEO_CAPS }, "", 1, "video comes later" },
  { "video-first", { VIDEO_CAPS, AUDIO_CAPS }, "", 1, "and before" },
  { "none", { VIDEO_CAPS, AUDIO_CAPS }, "encoder=none", 0, "hands off" },
};

static void
count_notify (GObject *object, GParamSpec *pspec, gpointer n)
{
  g_atomic_int_inc ((gint *) n);
}

static void
free_count (gpointer n, GClosure *closure)
{
  g_free (n);
}

/* A job says the bitrate behind what it does about encoders, so when the third is said
 * the first has ended.  A handler may still run when it is disconnected, so that its
 * closure has the count. */
static void
settle (Send *s, guint rate)
{
  gint *told = g_new0 (gint, 1);
  gulong handler
      = g_signal_connect_data (s->element, "notify::estimated-bitrate",
          G_CALLBACK (count_notify), told, free_count, 0);

  for (gint i = 1; i <= 3; i++) {
    g_object_set (s->element, "max-bitrate", rate - 1000 * (guint) i, NULL);
    wait_until (g_atomic_int_get (told) >= i);
  }
  g_signal_handler_disconnect (s->element, handler);
}

static void
test_encoder_quiet (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree gchar *settings
      = g_strdup_printf ("rtpadaptsend stats-interval=0 controller=fixed "
                         "start-bitrate=500000 %s",
          quiet_rows[row].settings);
  g_auto (Send) s = { .element = gst_parse_launch (settings, NULL) };
  guint n = 0;

  g_test_message ("%s", quiet_rows[row].why);
  gst_object_ref_sink (s.element);
  send_harness_caps (&s, s.element, quiet_rows[row].caps[0]);
  settle (&s, 400000);
  gst_harness_set_src_caps_str (s.h, quiet_rows[row].caps[1]);
  settle (&s, 300000);
  wait_until ((n += warnings (&s)) >= quiet_rows[row].warnings);
  g_assert_cmpuint (n, ==, quiet_rows[row].warnings);
}

/* The bitrate of an encoder that is not driven stays. */
static void
test_encoder_none (void)
{
  g_auto (Drive) d = drive_new ("x264enc name=enc bitrate=321 ! rtph264pay",
      "controller=fixed start-bitrate=500000 encoder=none");

  gst_element_set_state (d.pipeline, GST_STATE_PAUSED);
  wait_until (number_get (d.send, "estimated-bitrate") == 500000);
  g_object_set (d.send, "max-bitrate", 400000, NULL);
  wait_until (number_get (d.send, "estimated-bitrate") == 400000);
  g_assert_cmpint (number_get (d.encoder, "bitrate"), ==, 321);
  g_object_set (d.send, "encoder", "", NULL);
  wait_until (number_get (d.encoder, "bitrate") == 400);
  g_object_set (d.send, "encoder", "none", "max-bitrate", 300000, NULL);
  wait_until (number_get (d.send, "encoder-bitrate") == 0);
  g_assert_cmpint (number_get (d.encoder, "bitrate"), >=, 300);
}

/* As with rtpadaptsink: x264enc on one pad, opusenc on the other. */
static const gchar *const av_rows[] = {
  "videotestsrc is-live=true num-buffers=20 ! video/x-raw,format=I420 ! x264enc tune=zerolatency "
  "name=enc ! rtph264pay ! f. audiotestsrc is-live=true ! opusenc ! "
  "rtpopuspay ! f.",
  "audiotestsrc is-live=true ! opusenc ! rtpopuspay ! f. "
  "videotestsrc is-live=true num-buffers=20 ! video/x-raw,format=I420 ! x264enc tune=zerolatency "
  "name=enc ! rtph264pay ! f.",
};

static void
test_encoder_beside_audio (gconstpointer data)
{
  g_autofree gchar *upstream
      = g_strdup_printf ("%s funnel name=f", av_rows[GPOINTER_TO_UINT (data)]);
  g_auto (Drive) d
      = drive_new (upstream, "controller=fixed start-bitrate=500000");
  g_autoptr (GstBus) bus = gst_element_get_bus (d.pipeline);

  gst_element_set_state (d.pipeline, GST_STATE_PLAYING);
  wait_until (number_get (d.send, "encoder-bitrate") > 0);
  wait_until (stat_of (d.send, "packets-sent") > 20);
  g_assert_null (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING));
}

/* x264enc, which has no caps, and its VBV, ms.  The receiver holds packets for 200 ms. */
static const struct
{
  guint least; /* ms, that it comes down to where packets come early */
  const gchar *fec;
  gboolean unasked; /* FEC goes to it, which does not say that it uses it */
  guint vbv;
  const gchar *why;
} even_rows[] = {
  { 200, "none", TRUE, 200, "it follows nothing" },
  { 20, "none", TRUE, 40, "it follows the path: a frame of 25 in a second" },
  { 20, "fixed", TRUE, 200, "but waits for FEC" },
  { 20, "fixed", FALSE, 40, "but gets none" },
  { 200, "none", TRUE, 200, "it follows no longer" },
};

static void
test_encoder_even (void)
{
  g_autoptr (GstClock) clock = gst_test_clock_new ();
  g_auto (Drive) d;
  g_autoptr (GstElement) session = NULL;
  g_autoptr (GObject) internal = NULL;
  g_autoptr (GstPad) rtcp = NULL;

  gst_system_clock_set_default (clock);
  d = drive_new ("x264enc name=enc ! rtph264pay ! rtpulpfecenc pt=122",
      "controller=fixed start-bitrate=1000000 ! s.send_rtp_sink "
      "rtpsession name=s s.send_rtp_src");
  session = gst_bin_get_by_name (GST_BIN (d.pipeline), "s");
  internal = session_internal (session);
  rtcp = rtcp_feed (gst_element_request_pad_simple (session, "recv_rtcp_sink"));
  gst_element_set_state (d.pipeline, GST_STATE_PAUSED);
  wait_until (session_is_heard (internal));
  wait_until (stat_of (d.send, "fec-made") > 0);
  wait_until (number_get (d.encoder, "vbv-buf-capacity") == 200);
  for (guint i = 0; i < G_N_ELEMENTS (even_rows); i++) {
    Rtcp r = { 0 };

    g_test_message ("%s", even_rows[i].why);
    gst_util_set_object_arg (G_OBJECT (d.send), "fec", even_rows[i].fec);
    put_head (&r, 2, 204, 24); /* feedback/radp.h */
    put (&r, 4, PEER);
    put (&r, 4, 0x52414450);
    put (&r, 4, 200000);
    put (&r, 4, 200000);
    put (&r, 4, even_rows[i].least * 1000);
    g_object_set (d.send, "fec-unasked", even_rows[i].unasked, NULL);
    rtcp_push (rtcp, &r);
    settle (&(Send){ .element = d.send }, 900000 - 100000 * i);
    g_assert_cmpint (
        number_get (d.encoder, "vbv-buf-capacity"), ==, even_rows[i].vbv);
  }
  gst_system_clock_set_default (NULL);
}

/* One of two encoders leads here at a time; both stay in the pipeline. */
#define CAMERA(enc)                                               \
  "videotestsrc is-live=true ! video/x-raw,width=64,height=48 ! " \
  "vp8enc deadline=1 target-bitrate=100000 name=" enc " ! "
static const struct
{
  const gchar *upstream, *why;
} switch_rows[] = {
  { CAMERA ("enc") "rtpvp8pay ! s. " CAMERA ("other") "rtpvp8pay ! s. "
                                                      "input-selector name=s",
      "the second time its caps are known" },
  { CAMERA ("enc") "s. " CAMERA (
        "other") "s. "
                 "input-selector name=s ! rtpvp8pay ! f. audiotestsrc is-live=true ! "
                 "opusenc ! rtpopuspay ! f. funnel name=f",
      "its caps stay the same, and the funnel sends them again and again" },
};

static void
test_encoder_switch (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_auto (Drive) d = drive_new (
      switch_rows[row].upstream, "controller=fixed start-bitrate=2000000");
  GstBin *bin = GST_BIN (d.pipeline);
  g_autoptr (GstElement) other = gst_bin_get_by_name (bin, "other");
  g_autoptr (GstElement) s = gst_bin_get_by_name (bin, "s");

  GLogLevelFlags fatal;

  g_test_message ("%s", switch_rows[row].why);
  /* GStreamer warns where the funnel (1.22) sends the segment of one thread before the caps
   * of the other, which begins at the same time. */
  fatal = g_log_set_always_fatal (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
  g_object_set (s, "active-pad", s->sinkpads->data, NULL);
  gst_element_set_state (d.pipeline, GST_STATE_PLAYING);
  wait_until (number_get (d.encoder, "target-bitrate") >= 1500000
      && stat_of (d.send, "packets-sent") > 0);
  g_object_set (s, "active-pad", s->sinkpads->next->data, NULL);
  wait_until (number_get (other, "target-bitrate") >= 1500000);
  g_object_set (d.send, "max-bitrate", 600000, NULL);
  wait_until (number_get (other, "target-bitrate") <= 600000);
  g_assert_cmpint (number_get (d.encoder, "target-bitrate"), >=, 1500000);
  g_object_set (s, "active-pad", s->sinkpads->data, NULL);
  wait_until (number_get (d.encoder, "target-bitrate") <= 600000);
  gst_element_set_state (d.pipeline, GST_STATE_READY); /* both have their own */
  wait_until (number_get (d.encoder, "target-bitrate") == 100000
      && number_get (other, "target-bitrate") == 100000);
  g_log_set_always_fatal (fatal);
}

typedef struct
{
  GMutex lock;
  GCond cond;
  gboolean blocked, release;
  GThread *thread;
} Gate;

static void
on_bitrate (GObject *object, GParamSpec *pspec, gpointer data)
{
  Gate *gate = data;

  g_mutex_lock (&gate->lock);
  gate->blocked = TRUE;
  gate->thread = g_thread_self ();
  g_cond_broadcast (&gate->cond);
  while (!gate->release)
    g_cond_wait (&gate->cond, &gate->lock);
  g_mutex_unlock (&gate->lock);
}

/* An encoder that does not return holds nobody up, and gets the last value of
 * those that came meanwhile.  Neither does an application that is notified, and the
 * encoder has what it is notified of by then. */
static void
test_encoder_blocks (gconstpointer application)
{
  g_auto (Drive) d = drive_new ("x264enc name=enc ! rtph264pay",
      "controller=fixed start-bitrate=2000000");
  static Gate gates[2]; /* the handler may be the last to go */
  Gate *gate = &gates[GPOINTER_TO_UINT (application)];
  GstElement *who = application ? d.send : d.encoder;
  gulong handler = g_signal_connect (who,
      application ? "notify::estimated-bitrate" : "notify::bitrate",
      G_CALLBACK (on_bitrate), gate);
  gint64 end = g_get_monotonic_time () + PATIENCE;

  gst_element_set_state (d.pipeline, GST_STATE_PAUSED);
  g_mutex_lock (&gate->lock);
  while (!gate->blocked)
    g_assert_true (g_cond_wait_until (&gate->cond, &gate->lock, end));
  g_mutex_unlock (&gate->lock);
  g_assert_true (gate->thread != g_thread_self ());
  g_assert_cmpint (number_get (d.encoder, "bitrate"), ==, 2000);
  for (guint rate = 1900000; rate >= 1000000; rate -= 100000) {
    g_object_set (d.send, "max-bitrate", rate, NULL);
    g_assert_cmpint (number_get (d.send, "estimated-bitrate"), ==, rate);
  }
  g_mutex_lock (&gate->lock);
  gate->release = TRUE;
  g_cond_broadcast (&gate->cond);
  g_mutex_unlock (&gate->lock);
  wait_until (number_get (d.encoder, "bitrate") == 1000);
  wait_until (number_get (d.send, "encoder-bitrate") == 1000000);
  g_signal_handler_disconnect (who, handler);
}

/* Frames of noise, which no encoder makes small, and a clock that stands still: what
 * comes out of the encoder waits for the pacer. */
static const struct
{
  const gchar *name, *properties;
  gboolean skipped, dropped;
  const gchar *why;
} skip_rows[] = {
  { "behind", "frame-skip=0", FALSE, TRUE, "the last resort" },
  { "flush", "", TRUE, FALSE, "the encoder gets none until a flush" },
  { "relink", "", TRUE, FALSE, "or until downstream is another" },
};

static GstPadProbeReturn
mark_came (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))
      == GST_EVENT_CUSTOM_DOWNSTREAM)
    g_atomic_int_inc ((gint *) data);
  return GST_PAD_PROBE_OK;
}

/* Until the encoder is done with all frames: a packet that nobody takes would end the
 * source. */
static void
frames_pass (Drive *d, GstElement *src)
{
  g_autoptr (GstElement) enc
      = gst_bin_get_by_name (GST_BIN (d->pipeline), "enc");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (enc, "sink");
  gint came = 0;
  gulong probe = gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, mark_came, &came, NULL);

  gst_element_send_event (src,
      gst_event_new_custom (
          GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty ("mark")));
  wait_until (g_atomic_int_get (&came) > 0);
  gst_pad_remove_probe (pad, probe);
}

/* No packet comes that would say that nothing waits any more. */
static void
waiting_drop (Drive *d, GstElement *src, GstTestClock *clock, const gchar *how)
{
  g_autoptr (GstElement) out
      = gst_bin_get_by_name (GST_BIN (d->pipeline), "out");

  if (g_str_equal (how, "flush")) {
    gst_element_send_event (src, gst_event_new_flush_start ());
    gst_element_send_event (src, gst_event_new_flush_stop (TRUE));
    return;
  }
  frames_pass (d, src);
  gst_element_unlink (d->send, out);
  wait_until (stat_of (d->send, "backlog") == 0
      || (gst_test_clock_peek_id_count (clock) > 0
          && !gst_test_clock_crank (clock)));
  g_assert_true (gst_element_link (d->send, out));
}

static void
noise_push (GstElement *src, GRand *noise, guint i)
{
  g_autoptr (GstBuffer) frame
      = gst_buffer_new_allocate (NULL, 160 * 120 * 3 / 2, NULL);
  GstFlowReturn flow;
  GstMapInfo map;

  g_assert_true (gst_buffer_map (frame, &map, GST_MAP_WRITE));
  for (gsize k = 0; k < map.size; k++)
    map.data[k] = (guint8) g_rand_int (noise);
  gst_buffer_unmap (frame, &map);
  GST_BUFFER_PTS (frame) = i * 40 * GST_MSECOND;
  GST_BUFFER_DURATION (frame) = 40 * GST_MSECOND;
  g_signal_emit_by_name (src, "push-buffer", frame, &flow);
}

static void
test_encoder_skip (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree gchar *properties = g_strdup_printf (
      "controller=fixed start-bitrate=100000 %s", skip_rows[row].properties);
  g_auto (Drive) d
      = drive_new ("appsrc name=src is-live=true format=time block=true "
                   "max-buffers=1 caps=video/x-raw,format=I420,width=160,"
                   "height=120,framerate=25/1 ! "
                   "x264enc name=enc tune=zerolatency threads=1 "
                   "vbv-buf-capacity=200 ! rtph264pay mtu=200",
          properties);
  g_autoptr (GstElement) src
      = gst_bin_get_by_name (GST_BIN (d.pipeline), "src");
  g_autoptr (GstElement) out
      = gst_bin_get_by_name (GST_BIN (d.pipeline), "out");
  g_autoptr (GstClock) clock = gst_test_clock_new ();
  g_autoptr (GRand) noise = g_rand_new_with_seed (1);
  gint64 sent;

  g_test_message ("%s", skip_rows[row].why);
  /* gst_element_send_event() has the source's state lock.  A sink that is async, and flushed,
   * asks for the pipeline's then, which GStreamer's thread has that continues the change to
   * PLAYING and asks for the source's. */
  g_object_set (out, "async", FALSE, NULL);
  gst_pipeline_use_clock (GST_PIPELINE (d.pipeline), clock);
  gst_element_set_state (d.pipeline, GST_STATE_PLAYING);
  wait_until (number_get (d.send, "encoder-bitrate") > 0);
  for (guint i = 0; i < 30; i++)
    noise_push (src, noise, i);
  if (skip_rows[row].skipped)
    wait_until (stat_of (d.send, "frames-skipped") > 0);
  if (skip_rows[row].dropped)
    wait_until (stat_of (d.send, "dropped-frames") > 0);
  g_assert_cmpint (
      stat_of (d.send, "frames-skipped") > 0, ==, skip_rows[row].skipped);
  g_assert_cmpint (
      stat_of (d.send, "dropped-frames") > 0, ==, skip_rows[row].dropped);
  if (!skip_rows[row].skipped)
    return;
  waiting_drop (&d, src, GST_TEST_CLOCK (clock), skip_rows[row].name);
  sent = stat_of (d.send, "packets-sent");
  noise_push (src, noise, 30);
  wait_until (stat_of (d.send, "backlog") > 0
      || stat_of (d.send, "packets-sent") > sent);
  gst_element_set_state (d.send, GST_STATE_READY);
  gst_element_set_state (d.send, GST_STATE_PAUSED);
  g_assert_cmpint (stat_of (d.send, "frames-skipped"), ==, 0);
}

void
tests_add (void)
{
  rows_add_by ("/rtpadaptsend/encoder", encoder_rows, name, test_encoder);
  rows_add_by (
      "/rtpadaptsend/encoder/share", share_rows, name, test_encoder_share);
  g_test_add_func ("/rtpadaptsend/encoder/left", test_encoder_left);
  g_test_add_func ("/rtpadaptsend/encoder/named", test_encoder_named);
  g_test_add_func ("/rtpadaptsend/encoder/missing", test_encoder_missing);
  g_test_add_func ("/rtpadaptsend/encoder/size-lacks", test_size_lacks);
  rows_add_by ("/rtpadaptsend/encoder/missing-text", missing_rows, name,
      test_missing_text);
  rows_add_by (
      "/rtpadaptsend/encoder/quiet", quiet_rows, name, test_encoder_quiet);
  g_test_add_func ("/rtpadaptsend/encoder/none", test_encoder_none);
  rows_add (
      "/rtpadaptsend/encoder/beside-audio", av_rows, test_encoder_beside_audio);
  g_test_add_func ("/rtpadaptsend/encoder/even", test_encoder_even);
  rows_add ("/rtpadaptsend/encoder/switch", switch_rows, test_encoder_switch);
  rows_add_n ("/rtpadaptsend/encoder/blocks", 2, test_encoder_blocks);
  rows_add_by (
      "/rtpadaptsend/encoder/skip", skip_rows, name, test_encoder_skip);
}
