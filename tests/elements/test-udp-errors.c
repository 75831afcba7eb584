/* The UDP elements survive errors of the network: forged ICMP, an interface that is
 * down, routes that are gone, a firewall.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "names-fixture.h"
#include "udp-fixture.h"

#include "../../plugins/rtpadapt/udp/udpreach.h"
#include "../../plugins/rtpadapt/udp/udpsock.h"
#include "../trust/trust.h"
#include "../rows.h"

#include <netinet/ip_icmp.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>

/* --- rows: what an errno means -------------------------------------------- */

/* ip(7), udp(7), recvmsg(2), sendmsg(2). */
static const struct
{
  gint code;
  UdpError means;
  const gchar *why;
} rows[] = {
  { ECONNREFUSED, UDP_ERROR_PASSES, "port unreachable: nobody listens yet" },
  { EHOSTUNREACH, UDP_ERROR_PASSES, "no route to the host" },
  { ENETUNREACH, UDP_ERROR_PASSES, "no route to the network" },
  { EHOSTDOWN, UDP_ERROR_PASSES, "ICMP, host unknown" },
  { ENONET, UDP_ERROR_PASSES, "ICMP, host isolated" },
  { ENOPROTOOPT, UDP_ERROR_PASSES, "ICMP, protocol unreachable" },
  { EOPNOTSUPP, UDP_ERROR_PASSES, "ICMP, source route failed" },
  { EMSGSIZE, UDP_ERROR_PASSES, "ICMP, fragmentation needed" },
  { EPROTO, UDP_ERROR_PASSES, "ICMP, parameter problem" },
  { EACCES, UDP_ERROR_PASSES, "ICMPv6, administratively prohibited" },
  { EPERM, UDP_ERROR_PASSES, "a firewall" },
  { ENETDOWN, UDP_ERROR_PASSES, "the interface is down" },
  { EADDRNOTAVAIL, UDP_ERROR_PASSES, "the address moved" },
  { ETIMEDOUT, UDP_ERROR_PASSES, "unknown ones pass" },
  { ENOMEM, UDP_ERROR_WAITS, "the kernel has no memory now" },
  { ENOBUFS, UDP_ERROR_WAITS, "nor a buffer" },
  { EBADF, UDP_ERROR_STAYS, "the socket was closed" },
  { ENOTSOCK, UDP_ERROR_STAYS, "it is a file" },
  { ENOTCONN, UDP_ERROR_STAYS, "it is of TCP" },
  { EINVAL, UDP_ERROR_STAYS, "it cannot receive" },
  { EFAULT, UDP_ERROR_STAYS, "our own error" },
  { ENOSYS, UDP_ERROR_STAYS, "the system cannot do it" },
};

static void
test_row (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);

  g_test_message ("%s", rows[r].why);
  g_assert_cmpint (udp_error_read (rows[r].code), ==, rows[r].means);
}

/* --- rows: how long nothing leaves ----------------------------------------- */

/* A second goes on before each letter: u, no route; s, a packet leaves; e, another error; -,
 * nothing.  x at u: a look-up, which needs 2 s without a packet, and 5 s since the last one
 * (udpreach.h).  x at s: packets were refused for 2 s. */
static const struct
{
  const gchar *events, *says;
  const gchar *why;
} reach_rows[] = {
  { "uuuuuuuu", "..x....x", "it lasts" },
  { "uusuuu", ".....x", "a packet left between" },
  { "eeesee", "...x..", "a firewall is no matter of names" },
  { "e--se--s", "........", "one that refuses some packets does not last" },
  { "uuusuuuu", "..xx...x", "not more often, whatever leaves between" },
};

static void
test_reach (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  gint64 now = 1;
  UdpReach reach = { 0 };

  g_test_message ("%s", reach_rows[r].why);
  for (guint i = 0; reach_rows[r].events[i]; i++, now += G_TIME_SPAN_SECOND) {
    gchar event = reach_rows[r].events[i];
    gint code = event == 'u' ? ENETUNREACH : EPERM;
    gboolean says = event == 's'
        ? udp_reach_on_sent (&reach)
        : event != '-' && udp_reach_on_error (&reach, code, now);

    g_assert_cmpint (says, ==, reach_rows[r].says[i] == 'x');
  }
}

/* --- rtpadaptudpsrc with a socket that hears of errors --------------------- */

/* A given socket, connected to `peer`, between the kernel and a harness. */
typedef struct
{
  GSocket *socket;
  gint peer;
  guint peer_port, port;
  GstElement *src;
  GstBus *bus;
  GstHarness *h;
} Given;

static void
given_new (Given *g, gboolean queue)
{
  const gint on = queue;
  struct sockaddr_in to = { .sin_family = AF_INET };

  g->peer = udp_socket ("127.0.0.1", &g->peer_port);
  g->socket = udp_socket_new ("127.0.0.1", 0, FALSE, NULL);
  g->port = udp_socket_port (g->socket);
  to.sin_addr.s_addr = g_htonl (INADDR_LOOPBACK);
  to.sin_port = g_htons ((guint16) g->peer_port);
  g_assert_cmpint (
      connect (g_socket_get_fd (g->socket), (gpointer) &to, sizeof to), ==, 0);
  setsockopt (
      g_socket_get_fd (g->socket), IPPROTO_IP, IP_RECVERR, &on, sizeof on);
  g->src = gst_parse_launch ("rtpadaptudpsrc", NULL);
  g_object_set (g->src, "socket", g->socket, NULL);
  g->bus = udp_bus_new (g->src);
  g->h = gst_harness_new_with_element (g->src, NULL, "src");
  gst_harness_play (g->h);
}

static void
given_end (Given *g)
{
  gst_harness_teardown (g->h);
  udp_bus_free (g->bus);
  gst_object_unref (g->src);
  g_object_unref (g->socket);
  close (g->peer);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Given, given_end)

/* A packet of the peer comes through. */
static void
given_hears (Given *g)
{
  g_autofree gchar *said = NULL;
  g_autoptr (GstBuffer) buffer = NULL;

  udp_say (g->peer, "127.0.0.1", g->port, 0, "x", 1);
  buffer = gst_harness_pull (g->h);
  g_assert_nonnull (buffer);
  said = udp_said (g->bus, GST_MESSAGE_ERROR);
  g_assert_cmpstr (said, ==, NULL);
}

static guint16
checksum (const guint16 *words, gsize n)
{
  guint32 sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += words[i];
  sum = (sum & 0xffff) + (sum >> 16);
  return (guint16) ~(sum + (sum >> 16));
}

/* An ICMP error about a packet from the socket to its peer (RFC 792). */
static void
forge (gint raw, const Given *g, guint8 type, guint8 code)
{
  struct sockaddr_in to = { .sin_family = AF_INET };
  guint8 message[8 + 20 + 8] = { type, code };
  guint8 *ip = message + 8, *udp = ip + 20;
  guint16 sum;

  to.sin_addr.s_addr = g_htonl (INADDR_LOOPBACK);
  ip[0] = 0x45;
  GST_WRITE_UINT16_BE (ip + 2, 28);
  ip[8] = 64;
  ip[9] = IPPROTO_UDP;
  memcpy (ip + 12, &to.sin_addr, 4);
  memcpy (ip + 16, &to.sin_addr, 4);
  GST_WRITE_UINT16_BE (udp, (guint16) g->port);
  GST_WRITE_UINT16_BE (udp + 2, (guint16) g->peer_port);
  GST_WRITE_UINT16_BE (udp + 4, 8);
  sum = checksum ((const guint16 *) message, sizeof message / 2);
  memcpy (message + 2, &sum, 2);
  g_assert_cmpint (
      sendto (raw, message, sizeof message, 0, (gpointer) &to, sizeof to), ==,
      (gssize) sizeof message);
}

/* RFC 792, RFC 1122 3.2.2.1; what Linux makes of them stands in rows[]. */
static void
test_forged_icmp (gconstpointer data)
{
  gint raw = socket (AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
  Given g;

  if (raw < 0) {
    g_test_skip ("needs CAP_NET_RAW");
    return;
  }
  given_new (&g, GPOINTER_TO_INT (data));
  for (guint8 code = 0; code <= 12; code++) {
    for (guint i = 0; i < 20; i++)
      forge (raw, &g, ICMP_DEST_UNREACH, code);
    given_hears (&g);
  }
  forge (raw, &g, ICMP_PARAMETERPROB, 0);
  forge (raw, &g, ICMP_TIME_EXCEEDED, 0);
  given_hears (&g);
  trust_row ("attack",
      GPOINTER_TO_INT (data) ? "14 forged ICMP, queued by the kernel"
                             : "14 forged ICMP",
      "each kind of it 20 times: what the peer sends is read", TRUE,
      "13 codes of unreachable, a parameter problem, a time exceeded");
  given_end (&g);
  close (raw);
}

/* With IP_RECVERR, poll() returns at once until somebody takes the errors from their
 * queue, so an element that does not take them would spin. */
static void
test_no_spin (void)
{
  struct pollfd waits = { 0 };
  g_auto (Given) g;

  given_new (&g, TRUE);
  close (g.peer);
  for (guint i = 0; i < 20; i++)
    send (g_socket_get_fd (g.socket), "x", 1, 0);
  waits.fd = g_socket_get_fd (g.socket);
  wait_until (poll (&waits, 1, 0) == 0);
  g.peer = -1;
}

/* An error that stays ends the stream at once. */
static void
test_closed (void)
{
  g_autoptr (GstMessage) message = NULL;
  g_auto (Given) g;

  given_new (&g, FALSE);
  given_hears (&g);
  /* TCP's, not connected, in the socket's place: ENOTCONN */
  {
    gint other = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    dup2 (other, g_socket_get_fd (g.socket));
    close (other);
  }
  udp_say (g.peer, "127.0.0.1", g.port, 0, "x", 1);
  message = gst_bus_timed_pop_filtered (
      g.bus, PATIENCE * GST_USECOND, GST_MESSAGE_ERROR);
  g_assert_nonnull (message);
}

/* --- both, in a network of their own --------------------------------------- */

static gboolean
run (const gchar *command)
{
  gint status;

  return g_spawn_command_line_sync (command, NULL, NULL, &status, NULL)
      && status == 0;
}

/* Commands that cut the path, and commands that mend it. */
static const struct
{
  const gchar *cut, *mend, *why;
} cuts[] = {
  { "ip link set lo down", "ip link set lo up", "the interface is down" },
  { "ip route add unreachable 127.0.0.9 table local",
      "ip route del unreachable 127.0.0.9 table local", "EHOSTUNREACH" },
  { "ip route add prohibit 127.0.0.9 table local",
      "ip route del prohibit 127.0.0.9 table local", "EACCES" },
  { "ip route add blackhole 127.0.0.9 table local",
      "ip route del blackhole 127.0.0.9 table local", "EINVAL" },
  { "iptables -A OUTPUT -p udp -j DROP", "iptables -F", "EPERM: a firewall" },
};

static void
test_cut (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  GstHarness *out
      = gst_harness_new_parse ("rtpadaptudpsink host=127.0.0.9 port=5004");
  g_autoptr (GstElement) src
      = gst_parse_launch ("rtpadaptudpsrc port=5004", NULL);
  g_autoptr (GstElement) sink = NULL;
  GstHarness *in = gst_harness_new_with_element (src, NULL, "src");
  GstBus *bus = udp_bus_new (src);
  g_autofree gchar *said = NULL;

  sink = gst_harness_find_element (out, "rtpadaptudpsink");
  gst_harness_set_src_caps_str (out, "application/x-rtp");
  gst_harness_play (in);
  g_assert_cmpint (
      gst_harness_push (out, udp_packet (1, 100, '-')), ==, GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (in));
  if (run (cuts[r].cut)) {
    for (guint i = 0; i < 40; i++)
      g_assert_cmpint (
          gst_harness_push (out, udp_packet (i, 100, '-')), ==, GST_FLOW_OK);
    /* Linux takes packets for a loopback that is down, and drops them. */
    if (r > 0)
      g_assert_cmpuint (udp_stat (sink, "send-errors"), ==, 40);
    g_assert_true (run (cuts[r].mend));
    g_assert_cmpint (
        gst_harness_push (out, udp_packet (1, 100, '-')), ==, GST_FLOW_OK);
    gst_buffer_unref (gst_harness_pull (in));
    said = udp_said (bus, GST_MESSAGE_ERROR);
    g_assert_cmpstr (said, ==, NULL);
  } else {
    g_test_skip (cuts[r].why);
  }
  gst_harness_teardown (out);
  gst_harness_teardown (in);
  udp_bus_free (bus);
}

/* TRUE: `n` packets have left then. */
static gboolean
push_one (GstHarness *out, GstElement *sink, guint n)
{
  g_assert_cmpint (
      gst_harness_push (out, udp_packet (3, 100, '-')), ==, GST_FLOW_OK);
  return udp_stat (sink, "packets") == n;
}

/* An adapter that is taken out and put in again has another number (veth(4)), and a source
 * has to join again. */
static const struct
{
  const gchar *settings, *why;
} replaced[] = {
  { "host=fe80::2%cam0", "the zone of an address (RFC 4007 6)" },
  { "host=ff02::2%cam0", "of a group" },
  { "host=239.1.2.3 multicast-iface=cam0", "a name" },
};

static gboolean
adapter_new (void)
{
  if (run ("ip link add cam0 type veth peer name cam1")
      && run ("ip link set cam0 up") && run ("ip link set cam1 up")
      && run ("ip addr add fe80::1/64 dev cam0 nodad")
      && run ("ip addr add 10.9.8.7/24 dev cam0"))
    return TRUE;
  run ("ip link del cam0");
  g_test_skip ("no such adapter here");
  return FALSE;
}

/* 239.1.2.3, as the machine has numbers */
#define JOINED "grep -qE '030201EF|EF010203' /proc/self/net/igmp"

static void
test_replaced (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  g_autofree gchar *line
      = g_strconcat ("rtpadaptudpsink ", replaced[r].settings, NULL);
  g_autoptr (GstElement) sink = NULL;
  GstHarness *out, *in;

  g_test_message ("%s", replaced[r].why);
  if (!adapter_new ())
    return;
  in = gst_harness_new_parse (
      "rtpadaptudpsrc address=239.1.2.3 multicast-iface=cam0 port=0");
  gst_harness_play (in);
  out = gst_harness_new_parse (line);
  sink = gst_harness_find_element (out, "rtpadaptudpsink");
  gst_harness_set_src_caps_str (out, "application/x-rtp");
  gst_harness_push (out, udp_packet (1, 100, '-'));
  g_assert_cmpuint (udp_stat (sink, "packets"), ==, 1);
  g_assert_true (run (JOINED) && run ("ip link del cam0") && !run (JOINED));
  gst_harness_push (out, udp_packet (2, 100, '-'));
  g_assert_cmpuint (udp_stat (sink, "send-errors"), ==, 1);
  g_assert_true (adapter_new ());
  wait_until (push_one (out, sink, 2));
  wait_until (run (JOINED));
  gst_harness_teardown (out);
  gst_harness_teardown (in);
  run ("ip link del cam0");
}

/* An address that the sink is bound to is taken away and comes back. */
static void
test_lost (void)
{
  g_autoptr (GstElement) sink = NULL;
  g_autofree gchar *said = NULL, *again = NULL;
  GstHarness *out;
  GstBus *bus;

  if (!adapter_new ())
    return;
  out = gst_harness_new_parse (
      "rtpadaptudpsink host=10.9.8.1 bind-address=10.9.8.7");
  sink = gst_harness_find_element (out, "rtpadaptudpsink");
  bus = udp_bus_new (sink);
  gst_harness_set_src_caps_str (out, "application/x-rtp");
  gst_harness_push (out, udp_packet (1, 100, '-'));
  g_assert_true (run ("ip addr del 10.9.8.7/24 dev cam0"));
  gst_harness_push (out, udp_packet (2, 100, '-'));
  g_assert_cmpuint (udp_stat (sink, "send-errors"), ==, 1);
  said = udp_said (bus, GST_MESSAGE_WARNING);
  g_assert_true (said && strstr (said, "10.9.8.7"));
  g_assert_null (udp_said (bus, GST_MESSAGE_WARNING));
  g_object_set (sink, "host", "10.9.8.2", NULL);
  gst_harness_push (out, udp_packet (2, 100, '-'));
  again = udp_said (bus, GST_MESSAGE_WARNING);
  g_assert_true (again && strstr (again, "10.9.8.7")); /* of that one, too */
  g_assert_true (run ("ip addr add 10.9.8.7/24 dev cam0"));
  wait_until (push_one (out, sink, 2));
  gst_harness_teardown (out);
  udp_bus_free (bus);
  run ("ip link del cam0");
}

/* The name had an address in a network that is gone: nothing is routed there. */
static void
test_moved (void)
{
  guint port;
  gint ear = udp_socket ("127.0.0.1", &port);
  GResolver *before = names_begin ();
  g_autoptr (GstElement) sink = NULL;
  GstHarness *out;

  g_atomic_pointer_set (&names_at, "192.0.2.1"); /* RFC 5737 */
  out = gst_harness_new_parse ("rtpadaptudpsink host=station.test");
  sink = gst_harness_find_element (out, "rtpadaptudpsink");
  g_object_set (sink, "port", port, NULL);
  gst_harness_set_src_caps_str (out, "application/x-rtp");
  g_atomic_pointer_set (&names_at, "127.0.0.1");
  wait_until (push_one (out, sink, 1));
  g_assert_cmpint (g_atomic_int_get (&names_asked), ==, 2);
  gst_harness_teardown (out);
  names_end (before);
  close (ear);
}

void
tests_add (void)
{
  /* Threads that start later are in it, too. */
  gboolean own = unshare (CLONE_NEWNET) == 0 && run ("ip link set lo up");

  rows_add ("/udp-errors/row", rows, test_row);
  rows_add ("/udp-errors/reach", reach_rows, test_reach);
  rows_add_n ("/udp-errors/forged-icmp", 2, test_forged_icmp);
  g_test_add_func ("/udp-errors/no-spin", test_no_spin);
  g_test_add_func ("/udp-errors/closed", test_closed);
  if (own) {
    rows_add ("/udp-errors/cut", cuts, test_cut);
    rows_add ("/udp-errors/replaced", replaced, test_replaced);
    g_test_add_func ("/udp-errors/lost", test_lost);
    g_test_add_func ("/udp-errors/moved", test_moved);
  }
}
