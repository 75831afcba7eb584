/* rtpadaptsink with plain sockets and stock elements at the other end.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "udp-fixture.h"

#include <gio/gio.h>
#include <gst/app/app.h>

#define TWCC_URI            \
  "http://www.ietf.org/id/" \
  "draft-holmer-rmcat-transport-wide-cc-extensions-01"
/* Of the stream of sink_packet(), and of the peer. */
#define SINK_SSRC 0x01020304
#define SINK_THEIRS 0x0a0b0c0d

/* Until `done` says TRUE; FALSE after PATIENCE. */
typedef gboolean (*SinkDone) (gpointer data);
static inline gboolean
sink_wait (SinkDone done, gpointer data)
{
  gint64 end = g_get_monotonic_time () + PATIENCE;

  while (!done (data)) {
    if (g_get_monotonic_time () > end)
      return FALSE;
    g_usleep (1000);
  }
  return TRUE;
}

/* A field "a/b" of stats: b of the structure a. */
static inline guint64
sink_stat (GstElement *sink, const gchar *path)
{
  return (guint64) stats_number (sink, path);
}

typedef struct
{
  GstElement *sink;
  const gchar *path;
  guint64 least;
} SinkStat;

static inline gboolean
sink_stat_reached (gpointer data)
{
  const SinkStat *s = data;

  return sink_stat (s->sink, s->path) >= s->least;
}

static inline void
sink_expect (GstElement *sink, const gchar *path, guint64 least)
{
  SinkStat s = { sink, path, least };

  if (!sink_wait (sink_stat_reached, &s))
    g_error ("%s is %" G_GUINT64_FORMAT ", not %" G_GUINT64_FORMAT, path,
        sink_stat (sink, path), least);
}

/* The port that a child of the bin's socket is bound to. */
static inline guint
sink_port (GstElement *sink, const gchar *child)
{
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (sink), child);
  g_autoptr (GSocket) socket = NULL;
  g_autoptr (GSocketAddress) address = NULL;

  g_object_get (element, "used-socket", &socket, NULL);
  address = g_socket_get_local_address (socket, NULL);
  return g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (address));
}

/* "appsrc name=a ! rtpadaptsink name=s OPTIONS" towards a port of this host,
 * and the element s in `sink`. */
static inline GstElement *
sink_pipeline (guint port, const gchar *options, GstElement **sink)
{
  g_autofree gchar *line = g_strdup_printf (
      "appsrc name=a format=time is-live=true caps=\"application/x-rtp,"
      "media=video,encoding-name=RAW,payload=96,clock-rate=90000,"
      "ssrc=(uint)16909060,extmap-1=" TWCC_URI "\" ! "
      "rtpadaptsink name=s host=127.0.0.1 port=%u %s",
      port, options);
  GstElement *pipeline = line_new (line);

  *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  return pipeline;
}

/* `size` bytes from `first` on, as hex digits. */
static inline gchar *
hex_key (guint size, guint first)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < size; i++)
    g_string_append_printf (text, "%02x", (first + i) & 0xff);
  return g_string_free (text, FALSE);
}

static inline void
sink_play (GstElement *pipeline)
{
  g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_PLAYING), !=,
      GST_STATE_CHANGE_FAILURE);
}

/* Waits for the end of the stream; an error fails the test. */
static inline void
sink_wait_eos (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
      bus, PATIENCE * GST_USECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  GError *error = NULL;

  g_assert_nonnull (message);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  g_assert_no_error (error);
}

static inline void
sink_stop (GstElement *pipeline, GstElement *sink)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
}

/* The session within the bin.  rtpsession (1.22) counts the SSRC of retransmission
 * among its sources as soon as there are caps, before a packet has it. */
static inline GObject *
sink_session (GstElement *sink)
{
  g_autoptr (GstElement) rtpbin
      = gst_bin_get_by_name (GST_BIN (sink), "rtpbin");
  GObject *session;

  g_signal_emit_by_name (rtpbin, "get-internal-session", 0, &session);
  return session;
}

static inline guint
sink_sources (GstElement *sink)
{
  g_autoptr (GObject) session = sink_session (sink);
  guint n;

  g_object_get (session, "num-sources", &n, NULL);
  return n;
}

/* SINK_THEIRS is a source: its RTCP came all the way. */
static inline gboolean
sink_knows_peer (gpointer sink)
{
  GObject *session = sink_session (sink), *source = NULL;

  g_signal_emit_by_name (session, "get-source-by-ssrc", SINK_THEIRS, &source);
  g_object_unref (session);
  if (!source)
    return FALSE;
  g_object_unref (source);
  return TRUE;
}

/* An RTP packet of 100 bytes with room for a transport-wide number (id 1). */
static inline GstBuffer *
sink_packet (guint seq)
{
  guint8 data[100] = { 0x90, 0x80 | 96, (guint8) (seq >> 8), (guint8) seq,
    (guint8) (seq >> 8), (guint8) seq, 0, 0, 0x01, 0x02, 0x03, 0x04,
    /* RFC 8285 4.2 */
    0xbe, 0xde, 0, 1, 0x11, 0, 0, 0 };

  memset (data + 20, 0x55, sizeof data - 20);
  return gst_buffer_new_memdup (data, sizeof data);
}

static inline void
sink_push (GstElement *pipeline, guint seq)
{
  g_autoptr (GstElement) src = gst_bin_get_by_name (GST_BIN (pipeline), "a");

  g_assert_cmpint (
      gst_app_src_push_buffer (GST_APP_SRC (src), sink_packet (seq)), ==,
      GST_FLOW_OK);
}

/* RFC 3550 6.4.2: a receiver report of `from` with one block about `about`. */
#define SINK_RR_SIZE 32
static inline void
sink_rr (guint8 rr[SINK_RR_SIZE], guint32 from, guint32 about)
{
  memset (rr, 0, SINK_RR_SIZE);
  rr[0] = 0x81;
  rr[1] = 201;
  rr[3] = SINK_RR_SIZE / 4 - 1;
  GST_WRITE_UINT32_BE (rr + 4, from);
  GST_WRITE_UINT32_BE (rr + 8, about);
}

static inline gboolean
sink_heard_rtcp (const UdpHeard *heard)
{
  return heard->data[1] >= 192 && heard->data[1] <= 223; /* RFC 5761 4 */
}

static inline guint32
sink_heard_ssrc (const UdpHeard *heard)
{
  return GST_READ_UINT32_BE (heard->data + 8);
}

/* The next RTP packet. */
static inline void
sink_hear_rtp (gint ear, UdpHeard *heard)
{
  do {
    udp_hear (ear, heard);
    g_assert_cmpint (heard->size, >=, 12);
  } while (sink_heard_rtcp (heard));
}

/* RFC 8285 4.2: the one extension of sink_packet() at its place. */
static inline guint
sink_heard_twcc (const UdpHeard *heard)
{
  g_assert_cmphex (GST_READ_UINT32_BE (heard->data + 12), ==, 0xbede0001);
  g_assert_cmphex (heard->data[16], ==, 0x11);
  return (guint) heard->data[17] << 8 | heard->data[18]; /* not aligned */
}
