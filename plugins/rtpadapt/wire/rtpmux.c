/* Telling apart what comes on one port: RTP, RTCP and what is neither.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rtpmux.h"

#include <gst/rtp/rtp.h>
#include <gst/rtpadapt/feedback/ccfbfci.h>
#include <gst/rtpadapt/feedback/twccfci.h>
#include <gst/rtpadapt/util/bytes.h>

#define VERSION(b) ((b) >> 6)
#define PADDED(b) (((b) &0x20) != 0)
#define COUNT(b) ((b) &0x1f)

#define RTPFB_NACK 1   /* RFC 4585 6.2.1 */
#define RTPFB_SR_REQ 5 /* RFC 6051 3.2 */
#define PSFB_FIR 4     /* RFC 5104 4.3.1 */

/* A packet of a compound. */
typedef struct
{
  const guint8 *data;
  gsize size;
  guint8 type, count;
} Part;

/* --- RTP ---------------------------------------------------------------- */

/* `payload` becomes where that begins. */
static gboolean
rtp_is_whole (const guint8 *data, gsize size, gsize *payload)
{
  gsize used = RA_RTP_HEADER + 4u * (data[0] & 0x0f); /* CSRCs */

  if (data[0] & 0x10) { /* RFC 3550 5.3.1 */
    if (size < used + 4)
      return FALSE;
    used += 4 + 4u * ra_get_u16 (data + used + 2);
  }
  if (size < used)
    return FALSE;
  *payload = used;
  if (!PADDED (data[0]))
    return TRUE;
  return data[size - 1] > 0 && data[size - 1] <= size - used;
}

/* --- RTCP --------------------------------------------------------------- */

/* Takes the first packet off.  FALSE if there is none, or a broken one.
 * gst_rtcp_buffer_validate_reduced() judges a compound alike, but what is looked for
 * below needs each packet of it. */
static gboolean
part_next (const guint8 **data, gsize *size, Part *part)
{
  const guint8 *d = *data;
  gsize n;

  if (*size < 4 || VERSION (d[0]) != 2 || !rtp_mux_has_rtcp_type (d))
    return FALSE;
  n = 4 + 4 * (gsize) ra_get_u16 (d + 2);
  /* Only the last one may be padded: RFC 3550 6.4.1 */
  if (n > *size || (PADDED (d[0]) && n != *size))
    return FALSE;
  *part = (Part){ .data = d, .size = n, .type = d[1], .count = COUNT (d[0]) };
  *data += n;
  *size -= n;
  return TRUE;
}

/* rtpsession 1.22 reads beyond the end of one that is not. */
static gboolean
twcc_is_whole (const Part *part)
{
  return part->size >= 12
      && ra_twcc_fci_is_whole (part->data + 12, part->size - 12);
}

static gboolean
rtcp_is_whole (const guint8 *data, gsize size)
{
  Part part;

  if (size < 8)
    return FALSE;
  while (part_next (&data, &size, &part)) {
    if (part.type == GST_RTCP_TYPE_RTPFB && part.count == RA_TWCC_FMT
        && !twcc_is_whole (&part))
      return FALSE;
  }
  return size == 0;
}

/* `n` SSRCs `step` bytes apart, as far as the packet goes. */
static gboolean
part_names (const Part *part, gsize from, gsize step, gsize n, guint32 ssrc)
{
  for (gsize at = from; n > 0 && at + 4 <= part->size; at += step, n--) {
    if (ra_get_u32 (part->data + at) == ssrc)
      return TRUE;
  }
  return FALSE;
}

static gboolean
ccfb_names (const Part *part, guint32 ssrc)
{
  RaCcfbReader r;

  if (part->size < 12
      || !ra_ccfb_read (
          &r, ra_get_u32 (part->data + 8), part->data + 12, part->size - 12))
    return FALSE;
  while (ra_ccfb_next (&r)) {
    if (r.ssrc == ssrc)
      return TRUE;
  }
  return FALSE;
}

static gboolean
part_is_about (const Part *part, guint32 ssrc)
{
  switch (part->type) {
    case GST_RTCP_TYPE_SR:
      return part_names (part, 28, 24, part->count, ssrc);
    case GST_RTCP_TYPE_RR:
      return part_names (part, 8, 24, part->count, ssrc);
    case GST_RTCP_TYPE_RTPFB:
      return part_names (part, 8, 4, 1, ssrc)
          || (part->count == RA_CCFB_FMT && ccfb_names (part, ssrc));
    case GST_RTCP_TYPE_PSFB:
      return part_names (part, 8, 4, 1, ssrc)
          || (part->count == PSFB_FIR
              && part_names (part, 12, 8, part->size / 8, ssrc));
    default:
      return FALSE;
  }
}

/* ------------------------------------------------------------------------ */

RtpMuxKind
rtp_mux_kind (const guint8 *data, gsize size, RtpMuxHead *head)
{
  gsize payload;

  if (size < 2 || VERSION (data[0]) != 2)
    return RTP_MUX_JUNK;
  if (data[1] >= 192 && data[1] <= 223) /* RFC 5761 4 */
    return rtcp_is_whole (data, size) ? RTP_MUX_RTCP : RTP_MUX_JUNK;
  if (size < RA_RTP_HEADER || !rtp_is_whole (data, size, &payload))
    return RTP_MUX_JUNK;
  if (head)
    *head = (RtpMuxHead){ .pt = data[1] & 0x7f,
      .seq = ra_get_u16 (data + 2),
      .ssrc = ra_get_u32 (data + 8),
      .payload = payload };
  return RTP_MUX_RTP;
}

void
rtcp_scan (const guint8 *data, gsize size, RtcpScan *scan)
{
  Part part;

  *scan = (RtcpScan){ .sender = size >= 8 ? ra_get_u32 (data + 4) : 0,
    .empty = TRUE };
  while (part_next (&data, &size, &part)) {
    if (part.type == GST_RTCP_TYPE_BYE)
      scan->bye |= part_names (&part, 4, 4, part.count, scan->sender);
    scan->empty &= part.type != GST_RTCP_TYPE_RTPFB
        && part.type != GST_RTCP_TYPE_PSFB
        && ((part.type != GST_RTCP_TYPE_SR && part.type != GST_RTCP_TYPE_RR)
            || part.count == 0);
    scan->sr_request
        |= part.type == GST_RTCP_TYPE_RTPFB && part.count == RTPFB_SR_REQ;
  }
}

gboolean
rtcp_is_about (const guint8 *data, gsize size, guint32 ssrc)
{
  Part part;

  while (part_next (&data, &size, &part)) {
    if (part_is_about (&part, ssrc))
      return TRUE;
  }
  return FALSE;
}

gboolean
rtcp_name_twcc (
    const guint8 *data, gsize size, RtcpTwccFunc func, gpointer func_data)
{
  Part part;

  while (part_next (&data, &size, &part)) {
    if (part.type == GST_RTCP_TYPE_RTPFB && part.count == RA_TWCC_FMT
        && part.size >= 16
        && !func (ra_get_u16 (part.data + 12), ra_get_u16 (part.data + 14),
            func_data))
      return FALSE;
  }
  return TRUE;
}

guint
rtcp_count_requests (const guint8 *data, gsize size)
{
  guint n = 0;
  Part part;

  while (part_next (&data, &size, &part)) {
    if (part.type != GST_RTCP_TYPE_RTPFB || part.count != RTPFB_NACK)
      continue;
    for (gsize at = 12; at + 4 <= part.size; at += 4)
      n += 1 + (guint) __builtin_popcount (ra_get_u16 (part.data + at + 2));
  }
  return n;
}

/* RFC 3550 6.5: items till a 0, up to the next 32 bit; 0: that was the last. */
static gsize
chunk_end (const Part *part, gsize at)
{
  while (at + 2 <= part->size && part->data[at] != 0)
    at += 2 + (gsize) part->data[at + 1];
  at = (at / 4 + 1) * 4;
  return at + 4 <= part->size ? at : 0;
}

static gboolean
part_name_sources (const Part *part, RtcpSourceFunc func, gpointer func_data)
{
  gsize at = 4;

  if (part->size < 8)
    return TRUE;
  if (part->type == GST_RTCP_TYPE_SR || part->type == GST_RTCP_TYPE_RR)
    return func (ra_get_u32 (part->data + 4), func_data);
  if (part->type != GST_RTCP_TYPE_SDES)
    return TRUE;
  for (guint n = part->count; n > 0 && at > 0; n--) {
    if (!func (ra_get_u32 (part->data + at), func_data))
      return FALSE;
    at = chunk_end (part, at + 4);
  }
  return TRUE;
}

gboolean
rtcp_name_sources (
    const guint8 *data, gsize size, RtcpSourceFunc func, gpointer func_data)
{
  Part part;

  while (part_next (&data, &size, &part)) {
    if (!part_name_sources (&part, func, func_data))
      return FALSE;
  }
  return TRUE;
}

typedef struct
{
  const guint32 *ssrcs;
  guint n;
} Set;

static gboolean
is_not_in (guint32 ssrc, gpointer data)
{
  const Set *set = data;

  for (guint i = 0; i < set->n; i++) {
    if (set->ssrcs[i] == ssrc)
      return FALSE;
  }
  return TRUE;
}

gboolean
rtcp_is_of (const guint8 *data, gsize size, const guint32 *ssrcs, guint n)
{
  Set set = { ssrcs, n };

  return !is_not_in (ra_get_u32 (data + 4), &set)
      || !rtcp_name_sources (data, size, is_not_in, &set);
}
