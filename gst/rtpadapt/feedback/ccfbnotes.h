/* RFC 8888's rows, noted in the ledger until they are taken in order.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rows come by RTP numbers, stream by stream, and the same packet in several
 * reports.  They are noted first, and then taken in order of index, as far as
 * they are news.  A report that makes a false claim is dropped between the two.
 */
#pragma once

#include <gst/rtpadapt/feedback/remoteclock.h>
#include <gst/rtpadapt/ledger.h>
#include <gst/rtpadapt/safety/ecn.h>
#include <gst/rtpadapt/sender.h>

G_BEGIN_DECLS

/* The notes of one report, and what they have in common; indexes. */
typedef struct
{
  guint64 taken_end; /* one after the highest that was ever taken */
  guint64 end;       /* one after the highest; 0: none */
  guint64 low, high; /* the lowest, and one after the highest, with those of
                        which only the time is missing; high 0: none */
  RaTime sent;       /* the latest send time of those that arrived */
  const RaLedgerEntry *last; /* the highest that arrived, or NULL */
  RaTime newest;             /* the latest arrival, receiver's clock */
  guint64 at;                /* the next to be taken */
  guint64
      past; /* one after the highest that the report speaks of, news or not */
  guint64 until; /* what has a lower index and is in no report is lost so far */
} RaCcfbNotes;   /* zeroed at first */

/* A row about the packet `e`. */
typedef struct
{
  gboolean received;
  RaTime remote;  /* RA_TIME_NONE: received, not known when */
  RaEcnField ecn; /* it came with */
} RaCcfbRow;

/* A packet of the stream `s`. */
void ra_ccfb_notes_add (
    RaCcfbNotes *n, RaLedgerStream *s, RaLedgerEntry *e, const RaCcfbRow *row);
/* Forgets what was noted since the last time that all was taken. */
void ra_ccfb_notes_drop (RaCcfbNotes *n, RaLedger *ledger);

/* The receiver may have put the rest of a report of so many bytes, or more, into the
 * next one.  Everybody takes datagrams of 576 bytes (RFC 791 3.1), and other RTCP, its
 * encryption and headers take less than a third of that. */
#define RA_CCFB_CUT 400

/* Begins to take what was noted of a report with an FCI of `len` bytes. */
void ra_ccfb_notes_begin (RaCcfbNotes *n, RaLedger *ledger, gsize len);
/* The next packet whose row is news, in order, and those of a stream that the report
 * passes over between two of its rows: they are lost.  What lies between two reports is
 * not known, as a report in between may be lost, and nothing numbers reports; their times
 * prove nothing, as the interval is the peer's and changes.  Those of other streams in between
 * of which no report speaks yet are lost so far, as what was sent behind them has
 * arrived.  Where the next report may have the rest of this one they have time until then.
 * The sender has to hear it: by that it stops to be news.  `clock` is the
 * receiver's, it wraps after RA_STAMP_NTP_WRAP; `ago` is how long the packet came
 * before the newest of them.  FALSE: all are taken. */
gboolean ra_ccfb_notes_next (RaCcfbNotes *n, RaLedger *ledger,
    RaRemoteClock *clock, RaFeedbackPacket *row, RaSpan *ago);

G_END_DECLS
