/* What TFRC-FB does not say: our RTCP APP packet "RADP" (RFC 3550 6.7).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The application-dependent data:
 *
 *      0                   1                   2                   3
 *      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   0 |  version = 1  |   length of   |      mean burst length,       |
 *     |               |   LDA's name  |         1/256 packet          |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   4 |                    send timestamp (t_i), us                   |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   8 |                           expected                            |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  12 |                            arrived                            |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  16 |                      lost to congestion                       |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  20 |                       lost to the radio                       |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  24 |               runs of those lost to the radio                 |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  28 |                          loss events                          |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  32 |  send time of the latest congestion loss or mark, t_lost, us  |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  36 |                 queue, us; 2^32 - 1 unknown                   |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  40 |               w, binary point at the left edge                |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  44 |                         p_c, likewise                         |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  48 |               share of delayed packets, likewise              |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  52 |     name of the LDA, ASCII, zeros up to a multiple of 4       |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *     |      lowest queue of the packets reported, us, as above       |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *     |                     the highest, likewise                     |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *
 * What a later minor change adds goes behind the name, and readers skip what
 * they do not know; another version is another format.  The two queues behind
 * the name are such an addition: a peer that does not know them leaves them
 * out, and they are unknown.
 *
 * All counters run from the receiver's first packet on, modulo 2^32, and the
 * reader takes differences: one RTCP packet is sent per RTT over a path that
 * loses packets, and a loss event that was in a lost report must not pass
 * unseen.  For the same reason the send time of a loss stays until there is
 * another.  t_i is that of the TFRC-FB in the same compound and shows which two
 * belong together.  ECN marks have no counter of their own: one that matters
 * begins a loss event, and an event without a loss is a mark.
 */
#pragma once

#include <gst/rtpadapt/rate.h>

G_BEGIN_DECLS

#define RA_RADP_NAME "RADP"
/* The subtypes of RADP.  A peer skips one that it does not know. */
#define RA_RADP_SUBTYPE 0       /* what TFRC-FB does not say, as above */
#define RA_RADP_WISH_SUBTYPE 1  /* the feedback that the receiver is set to */
#define RA_RADP_HOLD_SUBTYPE 2  /* how long it holds packets */
#define RA_RADP_TAKES_SUBTYPE 3 /* what it uses, see RaTakes */

/* A receiver sends its wish while its feedback is another one than the one it is set to.
 * The data is the name of the latter: "twcc", "tfrc" or "ccfb". */
#define RA_RADP_WISH_SIZE 4
/* The data of a hold: 32 bits now, 32 bits the most that it may come to, and 32 bits the
 * least, all in us from the time that the fastest packets take.  More may stand behind,
 * which readers skip, and the least may be missing: it is the most then, and so it is
 * where the receiver does not follow what the path needs. */
#define RA_RADP_HOLD_SIZE 12
/* What nobody holds: a reader takes it for this. */
#define RA_RADP_HOLD_MAX (10 * RA_SECOND)
#define RA_RADP_SIZE_MAX 76
#define RA_RADP_LDA_MAX 15

typedef struct _RaRadp
{
  guint32 t_i; /* ra_stamp_us() of RaReport.t_recvdata */
  guint32 expected, arrived, lost_congestion, lost_wireless, wireless_runs,
      n_events;                       /* as in RaReport, all together */
  guint32 t_lost;                     /* ra_stamp_us(); before the first: 0 */
  RaSpan queue, queue_min, queue_max; /* RA_SPAN_NONE if unknown */
  gdouble w, p_c, delayed;            /* 0..1; wled smooths p_c, but not w */
  gdouble burst;                      /* packets, at most 255.996; 0 unknown */
  gchar lda[RA_RADP_LDA_MAX + 1];     /* printable, no blanks; "" unknown */
} RaRadp;

/* How long a receiver holds packets. */
typedef struct
{
  RaSpan now, most, least; /* least < most: it follows what the path needs */
} RaRadpHold;

/* Writes RA_RADP_HOLD_SIZE bytes. */
void ra_radp_hold_write (const RaRadpHold *x, guint8 *data);
/* FALSE if it is too short: `x` is left alone.  A `least` above `most` is `most`. */
gboolean ra_radp_hold_read (RaRadpHold *x, const guint8 *data, gsize len);

/* The size of the data, a multiple of 4; 0 if `len` has no room for it or the
 * name is none. */
gsize ra_radp_write (const RaRadp *x, guint8 *data, gsize len);
/* FALSE if it is malformed or of another version: `x` is left alone. */
gboolean ra_radp_read (RaRadp *x, const guint8 *data, gsize len);

/* The receiver: takes a new report into what `x` counts. */
void ra_radp_count (RaRadp *x, const RaReport *report);
/* The sender: fills what TFRC-FB lacks of `report` with what happened between
 * `before` and `x`; `before` NULL: since the receiver began.  FALSE if counters
 * ran backwards or contradict each other, `report` is left alone: `x` is older
 * than `before`, the receiver started again (take `x` for the next `before`),
 * or it lies. */
gboolean ra_radp_since (
    const RaRadp *x, const RaRadp *before, RaReport *report);

/* What a receiver says of itself, in RA_RADP_TAKES_SUBTYPE:
 *
 *      0                   1                   2                   3
 *      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *     |     longest disorder, ms      |             0           |S|F|R|
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *
 * R: it uses retransmissions (RFC 4588), F: it uses FEC (RFC 5109), S: and the
 * Reed-Solomon code of repair/rsfec.h.  Readers skip what they do not know: other
 * flags, and what comes behind.  It is repeated each second, as is the hold, and a sender
 * forgets what its receiver says no longer (ear.h). */
#define RA_RADP_TAKES_SIZE 4

typedef enum
{
  RA_TAKES_RTX = 1 << 0,
  RA_TAKES_FEC = 1 << 1,
  RA_TAKES_RS = 1 << 2,
} RaTakesFlags;

typedef struct
{
  /* The longest time that a packet came behind one that overtook it, lately; on the
   * wire whole ms, rounded up, 65.535 s at most. */
  RaSpan disorder;
  guint flags; /* RaTakesFlags */
} RaTakes;

/* RA_RADP_TAKES_SIZE bytes. */
void ra_takes_write (const RaTakes *takes, guint8 *data);
/* FALSE if it is too short: `takes` is left alone. */
gboolean ra_takes_read (RaTakes *takes, const guint8 *data, gsize len);

G_END_DECLS
