/* What is sent again, and when: by the sender's own feedback and by request.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The sender knows by feedback about single packets what is lost before a NACK comes.
 * A packet is taken for lost where a later one was reported and it was not: a gap
 * in what was acknowledged.  A report that is missing says nothing of its packets.
 * Where the receiver says that nothing comes out of order such a gap counts at once;
 * else only once a packet came that left a quarter of a round trip later (RFC 8985
 * 6.2), or as much later as packets were seen to be overtaken and a quarter more.
 * What is nearer is left to the receiver's request where later reports are silent
 * about it.
 *
 * Each loss is judged by what time is left (repair/planner.h).  A repetition is in
 * the ledger, too, so that its own loss begins the next round.  All repetitions
 * come out of one budget, by bytes.
 *
 * The owner calls ra_repair_look() after each report, then takes what
 * ra_repair_next() gives until it gives nothing, and asks for these packets.
 */
#pragma once

#include <gst/rtpadapt/ledger.h>
#include <gst/rtpadapt/rate.h>
#include <gst/rtpadapt/repair/planner.h>
#include <gst/rtpadapt/util/winmin.h>

G_BEGIN_DECLS

/* How long a receiver holds packets that says nothing of it: rtpjitterbuffer's
 * default. */
#define RA_REPAIR_LATENCY (200 * RA_MSECOND)
/* Copies that wait for their time, and requests whose packets did not yet leave. */
#define RA_REPAIR_QUEUE 256

typedef struct
{
  gboolean on;   /* the receiver uses what is sent again */
  gboolean rows; /* feedback names single packets; else only NACKs do */
  gboolean
      stands; /* what it calls lost stays so, though it may come later (twcc) */
  gboolean whole; /* a report comes when a frame is whole, as rtpsession's do */
  gboolean follows;    /* L comes down where packets come early */
  gboolean said;       /* the receiver has said what L and `latency_most` are */
  RaSpan latency_most; /* what L may come to, if that is needed; 0: L */
  RaSpan latency;      /* L; 0: RA_REPAIR_LATENCY */
  RaSpan
      disorder; /* how far packets overtake each other; RA_SPAN_NONE: unknown */
} RaRepairConfig;

/* From the beginning. */
typedef struct
{
  guint64 own;     /* asked for by the sender's own feedback */
  guint64 nacks;   /* requests of the receiver */
  guint64 refused; /* of these: nothing is sent again, or not that */
  guint64 late;    /* losses that were too late for a repetition */
  guint64 over;    /* repetitions beyond the budget; what finds no place in the
                      queue is asked for at the next report */
  guint64 mended; /* lost packets of which a repetition came, as far as known */
} RaRepairStats;

typedef enum
{
  RA_REPAIR_REFUSED, /* the request goes no further */
  RA_REPAIR_FIRST,   /* it goes on, the first one for this packet */
  RA_REPAIR_AGAIN,   /* it goes on, as one did before */
} RaRepairVerdict;

typedef struct
{
  guint64 index; /* in the ledger */
  RaTime due;
} RaRepairCopy;

typedef struct _RaRepair RaRepair;

struct _RaRepair
{
  RaRepairConfig cfg;
  RaRepairPath path;
  RaRepairPlan plan;
  RaRepairStats stats;
  gboolean measured;    /* there was a report */
  gboolean fits;        /* a round fits, with hysteresis */
  gdouble frame;        /* s: between the ends of two frames, the mean */
  RaTime framed;        /* the latest end; 0: none */
  gdouble whole_frames; /* of ra_repair_largest() where cfg.whole */

  gdouble queue_min, queue_slope, dev; /* s: jitter */
  guint n_queues;
  gdouble radio;          /* of path.loss, what the radio lost: 0..1 */
  gdouble surprised;      /* ra_repair_surprised() */
  gboolean too_long;      /* a round does not fit now, */
  RaTime too_long_since;  /* since then */
  gdouble lost, expected; /* packets of the bucket */
  RaTime bucket;          /* when it began */
  RaWinMin worst;         /* of the buckets, negated */

  /* Until a report shows a loss: the mean, and the mean absolute deviation. */
  RaSpan detect, detect_dev;
  gdouble wait, wait_dev; /* s: media packets before they leave, and the mean
                             absolute deviation */

  gdouble credit; /* bytes that may be repeated */
  guint64 rate;   /* of the latest packet, bit/s */
  RaTime busy;    /* what was asked for has left by then, at the rate */
  guint64 low;    /* nothing below this index is looked at again */
  RaTime newest;  /* latest send time of a packet that came */
  gboolean has_newest;
  RaTime reported; /* the latest report; 0: none */
  RaTime returned; /* the report that ended the last silence of L; 0: none */
  RaTime broken;   /* the latest that showed losses of a silence; 0: none */
  RaWinMin
      disorder; /* how much earlier what was missed had left, ns, negated */

  RaRepairCopy copies[RA_REPAIR_QUEUE]; /* in order of time */
  guint n_copies;
  guint64 asked[RA_REPAIR_QUEUE]; /* a ring of indices */
  guint64 n_asked, n_answered;    /* so far */
};

void ra_repair_init (RaRepair *r);
/* What the receiver does; it may change at any time. */
void ra_repair_set (RaRepair *r, const RaRepairConfig *cfg);

/* A report came, at the smoothed round trip `rtt`; reports come each `interval`, 0:
 * once per round trip. */
void ra_repair_on_report (RaRepair *r, const RaReport *report, RaSpan rtt,
    RaSpan interval, RaTime now);
/* A report came, with all that an outage took, which ra_repair_on_report() need not have.
 * It is called before that one, which changes how far apart reports are. */
void ra_repair_on_answer (RaRepair *r, const RaReport *report, RaTime now);
/* The packet of `e` leaves at `rate` bit/s. */
void ra_repair_on_sent (RaRepair *r, RaLedgerEntry *e, guint64 rate);
/* The packet of that number that was asked for.  NULL also if two streams have one: a
 * retransmission does not say which stream it is of (RFC 4588 5.3). */
RaLedgerEntry *ra_repair_original (
    const RaRepair *r, RaLedger *l, guint16 original);
/* A frame's last packet leaves. */
void ra_repair_on_frame (RaRepair *r, RaTime now);
/* `e` is a retransmission of a packet that had the number `original`. */
void ra_repair_on_repeat (
    RaRepair *r, RaLedger *l, RaLedgerEntry *e, guint16 original, RaTime now);
/* TRUE: a retransmission of the packet that had the number `original`, which was in time
 * when it came at `taken`, would come too late by now; or one that was late then is of no
 * use to a receiver that has said how long it holds packets. */
gboolean ra_repair_is_late (
    RaRepair *r, RaLedger *l, guint16 original, RaTime taken, RaTime now);
/* TRUE: a media packet that came in at `taken` is of no use any more.  A silence has broken
 * pictures, which need a key frame, and what waited meanwhile comes too late for a receiver
 * that has said how long it holds packets. */
gboolean ra_repair_is_stale (const RaRepair *r, RaTime taken, RaTime now);
/* A retransmission of the packet that had the number `original` came, and was dropped
 * before it left: its packet is still lost, and the budget has its bytes again. */
void ra_repair_on_dropped (RaRepair *r, RaLedger *l, guint16 original);

/* Looks through what the reports said. */
void ra_repair_look (RaRepair *r, RaLedger *l, RaTime now);
/* The next packet to be sent again now; NULL: there is none. */
RaLedgerEntry *ra_repair_next (RaRepair *r, RaLedger *l, RaTime now);
/* Media packets that wait for longer leave too late for a round.  RA_SPAN_NONE: that is
 * not known, or there are no rounds. */
RaSpan ra_repair_timely (const RaRepair *r);
/* Share of the packets for which no round fits, though one seemed to when they left,
 * 0..1: others made the queue long meanwhile. */
gdouble ra_repair_surprised (const RaRepair *r);
/* How long packets may wait when a frame comes, so that a round still fits for the last
 * packet of that frame.  RA_SPAN_NONE: as long as they like, as few packets are lost, or
 * that would be less than a frame's time, so that many frames had to be left out. */
RaSpan ra_repair_slack (const RaRepair *r);
/* The frames' times that the encoder's largest frame may take, so that a round still fits
 * for most of its packets.  0: as many as it likes, as the radio loses little, or no round
 * fits. */
gdouble ra_repair_largest (const RaRepair *r);
/* Within this time what waits should have left, or else much of it breaks pictures.
 * RA_SPAN_NONE: less than RA_REPAIR_HEAVY is lost. */
RaSpan ra_repair_drain (const RaRepair *r);
/* How long 95 % of the media packets waited before they left, lately. */
RaSpan ra_repair_wait (const RaRepair *r);
/* The span that a block of FEC may have, so that it ends in time for the most that the
 * receiver holds packets: ra_block_span(). */
RaSpan ra_repair_block_span (const RaRepair *r);
/* What the radio loses of the packets, 0..1, where FEC has to mend it in those that leave
 * too late to be sent again.  0: no round fits, so that FEC is for all of them; or the
 * receiver follows the path, waits for what is sent again, and would wait for all that FEC
 * spans. */
gdouble ra_repair_late_radio (const RaRepair *r);
/* When ra_repair_next() has something again, RA_TIME_NONE: not before a report. */
RaTime ra_repair_due (const RaRepair *r);
/* The receiver asks for the packet of `e` (NULL: of which nothing is known). */
RaRepairVerdict ra_repair_ask (
    RaRepair *r, RaLedgerEntry *e, RaSpan rtt, RaTime now);

/* The receiver asks for a packet, and none is sent again: FALSE. */
gboolean ra_repair_refuse (RaRepair *r);

/* TRUE: rounds fit, and the receiver uses them. */
gboolean ra_repair_mends (const RaRepair *r);
/* FALSE: so many requests brought no repetition that nobody answers them, as without
 * an rtprtxsend. */
gboolean ra_repair_is_answered (const RaRepair *r);
/* Retransmissions per 100 media packets to be expected, rounded up; 0 if nothing is
 * sent again. */
guint ra_repair_percentage (const RaRepair *r);
void ra_repair_observe (const RaRepair *r, RaObserve emit, gpointer data);

G_END_DECLS
