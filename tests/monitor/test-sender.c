/* The tracer's line and the thread that sends it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../../plugins/monitor/monitorline.h"
#include "../../plugins/monitor/monitorsender.h"
#include "socket-fixture.h"

#include <unistd.h>

#define STATS "application/x-rtpadaptsend-stats"

static gchar *
line_of (const gchar *text)
{
  g_autoptr (GstStructure) s = gst_structure_from_string (text, NULL);

  g_assert_nonnull (s);
  return monitor_line (s, "/p/e", 5, 6);
}

/* What GStreamer's types are in JSON (RFC 8259 3 and 6). */
static const struct
{
  const gchar *why, *field, *json;
} fields[] = {
  { "unsigned", "a=(uint)4294967295", "{\"a\":4294967295}" },
  { "64 bits", "a=(guint64)9223372036854775807",
      "{\"a\":9223372036854775807}" },
  { "G_MAXUINT64 is \"none\"", "a=(guint64)18446744073709551615",
      "{\"a\":null}" },
  { "unknown spans", "a=(gint64)-1", "{\"a\":-1}" },
  { "a fraction", "a=(double)0.25", "{\"a\":0.25}" },
  { "no infinity", "a=(double)inf", "{\"a\":null}" },
  { "truth", "a=(boolean)true", "{\"a\":true}" },
  { "quotes", "a=(string)\"x\\\"y\"", "{\"a\":\"x\\\"y\"}" },
  { "a structure", "a=(structure)\"peer,w=(double)0.5;\"",
      "{\"a\":{\"w\":0.5}}" },
  { "structures", "a=(structure)<\"s,n=(int)1;\",\"s,n=(int)2;\">",
      "{\"a\":[{\"n\":1},{\"n\":2}]}" },
};

static void
test_fields (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    g_autofree gchar *text = g_strconcat (STATS ",", fields[i].field, NULL);
    g_autofree gchar *line = line_of (text);
    g_autofree gchar *want
        = g_strconcat ("\"stats\":", fields[i].json, "}\n", NULL);

    g_test_message ("%s: %s", fields[i].why, line);
    g_assert_true (g_str_has_suffix (line, want));
  }
}

static void
test_line (void)
{
  g_autofree gchar *want = NULL, *line = NULL;

  g_set_prgname ("pro\"g");
  want = g_strdup_printf (
      "{\"version\":1,\"program\":\"pro\\\"g\",\"pid\":%d,\"element\":\"/p/e\","
      "\"kind\":\"src\",\"time_us\":5,\"dropped\":6,\"stats\":{}}\n",
      (gint) getpid ());
  line = line_of ("application/x-rtpadaptsrc-stats");
  g_assert_cmpstr (line, ==, want);
}

/* --- the thread ---------------------------------------------------------- */

/* About 10 KB: no socket takes thousands of them. */
static void
push (MonitorSender *sender, gint n)
{
  g_autofree gchar *much = g_strnfill (10000, 'x');
  g_autoptr (GstMessage) message = gst_message_new_element (NULL,
      gst_structure_new (
          STATS, "n", G_TYPE_INT, n, "much", G_TYPE_STRING, much, NULL));

  monitor_sender_push (sender, message, "e", n);
}

static gint64
member (JsonNode *node, const gchar *name)
{
  return json_object_get_int_member (json_node_get_object (node), name);
}

#define MANY 2000

static void
test_full (void)
{
  MonitorSender *sender;
  gint64 received = 0, dropped = 0, last = -1;
  g_auto (TestSocket) s;

  test_socket_init (&s);
  test_socket_listen (&s);
  sender = monitor_sender_new (s.path);
  for (gint i = 0; i < MANY; i++)
    push (sender, i); /* nobody reads, and it comes back */
  while (last < MANY - 1) {
    g_autoptr (JsonNode) node = test_socket_read (&s);

    g_assert_cmpint (member (node, "time_us"), >, last);
    last = member (node, "time_us");
    dropped = member (node, "dropped");
    received++;
  }
  g_assert_cmpint (dropped, >, 0);
  g_assert_cmpint (received + dropped, ==, MANY);
  monitor_sender_free (sender);
}

static void
test_stalled_end (void)
{
  MonitorSender *sender;
  g_auto (TestSocket) s;

  test_socket_init (&s);
  test_socket_listen (&s);
  sender = monitor_sender_new (s.path);
  for (gint i = 0; i < MANY; i++)
    push (sender, i);
  monitor_sender_free (sender); /* comes back, too */
}

static void
test_late_monitor (void)
{
  MonitorSender *sender;
  JsonNode *node;
  g_auto (TestSocket) s;

  test_socket_init (&s);
  sender = monitor_sender_new (s.path);
  push (sender, 1);
  g_usleep (100000); /* most likely it has tried in vain */
  test_socket_listen (&s);
  node = test_socket_read (&s);
  g_assert_cmpint (member (node, "time_us"), ==, 1);
  json_node_unref (node);

  /* One monitor goes, and another comes. */
  g_clear_object (&s.lines);
  g_clear_object (&s.connection);
  for (gint i = 2; !s.connection; i++) {
    push (sender, i);
    s.connection = g_socket_listener_accept (s.listener, NULL, NULL, NULL);
  }
  monitor_sender_free (sender);
}

static void
test_no_monitor (void)
{
  MonitorSender *sender;
  g_auto (TestSocket) s;

  test_socket_init (&s);
  sender = monitor_sender_new (s.path);
  for (gint i = 0; i < 3 * MONITOR_QUEUE_MAX; i++)
    push (sender, i);
  monitor_sender_free (sender);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/monitor/sender/fields", test_fields);
  g_test_add_func ("/monitor/sender/line", test_line);
  g_test_add_func ("/monitor/sender/full", test_full);
  g_test_add_func ("/monitor/sender/stalled-end", test_stalled_end);
  g_test_add_func ("/monitor/sender/late-monitor", test_late_monitor);
  g_test_add_func ("/monitor/sender/no-monitor", test_no_monitor);
  return g_test_run ();
}
