/* rtpadaptsrc: what payload type and number a packet had that was sent again.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A retransmission has a payload type of its own.  rtprtxreceive (1.22) gives
 * the packet back the one that the SDP names for it (RFC 4588 8.6); here
 * nobody names one, and a sender may change codec and payload type while it runs.
 * But the SSRC is known by then: the payload type is the one that the stream's
 * other packets had at that place.  Only FEC has its own.
 *
 * The sender names the number, too, and the gate (wire/seqcheck.h) does not see it.
 * rtpjitterbuffer would follow a number that is far ahead, and would take the stream's
 * packets for old ones.
 */
#include "srcrtxpt.h"

#include "srcpayload.h"
#include "wire/peer.h"
#include "wire/seqcheck.h"

#include <gst/rtp/rtp.h>

/* Any; it is replaced. */
#define ANY_PT "96"
#define RS_PT G_STRINGIFY (PT_RS)

/* From here on nothing from before a change is asked for; and numbers wrap. */
#define LONG_AGO 0x4000

typedef struct
{
  guint32 ssrc;
  guint16 from, newest; /* numbers: from the first one with `pt` */
  guint16 top;          /* the highest number, of repair packets, too */
  guint8 pt, before;
  guint64 used; /* 0: free */
} Stream;

/* Of the thread that pushes into rtprtxreceive. */
typedef struct
{
  Stream streams[PEER_STREAMS];
  guint64 n;      /* packets */
  gsize far_away; /* atomic: repeats dropped for their number */
} Types;

#define TYPES "rtpadapt-repeats" /* data of the rtprtxreceive */

static void
types_unref (gpointer types)
{
  g_atomic_rc_box_release (types);
}

/* NULL: it is not there; `make`: in the place of the one idle longest. */
static Stream *
stream_find (Types *t, guint32 ssrc, gboolean make)
{
  Stream *place = &t->streams[0];

  for (guint i = 0; i < PEER_STREAMS; i++) {
    Stream *s = &t->streams[i];

    if (s->used && s->ssrc == ssrc)
      return s;
    if (s->used < place->used)
      place = s;
  }
  if (!make)
    return NULL;
  *place = (Stream){ .ssrc = ssrc };
  return place;
}

/* One that was overtaken does not count. */
static gboolean
is_news (guint16 seq, guint16 than)
{
  gint16 ahead = (gint16) (seq - than);

  return ahead > 0 || ahead < -SEQ_NEAR;
}

/* What comes off the network. */
static GstPadProbeReturn
on_packet (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  Types *t = data;
  guint8 head[12], pt;
  guint16 seq;
  Stream *s;

  if (gst_buffer_extract (buffer, 0, head, sizeof head) < sizeof head)
    return GST_PAD_PROBE_OK;
  pt = head[1] & 0x7f;
  seq = GST_READ_UINT16_BE (head + 2);
  if (pt_is_rtx (pt))
    return GST_PAD_PROBE_OK;
  s = stream_find (t, GST_READ_UINT32_BE (head + 8), !pt_is_fec (pt));
  if (!s)
    return GST_PAD_PROBE_OK;
  if (s->used == 0 || is_news (seq, s->top))
    s->top = seq;
  if (pt_is_fec (pt))
    return GST_PAD_PROBE_OK;
  if (s->used == 0 || is_news (seq, s->newest)) {
    if (s->used == 0 || pt != s->pt) {
      s->before = s->used ? s->pt : pt;
      s->from = seq;
      s->pt = pt;
    }
    if ((guint16) (seq - s->from) >= LONG_AGO)
      s->before = s->pt;
    s->newest = seq;
  }
  s->used = ++t->n;
  return GST_PAD_PROBE_OK;
}

/* What goes on, of which some was sent again. */
static GstPadProbeReturn
on_restored (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  Types *t = data;
  guint8 head[12];
  const Stream *s;
  guint16 seq;

  if (!GST_BUFFER_FLAG_IS_SET (buffer, GST_RTP_BUFFER_FLAG_RETRANSMISSION)
      || gst_buffer_extract (buffer, 0, head, sizeof head) < sizeof head)
    return GST_PAD_PROBE_OK;
  seq = GST_READ_UINT16_BE (head + 2);
  s = stream_find (t, GST_READ_UINT32_BE (head + 8), FALSE);
  if (!s || (gint16) (seq - s->top) > SEQ_NEAR) {
    g_atomic_pointer_add (&t->far_away, 1);
    return GST_PAD_PROBE_DROP;
  }
  if (pt_is_fec (head[1] & 0x7f))
    return GST_PAD_PROBE_OK;
  head[1]
      = (head[1] & 0x80) | ((gint16) (seq - s->from) < 0 ? s->before : s->pt);
  buffer = gst_buffer_make_writable (buffer);
  gst_buffer_fill (buffer, 1, head + 1, 1);
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  return GST_PAD_PROBE_OK;
}

GstElement *
src_rtx_receiver (void)
{
  GstElement *rtx = gst_element_factory_make ("rtprtxreceive", NULL);
  GstStructure *map;
  GstPad *pad;
  Types *t;

  if (!rtx)
    return NULL;
  map = gst_structure_new ("application/x-rtp-pt-map", ANY_PT, G_TYPE_UINT,
      PT_RTX, RS_PT, G_TYPE_UINT, PT_RS_RTX, NULL);
  g_object_set (rtx, "payload-type-map", map, NULL);
  gst_structure_free (map);
  t = g_atomic_rc_box_new0 (Types);
  g_object_set_data_full (
      G_OBJECT (rtx), TYPES, g_atomic_rc_box_acquire (t), types_unref);
  pad = gst_element_get_static_pad (rtx, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_packet,
      g_atomic_rc_box_acquire (t), types_unref);
  gst_object_unref (pad);
  pad = gst_element_get_static_pad (rtx, "src");
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, on_restored, t, types_unref);
  gst_object_unref (pad);
  return rtx;
}

guint64
src_rtx_far (GstElement *rtx)
{
  Types *t = g_object_get_data (G_OBJECT (rtx), TYPES);

  return (guint64) g_atomic_pointer_get (&t->far_away);
}
