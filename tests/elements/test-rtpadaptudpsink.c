/* rtpadaptudpsink, heard by a plain socket.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "names-fixture.h"
#include "udp-fixture.h"
#include "../rows.h"

#include <gio/gio.h>

/* --- rows: what leaves with which TOS octet -------------------------------
 *
 * RFC 2597 6: AF41 is 100010 binary, 34; AF42 36, AF43 38; AF11 10, AF12 12,
 * AF13 14; AF33 30.  RFC 2474 3: the octet is DSCP << 2, the low two bits are
 * ECN's: RFC 3168 5: ECT(0) 10, ECT(1) 01. */

static const struct
{
  const gchar *ear, *host, *settings;
  const gchar *packets; /* as udp_packet() has it */
  gint tos[8];
  const gchar *why;
} rows[] = {
  { "127.0.0.1", "127.0.0.1", "", "gyr-", { 0x88, 0x90, 0x98, 0 },
      "IPv4: AF4 by colour, none without one" },
  { "::1", "::1", "", "gyr-", { 0x88, 0x90, 0x98, 0 }, "IPv6" },
  { "", "127.0.0.1", "", "rgy", { 0x98, 0x88, 0x90 },
      "v4-mapped at the receiver" },
  { "127.0.0.1", "::ffff:127.0.0.1", "", "rgy-", { 0x98, 0x88, 0x90, 0 },
      "v4-mapped as written" },
  { "127.0.0.1", "::ffff:127.0.0.1", "bind-address=127.0.0.1", "gr",
      { 0x88, 0x98 }, "v4-mapped as written, IPv4 socket" },
  { "127.0.0.1", "127.0.0.1", "bind-address=127.0.0.1", "gr", { 0x88, 0x98 },
      "IPv4 socket" },
  { "::1", "::1", "bind-address=::1", "gr", { 0x88, 0x98 }, "IPv6 address" },
  { "", "localhost", "", "g", { 0x88 }, "a name" },
  { "127.0.0.1", "127.0.0.1", "af-class=1", "gyr", { 0x28, 0x30, 0x38 },
      "AF1" },
  { "::1", "::1", "af-class=3 dscp=0", "r-", { 0x78, 0 }, "AF33" },
  { "127.0.0.1", "127.0.0.1", "dscp=46", "-g-", { 0xb8, 0x88, 0xb8 },
      "EF for those without a colour" },
  { "127.0.0.1", "127.0.0.1", "ecn=ect-0", "gyr-", { 0x8a, 0x92, 0x9a, 0x02 },
      "ECT(0) beside any DSCP" },
  { "::1", "::1", "ecn=ect-1 dscp=46", "g-", { 0x89, 0xb9 }, "ECT(1), IPv6" },
  { "127.0.0.1", "127.0.0.1", "", "c-gcr-c",
      { 0, 0, 0x88, 0x88, 0x98, 0, 0x88 },
      "RTCP is green as soon as there are colours" },
  { "127.0.0.1", "127.0.0.1", "dscp=10", "c-", { 0x28, 0x28 },
      "RTCP without any colours" },
};

static GstHarness *
sink_new (const gchar *host, guint port, const gchar *settings)
{
  g_autofree gchar *line = g_strdup_printf (
      "rtpadaptudpsink host=%s port=%u %s", host, port, settings);
  GstHarness *h = gst_harness_new_parse (line);

  gst_harness_set_src_caps_str (h, "application/x-rtp");
  return h;
}

/* gst_harness_new_parse() puts it into a bin. */
static GstElement *
sink_of (GstHarness *h)
{
  GstElement *sink = gst_harness_find_element (h, "rtpadaptudpsink");

  gst_object_unref (sink); /* the harness has it */
  return sink;
}

static void
run_row (guint r, gboolean as_list)
{
  guint port, n = (guint) strlen (rows[r].packets);
  gint ear = udp_socket (rows[r].ear, &port);
  GstBufferList *list = gst_buffer_list_new ();
  UdpHeard heard;
  GstHarness *h;

  g_test_message ("%s", rows[r].why);
  if (ear < 0) {
    gst_buffer_list_unref (list);
    g_test_skip ("no IPv6 here");
    return;
  }
  h = sink_new (rows[r].host, port, rows[r].settings);
  for (guint i = 0; i < n; i++) {
    GstBuffer *packet = udp_packet (i, 100 + i, rows[r].packets[i]);

    if (as_list) {
      gst_buffer_list_add (list, packet);
    } else {
      g_assert_cmpint (gst_harness_push (h, packet), ==, GST_FLOW_OK);
    }
  }
  if (as_list)
    g_assert_cmpint (gst_pad_push_list (h->srcpad, list), ==, GST_FLOW_OK);
  else
    gst_buffer_list_unref (list);
  for (guint i = 0; i < n; i++) {
    udp_hear (ear, &heard);
    g_assert_cmpint (heard.size, ==, 100 + (gint) i);
    g_assert_cmpuint (heard.seq, ==, i);
    g_assert_cmphex (heard.tos, ==, rows[r].tos[i]);
  }
  g_assert_cmpuint (udp_stat (sink_of (h), "packets"), ==, n);
  gst_harness_teardown (h);
  close (ear);
}

static void
test_row (gconstpointer data)
{
  run_row (GPOINTER_TO_UINT (data), FALSE);
}

static void
test_row_list (gconstpointer data)
{
  run_row (GPOINTER_TO_UINT (data), TRUE);
}

/* --- many ----------------------------------------------------------------- */

/* 2,500 of 2,500, lists larger than a batch, bytes unharmed. */
static void
test_many (gconstpointer host)
{
  static const gchar kinds[] = "gyr-";
  static const gint tos[] = { 0x8a, 0x92, 0x9a, 0x02 };
  guint port, wrong = 0;
  gint ear = udp_socket (host, &port);
  UdpHeard heard;
  GstHarness *h;

  if (ear < 0) {
    g_test_skip ("no IPv6 here");
    return;
  }
  h = sink_new (host, port, "ecn=ect-0");
  for (guint seq = 0; seq < 2500; seq += 100) {
    GstBufferList *list = gst_buffer_list_new ();

    for (guint i = seq; i < seq + 100; i++)
      gst_buffer_list_add (
          list, udp_packet (i, 300 + i % 97, kinds[i % 7 % 4]));
    g_assert_cmpint (gst_pad_push_list (h->srcpad, list), ==, GST_FLOW_OK);
    for (guint i = seq; i < seq + 100; i++) {
      udp_hear (ear, &heard);
      g_assert_cmpint (heard.size, ==, 300 + (gint) i % 97);
      g_assert_cmpuint (heard.seq, ==, i);
      g_assert_cmphex (heard.data[heard.size - 1], ==, 0x55);
      wrong += heard.tos != tos[i % 7 % 4];
    }
  }
  g_assert_cmpuint (wrong, ==, 0);
  gst_harness_teardown (h);
  close (ear);
}

/* --- statistics and errors ------------------------------------------------ */

/* 2 of 12 + 100 bytes green, and so on; RTCP among the green, but for one before the first
 * colour. */
static void
test_stats (void)
{
  guint port;
  gint ear = udp_socket ("127.0.0.1", &port);
  GstHarness *h = sink_new ("127.0.0.1", port, "");
  GstElement *sink = sink_of (h);

  for (const gchar *kind = "cggyrr-c"; *kind; kind++)
    gst_harness_push (h, udp_packet (0, 112, *kind));
  g_assert_cmpuint (udp_stat (sink, "packets"), ==, 8);
  g_assert_cmpuint (udp_stat (sink, "bytes"), ==, 8 * 112);
  g_assert_cmpuint (udp_stat (sink, "packets-green"), ==, 3);
  g_assert_cmpuint (udp_stat (sink, "bytes-green"), ==, 3 * 112);
  g_assert_cmpuint (udp_stat (sink, "packets-yellow"), ==, 1);
  g_assert_cmpuint (udp_stat (sink, "packets-red"), ==, 2);
  g_assert_cmpuint (udp_stat (sink, "packets-uncoloured"), ==, 2);
  g_assert_cmpuint (udp_stat (sink, "packets-rtcp"), ==, 2);
  g_assert_cmpuint (udp_stat (sink, "rendered"), ==, 8); /* GstBaseSink's */
  gst_harness_teardown (h);
  close (ear);
}

static void
test_defaults (void)
{
  g_autoptr (GstElement) sink
      = gst_element_factory_make ("rtpadaptudpsink", NULL);
  gboolean sync, async;

  g_object_get (sink, "sync", &sync, "async", &async, NULL);
  g_assert_false (sync);
  g_assert_false (async);
}

/* 65,507 bytes are the most that fit into IPv4. */
static void
test_oversized (void)
{
  guint port;
  gint ear = udp_socket ("127.0.0.1", &port);
  GstHarness *h = sink_new ("127.0.0.1", port, "");
  GstElement *sink = sink_of (h);
  GstBufferList *list = gst_buffer_list_new ();
  GstBus *bus = udp_bus_new (sink);
  g_autofree gchar *said = NULL;
  UdpHeard heard;

  for (guint i = 0; i < 6; i++)
    gst_buffer_list_add (list, udp_packet (i, i % 2 ? 65508 : 500, 'g'));
  g_assert_cmpint (gst_pad_push_list (h->srcpad, list), ==, GST_FLOW_OK);
  for (guint i = 0; i < 6; i += 2) {
    udp_hear (ear, &heard);
    g_assert_cmpuint (heard.seq, ==, i);
  }
  g_assert_cmpuint (udp_stat (sink, "packets"), ==, 3);
  g_assert_cmpuint (udp_stat (sink, "oversized"), ==, 3);
  said = udp_said (bus, GST_MESSAGE_WARNING);
  g_assert_cmpstr (
      said, ==, "A packet of 65508 bytes is too large for the network.");
  g_assert_null (udp_said (bus, GST_MESSAGE_WARNING));
  gst_harness_teardown (h);
  udp_bus_free (bus);
  close (ear);
}

/* dscp=-1: as the socket has it, with ECN, too. */
static void
test_socket_tos (gconstpointer family)
{
  gboolean is_v6 = GPOINTER_TO_INT (family) == G_SOCKET_FAMILY_IPV6;
  const gchar *host = is_v6 ? "::1" : "127.0.0.1";
  guint port;
  gint ear = udp_socket (host, &port);
  g_autoptr (GSocket) socket = g_socket_new (GPOINTER_TO_INT (family),
      G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  g_autoptr (GstElement) sink
      = gst_element_factory_make ("rtpadaptudpsink", NULL);
  UdpHeard heard;
  GstHarness *h;

  if (ear < 0) {
    g_test_skip ("no IPv6 here");
    return;
  }
  g_assert_true (g_socket_set_option (socket, is_v6 ? IPPROTO_IPV6 : IPPROTO_IP,
      is_v6 ? IPV6_TCLASS : IP_TOS, 0x28, NULL));
  g_object_set (sink, "socket", socket, "host", host, "port", port, NULL);
  gst_util_set_object_arg (G_OBJECT (sink), "ecn", "ect-0");
  h = gst_harness_new_with_element (sink, "sink", NULL);
  gst_harness_set_src_caps_str (h, "application/x-rtp");
  g_assert_cmpint (
      gst_harness_push (h, udp_packet (0, 100, '-')), ==, GST_FLOW_OK);
  udp_hear (ear, &heard);
  g_assert_cmphex (heard.tos, ==, 0x2a);
  gst_harness_teardown (h);
  close (ear);
}

/* A connected socket hears that nobody listens. */
static void
test_refused (void)
{
  guint port;
  gint ear = udp_socket ("127.0.0.1", &port);
  g_autoptr (GSocket) socket = g_socket_new (G_SOCKET_FAMILY_IPV4,
      G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  g_autoptr (GSocketAddress) to
      = g_inet_socket_address_new_from_string ("127.0.0.1", port);
  g_autoptr (GstElement) sink
      = gst_element_factory_make ("rtpadaptudpsink", NULL);
  GstBus *bus = udp_bus_new (sink);
  GstHarness *h;

  close (ear);
  g_assert_true (g_socket_connect (socket, to, NULL, NULL));
  g_object_set (
      sink, "socket", socket, "host", "127.0.0.1", "port", port, NULL);
  h = gst_harness_new_with_element (sink, "sink", NULL);
  gst_harness_set_src_caps_str (h, "application/x-rtp");
  for (guint i = 0; i < 10; i++)
    g_assert_cmpint (
        gst_harness_push (h, udp_packet (i, 100, 'g')), ==, GST_FLOW_OK);
  g_assert_cmpuint (udp_stat (sink, "send-errors"), >, 0);
  g_assert_cmpuint (
      udp_stat (sink, "send-errors") + udp_stat (sink, "packets"), ==, 10);
  g_assert_null (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR));
  gst_harness_teardown (h);
  udp_bus_free (bus);
}

static const struct
{
  const gchar *settings, *said, *why;
} failures[] = {
  { "host=::1 bind-address=127.0.0.1",
      "Cannot send to the host \"::1\": the socket cannot send to this kind of "
      "address.",
      "IPv6 from an IPv4 socket" },
  { "host=no.such.host.invalid",
      "Cannot send to the host "
      "\"no.such.host.invalid\": *",
      "RFC 6761 6.4: there is no name in .invalid" },
  { "bind-address=192.0.2.1", "Cannot send from 192.0.2.1: *",
      "RFC 5737: nobody has this address" },
};

static void
test_failure (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  g_autofree gchar *line
      = g_strconcat ("rtpadaptudpsink ", failures[r].settings, NULL);
  GstElement *sink
      = gst_parse_launch_full (line, NULL, GST_PARSE_FLAG_PLACE_IN_BIN, NULL);
  g_autoptr (GstElement) pipeline = gst_pipeline_new (NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autofree gchar *said = NULL;

  g_test_message ("%s", failures[r].why);
  gst_bin_add (GST_BIN (pipeline), sink);
  g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_READY), ==,
      GST_STATE_CHANGE_FAILURE);
  said = udp_said (bus, GST_MESSAGE_ERROR);
  g_assert_nonnull (said);
  if (!g_pattern_match_simple (failures[r].said, said))
    g_error ("it said: %s", said);
  g_assert_null (udp_said (bus, GST_MESSAGE_ERROR));
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* The same as rtpadaptudpsrc says. */
static void
test_busy (void)
{
  guint port;
  gint other = udp_socket ("127.0.0.1", &port);
  g_autofree gchar *line = g_strdup_printf (
      "( rtpadaptudpsink host=127.0.0.1 bind-address=127.0.0.1 bind-port=%u )",
      port);
  g_autofree gchar *wanted
      = g_strdup_printf ("UDP port %u of 127.0.0.1 is in use.", port);
  g_autoptr (GstElement) pipeline = gst_pipeline_new (NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  gst_bin_add (GST_BIN (pipeline), line_new (line));
  g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_READY), ==,
      GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  g_assert_nonnull (message);
  gst_message_parse_error (message, &error, NULL);
  g_assert_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_BUSY);
  g_assert_cmpstr (error->message, ==, wanted);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  close (other);
}

/* --- changes while it plays ----------------------------------------------- */

static void
test_new_destination (void)
{
  guint ports[3], from;
  const gint ears[] = { udp_socket ("127.0.0.1", &ports[0]),
    udp_socket ("127.0.0.1", &ports[1]), udp_socket ("::1", &ports[2]) };
  GstHarness *h = sink_new ("127.0.0.1", ports[0], "");
  GstElement *sink = sink_of (h);
  UdpHeard heard;

  gst_harness_push (h, udp_packet (1, 100, 'g'));
  udp_hear (ears[0], &heard);
  g_assert_cmpuint (heard.seq, ==, 1);
  from = heard.from_port;

  g_object_set (sink, "port", ports[1], NULL);
  gst_harness_push (h, udp_packet (2, 100, 'y'));
  udp_hear (ears[1], &heard);
  g_assert_cmpuint (heard.seq, ==, 2);
  g_assert_cmphex (heard.tos, ==, 0x90);
  g_assert_cmpuint (heard.from_port, ==, from);

  if (ears[2] >= 0) {
    g_object_set (sink, "host", "::1", "port", ports[2], NULL);
    gst_harness_push (h, udp_packet (3, 100, 'r'));
    udp_hear (ears[2], &heard);
    g_assert_cmpuint (heard.seq, ==, 3);
    g_assert_cmphex (heard.tos, ==, 0x98);
    g_assert_cmpuint (heard.from_port, ==, from);
  }
  gst_harness_teardown (h);
  for (guint i = 0; i < 3; i++)
    close (ears[i]);
}

/* A new port needs no name server, and a name that is not found ends nothing.  The same
 * name is looked up again: in another network it has another address. */
static void
test_no_names (void)
{
  guint ports[3];
  const gint ears[] = { udp_socket ("127.0.0.1", &ports[0]),
    udp_socket ("127.0.0.1", &ports[1]), udp_socket ("127.0.0.2", &ports[2]) };
  GResolver *before = names_begin ();
  g_autofree gchar *said = NULL;
  GstHarness *h;
  GstElement *sink;
  UdpHeard heard;
  GstBus *bus;

  names_at = "127.0.0.1";
  h = sink_new ("camera.test", ports[0], "");
  sink = sink_of (h);
  bus = udp_bus_new (sink);
  names_at = NULL;
  g_object_set (sink, "port", ports[1], NULL);
  g_assert_null (udp_said (bus, GST_MESSAGE_WARNING));
  g_object_set (sink, "host", "other.test", NULL);
  said = udp_said (bus, GST_MESSAGE_WARNING);
  g_assert_nonnull (strstr (said, "address before: \"other.test\""));
  g_assert_null (udp_said (bus, GST_MESSAGE_ERROR));
  g_assert_cmpint (
      gst_harness_push (h, udp_packet (1, 100, 'g')), ==, GST_FLOW_OK);
  udp_hear (ears[1], &heard);
  g_assert_cmpuint (heard.seq, ==, 1);
  /* It is looked up again when somebody sets it again. */
  for (guint i = 0; i < 3; i += 2) {
    names_at = i == 0 ? "127.0.0.1" : "127.0.0.2";
    g_object_set (sink, "host", "other.test", "port", ports[i], NULL);
    g_assert_null (udp_said (bus, GST_MESSAGE_WARNING));
    gst_harness_push (h, udp_packet (2, 100, 'g'));
    udp_hear (ears[i], &heard);
    g_assert_cmpint (heard.size, ==, 100);
  }
  gst_harness_teardown (h);
  udp_bus_free (bus);
  names_end (before);
  for (guint i = 0; i < 3; i++)
    close (ears[i]);
}

/* RFC 791: the TTL is in the header of each packet. */
static void
test_ttl (gconstpointer host)
{
  guint port;
  gint ear = udp_socket (host, &port);
  UdpHeard heard;
  GstHarness *h;

  if (ear < 0) {
    g_test_skip ("no IPv6 here");
    return;
  }
  h = sink_new (host, port, "ttl=7");
  gst_harness_push (h, udp_packet (1, 100, 'g'));
  udp_hear (ear, &heard);
  g_assert_cmpint (heard.ttl, ==, 7);
  gst_harness_teardown (h);
  close (ear);
}

static void
test_restart (void)
{
  guint port, files = 0;
  gint ear = udp_socket ("127.0.0.1", &port);
  GstElement *sink = gst_element_factory_make ("rtpadaptudpsink", NULL);
  GSocket *socket;
  UdpHeard heard;

  g_object_set (sink, "host", "127.0.0.1", "port", port, NULL);
  for (guint i = 0; i < 100; i++) {
    GstHarness *h = gst_harness_new_with_element (sink, "sink", NULL);

    gst_harness_set_src_caps_str (h, "application/x-rtp");
    gst_harness_push (h, udp_packet (i, 100, 'g'));
    udp_hear (ear, &heard);
    g_assert_cmpuint (heard.seq, ==, i);
    g_assert_cmpuint (udp_stat (sink, "packets"), ==, 1);
    gst_harness_teardown (h);
    g_object_get (sink, "used-socket", &socket, NULL);
    g_assert_null (socket);
    if (i == 0)
      files = udp_open_files ();
  }
  g_assert_cmpuint (udp_open_files (), ==, files);
  gst_object_unref (sink);
  close (ear);
}

void
tests_add (void)
{
  rows_add ("/udpsink/row", rows, test_row);
  rows_add ("/udpsink/row-list", rows, test_row_list);
  rows_add ("/udpsink/failure", failures, test_failure);
  g_test_add_data_func ("/udpsink/many-v4", "127.0.0.1", test_many);
  g_test_add_data_func ("/udpsink/many-v6", "::1", test_many);
  g_test_add_func ("/udpsink/stats", test_stats);
  g_test_add_func ("/udpsink/busy", test_busy);
  g_test_add_func ("/udpsink/defaults", test_defaults);
  g_test_add_func ("/udpsink/oversized", test_oversized);
  g_test_add_func ("/udpsink/refused", test_refused);
  g_test_add_data_func ("/udpsink/socket-tos/v4",
      GINT_TO_POINTER (G_SOCKET_FAMILY_IPV4), test_socket_tos);
  g_test_add_data_func ("/udpsink/socket-tos/v6",
      GINT_TO_POINTER (G_SOCKET_FAMILY_IPV6), test_socket_tos);
  g_test_add_func ("/udpsink/new-destination", test_new_destination);
  g_test_add_func ("/udpsink/no-names", test_no_names);
  g_test_add_data_func ("/udpsink/ttl-v4", "127.0.0.1", test_ttl);
  g_test_add_data_func ("/udpsink/ttl-v6", "::1", test_ttl);
  g_test_add_func ("/udpsink/restart", test_restart);
}
