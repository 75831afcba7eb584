/* rtpadaptsrc: what comes to its port and does not belong there, or elsewhere.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "../trust/trust.h"
#include "src-fixture.h"

static void
say_noise (gint fd, gint port, GRand *dice)
{
  guint8 data[64];
  gsize size = (gsize) g_rand_int_range (dice, 1, sizeof data);

  for (gsize i = 0; i < size; i++)
    data[i] = (guint8) g_rand_int (dice);
  udp_say (fd, "127.0.0.1", (guint) port, 0, data, size);
}

/* The kernel holds a few hundred packets and drops more: waits till those are
 * read that the sender has sent, and `by_hand`, of all this test's. */
static void
wait_read (Receiver *t, Sender *sender, guint by_hand)
{
  guint64 sent = by_hand + stat_of (sender_get (sender, "rtp"), "packets")
      + stat_of (sender_get (sender, "rtcp"), "packets");

  WAIT_UNTIL (t->bus, stat_of (t->src, "udp/packets") >= sent);
}

/* Before the stream and while it runs: it comes undisturbed, on one pad. */
static void
test_junk (void)
{
  g_autoptr (GRand) dice = g_rand_new_with_seed (3);
  g_auto (Receiver) t;
  g_auto (Sender) sender;
  /* From the sender's own address a stranger takes its place after PEER_RESTART, half a
   * second, which the sender may be silent for on a loaded machine. */
  gint fd = udp_socket ("127.0.0.2", NULL);

  receiver_open (&t, "pt-map=96=H264/90000", RECEIVER_H264);
  for (guint i = 0; i < 200; i++)
    say_noise (fd, t.port, dice);
  sender_new (&sender, t.port, TRUE, NULL, SENDER_VIDEO SENDER_SEND);
  wait_frames (&t, 0, 5);
  for (guint i = 0; i < 1000; i++) {
    say_noise (fd, t.port, dice);
    say_rtp (fd, t.port, 96, 1000 + i / 2, (guint16) i);
    say_rtp (fd, t.port, 97, 7, (guint16) i);
    if (i % 50 == 49) {
      wait_read (&t, &sender, 200 + 3 * (i + 1));
      wait_frames (&t, 0, 2);
    }
  }
  WAIT_UNTIL (t.bus, stat_of (t.src, "foreign-rtp") >= 1000);
  WAIT_UNTIL (t.bus, stat_of (t.src, "unknown-payload") >= 1000);
  g_assert_cmpuint (stat_of (t.src, "junk"), >, 200);
  g_assert_cmpuint (stat_of (t.src, "moved"), ==, 0);
  g_assert_cmpint (g_atomic_int_get (&t.pads), ==, 1);
  wait_frames (&t, 0, 10);
  close (fd);
}

/* A thousand SSRCs in packets forged so that they come from the sender. */
static void
test_ssrc_flood (void)
{
  g_auto (Receiver) t;
  g_auto (Sender) sender;
  gint fd;

  receiver_open (&t, "pt-map=96=H264/90000", RECEIVER_H264);
  sender_new (&sender, t.port, TRUE, NULL, SENDER_VIDEO SENDER_SEND);
  wait_frames (&t, 0, 5);
  fd = g_socket_get_fd (sender.socket);
  for (guint i = 0; i < 1000; i++) {
    say_rtp (fd, t.port, 96, 1000 + i, 1);
    say_rtp (fd, t.port, 96, 1000 + i, 2);
    if (i % 50 == 49) {
      wait_read (&t, &sender, 2 * (i + 1));
      wait_frames (&t, 0, 2);
    }
  }
  wait_frames (&t, 0, 30);
  g_assert_cmpuint (stat_of (t.src, "flood"), >, 900);
  g_assert_cmpint (g_atomic_int_get (&t.pads), <=, 16);
}

/* Packets one after the other from `fd`, till `moved` is `n`; then ten more, all
 * of which come out. */
static void
move_to (Receiver *t, gint fd, guint16 *seq, guint64 n)
{
  gint from;

  WAIT_UNTIL (t->bus,
      (say_rtp (fd, t->port, 0, 5, (*seq)++), TRUE)
          && stat_of (t->src, "moved") == n);
  from = g_atomic_int_get (&t->frames[0]);
  for (guint i = 0; i < 10; i++)
    say_rtp (fd, t->port, 0, 5, (*seq)++);
  WAIT_UNTIL (t->bus, g_atomic_int_get (&t->frames[0]) >= from + 10);
}

/* The peer goes to another port and comes back: its stream goes on. */
static void
test_move (void)
{
  g_auto (Receiver) t;
  guint port;
  guint16 seq = 0;
  gint home = udp_socket ("127.0.0.1", &port);
  gint away = udp_socket ("127.0.0.1", &port);

  receiver_open (&t, "latency=0", "rtppcmudepay" RECEIVER_OUT);
  move_to (&t, home, &seq, 0);
  move_to (&t, away, &seq, 1);
  move_to (&t, home, &seq, 2);
  trust_row ("fault", "sender moves to another port and back, no key",
      "its stream goes on by the same pad", g_atomic_int_get (&t.pads) == 1,
      "%d pad, moved 2 times", g_atomic_int_get (&t.pads));
  close (home);
  close (away);
}

/* Without rtcp-mux each kind has its port. */
static void
test_wrong_port (void)
{
  const guint8 rr[] = { 0x80, 201, 0, 1, 0, 0, 0, 5 };
  g_auto (Receiver) t;
  gint fd = udp_socket ("127.0.0.1", NULL), rtcp_port;

  receiver_open (&t, "rtcp-mux=false", "");
  g_object_get (t.src, "rtcp-port", &rtcp_port, NULL);
  say_rtp (fd, rtcp_port, 0, 5, 1);
  udp_say (fd, "127.0.0.1", (guint) t.port, 0, rr, sizeof rr);
  WAIT_UNTIL (t.bus, stat_of (t.src, "junk") == 2);
  close (fd);
}

/* The next RTCP that the receiver sends, and its SSRC. */
static guint32
hear_rtcp (gint fd)
{
  UdpHeard heard;

  udp_hear (fd, &heard);
  g_assert_cmpint (heard.size, >=, 8);
  return GST_READ_UINT32_BE (heard.data + 4);
}

/* A request for an SR (RFC 6051 3.2) about the receiver's SSRC, which would
 * make rtpsession wait for itself: dropped, and reports go on. */
static void
test_sr_request (void)
{
  guint8 rtcp[] = { 0x80, 201, 0, 1, 0, 0, 0, 5, /* an empty RR */
    0x85, 205, 0, 2, 0, 0, 0, 5, 0, 0, 0, 0 };
  g_auto (Receiver) t;
  guint16 seq = 0;
  gint fd = udp_socket ("127.0.0.1", NULL);

  receiver_open (&t, "latency=0", "rtppcmudepay" RECEIVER_OUT);
  move_to (&t, fd, &seq, 0);
  GST_WRITE_UINT32_BE (rtcp + 16, hear_rtcp (fd));
  udp_say (fd, "127.0.0.1", (guint) t.port, 0, rtcp, sizeof rtcp);
  WAIT_UNTIL (t.bus, stat_of (t.src, "sr-requests") == 1);
  g_assert_cmpuint (stat_of (t.src, "rtcp"), ==, 0);
  udp_say (fd, "127.0.0.1", (guint) t.port, 0, rtcp, 8);
  WAIT_UNTIL (t.bus, stat_of (t.src, "rtcp") == 1);
  move_to (&t, fd, &seq, 0);
  close (fd);
}

static const struct
{
  const gchar *settings;
  guint pt, others, n;
  const gchar *stat, *why;
} losts[] = {
  { "pt-map=96=H264/90000", 101, 102, 10, "unknown-payload", "unknown" },
  { "encoding-name=H264", 120, 122, 100, "rtp", "FEC, of Reed-Solomon" },
  { "encoding-name=H264", 121, 122, 100, "rtp", "retransmissions" },
  { "encoding-name=H264", 122, 121, 100, "rtp", "FEC" },
};

/* Media whose payload type is unknown, or of repair: one warning for each, which says
 * what to do. */
static void
test_lost_payload (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data), n = losts[row].n;
  g_auto (Receiver) t;
  gint fd = udp_socket ("127.0.0.1", NULL);

  receiver_open (&t, losts[row].settings, RECEIVER_H264);
  for (guint k = 0; k < 2; k++) {
    guint pt = k ? losts[row].others : losts[row].pt;
    g_autofree gchar *type = g_strdup_printf ("type %u ", pt), *said = NULL;

    for (guint16 i = 0; i < n; i++)
      say_rtp (fd, t.port, pt, 5, (guint16) (k * n + i));
    WAIT_UNTIL (t.bus, (said = udp_said (t.bus, GST_MESSAGE_WARNING)));
    g_assert_nonnull (strstr (said, type));
  }
  WAIT_UNTIL (t.bus, stat_of (t.src, losts[row].stat) == 2 * n);
  g_assert_cmpint (g_atomic_int_get (&t.pads), ==, 0);
  close (fd);
}

void
tests_add (void)
{
  g_test_add_func ("/src/junk", test_junk);
  g_test_add_func ("/src/ssrc-flood", test_ssrc_flood);
  g_test_add_func ("/src/move", test_move);
  g_test_add_func ("/src/wrong-port", test_wrong_port);
  g_test_add_func ("/src/sr-request", test_sr_request);
  rows_add ("/src/lost-payload", losts, test_lost_payload);
}
