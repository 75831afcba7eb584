/* rtpadaptrecv: what it reads off an RTP packet and adds to an RTCP packet.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>
#include <gst/rtp/rtp.h>
#include <gst/rtpadapt/feedback/reporter.h>

G_BEGIN_DECLS

/* Ids of header extensions, 0: the caps do not have it. */
typedef struct
{
  guint number; /* transport-wide */
  guint send_ts;
  guint colour;
} RecvIds;

RecvIds recv_ids_parse (const GstStructure *caps);

typedef enum
{
  RECV_RTP,
  RECV_RTCP, /* muxed, RFC 5761 */
  RECV_OTHER,
} RecvKind;

/* An RTP packet with what its pointers point to. */
typedef struct
{
  RaWirePacket wire; /* but for arrival and grain */
  gboolean marker;
  RaSendTs send_ts;
  RaColourExt colour;
} RecvPacket;

/* Fills `p` if it is RTP.  `p` must stay where it is. */
RecvKind recv_packet_parse (
    RecvPacket *p, GstBuffer *buffer, const RecvIds *ids);

/* The SSRC of the first packet; 0 if there is none. */
guint32 recv_rtcp_ssrc (GstRTCPBuffer *rtcp);
/* TRUE if it says BYE, behind which nothing may come (RFC 3550 6.1). */
gboolean recv_rtcp_is_bye (GstRTCPBuffer *rtcp);
/* Bytes that may be added. */
gsize recv_rtcp_room (const GstRTCPBuffer *rtcp);

/* Adds a report, with this FMT of RTPFB.  There must be room for it. */
void recv_rtcp_add_bytes (
    GstRTCPBuffer *rtcp, guint32 ssrc, guint fmt, const RaReportBytes *report);
/* Adds the name of the feedback that is set here, four letters.  There must be
 * room for RECV_WISH_SIZE. */
#define RECV_WISH_SIZE (12 + RA_RADP_WISH_SIZE)
void recv_rtcp_add_wish (GstRTCPBuffer *rtcp, guint32 ssrc, const gchar *nick);
/* Adds what this receiver is; there must be room for RECV_TAKES_SIZE. */
#define RECV_TAKES_SIZE (12 + RA_RADP_TAKES_SIZE)
void recv_rtcp_add_takes (
    GstRTCPBuffer *rtcp, guint32 ssrc, const RaTakes *takes);
/* Adds how long packets are held.  There must be room for RECV_HOLD_SIZE. */
#define RECV_HOLD_SIZE (12 + RA_RADP_HOLD_SIZE)
void recv_rtcp_add_hold (
    GstRTCPBuffer *rtcp, guint32 ssrc, const RaRadpHold *hold);
/* TRUE if there is room for a report of the kind `reports`. */
gboolean recv_rtcp_has_room (
    const GstRTCPBuffer *rtcp, const RaFeedbackOps *reports);
/* Adds what `reporter` has to say at `now`, with `fmt` where the kind has no FMT of
 * its own.  There must be room.  FALSE: it has nothing to say. */
gboolean recv_rtcp_add_report (GstRTCPBuffer *rtcp, RaReporter *reporter,
    const RaFeedbackOps *reports, guint fmt, guint32 ssrc, RaTime now);

/* The RTCP bandwidth (bit/s) that lets rtpsession send `bytes`, with UDP and IP
 * headers, each `interval`, which is positive, in a session of `members`. */
guint64 recv_rtcp_bandwidth (gsize bytes, guint members, RaSpan interval);

G_END_DECLS
