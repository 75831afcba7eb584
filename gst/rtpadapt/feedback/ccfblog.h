/* Arrivals that RFC 8888 feedback has to report.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RTCP gets lost, and reports are not repeated, so each covers the interval of
 * the one before, too ("overlapping reports MAY be sent", section 3.1): two
 * reports in a row have to be lost before the sender takes an arrival for a
 * loss.  What comes late is in the next report, as long as the log has a place for
 * its number ("and need to be sent in cases where RTP packet reordering occurs across
 * the boundary").
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* Packets remembered of an SSRC, more than any gap that is not a restart
 * (RA_MAX_DROPOUT); a power of 2. */
#define RA_CCFB_LOG_MAX 4096

typedef struct _RaCcfbLog RaCcfbLog;

/* (transfer full): ra_ccfb_log_free(). */
RaCcfbLog *ra_ccfb_log_new (void);
void ra_ccfb_log_free (RaCcfbLog *log);
/* `ecn` as in RaCcfbPacket. */
void ra_ccfb_log_add (
    RaCcfbLog *log, guint32 ssrc, guint16 seq, RaTime arrival, guint ecn);
typedef enum
{
  RA_CCFB_NEWS = 1 << 0,    /* something was not reported yet */
  RA_CCFB_WAITING = 1 << 1, /* and the last report had no room for it */
  RA_CCFB_AGAIN = 1 << 2,   /* something was reported once at most */
} RaCcfbHas;
RaCcfbHas ra_ccfb_log_has (const RaCcfbLog *log);
/* Bytes written to the FCI; 0: no news, or with `again` nothing at all.  What
 * does not fit is news for the next call; what was reported once is repeated
 * only where all the news fit, too.  The rest as ra_reporter_ccfb(). */
gsize ra_ccfb_log_write (RaCcfbLog *log, gboolean again, RaTime now,
    RaTime rts_time, guint32 *media_ssrc, guint8 *fci, gsize len);

G_END_DECLS
