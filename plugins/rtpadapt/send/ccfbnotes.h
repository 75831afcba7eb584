/* RFC 8888's rows, noted in the ledger until they are taken in order.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rows come by RTP numbers, stream by stream, and the same packet in several
 * reports.  They are noted first, and then taken in order of index, as far as
 * they are news.
 */
#pragma once

#include "twcc.h"

#include <gst/rtpadapt/ledger.h>
#include <gst/rtpadapt/safety/ecn.h>
#include <gst/rtpadapt/sender.h>

G_BEGIN_DECLS

/* What is noted; indexes. */
typedef struct
{
  guint64 first;     /* the lowest, if `end` is not 0 */
  guint64 end;       /* one after the highest, 0: nothing is */
  guint64 taken_end; /* one after the highest that was taken */
} CcfbNotes;         /* zeroed at first */

/* A row of RFC 8888. */
typedef struct
{
  guint32 ssrc;
  guint16 seq;
  gboolean received;
  GstClockTime remote; /* GST_CLOCK_TIME_NONE: received, not known when */
  RaEcnField ecn;      /* it came with */
} CcfbRow;

/* FALSE if we did not send it lately. */
gboolean ccfb_notes_add (CcfbNotes *n, RaLedger *log, const CcfbRow *row);
/* The packets whose rows are news, in order; those of other streams in between
 * of which no report speaks yet are lost so far, as what was sent behind them
 * has arrived.  ra_sender_on_feedback() has to hear them next: by it they stop to
 * be news.  `clock` is the receiver's, it wraps after RA_STAMP_NTP_WRAP.
 * (transfer full) (element-type RaFeedbackPacket): g_array_unref(). */
GArray *ccfb_notes_take (CcfbNotes *n, RaLedger *log, RemoteClock *clock);

G_END_DECLS
