/* How long a receiver has to hold packets: latency that follows the path.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *     L = late95                               while less than .1 % is lost, or
 *                                              none of it is repeated
 *     L = max (late95, repeats_q + T_dec)      otherwise;  q = 1 - eps / p
 *     L = max (late95, repeats95, repeats_q + T_dec - G)   with a grace, G
 *
 * late95: 95 % of the frames are complete by then, counted from their media time on
 * the player's clock, so that it has in it the queue, the jitter and the time that a
 * frame takes to be sent.  repeats_q: the share q of what was repeated came by then,
 * so that of all packets eps, RA_REPAIR_LEFT, come too late.  How many rounds that
 * takes, and how long losses take to be found, is in what is measured.  A sink has time
 * for the decoder besides (processing-deadline of GstBaseSink, 20 ms), so that T_dec,
 * RA_REPAIR_DECODE, is a margin: a frame that is late is shown late, but what is repeated
 * later than L is lost.  Where it is waited for (RaGrace) it is late, too, and not lost.
 *
 * L comes down by two milliseconds a frame, which nobody sees: at 25 frames/s the picture
 * runs 5 % too fast.  It goes up by a quarter of the time that passes, whichever streams'
 * frames come meanwhile, and at once where the frames are late already, as those stand
 * still anyway.  Each stream has an RaPlayout, and all of a session share an RaHold, or
 * else lips and voice part.  Nothing is allocated, and time is an argument.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* What is older than this is forgotten, between 7/8 of it and all. */
#define RA_PLAYOUT_WINDOW (12 * RA_SECOND)
#define RA_PLAYOUT_SLOTS 8
/* Lateness is known to 1 ms, below RA_PLAYOUT_BINS - 1 of them; that many stand for
 * more, too. */
#define RA_PLAYOUT_BINS 512
/* Frames in a row that are too late, and L is theirs. */
#define RA_PLAYOUT_STREAK 3
/* A sender begins with a large frame and a rate that it guesses: what comes so soon
 * after the first frame is left out. */
#define RA_PLAYOUT_BEGIN RA_SECOND
/* While the sender does not know the line its packets wait, and repeats wait behind
 * them. */
#define RA_PLAYOUT_RAMP (2 * RA_SECOND)
/* Nothing is believed before so many frames came after that. */
#define RA_PLAYOUT_FRAMES 25
/* In a whole window so many are enough. */
#define RA_PLAYOUT_FEW 5
/* So many slots of a whole window had losses, and nothing was repeated: nobody repeats. */
#define RA_PLAYOUT_VAIN 3
/* By so much L falls a frame, and grows at most: a quarter of the time between two at 25
 * frames/s. */
#define RA_PLAYOUT_DOWN (2 * RA_MSECOND)
#define RA_PLAYOUT_UP (10 * RA_MSECOND)

/* What waited for a radio comes within this; our own (tools/compare mobile). */
#define RA_LULL_MOST (RA_SECOND / 2)

/* Latenesses of the last while. */
typedef struct
{
  gint64 slot_no[RA_PLAYOUT_SLOTS];
  guint n[RA_PLAYOUT_SLOTS];
  guint16 bin[RA_PLAYOUT_SLOTS][RA_PLAYOUT_BINS];
} RaLateness;

typedef struct
{
  RaLateness frames, repairs;
  gint64 slot_no[RA_PLAYOUT_SLOTS];
  guint came[RA_PLAYOUT_SLOTS], lost[RA_PLAYOUT_SLOTS];
  RaSpan last[RA_PLAYOUT_STREAK]; /* of the last frames */
  guint n_frames;                 /* so far */
  RaTime begun;                   /* the first frame */
} RaPlayout;

typedef struct
{
  RaSpan least, most; /* bounds of L; most >= least */
  gboolean repeats;   /* what is lost may be repeated */
  RaSpan grace;       /* G: what is missing is waited for that much longer */
} RaPlayoutLimits;

/* Forgets all; a new stream. */
void ra_playout_init (RaPlayout *p);
/* A frame is complete, `late` after its media time; what was repeated does not
 * count.  `now` must not fall by more than the window. */
void ra_playout_on_frame (RaPlayout *p, RaSpan late, RaTime now);
/* A packet that was lost came again, `late` after its media time.  It does not
 * count within RA_PLAYOUT_RAMP of the first frame. */
void ra_playout_on_repair (RaPlayout *p, RaSpan late, RaTime now);
/* Of the packets that were sent once, `came` more came and `lost` more are missing;
 * negative: one that was thought lost came late. */
void ra_playout_on_packets (RaPlayout *p, guint came, gint lost, RaTime now);

/* Of what came lately, the lateness that the share `q`, 0..1, keeps; RA_SPAN_NONE:
 * nothing came.  Whole milliseconds, rounded up, RA_PLAYOUT_BINS - 1 at most. */
RaSpan ra_playout_late (const RaPlayout *p, gdouble q, RaTime now);
/* The share of the packets that were lost lately, 0..1. */
gdouble ra_playout_loss (const RaPlayout *p, RaTime now);
/* FALSE: too little came to say what L should be. */
gboolean ra_playout_knows (
    const RaPlayout *p, const RaPlayoutLimits *limits, RaTime now);
/* L that this stream wants, within the limits; the most if it knows too little. */
RaSpan ra_playout_wanted (
    const RaPlayout *p, const RaPlayoutLimits *limits, RaTime now);
/* The last frames were all later than `hold`: what L they need, at most `most`; else
 * RA_SPAN_NONE. */
RaSpan ra_playout_streak (const RaPlayout *p, RaSpan hold, RaSpan most);

/* L of a session. */
typedef struct
{
  RaSpan now;      /* L */
  RaTime risen;    /* the latest frame at which it could grow */
  RaSpan up, down; /* its largest changes at a frame since it began */
} RaHold;

void ra_hold_init (RaHold *h, RaSpan latency);
/* A frame is due at `now`: L moves towards `wanted`, and to `late` at once if that is
 * more; RA_SPAN_NONE: no frames are late. */
RaSpan ra_hold_on_frame (RaHold *h, RaSpan wanted, RaSpan late, RaTime now);

/* A radio that is away for a moment makes what waited for it late, and nothing after
 * that.  Zeroed memory is ready. */
typedef struct
{
  gboolean late; /* the last packet was */
  RaTime since;  /* the first one of those in a row */
} RaLull;

/* A packet came at `now`, `late` after its media time; packets are held for `most` at most,
 * and rtpjitterbuffer begins its clock again at one that is later.  Returns the lateness
 * that the jitterbuffer is to see.  That is a little less than `most` if the packet is late
 * by twice `most` or less, and the first late one of its row came RA_LULL_MOST ago or less.
 * Else it is `late`, because the path has become longer. */
RaSpan ra_lull_on_packet (RaLull *l, RaSpan late, RaSpan most, RaTime now);
/* TRUE: packets have been late for so long that the path has become longer. */
gboolean ra_lull_is_longer (const RaLull *l, RaTime now);

/* A video packet that was repeated a little too late to be in time still saves the
 * pictures that need it, and these are shown late for a moment.  So one that is missing when
 * it is due is waited for, and RA_GRACE is the longest.  What never comes is waited for in
 * vain, and all that is behind it is late for nothing.  Zeroed memory is ready. */
#define RA_GRACE (60 * RA_MSECOND)

typedef struct
{
  gdouble saved; /* holes lately for which a wait paid, or would have */
  gdouble vain;  /* and for which none did */
  RaTime when;   /* both were right then */
  RaTime off;    /* there is none until then */
} RaGrace;

/* A packet was repeated, and came `late` after it was due. */
void ra_grace_on_repeat (RaGrace *g, RaSpan late, RaTime now);
/* A hole was given up. */
void ra_grace_on_hole (RaGrace *g, RaTime now);
/* The path has become longer, and the jitterbuffer has to find its new clock, which it does
 * where packets are later than it holds them. */
void ra_grace_on_longer (RaGrace *g, RaTime now);
/* TRUE: what is missing is worth a wait.  So it is until waits were seen to be in vain. */
gboolean ra_grace_is_worth (const RaGrace *g, RaTime now);

/* A packet that is later than the most that packets are held makes a jitterbuffer such
 * as rtpjitterbuffer begin its clock again, as if that packet were in time.  What follows
 * would be shown L after it, and a picture that stood until it came would stand for L
 * once more.  So packets are shown earlier, by L at most.  That advance shrinks by 50 ms in a
 * second, so that L is there again when a packet is lost. */
typedef struct
{
  RaSpan behind; /* so much later the clock is than it was */
  RaSpan ahead;  /* so much earlier packets are shown, 0 to L */
} RaCatchUp;

/* The next packet goes out.  Its media time is `media` after the last one's, and on the
 * jitterbuffer's clock it is due `moved` later than that; `hold` is L, and `most` the
 * longest that packets are held. */
void ra_catch_up_on_packet (
    RaCatchUp *c, RaSpan media, RaSpan moved, RaSpan hold, RaSpan most);
/* That packet should have been shown `late` ago; nothing happens if `late` is not above 0.
 * What follows is shown that much later, and a `frame`'s time more, since the rest of this
 * frame is still to come. */
void ra_catch_up_on_late (RaCatchUp *c, RaSpan late, RaSpan frame);

G_END_DECLS
