/* The packets of a block, and the repair packets that are made of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fecblock.h"

#include <gst/rtp/rtp.h>
#include <gst/rtpadapt/repair/masks.h>
#include <gst/rtpadapt/repair/rsfec.h>
#include <gst/rtpadapt/repair/ulpfec.h>

/* Bytes before the rest of a packet, of either code. */
#define HEADER MAX (RA_ULPFEC_HEADER, RA_RSFEC_HEADER)

guint
fec_block_most (RaFecCode code)
{
  return code == RA_FEC_CODE_RS ? RA_RS_MAX : RA_MASKS_MAX;
}

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

/* A block that nobody ended is forgotten where it has no room left. */
void
fec_block_keep (FecBlock *b, const guint8 *packet, guint size)
{
  if (b->n == G_N_ELEMENTS (b->sizes))
    fec_block_drop (b);
  if (!b->bytes)
    b->bytes = g_byte_array_new ();
  g_byte_array_append (b->bytes, packet, size);
  b->sizes[b->n++] = size;
}

gboolean
fec_block_add (FecBlock *b, const RaFecBlockConfig *cfg, guint percentage,
    gboolean end, RaTime now, const guint8 *packet, guint size)
{
  fec_block_keep (b, packet, size);
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

/* Writes the payload of repair packet `i` of `f`. */
static gsize
repair_write (RaFecCode code, const RaRtpBytes *packets, guint n, guint f,
    guint i, guint8 *out, gsize room)
{
  guint64 rows[RA_MASKS_MAX];

  if (code == RA_FEC_CODE_RS)
    return ra_rsfec_write (packets, n, f, i, out, room);
  ra_masks_make (n, f, rows);
  return ra_ulpfec_write (packets, n, rows[i], out, room);
}

GPtrArray *
fec_block_end (FecBlock *b, RaFecCode code, const FecHeader *header)
{
  return fec_block_make (b, ra_block_end (&b->block), code, header);
}

GPtrArray *
fec_block_make (FecBlock *b, guint f, RaFecCode code, const FecHeader *header)
{
  guint n = b->n, longest;
  RaRtpBytes packets[RA_RS_MAX];
  GPtrArray *made = NULL;

  if (f > 0 && n <= fec_block_most (code)) {
    longest = packets_of (b, packets);
    made = g_ptr_array_new_full (f, (GDestroyNotify) gst_buffer_unref);
    for (guint i = 0; i < f; i++) {
      GstBuffer *buffer
          = repair_new (header, i, HEADER + longest - RA_RTP_HEADER);
      GstMapInfo map;
      gsize size;

      gst_buffer_map (buffer, &map, GST_MAP_WRITE);
      size = repair_write (code, packets, n, f, i, map.data + RA_RTP_HEADER,
          map.size - RA_RTP_HEADER);
      gst_buffer_unmap (buffer, &map);
      gst_buffer_set_size (buffer, (gssize) (RA_RTP_HEADER + size));
      g_ptr_array_add (made, buffer);
    }
  }
  packets_forget (b);
  return made;
}
