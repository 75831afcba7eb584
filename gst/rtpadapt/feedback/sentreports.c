/* The sender reports that left, which report blocks name.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/sentreports.h>

#include <gst/rtpadapt/feedback/rtcp.h>
#include <gst/rtpadapt/safety/breaker.h>
#include <gst/rtpadapt/util/bytes.h>

/* RFC 3550 6.4.1, in bytes behind the first four of the packet. */
#define NTP_AT 4
#define NTP_SIZE 8

/* A sender report proves something for as long as a breaker waits for an answer. */
#define LSR_RECENT RA_BREAKER_TIMEOUT
/* A receiver cannot have had a sender report for longer than it has existed, but two clocks
 * differ by some 100 ppm over LSR_RECENT, and GStreamer's clock may be read late. */
#define LSR_GRAIN (20 * RA_MSECOND)

/* The time of a sender report says when it left, whatever clock it is of. */
void
ra_sent_reports_add (
    RaSentReports *r, const guint8 *bytes, gsize len, RaTime now)
{
  RaRtcpReader reader = ra_rtcp_reader (bytes, len);
  RaRtcpPacket packet;
  guint slot;

  if (!ra_rtcp_next (&reader, &packet) || packet.type != RA_RTCP_SR
      || !packet.body || packet.size < NTP_AT + NTP_SIZE)
    return;
  slot = r->n++ % RA_SENT_REPORTS_MAX;
  r->sent[slot].lsr = ra_get_u32 (packet.body + NTP_AT + 2);
  r->sent[slot].sent = now;
}

/* Judges a report that we do not remember.  One older than all that we remember
 * may be ours. */
static RaLsr
unknown_judge (const RaSentReports *r, guint32 lsr)
{
  guint oldest = r->n > RA_SENT_REPORTS_MAX ? r->n % RA_SENT_REPORTS_MAX : 0;

  return lsr == 0 || r->n == 0 || (gint32) (r->sent[oldest].lsr - lsr) > 0
      ? RA_LSR_UNKNOWN
      : RA_LSR_FALSE;
}

RaLsr
ra_sent_reports_judge (
    const RaSentReports *r, guint32 lsr, guint32 dlsr, RaTime now, RaSpan *rtt)
{
  /* In 1/65536 s (RFC 3550 6.4.1). */
  RaSpan held = (RaSpan) ((dlsr * (guint64) RA_SECOND) >> 16);

  *rtt = RA_SPAN_NONE;
  for (guint i = 0; i < MIN (r->n, RA_SENT_REPORTS_MAX); i++) {
    RaSpan since = ra_diff (now, r->sent[i].sent);

    if (lsr == 0 || r->sent[i].lsr != lsr)
      continue;
    *rtt = since - held;
    if (*rtt < -LSR_GRAIN) /* DLSR is longer than the report has existed */
      return RA_LSR_FALSE;
    return since <= LSR_RECENT ? RA_LSR_OURS : RA_LSR_UNKNOWN;
  }
  return unknown_judge (r, lsr);
}
