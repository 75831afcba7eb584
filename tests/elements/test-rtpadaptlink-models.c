/* rtpadaptlink: every model of the registry, flows, and models that read files.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "link-fixture.h"
#include "../link-text.h"
#include "../rows.h"

#include <glib/gstdio.h>

/* --- each model once, as in gst-launch -------------------------------------- */

static gchar *
file_new (const gchar *text)
{
  gchar *name = NULL;
  gint fd = g_file_open_tmp ("rtpadapt-XXXXXX.trace", &name, NULL);

  g_assert_cmpint (fd, >=, 0);
  g_close (fd, NULL);
  g_assert_true (g_file_set_contents (name, text, -1, NULL));
  return name;
}

static guint64
stats_get (const GstStructure *s, const gchar *field)
{
  guint64 value;

  g_assert_true (gst_structure_get_uint64 (s, field, &value));
  return value;
}

/* A model that reads a file gets one in mahimahi's format. */
static gchar *
model_text (const RaNodeOps *ops, const gchar *file)
{
  return ops->load ? g_strdup_printf ("%s file=%s", ops->name, file)
                   : link_text (ops);
}

/* 60 buffers of no protocol, a millisecond apart: none is forgotten. */
static void
test_model (gconstpointer data)
{
  g_autofree gchar *file = file_new ("1\n2\n");
  g_autofree gchar *text = model_text (data, file);
  g_autofree gchar *line
      = g_strdup_printf ("fakesrc is-live=true num-buffers=60 datarate=1000000 "
                         "sizetype=fixed sizemax=1000 format=time ! "
                         "rtpadaptlink name=path seed=3 link=\"%s\" ! "
                         "fakesink sync=false",
          text);
  g_autoptr (GError) error = NULL;
  g_autoptr (GstStructure) stats = NULL;
  GstElement *pipeline, *path;
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GstBus) bus = NULL;

  g_test_message ("%s", line);
  pipeline = gst_parse_launch (line, &error);
  g_assert_no_error (error);
  path = gst_bin_get_by_name (GST_BIN (pipeline), "path");
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, PATIENCE * GST_USECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  g_assert_nonnull (message);
  g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_EOS);
  g_object_get (path, "stats", &stats, NULL);
  g_assert_cmpuint (stats_get (stats, "in"), ==, 60);
  g_assert_cmpuint (stats_get (stats, "in"), ==,
      stats_get (stats, "out") + stats_get (stats, "congestion-losses")
          + stats_get (stats, "wireless-losses"));
  g_assert_cmpuint (stats_get (stats, "out"), >, 0);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (path);
  gst_object_unref (pipeline);
  g_remove (file);
}

/* --- flows ------------------------------------------------------------------ */

/* What the log calls it: bytes 2 and 3. */
static GstBuffer *
packet_of (guint name, guint8 type, guint32 ssrc)
{
  GstBuffer *buffer = path_rtp (name, PATH_SIZE);
  guint8 bytes[4];

  gst_buffer_memset (buffer, 1, type, 1);
  GST_WRITE_UINT32_BE (bytes, ssrc);
  gst_buffer_fill (buffer, type >= 192 && type <= 223 ? 4 : 8, bytes, 4);
  return buffer;
}

#define A PATH_SSRC
#define B 0x0a0b0c0d

/* RTP of A, of B, RTCP (SR) of A, of B, what is no RTP, RTP of A: at 0 ms, in
 * order; 10 ms each on a line of 1 Mbit/s. */
static const struct
{
  const gchar *link, *out;
  guint queue; /* ms, when all are in */
  const gchar *why;
} flow_rows[] = {
  { "bottleneck rate=1M", "caps 0, +0 10, +1 20, +2 30, +3 40, +4 50, +5 60, ",
      60, "one line for all" },
  { "each bottleneck rate=1M",
      "caps 0, +0 10, +1 10, +4 10, +2 20, +3 20, +5 30, ", 30,
      "a line for each SSRC with its RTCP, and one for the rest" },
  { "each bottleneck rate=1M ! bottleneck rate=1M",
      "caps 0, +0 20, +1 30, +4 40, +2 50, +3 60, +5 70, ", 30,
      "and then one for all" },
};

static void
test_flows (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_auto (Path) t;

  g_test_message ("%s: %s", flow_rows[row].link, flow_rows[row].why);
  path_new (&t, flow_rows[row].link, 1);
  path_expect (&t, "caps 0, ");
  gst_harness_push (t.h, packet_of (0, 96, A));
  gst_harness_push (t.h, packet_of (1, 96, B));
  gst_harness_push (t.h, packet_of (2, 200, A));
  gst_harness_push (t.h, packet_of (3, 200, B));
  gst_harness_push (t.h,
      gst_buffer_new_memdup ((guint8[PATH_SIZE]){ 0, 1, 0, 4 }, PATH_SIZE));
  gst_harness_push (t.h, packet_of (5, 96, A));
  g_assert_cmpuint (
      path_stat (&t, "queue"), ==, flow_rows[row].queue * GST_MSECOND);
  path_expect (&t, flow_rows[row].out);
  path_check_sum (&t);
}

static guint64
flow_stat (Path *t, guint ssrc, const gchar *field)
{
  g_autoptr (GstStructure) stats = NULL;
  const GValue *flows;

  g_object_get (t->h->element, "stats", &stats, NULL);
  flows = gst_structure_get_value (stats, "flows");
  for (guint i = 0; i < gst_value_array_get_size (flows); i++) {
    const GstStructure *flow
        = gst_value_get_structure (gst_value_array_get_value (flows, i));
    guint of;

    g_assert_true (gst_structure_get_uint (flow, "ssrc", &of));
    if (of == ssrc)
      return stats_get (flow, field);
  }
  return G_MAXUINT64;
}

/* A line and two packets of room: of four packets of A two are lost, of one of
 * B none; then the radio takes all, and then a flush one that was inside. */
static void
test_flow_stats (void)
{
  g_auto (Path) t;

  path_new (&t, "each bottleneck rate=1M packets=2", 1);
  path_expect (&t, "caps 0, ");
  g_assert_cmpuint (flow_stat (&t, A, "in"), ==, G_MAXUINT64);
  for (guint i = 0; i < 4; i++)
    gst_harness_push (t.h, packet_of (i, 96, A));
  gst_harness_push (t.h, packet_of (4, 96, B));
  path_expect (
      &t, "caps 0, -2 0 congestion, -3 0 congestion, +0 10, +4 10, +1 20, ");
  g_assert_cmpuint (flow_stat (&t, A, "in"), ==, 4);
  g_assert_cmpuint (flow_stat (&t, A, "out"), ==, 2);
  g_assert_cmpuint (flow_stat (&t, A, "congestion-losses"), ==, 2);
  g_assert_cmpuint (flow_stat (&t, B, "in"), ==, 1);
  g_assert_cmpuint (flow_stat (&t, B, "out"), ==, 1);
  g_assert_cmpuint (flow_stat (&t, B, "congestion-losses"), ==, 0);
  g_object_set (t.h->element, "link", "bernoulli 1", NULL);
  gst_harness_push (t.h, packet_of (5, 96, A));
  g_assert_cmpuint (flow_stat (&t, A, "wireless-losses"), ==, 1);
  g_assert_cmpuint (flow_stat (&t, B, "wireless-losses"), ==, 0);
  g_assert_cmpuint (flow_stat (&t, A, "in"), ==, 5);
}

/* More SSRCs than are told apart. */
static void
test_many_flows (void)
{
  const guint n = 3 * RA_LINK_FLOWS;
  g_auto (Path) t;

  path_new (&t, "each bernoulli 0", 1);
  path_expect (&t, "caps 0, ");
  for (guint i = 0; i < n; i++)
    gst_harness_push (t.h, packet_of (i, 96, 1 + i));
  g_assert_cmpuint (path_stat (&t, "out"), ==, n);
  g_assert_cmpuint (flow_stat (&t, RA_LINK_FLOWS, "out"), ==, 1);
  g_assert_cmpuint (flow_stat (&t, RA_LINK_FLOWS + 1, "out"), ==, G_MAXUINT64);
  path_check_sum (&t);
  path_settle (&t);
}

/* --- files ------------------------------------------------------------------ */

/* An opportunity of 1,504 bytes at 10 and 30 ms, and so on each 30 ms: of the
 * three packets of 1,250 bytes the first goes at 10, the second with what the
 * first left and the opportunity at 30, the third with that at 40. */
static void
test_trace (void)
{
  g_autofree gchar *file = file_new ("10\n30\n");
  g_autofree gchar *link = g_strdup_printf ("trace file=%s queue=0", file);
  g_auto (Path) t;

  path_new (&t, link, 1);
  path_expect (&t, "caps 0, ");
  for (guint i = 0; i < 3; i++)
    path_push (&t, i, 0);
  path_expect (&t, "caps 0, +0 10, +1 30, +2 40, ");

  g_test_message ("gone while it runs: what runs goes on, it starts no more");
  g_remove (file);
  path_push (&t, 3, 200);
  gst_element_set_state (t.h->element, GST_STATE_NULL);
  g_assert_cmpint (gst_element_set_state (t.h->element, GST_STATE_PAUSED), ==,
      GST_STATE_CHANGE_FAILURE);
  g_assert_cmpuint (path_stat (&t, "held"), ==, 0);
  g_assert_true (g_file_set_contents (file, "10\n", -1, NULL));
  g_assert_cmpint (gst_element_set_state (t.h->element, GST_STATE_PAUSED), ==,
      GST_STATE_CHANGE_NO_PREROLL);
  g_remove (file);
}

/* Times of one clock mean nothing on another, so the path begins again; where it
 * cannot, that is an error. */
static void
test_trace_new_clock (void)
{
  g_autofree gchar *file = file_new ("10\n");
  g_autofree gchar *link = g_strdup_printf ("trace file=%s", file);
  g_autoptr (GstElement) e = gst_element_factory_make ("rtpadaptlink", NULL);
  GstClock *first = gst_test_clock_new (), *second = gst_test_clock_new ();

  g_object_set (e, "link", link, NULL);
  gst_element_set_state (e, GST_STATE_PAUSED);
  g_remove (file);
  g_test_message ("the first clock changes nothing");
  g_assert_true (gst_element_set_clock (e, first));
  g_assert_false (gst_element_set_clock (e, second));
  gst_element_set_state (e, GST_STATE_NULL);
  gst_object_unref (first);
  gst_object_unref (second);
}

static void
test_no_file (void)
{
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GstElement) e = gst_element_factory_make ("rtpadaptlink", NULL);
  g_autofree gchar *why = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GstMessage) message = NULL;

  gst_element_set_bus (e, bus);
  g_test_expect_message (NULL, G_LOG_LEVEL_WARNING, "*/nowhere/lte.trace*");
  g_object_set (e, "link", "delay 5ms ! trace file=/nowhere/lte.trace", NULL);
  g_test_assert_expected_messages ();
  g_assert_cmpint (
      gst_element_set_state (e, GST_STATE_READY), ==, GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  g_assert_nonnull (message);
  gst_message_parse_error (message, &error, &why);
  g_test_message ("%s", why);
  g_assert_nonnull (strstr (why, "trace: "));
  g_assert_nonnull (strstr (why, "/nowhere/lte.trace"));
  gst_element_set_bus (e, NULL);
}

void
tests_add (void)
{
  rows_add_all ("/rtpadaptlink/models", ra_links, test_model);
  rows_add ("/rtpadaptlink/flows", flow_rows, test_flows);
  g_test_add_func ("/rtpadaptlink/flows/stats", test_flow_stats);
  g_test_add_func ("/rtpadaptlink/flows/many", test_many_flows);
  g_test_add_func ("/rtpadaptlink/trace/file", test_trace);
  g_test_add_func ("/rtpadaptlink/trace/new-clock", test_trace_new_clock);
  g_test_add_func ("/rtpadaptlink/trace/no-file", test_no_file);
}
