/* rtpadaptrecv: what it reads off an RTP packet and adds to an RTCP packet.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recvpackets.h"

#include "parts/extmap.h"

#include <gst/rtpadapt/util/bytes.h>

#include <string.h>

/* From 1900 to 1970: NTP's time (RFC 5905 6) and g_get_real_time(). */
#define NTP_UNIX (G_GUINT64_CONSTANT (2208988800) * GST_SECOND)

RecvIds
recv_ids_parse (const GstStructure *caps)
{
  return (RecvIds){
    .number = extmap_id (caps, EXTMAP_TWCC_URI),
    .send_ts = extmap_send_ts_id (caps),
    .colour = extmap_id (caps, RA_COLOUR_EXT_URI),
  };
}

/* --- RTP ---------------------------------------------------------------- */

/* GStreamer 1.22 maps the memory in which the extension begins, and reads behind
 * its end where the extension goes on in the next: udpsrc makes two of a packet
 * that is longer than its mtu. */
static gboolean
extension_is_mapped (GstRTPBuffer *rtp)
{
  const guint8 *begin = rtp->data[1];
  gsize size = begin ? rtp->size[1] : 0;

  for (guint i = 0; i < 2; i++) {
    const GstMapInfo *map = &rtp->map[i];

    if (map->data && begin >= map->data
        && begin + size <= map->data + map->size)
      return begin != NULL;
  }
  return FALSE;
}

/* The extension's data in either form of RFC 8285, or NULL. */
static const guint8 *
extension_find (GstRTPBuffer *rtp, guint id, guint *size)
{
  gpointer data;
  guint8 appbits;

  if (id == 0 || !gst_rtp_buffer_get_extension (rtp)
      || !extension_is_mapped (rtp))
    return NULL;
  if ((id <= 14
          && gst_rtp_buffer_get_extension_onebyte_header (
              rtp, (guint8) id, 0, &data, size))
      || gst_rtp_buffer_get_extension_twobytes_header (
          rtp, &appbits, (guint8) id, 0, &data, size))
    return data;
  return NULL;
}

static void
extensions_parse (RecvPacket *p, GstRTPBuffer *rtp, const RecvIds *ids)
{
  const guint8 *data;
  guint size;

  data = extension_find (rtp, ids->number, &size);
  p->wire.number = data && size == 2 ? ra_get_u16 (data) : -1;
  data = extension_find (rtp, ids->send_ts, &size);
  p->wire.send_ts
      = data && ra_send_ts_read (&p->send_ts, data, size) ? &p->send_ts : NULL;
  data = extension_find (rtp, ids->colour, &size);
  p->wire.colour
      = data && ra_colour_ext_read (&p->colour, data, size) ? &p->colour : NULL;
}

RecvKind
recv_packet_parse (RecvPacket *p, GstBuffer *buffer, const RecvIds *ids)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint8 head[2];

  if (gst_buffer_extract (buffer, 0, head, sizeof head) != sizeof head
      || head[0] >> 6 != 2)
    return RECV_OTHER;
  /* RFC 5761 4: RTP payload types 64-95, with or without the marker bit, are
   * RTCP packet types. */
  if ((head[1] & 0x7f) >= 64 && (head[1] & 0x7f) <= 95)
    return RECV_RTCP;
  if (!gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp))
    return RECV_OTHER;
  p->wire.ssrc = gst_rtp_buffer_get_ssrc (&rtp);
  p->wire.seq = gst_rtp_buffer_get_seq (&rtp);
  p->wire.size = (guint) gst_buffer_get_size (buffer);
  p->marker = gst_rtp_buffer_get_marker (&rtp);
  extensions_parse (p, &rtp, ids);
  gst_rtp_buffer_unmap (&rtp);
  return RECV_RTP;
}

/* --- RTCP --------------------------------------------------------------- */

guint32
recv_rtcp_ssrc (GstRTCPBuffer *rtcp)
{
  /* RFC 3550 6.4, 6.7 and RFC 4585 6.1 all have it there. */
  return rtcp->map.size >= 8 ? GST_READ_UINT32_BE (rtcp->map.data + 4) : 0;
}

gboolean
recv_rtcp_is_bye (GstRTCPBuffer *rtcp)
{
  GstRTCPPacket packet;
  gboolean more = gst_rtcp_buffer_get_first_packet (rtcp, &packet);

  while (more && gst_rtcp_packet_get_type (&packet) != GST_RTCP_TYPE_BYE)
    more = gst_rtcp_packet_move_to_next (&packet);
  return more;
}

gsize
recv_rtcp_room (const GstRTCPBuffer *rtcp)
{
  return rtcp->map.maxsize - rtcp->map.size;
}

static void
app_add (GstRTCPBuffer *rtcp, guint32 ssrc, guint8 subtype, const guint8 *data,
    gsize len)
{
  GstRTCPPacket packet;

  if (!gst_rtcp_buffer_add_packet (rtcp, GST_RTCP_TYPE_APP, &packet)
      || !gst_rtcp_packet_app_set_data_length (&packet, (guint16) (len / 4)))
    g_return_if_reached ();
  gst_rtcp_packet_app_set_subtype (&packet, subtype);
  gst_rtcp_packet_app_set_ssrc (&packet, ssrc);
  gst_rtcp_packet_app_set_name (&packet, RA_RADP_NAME);
  memcpy (gst_rtcp_packet_app_get_data (&packet), data, len);
}

static void
rtpfb_add (GstRTCPBuffer *rtcp, guint32 ssrc, guint32 media_ssrc, guint fmt,
    const guint8 *fci, gsize len)
{
  GstRTCPPacket packet;

  if (!gst_rtcp_buffer_add_packet (rtcp, GST_RTCP_TYPE_RTPFB, &packet)
      || !gst_rtcp_packet_fb_set_fci_length (&packet, (guint16) (len / 4)))
    g_return_if_reached ();
  gst_rtcp_packet_fb_set_type (&packet, (GstRTCPFBType) fmt);
  gst_rtcp_packet_fb_set_sender_ssrc (&packet, ssrc);
  gst_rtcp_packet_fb_set_media_ssrc (&packet, media_ssrc);
  memcpy (gst_rtcp_packet_fb_get_fci (&packet), fci, len);
}

void
recv_rtcp_add_bytes (
    GstRTCPBuffer *rtcp, guint32 ssrc, guint fmt, const RaReportBytes *report)
{
  /* RADP first: the sender acts on TFRC-FB, with what it knows by then. */
  if (report->app_size > 0)
    app_add (rtcp, ssrc, RA_RADP_SUBTYPE, report->app, report->app_size);
  rtpfb_add (rtcp, ssrc, report->media, fmt, report->fci, report->fci_size);
}

void
recv_rtcp_add_wish (GstRTCPBuffer *rtcp, guint32 ssrc, const gchar *nick)
{
  app_add (rtcp, ssrc, RA_RADP_WISH_SUBTYPE, (const guint8 *) nick,
      RA_RADP_WISH_SIZE);
}

void
recv_rtcp_add_takes (GstRTCPBuffer *rtcp, guint32 ssrc, const RaTakes *takes)
{
  guint8 data[RA_RADP_TAKES_SIZE];

  ra_takes_write (takes, data);
  app_add (rtcp, ssrc, RA_RADP_TAKES_SUBTYPE, data, sizeof data);
}

void
recv_rtcp_add_hold (GstRTCPBuffer *rtcp, guint32 ssrc, const RaRadpHold *hold)
{
  guint8 data[RA_RADP_HOLD_SIZE];

  ra_radp_hold_write (hold, data);
  app_add (rtcp, ssrc, RA_RADP_HOLD_SUBTYPE, data, sizeof data);
}

gboolean
recv_rtcp_has_room (const GstRTCPBuffer *rtcp, const RaFeedbackOps *reports)
{
  return recv_rtcp_room (rtcp) >= reports->room;
}

gboolean
recv_rtcp_add_report (GstRTCPBuffer *rtcp, RaReporter *reporter,
    const RaFeedbackOps *reports, guint fmt, guint32 ssrc, RaTime now)
{
  RaTime ntp = (guint64) g_get_real_time () * GST_USECOND + NTP_UNIX;
  RaReportBytes report;

  if (!reports->write (reporter, now, ntp, recv_rtcp_room (rtcp), &report))
    return FALSE;
  recv_rtcp_add_bytes (
      rtcp, ssrc, reports->fmt_varies ? fmt : reports->fmt, &report);
  return TRUE;
}

guint64
recv_rtcp_bandwidth (gsize bytes, guint members, RaSpan interval)
{
  /* RFC 3550 6.3.1: the interval is the mean size of an RTCP packet times the
   * members over the bandwidth; RFC 4585 3.4 d) adds no minimum. */
  return (
      guint64) (8.0 * (gdouble) bytes * members / ra_seconds (interval) + .5);
}
