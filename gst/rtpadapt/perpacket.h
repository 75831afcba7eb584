/* The sending half: what the rows of per-packet feedback say, one by one.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A row is held against the ledger and given to the receiver, which runs here
 * then.  Each packet is heard of once as lost and once as arrived.
 */
#pragma once

#include <gst/rtpadapt/ledger.h>
#include <gst/rtpadapt/sender.h>

G_BEGIN_DECLS

/* Since the last time that they were taken. */
typedef struct
{
  guint lost; /* reported lost after later ones had come, */
  guint came; /* and of such those that came after all: for the guard alone */
  guint
      excused; /* of RaReport.recovered, those whose losses may be an outage's */
} RaLateRows;

/* From the beginning. */
typedef struct
{
  RaReceiver *receiver; /* the sender's, */
  RaLedger *ledger;     /* as this is */
  guint64 next;         /* one after the last that feedback spoke of */
  guint64 lost_from;    /* losses from this one on go to the next arrival */
  RaLateRows late;
  RaWinMin shortest; /* RTT, ns, whatever the peer says that it waited */
  guint64 bad;       /* rows or reports refused */
} RaPerPacket;

/* A report. */
typedef struct
{
  /* The reader of the report sets these. */
  RaTime now;   /* it came */
  RaSpan grain; /* resolution of arrivals */
  RaSpan held;  /* from the newest arrival to when the peer sent the report (RFC
                   8888: the least offset), as exact as `grain`.  Longer than
                   ago a packet in it was sent: nothing of it is believed */
  RaTime sent;  /* of its packets that arrived: the latest send time, */
  const RaLedgerEntry *last; /* and the last in order; NULL: none arrived */
  /* The sender sets these. */
  RaSpan rtt;      /* as in ra_sender_rtt() */
  guint64 rate;    /* that is allowed, bit/s */
  guint64 excused; /* losses of packets before this one are no congestion */
  /* The rows set these, to zero at first. */
  gboolean heard;            /* there was news */
  const RaLedgerEntry *news; /* the last that arrived, and was not known to */
  RaTime arrival;            /* of that one */
} RaRows;

void ra_per_packet_init (
    RaPerPacket *p, RaReceiver *receiver, RaLedger *ledger);
/* `first` is the index of the first packet that leaves. */
void ra_per_packet_on_first (RaPerPacket *p, guint64 first);
/* A report begins: of the time that the peer held it, as much stays as is
 * believed.  FALSE: it contradicts itself, and nothing in it is believed. */
gboolean ra_per_packet_begin (RaPerPacket *p, RaRows *rows);
/* The next row; `ago` is how long before the newest of the report it arrived, 0 if
 * it did not. */
void ra_per_packet_row (
    RaPerPacket *p, RaRows *rows, const RaFeedbackPacket *row, RaSpan ago);
/* The round trip of a report with news; RA_SPAN_NONE: it is too old to count. */
RaSpan ra_per_packet_rtt (RaPerPacket *p, const RaRows *rows);
RaLateRows ra_per_packet_take_late (RaPerPacket *p);

G_END_DECLS
