/* A sequence number per colour, so that a receiver knows what it lost of each.
 * K. D. Singh, D. Ros, L. Toutain, C. Viho, "Improvement of Multimedia
 * Streaming using Estimation of Wireless losses", IRISA PI 1792, 2006, 3.1.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Every packet carries its colour j and N_j in addition to its common number N.
 * 14 bits on the wire (feedback/colourext).  Where feedback is about each packet
 * (twcc, ccfb) the sender knows the colours of what was lost, and nobody needs this.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* N_j counts modulo 2^14. */
#define RA_MARK_NUMBER_BITS 14
#define RA_MARK_NUMBER_MASK ((1 << RA_MARK_NUMBER_BITS) - 1)

/* A jump wider than this, either way, is a restart of the sender. */
#define RA_MARK_JUMP 1000

/* The sender's N_j; zeroed at first. */
typedef struct
{
  guint16 n[RA_N_MARKS];
} RaMarkNumbers;

/* Increments N_j and returns it: the number of a packet of colour `mark` that
 * is about to be sent.  0 without a colour, which has no numbers. */
guint16 ra_mark_number (RaMarkNumbers *s, RaMark mark);

/* So many late numbers in a row, each the last one's next, and the sender has restarted.
 * What is overtaken has others in between, or is fewer. */
#define RA_MARK_LATE 8

/* What a receiver has seen; zeroed at first. */
typedef struct
{
  gboolean started[RA_N_MARKS];
  guint16 highest[RA_N_MARKS];
  guint16 late[RA_N_MARKS]; /* the last late one */
  guint n_late[RA_N_MARKS]; /* in a row */
} RaMarkSeen;

/* A packet of colour `mark` with number `n` arrived: how many of that colour
 * are newly missing before it, for RaPacket.lost_by_mark[mark].  0 for the
 * first of a colour, a late one or a duplicate, and after a restart.  What is
 * missing and comes late after all is not taken back: n_lost does not either,
 * and rates are quotients of the two. */
guint ra_mark_missing (RaMarkSeen *s, RaMark mark, guint16 n);

G_END_DECLS
