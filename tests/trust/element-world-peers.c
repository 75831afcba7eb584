/* The other side is started again or moves, and somebody else would like its
 * place, with SRTP.  Without: test-peer.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sink-fixture.h"
#include "src-fixture.h"
#include "trust.h"
#include "../rows.h"

#define KEY "e1f97a0d3e018be0d64fa32c06de41390ec675ad498afeebb6960b3aabe6"

/* --- a receiver that starts again ---------------------------------------- */

/* An encoder that makes no key frame unless it is asked. */
static GstElement *
patient_sender (gint port, const gchar *numbers, const gchar *both)
{
  return line_playf (NULL,
      "videotestsrc is-live=true ! "
      "video/x-raw,width=80,height=60,framerate=60/1 ! x264enc "
      "tune=zerolatency speed-preset=ultrafast bitrate=300 key-int-max=100000 name=enc "
      "option-string=scenecut=0 ! rtph264pay config-interval=-1 mtu=600 %s ! "
      "rtpadaptsink name=sink host=127.0.0.1 port=%d %s",
      numbers, port, both);
}

static GstPadProbeReturn
count_keys (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  if (!GST_BUFFER_FLAG_IS_SET (
          GST_PAD_PROBE_INFO_BUFFER (info), GST_BUFFER_FLAG_DELTA_UNIT))
    g_atomic_int_inc ((gint *) data);
  return GST_PAD_PROBE_OK;
}

static void
watch_keys (GstElement *sender, gint *keys)
{
  g_autoptr (GstElement) encoder
      = gst_bin_get_by_name (GST_BIN (sender), "enc");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (encoder, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_keys, keys, NULL);
}

#define RESTARTS 3

static const struct
{
  const gchar *name, *numbers, *both;
} agains[] = {
  { "receiver restarted", "", "" },
  /* Within its first second the stream wraps. */
  { "receiver restarted after a wrap, SRTP", "seqnum-offset=65500",
      "key=" KEY },
};

/* At the same port, with another SSRC, as a process that was killed.  A decoder
 * shows something without a key frame, too: those are counted. */
static void
test_receiver_again (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  GstElement *sender = NULL, *sink = NULL;
  guint port = udp_free_port ();
  gint keys = 0, seen = 0;

  for (guint i = 0; i <= RESTARTS; i++) {
    g_autofree gchar *settings = g_strdup_printf (
        "encoding-name=H264 port=%u %s", port, agains[r].both);
    guint64 feedback;
    g_auto (Receiver) t;

    receiver_open (&t, settings,
        "rtph264depay request-keyframe=true ! avdec_h264" RECEIVER_OUT);
    if (!sender) {
      sender = patient_sender (t.port, agains[r].numbers, agains[r].both);
      sink = gst_bin_get_by_name (GST_BIN (sender), "sink");
      watch_keys (sender, &keys);
    }
    WAIT_UNTIL (t.bus, g_atomic_int_get (&keys) > seen);
    seen = g_atomic_int_get (&keys);
    wait_frames (&t, 0, 10);
    feedback = stat_of (sink, "sender/feedback");
    WAIT_UNTIL (t.bus, stat_of (sink, "sender/feedback") > feedback + 10);
  }
  trust_row ("fault", agains[r].name,
      "3 times: it asks for a key frame of an encoder that makes none by "
      "itself, and plays; its reports are heard",
      keys > RESTARTS, "%d key frames", keys);
  gst_object_unref (sink);
  line_end (sender);
}

/* --- addresses, with a key ----------------------------------------------- */

/* rtpadaptsink sends to the ear of the test, which hands on to rtpadaptsrc by
 * one of two sockets. */
typedef struct
{
  Receiver t;
  GstElement *pipeline, *sink;
  gint ear, home, away;
  guint seq;
} Relay;

static void
relay_new (Relay *r)
{
  guint port, other;

  *r = (Relay){ .ear = udp_socket ("127.0.0.1", &port) };
  r->home = udp_socket ("127.0.0.1", &other);
  r->away = udp_socket ("127.0.0.1", &other);
  receiver_open (&r->t,
      "encoding-name=RAW latency=0 fec=false replay-guard=false key=" KEY,
      "identity" RECEIVER_OUT);
  r->pipeline = sink_pipeline (port, "fec=none key=" KEY, &r->sink);
  sink_play (r->pipeline);
}

static void
relay_end (Relay *r)
{
  sink_stop (r->pipeline, r->sink);
  receiver_end (&r->t);
  close (r->ear);
  close (r->home);
  close (r->away);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Relay, relay_end)

/* The next packet of RTP from the sender; it is not handed on. */
static void
relay_take (Relay *r, UdpHeard *heard)
{
  sink_push (r->pipeline, r->seq++);
  sink_hear_rtp (r->ear, heard);
}

static void
relay_give (Relay *r, gint fd, const UdpHeard *heard)
{
  udp_say (
      fd, "127.0.0.1", (guint) r->t.port, 0, heard->data, (gsize) heard->size);
}

/* Packets by `fd`; how many till it is taken for the peer's address.  The
 * first one makes it so. */
static guint
relay_go_on (Relay *r, gint fd, guint n)
{
  guint64 moved = stat_of (r->t.src, "moved");
  guint64 rtp = stat_of (r->t.src, "rtp");
  guint first = 0;
  UdpHeard heard;

  for (guint i = 1; i <= n; i++) {
    relay_take (r, &heard);
    relay_give (r, fd, &heard);
    WAIT_UNTIL (r->t.bus, stat_of (r->t.src, "rtp") == rtp + i);
    if (first == 0 && stat_of (r->t.src, "moved") > moved)
      first = i;
  }
  return first;
}

static void
test_moves_with_key (void)
{
  guint there, back;
  g_auto (Relay) r;

  relay_new (&r);
  relay_go_on (&r, r.home, 10);
  there = relay_go_on (&r, r.away, 10);
  back = relay_go_on (&r, r.home, 10);
  trust_row ("fault", "address of the peer changes, SRTP",
      "followed with the first packet that is authentic and newer; none of 20 "
      "is lost",
      there == 1 && back == 1, "packet %u, back: packet %u", there, back);
}

/* Packets that were overtaken on their way arrive from where the peer was: they
 * are played, and the peer stays where its newest packet came from. */
static void
test_overtaken_with_key (void)
{
  UdpHeard old[5];
  guint64 rtp;
  guint moved;
  g_auto (Relay) r;

  relay_new (&r);
  relay_go_on (&r, r.home, 10);
  for (guint i = 0; i < G_N_ELEMENTS (old); i++)
    relay_take (&r, &old[i]);
  relay_go_on (&r, r.away, 1);
  rtp = stat_of (r.t.src, "rtp");
  for (guint i = 0; i < G_N_ELEMENTS (old); i++)
    relay_give (&r, r.home, &old[i]);
  WAIT_UNTIL (r.t.bus, stat_of (r.t.src, "rtp") == rtp + G_N_ELEMENTS (old));
  moved = (guint) stat_of (r.t.src, "moved");
  trust_row ("fault", "address of the peer changes, packets overtaken, SRTP",
      "5 packets from the address before are played and move nothing",
      moved == 1, "moved %u times", moved);
}

/* All that the key's owner sent is said again by somebody else; and what was
 * never encrypted, or is bent. */
static void
test_thief_with_key (void)
{
  guint64 dropped, moved;
  guint n = 0;
  UdpHeard heard;
  g_auto (Relay) r;

  relay_new (&r);
  relay_go_on (&r, r.home, 10);
  for (; n < 50; n++) {
    relay_take (&r, &heard);
    relay_give (&r, r.home, &heard);
    WAIT_UNTIL (r.t.bus, stat_of (r.t.src, "rtp") == 11 + n);
    relay_give (&r, r.away, &heard); /* again */
    heard.data[3] += 100;            /* a number to come */
    relay_give (&r, r.away, &heard);
  }
  WAIT_UNTIL (r.t.bus, stat_of (r.t.src, "security/dropped") >= 2 * n);
  dropped = stat_of (r.t.src, "security/dropped");
  moved = stat_of (r.t.src, "moved");
  relay_go_on (&r, r.home, 10);
  trust_row ("attack", "1 thief of the stream, SRTP",
      "who has no key never gets it: 50 packets repeated from elsewhere and 50 "
      "bent ones are dropped, none moves the peer",
      dropped == 2 * n && moved == 0,
      "%" G_GUINT64_FORMAT " dropped, moved %" G_GUINT64_FORMAT " times",
      dropped, moved);
}

void
tests_add (void)
{
  rows_add ("/world/receiver-again", agains, test_receiver_again);
  g_test_add_func ("/world/moves-with-key", test_moves_with_key);
  g_test_add_func ("/world/overtaken-with-key", test_overtaken_with_key);
  g_test_add_func ("/world/thief-with-key", test_thief_with_key);
}
