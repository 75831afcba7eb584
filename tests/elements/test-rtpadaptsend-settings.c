/* rtpadaptsend: properties and statistics.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "send-fixture.h"
#include "../rows.h"

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
  { "second-name", "start-bitrate=900000 estimated-bitrate=300000", 300000, 0,
      "as applications set rtpgccbwe's" },
  { "second-name-below-min", "estimated-bitrate=1000 min-bitrate=50000", 50000,
      0, "the start rate is moved" },
};

static void
test_limits (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree gchar *properties = g_strdup_printf (
      "controller=fixed encoder=none %s", limit_rows[row].properties);
  g_auto (Send) s = send_new (properties);
  guint seen = 0;

  g_test_message ("%s", limit_rows[row].why);
  g_assert_cmpuint (
      get_uint (&s, "estimated-bitrate"), ==, limit_rows[row].expected);
  wait_until ((seen += warnings (&s)) == limit_rows[row].warnings);
}

static void
test_limits_playing (void)
{
  g_auto (Send) s = send_new ("controller=tfrc start-bitrate=500000");

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
}

/* Of settings that are taken at the start a warning names the one that was set late. */
static void
test_late_name (void)
{
  g_auto (Send) s = send_new ("encoder=none burst=1000000");

  g_object_set (s.element, "burst", G_GUINT64_CONSTANT (0), NULL);
  g_assert_cmpuint (warnings (&s), ==, 1);
  g_object_set (s.element, "start-bitrate", 500000, NULL); /* as it was */
  g_assert_cmpuint (warnings (&s), ==, 0);
  g_object_set (s.element, "start-bitrate", 600000, NULL);
  g_assert_cmpuint (warnings (&s), ==, 1);
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
  g_auto (Send) s = send_new ("start-bitrate=960000 burst=0");
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
  g_auto (Send) s = send_new ("controller=tfrc lda=zigzag");
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

  s = send_new ("lda-params=nonsense=1");
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
  g_auto (Send) s = send_new ("controller=fixed start-bitrate=500000");

  g_object_set (s.element, "stats-interval", 100 * GST_MSECOND, NULL);
  for (guint i = 1; i <= 3; i++) {
    g_autoptr (GstMessage) message = NULL;

    crank (&s);
    message = gst_bus_timed_pop_filtered (
        s.bus, PATIENCE * GST_USECOND, GST_MESSAGE_ELEMENT);
    g_assert_nonnull (message);
    g_assert_true (gst_structure_has_name (gst_message_get_structure (message),
        "application/x-rtpadaptsend-stats"));
    g_assert_cmpuint (time_now (&s) - START, ==, i * 100 * GST_MSECOND);
  }
  g_object_set (s.element, "stats-interval", G_GUINT64_CONSTANT (0), NULL);
  wait_until (gst_test_clock_peek_id_count (s.clock) == 0);
}

static void
test_stats_fields (void)
{
  static const gchar *const fields[] = { "estimated-bitrate", "encoder-bitrate",
    "packets-sent", "bytes-sent", "backlog", "dropped", "dropped-frames", "rtt",
    "queue", "recv-bitrate", "p", "feedback", "feedback-bad",
    "feedback-unmapped", "feedback-doubtful", "congestion-losses",
    "wireless-losses", "loss-events", "known-congestion", "known-wireless",
    "misread-congestion", "misread-wireless", "controller", "lda", "observe",
    "time" };
  g_auto (Send) s = send_new ("");
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
}

void
tests_add (void)
{
  rows_add_by ("/rtpadaptsend/limits", limit_rows, name, test_limits);
  g_test_add_func ("/rtpadaptsend/limits/playing", test_limits_playing);
  g_test_add_func ("/rtpadaptsend/settings/late-name", test_late_name);
  g_test_add_data_func (
      "/rtpadaptsend/switch/controller", "controller", test_switch);
  g_test_add_data_func ("/rtpadaptsend/switch/lda", "lda", test_switch);
  rows_add_by ("/rtpadaptsend/bad-params", params_rows, name, test_bad_params);
  g_test_add_func ("/rtpadaptsend/params-at-start", test_params_at_start);
  g_test_add_func ("/rtpadaptsend/stats/messages", test_stats_messages);
  g_test_add_func ("/rtpadaptsend/stats/fields", test_stats_fields);
}
