/* The sending half: report -> RTT -> controller -> rate -> pacer and encoder.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/fec.h>
#include <gst/rtpadapt/rate.h>
#include <gst/rtpadapt/rate/split.h>
#include <gst/rtpadapt/receiver.h>
#include <gst/rtpadapt/safety/guard.h>

G_BEGIN_DECLS

typedef struct _RaSender RaSender;
typedef struct _RaLedgerEntry RaLedgerEntry; /* ledger.h */
typedef struct _RaRepair RaRepair;           /* repair/repair.h */

typedef struct
{
  const RaRateOps *controller;
  const gchar *controller_params;
  const RaLdaOps *lda;
  const gchar *lda_params;
  const RaFecOps *fec; /* NULL: none */
  const gchar *fec_params;
  RaRateConfig rate;
  RaSpan burst; /* what the rate allows in this time may leave at once */
  guint64 seed; /* for LDAs that draw lots */
  /* The rate never exceeds this times what a TCP would get at the losses that are not
   * shown to be the radio's (safety/friendly.h), also not for cfg.rate.min; 0: no bound
   * (the papers know none). */
  gdouble friendliness_cap;
  gboolean breakers; /* the circuit breakers of RFC 8083 */
  /* At least this many packets leave per second while nobody answers, even if
   * the controller and cfg.rate.min want fewer.  A receiver that comes back
   * would wait for the first packet otherwise.  0: no floor, which RFC 5348 4.4
   * lets fall to a packet in 64 s. */
  guint floor;
} RaSenderConfig;

/* NULL and `error` on bad params.  (transfer full): ra_sender_free(). */
RaSender *ra_sender_new (const RaSenderConfig *cfg, RaTime now, GError **error);
void ra_sender_free (RaSender *s);

/* While running.  FALSE and `error` on bad params: what ran goes on.  A new controller
 * starts from the present rate. */
gboolean ra_sender_set_controller (RaSender *s, const RaRateOps *ops,
    const gchar *params, RaTime now, GError **error);
gboolean ra_sender_set_lda (
    RaSender *s, const RaLdaOps *ops, const gchar *params, GError **error);
gboolean ra_sender_set_fec (
    RaSender *s, const RaFecOps *ops, const gchar *params, GError **error);
/* FALSE: nobody makes the repair packets that the rule wants, and nothing is set
 * aside for them; TRUE at first. */
void ra_sender_set_fec_made (RaSender *s, gboolean made);
/* So many repair packets per 100 media packets are made at least, as others get the
 * same packets and want them; 0 at first. */
void ra_sender_set_fec_others (RaSender *s, guint percentage);
/* What is to be sent again, for those who ask for it (repair/repair.h); it lives as
 * long as the sender. */
RaRepair *ra_sender_repair (RaSender *s);
/* Takes the next media packet to be asked for again now; NULL: there is none. */
RaLedgerEntry *ra_sender_next_repeat (RaSender *s, RaTime now);
/* The receiver asks for that packet again.  FALSE: it is not to be sent again. */
gboolean ra_sender_on_request (
    RaSender *s, guint32 ssrc, guint16 seq, RaTime now);
/* By what code, as ra_fec_set_code(). */
void ra_sender_set_fec_code (RaSender *s, RaFecCode code, guint packets);
/* New limits.  An exchanged controller keeps the rate that it began with, unless
 * rate->start changes. */
void ra_sender_set_limits (RaSender *s, const RaRateConfig *rate);
/* Whatever tripped, and whoever lied, the user wants to try again. */
void ra_sender_restart (RaSender *s);
/* As in RaSenderConfig.  A cap that is NaN or below 0 leaves the cap as it is. */
void ra_sender_set_safety (
    RaSender *s, gdouble friendliness_cap, gboolean breakers);
/* Another source than the ledger for why packets were lost. */
void ra_sender_set_truth (RaSender *s, RaTruth truth, gpointer data);
/* `f` gets each loss that per-packet feedback confirms, whose seq is its index in the
 * ledger.  NULL: nobody gets them. */
void ra_sender_set_on_loss (RaSender *s, RaOnLoss f, gpointer data);
/* What was sent, for those who read feedback (ledger.h); it lives as long as the
 * sender. */
RaLedger *ra_sender_ledger (const RaSender *s);

/* Pacing (RFC 5348 4.6): the earliest time for the next packet, `now` if it may
 * go at once.  While a breaker is open it is the time for the next probe, or
 * RA_TIME_NONE if no probe may leave. */
RaTime ra_sender_next_send (const RaSender *s, RaTime now);
/* What the pacer and the encoder know of a packet. */
typedef enum
{
  RA_SENT_WAITING = 1 << 0, /* another packet is ready, only the pacer holds it
                               back */
  RA_SENT_ASKS = 1 << 1, /* the receiver answers to this packet: a frame's last
                            one with twcc, any with tfrc and ccfb
                            (RaFeedbackOps.asks) */
  RA_SENT_FRAME_END = 1 << 2, /* a frame's last media packet */
  RA_SENT_REPAIR = 1 << 3,    /* FEC or a retransmission */
  RA_SENT_OTHER = 1 << 4,  /* not of the encoder that ra_sender_split() is for:
                              audio, for one */
  RA_SENT_SPREAD = 1 << 5, /* what waits is this frame's, which the pacer but
                              spreads: it keeps up with the encoder */
  RA_SENT_REPEAT = 1 << 6, /* a retransmission of number `original` */
  RA_SENT_HELD = 1 << 7,   /* no other packet is ready, but the rate holds the
                              source back */
} RaSentFlags;

typedef struct
{
  guint64 seq; /* consecutive, unwrapped */
  guint size;  /* bytes */
  guint media; /* of these the encoder made so many */
  RaMark mark;
  RaSentFlags flags;
  guint32 ssrc;    /* report blocks name the packet by SSRC */
  guint16 rtp_seq; /* and by this number */
  guint16 original;
  RaTime taken; /* its frame came from the encoder; 0: just now */
} RaOutgoing;

/* `p` leaves at `now`.  Returns its entry in the ledger, to which the caller adds
 * what only it knows: payload, ECN field, rtpsession's time. */
RaLedgerEntry *ra_sender_on_sent (RaSender *s, const RaOutgoing *p, RaTime now);

/* Receiver-side feedback (feedback=tfrc): `t_delay` as reported.  FALSE if it
 * contradicts what was sent; it is then counted and ignored. */
gboolean ra_sender_on_report (
    RaSender *s, const RaReport *report, RaSpan t_delay, RaTime now);

/* One row of per-packet feedback, in order of seq. */
typedef struct
{
  guint64 seq;
  RaTime arrival; /* RA_TIME_NONE: reported lost */
  gboolean ce;    /* it came with ECN congestion experienced */
} RaFeedbackPacket;

/* Per-packet feedback that came at `now`, without a word on how long the peer held it
 * (twcc; ccfb goes by senderperpacket.h); runs the receiver at the sender.  Packets
 * that were never sent, or were reported before, are counted and ignored; FALSE if
 * nothing was left. */
gboolean ra_sender_on_feedback (RaSender *s, const RaFeedbackPacket *packets,
    guint n, RaSpan grain, RaTime now);

/* Packets go to another peer from now on, by another path: the controller begins again, with
 * the start rate at most, and trips are measured again. */
void ra_sender_on_new_peer (RaSender *s, RaTime now);

/* The peer acknowledged what was never sent (ra_ledger_number_kind()): it has the lowest
 * rate, or a packet in a second, for some time (safety/guard.h), and nothing it
 * says counts. */
void ra_sender_on_lie (RaSender *s, RaTime now);

/* The peer says how many packets arrived, from whenever, when that which was sent
 * at `t` had.  TRUE: more than were sent; it is for the caller to call it a lie. */
gboolean ra_sender_on_count (RaSender *s, guint32 arrived, RaTime t);

/* The `n` report blocks about SSRCs of ours, of one SR or RR: together they are one
 * report.  Where the peer gives no feedback, it serves the circuit breakers and the
 * bound on the rate; it steers no controller, whose rate falls for want of feedback.
 * A block that contradicts the packets that left is counted and ignored. */
void ra_sender_on_receiver_report (
    RaSender *s, const RaBlock *blocks, guint n, RaTime now);
/* RTCP came from the peer, with any contents.  It allows probes while a breaker is
 * open. */
void ra_sender_on_rtcp (RaSender *s, RaTime now);

/* When ra_sender_on_timeout() wants to run, or RA_TIME_NONE; an early call does no
 * harm. */
RaTime ra_sender_next_timeout (const RaSender *s);
void ra_sender_on_timeout (RaSender *s, RaTime now);

/* The allowed sending rate, bit/s of RTP packets; 0 if a breaker is open. */
guint64 ra_sender_rate (const RaSender *s);
/* TRUE: a circuit breaker is open, and nothing leaves but probes (RFC 8083 4.5). */
gboolean ra_sender_is_open (const RaSender *s);
/* The RTT that the controller has smoothed (RFC 5348 4.3 step 2), or the latest one
 * before it has any; 0: not known. */
RaSpan ra_sender_rtt (const RaSender *s);
/* Who gets how much of it; `backlog` as in ra_split(). */
void ra_sender_split (const RaSender *s, RaSpan backlog, RaSplit *out);
/* Repair packets per 100 media packets that the FEC rule wants, also where nobody makes
 * them. */
guint ra_sender_fec (const RaSender *s);

typedef struct
{
  guint64 packets_sent, bytes_sent;
  guint64 feedback, feedback_bad; /* reports taken, rows or reports refused */
  RaSpan rtt, queue; /* smoothed RTT; rott above its minimum, latest */
  guint64 recv_rate; /* X_recv, bit/s */
  gdouble p;
  RaReceiverStats loss;
  guint64 friendly; /* what a TCP would get without the losses that are shown to
                       be the radio's, bit/s; G_MAXUINT64 without loss */
  gdouble
      radio_loss; /* share of all packets that these are (safety/evidence.h);
                         0 where the bound on all losses is far and fewer than
                         12 % are lost */
  RaBreakerState breaker;
  RaBreakerTrip trip;
  guint lies;        /* times that the peer was found out */
  gboolean liar;     /* it was lately */
  gboolean competes; /* with flows that keep a queue full (RaRate) */
  RaRateLimit limit; /* what holds ra_sender_rate() where it is */
} RaSenderStats;
void ra_sender_get_stats (const RaSender *s, RaSenderStats *stats);
/* The controller's, the LDA's and the receiver's values. */
void ra_sender_observe (const RaSender *s, RaObserve emit, gpointer data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RaSender, ra_sender_free)

G_END_DECLS
