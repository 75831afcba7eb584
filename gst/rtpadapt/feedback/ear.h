/* The sender's ear: what the peer's RTCP says of what was sent.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bytes come in, and the sender hears what is believed of them; the mirror of
 * RaReporter.  Each packet that leaves is noted in the sender's ledger, and each
 * report is held against that:
 *   - report blocks of SR and RR (RFC 3550 6.4), whatever the kind of feedback;
 *   - tfrc: TFRC-FB and the APP packet RADP in front of it (tfrcear.h);
 *   - ccfb: RFC 8888;
 *   - twcc: rows as rtpsession reads them, since it numbers the packets.
 * Feedback of another kind than the one in use is counted and named, no more.
 */
#pragma once

#include <gst/rtpadapt/feedback.h>
#include <gst/rtpadapt/feedback/tfrcear.h>
#include <gst/rtpadapt/safety/ecn.h>
#include <gst/rtpadapt/sender.h>

G_BEGIN_DECLS

/* Losses that wait for ra_ear_next_loss(); those beyond it are left out, and counted. */
#define RA_EAR_LOSSES_MAX 1024

/* What the ear goes by; all of it may change at any time. */
typedef struct
{
  const RaFeedbackOps *kind; /* in use; NULL: none but receiver reports */
  guint tfrc_fmt;            /* FMT of TFRC-FB */
  RaEcnField ecn;            /* wanted, as in ra_ecn_set() */
  gboolean skips; /* numbers are left out, so that a peer which counts more
                          packets than were sent lies */
  gboolean
      renumbered; /* an element behind us numbers packets again: numbers that
                          we left out are not missing */
} RaEarConfig;

/* What became of what was heard.  Each bit after CHANGED only gives a reason to
 * report something to somebody. */
typedef enum
{
  RA_EAR_NOTHING = 0,
  RA_EAR_CHANGED = 1 << 0,  /* the sender's rate and times may be others now */
  RA_EAR_ANSWERED = 1 << 1, /* feedback of the kind in use was believed */
  RA_EAR_REPORTED = 1 << 2, /* there was a report block about us */
  RA_EAR_OTHER = 1 << 3,    /* feedback of another kind: ra_ear_other() */
  RA_EAR_WISH = 1 << 4, /* the kind that the peer is set to: ra_ear_wish() */
  RA_EAR_LIE = 1 << 5,  /* the peer claims what was never sent */
  RA_EAR_ECN = 1 << 6,  /* another state of RaEcn */
  RA_EAR_DOUBTFUL = 1 << 7,  /* rows may be spoilt, see ra_twcc_is_doubtful() */
  RA_EAR_REALIGNED = 1 << 8, /* rtpsession's numbers and ours disagreed */
  RA_EAR_TAKES = 1 << 9,     /* the receiver said what it is: ra_ear_takes() */
} RaEarNews;

/* A packet that leaves. */
typedef struct
{
  RaOutgoing out;   /* but for seq, which the ear counts */
  guint payload;    /* bytes */
  RaTime passed;    /* rtpsession's clock, before the push */
  gboolean stamped; /* it has its send time as a header extension */
} RaEarPacket;

/* A packet of transport-wide feedback, as rtpsession read it. */
typedef struct _RaTwccRow
{
  guint16 seq; /* rtpsession's own number, over all SSRCs */
  gboolean lost;
  RaTime local;  /* when it passed rtpsession, on its clock; or RA_TIME_NONE */
  guint size;    /* payload bytes, known if `local` is */
  RaTime remote; /* when it arrived, receiver's clock; RA_TIME_NONE if lost */
} RaTwccRow;

typedef struct
{
  RaTime sent;
  guint32 ssrc;
  guint16 seq;
  RaCause verdict, truth;
} RaEarLoss;

/* From the beginning. */
typedef struct
{
  guint64 heard[RA_N_HEARD]; /* reports about us, and how they were taken */
  guint64 foreign;           /* reports about others */
  guint64 unasked;           /* reports of another kind than the one in use */
  guint64 unmapped;          /* rows about packets that we do not know */
  guint64 doubtful;          /* reports ignored, see ra_twcc_is_doubtful() */
  guint64 realigned; /* times that rtpsession's numbers and ours disagreed */
  guint64 known_congestion, known_wireless; /* losses whose truth is known */
  guint64 misread_congestion, misread_wireless; /* of these, judged wrongly */
  RaEcnState ecn_state;
  RaEcnFault ecn_fault;
  guint ecn_failed;         /* times */
  guint64 ecn_sent, ecn_ce; /* sent as ECT or CE; came marked by the network */
} RaEarStats;

typedef struct _RaEar RaEar;

/* An ear for what `sender` sends, which has to outlive it.  `seed`: as in
 * ra_ecn_init().  (transfer full): ra_ear_free(). */
RaEar *ra_ear_new (RaSender *sender, guint64 seed);
void ra_ear_free (RaEar *e);
void ra_ear_set (RaEar *e, const RaEarConfig *cfg);

/* `p` leaves at `now`: it is noted, and the sender hears of it.  Returns the ECN
 * field that it has to leave with. */
RaEcnField ra_ear_on_sent (RaEar *e, const RaEarPacket *p, RaTime now);
/* The push of all packets that left so far is over, the last of them together;
 * rtpsession's clock. */
void ra_ear_on_pushed (RaEar *e, RaTime passed_by);
/* FALSE: a packet left without its send time. */
gboolean ra_ear_is_stamped (const RaEar *e);

/* A compound came from the peer. */
RaEarNews ra_ear_on_rtcp (RaEar *e, const guint8 *bytes, gsize len, RaTime now);
/* What rtpsession read out of the transport-wide feedback in the latest compound;
 * it may come in several parts, and without a compound before. */
RaEarNews ra_ear_on_twcc (RaEar *e, const RaTwccRow *rows, guint n, RaTime now);
/* A compound leaves to the peer: report blocks may name its sender report. */
void ra_ear_on_rtcp_sent (RaEar *e, const guint8 *bytes, gsize len, RaTime now);
/* Sender reports go to another peer from now on. */
void ra_ear_forget_rtcp_sent (RaEar *e);
/* Packets go to another peer from now on: what the one before said of itself, how far it
 * reported, its clock and its path's rate are not known of it. */
void ra_ear_forget_peer (RaEar *e, RaTime now);
/* Somebody knows why that packet was lost, or will be. */
void ra_ear_truth (RaEar *e, guint32 ssrc, guint16 seq, RaCause cause);

/* What RA_EAR_OTHER and RA_EAR_WISH are about; NULL before the first. */
const RaFeedbackOps *ra_ear_other (const RaEar *e);
const RaFeedbackOps *ra_ear_wish (const RaEar *e);
/* What the receiver said that it uses; NULL before the first, and after ten reports
 * without it, a second apart at least. */
const RaTakes *ra_ear_takes (const RaEar *e);
/* TRUE: the receiver reports, and did not say what it uses in the first two reports, a
 * second apart at least, or does so no longer: it is none of ours. */
gboolean ra_ear_is_stranger (const RaEar *e);
/* How long the receiver said last that it holds packets; NULL likewise. */
const RaRadpHold *ra_ear_hold (const RaEar *e);
/* Takes the next confirmed loss; FALSE: there is none. */
gboolean ra_ear_next_loss (RaEar *e, RaEarLoss *out);
/* The losses that were left out since the last call. */
guint64 ra_ear_take_left_out (RaEar *e);
/* What the receiver said last of itself, NULL before the first. */
const RaRadp *ra_ear_radp (const RaEar *e);
void ra_ear_get_stats (const RaEar *e, RaEarStats *stats);

G_END_DECLS
