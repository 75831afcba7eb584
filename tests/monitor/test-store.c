/* rtpadapt-monitor: lines to points, and what a viewer is told of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "line-fixture.h"
#include "store.h"

#define SECOND G_USEC_PER_SEC
#define T0 (1000 * SECOND)

static gboolean
take (Store *store, const gchar *line, gint64 now_us)
{
  return store_take_line (store, line, strlen (line), 1, now_us);
}

static gboolean
take_stats (Store *store, const gchar *kind, gint64 time_us, const gchar *stats)
{
  g_autofree gchar *line = line_new (kind, time_us, stats);

  return take (store, line, time_us);
}

/* --- points -------------------------------------------------------------- */

/* Two messages half a second apart; the second one's point.  A number that is
 * not named is unknown. */
static const struct
{
  const gchar *why, *kind, *first, *second;
  struct
  {
    PointField field;
    gdouble value;
  } want[8];
} points[] = {
  { "bitrates are bit/s as they are", "send", "{}",
      "{\"estimated-bitrate\":2810000,\"encoder-bitrate\":2300000,"
      "\"recv-bitrate\":2600000}",
      { { POINT_ESTIMATED_BPS, 2810000 }, { POINT_ENCODER_BPS, 2300000 },
          { POINT_RECEIVED_BPS, 2600000 } } },
  /* 100,000 bytes in .5 s: 800,000 bits twice a second */
  { "sent is what left since the message before", "send",
      "{\"bytes-sent\":50000,\"packets-sent\":50}",
      "{\"bytes-sent\":150000,\"packets-sent\":150}",
      { { POINT_SENT_BPS, 1600000 }, { POINT_PACKETS, 100 } } },
  { "nanoseconds become milliseconds", "send", "{}",
      "{\"queue\":12500000,\"rtt\":53000000,\"backlog\":0}",
      { { POINT_QUEUE_MS, 12.5 }, { POINT_RTT_MS, 53 },
          { POINT_BACKLOG_MS, 0 } } },
  { "-1 ns and a round trip of 0 are unknown", "send", "{}",
      "{\"queue\":-1,\"rtt\":0,\"encoder-bitrate\":0}", { { POINT_N } } },
  { "a verdict counts in the interval in which it came", "send",
      "{\"congestion-losses\":10,\"wireless-losses\":20}",
      "{\"congestion-losses\":11,\"wireless-losses\":27}",
      { { POINT_CONGESTION, 1 }, { POINT_WIRELESS, 7 } } },
  { "a counter that went back tells nothing", "send",
      "{\"congestion-losses\":10,\"bytes-sent\":9}",
      "{\"congestion-losses\":2,\"bytes-sent\":8}", { { POINT_N } } },
  { "the level of FEC", "send", "{}", "{\"fec-percentage\":38}",
      { { POINT_FEC_PERCENT, 38 } } },
  { "a receiver's own word in RADP", "send", "{}",
      "{\"peer\":{\"delayed\":0.25}}", { { POINT_DELAYED_ALL, .25 } } },
  /* 2 late of the 8 that came, of 10 that were sent */
  { "the receiver judges, whatever the kind of feedback is called", "recv",
      "{\"receiver-judges\":true,\"expected\":0,\"packets\":0,\"delayed\":1,"
      "\"congestion-losses\":0,\"wireless-losses\":0}",
      "{\"receiver-judges\":true,\"expected\":10,\"packets\":8,\"delayed\":3,"
      "\"congestion-losses\":2,\"wireless-losses\":0,\"delayed-ratio\":0.125}",
      { { POINT_PACKETS, 10 }, { POINT_CONGESTION, 2 }, { POINT_WIRELESS, 0 },
          { POINT_DELAYED, .25 }, { POINT_DELAYED_ALL, .125 } } },
  { "and its sender has these verdicts from it", "send",
      "{\"receiver-judges\":true,\"peer\":"
      "{\"congestion-losses\":1,\"wireless-losses\":1}}",
      "{\"receiver-judges\":true,\"congestion-losses\":0,\"peer\":"
      "{\"congestion-losses\":3,\"wireless-losses\":4}}",
      { { POINT_CONGESTION, 2 }, { POINT_WIRELESS, 3 } } },
  { "with twcc the sender judges, and its verdicts are not known", "recv",
      "{\"feedback\":\"twcc\",\"congestion-losses\":1,\"wireless-losses\":1}",
      "{\"feedback\":\"twcc\",\"congestion-losses\":3,\"wireless-losses\":4}",
      { { POINT_UNJUDGED, 5 } } },
  { "rtpadaptsrc tells of its receiver", "src",
      "{\"receiver\":{\"receiver-judges\":true,\"wireless-losses\":1,"
      "\"congestion-losses\":0}}",
      "{\"residual-loss\":0.5,\"receiver\":{\"receiver-judges\":true,"
      "\"recv-bitrate\":1000,\"wireless-losses\":2,\"congestion-losses\":0}}",
      { { POINT_RESIDUAL, .5 }, { POINT_RECEIVED_BPS, 1000 },
          { POINT_WIRELESS, 1 }, { POINT_CONGESTION, 0 } } },
  { "what is no number is unknown", "send", "{}",
      "{\"estimated-bitrate\":\"2M\",\"queue\":null,\"rtt\":[],"
      "\"peer\":7,\"backlog\":true}",
      { { POINT_N } } },
};

static void
test_points (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (points); i++) {
    Store *store = store_new (NULL, T0);
    gdouble want[POINT_N];
    const Point *last;

    g_test_message ("%s", points[i].why);
    for (guint f = 0; f < POINT_N; f++)
      want[f] = UNKNOWN;
    for (guint j = 0; j < 8; j++) {
      if (points[i].want[j].field != POINT_N
          && (j == 0 || points[i].want[j].field > 0))
        want[points[i].want[j].field] = points[i].want[j].value;
    }
    g_assert_true (take_stats (store, points[i].kind, T0, points[i].first));
    g_assert_true (
        take_stats (store, points[i].kind, T0 + SECOND / 2, points[i].second));
    g_assert_cmpuint (store->sources->len, ==, 1);
    last = source_last (g_ptr_array_index (store->sources, 0));
    for (guint f = 0; f < POINT_N; f++) {
      g_test_message ("%s %g %g", point_names[f], last->value[f], want[f]);
      g_assert_true (isnan (want[f]) == isnan (last->value[f]));
      if (!isnan (want[f]))
        g_assert_cmpfloat_with_epsilon (last->value[f], want[f], 1e-9);
    }
    store_free (store);
  }
}

/* --- bad lines ----------------------------------------------------------- */

#define GOOD_UNTIL_KIND \
  "{\"version\":1,\"program\":\"p\",\"pid\":7,\"element\":\"e\","
#define TIMES "\"time_us\":1000000000,\"dropped\":0,"

static const struct
{
  const gchar *why, *line;
} bad[] = {
  { "nothing", "" },
  { "no JSON", "hello" },
  { "cut", "{\"version\":1,\"program\":\"p\"" },
  { "no object", "[1,2]" },
  { "another version",
      "{\"version\":2,\"program\":\"p\",\"pid\":7,\"element\":\"e\","
      "\"kind\":\"send\"," TIMES "\"stats\":{}}" },
  { "no kind", GOOD_UNTIL_KIND TIMES "\"stats\":{}}" },
  { "an unknown kind",
      GOOD_UNTIL_KIND "\"kind\":\"link\"," TIMES "\"stats\":{}}" },
  { "a number for a text",
      GOOD_UNTIL_KIND "\"kind\":7," TIMES "\"stats\":{}}" },
  { "no statistics", GOOD_UNTIL_KIND "\"kind\":\"send\"," TIMES "\"x\":1}" },
  { "statistics that are a list",
      GOOD_UNTIL_KIND "\"kind\":\"send\"," TIMES "\"stats\":[]}" },
  { "a negative pid",
      "{\"version\":1,\"program\":\"p\",\"pid\":-7,\"element\":\"e\","
      "\"kind\":\"send\"," TIMES "\"stats\":{}}" },
  { "a time to come",
      GOOD_UNTIL_KIND "\"kind\":\"send\",\"time_us\":1002000000,\"dropped\":0,"
                      "\"stats\":{}}" },
  { "a time long ago",
      GOOD_UNTIL_KIND "\"kind\":\"send\",\"time_us\":1,\"dropped\":0,"
                      "\"stats\":{}}" },
  { "no UTF-8", "{\"version\":1,\"program\":\"\xff\"}" },
};

static void
test_bad (void)
{
  Store *store = store_new (NULL, T0);
  g_autofree gchar *deep = g_strnfill (60000, '[');
  g_autofree gchar *objects = g_strnfill (60000, '{');

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_test_message ("%s", bad[i].why);
    g_assert_false (take (store, bad[i].line, T0));
    g_assert_cmpuint (store->bad_lines, ==, i + 1);
    g_assert_cmpuint (store->sources->len, ==, 0);
  }
  g_assert_false (take (store, deep, T0));
  g_assert_false (take (store, objects, T0));
  g_assert_false (store_take_line (store, "{}\0{}", 5, 1, T0));
  g_assert_true (take_stats (store, "send", T0, "{}"));
  g_assert_false (take_stats (store, "send", T0 - 1, "{}"));
  store_free (store);
}

static void
test_many_elements (void)
{
  Store *store = store_new (NULL, T0);

  for (guint i = 0; i < STORE_SOURCES_MAX + 2; i++) {
    g_autofree gchar *line = g_strdup_printf (
        "{\"version\":1,\"program\":\"p\",\"pid\":7,\"element\":\"e%u\","
        "\"kind\":\"send\"," TIMES "\"stats\":{}}",
        i);

    g_assert_true (take (store, line, T0) == (i < STORE_SOURCES_MAX));
  }
  g_assert_cmpuint (store->bad_lines, ==, 2);
  store_free (store);
}

/* --- time ---------------------------------------------------------------- */

static void
test_thinned (void)
{
  Store *store = store_new (NULL, T0);
  const Source *source;
  const Point *last;

  g_assert_true (take_stats (store, "send", T0, "{\"packets-sent\":0}"));
  g_assert_true (
      take_stats (store, "send", T0 + SECOND / 10, "{\"packets-sent\":10}"));
  g_assert_true (
      take_stats (store, "send", T0 + SECOND / 4, "{\"packets-sent\":25}"));
  source = g_ptr_array_index (store->sources, 0);
  g_assert_cmpuint (source->points->len, ==, 2);
  last = source_last (source);
  g_assert_cmpfloat (last->value[POINT_PACKETS], ==, 25); /* none is missed */
  store_free (store);
}

static void
test_forgotten (void)
{
  Store *store = store_new (NULL, T0);
  const Source *source;

  take_stats (store, "send", T0, "{}");
  take_stats (store, "send", T0 + SECOND, "{}");
  source = g_ptr_array_index (store->sources, 0);
  store_forget (store, T0 + STORE_SPAN_US + SECOND / 2);
  g_assert_cmpuint (source->points->len, ==, 1);
  store_forget (store, T0 + STORE_SPAN_US + 2 * SECOND);
  g_assert_cmpuint (source->points->len, ==, 0);
  g_assert_cmpuint (store->sources->len, ==, 1); /* silent, not gone */
  store_gone (store, 2);
  g_assert_true (source->live);
  store_gone (store, 1);
  g_assert_false (source->live);
  store_forget (store, T0 + STORE_SPAN_US + 2 * SECOND);
  g_assert_cmpuint (store->sources->len, ==, 0);
  store_free (store);
}

/* --- JSON ---------------------------------------------------------------- */

static JsonObject *
first_source (JsonNode *root)
{
  return json_array_get_object_element (
      json_object_get_array_member (json_node_get_object (root), "sources"), 0);
}

static guint
n_points (JsonNode *root)
{
  return json_array_get_length (
      json_object_get_array_member (first_source (root), "points"));
}

static JsonNode *
update (const Store *store, guint64 *cursor)
{
  g_autofree gchar *text = store_update (store, cursor, T0 + 2 * SECOND);
  JsonNode *root = json_from_string (text, NULL);

  g_assert_nonnull (root);
  return root;
}

static void
test_update (void)
{
  Store *store = store_new ("gst-launch-1.0 \"a\" <b>", T0);
  g_autoptr (JsonNode) all = NULL, nothing = NULL, more = NULL;
  guint64 cursor = 0;
  JsonObject *source, *point;

  take_stats (store, "send", T0 + SECOND,
      "{\"controller\":\"tfrc\",\"lda\":\"zbs\",\"fec\":\"ulp\","
      "\"feedback-mode\":\"twcc\",\"breaker-state\":\"closed\","
      "\"limit\":\"loss\","
      "\"queue\":12500000}");
  all = update (store, &cursor);
  g_assert_cmpstr (
      json_object_get_string_member (json_node_get_object (all), "command"), ==,
      "gst-launch-1.0 \"a\" <b>");
  source = first_source (all);
  g_assert_cmpstr (
      json_object_get_string_member (source, "element"), ==, "/a:x/b:e");
  g_assert_cmpstr (
      json_object_get_string_member (source, "controller"), ==, "tfrc");
  g_assert_cmpstr (
      json_object_get_string_member (source, "feedback"), ==, "twcc");
  g_assert_cmpint (json_object_get_int_member (source, "dropped"), ==, 3);
  g_assert_true (json_object_get_null_member (source, "breaker"));
  g_assert_true (json_object_get_null_member (source, "queue"));
  g_assert_cmpstr (json_object_get_string_member (source, "limit"), ==, "loss");
  g_assert_cmpuint (n_points (all), ==, 1);
  point = json_array_get_object_element (
      json_object_get_array_member (source, "points"), 0);
  g_assert_cmpuint (json_object_get_size (point), ==, 2); /* the rest unknown */
  g_assert_cmpfloat (json_object_get_double_member (point, "t"), ==, 1);
  g_assert_cmpfloat (
      json_object_get_double_member (point, "queue_ms"), ==, 12.5);

  nothing = update (store, &cursor);
  g_assert_cmpuint (n_points (nothing), ==, 0);
  take_stats (store, "send", T0 + 2 * SECOND,
      "{\"breaker-state\":\"open\",\"competes\":true}");
  more = update (store, &cursor);
  g_assert_cmpuint (n_points (more), ==, 1);
  g_assert_cmpstr (
      json_object_get_string_member (first_source (more), "breaker"), ==,
      "open");
  g_assert_cmpstr (json_object_get_string_member (first_source (more), "queue"),
      ==, "kept full by others");
  /* as of a sender that has no such field */
  g_assert_true (json_object_get_null_member (first_source (more), "limit"));
  store_free (store);
}

static void
test_stats (void)
{
  Store *store = store_new (NULL, T0);
  g_autoptr (JsonNode) root = NULL;
  g_autofree gchar *text = NULL;
  JsonObject *stats;

  take_stats (store, "recv", T0, "{\"packets\":1}");
  take_stats (store, "recv", T0 + 1000, "{\"packets\":2,\"dscp\":\"intact\"}");
  text = store_stats (store, T0);
  root = json_from_string (text, NULL);
  stats = json_object_get_object_member (first_source (root), "stats");
  g_assert_cmpint (json_object_get_int_member (stats, "packets"), ==, 2);
  g_assert_cmpstr (json_object_get_string_member (stats, "dscp"), ==, "intact");
  store_free (store);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/monitor/store/points", test_points);
  g_test_add_func ("/monitor/store/bad", test_bad);
  g_test_add_func ("/monitor/store/many-elements", test_many_elements);
  g_test_add_func ("/monitor/store/thinned", test_thinned);
  g_test_add_func ("/monitor/store/forgotten", test_forgotten);
  g_test_add_func ("/monitor/store/update", test_update);
  g_test_add_func ("/monitor/store/stats", test_stats);
  return g_test_run ();
}
