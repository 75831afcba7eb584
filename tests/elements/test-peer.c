/* Who may speak, in virtual time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../../plugins/rtpadapt/wire/peer.h"
#include "../rows.h"
#include "../trust/trust.h"

#include <string.h>

/* --- stories ------------------------------------------------------------ */

/* A story is words: "TIME WHO WHAT VERDICT", in ms.  WHO is a letter of who[].
 * WHAT is rSSRC.SEQ (RTP), cSSRC (RTCP), oSSRC (RTCP on an SSRC of ours) or
 * bSSRC (BYE).  VERDICT is one of ok, moved, foreign, early, called, flood. */
static const struct
{
  gchar letter;
  const gchar *host;
  guint16 port;
} who[] = {
  { 'A', "192.0.2.1", 5004 },
  { 'a', "192.0.2.1", 6000 }, /* A's host, another port */
  { 'B', "192.0.2.2", 5004 },
  { 'C', "2001:db8::1", 5004 },
  { 'M', "::ffff:192.0.2.1", 5004 }, /* A, v4-mapped */
  { 'L', "127.0.0.1", 40000 },
  { 'l', "127.0.0.1", 40001 },
  { 'Z', "fe80::1%1", 5004 }, /* link-local, in a zone */
  { 'Y', "fe80::1%2", 5004 },
  { 'z', "fe80::1", 5004 },
};

static const gchar *const verdicts[] = {
  [PEER_OK] = "ok",
  [PEER_MOVED] = "moved",
  [PEER_FOREIGN] = "foreign",
  [PEER_EARLY] = "early",
  [PEER_CALLED] = "called",
  [PEER_FLOOD] = "flood",
};

static const struct
{
  const gchar *host; /* of a sender, NULL: a receiver */
  gboolean any_port, authentic;
  const gchar *story;
  const gchar *rtcp; /* where the peer gets it at the end, "-": unknown */
  const gchar *why;
  const gchar *before; /* the host that it sent to until time 0, or NULL */
} rows[] = {
  { NULL, 0, 0, "0 A r7.10 ok, 10 A r7.11 moved, 20 A r7.12 ok", "A",
      "the second packet in a row fixes the address" },
  { NULL, 0, 0, "0 A r7.10 ok", "-", "one packet is no peer" },
  { NULL, 0, 0, "0 A r7.10 ok, 10 A r7.12 ok, 20 A r7.13 moved", "A",
      "a gap is not in a row" },
  { NULL, 0, 0, "0 A r7.65535 ok, 10 A r7.0 moved", "A",
      "65535 and 0 are in a row" },
  { NULL, 0, 0, "0 B r9.500 ok, 5 A r7.1 ok, 6 B r8.77 ok, 10 A r7.2 moved",
      "A", "who sends noise is not taken for the peer" },
  { NULL, 0, 0,
      "0 A r7.1 ok, 1 A r7.2 moved, 2 B r9.1 foreign, 3 a r7.3 foreign", "A",
      "others are foreign, another port of that host, too" },
  { NULL, 0, 0, "0 A r7.1 ok, 1 A r7.2 moved, 2 M r7.3 ok", "A",
      "a v4-mapped address is the IPv4 address" },
  { NULL, 0, 0,
      "0 L r7.1 ok, 1 L r7.2 moved, 2 l r8.1 foreign, 3 l r8.2 foreign", "L",
      "loopback: two senders on this host are two" },
  { NULL, 0, 0, "0 A r7.1 ok, 1 A r7.2 moved, 2 A r8.1 ok, 3 A r8.2 ok", "A",
      "audio beside video" },

  { NULL, 0, 0,
      "0 A r7.1 ok, 1 A r7.2 moved, 2999 B r9.1 foreign, 3001 B r9.2 ok, 3002 "
      "B r9.3 moved",
      "B", "silent for 3 s: another may come" },
  { NULL, 0, 0,
      "0 A r7.1 ok, 1 A r7.2 moved, 2000 A c7 ok, 3500 B r9.1 foreign, 5000 B "
      "r9.2 ok",
      "A", "a peer that reports is not silent" },
  { NULL, 0, 0,
      "0 A r7.1 ok, 1 A r7.2 moved, 1000 A r99.5 ok, 3500 B r9.1 ok, 3501 B "
      "r9.2 moved",
      "B", "noise from the peer's address is no sign of life" },
  { NULL, 0, 0,
      "0 A r7.1 ok, 1 A r7.2 moved, 3500 B r9.1 ok, 3501 A r7.3 ok, 3502 A r7.4 "
      "ok, 3503 B r9.2 foreign",
      "A", "it comes back while the other has not proved itself" },
  { NULL, 0, 0,
      "0 A r7.1 ok, 1 A r7.2 moved, 2 A b7 ok, 3 B r9.1 ok, 4 B r9.2 moved",
      "B", "BYE: another may come at once" },
  { NULL, 0, 0,
      "0 A r7.1 ok, 1 A r7.2 moved, 2 A r8.1 ok, 3 A r8.2 ok, 4 A b8 ok, 5 B "
      "r9.1 foreign, 6 A b7 ok, 7 B r9.1 ok",
      "A", "BYE of one of two streams is not the peer's" },
  { NULL, 0, 0,
      "0 A r7.1 ok, 1 A r7.2 moved, 2 A b7 ok, 3 A r7.3 ok, 4 B r9.1 foreign",
      "A", "after its BYE it goes on" },

  { NULL, 0, 0,
      "0 A r7.100 ok, 1 A r7.101 moved, 250 a r7.110 foreign, 251 a r7.111 "
      "moved, 252 A r7.112 foreign",
      "a", "NAT: its stream goes on from another port, after 250 ms" },
  { NULL, 0, 0,
      "0 A r7.100 ok, 1 A r7.101 moved, 251 B r7.3100 moved, 252 B r8.1 ok",
      "B", "to another network; 2999 lost (MAX_DROPOUT is 3000)" },
  { NULL, 0, 0, "0 A r7.100 ok, 1 A r7.101 moved, 251 B r7.3101 foreign", "A",
      "3000 ahead is not where it left off" },
  { NULL, 0, 0, "0 A r7.100 ok, 1 A r7.101 moved, 251 B r7.101 foreign", "A",
      "a packet repeated from elsewhere" },
  { NULL, 0, 0, "0 A r7.100 ok, 1 A r7.101 moved, 251 B r7.90 foreign", "A",
      "an old packet from elsewhere" },
  { NULL, 0, 0, "0 A r7.65530 ok, 1 A r7.65531 moved, 251 B r7.3 moved", "B",
      "it moves across the wrap" },
  { NULL, 0, 0, "0 A r7.1 ok, 1 A r7.2 moved, 2 A r8.5 ok, 400 B r8.6 foreign",
      "A", "an SSRC that has not proved itself does not move the peer" },

  { NULL, 0, 0, "0 A c7 called, 1 A r7.1 ok, 2 A r7.2 moved, 3 A c7 ok", "A",
      "RTCP alone makes no peer" },
  { NULL, 0, 0, "0 A c7 called, 1 A c7 early", "A",
      "RTCP of one whose RTP was not heard: it is answered" },
  { NULL, 0, 0, "0 A c7 called, 999 B c8 early, 1000 B c8 called", "B",
      "another is answered after 1 s" },
  { NULL, 0, 0,
      "0 A c7 called, 10 B c8 early, 11 C c9 early, 990 A c7 early, 1000 A c7 "
      "called",
      "B", "even if the first goes on, and who asked first" },
  { NULL, 0, 0,
      "0 A c7 called, 10 B c8 early, 1000 A c7 called, 1001 A c7 early, 2000 B "
      "c8 called",
      "A", "both of them, by turns" },
  { NULL, 0, 0, "0 B c8 called, 1 A r7.1 ok, 2 A r7.2 moved, 3 B c8 foreign",
      "A", "whoever sends RTP is answered then" },
  { NULL, 0, 0,
      "0 A r7.1 ok, 1 A r7.2 moved, 500 B c8 foreign, 501 B c8 called", "B",
      "the peer is silent for 500 ms: who speaks is answered" },
  { NULL, 0, 0,
      "0 A r7.1 ok, 1 A r7.2 moved, 501 B c8 called, 502 A c7 moved, 503 B c8 "
      "foreign",
      "A", "till the peer is heard, if by RTCP" },
  { NULL, 0, 0,
      "0 A r7.1 ok, 1 A r7.2 moved, 501 B c8 called, 502 A r7.3 moved", "A",
      "or by RTP" },
  { NULL, 1, 0, "0 A c7 called", "A", "two ports: the same" },

  { NULL, 0, 0,
      "0 A r7.1 ok, 1 A r7.2 moved, 500 a r9.1 foreign, 501 a r9.2 ok, 502 a "
      "r9.3 moved",
      "a", "killed and started again: its host after 500 ms" },
  { NULL, 0, 0,
      "0 A r7.1 ok, 1 A r7.2 moved, 501 B r9.1 foreign, 502 B r9.2 foreign",
      "A", "another host after 3 s only" },
  { NULL, 0, 0,
      "0 A r7.1 ok, 1 A r7.2 moved, 400 A r7.3 ok, 800 a r9.1 foreign, 801 A "
      "r7.4 ok, 1200 a r9.2 foreign",
      "A", "while it is heard nothing changes" },
  { NULL, 0, 0,
      "0 A r7.1 ok, 1 A r7.2 moved, 501 a r9.1 ok, 502 A r7.3 ok, 503 A r7.4 ok, "
      "504 a r9.2 foreign",
      "A", "one packet of another takes nothing" },
  { NULL, 0, 0, "0 A r7.1 ok, 1 A r7.2 moved, 2 a c7 foreign, 3 B c7 foreign",
      "A", "on one port, RTCP from RTP's address" },
  { NULL, 1, 0, "0 A r7.1 ok, 1 A r7.2 moved", "192.0.2.1:5005",
      "two ports: RTCP goes to the next one till it is heard (RFC 3550 11)" },
  { NULL, 1, 0, "0 Z r7.1 ok, 1 Z r7.2 moved", "[fe80::1%1]:5005",
      "two ports: the next one is in the same zone (RFC 4007 6)" },
  { NULL, 1, 0, "0 Z r7.1 ok, 1 Z r7.2 moved, 252 Y r7.3 moved",
      "[fe80::1%2]:5005",
      "the interface was replaced: the old number leads nowhere" },
  { NULL, 0, 0, "0 Z r7.1 ok, 1 Z r7.2 moved, 2 z r7.3 ok", "Z",
      "an address without its zone may be the same" },
  { NULL, 1, 0, "0 A r7.1 ok, 1 A r7.2 moved, 2 a c7 moved, 3 B c7 foreign",
      "a", "two ports: RTCP from any port of that host" },
  { NULL, 1, 0, "0 A r7.1 ok, 1 A r7.2 moved, 2 a c7 moved, 300 B r7.3 moved",
      "192.0.2.2:5005", "two ports: after a move the old one is forgotten" },

  { NULL, 0, 1, "0 A r7.1 moved, 1 B r7.2 moved, 2 C r7.3 moved", "C",
      "authentic: followed at once" },
  { NULL, 0, 1, "0 A r7.1 moved, 1 B r7.3 moved, 2 A r7.2 ok, 3 B r7.4 ok", "B",
      "authentic: one that was overtaken is no move" },
  { NULL, 0, 1, "0 A c7 called, 1 A r7.1 moved, 2 B c7 ok", "A",
      "authentic: RTCP from anywhere, but answers to where RTP is" },

  { "192.0.2.1", 0, 0,
      "0 A o1 moved, 5 A c1 ok, 6 a o1 foreign, 7 B o1 foreign", "A",
      "sender: the host it sends to" },
  { "192.0.2.1", 0, 0, "0 A c1 foreign, 1 a o1 moved", "a",
      "sender: not before a report on what it sent" },
  { "192.0.2.1", 0, 0, "0 A e1 ok, 1 a o1 moved, 2 A e1 foreign", "a",
      "sender: an empty report passes, and makes nobody the peer" },
  { "::ffff:192.0.2.1", 0, 0, "0 A o1 moved", "A",
      "sender: v4-mapped as it was looked up" },
  { "192.0.2.1", 0, 0, "0 A o1 moved, 2999 a o1 foreign, 3000 a o1 moved", "a",
      "sender: the receiver moved, after 3 s" },
  { "192.0.2.1", 0, 0, "0 A o1 moved, 3000 a c1 foreign", "A",
      "sender: after 3 s, but no report on what it sent" },
  { "192.0.2.1", 0, 0, "0 A o1 moved, 2999 a e1 foreign, 3000 a e1 ok", "A",
      "sender: after 3 s an empty report passes, and moves nobody" },
  { "192.0.2.1", 0, 0, "0 A o1 moved, 9000 B o1 foreign", "A",
      "sender: never another host" },
  { "192.0.2.1", 0, 0, "0 A o1 moved, 1 A b5 ok, 2 a o1 moved", "a",
      "sender: the receiver said BYE and starts again" },
  { "192.0.2.1", 1, 0, "0 A o1 moved, 1 a o1 moved, 2 B o1 foreign", "a",
      "sender, two ports: any of that host" },
  { "192.0.2.1", 0, 1, "0 A o1 moved, 1 B c1 moved", "B",
      "sender, authentic: from anywhere" },
  { "192.0.2.1", 0, 1,
      "1 B c1 foreign, 2 A c1 moved, 2900 A c1 ok, 5899 B c1 foreign", "A",
      "sender, authentic: the receiver before the present one has the key, too",
      "192.0.2.2" },
  { "192.0.2.1", 0, 1, "2999 B c1 foreign, 3000 B c1 moved, 3001 B c1 ok", "B",
      "after 3 s in which nobody else was heard it answers for both",
      "192.0.2.2" },
  { "192.0.2.1", 0, 1, "1 a c1 moved, 2 C c1 moved", "C",
      "a new port of the same host is no other receiver", "192.0.2.1" },
  { "239.1.2.3", 0, 0, "0 A o1 ok, 1 B o1 ok, 2 C c1 foreign", "-",
      "sender to a group: whoever reports on what it sent" },
};

static GSocketAddress *
address_of (gchar letter)
{
  for (guint i = 0; i < G_N_ELEMENTS (who); i++) {
    if (who[i].letter == letter)
      return g_inet_socket_address_new_from_string (who[i].host, who[i].port);
  }
  g_assert_not_reached ();
}

static gchar *
text_of (GSocketAddress *address)
{
  return address
      ? g_socket_connectable_to_string (G_SOCKET_CONNECTABLE (address))
      : g_strdup ("-");
}

/* A letter, "-", or an address as it is written. */
static void
check_address (GSocketAddress *address, const gchar *wanted)
{
  g_autofree gchar *found = text_of (address);
  g_autofree gchar *expected = NULL;

  if (strlen (wanted) == 1 && wanted[0] != '-') {
    g_autoptr (GSocketAddress) one = address_of (wanted[0]);

    expected = text_of (one);
  } else {
    expected = g_strdup (wanted);
  }
  g_assert_cmpstr (found, ==, expected);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Peer, peer_free)

static void
play (Peer *peer, const gchar *line)
{
  g_auto (GStrv) words = g_strsplit (g_strstrip ((gchar *) line), " ", 4);
  RaTime at = g_ascii_strtoull (words[0], NULL, 10) * RA_MSECOND;
  g_autoptr (GSocketAddress) from = address_of (words[1][0]);
  gchar *end;
  guint32 ssrc = (guint32) g_ascii_strtoull (words[2] + 1, &end, 10);
  PeerVerdict verdict;

  if (words[2][0] == 'r')
    verdict = peer_rtp (
        peer, from, ssrc, (guint16) g_ascii_strtoull (end + 1, NULL, 10), at);
  else
    verdict = peer_rtcp (peer, from,
        &(PeerRtcp){ .ssrc = ssrc,
            .bye = words[2][0] == 'b',
            .on_ours = words[2][0] == 'o',
            .empty = words[2][0] == 'e' },
        at);
  if (!g_str_equal (verdicts[verdict], words[3]))
    g_error ("%s: it is %s", line, verdicts[verdict]);
}

static void
test_story (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  g_auto (GStrv) lines = g_strsplit (rows[r].story, ",", -1);
  PeerConfig cfg
      = { .any_port = rows[r].any_port, .authentic = rows[r].authentic };
  g_autoptr (Peer) peer = NULL;

  g_test_message ("%s", rows[r].why);
  if (rows[r].host)
    cfg.host = g_inet_address_new_from_string (rows[r].host);
  if (rows[r].before)
    cfg.before = g_inet_address_new_from_string (rows[r].before);
  peer = peer_new (&cfg);
  g_clear_object (&cfg.host);
  g_clear_object (&cfg.before);
  for (guint i = 0; lines[i]; i++) {
    play (peer, lines[i]);
    peer_rtcp_address (peer); /* which keeps it */
  }
  check_address (peer_rtcp_address (peer), rows[r].rtcp);
}

/* --- laws --------------------------------------------------------------- */

static Peer *
known_peer (GSocketAddress **from)
{
  Peer *peer = peer_new (&(PeerConfig){ 0 });

  *from = address_of ('A');
  g_assert_cmpint (peer_rtp (peer, *from, 7, 1, 0), ==, PEER_OK);
  g_assert_cmpint (peer_rtp (peer, *from, 7, 2, 1), ==, PEER_MOVED);
  return peer;
}

/* A thousand made-up SSRCs from the right address, each with one packet or
 * with many: not more than PEER_STREAMS get in, and the stream that was there
 * goes on. */
static void
test_flood (gconstpointer data)
{
  guint each = GPOINTER_TO_UINT (data), passed = 0;
  g_autoptr (GSocketAddress) from = NULL;
  g_autoptr (Peer) peer = known_peer (&from);
  PeerStats stats;
  RaTime t = RA_SECOND;
  guint16 seq = 3;

  for (guint32 ssrc = 1000; ssrc < 2000; ssrc++) {
    gboolean any = FALSE;

    for (guint16 i = 0; i < each; i++, t += RA_USECOND)
      any |= peer_may_pass (peer_rtp (peer, from, ssrc, i, t));
    passed += any ? 1 : 0;
    g_assert_cmpint (peer_rtp (peer, from, 7, seq++, t), ==, PEER_OK);
  }
  g_assert_cmpuint (passed, <=, PEER_STREAMS);
  g_assert_cmpuint (peer_last_heard (peer, 7), ==, t);
  peer_get_stats (peer, &stats);
  g_assert_cmpuint (stats.flood, >=, 1000 - PEER_STREAMS);

  /* When they have long been silent, a new one is welcome. */
  t += PEER_STALE + 1;
  g_assert_cmpint (peer_rtp (peer, from, 7, seq, t), ==, PEER_OK);
  g_assert_cmpint (peer_rtp (peer, from, 8, 1, t), ==, PEER_OK);
}

/* Noise in the form of RTP from another address, a hundred packets for one of
 * the sender's: it is taken as the peer with its second packet. */
static void
test_noise_first (void)
{
  g_autoptr (Peer) peer = peer_new (&(PeerConfig){ 0 });
  GSocketAddress *noise = address_of ('B'), *from = address_of ('A');
  g_autoptr (GRand) dice = g_rand_new_with_seed (1);
  RaTime t = 0;

  for (guint16 seq = 0; seq < 2; seq++) {
    for (guint i = 0; i < 100; i++, t += RA_USECOND)
      peer_rtp (peer, noise, g_rand_int (dice), (guint16) g_rand_int (dice), t);
    peer_rtp (peer, from, 7, seq, t);
  }
  check_address (peer_rtcp_address (peer), "A");
  g_object_unref (noise);
  g_object_unref (from);
}

/* Many SSRCs of two packets that are not in a row, before anybody is known: not
 * more than PEER_STREAMS are let in. */
static void
test_flood_first (void)
{
  g_autoptr (Peer) peer = peer_new (&(PeerConfig){ 0 });
  g_autoptr (GSocketAddress) noise = address_of ('B');
  guint passed = 0;

  for (guint32 ssrc = 1000; ssrc < 2000; ssrc++) {
    passed += peer_may_pass (peer_rtp (peer, noise, ssrc, 1, RA_SECOND));
    passed += peer_may_pass (peer_rtp (peer, noise, ssrc, 7, RA_SECOND));
  }
  g_assert_cmpuint (passed, <=, 2 * PEER_STREAMS);
}

static void
test_counts (void)
{
  GSocketAddress *from, *other = address_of ('B');
  g_autoptr (Peer) peer = known_peer (&from);
  PeerStats stats;

  for (guint i = 0; i < 5; i++)
    peer_rtp (peer, other, 9, (guint16) i, 10);
  for (guint i = 0; i < 3; i++)
    peer_rtcp (peer, other, &(PeerRtcp){ .ssrc = 9 }, 10);
  g_assert_cmpint (peer_rtp (peer, NULL, 7, 3, 10), ==, PEER_FOREIGN);
  peer_rtp (peer, other, 7, 4, PEER_REBIND + 1);
  peer_get_stats (peer, &stats);
  g_assert_cmpuint (stats.foreign_rtp, ==, 6);
  g_assert_cmpuint (stats.foreign_rtcp, ==, 3);
  g_assert_cmpuint (stats.early_rtcp, ==, 0);
  g_assert_cmpuint (stats.moved, ==, 1);
  g_assert_cmpuint (stats.flood, ==, 0);
  g_object_unref (from);
  g_object_unref (other);
}

static void
test_last_heard (void)
{
  g_autoptr (GSocketAddress) from = NULL;
  g_autoptr (Peer) peer = known_peer (&from);

  g_assert_cmpuint (peer_last_heard (peer, 7), ==, 1);
  g_assert_cmpuint (peer_last_heard (peer, 8), ==, RA_TIME_NONE);
  peer_rtcp (peer, from, &(PeerRtcp){ .ssrc = 7, .bye = TRUE }, 5);
  g_assert_cmpuint (peer_last_heard (peer, 7), ==, RA_TIME_NONE);
}

/* --- who may take over, without a key ----------------------------------- */

#define MS(t) ((gdouble) (t) / (gdouble) RA_MSECOND)

/* Its stream goes on from another address; how long the first packet has to be
 * behind the last one that it is followed at once. */
static void
test_rebinds (void)
{
  GSocketAddress *from, *other = address_of ('B');
  RaSpan gap = 0;
  gboolean followed = FALSE;
  PeerStats stats;

  while (!followed) {
    g_autoptr (Peer) peer = known_peer (&from);

    gap += RA_MSECOND;
    followed = peer_rtp (peer, other, 7, 3, 1 + (RaTime) gap) == PEER_MOVED;
    if (followed)
      check_address (peer_rtcp_address (peer), "B");
    peer_get_stats (peer, &stats);
    g_object_unref (from);
  }
  trust_row ("fault", "address of the peer changes, no key",
      "followed with the first packet that goes on where the stream left off, "
      "after at most 250 ms",
      gap <= 250 * RA_MSECOND && stats.moved == 1, "%.0f ms", MS (gap));
  g_object_unref (other);
}

/* A stream of 30 packets/s; a stranger who knows the SSRC and the next number
 * says it after each packet, at any time up to the next. */
static void
test_one_packet (void)
{
  const RaSpan pace = RA_SECOND / 30;
  GSocketAddress *from, *thief = address_of ('B');
  g_autoptr (Peer) peer = known_peer (&from);
  guint taken = 0, refused = 0;
  RaTime t = RA_MSECOND;
  guint16 seq = 3;

  for (guint i = 0; i < 1000; i++, seq++, t += (RaTime) pace) {
    RaTime between = t + (RaTime) (pace * i / 1000);

    refused += !peer_may_pass (peer_rtp (peer, from, 7, seq, t));
    taken += peer_may_pass (
        peer_rtp (peer, thief, 7, (guint16) (seq + 1), between));
  }
  check_address (peer_rtcp_address (peer), "A");
  trust_row ("attack", "1 thief of a running stream, no key",
      "who reads it and says its next packet from elsewhere, 1,000 times: "
      "never taken for the peer, no packet of the stream refused",
      taken == 0 && refused == 0, "%u taken, %u refused", taken, refused);
  g_object_unref (from);
  g_object_unref (thief);
}

/* One who cannot read it has to guess: 2^32 SSRCs, of 2^16 numbers 2,999. */
static void
test_guess (void)
{
  GSocketAddress *from, *thief = address_of ('B');
  g_autoptr (Peer) peer = known_peer (&from);
  g_autoptr (GRand) dice = g_rand_new_with_seed (7);
  guint taken = 0;

  for (guint i = 0; i < 1000000; i++)
    taken += peer_may_pass (peer_rtp (peer, thief, g_rand_int (dice),
        (guint16) g_rand_int (dice), PEER_SILENCE - RA_MSECOND));
  check_address (peer_rtcp_address (peer), "A");
  trust_row ("attack", "1 thief who guesses, no key",
      "while the peer is silent for less than 3 s: 1,000,000 packets, none is "
      "taken (1 of 9e10 would be)",
      taken == 0, "%u taken", taken);
  g_object_unref (from);
  g_object_unref (thief);
}

/* The worst one packet can do: of one who reads the stream, in a pause of
 * 250 ms, with the number that is farthest ahead.  When the stream is let in
 * again. */
static void
test_stolen (void)
{
  GSocketAddress *from, *thief = address_of ('B');
  RaSpan worst = 0;

  for (guint16 ahead = 1; ahead < 3000; ahead += 2998) {
    g_autoptr (Peer) peer = known_peer (&from);
    RaTime stolen = 1 + PEER_REBIND, t = stolen;
    guint16 seq = 3;

    g_assert_cmpint (peer_rtp (peer, thief, 7, (guint16) (2 + ahead), stolen),
        ==, PEER_MOVED);
    do {
      t += RA_SECOND / 30;
      peer_rtp (peer, from, 7, seq++, t);
    } while (peer_rtcp_address (peer) != from);
    worst = MAX (worst, ra_diff (t, stolen));
    g_object_unref (from);
  }
  trust_row ("attack", "1 one packet steals the stream, no key",
      "by one who reads it, in a pause of 250 ms: it is back after at most 3 s "
      "and two packets",
      worst <= PEER_SILENCE + 2 * RA_SECOND / 30, "%.0f ms", MS (worst));
  g_object_unref (thief);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  rows_add ("/peer/story", rows, test_story);
  g_test_add_data_func (
      "/peer/flood/one-each", GUINT_TO_POINTER (1), test_flood);
  g_test_add_data_func (
      "/peer/flood/ten-each", GUINT_TO_POINTER (10), test_flood);
  g_test_add_func ("/peer/noise-first", test_noise_first);
  g_test_add_func ("/peer/flood/first", test_flood_first);
  g_test_add_func ("/peer/counts", test_counts);
  g_test_add_func ("/peer/last-heard", test_last_heard);
  g_test_add_func ("/peer/rebinds", test_rebinds);
  g_test_add_func ("/peer/one-packet", test_one_packet);
  g_test_add_func ("/peer/guess", test_guess);
  g_test_add_func ("/peer/stolen", test_stolen);
  return g_test_run ();
}
