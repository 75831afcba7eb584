/* Which packets are missing, and when is a missing packet a lost one?
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A packet is lost when NDUPACK (3) later ones have arrived (RFC 5348 5.1).
 * The verdict about it is taken when its hole opens; a late packet cancels it.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define RA_NDUPACK 3      /* RFC 5348 5.1 */
#define RA_HOLES_MAX 4096 /* missing packets remembered (a power of 2) */

typedef enum
{
  RA_PUSH_IN_ORDER,  /* `n_lost` packets are missing right before it */
  RA_PUSH_FILLED,    /* late, its hole was not yet confirmed */
  RA_PUSH_RECOVERED, /* late, it had been confirmed lost: say so to the
                        history, which may not know of it yet */
  RA_PUSH_DUPLICATE, /* seen before, or too old to say */
} RaPush;

/* A packet that is missing. */
typedef struct
{
  guint64 seq;
  RaTime t_loss; /* nominal arrival, interpolated (RFC 5348 5.2) */
  RaCause cause; /* the verdict */
} RaMissing;

typedef struct _RaHoles RaHoles;

/* `ndupack` later packets confirm a loss; 0 counts as 1.  (transfer full):
 * ra_holes_free(). */
RaHoles *ra_holes_new (guint ndupack);
void ra_holes_free (RaHoles *h);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RaHoles, ra_holes_free)

/* A packet with unwrapped number `seq` arrived at `now`.  Of a gap wider than
 * RA_HOLES_MAX the oldest packets are forgotten, and so is what 2 * RA_HOLES_MAX
 * newer numbers push out before it was popped.  A packet from before the first one, or from a
 * skipped range, is FILLED.  `*n_lost` is 0 unless IN_ORDER. */
RaPush ra_holes_push (RaHoles *h, guint64 seq, RaTime now, guint *n_lost);
/* The verdict for one packet of the hole that opened last, given at `now`;
 * RA_CAUSE_NONE until then.  It waits for `patience` (>= 0) from now on: what
 * arrives until then was no loss. */
void ra_holes_mark (
    RaHoles *h, guint64 seq, RaCause cause, RaTime now, RaSpan patience);
/* The next confirmed loss whose verdict does not wait any more at `now`; FALSE
 * when there is none.  Losses come in order of sequence, as the history needs
 * them (and as a TCP-DCR sender acts on all holes when the timer of the first
 * one expires: Bhandarkar et al. 2005, 4): one that waits holds up those
 * behind it, for no longer than its own patience, nor than RA_HOLES_MAX newer
 * numbers. */
gboolean ra_holes_pop_confirmed (RaHoles *h, RaTime now, RaMissing *out);
/* A loss that was popped was counted as `cause`, whatever the verdict was. */
void ra_holes_count (RaHoles *h, guint64 seq, RaCause cause);
/* As what `seq` was counted, or the verdict about it, also where it came after all;
 * RA_CAUSE_NONE: there was none, or it is too old. */
RaCause ra_holes_cause (const RaHoles *h, guint64 seq);
/* The nominal arrival of the newest loss of first .. last that was counted as
 * congestion and has not come; RA_TIME_NONE: there is none, or it is too old. */
RaTime ra_holes_newest (const RaHoles *h, guint64 first, guint64 last);
/* When the next one is to be popped, or RA_TIME_NONE. */
RaTime ra_holes_next_due (const RaHoles *h);
/* The ECN-marked packet `seq` confirms what is missing before it at once (RFC
 * 5348 5.1, third paragraph from the end), and no verdict about that waits. */
void ra_holes_confirm_before (RaHoles *h, guint64 seq);
/* Packets first .. first + n - 1 will never be known to have arrived or
 * to be lost, as their feedback was lost: they open no hole and count as no
 * later arrival.  What lies between the highest known number and `first` is
 * missing; nobody gives a verdict about it.  Ignored before the first packet. */
void ra_holes_skip (RaHoles *h, guint64 first, guint64 n);
/* The highest number that arrived; 0 before the first. */
guint64 ra_holes_highest (const RaHoles *h);

G_END_DECLS
