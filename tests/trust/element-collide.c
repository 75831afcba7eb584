/* Somebody else has our SSRC: collisions, loops, forged RTCP and BYE (RFC 3550
 * 8.2), at rtpadaptsink and rtpadaptsrc.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../elements/relay-fixture.h"
#include "../elements/sink-fixture.h"
#include "../elements/src-fixture.h"
#include "../../plugins/rtpadapt/wire/peer.h"
#include "../rows.h"
#include "trust.h"

#define TIMES 25

/* --- what is forged ---------------------------------------------------------- */

/* RFC 3550 6.4 to 6.6.  (d, ours, of somebody else): bytes. */
typedef gsize (*Forge) (guint8 *d, guint32 ours, guint32 theirs);

static gsize
put_head (guint8 *d, guint count, guint type, gsize size, guint32 ssrc)
{
  memset (d, 0, size);
  d[0] = (guint8) (0x80 | count);
  d[1] = (guint8) type;
  d[3] = (guint8) (size / 4 - 1);
  GST_WRITE_UINT32_BE (d + 4, ssrc);
  return size;
}

static gsize
forge_rr (guint8 *d, guint32 ours, guint32 theirs)
{
  gsize size = put_head (d, 1, 201, 32, ours);

  GST_WRITE_UINT32_BE (d + 8, ours);
  return size;
}

static gsize
forge_sr (guint8 *d, guint32 ours, guint32 theirs)
{
  return put_head (d, 0, 200, 28, ours);
}

/* Their RR, and a CNAME for us. */
static gsize
forge_sdes (guint8 *d, guint32 ours, guint32 theirs)
{
  gsize size = put_head (d, 0, 201, 8, theirs);

  size += put_head (d + size, 1, 202, 16, ours);
  memcpy (d + 16, "\1\4evil", 6);
  return size;
}

static gsize
forge_bye (guint8 *d, guint32 ours, guint32 theirs)
{
  gsize size = put_head (d, 0, 201, 8, ours);

  return size + put_head (d + size, 1, 203, 8, ours);
}

static const Forge forgeries[] = { forge_rr, forge_sr, forge_sdes, forge_bye };
#define FORGED (TIMES * G_N_ELEMENTS (forgeries))

/* By `fd` to that port: as many as a socket holds. */
static void
forge_all (gint fd, guint port, guint32 ours, guint32 theirs)
{
  for (guint i = 0; i < FORGED; i++) {
    guint8 d[64];
    gsize size = forgeries[i % G_N_ELEMENTS (forgeries)](d, ours, theirs);

    udp_say (fd, "127.0.0.1", port, 0, d, size);
  }
}

/* --- the session inside a bin ------------------------------------------------ */

/* Free it. */
static gchar *
cname_of (GstElement *bin, guint32 ssrc)
{
  g_autoptr (GObject) session = sink_session (bin);
  g_autoptr (GObject) source = NULL;
  g_autoptr (GstStructure) sdes = NULL;

  g_signal_emit_by_name (session, "get-source-by-ssrc", ssrc, &source);
  g_assert_nonnull (source);
  g_object_get (source, "sdes", &sdes, NULL);
  return g_strdup (gst_structure_get_string (sdes, "cname"));
}

/* --- rtpadaptsink ------------------------------------------------------------ */

static void
test_sink_forged (void)
{
  g_autofree gchar *before = NULL, *after = NULL;
  guint8 rr[SINK_RR_SIZE];
  GstElement *sink, *pipeline;
  UdpHeard heard;
  guint port, own;
  gint ear = udp_socket ("127.0.0.1", &port);

  pipeline = sink_pipeline (port, "", &sink);
  sink_play (pipeline);
  sink_push (pipeline, 1);
  sink_hear_rtp (ear, &heard);
  before = cname_of (sink, SINK_SSRC);
  own = sink_sources (sink);
  forge_all (ear, heard.from_port, SINK_SSRC, SINK_THEIRS);
  sink_expect (sink, "peer/own-ssrc", FORGED);
  after = cname_of (sink, SINK_SSRC);
  sink_rr (rr, SINK_THEIRS, SINK_SSRC);
  udp_say (ear, "127.0.0.1", heard.from_port, 0, rr, sizeof rr);
  g_assert_true (sink_wait (sink_knows_peer, sink));
  sink_push (pipeline, 2);
  sink_hear_rtp (ear, &heard);
  trust_row ("attack", "12 RTCP with our SSRC, rtpadaptsink",
      "all dropped: SSRC and CNAME stay, and the peer's next report is heard",
      sink_heard_ssrc (&heard) == SINK_SSRC && g_strcmp0 (before, after) == 0
          && sink_sources (sink) == own + 1,
      "%" G_GSIZE_FORMAT " RR, SR, SDES and BYE: CNAME %s", FORGED,
      g_strcmp0 (before, after) == 0 ? "as before" : after);
  sink_stop (pipeline, sink);
  close (ear);
}

/* --- rtpadaptsrc ------------------------------------------------------------- */

#define PEER 5

/* PCMU of 160 samples, from a socket that is the peer, or another. */
typedef struct
{
  Receiver t;
  gint fd, other;
  guint16 seq;
  guint32 own;   /* of the reports that come to `fd` */
  gint removals; /* atomic: of streams by rtpbin */
  gint over;     /* atomic: SSRCs of which it said so */
  gint live;     /* atomic: jitterbuffers of what came later than the peer */
  GstPad *held;  /* atomic, or NULL */
  gulong probe;
} Home;

static void
say_pt (Home *h, gint fd, guint32 ssrc, guint8 pt)
{
  guint8 data[172] = { 0x80, pt };

  GST_WRITE_UINT16_BE (data + 2, h->seq);
  GST_WRITE_UINT32_BE (data + 4, 160 * h->seq);
  GST_WRITE_UINT32_BE (data + 8, ssrc);
  h->seq++;
  udp_say (fd, "127.0.0.1", (guint) h->t.port, 0, data, sizeof data);
}

#define say_rtp(h, fd, ssrc) say_pt (h, fd, ssrc, 0)

/* Till `more` of them came out. */
static void
play (Home *h, guint32 ssrc, gint more)
{
  gint from = g_atomic_int_get (&h->t.frames[0]);

  WAIT_UNTIL (h->t.bus,
      (say_rtp (h, h->fd, ssrc), TRUE)
          && g_atomic_int_get (&h->t.frames[0]) >= from + more);
}

/* The next RTCP, in `heard`; who sent it. */
static guint32
hear_rtcp (Home *h, UdpHeard *heard)
{
  do {
    udp_hear (h->fd, heard);
    g_assert_cmpint (heard->size, >=, 8);
  } while (!sink_heard_rtcp (heard));
  return GST_READ_UINT32_BE (heard->data + 4);
}

static void
home_new (Home *h)
{
  GObject *session;
  UdpHeard heard;

  *h = (Home){ .fd = udp_socket ("127.0.0.1", NULL) };
  h->other = udp_socket ("127.0.0.1", NULL);
  receiver_new (&h->t, "latency=0 feedback=ccfb", "rtppcmudepay" RECEIVER_OUT);
  gst_element_set_state (h->t.pipeline, GST_STATE_READY);
  session = sink_session (h->t.src);
  g_object_set (session, "rtcp-min-interval", (guint64) 0, NULL);
  g_object_unref (session);
  receiver_play (&h->t);
  play (h, PEER, 10);
  h->own = hear_rtcp (h, &heard);
}

static void
home_free (Home *h)
{
  receiver_end (&h->t);
  close (h->fd);
  close (h->other);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Home, home_free)

/* What is dropped because of its SSRC, or as foreign. */
static guint64
refused (Home *h)
{
  return stat_of (h->t.src, "own-ssrc") + stat_of (h->t.src, "foreign-rtcp")
      + stat_of (h->t.src, "foreign-rtp");
}

static void
test_src_forged (void)
{
  g_autofree gchar *before = NULL, *after = NULL;
  UdpHeard heard;
  guint32 own;
  g_auto (Home) h;

  home_new (&h);
  before = cname_of (h.t.src, h.own);
  forge_all (h.fd, (guint) h.t.port, h.own, PEER);
  WAIT_UNTIL (h.t.bus, refused (&h) >= FORGED);
  forge_all (h.other, (guint) h.t.port, h.own, PEER);
  WAIT_UNTIL (h.t.bus, refused (&h) >= 2 * FORGED);
  after = cname_of (h.t.src, h.own);
  play (&h, PEER, 10);
  own = hear_rtcp (&h, &heard);
  trust_row ("attack", "12 RTCP with our SSRC, rtpadaptsrc",
      "all dropped, from the peer's address and elsewhere: SSRC and CNAME "
      "stay, and the stream plays",
      own == h.own && g_strcmp0 (before, after) == 0
          && sink_sources (h.t.src) == 2,
      "%" G_GSIZE_FORMAT " RR, SR, SDES and BYE: CNAME %s", 2 * FORGED,
      g_strcmp0 (before, after) == 0 ? "as before" : after);
}

/* All that it says comes back to it. */
static void
test_src_loop (void)
{
  guint n = 0, other = 0;
  UdpHeard heard;
  g_auto (Home) h;

  home_new (&h);
  for (; n < 20; n++) {
    play (&h, PEER, 1);
    other += hear_rtcp (&h, &heard) != h.own;
    udp_say (
        h.fd, "127.0.0.1", (guint) h.t.port, 0, heard.data, (gsize) heard.size);
  }
  WAIT_UNTIL (h.t.bus, stat_of (h.t.src, "own-ssrc") == n);
  play (&h, PEER, 10);
  trust_row ("attack", "12 a loop returns our reports, rtpadaptsrc",
      "all dropped; the SSRC stays, and the stream plays",
      other == 0 && sink_sources (h.t.src) == 2, "%u came back, %u SSRCs known",
      n, sink_sources (h.t.src));
}

/* A BYE of an SSRC. */
static gboolean
is_bye_of (const UdpHeard *heard, guint32 ssrc)
{
  const guint8 *d = heard->data;

  for (gssize at = 0; at + 8 <= heard->size;
       at += 4 * (GST_READ_UINT16_BE (d + at + 2) + 1)) {
    if (d[at + 1] == 203 && GST_READ_UINT32_BE (d + at + 4) == ssrc)
      return TRUE;
  }
  return FALSE;
}

/* RFC 8888 about an SSRC, of a sender that is not `not`. */
static gboolean
is_ccfb_about (const UdpHeard *heard, guint32 ssrc, guint32 not )
{
  const guint8 *d = heard->data;

  for (gssize at = 0; at + 12 <= heard->size;
       at += 4 * (GST_READ_UINT16_BE (d + at + 2) + 1)) {
    if (d[at] == (0x80 | 11) && d[at + 1] == 205
        && GST_READ_UINT32_BE (d + at + 4)
            != not &&GST_READ_UINT32_BE (d + at + 8) == ssrc)
      return TRUE;
  }
  return FALSE;
}

/* By chance the peer's stream has the SSRC that our reports have.  Then somebody
 * goes on with each new one of ours, at the peer's address. */
static void
test_src_collision (void)
{
  guint8 d[16];
  gsize size = forge_bye (d, PEER, PEER);
  gboolean bye = FALSE, reported = FALSE;
  guint32 own, again;
  UdpHeard heard;
  guint packets;
  g_auto (Home) h;

  home_new (&h);
  for (guint i = 0; i < TIMES; i++)
    say_rtp (&h, h.other, h.own);
  WAIT_UNTIL (h.t.bus, stat_of (h.t.src, "foreign-rtp") == TIMES);
  udp_say (
      h.fd, "127.0.0.1", (guint) h.t.port, 0, d, size); /* its pad is free */
  for (packets = 0; packets < 1000 && !(bye && reported); packets++) {
    say_rtp (&h, h.fd, h.own);
    own = hear_rtcp (&h, &heard);
    bye |= is_bye_of (&heard, h.own);
    reported |= is_ccfb_about (&heard, h.own, h.own);
  }
  play (&h, h.own, 10);
  for (guint i = 0; i < TIMES; i++) {
    say_rtp (&h, h.fd, own);
    say_rtp (&h, h.fd, h.own);
  }
  play (&h, h.own, 10);
  do
    again = hear_rtcp (&h, &heard);
  while (!is_ccfb_about (&heard, h.own, h.own));
  trust_row ("attack", "12 the stream has our SSRC, rtpadaptsrc",
      "BYE, another SSRC, and reports with it; the stream plays; who does it "
      "again, or from elsewhere, changes nothing; the old source is gone",
      bye && reported && again == own && sink_sources (h.t.src) <= 3,
      "new reports after %u packets, %u SSRCs known", packets,
      sink_sources (h.t.src));
}

/* The peer's stream is said to have ended, while it goes on. */
static void
test_src_bye (void)
{
  gint from;
  g_auto (Home) h;

  home_new (&h);
  from = g_atomic_int_get (&h.t.frames[0]);
  for (guint i = 0; i < TIMES; i++) {
    guint8 d[16];
    gsize size = forge_bye (d, PEER, PEER);

    udp_say (h.fd, "127.0.0.1", (guint) h.t.port, 0, d, size);
    udp_say (h.other, "127.0.0.1", (guint) h.t.port, 0, d, size);
    say_rtp (&h, h.fd, PEER);
  }
  WAIT_UNTIL (h.t.bus, g_atomic_int_get (&h.t.frames[0]) >= from + TIMES - 1);
  play (&h, PEER, 10);
  trust_row ("attack", "12 BYE of the peer's SSRC, rtpadaptsrc",
      "from its address and elsewhere: while packets come they are played",
      g_atomic_int_get (&h.t.pads) == 1 && stat_of (h.t.src, "moved") == 0,
      "%d BYEs between %d packets, %d pad, moved %" G_GUINT64_FORMAT " times",
      2 * TIMES, TIMES, g_atomic_int_get (&h.t.pads),
      stat_of (h.t.src, "moved"));
}

/* The thread of RTCP takes the stream away: until two more packets were let in, of
 * which the first has got where it can, or for half a second where they wait. */
static void
hold_removal (GstElement *demux, guint ssrc, GstPad *pad, gpointer data)
{
  Home *h = data;
  guint64 from = stat_of (h->t.src, "rtp");

  for (guint i = 0; i < 50 && stat_of (h->t.src, "rtp") < from + 2; i++)
    g_usleep (10000);
  g_atomic_int_inc (&h->removals);
}

static void
watch_removals (Home *h)
{
  GstIterator *found = gst_bin_iterate_all_by_element_factory_name (
      GST_BIN (h->t.src), "rtpssrcdemux");
  GValue item = G_VALUE_INIT;

  g_assert_cmpint (gst_iterator_next (found, &item), ==, GST_ITERATOR_OK);
  g_signal_connect (g_value_get_object (&item), "removed-ssrc-pad",
      G_CALLBACK (hold_removal), h);
  g_value_unset (&item);
  gst_iterator_free (found);
}

/* rtpsession forgets it 2 s after a BYE, which is when packets of it come. */
static void
test_src_forgotten (void)
{
  guint8 d[16];
  gsize size = forge_bye (d, PEER, PEER);
  g_auto (Home) h;

  home_new (&h);
  watch_removals (&h);
  udp_say (h.fd, "127.0.0.1", (guint) h.t.port, 0, d, size);
  WAIT_UNTIL (h.t.bus,
      (say_rtp (&h, h.fd, PEER), TRUE) && g_atomic_int_get (&h.removals) > 0);
  play (&h, PEER, 10);
  trust_row ("attack", "12 BYE, and it goes on for 2 s, rtpadaptsrc",
      "packets wait while rtpbin takes the stream away; then it plays by the "
      "same pad",
      g_atomic_int_get (&h.removals) == 1 && g_atomic_int_get (&h.t.pads) == 1,
      "taken away %d time, %d pad", g_atomic_int_get (&h.removals),
      g_atomic_int_get (&h.t.pads));
}

/* With a BYE in its name another SSRC takes the stream's place at once.  When it
 * has been silent for a second, the stream, which never ended, is back. */
static void
test_src_heir (void)
{
  guint8 d[16];
  gsize size = forge_bye (d, PEER, PEER);
  gint first;
  g_auto (Home) h;

  home_new (&h);
  udp_say (h.fd, "127.0.0.1", (guint) h.t.port, 0, d, size);
  play (&h, PEER + 1, 10);
  first = g_atomic_int_get (&h.t.pads);
  play (&h, PEER, 10);
  trust_row ("attack", "12 BYE, and another SSRC instead, rtpadaptsrc",
      "it gets the stream's pad for as long as it goes on; then the stream is "
      "there again",
      first == 1 && g_atomic_int_get (&h.t.pads) == 1, "%d pad, then %d", first,
      g_atomic_int_get (&h.t.pads));
}

static void
on_over (GstElement *rtpbin, guint session, guint ssrc, gpointer data)
{
  g_atomic_int_inc (&((Home *) data)->over);
}

static void
jitterbuffer_gone (gpointer data, GObject *where_it_was)
{
  g_atomic_int_add (&((Home *) data)->live, -1);
}

static void
on_jitterbuffer (GstElement *rtpbin, GstElement *jitterbuffer, guint session,
    guint ssrc, gpointer data)
{
  g_atomic_int_inc (&((Home *) data)->live);
  g_object_weak_ref (G_OBJECT (jitterbuffer), jitterbuffer_gone, data);
}

static void
watch_streams (Home *h)
{
  g_autoptr (GstElement) rtpbin
      = gst_bin_get_by_name (GST_BIN (h->t.src), "rtpbin");

  g_signal_connect (rtpbin, "on-timeout", G_CALLBACK (on_over), h);
  g_signal_connect (rtpbin, "on-bye-timeout", G_CALLBACK (on_over), h);
  g_signal_connect (
      rtpbin, "new-jitterbuffer", G_CALLBACK (on_jitterbuffer), h);
}

static GstPadProbeReturn
hold (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return GST_PAD_PROBE_OK;
}

/* Of another stream than the peer's. */
static void
hold_pad (GstElement *src, GstPad *pad, gpointer data)
{
  Home *h = data;

  h->probe = gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, hold, NULL, NULL);
  g_atomic_pointer_set (&h->held, gst_object_ref (pad));
}

/* What another SSRC is when rtpsession forgets it, 2 s after its BYE. */
static const struct
{
  guint8 pt;
  gboolean holds; /* the application, what comes from its pad */
  const gchar *name, *why;
} overs[] = {
  { 0, FALSE, "12 BYE of an SSRC in doubt, rtpadaptsrc",
      "the thread that waits at its pad is let go" },
  { 8, TRUE, "12 BYE of an SSRC that the application holds, rtpadaptsrc",
      "nobody waits for the application, and its stream goes when it lets go" },
  { 122, FALSE, "12 BYE of an SSRC of repair packets alone, rtpadaptsrc",
      "its jitterbuffer, which never had a pad, is freed" },
};

static void
test_src_over (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  guint8 d[16];
  gsize size = forge_bye (d, PEER + 1, PEER + 1);
  g_auto (Home) h;

  home_new (&h);
  watch_streams (&h);
  if (overs[row].holds)
    g_signal_connect (h.t.src, "pad-added", G_CALLBACK (hold_pad), &h);
  say_rtp (&h, h.fd, PEER);
  for (guint i = 0; i < 2; i++)
    say_pt (&h, h.fd, PEER + 1, overs[row].pt);
  WAIT_UNTIL (h.t.bus, g_atomic_int_get (&h.live) == 1);
  if (overs[row].holds)
    WAIT_UNTIL (h.t.bus,
        g_atomic_pointer_get (&h.held) && gst_pad_is_blocking (h.held));
  udp_say (h.fd, "127.0.0.1", (guint) h.t.port, 0, d, size);
  WAIT_UNTIL (h.t.bus, g_atomic_int_get (&h.over) >= 1);
  play (&h, PEER, 10);
  if (h.held)
    gst_pad_remove_probe (h.held, h.probe);
  gst_clear_object (&h.held);
  WAIT_UNTIL (h.t.bus,
      (say_rtp (&h, h.fd, PEER), TRUE) && g_atomic_int_get (&h.live) == 0);
  trust_row ("attack", overs[row].name, overs[row].why,
      g_atomic_int_get (&h.t.pads) == 1 + overs[row].holds,
      "the other stream plays, %d pads", g_atomic_int_get (&h.t.pads));
}

/* Returns FALSE, and decides nothing, where the machine was too slow and `last` is
 * FALSE. */
static gboolean
src_places_once (gboolean last)
{
  gint64 began = g_get_monotonic_time ();
  gint from;
  g_auto (Home) h;

  home_new (&h);
  watch_streams (&h);
  for (guint32 i = 2; i < 2 * PEER_STREAMS; i++)
    say_rtp (&h, h.fd, PEER + i / 2);
  WAIT_UNTIL (h.t.bus, g_atomic_int_get (&h.live) == PEER_STREAMS - 1);
  from = g_atomic_int_get (&h.t.frames[0]);
  WAIT_UNTIL (h.t.bus,
      (say_rtp (&h, h.other, 1), TRUE)
          && g_atomic_int_get (&h.t.frames[0]) >= from + 100);
  if (!last && g_atomic_int_get (&h.over) > 0
      && g_get_monotonic_time () - began > SSRC_TIMEOUT)
    return FALSE;
  trust_row ("attack", "12 a peer with all SSRCs is gone, rtpadaptsrc",
      "the next peer is played before an SSRC of the old peer times out",
      g_atomic_int_get (&h.over) == 0, "%d SSRCs timed out",
      g_atomic_int_get (&h.over));
  return TRUE;
}

/* The peer has all places of rtpbin, which keeps them for SSRC_TIMEOUT, and is silent.
 * The 30 packets that wait at its pads come out, too. */
static void
test_src_places (void)
{
  guint tries = 0;

  while (!src_places_once (++tries == 5))
    ;
}

void
tests_add (void)
{
  g_test_add_func ("/collide/sink/forged", test_sink_forged);
  g_test_add_func ("/collide/src/forged", test_src_forged);
  g_test_add_func ("/collide/src/loop", test_src_loop);
  g_test_add_func ("/collide/src/collision", test_src_collision);
  g_test_add_func ("/collide/src/bye", test_src_bye);
  g_test_add_func ("/collide/src/forgotten", test_src_forgotten);
  g_test_add_func ("/collide/src/heir", test_src_heir);
  rows_add ("/collide/src/over", overs, test_src_over);
  g_test_add_func ("/collide/src/places", test_src_places);
}
