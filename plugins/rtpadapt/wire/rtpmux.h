/* Telling apart what comes on one port: RTP, RTCP and what is neither.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  RTP_MUX_JUNK,
  RTP_MUX_RTP,  /* header, extension and padding are inside the packet */
  RTP_MUX_RTCP, /* lengths add up: RFC 3550 A.2, reduced size too (RFC 5506) */
} RtpMuxKind;

typedef struct
{
  guint8 pt;
  guint16 seq;
  guint32 ssrc;
  gsize payload; /* where it begins */
} RtpMuxHead;

/* The second byte is a type of RTCP, and not a payload type that RTP may have
 * on the same port (RFC 5761 4). */
static inline gboolean
rtp_mux_has_rtcp_type (const guint8 *data)
{
  return data[1] >= 192 && data[1] <= 223;
}

/* `head` is filled for RTP, and may be NULL. */
RtpMuxKind rtp_mux_kind (const guint8 *data, gsize size, RtpMuxHead *head);

typedef struct
{
  guint32 sender; /* SSRC of the first packet of the compound */
  gboolean bye;   /* it says that it has ended */
  gboolean empty; /* it has neither a report block nor feedback */
  /* Asks for an SR (RFC 6051 3.2): rtpsession (1.22, AVPF) waits for itself for
   * ever if the SSRC is one of its own, so nobody may pass that on. */
  gboolean sr_request;
} RtcpScan;

/* Of what is RTP_MUX_RTCP. */
void rtcp_scan (const guint8 *data, gsize size, RtcpScan *scan);
/* A report block or feedback is about `ssrc`. */
gboolean rtcp_is_about (const guint8 *data, gsize size, guint32 ssrc);

/* FALSE: no more. */
typedef gboolean (*RtcpTwccFunc) (guint16 base, guint16 count, gpointer data);
/* Calls `func` for each transport-wide feedback: the first number and how many
 * (draft-holmer-rmcat-transport-wide-cc-extensions-01 3.1).  FALSE if it said
 * FALSE. */
gboolean rtcp_name_twcc (
    const guint8 *data, gsize size, RtcpTwccFunc func, gpointer func_data);

/* How many packets its generic NACKs ask for (RFC 4585 6.2.1). */
guint rtcp_count_requests (const guint8 *data, gsize size);

/* FALSE: no more. */
typedef gboolean (*RtcpSourceFunc) (guint32 ssrc, gpointer data);
/* Calls `func` for each SSRC of which rtpsession (1.22) keeps a source: who sent
 * an SR or RR, and the chunks of SDES.  FALSE if it said FALSE. */
gboolean rtcp_name_sources (
    const guint8 *data, gsize size, RtcpSourceFunc func, gpointer func_data);

/* TRUE if what is RTP_MUX_RTCP was said by one of these SSRCs, or names it, see
 * rtcp_name_sources(). */
gboolean rtcp_is_of (
    const guint8 *data, gsize size, const guint32 *ssrcs, guint n);

G_END_DECLS
