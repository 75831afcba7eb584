/* The gate of requests for key frames, which needs no element.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <plugins/rtpadapt/send/keygate.h>

#define MS RA_MSECOND
#define UNKNOWN STREAMS_MAX

static GstEvent *
request (guint n)
{
  return gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
      gst_structure_new ("GstForceKeyUnit", "n", G_TYPE_UINT, n, NULL));
}

static guint
number_of (GstEvent *event)
{
  guint n;

  g_assert_true (
      gst_structure_get_uint (gst_event_get_structure (event), "n", &n));
  return n;
}

/* RTT 300 ms; the first request came at 1000 ms. */
static const struct
{
  const gchar *name;
  guint stream, at; /* of the second request, ms */
  KeyVerdict verdict;
  const gchar *why;
} rows[] = {
  { "at-once", 0, 1000, KEY_HELD_FIRST, "the key frame is not there yet" },
  { "early", 0, 1299, KEY_HELD_FIRST, "it is on its way" },
  { "lost", 0, 1300, KEY_PASS, "a round trip later it would be there" },
  { "other", 1, 1000, KEY_PASS, "another stream needs its own key frame" },
  { "unknown", UNKNOWN, 1000, KEY_PASS, "so does one that we do not know" },
  { "back", 0, 900, KEY_PASS, "the clock was set back" },
};

static void
test_ask (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (GstEvent) event = request (1);
  KeyGate g = { 0 };

  g_test_message ("%s", rows[i].why);
  key_gate_clear (&g);
  g_assert_cmpint (
      key_gate_ask (&g, 0, event, 300 * MS, 1000 * MS), ==, KEY_PASS);
  g_assert_cmpint (key_gate_ask (&g, rows[i].stream, event, 300 * MS,
                       rows[i].at * (RaTime) MS),
      ==, rows[i].verdict);
  g_assert_cmpuint (key_gate_next (&g, 300 * MS), ==,
      rows[i].verdict == KEY_PASS ? RA_TIME_NONE : 1300 * MS);
  key_gate_clear (&g);
}

/* Of the requests that wait the last one goes on, once, when its time has come. */
static void
test_waits (void)
{
  GstEvent *events[4], *out;
  KeyGate g = { 0 };

  key_gate_clear (&g);
  for (guint i = 0; i < 4; i++)
    events[i] = request (i);
  g_assert_cmpint (
      key_gate_ask (&g, 2, events[0], 200 * MS, 1000 * MS), ==, KEY_PASS);
  g_assert_cmpint (
      key_gate_ask (&g, 2, events[1], 200 * MS, 1050 * MS), ==, KEY_HELD_FIRST);
  g_assert_cmpint (
      key_gate_ask (&g, 2, events[2], 200 * MS, 1100 * MS), ==, KEY_HELD);
  g_assert_null (key_gate_take (&g, 200 * MS, 1199 * MS));
  out = key_gate_take (&g, 200 * MS, 1200 * MS);
  g_assert_cmpuint (number_of (out), ==, 2);
  gst_event_unref (out);
  g_assert_null (key_gate_take (&g, 200 * MS, 1500 * MS));
  /* It counts as asked at 1200 ms. */
  g_assert_cmpint (
      key_gate_ask (&g, 2, events[3], 200 * MS, 1399 * MS), ==, KEY_HELD_FIRST);
  g_assert_cmpuint (key_gate_next (&g, 200 * MS), ==, 1400 * MS);
  /* A request that passes makes the one that waits superfluous. */
  g_assert_cmpint (
      key_gate_ask (&g, 2, events[3], 200 * MS, 1400 * MS), ==, KEY_PASS);
  g_assert_cmpuint (key_gate_next (&g, 200 * MS), ==, RA_TIME_NONE);
  for (guint i = 0; i < 4; i++) {
    g_assert_cmpint (GST_MINI_OBJECT_REFCOUNT_VALUE (events[i]), ==, 1);
    gst_event_unref (events[i]);
  }
}

/* While a thread is going to take the requests that wait, no timer does. */
static void
test_due (void)
{
  g_autoptr (GstEvent) event = request (1);
  KeyGate g = { 0 };

  key_gate_clear (&g);
  key_gate_ask (&g, 0, event, 200 * MS, 1000 * MS);
  key_gate_ask (&g, 0, event, 200 * MS, 1050 * MS);
  g_assert_cmpuint (g.held, ==, 1);
  g_assert_cmpuint (key_gate_next (&g, 200 * MS), ==, 1200 * MS);
  g_assert_false (key_gate_begin (&g));
  g_assert_cmpint (key_gate_on_due (&g), ==, SEND_TELL);
  g_assert_cmpuint (key_gate_next (&g, 200 * MS), ==, RA_TIME_NONE);
  g_assert_true (key_gate_begin (&g));
  g_assert_cmpuint (key_gate_next (&g, 200 * MS), ==, 1200 * MS);
  key_gate_clear (&g);
}

/* Frames that we drop: a request each second at most.  What the receiver lacks is
 * asked for once. */
static void
test_ours (void)
{
  KeyGate g = { 0 };

  key_gate_clear (&g);
  g_assert_cmpint (key_gate_on_drop (&g, 1000 * MS), ==, SEND_REFRESH);
  g_assert_cmpint (key_gate_on_drop (&g, 1999 * MS), ==, SEND_WANTS_NOTHING);
  g_assert_cmpint (key_gate_on_drop (&g, 2000 * MS), ==, SEND_REFRESH);
  g_assert_false (key_gate_refresh (&g));
  key_gate_lack (&g);
  g_assert_true (key_gate_refresh (&g));
  g_assert_false (key_gate_refresh (&g));
}

/* A round trip may be shorter than a frame: 200 ms at least. */
static void
test_interval (void)
{
  g_assert_cmpint (key_gate_interval (0), ==, 200 * MS);
  g_assert_cmpint (key_gate_interval (50 * MS), ==, 200 * MS);
  g_assert_cmpint (key_gate_interval (300 * MS), ==, 300 * MS);
}

void
tests_add (void)
{
  rows_add_by ("/key-gate/ask", rows, name, test_ask);
  g_test_add_func ("/key-gate/waits", test_waits);
  g_test_add_func ("/key-gate/due", test_due);
  g_test_add_func ("/key-gate/ours", test_ours);
  g_test_add_func ("/key-gate/interval", test_interval);
}
