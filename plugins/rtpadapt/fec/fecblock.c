/* The packets of a block, and the repair packets that are made of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fecblock.h"

#include <gst/rtp/rtp.h>
#include <gst/rtpadapt/repair/ulpfec.h>

void
fec_block_clear (FecBlock *b)
{
  g_clear_pointer (&b->bytes, g_byte_array_unref);
  *b = (FecBlock){ 0 };
}

static void
packets_forget (FecBlock *b)
{
  if (b->bytes)
    g_byte_array_set_size (b->bytes, 0);
  b->n = 0;
}

void
fec_block_drop (FecBlock *b)
{
  ra_block_drop (&b->block);
  packets_forget (b);
}

gboolean
fec_block_add (FecBlock *b, const RaBlockConfig *cfg, guint percentage,
    gboolean end, RaTime now, const guint8 *packet, guint size)
{
  if (!b->bytes)
    b->bytes = g_byte_array_new ();
  g_byte_array_append (b->bytes, packet, size);
  b->sizes[b->n++] = size;
  return ra_block_add (&b->block, cfg, percentage, end, now);
}

/* Returns the size of the longest. */
static guint
packets_of (const FecBlock *b, RaRtpBytes *packets)
{
  const guint8 *data = b->bytes->data;
  guint longest = 0;

  for (guint i = 0; i < b->n; i++) {
    packets[i] = (RaRtpBytes){ data, b->sizes[i] };
    longest = MAX (longest, b->sizes[i]);
    data += b->sizes[i];
  }
  return longest;
}

static GstBuffer *
repair_new (const FecHeader *header, guint i, gsize room)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstBuffer *buffer = gst_rtp_buffer_new_allocate ((guint) room, 0, 0);

  gst_rtp_buffer_map (buffer, GST_MAP_WRITE, &rtp);
  gst_rtp_buffer_set_payload_type (&rtp, header->payload_type);
  gst_rtp_buffer_set_ssrc (&rtp, header->ssrc);
  gst_rtp_buffer_set_timestamp (&rtp, header->timestamp);
  gst_rtp_buffer_set_seq (&rtp, (guint16) (header->seq + i));
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

static GstBuffer *
repair_make (const RaRtpBytes *packets, guint n, guint64 row, guint longest,
    const FecHeader *header, guint i)
{
  GstBuffer *buffer
      = repair_new (header, i, RA_ULPFEC_HEADER + longest - RA_RTP_HEADER);
  GstMapInfo map;
  gsize size;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  size = ra_ulpfec_write (
      packets, n, row, map.data + RA_RTP_HEADER, map.size - RA_RTP_HEADER);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_set_size (buffer, (gssize) (RA_RTP_HEADER + size));
  return buffer;
}

GPtrArray *
fec_block_end (FecBlock *b, const FecHeader *header)
{
  guint f = ra_block_end (&b->block);
  GPtrArray *made = NULL;
  RaRtpBytes packets[RA_MASKS_MAX];
  guint64 rows[RA_MASKS_MAX];

  if (f > 0) {
    guint longest = packets_of (b, packets);

    made = g_ptr_array_new_full (f, (GDestroyNotify) gst_buffer_unref);
    ra_masks_make (b->n, f, rows);
    for (guint i = 0; i < f; i++)
      g_ptr_array_add (
          made, repair_make (packets, b->n, rows[i], longest, header, i));
  }
  packets_forget (b);
  return made;
}
