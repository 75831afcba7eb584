/* The tracer rtpadaptmonitor: what it hears and what it leaves alone.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "socket-fixture.h"

#include <gst/gst.h>

static TestSocket heard;

static void
post (GstElement *element, const gchar *name, gint n)
{
  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT (element),
          gst_structure_new (name, "n", G_TYPE_INT, n, NULL)));
}

static JsonNode *
read_object (JsonObject **object)
{
  JsonNode *node = test_socket_read (&heard);

  g_assert_nonnull (node);
  *object = json_node_get_object (node);
  return node;
}

static void
assert_line (const gchar *kind, const gchar *element, gint n)
{
  JsonObject *object;
  /* The node keeps the object until the end. */
  g_autoptr (JsonNode) node G_GNUC_UNUSED = read_object (&object);
  gint64 time_us = json_object_get_int_member (object, "time_us");

  g_assert_cmpstr (json_object_get_string_member (object, "kind"), ==, kind);
  g_assert_cmpstr (
      json_object_get_string_member (object, "element"), ==, element);
  g_assert_cmpint (json_object_get_int_member (
                       json_object_get_object_member (object, "stats"), "n"),
      ==, n);
  g_assert_cmpint (json_object_get_int_member (object, "dropped"), ==, 0);
  g_assert_cmpint (time_us, >, 0);
  g_assert_cmpint (time_us, <=, g_get_monotonic_time ());
}

/* The pipeline posts the bin's child's message twice more. */
static void
test_messages (void)
{
  g_autoptr (GstElement) pipeline = gst_pipeline_new ("p");
  GstElement *bin = gst_bin_new ("b"),
             *element = gst_element_factory_make ("fakesink", "e");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  gst_bin_add (GST_BIN (bin), element);
  gst_bin_add (GST_BIN (pipeline), bin);
  post (element, "application/x-rtpadaptsend-stats", 1);
  post (element, "rtpadapt-loss", 2);
  post (element, "application/x-rtpadaptsink-stats", 3);
  post (element, "application/x-rtpadaptrecv-stats", 4);
  post (element, "application/x-rtpadaptsrc-stats", 5);
  assert_line ("send", "/GstPipeline:p/GstBin:b/GstFakeSink:e", 1);
  assert_line ("recv", "/GstPipeline:p/GstBin:b/GstFakeSink:e", 4);
  assert_line ("src", "/GstPipeline:p/GstBin:b/GstFakeSink:e", 5);

  /* The application sees what it would have seen. */
  for (gint i = 1; i <= 5; i++) {
    gint n = 0;

    message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
    g_assert_nonnull (message);
    gst_structure_get_int (gst_message_get_structure (message), "n", &n);
    g_assert_cmpint (n, ==, i);
    gst_message_unref (message);
  }
  g_assert_null (gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT));
}

static const struct
{
  const gchar *why, *launch;
  guint64 interval;
} intervals[] = {
  { "half a second", "rtpadaptsend", 500 * GST_MSECOND },
  { "in a receiver", "rtpadaptrecv", 500 * GST_MSECOND },
  { "in one that has none by itself", "rtpadaptsrc", 500 * GST_MSECOND },
  { "the program's choice", "rtpadaptsend stats-interval=7", 7 },
  { "even if it wants none", "rtpadaptsrc stats-interval=0", 0 },
};

static void
test_intervals (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (intervals); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GstElement) element
        = gst_parse_launch (intervals[i].launch, &error);
    guint64 interval;

    g_test_message ("%s", intervals[i].why);
    g_assert_no_error (error);
    g_object_get (element, "stats-interval", &interval, NULL);
    g_assert_cmpuint (interval, ==, intervals[i].interval);
  }
}

/* rtpadaptsrc's statistics have those in them.  rtpadaptsink posts its sender's once
 * more. */
static void
test_inner (void)
{
  g_autoptr (GstElement) sink = gst_element_factory_make ("rtpadaptsink", "s");
  g_autoptr (GstElement) send = gst_bin_get_by_name (GST_BIN (sink), "send");
  g_autoptr (GstElement) src = gst_element_factory_make ("rtpadaptsrc", "s");
  g_autoptr (GstElement) recv = NULL;

  g_assert_nonnull (src);
  recv = gst_bin_get_by_name (GST_BIN (src), "recv");
  g_assert_nonnull (recv);
  post (recv, "application/x-rtpadaptrecv-stats", 1);
  post (src, "application/x-rtpadaptsrc-stats", 2);
  assert_line ("src", "/GstRtpAdaptSrc:s", 2);
  for (gint i = 3; i < 5; i++) {
    post (send, "application/x-rtpadaptsend-stats", i);
    assert_line ("send", "/GstRtpAdaptSink:s/GstRtpAdaptSend:send", i);
  }
}

/* What was posted last is sent before GStreamer is gone. */
static void
test_end (void)
{
  GstElement *element = gst_element_factory_make ("fakesink", "e");

  post (element, "application/x-rtpadaptsend-stats", 9);
  gst_object_unref (element);
  gst_deinit ();
  assert_line ("send", "/GstFakeSink:e", 9);
  g_assert_null (test_socket_read (&heard));
}

int
main (int argc, char **argv)
{
  g_autofree gchar *tracers = NULL;
  gint status;

  test_socket_init (&heard);
  test_socket_listen (&heard);
  tracers = g_strdup_printf ("rtpadaptmonitor(socket=%s)", heard.path);
  g_setenv ("GST_TRACERS", tracers, TRUE);
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/monitor/tracer/messages", test_messages);
  g_test_add_func ("/monitor/tracer/intervals", test_intervals);
  g_test_add_func ("/monitor/tracer/inner", test_inner);
  g_test_add_func ("/monitor/tracer/end", test_end); /* the last one */
  status = g_test_run ();
  test_socket_clear (&heard);
  return status;
}
