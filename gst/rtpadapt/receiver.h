/* The receiving half: arrival -> hole -> verdict -> loss event -> report.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * It runs at the receiver (RFC 5348 6) or, with per-packet feedback, at the
 * sender (RFC 5348 7): it only ever hears of packets that arrived.
 */
#pragma once

#include <gst/rtpadapt/lda.h>
#include <gst/rtpadapt/loss/holes.h>
#include <gst/rtpadapt/rate.h>
#include <gst/rtpadapt/safety/guard.h>

G_BEGIN_DECLS

/* A packet that arrived. */
typedef struct
{
  guint64 seq;       /* unwrapped (loss/seq) */
  guint size;        /* bytes */
  RaTime sent;       /* sender's clock */
  RaTime arrival;    /* receiver's clock */
  RaSpan grain;      /* resolution of arrival */
  RaSpan rtt;        /* the sender's R when it was sent, 0 unknown */
  guint64 rate;      /* the sender's rate, bit/s; 0 unknown, and the LDA gets
                        X_recv of the last report instead */
  RaSpan rtt_sample; /* as in RaArrival, 0 unknown */
  RaMark mark;
  guint lost_by_mark[RA_N_MARKS]; /* as in RaArrival */
  gboolean ce;                    /* ECN congestion experienced */
  guint bytes_lost; /* of the packets missing before it, 0 unknown */
} RaPacket;

/* Called for each confirmed loss, in order; for scoring and for logs. */
typedef void (*RaOnLoss) (const RaMissing *m, gpointer data);

typedef struct _RaReceiver RaReceiver;

/* Takes `lda` over.  (transfer full): ra_receiver_free(). */
RaReceiver *ra_receiver_new (RaLda *lda, guint mss);
void ra_receiver_free (RaReceiver *r);
/* Exchanges the LDA while running; the loss history stays.  Takes it over. */
void ra_receiver_set_lda (RaReceiver *r, RaLda *lda);
RaLda *ra_receiver_get_lda (RaReceiver *r);
/* What looks like a queue is a longer route: the base and the LDA begin again, and the
 * loss history stays. */
void ra_receiver_rebase (RaReceiver *r);
/* TRUE: whatever the LDA says, every loss counts as congestion; it goes on
 * listening. */
void ra_receiver_set_distrust (RaReceiver *r, gboolean distrust);
/* The same for as long as `guard` says so, which has to outlive `r`; NULL: none. */
void ra_receiver_set_guard (RaReceiver *r, const RaGuard *guard);
void ra_receiver_set_on_loss (RaReceiver *r, RaOnLoss f, gpointer data);

/* TRUE if a report is due at once (RFC 5348 6.1: first packet, new loss event
 * that raised p, a late packet that removed one, or the timer had found
 * nothing to say). */
gboolean ra_receiver_on_packet (RaReceiver *r, const RaPacket *p);

/* Packets from `first` on and before `before` will never be heard of, because the
 * feedback about them was lost: they are neither arrived nor lost.  What is missing
 * before `first` was reported lost: it counts as congestion, and no LDA is asked. */
void ra_receiver_skip (RaReceiver *r, guint64 first, guint64 before);

/* When the feedback timer expires, or a verdict that waited (RaLdaOps.patience)
 * is due, which may be a new loss event: ra_receiver_report() then.  RA_TIME_NONE
 * before the first packet. */
RaTime ra_receiver_next_timeout (const RaReceiver *r);

/* Fills `out` (all but rtt and data_limited, which are the sender's) and
 * restarts the feedback timer; `t_delay` is the time since the last arrival.
 * FALSE, nothing to send: no data since the last report (RFC 5348 6.2), or a
 * verdict that was due did not raise p (6.1 step 4; the timer goes on). */
gboolean ra_receiver_report (
    RaReceiver *r, RaTime now, RaReport *out, RaSpan *t_delay);

typedef struct
{
  guint64 arrived, duplicates, late;
  guint64 congestion, wireless; /* verdicts on confirmed losses */
  guint64 recovered; /* came after NDUPACK later ones: not losses after all,
                        reported already or not yet */
  guint events;      /* congestion loss events */
} RaReceiverStats;
void ra_receiver_get_stats (const RaReceiver *r, RaReceiverStats *stats);
/* The loss event rate p, 0 to 1. */
gdouble ra_receiver_p (const RaReceiver *r);
/* p, I_0, rott and the LDA's values. */
void ra_receiver_observe (const RaReceiver *r, RaObserve emit, gpointer data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RaReceiver, ra_receiver_free)

G_END_DECLS
