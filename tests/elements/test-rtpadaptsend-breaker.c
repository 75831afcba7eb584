/* rtpadaptsend: the circuit breakers of RFC 8083, as an application meets them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "send-fixture.h"

/* A warning that sending has stopped. */
static gboolean
is_stop (GstMessage *m)
{
  g_autoptr (GError) error = NULL;

  if (GST_MESSAGE_TYPE (m) != GST_MESSAGE_WARNING)
    return FALSE;
  gst_message_parse_warning (m, &error, NULL);
  return g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED);
}

/* The next rtpadapt-breaker message, which has to come, and the number of such
 * warnings before it. */
static gchar *
breaker_message (Send *s, guint *n_warnings)
{
  *n_warnings = 0;
  for (;;) {
    GstMessage *m = gst_bus_timed_pop_filtered (
        s->bus, 10 * GST_SECOND, GST_MESSAGE_ELEMENT | GST_MESSAGE_WARNING);
    const GstStructure *fields;
    gchar *text = NULL;

    g_assert_nonnull (m);
    fields = gst_message_get_structure (m);
    *n_warnings += is_stop (m);
    if (gst_structure_has_name (fields, "rtpadapt-breaker"))
      text = g_strdup_printf ("%s %s",
          gst_structure_get_string (fields, "breaker"),
          gst_structure_get_string (fields, "state"));
    gst_message_unref (m);
    if (text)
      return text;
  }
}

/* A packet a second, never an answer: RFC 8083 4.1 ends it after 15 s.  It says
 * so, drops and counts what comes, lets EOS pass, and begins again when told. */
static void
test_no_feedback (void)
{
  Send s = send_new ("controller=fixed start-bitrate=1000000");
  g_autofree gchar *tripped = NULL, *restarted = NULL;
  guint n_warnings;

  for (guint i = 0; i < 15; i++) {
    push_frame (&s, i, 1);
    pull_packet (&s);
    if (i < 14)
      gst_test_clock_advance_time (s.clock, GST_SECOND);
  }
  crank (&s);
  g_assert_cmpuint (time_now (&s), ==, START + 15 * GST_SECOND);
  tripped = breaker_message (&s, &n_warnings);
  g_assert_cmpstr (tripped, ==, "rtcp-timeout open");
  g_assert_cmpuint (get_uint (&s, "estimated-bitrate"), ==, 0);
  g_assert_cmpuint (n_warnings, ==, 1);

  push_frame (&s, 15, 3);
  wait_until (stat (&s, "ceased") == 3);
  g_assert_cmpuint (gst_harness_buffers_in_queue (s.h), ==, 0);

  g_signal_emit_by_name (s.element, "restart");
  restarted = breaker_message (&s, &n_warnings);
  g_assert_cmpstr (restarted, ==, "none closed");
  g_assert_cmpuint (get_uint (&s, "estimated-bitrate"), ==, 1000000);
  push_frame (&s, 16, 1);
  pull_paced (&s);
  g_assert_true (gst_harness_push_event (s.h, gst_event_new_eos ()));
  send_free (&s);
}

/* Who sends into the blue on purpose. */
static void
test_disabled (void)
{
  Send s = send_new (
      "controller=fixed start-bitrate=1000000 circuit-breakers=false");

  for (guint i = 0; i < 40; i++) {
    push_frame (&s, i, 1);
    pull_packet (&s);
    gst_test_clock_advance_time (s.clock, GST_SECOND);
  }
  g_assert_cmpuint (get_uint (&s, "estimated-bitrate"), ==, 1000000);
  g_assert_cmpint (stat (&s, "ceased"), ==, 0);
  send_free (&s);
}

/* Switched off while open, it sends again. */
static void
test_switched_off (void)
{
  Send s = send_new ("controller=fixed start-bitrate=1000000");
  g_autofree gchar *tripped = NULL;
  guint n_warnings;

  for (guint i = 0; i < 15; i++) {
    push_frame (&s, i, 1);
    pull_packet (&s);
    if (i < 14)
      gst_test_clock_advance_time (s.clock, GST_SECOND);
  }
  crank (&s);
  tripped = breaker_message (&s, &n_warnings);
  g_assert_cmpstr (tripped, ==, "rtcp-timeout open");
  g_object_set (s.element, "circuit-breakers", FALSE, NULL);
  push_frame (&s, 16, 1);
  pull_packet (&s);
  g_assert_cmpuint (get_uint (&s, "estimated-bitrate"), ==, 1000000);
  send_free (&s);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rtpadaptsend/breaker/no-feedback", test_no_feedback);
  g_test_add_func ("/rtpadaptsend/breaker/disabled", test_disabled);
  g_test_add_func ("/rtpadaptsend/breaker/switched-off", test_switched_off);
  return g_test_run ();
}
