/* FEC over a whole path: rtpulpfecenc, rtpadaptsend, rtpadaptlink, and a stock
 * rtpbin with rtpulpfecdec.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What rtpbin of GStreamer 1.22 needs to repair with rtpulpfecdec:
 *   - do-lost: the decoder wakes at GstRTPPacketLost.
 *   - a `size-time` for its rtpstorage, which keeps nothing without: as long as
 *     the jitterbuffer waits, and a frame.
 *   - a clock-rate for the payload type of FEC, or the jitterbuffer throws
 *     those packets away and waits for them as if they were lost.
 *   - is-fec in the caps of that type (or rtpptdemux ignored-payload-types), or
 *     rtpptdemux opens a pad for it, and GstRTPPacketLost goes to the pad of
 *     whatever type came last.
 *   - rtpulpfecdec behind the pad of the media.  Not in `fec-decoders`, which
 *     puts it before the jitterbuffer: it gives packets new numbers, and so
 *     hides every hole.
 * Each change of payload type makes rtpjitterbuffer forget how many packets
 * come per second, and so take some 120 missing ones for the end of the stream,
 * with which it drops what it has; max-dropout-time=0 makes that 3,000.
 * receiver_new() says all this in two ways, one of which needs no code.
 */
#include "../rows.h"
#include "patience.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/rtp/rtp.h>
#include <string.h>

#define MEDIA 96
#define FEC 122
/* As much as a slow machine can do under sanitizers: where the sender falls behind
 * the clock, a packet is given up before those come that repair it. */
#define FPS 25
#define TICKS (90000 / FPS)
#define FRAMES_MAX 8192
#define SETTLING 50 /* frames after the first repair packet */
#define LOSSES 10   /* more than these are to be seen where losses are */
#define EVIDENCE 3  /* bursts without which the rule makes no FEC (fec/ulp.c) */
#define TIMEOUT (120 * G_TIME_SPAN_SECOND)
#define LATENCY 2000 /* ms, more than a busy machine stalls */
#define EXTMAP                               \
  "extmap-1=(string)http://www.ietf.org/id/" \
  "draft-holmer-rmcat-transport-wide-cc-extensions-01"
#define CAPS \
  "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264," EXTMAP

/* Media packets with one RTP timestamp; sums of hashes of their payloads. */
typedef struct
{
  guint sent, came;
  guint32 sent_sum, came_sum;
} Frame;

typedef struct
{
  GMutex lock;
  GCond moved;
  gboolean started;
  guint32 first;  /* RTP timestamp */
  guint newest;   /* frame that came */
  guint repair;   /* packets sent */
  guint packets;  /* media packets to be measured; counted down */
  guint from, to; /* frames that are; `from` may wait for repair, `to` is not
                     among them, 0 as long as it is not known */
  Frame frames[FRAMES_MAX];
  GstElement *receiver, *sender;
} Path;

static guint32
hash (const guint8 *bytes, guint len)
{
  guint32 h = 2166136261u; /* FNV-1a */

  for (guint i = 0; i < len; i++)
    h = (h ^ bytes[i]) * 16777619u;
  return h;
}

/* The lock is held. */
static guint
frame_index (Path *p, guint32 timestamp)
{
  gint32 ticks;

  if (!p->started)
    p->first = timestamp;
  p->started = TRUE;
  ticks = (gint32) (timestamp - p->first);
  g_assert_cmpint (ticks, >=, 0);
  g_assert_cmpint (ticks, <, FRAMES_MAX * TICKS);
  return (guint) ticks / TICKS;
}

/* The lock is held, as for the next. */
static void
media_sent (Path *p, guint i, guint32 sum)
{
  p->frames[i].sent++;
  p->frames[i].sent_sum += sum;
  if (i >= p->from && p->packets > 0)
    p->packets--;
  if (p->packets == 0 && p->to == 0)
    p->to = i;
}

static void
media_came (Path *p, guint i, guint32 sum)
{
  p->frames[i].came++;
  p->frames[i].came_sum += sum;
  p->newest = MAX (p->newest, i);
}

static void
repair_sent (Path *p, guint i)
{
  p->repair++;
  if (p->from == G_MAXUINT)
    p->from = i + SETTLING;
}

static void
packet_count (Path *p, GstBuffer *buffer, gboolean sent)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint32 sum;
  guint i;

  g_assert_true (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  sum = hash (
      gst_rtp_buffer_get_payload (&rtp), gst_rtp_buffer_get_payload_len (&rtp));
  g_mutex_lock (&p->lock);
  i = frame_index (p, gst_rtp_buffer_get_timestamp (&rtp));
  if (gst_rtp_buffer_get_payload_type (&rtp) == MEDIA)
    (sent ? media_sent : media_came) (p, i, sum);
  else if (sent)
    repair_sent (p, i);
  else
    g_error ("a repair packet left rtpbin");
  g_cond_signal (&p->moved);
  g_mutex_unlock (&p->lock);
  gst_rtp_buffer_unmap (&rtp);
}

/* One packet, or a list of those that leave together. */
static void
packets_count (Path *p, GstPadProbeInfo *info, gboolean sent)
{
  GstBufferList *list = GST_PAD_PROBE_INFO_BUFFER_LIST (info);

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    packet_count (p, GST_PAD_PROBE_INFO_BUFFER (info), sent);
  else
    for (guint i = 0; i < gst_buffer_list_length (list); i++)
      packet_count (p, gst_buffer_list_get (list, i), sent);
}

static GstPadProbeReturn
on_sent (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  packets_count (data, info, TRUE);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_came (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  packets_count (data, info, FALSE);
  return GST_PAD_PROBE_OK;
}

static void
probe (
    Path *p, GstElement *bin, const gchar *name, GstPadProbeCallback callback)
{
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (bin), name);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "src");

  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, callback, p,
      NULL);
}

static GstElement *
parse (const gchar *line)
{
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);

  g_assert_no_error (error);
  return pipeline;
}

static GstFlowReturn
on_sample (GstAppSink *sink, gpointer src)
{
  g_autoptr (GstSample) sample = gst_app_sink_pull_sample (sink);
  GstBuffer *buffer;

  if (!sample)
    return GST_FLOW_EOS;
  buffer = gst_buffer_copy (gst_sample_get_buffer (sample));
  /* Of the arrival, which do-timestamp only gives to what has none. */
  GST_BUFFER_PTS (buffer) = GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  return gst_app_src_push_buffer (src, buffer);
}

/* A wire that loses nothing, which a socket of a busy machine would. */
static void
wire (GstElement *from, const gchar *sink_name, GstElement *to,
    const gchar *src_name)
{
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (from), sink_name);
  GstElement *src = gst_bin_get_by_name (GST_BIN (to), src_name);
  GstAppSinkCallbacks callbacks = { .new_sample = on_sample };

  gst_app_sink_set_callbacks (
      GST_APP_SINK (sink), &callbacks, src, gst_object_unref);
}

#define WIRE_OUT "appsink sync=false async=false name="
#define WIRE_IN \
  "appsrc is-live=true format=time do-timestamp=true max-bytes=0 name="

/* --- receivers ------------------------------------------------------------ */

#define FEC_CAPS                                    \
  "application/x-rtp,media=video,clock-rate=90000," \
  "encoding-name=ULPFEC,payload=122,is-fec=(boolean)true"

/* With a payload type in the caps the jitterbuffer would complain, in the log,
 * of each packet of the other type. */
#define SOURCE_FOR_CODE \
  WIRE_IN "rtpin "      \
          "caps=\"" CAPS "\" ! rtp.recv_rtp_sink_0 "

/* rtpbin learns the caps of a payload type from each caps event that has one,
 * so concat shows it those of FEC first; 12 zeros are no RTP.  rtpstorage0 is
 * the first of a process. */
#define SOURCE_FOR_LAUNCH                                          \
  "concat name=c ! rtp.recv_rtp_sink_0 "                           \
  "fakesrc num-buffers=1 sizetype=fixed sizemax=12 filltype=zero " \
  "format=time ! " FEC_CAPS " ! c. " WIRE_IN "rtpin "              \
  "caps=\"" CAPS ",payload=96\" ! c. "

/* rtpsession, too, asks: it reads extmap-N only where there is a payload. */
static GstCaps *
on_request_pt_map (GstElement *rtpbin, guint session, guint pt, gpointer data)
{
  return gst_caps_from_string (pt == FEC ? FEC_CAPS : CAPS ",payload=96");
}

static GstElement *
receiver_new (gboolean launch)
{
  g_autofree gchar *line = g_strdup_printf (
      "rtpbin name=rtp rtp-profile=avpf do-lost=true latency=%u "
      "max-dropout-time=0 %s %s "
      "rtp. ! rtpulpfecdec name=dec pt=122 ! rtph264depay ! "
      "fakesink sync=false async=false " WIRE_IN
      "rtcpin ! rtp.recv_rtcp_sink_0 "
      "rtp.send_rtcp_src_0 ! " WIRE_OUT "rtcpout",
      LATENCY, launch ? "rtpstorage0::size-time=3000000000" : "",
      launch ? SOURCE_FOR_LAUNCH : SOURCE_FOR_CODE);
  GstElement *receiver = parse (line);
  g_autoptr (GstElement) rtpbin
      = gst_bin_get_by_name (GST_BIN (receiver), "rtp");
  GstElement *storage = NULL;
  g_autoptr (GObject) session = NULL;

  if (!launch) {
    g_signal_connect (
        rtpbin, "request-pt-map", G_CALLBACK (on_request_pt_map), NULL);
    g_signal_emit_by_name (rtpbin, "get-storage", 0, &storage);
    g_object_set (storage, "size-time",
        (guint64) (LATENCY * GST_MSECOND + GST_SECOND), NULL);
    gst_object_unref (storage);
  }
  /* Enough for feedback about every frame at once (RFC 4585 3.5.3). */
  g_signal_emit_by_name (rtpbin, "get-session", 0, &session);
  g_object_set (session, "bandwidth", 5e6, NULL);
  return receiver;
}

/* --- the path ------------------------------------------------------------- */

static GstElement *
sender_new (const gchar *link, const gchar *properties)
{
  g_autofree gchar *line = g_strdup_printf (
      "rtpbin name=rtp rtp-profile=avpf "
      "videotestsrc is-live=true pattern=snow ! "
      "video/x-raw,width=160,height=120,framerate=%u/1 ! "
      "x264enc tune=zerolatency speed-preset=ultrafast threads=1 "
      "key-int-max=100 vbv-buf-capacity=100 ! rtph264pay pt=96 mtu=200 ! " CAPS
      " ! rtpulpfecenc name=fec pt=122 ! "
      "rtpadaptsend name=send start-bitrate=1000000 %s ! "
      "rtp.send_rtp_sink_0 rtp.send_rtp_src_0 ! "
      "rtpadaptlink name=link seed=1 link=\"%s\" ! " WIRE_OUT "rtpout "
      "rtp.send_rtcp_src_0 ! " WIRE_OUT "rtcpout " WIRE_IN
      "rtcpin ! rtp.recv_rtcp_sink_0",
      FPS, properties, link);

  return parse (line);
}

static void
path_start (
    Path *p, gboolean launch, const gchar *link, const gchar *properties)
{
  g_mutex_init (&p->lock);
  g_cond_init (&p->moved);
  p->receiver = receiver_new (launch);
  p->sender = sender_new (link, properties);
  wire (p->sender, "rtpout", p->receiver, "rtpin");
  wire (p->sender, "rtcpout", p->receiver, "rtcpin");
  wire (p->receiver, "rtcpout", p->sender, "rtcpin");
  probe (p, p->sender, "send", on_sent);
  probe (p, p->receiver, "dec", on_came);
  gst_element_set_state (p->receiver, GST_STATE_PLAYING);
  gst_element_set_state (p->sender, GST_STATE_PLAYING);
}

static void
no_trouble (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message
      = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  g_autoptr (GError) error = NULL;

  if (!message)
    return;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  g_assert_no_error (error);
}

/* Of an element of the sender. */
static guint64
stat_of (Path *p, const gchar *name, const gchar *field)
{
  g_autoptr (GstElement) element
      = gst_bin_get_by_name (GST_BIN (p->sender), name);

  return (guint64) stats_number (element, field);
}

/* Until the frame behind those that are measured came: packets come in order,
 * or not at all. */
static void
path_run (Path *p)
{
  gint64 end = g_get_monotonic_time () + TIMEOUT;

  g_mutex_lock (&p->lock);
  while (p->to == 0 || p->newest < p->to)
    g_assert_true (g_cond_wait_until (&p->moved, &p->lock, end));
  g_mutex_unlock (&p->lock);
}

/* And until the path has lost enough: a controller on a busy machine fills the queue
 * late. */
static void
path_run_on (Path *p, const gchar *cause)
{
  gint64 end = g_get_monotonic_time () + TIMEOUT;

  while (cause && stat_of (p, "link", cause) <= LOSSES) {
    g_mutex_lock (&p->lock);
    g_assert_true (g_cond_wait_until (&p->moved, &p->lock, end));
    g_mutex_unlock (&p->lock);
  }
  no_trouble (p->sender);
  no_trouble (p->receiver);
}

static void
path_stop (Path *p)
{
  gst_element_set_state (p->sender, GST_STATE_NULL);
  gst_element_set_state (p->receiver, GST_STATE_NULL);
  gst_object_unref (p->sender);
  gst_object_unref (p->receiver);
  g_cond_clear (&p->moved);
  g_mutex_clear (&p->lock);
}

/* --- what the issue asks for ---------------------------------------------- */

static const struct
{
  const gchar *name, *link, *properties;
  gboolean launch;
  gboolean repaired;   /* measure from when it is */
  guint packets;       /* media packets that are measured */
  gdouble residual;    /* missing after repair, at most */
  gdouble least, most; /* repair packets per media packet, all in all */
  const gchar *cause;  /* of losses that there must have been, or NULL */
  gboolean guessed;    /* repair only where the LDA has reason for it */
  const gchar *why;
} rows[] = {
  /* An XOR of r packets leaves some r w^2 (fec/ulp.c): r = 2 at .005.  Packets
   * are missing in pairs, of 3,000 7.5 pairs with a sigma of 2.7, of 1,200 3 with
   * 1.7: 5 sigma above are 43 packets, .014, and 24, .02. */
  { "radio-launch", "delay 20ms ! bernoulli 5%",
      "controller=fixed lda=omniscient", TRUE, TRUE, 1200, .02, .2, 1,
      "wireless-losses", FALSE,
      "set up without code; first, for the name rtpstorage0" },
  { "radio", "delay 20ms ! bernoulli 5%", "controller=fixed lda=omniscient",
      FALSE, TRUE, 3000, .014, .2, 1, "wireless-losses", FALSE,
      "radio losses are repaired" },
  { "clean", "delay 20ms", "controller=fixed lda=zbs", FALSE, FALSE, 2000, 0, 0,
      .02, NULL, FALSE, "no repair where nothing is lost" },
  /* Far below the rate, so that a slow machine, too, fills the queue. */
  { "congestion", "bottleneck rate=500k queue=50ms ! delay 20ms",
      "controller=fixed lda=omniscient", FALSE, FALSE, 1000, 1, 0, 0,
      "congestion-losses", FALSE,
      "more packets are no remedy for a full queue" },
  { "congestion-zbs", "bottleneck rate=500k queue=50ms ! delay 20ms",
      "controller=tfrc lda=zbs", FALSE, FALSE, 1000, 1, 0, 1,
      "congestion-losses", TRUE,
      "none for what a guess takes for congestion, either" },
};

/* `repair` packets were made until before now.  Stalls of the machine lift packets
 * above the queue that is looked for, and lead the guess astray; what it says then is
 * to be believed.  The rows of tests/sim say how good it is, in virtual time. */
static void
guesses_check (Path *p, guint repair)
{
  guint64 misread = stat_of (p, "send", "misread-congestion");

  g_test_message ("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                  " losses of the queue were taken for the radio's",
      misread, stat_of (p, "send", "known-congestion"));
  if (misread < EVIDENCE)
    g_assert_cmpuint (repair, ==, 0);
}

static void
path_check (Path *p, guint r)
{
  guint sent = 0, came = 0, all = 0, repair;
  gdouble residual, overhead;

  g_mutex_lock (&p->lock);
  for (guint i = 0; i < FRAMES_MAX; i++) {
    const Frame *f = &p->frames[i];

    all += f->sent;
    if (i < p->from || i >= p->to)
      continue;
    sent += f->sent;
    came += f->came;
    g_assert_cmpuint (f->came, <=, f->sent);
    if (f->came == f->sent)
      g_assert_cmphex (f->came_sum, ==, f->sent_sum); /* byte for byte */
  }
  residual = (sent - came) / (gdouble) sent;
  repair = p->repair;
  overhead = repair / (gdouble) all;
  g_mutex_unlock (&p->lock);
  g_test_message ("%u media packets, %.2f %% missing after repair, FEC %.1f %%",
      sent, residual * 100, overhead * 100);
  g_assert_cmpuint (sent, >, rows[r].packets * 9 / 10);
  g_assert_cmpfloat (residual, <=, rows[r].residual);
  g_assert_cmpfloat (overhead, >=, rows[r].least);
  g_assert_cmpfloat (overhead, <=, rows[r].most);
  if (rows[r].cause)
    g_assert_cmpuint (stat_of (p, "link", rows[r].cause), >, LOSSES);
  if (rows[r].guessed)
    guesses_check (p, repair);
}

static void
test_path (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  g_autofree Path *p = g_new0 (Path, 1);

  g_test_message ("%s", rows[r].why);
  p->packets = rows[r].packets;
  p->from = rows[r].repaired ? G_MAXUINT : 0;
  path_start (p, rows[r].launch, rows[r].link, rows[r].properties);
  path_run (p);
  path_run_on (p, rows[r].cause);
  path_check (p, r);
  path_stop (p);
}

void
tests_add (void)
{
  rows_add_by ("/fec-path", rows, name, test_path);
}
