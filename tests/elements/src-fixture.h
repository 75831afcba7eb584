/* rtpadaptsrc, and hand-made senders for it, on loopback in one process.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "udp-fixture.h"

#include <gio/gio.h>
#include <gst/rtpadapt/util/bytes.h>
#include <gst/video/video.h>

/* --- the receiver ------------------------------------------------------- */

#define RECEIVER_BRANCHES 4

/* RFC 3550 6.3.5: rtpsession gives a silent SSRC up after five intervals of 5 s. */
#define SSRC_TIMEOUT (25 * G_TIME_SPAN_SECOND)

typedef struct
{
  GstElement *pipeline, *src;
  GstBus *bus;
  gint port;
  GstElement *branches[RECEIVER_BRANCHES];
  gint frames[RECEIVER_BRANCHES]; /* atomic: that came to their ends */
  gint pads;                      /* atomic: source pads there have been */
} Receiver;

static inline void
receiver_frame (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  g_atomic_int_inc ((gint *) data);
}

/* To the first branch that is free and takes it.  Two streams' pads may come at once. */
static inline void
receiver_pad (GstElement *src, GstPad *pad, gpointer data)
{
  static GMutex one;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&one);
  Receiver *t = (Receiver *) data;
  gboolean linked = FALSE;

  g_atomic_int_inc (&t->pads);
  for (guint i = 0; i < RECEIVER_BRANCHES && t->branches[i] && !linked; i++) {
    g_autoptr (GstPad) sink
        = gst_element_get_static_pad (t->branches[i], "sink");

    linked = !gst_pad_is_linked (sink)
        && gst_pad_link (pad, sink) == GST_PAD_LINK_OK;
  }
}

#define RECEIVER_OUT \
  " ! fakesink sync=false async=false signal-handoffs=true name=out"
#define RECEIVER_H264 "rtph264depay ! avdec_h264" RECEIVER_OUT
#define RECEIVER_OPUS "rtpopusdepay ! opusdec" RECEIVER_OUT

/* `settings` of the rtpadaptsrc; `branches` with commas between, or "". */
static inline void
receiver_new (Receiver *t, const gchar *settings, const gchar *branches)
{
  g_auto (GStrv) each = g_strsplit (branches, ",", -1);
  g_autofree gchar *line
      = g_strdup_printf ("rtpadaptsrc address=127.0.0.1 port=0 %s", settings);
  GError *error = NULL;

  *t = (Receiver){ 0 };
  t->pipeline = gst_pipeline_new (NULL);
  t->bus = gst_element_get_bus (t->pipeline);
  t->src = gst_parse_launch (line, &error);
  g_assert_no_error (error);
  gst_bin_add (GST_BIN (t->pipeline), gst_object_ref (t->src));
  g_signal_connect (t->src, "pad-added", G_CALLBACK (receiver_pad), t);
  for (guint i = 0; each[i] && *each[i]; i++) {
    GstElement *branch = gst_parse_bin_from_description (each[i], TRUE, &error),
               *sink;

    g_assert_no_error (error);
    gst_bin_add (GST_BIN (t->pipeline), branch);
    t->branches[i] = branch;
    sink = gst_bin_get_by_name (GST_BIN (branch), "out");
    g_signal_connect (
        sink, "handoff", G_CALLBACK (receiver_frame), &t->frames[i]);
    gst_object_unref (sink);
  }
}

static inline void
receiver_play (Receiver *t)
{
  g_assert_cmpint (gst_element_set_state (t->pipeline, GST_STATE_PLAYING), !=,
      GST_STATE_CHANGE_FAILURE);
  g_object_get (t->src, "port", &t->port, NULL);
  g_assert_cmpint (t->port, >, 0);
}

/* It plays. */
static inline void
receiver_open (Receiver *t, const gchar *settings, const gchar *branches)
{
  receiver_new (t, settings, branches);
  receiver_play (t);
}

static inline void
receiver_end (Receiver *t)
{
  gst_element_set_state (t->pipeline, GST_STATE_NULL);
  gst_object_unref (t->bus);
  gst_object_unref (t->src);
  gst_object_unref (t->pipeline);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Receiver, receiver_end)

/* RTP with a made-up SSRC. */
static inline void
say_rtp (gint fd, gint port, guint pt, guint32 ssrc, guint16 seq)
{
  guint8 data[40] = { 0x80, (guint8) pt };

  GST_WRITE_UINT16_BE (data + 2, seq);
  GST_WRITE_UINT32_BE (data + 8, ssrc);
  udp_say (fd, "127.0.0.1", (guint) port, 0, data, sizeof data);
}

/* --- waiting ------------------------------------------------------------ */

/* An error on the bus is the test's end. */
static inline void
check_bus (GstBus *bus)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  GError *error = NULL;

  if (!message)
    return;
  gst_message_parse_error (message, &error, NULL);
  g_error (
      "%s: %s", GST_OBJECT_NAME (GST_MESSAGE_SRC (message)), error->message);
}

#define WAIT_UNTIL(bus, condition)                      \
  G_STMT_START                                          \
  {                                                     \
    gint64 until_ = g_get_monotonic_time () + PATIENCE; \
    while (!(condition)) {                              \
      check_bus (bus);                                  \
      if (g_get_monotonic_time () > until_)             \
        g_error ("this never came: " #condition);       \
      g_usleep (10000);                                 \
    }                                                   \
  }                                                     \
  G_STMT_END

static inline gboolean
receiver_has_pad (Receiver *t, guint sink)
{
  g_autoptr (GstPad) pad
      = gst_element_get_static_pad (t->branches[sink], "sink");

  return gst_pad_is_linked (pad);
}

/* What the element says of itself is the reason why no more frames came. */
static inline void
wait_frames (Receiver *t, guint sink, gint more)
{
  gint64 until = g_get_monotonic_time () + PATIENCE;
  gint from = g_atomic_int_get (&t->frames[sink]), n;

  while ((n = g_atomic_int_get (&t->frames[sink]) - from) < more) {
    check_bus (t->bus);
    if (g_get_monotonic_time () > until) {
      GstStructure *stats;

      g_object_get (t->src, "stats", &stats, NULL);
      g_error ("%d of %d frames came at branch %u%s: %s", n, more, sink,
          receiver_has_pad (t, sink) ? "" : ", which has no pad",
          gst_structure_to_string (stats));
    }
    g_usleep (10000);
  }
}

/* A number of the statistics, "a/b" is b in the structure a. */
static inline guint64
stat_of (GstElement *element, const gchar *path)
{
  return (guint64) stats_number (element, path);
}

/* --- the sender --------------------------------------------------------- */

#define SRC_RTP_SIZE 41

/* The bytes of trust.md: an RTP header, the transport-wide number, unless it is
 * below 0, and a slice.  Returns how many of SRC_RTP_SIZE these are. */
static inline gsize
src_rtp (guint8 *p, gboolean marker, guint seq, guint32 timestamp, guint32 ssrc,
    gint number)
{
  gsize head = number < 0 ? 12 : 20;

  memset (p, 0, SRC_RTP_SIZE);
  p[0] = number < 0 ? 0x80 : 0x90;
  p[1] = (guint8) (96 | marker << 7);
  ra_put_u16 (p + 2, (guint16) seq);
  ra_put_u32 (p + 4, timestamp);
  ra_put_u32 (p + 8, ssrc);
  if (number >= 0) {
    ra_put_u32 (p + 12, 0xbede0001);
    p[16] = 0x11;
    ra_put_u16 (p + 17, (guint16) number);
  }
  p[head] = 0x41;
  return head + 21;
}

/* A pipeline that plays.  On `bus`, if it is not NULL, its errors end the test. */
static inline GstElement *
line_play (const gchar *line, GstBus *bus)
{
  GstElement *pipeline = line_new (line);

  if (bus)
    gst_element_set_bus (pipeline, bus);
  g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_PLAYING), !=,
      GST_STATE_CHANGE_FAILURE);
  return pipeline;
}

static inline GstElement *G_GNUC_PRINTF (2, 3)
    line_playf (GstBus *bus, const gchar *format, ...)
{
  g_autofree gchar *line = NULL;
  va_list args;

  va_start (args, format);
  line = g_strdup_vprintf (format, args);
  va_end (args);
  return line_play (line, bus);
}

static inline void
line_end (GstElement *pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

typedef struct
{
  GstElement *pipeline;
  GstBus *bus;
  GSocket *socket; /* of RTP */
} Sender;

#define SENDER_EXT                                     \
  "application/x-rtp,extmap-1=http://www.ietf.org/id/" \
  "draft-holmer-rmcat-transport-wide-cc-extensions-01"
/* The names of the camera and its encoder end in `n`, a string. */
#define SENDER_CAMERA(n)                                            \
  "videotestsrc is-live=true pattern=ball name=camera" n            \
  " ! video/x-raw,width=160,height=120,framerate=60/1 ! "           \
  "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=30 " \
  "bitrate=300 name=enc" n                                          \
  " ! rtph264pay config-interval=-1 mtu=600 pt=96 ! " SENDER_EXT
#define SENDER_VIDEO SENDER_CAMERA ("0")
/* The end of a line that sends. */
#define SENDER_SEND " ! rtpadaptsend name=send ! s.send_rtp_sink_0"

/* From the address `from` to `host`.  `mux`: RTP and RTCP by one socket, as RFC
 * 4961 has it; else RTCP by another, to the port after `port`.  `socket` NULL: a
 * new one. */
static inline void
sender_new_from (Sender *t, const gchar *from, const gchar *host, gint port,
    gboolean mux, GSocket *socket, const gchar *line)
{
  g_autofree gchar *all = g_strdup_printf (
      "rtpbin name=s rtp-profile=avpf %s "
      "rtpadaptudpsrc name=back address=%s port=0 ! s.recv_rtcp_sink_0 "
      "s.send_rtp_src_0 ! rtpadaptudpsink name=rtp host=%s port=%d "
      "multicast-iface=lo s.send_rtcp_src_0 ! rtpadaptudpsink name=rtcp "
      "host=%s port=%d multicast-iface=lo",
      line, from, host, port, host, mux ? port : port + 1);
  GstElement *back, *rtp, *rtcp;

  t->pipeline = line_new (all);
  t->bus = gst_element_get_bus (t->pipeline);
  back = gst_bin_get_by_name (GST_BIN (t->pipeline), "back");
  rtp = gst_bin_get_by_name (GST_BIN (t->pipeline), "rtp");
  rtcp = gst_bin_get_by_name (GST_BIN (t->pipeline), "rtcp");
  if (socket)
    g_object_set (back, "socket", socket, NULL);
  gst_element_set_state (back, GST_STATE_READY);
  g_object_get (back, "used-socket", &t->socket, NULL);
  g_assert_nonnull (t->socket);
  g_object_set (rtcp, "socket", t->socket, NULL);
  if (mux)
    g_object_set (rtp, "socket", t->socket, NULL);
  gst_object_unref (back);
  gst_object_unref (rtp);
  gst_object_unref (rtcp);
  g_assert_cmpint (gst_element_set_state (t->pipeline, GST_STATE_PLAYING), !=,
      GST_STATE_CHANGE_FAILURE);
}

static inline void
sender_new (
    Sender *t, gint port, gboolean mux, GSocket *socket, const gchar *line)
{
  sender_new_from (t, "127.0.0.1", "127.0.0.1", port, mux, socket, line);
}

static inline GstElement *
sender_get (Sender *t, const gchar *name)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (t->pipeline), name);

  g_assert_nonnull (element);
  gst_object_unref (element); /* the pipeline has it */
  return element;
}

static inline void
sender_end (Sender *t)
{
  gst_element_set_state (t->pipeline, GST_STATE_NULL);
  gst_object_unref (t->bus);
  gst_object_unref (t->pipeline);
  g_object_unref (t->socket);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Sender, sender_end)
