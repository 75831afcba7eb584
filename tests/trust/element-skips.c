/* The numbers that rtpadaptsend leaves out behind payloaders, to find receivers
 * that lie.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "send-fixture.h"
#include "trust.h"
#include "../rows.h"

/* What leaves, as it leaves. */
typedef struct
{
  GMutex lock;
  gboolean started;
  guint16 seq;
  guint32 timestamp;
  guint packets, gaps, wide, within; /* gaps: all, of more than 1, in a frame */
  guint8 sent[65536 / 8];
  guint protects, unsent; /* numbers that FEC speaks of; never sent */
} Out;

#define FEC_PT 122

/* RFC 5109 7.3, 7.4: the base number, and a mask of 16 or 48 bits from it. */
static void
fec_look (Out *o, const guint8 *fec, gsize size)
{
  guint bits = fec[0] & 0x40 ? 48 : 16;
  guint16 base = GST_READ_UINT16_BE (fec + 2);

  g_assert_cmpuint (size, >=, 12 + bits / 8);
  for (guint i = 0; i < bits; i++) {
    guint16 seq = (guint16) (base + i);

    if (!(fec[12 + i / 8] & 0x80 >> i % 8))
      continue;
    o->protects++;
    o->unsent += !(o->sent[seq / 8] & 1 << seq % 8);
  }
}

static void
packet_look (Out *o, GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint32 timestamp;
  guint16 seq;

  g_assert_true (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  seq = gst_rtp_buffer_get_seq (&rtp);
  timestamp = gst_rtp_buffer_get_timestamp (&rtp);
  g_mutex_lock (&o->lock);
  if (o->started && seq != (guint16) (o->seq + 1)) {
    o->gaps++;
    o->wide += seq != (guint16) (o->seq + 2);
    o->within += timestamp == o->timestamp;
  }
  o->started = TRUE;
  o->seq = seq;
  o->timestamp = timestamp;
  o->packets++;
  o->sent[seq / 8] |= (guint8) (1 << seq % 8);
  /* What will have its number in 32,768 packets was not sent. */
  o->sent[(guint16) (seq + 32768) / 8]
      &= (guint8) ~(1 << (guint16) (seq + 32768) % 8);
  if (gst_rtp_buffer_get_payload_type (&rtp) == FEC_PT)
    fec_look (o, gst_rtp_buffer_get_payload (&rtp),
        gst_rtp_buffer_get_payload_len (&rtp));
  g_mutex_unlock (&o->lock);
  gst_rtp_buffer_unmap (&rtp);
}

/* One packet, or a list of those that leave together. */
static GstPadProbeReturn
on_packet (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBufferList *list = GST_PAD_PROBE_INFO_BUFFER_LIST (info);

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    packet_look (data, GST_PAD_PROBE_INFO_BUFFER (info));
  else
    for (guint i = 0; i < gst_buffer_list_length (list); i++)
      packet_look (data, gst_buffer_list_get (list, i));
  return GST_PAD_PROBE_OK;
}

static guint
out_packets (Out *o)
{
  guint n;

  g_mutex_lock (&o->lock);
  n = o->packets;
  g_mutex_unlock (&o->lock);
  return n;
}

#define VIDEO                                                    \
  "videotestsrc is-live=true ! "                                 \
  "video/x-raw,format=I420,width=32,height=32,framerate=2000/1 " \
  "! rtpvrawpay mtu=400 "
#define FEC "! rtpulpfecenc pt=122 percentage=50 "
#define SOUND "audiotestsrc is-live=true samplesperbuffer=20 ! rtpL16pay "
#define TWCC_CAPS                                        \
  "! application/x-rtp,extmap-1=(string)http://www.ietf" \
  ".org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01 "
#define TFRC_CAPS \
  "! application/x-rtp,extmap-2=(string)urn:ietf:params:rtp-hdrext:rtt-sendts "

static const struct
{
  const gchar *name, *source, *feedback, *session;
  gboolean skips;
  const gchar *why;
} payloader_rows[] = {
  { "ccfb", VIDEO, "ccfb", "", TRUE, "between frames" },
  { "ccfb-fec", VIDEO FEC, "ccfb", "", TRUE,
      "FEC is made of what goes out, and speaks of nothing else" },
  { "tfrc", VIDEO TFRC_CAPS, "tfrc", "", TRUE, "it counts RTP numbers" },
  { "twcc", VIDEO TWCC_CAPS, "twcc", "", FALSE,
      "transport-wide numbers are not ours" },
  { "tfrc-numbered",
      VIDEO "! application/x-rtp,extmap-1=(string)http://www.ietf.org/id/draft-"
            "holmer-rmcat-transport-wide-cc-extensions-01,extmap-2=(string)"
            "urn:ietf:params:rtp-hdrext:rtt-sendts ",
      "tfrc", "", FALSE, "it counts those" },
  { "sound", SOUND, "ccfb", "", FALSE, "one would hear it" },
  { "renumbered", VIDEO, "ccfb", "! rtpulpfecenc pt=122 percentage=50 ", FALSE,
      "FEC behind us numbers all again" },
};

/* Until 5,000 packets were sent after what may take time is done: with one in
 * 20 left out 250 are to be expected. */
static void
test_payloader (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree gchar *line = g_strdup_printf (
      "%s ! rtpadaptsend name=a skip-interval=20 feedback=%s controller=fixed "
      "start-bitrate=200000000 max-bitrate=200000000 "
      "fec=fixed fec-params=level=.5 stats-interval=0 circuit-breakers=false %s"
      "! rtpsession name=s rtp-profile=avpf ! fakesink name=f",
      payloader_rows[row].source, payloader_rows[row].feedback,
      payloader_rows[row].session);
  GstElement *pipeline = gst_parse_launch (line, NULL);
  Out *o = g_new0 (Out, 1);
  Send s = { .element = gst_bin_get_by_name (GST_BIN (pipeline), "a") };
  g_autoptr (GstPad) pad = gst_element_get_static_pad (s.element, "src");
  g_autofree gchar *name
      = g_strdup_printf ("3 numbers left out, %s", payloader_rows[row].name);
  gboolean pass;
  guint from;

  g_test_message ("%s", payloader_rows[row].why);
  g_mutex_init (&o->lock);
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_packet, o,
      NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_until (out_packets (o) > 0
      && (!payloader_rows[row].skips || stat (&s, "skipped") > 0));
  from = out_packets (o);
  wait_until (out_packets (o) >= from + 5000);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  /* In 5,000 packets, a third of which may be FEC. */
  pass = payloader_rows[row].skips ? o->gaps > 80 : o->gaps == 0;
  pass &= o->gaps < 2 * o->packets / 20;
  pass &= o->wide == 0 && o->within == 0 && o->unsent == 0;
  pass &= !strstr (payloader_rows[row].source, FEC) || o->protects > 1000;
  trust_row ("attack", name,
      payloader_rows[row].skips
          ? "one number at a time, between frames; FEC speaks of none of them"
          : "none is left out",
      pass, "%u in %u packets, %u wider, %u within a frame, %u in FEC", o->gaps,
      o->packets, o->wide, o->within, o->unsent);
  gst_object_unref (s.element);
  gst_object_unref (pipeline);
  g_mutex_clear (&o->lock);
  g_free (o);
}

/* Numbers are left out from then on. */
static void
test_later (void)
{
  GstElement *pipeline = gst_parse_launch (VIDEO
      "! rtpadaptsend name=a feedback=ccfb controller=fixed "
      "start-bitrate=200000000 max-bitrate=200000000 stats-interval=0 "
      "circuit-breakers=false ! rtpsession rtp-profile=avpf ! fakesink",
      NULL);
  Out *o = g_new0 (Out, 1);
  Send s = { .element = gst_bin_get_by_name (GST_BIN (pipeline), "a") };
  g_autoptr (GstPad) pad = gst_element_get_static_pad (s.element, "src");

  g_mutex_init (&o->lock);
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_packet, o,
      NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_until (out_packets (o) > 100);
  g_assert_cmpint (stat (&s, "skipped"), ==, 0);
  g_object_set (s.element, "skip-interval", 20, NULL);
  wait_until (stat (&s, "skipped") > 0);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (s.element);
  gst_object_unref (pipeline);
  g_mutex_clear (&o->lock);
  g_free (o);
}

void
tests_add (void)
{
  rows_add_by ("/skips", payloader_rows, name, test_payloader);
  g_test_add_func ("/skips/later", test_later);
}
