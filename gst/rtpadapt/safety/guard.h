/* Between the controller and the pacer: what holds whatever an LDA says.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/safety/breaker.h>
#include <gst/rtpadapt/safety/evidence.h>
#include <gst/rtpadapt/safety/reportblocks.h>
#include <gst/rtpadapt/util/winmin.h>

G_BEGIN_DECLS

typedef struct
{
  gdouble cap; /* times the TCP-friendly rate; 0: no bound */
  RaFriendly friendly;
  RaEvidence evidence;
  gdouble step; /* a share of the rate, below 1 while evidence is looked for */
  RaBreaker breaker;
  guint64 fallback; /* bound after a first trip, bit/s; G_MAXUINT64: none */
  guint64 tripped;  /* the rate at the latest trip, bit/s */
  RaTime frame_end; /* of the latest frame, RA_TIME_NONE: none yet */
  RaWinMin tf;      /* of -1 times the interval between frames */
  guint lies;
  RaSpan liar_span;  /* for the last one, 0: there was none */
  RaTime liar_until; /* nothing that the peer says counts, RA_TIME_NONE: it
                        does */
} RaGuard;

/* A `cap` that is NaN or below 0 counts as 1; ra_guard_set() then leaves the cap as
 * it is. */
void ra_guard_init (RaGuard *g, gdouble cap, gboolean breakers);
void ra_guard_set (RaGuard *g, gdouble cap, gboolean breakers);
/* Whatever tripped, and whoever lied, the user wants to try again. */
void ra_guard_restart (RaGuard *g);
/* As ra_friendly_set_full(): the bound counts full packets where a queue stands. */
void ra_guard_set_full (RaGuard *g, gdouble full);

/* What of the controller's `rate` may be sent, bit/s; 0: a breaker is open. */
guint64 ra_guard_rate (const RaGuard *g, guint64 rate);
/* The same, and what holds the result where it is. */
RaLimited ra_guard_limit (const RaGuard *g, RaLimited rate);
/* Of all packets, the share whose loss is shown to be the radio's, for a controller:
 * 0 to 1. */
gdouble ra_guard_radio_loss (const RaGuard *g);
/* TRUE: no verdict counts, every loss is congestion. */
gboolean ra_guard_distrusts (const RaGuard *g);

/* The peer acknowledged what was never sent.  Nothing that it says counts for
 * 15 s, and twice as long after each further lie, up to 16 min; lies in that
 * time are of the same. */
void ra_guard_on_lie (RaGuard *g, RaTime now);
/* TRUE in that time: a caller that knows the lowest rate takes it. */
gboolean ra_guard_is_lied_to (const RaGuard *g);

/* `held`: only the pacer holds another packet back. */
void ra_guard_on_sent (
    RaGuard *g, guint size, gboolean frame_end, gboolean held, RaTime now);
/* A report came that is not RA_PROOF_FALSE.  `s` is the mean packet size, `rate` the
 * controller's rate.  TRUE: an open breaker has closed, and what the caller knows about
 * the path is out of date. */
gboolean ra_guard_on_report (RaGuard *g, const RaReport *report, RaProof proof,
    gdouble s, guint64 rate, RaTime now);
/* The route is longer: what the RTT has above its shortest is not a queue.  Drain tests
 * have shown it, which no LDA decides. */
void ra_guard_rebase (RaGuard *g);
/* RTCP came, with any contents. */
void ra_guard_on_rtcp (RaGuard *g, RaTime now);
/* See ra_breaker_next_probe(). */
RaTime ra_guard_next_probe (const RaGuard *g, RaTime now);
RaTime ra_guard_next_timeout (const RaGuard *g);
void ra_guard_on_timeout (RaGuard *g, RaTime now);
void ra_guard_observe (const RaGuard *g, RaObserve emit, gpointer data);

G_END_DECLS
