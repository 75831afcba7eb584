/* rtpadaptudpsrc, told by a plain socket.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "udp-fixture.h"

#include "../../plugins/rtpadapt/parts/tosmeta.h"
#include "../rows.h"

#include <gst/net/gstnetaddressmeta.h>

/* The element between a plain socket and a harness. */
typedef struct
{
  GstHarness *h;
  GstElement *src;
  GstClock *clock;
  GstBus *bus;
  gint port, mouth;
  guint mouth_port;
} Path;

/* `mouth` is the address to send from.  FALSE if there is no such. */
static gboolean
path_new (Path *t, const gchar *mouth, const gchar *settings, GstState state)
{
  g_autofree gchar *line
      = g_strconcat ("rtpadaptudpsrc port=0 ", settings, NULL);

  t->mouth = udp_socket (mouth, &t->mouth_port);
  if (t->mouth < 0) {
    g_test_skip ("no IPv6 here");
    return FALSE;
  }
  t->src = gst_parse_launch (line, NULL);
  t->bus = udp_bus_new (t->src);
  t->h = gst_harness_new_with_element (t->src, NULL, "src");
  gst_harness_use_systemclock (t->h);
  t->clock = gst_system_clock_obtain ();
  gst_element_set_base_time (t->src, gst_clock_get_time (t->clock));
  gst_element_set_state (t->src, state);
  g_object_get (t->src, "port", &t->port, NULL);
  g_assert_cmpint (t->port, >, 0);
  return TRUE;
}

static void
path_end (Path *t)
{
  gst_harness_teardown (t->h);
  udp_bus_free (t->bus);
  gst_object_unref (t->src);
  gst_object_unref (t->clock);
  close (t->mouth);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Path, path_end)

static GstClockTime
path_now (Path *t)
{
  return gst_clock_get_time (t->clock) - gst_element_get_base_time (t->src);
}

static void
path_say (Path *t, gsize size)
{
  guint8 data[2048] = { 0x80, 96 };

  udp_say (t->mouth, "127.0.0.1", (guint) t->port, 0, data, size);
}

/* --- rows: what is known of a packet -------------------------------------- */

static const struct
{
  const gchar *settings, *mouth, *to;
  gint tos;
  const gchar *from; /* GstNetAddressMeta */
  const gchar *why;
} rows[] = {
  { "address=0.0.0.0", "127.0.0.1", "127.0.0.1", 0x88, "127.0.0.1", "AF41" },
  { "address=127.0.0.1", "127.0.0.1", "127.0.0.1", 0x03, "127.0.0.1",
      "CE (RFC 3168 5)" },
  { "address=::1", "::1", "::1", 0x9a, "::1", "IPv6: AF43, ECT(0)" },
  { "", "::1", "::1", 0xfd, "::1", "both families, IPv6" },
  { "", "127.0.0.1", "127.0.0.1", 0x91, "127.0.0.1",
      "both families, IPv4: the sender's address is not v4-mapped" },
  { "address=::ffff:127.0.0.1", "127.0.0.1", "127.0.0.1", 0x28, "127.0.0.1",
      "v4-mapped as written: AF11" },
  { "address=::", "127.0.0.1", "127.0.0.1", 0, "127.0.0.1",
      "best effort, v4-mapped" },
};

static void
test_row (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  g_autofree gchar *dscp = g_strdup_printf ("dscp-%d", rows[r].tos >> 2);
  static const gchar *const ecn[] = { "", "ect-1", "ect-0", "ce" };
  g_autofree gchar *from = NULL;
  GInetSocketAddress *address;
  GstBuffer *buffer;
  Path t;

  g_test_message ("%s", rows[r].why);
  if (!path_new (&t, rows[r].mouth, rows[r].settings, GST_STATE_PLAYING))
    return;
  udp_say (t.mouth, rows[r].to, (guint) t.port, rows[r].tos, "some text", 9);
  buffer = gst_harness_pull (t.h);
  g_assert_nonnull (buffer);
  g_assert_cmpint (gst_buffer_memcmp (buffer, 0, "some text", 9), ==, 0);
  g_assert_cmpuint (gst_buffer_get_size (buffer), ==, 9);
  g_assert_cmphex (rtp_adapt_buffer_get_tos (buffer), ==, rows[r].tos);
  address
      = G_INET_SOCKET_ADDRESS (gst_buffer_get_net_address_meta (buffer)->addr);
  from = g_inet_address_to_string (g_inet_socket_address_get_address (address));
  g_assert_cmpstr (from, ==, rows[r].from);
  g_assert_cmpuint (g_inet_socket_address_get_port (address), ==, t.mouth_port);
  gst_buffer_unref (buffer);

  g_assert_cmpuint (udp_stat (t.src, "packets"), ==, 1);
  g_assert_cmpuint (udp_stat (t.src, "bytes"), ==, 9);
  g_assert_cmpuint (udp_stat (t.src, dscp), ==, 1);
  for (gint i = 1; i < 4; i++)
    g_assert_cmpuint (udp_stat (t.src, ecn[i]), ==, i == (rows[r].tos & 3));
  path_end (&t);
}

/* Two senders by turns: each packet has its own. */
static void
test_two_senders (void)
{
  guint port;
  gint other = udp_socket ("127.0.0.1", &port);
  GstBuffer *buffer;
  Path t;

  path_new (&t, "127.0.0.1", "", GST_STATE_PLAYING);
  for (guint i = 0; i < 10; i++) {
    udp_say (i % 3 ? other : t.mouth, "127.0.0.1", (guint) t.port, 0, "x", 1);
    buffer = gst_harness_pull (t.h);
    g_assert_cmpuint (g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (
                          gst_buffer_get_net_address_meta (buffer)->addr)),
        ==, i % 3 ? port : t.mouth_port);
    gst_buffer_unref (buffer);
  }
  path_end (&t);
  close (other);
}

/* --- time ----------------------------------------------------------------- */

static void
test_time_is_now (void)
{
  GstClockTime last = 0;
  g_auto (Path) t;

  path_new (&t, "127.0.0.1", "", GST_STATE_PLAYING);
  for (guint i = 0; i < 200; i++) {
    GstClockTime before = path_now (&t), after;
    g_autoptr (GstBuffer) buffer = NULL;

    path_say (&t, 100);
    buffer = gst_harness_pull (t.h);
    after = path_now (&t);
    /* Two clocks cannot be read at the same instant. */
    g_assert_cmpuint (GST_BUFFER_DTS (buffer) + GST_MSECOND, >=, before);
    g_assert_cmpuint (GST_BUFFER_DTS (buffer), <=, after);
    g_assert_cmpuint (GST_BUFFER_DTS (buffer), >=, last);
    g_assert_cmpuint (GST_BUFFER_PTS (buffer), ==, GST_BUFFER_DTS (buffer));
    last = GST_BUFFER_DTS (buffer);
  }
}

/* Packets that wait for us are as old as the kernel says. */
static void
test_time_is_the_kernels (void)
{
  GstClockTime sent[6], last = 0;
  g_auto (Path) t;

  path_new (&t, "127.0.0.1", "", GST_STATE_PAUSED);
  for (guint i = 0; i < 6; i++) {
    sent[i] = path_now (&t);
    path_say (&t, 100);
    g_usleep (20000);
  }
  gst_element_set_state (t.src, GST_STATE_PLAYING);
  for (guint i = 0; i < 6; i++) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (t.h);
    GstClockTime dts = GST_BUFFER_DTS (buffer);

    g_assert_cmpuint (dts + GST_MSECOND, >=, sent[i]);
    if (i < 5)
      g_assert_cmpuint (dts, <, sent[i + 1]);
    g_assert_cmpuint (dts, >=, last);
    last = dts;
  }
}

/* --- what is lost --------------------------------------------------------- */

static void
test_truncated (void)
{
  GstBuffer *buffer;
  g_auto (Path) t;

  path_new (&t, "127.0.0.1", "mtu=1000", GST_STATE_PLAYING);
  path_say (&t, 1001);
  path_say (&t, 0);
  path_say (&t, 999);
  path_say (&t, 1000);
  for (guint size = 999; size <= 1000; size++) {
    buffer = gst_harness_pull (t.h);
    g_assert_cmpuint (gst_buffer_get_size (buffer), ==, size);
    gst_buffer_unref (buffer);
  }
  g_assert_cmpuint (udp_stat (t.src, "truncated"), ==, 1);
  g_assert_cmpuint (udp_stat (t.src, "packets"), ==, 3); /* the empty one too */
}

static void
test_kernel_drops (void)
{
  const guint n = 500;
  guint64 drops;
  g_auto (Path) t;

  path_new (&t, "127.0.0.1", "buffer-size=10000", GST_STATE_PAUSED);
  for (guint i = 0; i < n; i++)
    path_say (&t, 1000);
  drops = udp_stat (t.src, "kernel-drops");
  g_assert_cmpuint (drops, >, 0);
  g_assert_cmpuint (drops, <, n);
  gst_element_set_state (t.src, GST_STATE_PLAYING);
  for (guint i = 0; i < n - drops; i++)
    gst_buffer_unref (gst_harness_pull (t.h));
  g_assert_cmpuint (udp_stat (t.src, "packets"), ==, n - drops);
  g_assert_cmpuint (udp_stat (t.src, "kernel-drops"), ==, drops);
}

/* --- messages ------------------------------------------------------------- */

static void
test_timeout (void)
{
  const GstStructure *s;
  GstMessage *message;
  guint64 timeout;
  g_auto (Path) t;

  path_new (&t, "127.0.0.1", "timeout=20000000", GST_STATE_PLAYING);
  for (guint i = 0; i < 2; i++) {
    message = gst_bus_timed_pop_filtered (
        t.bus, PATIENCE * GST_USECOND, GST_MESSAGE_ELEMENT);
    g_assert_nonnull (message);
    s = gst_message_get_structure (message);
    g_assert_true (gst_structure_has_name (s, "GstUDPSrcTimeout"));
    g_assert_true (gst_structure_get_uint64 (s, "timeout", &timeout));
    g_assert_cmpuint (timeout, ==, 20 * GST_MSECOND);
    gst_message_unref (message);
  }
  path_say (&t, 100);
  gst_buffer_unref (gst_harness_pull (t.h));
}

/* It counts at once, though no packet ends the wait that goes on, and the wait can still
 * be ended. */
static void
test_timeout_set (void)
{
  g_autoptr (GstMessage) message = NULL;
  g_auto (Path) t;

  path_new (&t, "127.0.0.1", "", GST_STATE_PLAYING);
  g_usleep (20000); /* till it waits, though it holds before, too */
  g_object_set (t.src, "timeout", 20 * GST_MSECOND, NULL);
  message = gst_bus_timed_pop_filtered (
      t.bus, PATIENCE * GST_USECOND, GST_MESSAGE_ELEMENT);
  g_assert_nonnull (message);
  for (guint i = 0; i < 100; i++) {
    g_object_set (t.src, "timeout", (guint64) (i % 2) * GST_SECOND, NULL);
    gst_element_set_state (
        t.src, i % 4 < 2 ? GST_STATE_PAUSED : GST_STATE_PLAYING);
  }
  path_say (&t, 100);
  gst_buffer_unref (gst_harness_pull (t.h));
}

static void
test_port_in_use (void)
{
  guint port;
  gint other = udp_socket ("127.0.0.1", &port);
  g_autoptr (GstElement) pipeline = gst_pipeline_new (NULL);
  GstElement *src = gst_element_factory_make ("rtpadaptudpsrc", NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autofree gchar *said = NULL;
  g_autofree gchar *expected
      = g_strdup_printf ("UDP port %u of 127.0.0.1 is in use.", port);

  gst_bin_add (GST_BIN (pipeline), src);
  g_object_set (src, "address", "127.0.0.1", "port", port, NULL);
  g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_PLAYING), ==,
      GST_STATE_CHANGE_FAILURE);
  said = udp_said (bus, GST_MESSAGE_ERROR);
  g_assert_cmpstr (said, ==, expected);
  g_assert_null (udp_said (bus, GST_MESSAGE_ERROR));
  gst_element_set_state (pipeline, GST_STATE_NULL);
  close (other);
  g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_READY), ==,
      GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* --- states --------------------------------------------------------------- */

/* Half of the times it is stopped while it waits for a packet. */
static void
test_restart (void)
{
  guint files = 0;
  GSocket *socket;
  g_auto (Path) t;

  path_new (&t, "127.0.0.1", "", GST_STATE_PLAYING);
  for (guint i = 0; i < 100; i++) {
    if (i % 2) {
      path_say (&t, 100);
      gst_buffer_unref (gst_harness_pull (t.h));
      g_assert_cmpuint (udp_stat (t.src, "packets"), ==, 1);
    }
    g_assert_cmpint (gst_element_set_state (t.src, GST_STATE_NULL), ==,
        GST_STATE_CHANGE_SUCCESS);
    g_object_get (t.src, "used-socket", &socket, NULL);
    g_assert_null (socket);
    if (i == 0)
      files = udp_open_files ();
    g_assert_cmpuint (udp_open_files (), ==, files);
    gst_element_set_state (t.src, GST_STATE_PLAYING);
    g_object_get (t.src, "port", &t.port, NULL);
  }
}

/* docs/upstream.md, udpsrc-pause: the source's task has to know of the pause before it
 * ends.  It pauses, too, unless it waits in GstBaseSrc, which nobody sees. */
static void
wait_paused (Path *t)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (t->src, "src");
  gint64 end = g_get_monotonic_time () + G_TIME_SPAN_SECOND / 4;

  while (gst_pad_get_task_state (pad) != GST_TASK_PAUSED
      && g_get_monotonic_time () < end)
    g_usleep (1000);
}

/* Odd pauses last for 20 s of the system clock, and all but a record of DTLS and a BYE is
 * old then; what comes before PLAYING at the start is not, nor in a short pause. */
static void
test_pause (void)
{
  GstClock *clock = gst_test_clock_new ();
  g_auto (Path) t;

  gst_system_clock_set_default (clock);
  path_new (&t, "127.0.0.1", "", GST_STATE_PAUSED);
  path_say (&t, 100);
  gst_test_clock_advance_time (GST_TEST_CLOCK (clock), 20 * GST_SECOND);
  gst_element_set_state (t.src, GST_STATE_PLAYING);
  gst_buffer_unref (gst_harness_pull (t.h));
  for (guint i = 0; i < 20; i++) {
    g_autoptr (GstBuffer) buffer = NULL;
    guint8 record[50] = { 22, 0xfe, 0xff }; /* RFC 6347 4.1 */
    /* RFC 3550 6.4.2, 6.6 */
    guint8 bye[16]
        = { 0x80, 201, 0, 1, 0, 0, 0, 7, 0x81, 203, 0, 1, 0, 0, 0, 7 };
    gsize size = i % 2 == 0 ? 100 : i % 4 == 1 ? sizeof record : sizeof bye;

    path_say (&t, 100 + i);
    gst_buffer_unref (gst_harness_pull (t.h));
    g_assert_cmpint (gst_element_set_state (t.src, GST_STATE_PAUSED), ==,
        GST_STATE_CHANGE_NO_PREROLL);
    for (guint k = 0; k < (i % 2 ? 49 : 1); k++)
      path_say (&t, 100);
    if (i % 2) {
      udp_say (t.mouth, "127.0.0.1", (guint) t.port, 0, bye, 8); /* an RR */
      udp_say (t.mouth, "127.0.0.1", (guint) t.port, 0,
          i % 4 == 1 ? record : bye, size);
    }
    wait_paused (&t);
    gst_test_clock_advance_time (
        GST_TEST_CLOCK (clock), (i % 2 ? 20000 : 200) * GST_MSECOND);
    gst_element_set_state (t.src, GST_STATE_PLAYING);
    buffer = gst_harness_pull (t.h);
    g_assert_cmpuint (gst_buffer_get_size (buffer), ==, size);
    g_assert_cmpint (GST_BUFFER_IS_DISCONT (buffer), ==, i % 2);
  }
  g_assert_cmpuint (udp_stat (t.src, "stale"), ==, 10 * 50);
  gst_system_clock_set_default (NULL);
  gst_object_unref (clock);
}

static void
test_flush (void)
{
  g_auto (Path) t;

  path_new (&t, "127.0.0.1", "", GST_STATE_PLAYING);
  path_say (&t, 100);
  gst_buffer_unref (gst_harness_pull (t.h));
  g_assert_true (gst_element_send_event (t.src, gst_event_new_flush_start ()));
  g_assert_true (
      gst_element_send_event (t.src, gst_event_new_flush_stop (TRUE)));
  path_say (&t, 200);
  gst_buffer_unref (gst_harness_pull (t.h));
}

static void
test_caps (void)
{
  g_autoptr (GstCaps) caps
      = gst_caps_from_string ("application/x-rtp, media=video");
  g_autoptr (GstCaps) seen = NULL;
  g_autoptr (GstPad) pad = NULL;
  g_auto (Path) t;

  path_new (&t, "127.0.0.1", "caps=application/x-rtp", GST_STATE_PLAYING);
  path_say (&t, 100);
  gst_buffer_unref (gst_harness_pull (t.h));
  g_usleep (
      20000); /* till it waits for the next, though it holds before, too */
  g_object_set (t.src, "caps", caps, NULL);
  path_say (&t, 100);
  gst_buffer_unref (gst_harness_pull (t.h));
  pad = gst_element_get_static_pad (t.src, "src");
  seen = gst_pad_get_current_caps (pad);
  g_assert_true (gst_caps_is_equal (seen, caps));
}

/* Nothing of a packet is copied, so a buffer that is kept stays as it was. */
static void
test_kept_buffers (void)
{
  GstBuffer *kept[200];
  g_auto (Path) t;

  path_new (&t, "127.0.0.1", "", GST_STATE_PLAYING);
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++) {
    udp_say (t.mouth, "127.0.0.1", (guint) t.port, 0, &i, sizeof i);
    kept[i] = gst_harness_pull (t.h);
  }
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++) {
    g_assert_cmpint (gst_buffer_memcmp (kept[i], 0, &i, sizeof i), ==, 0);
    g_assert_true (gst_buffer_is_writable (kept[i]));
    gst_buffer_unref (kept[i]);
  }
}

/* An interface that does not exist is named.  Whether the group can be joined as routed is
 * the machine's. */
static void
test_iface (void)
{
  static const struct
  {
    const gchar *settings, *says;
    const gchar *why;
  } ifaces[] = {
    { "address=239.255.42.7 multicast-iface=nosuch",
        "There is no network interface \"nosuch\".", "none of that name" },
    { "address=239.255.42.7 multicast-iface=\"lo, nosuch\"",
        "There is no network interface \"nosuch\".", "the second of two" },
    { "address=239.255.42.7 multicast-iface=lo", NULL, "it is there" },
    { "address=127.0.0.1 multicast-iface=nosuch", NULL, "no group to join" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (ifaces); i++) {
    g_autofree gchar *line
        = g_strconcat ("rtpadaptudpsrc port=0 ", ifaces[i].settings, NULL);
    GstElement *src = line_new (line);
    GstBus *bus = udp_bus_new (src);
    g_autofree gchar *said = NULL;

    g_test_message ("%s", ifaces[i].why);
    gst_element_set_state (src, GST_STATE_READY);
    said = udp_said (bus, GST_MESSAGE_WARNING);
    g_assert_cmpstr (said, ==, ifaces[i].says);
    gst_element_set_state (src, GST_STATE_NULL);
    udp_bus_free (bus);
    gst_object_unref (src);
  }
}

void
tests_add (void)
{
  rows_add ("/udpsrc/row", rows, test_row);
  g_test_add_func ("/udpsrc/two-senders", test_two_senders);
  g_test_add_func ("/udpsrc/time-is-now", test_time_is_now);
  g_test_add_func ("/udpsrc/time-is-the-kernels", test_time_is_the_kernels);
  g_test_add_func ("/udpsrc/truncated", test_truncated);
  g_test_add_func ("/udpsrc/kernel-drops", test_kernel_drops);
  g_test_add_func ("/udpsrc/timeout", test_timeout);
  g_test_add_func ("/udpsrc/timeout-set", test_timeout_set);
  g_test_add_func ("/udpsrc/port-in-use", test_port_in_use);
  g_test_add_func ("/udpsrc/restart", test_restart);
  g_test_add_func ("/udpsrc/pause", test_pause);
  g_test_add_func ("/udpsrc/flush", test_flush);
  g_test_add_func ("/udpsrc/caps", test_caps);
  g_test_add_func ("/udpsrc/kept-buffers", test_kept_buffers);
  g_test_add_func ("/udpsrc/iface", test_iface);
}
