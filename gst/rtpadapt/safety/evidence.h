/* How much of the loss is shown to be the radio's, whatever an LDA says.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two facts have to show it at once, within the last 30 s:
 * 1. Packets are lost where no queue is: in reports whose packets met a short
 *    queue, and no less in those of them that met the shortest.
 * 2. Packets are lost however little is sent: those lost would not be fewer at a
 *    lower rate, as they are where more is sent than the path carries.
 * One of them is not enough: a short queue that others share loses at "empty",
 * and where a TCP takes what we leave, losses do not follow our rate.
 *
 * A late comer on a queue that others keep full has both, if it takes that queue for
 * the empty path.  So nothing is shown where hardly any report met an empty queue, and
 * no more than a tenth where few did.  For the cap, which holds such a comer to a few
 * TCPs' share anyway, the first of these does not hold: else nothing would ever be
 * shown to a flow that fills the queue.
 *
 * Each fact gives a lower bound, and the smaller one is what is shown.  Losses that
 * come in bursts are fewer witnesses.  Where rates differ too little for the
 * second fact ra_evidence_step() asks for less of it for a moment.
 *
 * Neither controller nor LDA is asked: how long a queue is and what is lost come
 * from reports, the rate from the packets that left.  But where the controller's drain
 * tests find a longer route, queues are counted from there (guard.h).
 */
#pragma once

#include <gst/rtpadapt/rate.h>

G_BEGIN_DECLS

#define RA_EVIDENCE_BLOCKS 128
#define RA_EVIDENCE_MAX .30 /* more is never shown */

/* Reports of at least 240 ms. */
typedef struct
{
  RaTime start;
  RaSpan sent;              /* its packets left in this time */
  gdouble x;                /* rate at which they did, bytes/s */
  gdouble n, k;             /* packets, lost ones */
  gdouble n_empty;          /* packets of reports one of which met no queue */
  gdouble n_short, k_short; /* of these where the queue was short */
  gdouble q;                /* the longest queue that these met, s */
} RaEvidenceBlock;

typedef struct
{
  RaEvidenceBlock ring[RA_EVIDENCE_BLOCKS];
  guint n;             /* in use; the last of them is the current one */
  guint head;          /* the oldest */
  RaTime now;          /* of the latest report, RA_TIME_NONE */
  RaTime t_recvdata;   /* of the report before */
  gboolean was_short;  /* the queue, then */
  gdouble q_before;    /* and the longest of it, s */
  gdouble q_min[3];    /* the shortest queues of the last reports, s */
  gdouble noise;       /* standard deviation of such, s */
  gdouble shortest;    /* RTT, s, 0 unknown */
  gdouble empty;       /* share of the packets that are n_empty */
  gdouble dispersion;  /* of the losses: 1 if they are single, more in bursts */
  gdouble queue, rate; /* what either fact shows */
  gdouble shown;       /* the smaller one, 0: nothing */
  gdouble for_cap;     /* the same for the cap: `shown` or more */
  RaTime judged;       /* when it was worked out, RA_TIME_NONE */
  gboolean poor;       /* of rates that differ */
  RaTime stepped;      /* when the latest step began, RA_TIME_NONE */
} RaEvidence;

void ra_evidence_init (RaEvidence *e);
/* Another path, or a peer that is not believed. */
void ra_evidence_forget (RaEvidence *e);
/* A report about packets of `s` bytes; `waited`: its RTT above the shortest, s,
 * which shows a queue whatever the peer's times say.  TRUE: ra_evidence_judge() has
 * something new to judge. */
gboolean ra_evidence_hear (RaEvidence *e, const RaReport *report, gdouble s,
    gdouble waited, RaTime now);
/* Works out `shown`. */
void ra_evidence_judge (RaEvidence *e);
/* TRUE: so many packets met an empty queue that nobody else keeps one. */
gboolean ra_evidence_is_alone (const RaEvidence *e);
/* What a cap that binds is to be multiplied with now: less for a while in which
 * the second fact is looked for. */
gdouble ra_evidence_step (RaEvidence *e, RaTime now);

/* Lower bound of a share of which `k` of `n` were seen, wrong once in 20 times: C.
 * Clopper, E. Pearson, "The use of confidence or fiducial limits illustrated in
 * the case of the binomial", Biometrika 26 (1934).  Neither has to be whole. */
gdouble ra_evidence_lower (gdouble k, gdouble n);

G_END_DECLS
