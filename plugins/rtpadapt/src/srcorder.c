/* rtpadaptsrc's gate puts the numbers of RTP in order.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sequence numbers that jump are held back or dropped before rtpjitterbuffer
 * waits for them (wire/seqcheck.h), and transport-wide numbers become one count
 * for rtpsession (wire/twccseq.h).
 */
#include "srcorder.h"

#include "wire/rtpnumber.h"
#include "wire/seqcheck.h"
#include "wire/twccback.h"
#include "wire/twccseq.h"

#include <gst/rtpadapt/util/bytes.h>

struct _SrcOrder
{
  guint id;
  SeqCheck *seqs;
  TwccSeq *numbers;
  GstBuffer *held[SEQ_STREAMS]; /* or NULL */
  guint64 jumped;
};

SrcOrder *
src_order_new (guint id)
{
  SrcOrder *o = g_new0 (SrcOrder, 1);

  o->id = id;
  o->seqs = seq_check_new ();
  o->numbers = twcc_seq_new ();
  return o;
}

void
src_order_free (SrcOrder *o)
{
  if (!o)
    return;
  for (guint i = 0; i < SEQ_STREAMS; i++)
    gst_clear_buffer (&o->held[i]);
  seq_check_free (o->seqs);
  twcc_seq_free (o->numbers);
  g_free (o);
}

/* --- transport-wide numbers --------------------------------------------- */

static void
confirm (SrcOrder *o, GstBuffer *buffer, guint32 ssrc)
{
  GstMapInfo map;
  guint8 *number;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return;
  number = rtp_number_find (map.data, map.size, o->id);
  if (number)
    twcc_seq_confirm (o->numbers, ssrc, ra_get_u16 (number));
  gst_buffer_unmap (buffer, &map);
}

/* Replaces the transport-wide number, or removes it.  (transfer full) both. */
static GstBuffer *
number (
    SrcOrder *o, GstBuffer *buffer, guint32 ssrc, gboolean proven, RaTime now)
{
  GstMapInfo map;
  guint8 *at;
  gint count;

  if (o->id == 0)
    return buffer;
  buffer = gst_buffer_make_writable (buffer);
  if (!gst_buffer_map (buffer, &map, GST_MAP_READWRITE))
    return buffer;
  at = rtp_number_find (map.data, map.size, o->id);
  if (at) {
    count = twcc_seq_in (o->numbers, ssrc, proven, ra_get_u16 (at), now);
    if (count < 0)
      rtp_number_strip (map.data, map.size, o->id);
    else
      ra_put_u16 (at, (guint32) count);
  }
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* --- in ----------------------------------------------------------------- */

guint
src_order_take (SrcOrder *o, GstBuffer *buffer, const RtpMuxHead *head,
    gboolean proven, RaTime now, GstBuffer *out[SRC_ORDER_MAX])
{
  guint place, n = 0;

  switch (seq_check (o->seqs, head->ssrc, head->seq, now, &place)) {
    case SEQ_BOTH:
      confirm (o, buffer, head->ssrc);
      out[n] = number (
          o, g_steal_pointer (&o->held[place]), head->ssrc, proven, now);
      n++;
      break;
    case SEQ_HOLD:
      o->jumped += o->held[place] != NULL;
      gst_buffer_replace (&o->held[place], buffer);
      gst_buffer_unref (buffer);
      return 0;
    case SEQ_DROP:
      o->jumped++;
      gst_buffer_unref (buffer);
      return 0;
    default:
      break;
  }
  out[n] = number (o, buffer, head->ssrc, proven, now);
  return n + 1;
}

/* --- out ---------------------------------------------------------------- */

static gboolean
has_numbers (const guint8 *data, gsize size)
{
  while (size >= 4) {
    gsize length = 4u + 4u * ra_get_u16 (data + 2);

    if (length > size)
      return FALSE;
    if (twcc_back_is (data, length))
      return TRUE;
    data += length;
    size -= length;
  }
  return FALSE;
}

GstBuffer *
src_order_leave (SrcOrder *o, GstBuffer *rtcp)
{
  GstBuffer *mapped = NULL;
  GstMapInfo map;
  guint8 *out;
  gsize size;

  if (!gst_buffer_map (rtcp, &map, GST_MAP_READ))
    return rtcp;
  if (!has_numbers (map.data, map.size)) {
    gst_buffer_unmap (rtcp, &map);
    return rtcp;
  }
  out = g_malloc (twcc_seq_room (map.size));
  size = twcc_seq_out (o->numbers, map.data, map.size, out);
  gst_buffer_unmap (rtcp, &map);
  if (size > 0) {
    mapped = gst_buffer_new_memdup (out, size);
    gst_buffer_copy_into (mapped, rtcp, GST_BUFFER_COPY_METADATA, 0, -1);
  }
  g_free (out);
  gst_buffer_unref (rtcp);
  return mapped;
}

void
src_order_get_stats (const SrcOrder *o, SrcOrderStats *stats)
{
  TwccSeqStats numbers;

  twcc_seq_get_stats (o->numbers, &numbers);
  *stats = (SrcOrderStats){ .jumped = o->jumped,
    .stripped = numbers.stripped,
    .seams = numbers.seams,
    .stale = numbers.stale };
  for (guint i = 0; i < SEQ_STREAMS; i++)
    stats->held += o->held[i] != NULL;
}
