/* The sending half, inside: what its files share.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/fec/repeats.h>
#include <gst/rtpadapt/ledger.h>
#include <gst/rtpadapt/rate/pacer.h>
#include <gst/rtpadapt/repair/repair.h>
#include <gst/rtpadapt/safety/reportblocks.h>
#include <gst/rtpadapt/safety/skips.h>
#include <gst/rtpadapt/sender.h>

G_BEGIN_DECLS

struct _RaSender
{
  RaRate *rate;
  gchar *rate_params;   /* or NULL */
  RaReceiver *receiver; /* for per-packet feedback */
  RaFec *fec;
  gboolean fec_absent; /* nobody makes what it wants */
  RaRepeats repeats;
  RaRepair repair;
  RaGuard guard;
  RaRateConfig cfg;
  guint64 handed;      /* where an exchanged controller started, else 0 */
  guint floor;         /* packets/s while nobody answers */
  gboolean unanswered; /* the no-feedback timer expired since `last_word`, and
                          there is a floor */
  guint64 before;      /* the rate at `last_word`, bit/s; 0 before the first */
  guint64 anew;        /* the first packet after the latest outage, which took
                          all losses before it */
  RaTime anew_at;   /* when that outage ended, RA_TIME_NONE: there was none */
  gboolean masked;  /* p still counts the losses of that outage */
  gdouble p_before; /* p of the latest report, without them */
  RaPacer pacer;
  RaSizes sizes;
  gdouble rtcp;
  guint64 seed;
  guint frame_packets; /* media packets of the frame so far */

  RaLedger *ledger;
  guint64 next_reported; /* one after the last that feedback spoke of */
  RaTime last_feedback;  /* RA_TIME_NONE before the first */
  RaTime last_word;      /* when anything but a receiver report last said what
                            arrived; RA_TIME_NONE before the first */
  RaReportBlocks blocks;
  RaSpan spacing;     /* of feedbacks, smoothed; of rows it rises at once */
  RaSpan interval;    /* the same; 0 where it is the RTT's to choose */
  RaTime asked;       /* the first packet since then that asks for an answer,
                            or RA_TIME_NONE */
  RaWinMin shortest;  /* RTT, ns, whatever the peer says that it waited */
  gboolean mid_frame; /* the last packet did not ask */
  guint bytes_lost;   /* reported lost since the last that arrived */
  guint lost_by_mark[RA_N_MARKS]; /* the same, packets */
  guint lost_late; /* reported lost after later ones: for the guard alone */

  RaOverclaim claims;
  RaTruth truth;
  gpointer truth_data;
  RaReport last;
  RaSenderStats stats;
};

/* A report came: how long after the last one, -1 if that is not known. */
RaSpan ra_sender_spacing (RaSender *s, RaTime now);
/* A report with its rtt: all that listens to reports gets it. */
void ra_sender_apply (RaSender *s, const RaReport *report, RaTime now);
/* Informs the guard alone.  If an open breaker closes, the controller starts
 * again. */
void ra_sender_guard (
    RaSender *s, const RaReport *report, RaProof proof, RaTime now);
/* What feedback about a packet that left at `sent` proves now. */
RaProof ra_sender_proof (RaTime sent, RaTime now);

/* A receiver that gives feedback gives it more often than this (RFC 8083 4.1,
 * Tmin). */
#define RA_FEEDBACK_GONE (5 * RA_SECOND)

/* senderoutage.c */
/* Replaces the controller by `rate` (transfer full), which begins at `start`. */
void ra_sender_exchange (RaSender *s, RaRate *rate, guint64 start);
/* Feedback about packets that arrived comes: looks whether it ends an outage. */
void ra_sender_look_back (RaSender *s, RaTime now);
/* RFC 8083 4.5: the path may be another one, so a new controller begins, which
 * knows nothing about it.  It begins with no more than the rate before. */
void ra_sender_begin_anew (RaSender *s, RaTime now);
/* Removes the outage's losses from the report: those that were due before it
 * ended.  p stays at its value from before as long as only they have raised it. */
void ra_sender_outage_hide (RaSender *s, RaReport *report);

G_END_DECLS
