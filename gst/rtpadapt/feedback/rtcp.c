/* RTCP compounds (RFC 3550 6.1), packet by packet.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/rtcp.h>

#include <gst/rtpadapt/util/bytes.h>

#define HEAD 4
#define VERSION 2
#define HAS_PADDING 0x20
#define COUNT_MASK 0x1f

/* The fixed parts of the types that there are, in words behind the first: SR, RR,
 * SDES, BYE, APP (RFC 3550 6.4 to 6.7), RTPFB, PSFB (RFC 4585 6.1), XR (RFC 3611
 * 2). */
#define FIRST_TYPE RA_RTCP_SR
static const guint8 least_words[] = { 6, 1, 0, 0, 2, 2, 2, 1 };

static gboolean
type_is_known (guint8 type)
{
  return type >= FIRST_TYPE && type < FIRST_TYPE + G_N_ELEMENTS (least_words);
}

static void
padding_remove (RaRtcpPacket *packet)
{
  gsize padding = packet->size > 0 ? packet->body[packet->size - 1] : 0;

  if (padding == 0 || padding % 4 != 0 || padding > packet->size)
    packet->body = NULL;
  else
    packet->size -= padding;
}

/* Takes the next packet, of whatever type. */
static gboolean
packet_take (RaRtcpReader *r, RaRtcpPacket *packet)
{
  const guint8 *at = r->at;
  gsize size;

  if (r->left < HEAD || at[0] >> 6 != VERSION)
    return FALSE;
  size = 4 * (gsize) ra_get_u16 (at + 2);
  if (r->left - HEAD < size)
    return FALSE;
  *packet = (RaRtcpPacket){
    .type = at[1],
    .count = at[0] & COUNT_MASK,
    .body = at + HEAD,
    .size = size,
  };
  r->at += HEAD + size;
  r->left -= HEAD + size;
  if (at[0] & HAS_PADDING)
    r->left = 0;
  return TRUE;
}

gboolean
ra_rtcp_next (RaRtcpReader *r, RaRtcpPacket *packet)
{
  const guint8 *head;

  do {
    head = r->at;
    if (!packet_take (r, packet))
      return FALSE;
  } while (!type_is_known (packet->type));
  if (packet->size < 4 * (gsize) least_words[packet->type - FIRST_TYPE])
    return FALSE;
  if (head[0] & HAS_PADDING)
    padding_remove (packet);
  return TRUE;
}
