/* rtpadaptsend: properties, statistics and the encoder.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "send-fixture.h"

/* --- the encoder -------------------------------------------------------- */

typedef struct
{
  GstElement *pipeline, *send, *encoder;
} Drive;

/* `upstream` makes the encoder "enc" and what stands behind it. */
static Drive
drive_new (const gchar *upstream, const gchar *properties)
{
  g_autofree gchar *line = g_strdup_printf (
      "%s ! rtpadaptsend name=send stats-interval=0 %s ! fakesink", upstream,
      properties);
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

static guint
uint_of (GstElement *element, const gchar *property)
{
  guint value;

  g_object_get (element, property, &value, NULL);
  return value;
}

static gint
int_of (GstElement *element, const gchar *property)
{
  gint value;

  g_object_get (element, property, &value, NULL);
  return value;
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
};

static void
test_encoder (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  Drive d = drive_new (
      encoder_rows[row].upstream, "controller=fixed start-bitrate=777777");
  const gchar *property = encoder_rows[row].property;

  g_test_message ("%s", encoder_rows[row].why);
  g_assert_cmpuint (uint_of (d.send, "encoder-bitrate"), ==, 0);
  gst_element_set_state (d.pipeline, GST_STATE_PAUSED);
  wait_until (int_of (d.encoder, property) == encoder_rows[row].value);
  wait_until (
      uint_of (d.send, "encoder-bitrate") == encoder_rows[row].encoder_bitrate);
  g_object_set (d.send, "max-bitrate", 400000, NULL);
  wait_until (uint_of (d.send, "encoder-bitrate") == 400000);
  /* 0.75 % less: not worth an encoder's reconfiguration. */
  g_object_set (d.send, "max-bitrate", 397000, NULL);
  wait_until (uint_of (d.send, "estimated-bitrate") == 397000);
  g_object_set (d.send, "max-bitrate", 300000, NULL);
  wait_until (uint_of (d.send, "encoder-bitrate") == 300000);
  drive_free (&d);
}

static GstElement *
bin_new (const gchar *line)
{
  GstElement *bin = gst_parse_bin_from_description (line, TRUE, NULL);

  g_assert_nonnull (bin);
  return bin;
}

/* The encoder two bins deep, the element in a bin of its own. */
static void
test_encoder_in_bin (void)
{
  GstElement *pipeline = gst_pipeline_new (NULL);
  GstElement *inner = bin_new ("x264enc name=enc ! h264parse");
  GstElement *outer = gst_bin_new (NULL);
  GstElement *send = bin_new (
      "rtph264pay ! rtpadaptsend controller=fixed start-bitrate=500000");
  GstElement *encoder = gst_bin_get_by_name (GST_BIN (inner), "enc");
  GstPad *pad = gst_element_get_static_pad (inner, "src");

  gst_bin_add (GST_BIN (outer), inner);
  gst_element_add_pad (outer, gst_ghost_pad_new ("src", pad));
  gst_object_unref (pad);
  gst_bin_add_many (GST_BIN (pipeline), outer, send, NULL);
  g_assert_true (gst_element_link (outer, send));
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  wait_until (uint_of (encoder, "bitrate") == 500);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (encoder);
  gst_object_unref (pipeline);
}

/* The name wins over what is upstream. */
static void
test_encoder_named (void)
{
  Drive d = drive_new ("x264enc name=other ! fakesink "
                       "x264enc name=enc ! rtph264pay",
      "controller=fixed start-bitrate=500000 encoder=other");
  GstElement *other = gst_bin_get_by_name (GST_BIN (d.pipeline), "other");
  guint untouched = uint_of (d.encoder, "bitrate");

  gst_element_set_state (d.pipeline, GST_STATE_PAUSED);
  wait_until (uint_of (other, "bitrate") == 500);
  g_assert_cmpuint (uint_of (d.encoder, "bitrate"), ==, untouched);
  g_object_set (d.send, "encoder", "", NULL);
  wait_until (uint_of (d.encoder, "bitrate") == 500);
  gst_object_unref (other);
  drive_free (&d);
}

/* Warned of once caps come, once; a name that is none, too. */
static void
test_encoder_missing (void)
{
  Send s = send_new ("controller=fixed start-bitrate=500000");

  wait_until (warnings (&s) == 1);
  gst_harness_set_src_caps_str (s.h, "application/x-rtp,again=1");
  g_object_set (s.element, "encoder", "nobody", NULL);
  wait_until (warnings (&s) == 1);
  g_assert_cmpuint (get_uint (&s, "encoder-bitrate"), ==, 0);
  send_free (&s);
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
 * those that came meanwhile. */
static void
test_encoder_blocks (void)
{
  Drive d = drive_new ("x264enc name=enc ! rtph264pay",
      "controller=fixed start-bitrate=2000000");
  Gate gate = { 0 };
  gulong handler = g_signal_connect (
      d.encoder, "notify::bitrate", G_CALLBACK (on_bitrate), &gate);

  gst_element_set_state (d.pipeline, GST_STATE_PAUSED);
  g_mutex_lock (&gate.lock);
  while (!gate.blocked)
    g_cond_wait (&gate.cond, &gate.lock);
  g_mutex_unlock (&gate.lock);
  g_assert_true (gate.thread != g_thread_self ());
  for (guint rate = 1900000; rate >= 1000000; rate -= 100000) {
    g_object_set (d.send, "max-bitrate", rate, NULL);
    g_assert_cmpuint (uint_of (d.send, "estimated-bitrate"), ==, rate);
  }
  g_mutex_lock (&gate.lock);
  gate.release = TRUE;
  g_cond_broadcast (&gate.cond);
  g_mutex_unlock (&gate.lock);
  wait_until (uint_of (d.encoder, "bitrate") == 1000);
  wait_until (uint_of (d.send, "encoder-bitrate") == 1000000);
  g_signal_handler_disconnect (d.encoder, handler);
  drive_free (&d);
}

/* --- settings ----------------------------------------------------------- */

/* A set of limits in any order is no error; min above max is told. */
static const struct
{
  const gchar *name, *properties;
  guint expected, warnings;
  const gchar *why;
} limit_rows[] = {
  { "start-below-min", "start-bitrate=1000 min-bitrate=50000", 50000, 0,
      "the start rate is moved" },
  { "start-above-max", "start-bitrate=900000 max-bitrate=200000", 200000, 0,
      "the start rate is moved" },
  { "min-above-max", "min-bitrate=300000 max-bitrate=200000", 200000, 1,
      "both become max" },
  { "max-first", "max-bitrate=200000 min-bitrate=300000", 200000, 1,
      "in whatever order they are set" },
};

static void
test_limits (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree gchar *properties = g_strdup_printf (
      "controller=fixed encoder=none %s", limit_rows[row].properties);
  Send s = send_new (properties);
  guint seen = 0;

  g_test_message ("%s", limit_rows[row].why);
  g_assert_cmpuint (
      get_uint (&s, "estimated-bitrate"), ==, limit_rows[row].expected);
  /* One more: there is no encoder. */
  wait_until ((seen += warnings (&s)) == limit_rows[row].warnings + 1);
  send_free (&s);
}

static void
test_limits_playing (void)
{
  Send s = send_new ("controller=tfrc start-bitrate=500000");

  wait_until (warnings (&s) == 1); /* no encoder */
  g_object_set (s.element, "max-bitrate", 400000, NULL);
  g_assert_cmpuint (get_uint (&s, "estimated-bitrate"), ==, 400000);
  g_assert_cmpuint (warnings (&s), ==, 0);
  g_object_set (s.element, "min-bitrate", 450000, NULL);
  g_assert_cmpuint (get_uint (&s, "estimated-bitrate"), ==, 400000);
  g_assert_cmpuint (warnings (&s), ==, 1);
  g_object_set (s.element, "max-bitrate", 600000, NULL);
  g_assert_cmpuint (get_uint (&s, "estimated-bitrate"), >=, 450000);
  g_assert_cmpuint (get_uint (&s, "estimated-bitrate"), <=, 600000);
  g_assert_cmpuint (warnings (&s), ==, 0);
  send_free (&s);
}

static gchar *
get_string (Send *s, const gchar *property)
{
  gchar *value;

  g_object_get (s->element, property, &value, NULL);
  return value;
}

static gchar *
stat_string (Send *s, const gchar *field)
{
  g_autoptr (GstStructure) stats = NULL;

  g_object_get (s->element, "stats", &stats, NULL);
  return g_strdup (gst_structure_get_string (stats, field));
}

/* Every algorithm there is, one after the other, while packets flow. */
static void
test_switch (gconstpointer data)
{
  const gchar *property = data;
  Send s = send_new ("start-bitrate=960000 burst=0");
  GParamSpecEnum *pspec = G_PARAM_SPEC_ENUM (
      g_object_class_find_property (G_OBJECT_GET_CLASS (s.element), property));

  for (guint i = 0; i < pspec->enum_class->n_values; i++) {
    const GEnumValue *value = &pspec->enum_class->values[i];
    g_autofree gchar *nick = NULL;

    g_assert_true (*value->value_name && *value->value_nick);
    gst_util_set_object_arg (G_OBJECT (s.element), property, value->value_nick);
    nick = stat_string (&s, property);
    g_assert_cmpstr (nick, ==, value->value_nick);
    /* A new controller begins at the present rate. */
    g_assert_cmpuint (get_uint (&s, "estimated-bitrate"), ==, 960000);
    send_paced (&s, i, 3);
  }
  send_free (&s);
}

static const struct
{
  const gchar *name, *property, *bad;
} params_rows[] = {
  { "lda-unknown", "lda-params", "nonsense=1" },
  { "lda-value", "lda-params", "alpha=apple" },
  { "controller-unknown", "controller-params", "nonsense=1" },
  { "controller-range", "controller-params", "oscillation=7" },
};

/* A warning, and the old algorithm goes on with its old parameters. */
static void
test_bad_params (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  const gchar *property = params_rows[row].property;
  Send s = send_new ("controller=tfrc lda=zigzag");
  g_autofree gchar *text = NULL, *lda = NULL, *controller = NULL;

  wait_until (warnings (&s) == 1); /* no encoder */
  g_object_set (s.element, property, params_rows[row].bad, NULL);
  g_assert_cmpuint (warnings (&s), ==, 1);
  text = get_string (&s, property);
  g_assert_cmpstr (text, ==, "");
  lda = stat_string (&s, "lda");
  controller = stat_string (&s, "controller");
  g_assert_cmpstr (lda, ==, "zigzag");
  g_assert_cmpstr (controller, ==, "tfrc");
  g_object_set (s.element, property, NULL, NULL);
  g_assert_cmpuint (warnings (&s), ==, 0);
  send_free (&s);
}

/* Before the start in any order; a text that fits nothing gives defaults. */
static void
test_params_at_start (void)
{
  Send s = send_new ("controller-params=oscillation=0 controller=tfrc");
  g_autofree gchar *good = get_string (&s, "controller-params");
  g_autofree gchar *bad = NULL;
  guint seen = 0;

  g_assert_cmpstr (good, ==, "oscillation=0");
  send_free (&s);

  s = send_new ("lda-params=nonsense=1 encoder=none");
  bad = get_string (&s, "lda-params");
  g_assert_cmpstr (bad, ==, "");
  wait_until ((seen += warnings (&s)) == 2); /* it, and no encoder */
  push_packet (&s, 0);
  pull_packet (&s);
  send_free (&s);
}

/* --- statistics --------------------------------------------------------- */

static void
test_stats_messages (void)
{
  Send s = send_new ("controller=fixed start-bitrate=500000");

  g_object_set (s.element, "stats-interval", 100 * GST_MSECOND, NULL);
  for (guint i = 1; i <= 3; i++) {
    GstMessage *message;

    crank (&s);
    message = gst_bus_timed_pop_filtered (
        s.bus, 10 * GST_SECOND, GST_MESSAGE_ELEMENT);
    g_assert_nonnull (message);
    g_assert_true (gst_structure_has_name (gst_message_get_structure (message),
        "application/x-rtpadaptsend-stats"));
    g_assert_cmpuint (time_now (&s) - START, ==, i * 100 * GST_MSECOND);
    gst_message_unref (message);
  }
  g_object_set (s.element, "stats-interval", G_GUINT64_CONSTANT (0), NULL);
  wait_until (gst_test_clock_peek_id_count (s.clock) == 0);
  send_free (&s);
}

static void
test_stats_fields (void)
{
  static const gchar *const fields[] = { "estimated-bitrate", "encoder-bitrate",
    "packets-sent", "bytes-sent", "backlog", "dropped", "dropped-frames", "rtt",
    "queue", "recv-bitrate", "p", "feedback", "feedback-bad",
    "feedback-unmapped", "congestion-losses", "wireless-losses", "loss-events",
    "known-congestion", "known-wireless", "misread-congestion",
    "misread-wireless", "controller", "lda", "observe", "time" };
  Send s = send_new ("");
  g_autoptr (GstStructure) stats = NULL;
  g_autofree gchar *text = NULL;
  g_autoptr (GstStructure) parsed = NULL;

  g_object_get (s.element, "stats", &stats, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    if (!gst_structure_has_field (stats, fields[i]))
      g_error ("no field %s", fields[i]);
  }
  g_assert_cmpint (stat (&s, "queue"), ==, -1);
  text = gst_structure_to_string (stats);
  parsed = gst_structure_from_string (text, NULL);
  g_assert_nonnull (parsed);
  send_free (&s);
}

static void
add_row (const gchar *group, const gchar *name, guint row, GTestDataFunc f)
{
  g_autofree gchar *path = g_strdup_printf ("/rtpadaptsend/%s/%s", group, name);

  g_test_add_data_func (path, GUINT_TO_POINTER (row), f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (encoder_rows); i++)
    add_row ("encoder", encoder_rows[i].name, i, test_encoder);
  g_test_add_func ("/rtpadaptsend/encoder/in-bin", test_encoder_in_bin);
  g_test_add_func ("/rtpadaptsend/encoder/named", test_encoder_named);
  g_test_add_func ("/rtpadaptsend/encoder/missing", test_encoder_missing);
  g_test_add_func ("/rtpadaptsend/encoder/blocks", test_encoder_blocks);
  for (guint i = 0; i < G_N_ELEMENTS (limit_rows); i++)
    add_row ("limits", limit_rows[i].name, i, test_limits);
  g_test_add_func ("/rtpadaptsend/limits/playing", test_limits_playing);
  g_test_add_data_func (
      "/rtpadaptsend/switch/controller", "controller", test_switch);
  g_test_add_data_func ("/rtpadaptsend/switch/lda", "lda", test_switch);
  for (guint i = 0; i < G_N_ELEMENTS (params_rows); i++)
    add_row ("bad-params", params_rows[i].name, i, test_bad_params);
  g_test_add_func ("/rtpadaptsend/params-at-start", test_params_at_start);
  g_test_add_func ("/rtpadaptsend/stats/messages", test_stats_messages);
  g_test_add_func ("/rtpadaptsend/stats/fields", test_stats_fields);
  return g_test_run ();
}
