/* The sender's ear, inside: what its files share.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/feedback/radpcounters.h>
#include <gst/rtpadapt/feedback/listener.h>
#include <gst/rtpadapt/ledger.h>
#include <gst/rtpadapt/util/winmin.h>

G_BEGIN_DECLS

/* Reports that are remembered. */
#define RA_LISTENER_HEARD 32

/* A report that was taken. */
typedef struct
{
  RaTime now;
  guint64 before;     /* bytes sent before the microsecond of t_i */
  RaSpan window;      /* that X_recv is a mean over, as far as we know: R */
  gdouble claim;      /* bytes that X_recv says came in the last part of it */
  guint64 arrived;    /* since the counters began */
  gint64 unaccounted; /* neither arrived nor lost */
} RaHeardReport;

struct _RaListener
{
  RaLedger *ledger; /* the sender's */
  guint64 times;    /* of the ledger, when we looked last */

  RaHeardReport heard[RA_LISTENER_HEARD];
  guint64 n_heard;
  RaTime t_last;         /* t_i of the latest, RA_TIME_NONE before the first */
  RaTime began;          /* when the first one came */
  RaSpan t_delay, rtt;   /* of the latest; smoothed */
  gdouble p;             /* of the latest */
  gdouble tokens;        /* reports that may come at once */
  RaWinMin shortest;     /* RTT, ns */
  guint64 known_packets; /* sent until t_last */
  guint64 known_packets_1; /* the same, but of its microsecond the first only */
  gdouble lost;            /* by p, not reported yet */

  gboolean has_pending, has_radp, has_heard, has_counts, has_other;
  RaRadp pending;        /* waits for its TFRC-FB */
  RaRadp radp;           /* the latest taken */
  RaRadpCounters counts; /* that the peer is held to */
  RaRadpCounters other;  /* that begin with one that did not fit these */
};

/* One that is being judged. */
typedef struct
{
  RaTime now, t; /* t_i */
  RaTfrcFb fb;
  const RaLedgerEntry *sent; /* the first in the microsecond of t_i */
  const RaLedgerEntry *next; /* the first in a later one, or NULL */
  guint64 packets, bytes;    /* sent until its end */
  RaSpan rtt;                /* as far as it is believed */
  RaSpan shortest;           /* what it says about the shortest RTT */
  RaSpan jitter;             /* by so much more than the shortest, at most */
  gdouble tokens;
  RaHeardReport heard;
  RaRadpCounters counts; /* with it */
  gdouble lost;
  gboolean by_radp;   /* a RADP came with it */
  gboolean restarted; /* counters begin with it */
  gboolean aside;     /* it fits no counters */
} RaJudged;

/* The `back`th latest, from 0; NULL if there are not as many. */
static inline const RaHeardReport *
ra_listener_heard (const RaListener *l, guint64 back)
{
  return back < MIN (l->n_heard, RA_LISTENER_HEARD)
      ? &l->heard[(l->n_heard - 1 - back) % RA_LISTENER_HEARD]
      : NULL;
}

/* The counters of RADP, or what TFRC-FB alone says; fills `report`. */
RaHeard ra_listener_judge_counts (RaListener *l, RaJudged *j, RaReport *report);
/* The report was taken. */
void ra_listener_take_counts (RaListener *l, const RaJudged *j);

G_END_DECLS
