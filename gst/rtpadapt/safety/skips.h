/* Sequence numbers that are never sent, so that nobody can say that they came.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A receiver that denies losses has any rate.  RFC 8888 10 and RFC 4342 9: a
 * sender that leaves a number out now and then finds out, as the receiver does
 * not know which of the missing packets were never sent.
 *
 * When to leave one out is decided here.  Which ones were is in ledger.h, as
 * between the two an FEC encoder may number the packets again.
 */
#pragma once

#include <gst/rtpadapt/util/rng.h>

G_BEGIN_DECLS

/* --- when ----------------------------------------------------------------- */

/* No two are further apart than this many means, and a frame. */
#define RA_SKIP_LONGEST 4

typedef struct
{
  RaRng rng;
  guint mean; /* `left` was drawn for, 0: it was not */
  guint left; /* packets until one is due */
} RaSkipDraw;

/* Whoever guesses `seed` knows when. */
void ra_skip_draw_init (RaSkipDraw *d, guint64 seed);
/* A packet is next.  TRUE: leave a number out before it, which happens once in
 * `mean` packets (0: never), and only where a frame begins. */
gboolean ra_skip_draw_next (RaSkipDraw *d, guint mean, gboolean begins_frame);

/* --- who only counts -------------------------------------------------------- */

typedef struct
{
  gboolean begun;
  guint32 last; /* count */
  guint64 arrived;
} RaOverclaim; /* zeroed at first */

/* Call for each count of received packets.  `sent`: packets that had been sent when
 * the latest of them was.  TRUE: since the first count more were reported than were
 * ever sent, even if all that left before the first count came after it.  This shows
 * as soon as more numbers were left out than packets were sent before the first
 * count.  A count that falls starts the comparison again. */
gboolean ra_overclaim_hear (RaOverclaim *c, guint32 arrived, guint64 sent);

G_END_DECLS
