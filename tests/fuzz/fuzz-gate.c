/* Fuzz target: the gate of rtpadaptsrc, which gets whatever is sent to its
 * port.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The first byte: bit 0, RTCP comes by the port of RTP, too; bit 1, all is
 * authentic.  Then datagrams: 1 byte says by which pad (bit 0) and from which
 * address (bits 1 to 3; 7 has none), 1 how long it is.
 */
#include "fuzz.h"

#include "src/srcgate.h"
#include "src/srcpayload.h"

#include <gst/net/gstnetaddressmeta.h>
#include <gst/rtp/rtp.h>

#define ADDRESSES 7

/* What came out. */
typedef struct
{
  GHashTable *ssrcs; /* of RTP */
  guint rtp, rtcp;
} Out;

typedef struct
{
  SrcGate *gate;
  GstPad *in[2], *out[2]; /* RTP, RTCP */
  GSocketAddress *from[ADDRESSES];
  Out seen;
} Gate;

static GstFlowReturn
out_rtp (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Out *seen = gst_pad_get_element_private (pad);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  /* GStreamer's own reader is the oracle. */
  g_assert_true (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  g_hash_table_add (
      seen->ssrcs, GUINT_TO_POINTER (gst_rtp_buffer_get_ssrc (&rtp)));
  gst_rtp_buffer_unmap (&rtp);
  g_assert_null (gst_buffer_get_net_address_meta (buffer));
  seen->rtp++;
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

/* Packets one behind the other up to the end (RFC 3550 A.2, RFC 5506), and
 * none of them a request for an SR. */
static GstFlowReturn
out_rtcp (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Out *seen = gst_pad_get_element_private (pad);
  GstMapInfo map;
  gsize at = 0;

  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_READ));
  while (at < map.size) {
    const guint8 *p = map.data + at;

    g_assert_cmpuint (at + 4, <=, map.size);
    g_assert_cmpuint (p[0] >> 6, ==, 2);
    g_assert_false (p[1] == 205 && (p[0] & 31) == 5);
    at += 4u + 4u * (p[2] * 256u + p[3]);
  }
  g_assert_cmpuint (at, ==, map.size);
  g_assert_cmpuint (at, >=, 8);
  gst_buffer_unmap (buffer, &map);
  seen->rtcp++;
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static void
pads_make (Gate *g, guint i, const gchar *sink, const gchar *src)
{
  g_autoptr (GstPad) to
      = gst_element_get_static_pad (GST_ELEMENT (g->gate), sink);
  g_autoptr (GstPad) of
      = gst_element_get_static_pad (GST_ELEMENT (g->gate), src);
  GstSegment segment;

  g->in[i] = gst_pad_new ("in", GST_PAD_SRC);
  g->out[i] = gst_pad_new ("out", GST_PAD_SINK);
  gst_pad_set_chain_function (g->out[i], i == 0 ? out_rtp : out_rtcp);
  gst_pad_set_element_private (g->out[i], &g->seen);
  gst_pad_set_active (g->in[i], TRUE);
  gst_pad_set_active (g->out[i], TRUE);
  gst_pad_link_full (g->in[i], to, GST_PAD_LINK_CHECK_NOTHING);
  gst_pad_link_full (of, g->out[i], GST_PAD_LINK_CHECK_NOTHING);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (g->in[i], gst_event_new_stream_start ("in"));
  gst_pad_push_event (g->in[i], gst_event_new_segment (&segment));
}

static void
gate_init (Gate *g, guint flags)
{
  PeerConfig cfg = { .authentic = flags >> 1 & 1, .any_port = !(flags & 1) };
  const SrcPayloadKind kinds[SRC_PAYLOAD_TYPES] = { [0] = SRC_PAYLOAD_MEDIA,
    [96] = SRC_PAYLOAD_MEDIA,
    [122] = SRC_PAYLOAD_REPAIR };
  g_autoptr (GstCaps) caps
      = src_payloads_any (); /* with transport-wide numbers */

  g->gate = src_gate_new ();
  gst_object_ref_sink (g->gate);
  src_gate_open (g->gate, &cfg, flags & 1, kinds, caps);
  gst_element_set_state (GST_ELEMENT (g->gate), GST_STATE_PAUSED);
  g->seen = (Out){ .ssrcs = g_hash_table_new (NULL, NULL) };
  pads_make (g, 0, "rtp_sink", "rtp_src");
  pads_make (g, 1, "rtcp_sink", "rtcp_src");
  for (guint i = 0; i < ADDRESSES; i++) {
    g_autofree gchar *host = g_strdup_printf ("192.0.2.%u", 1 + i / 2);

    g->from[i] = g_inet_socket_address_new_from_string (host, 5004 + i % 2);
  }
}

/* The same bytes leave as RTCP.  If they are a row of packets, the result is one,
 * too. */
static void
gate_leave (Gate *g, const guint8 *bytes, gsize length)
{
  GstBuffer *rtcp = gst_buffer_new_memdup (bytes, length);
  GstMapInfo map;
  gsize at = 0;

  rtcp = src_gate_leave (g->gate, rtcp);
  if (!rtcp)
    return;
  g_assert_true (gst_buffer_map (rtcp, &map, GST_MAP_READ));
  while (at + 4 <= map.size)
    at += 4u + 4u * GST_READ_UINT16_BE (map.data + at + 2);
  if (map.size != length)
    g_assert_cmpuint (at, ==, map.size);
  gst_buffer_unmap (rtcp, &map);
  gst_buffer_unref (rtcp);
}

/* Every datagram is accounted for, and no more streams come in than there is
 * room for. */
static void
gate_check (Gate *g, guint n)
{
  SrcGateStats s;
  GSocketAddress *answer = src_gate_answer_to (g->gate);

  g_clear_object (&answer);
  src_gate_get_stats (g->gate, &s);
  g_assert_cmpuint (s.rtp, ==, g->seen.rtp);
  g_assert_cmpuint (s.rtcp, ==, g->seen.rtcp);
  g_assert_cmpuint (s.rtp + s.rtcp + s.junk + s.sr_requests + s.unknown
          + s.peer.foreign_rtp + s.peer.foreign_rtcp + s.peer.early_rtcp
          + s.peer.flood + s.order.jumped + s.order.held,
      ==, n);
  g_assert_cmpuint (g_hash_table_size (g->seen.ssrcs), <=, PEER_STREAMS);
  fuzz_note ("rtp %" G_GUINT64_FORMAT " rtcp %" G_GUINT64_FORMAT
             " junk %" G_GUINT64_FORMAT " unknown %" G_GUINT64_FORMAT
             " foreign %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT
             " flood %" G_GUINT64_FORMAT " own %" G_GUINT64_FORMAT
             " dropped %" G_GUINT64_FORMAT,
      s.rtp, s.rtcp, s.junk, s.unknown, s.peer.foreign_rtp, s.peer.foreign_rtcp,
      s.peer.flood, s.own_ssrc, s.answers_dropped);
}

static void
gate_clear (Gate *g)
{
  gst_element_set_state (GST_ELEMENT (g->gate), GST_STATE_NULL);
  for (guint i = 0; i < 2; i++) {
    gst_pad_set_active (g->in[i], FALSE);
    gst_pad_set_active (g->out[i], FALSE);
    gst_object_unref (g->in[i]);
    gst_object_unref (g->out[i]);
  }
  gst_object_unref (g->gate);
  for (guint i = 0; i < ADDRESSES; i++)
    g_object_unref (g->from[i]);
  g_hash_table_unref (g->seen.ssrcs);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzBytes b = fuzz_bytes (data, size);
  guint n = 0;
  Gate g;

  gate_init (&g, (guint) fuzz_take (&b, 1));
  while (b.left > 0) {
    guint flags = (guint) fuzz_take (&b, 1), from = flags >> 1 & 7;
    gsize length = (gsize) fuzz_take (&b, 1);
    guint8 *bytes = fuzz_copy (&b, length, &length);
    GstBuffer *buffer = gst_buffer_new ();

    if (bytes && length >= 4)
      gate_leave (&g, bytes, length);

    if (bytes)
      gst_buffer_append_memory (buffer,
          gst_memory_new_wrapped (0, bytes, length, 0, length, bytes, g_free));
    if (from < ADDRESSES)
      gst_buffer_add_net_address_meta (buffer, g.from[from]);
    gst_pad_push (g.in[flags & 1], buffer);
    gate_check (&g, ++n);
  }
  gate_clear (&g);
  return 0;
}
