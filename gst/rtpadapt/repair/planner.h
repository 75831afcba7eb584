/* How a path's losses are to be mended: rounds of retransmission, copies, or FEC.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Arithmetic alone, nothing is kept.  A round is one retransmission and the wait
 * until it is known whether that came.  As many rounds are used as fit the time
 * that the receiver waits for a packet; the last round may send several copies
 * (Hairpin, NSDI 2024).  FEC is for paths where no round fits.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* What a player needs to decode a frame once it is complete. */
#define RA_REPAIR_DECODE (10 * RA_MSECOND)
/* Share of the media packets that may stay missing: one frame of 6 packets is
 * broken each 33 s at 25 frames/s. */
#define RA_REPAIR_LEFT 2e-4
/* What a lost packet costs, in packets.  It spoils six frames of 12, until a key frame that
 * was asked for is there, and each of these packets is worth several of those that repair
 * takes from the encoder, because a picture is hardly worse at a slightly lower rate.
 * In one run at 3 Mbit/s (tools/compare mobile, Wi-Fi) a lost packet cost .2 of VMAF in 30 s,
 * as much as 320 packets that the encoder does not get.  With 200 repair stays at a quarter
 * of the media where a twentieth is lost and no round fits. */
#define RA_REPAIR_SPOILS 200
/* The most that repair may take of all that is sent; RA_REPAIR_MOST_HEAVY where
 * RA_REPAIR_HEAVY is lost, for with 20 % lost it took .27 (docs/results.md), and .25 left
 * hundreds of packets missing in 30 s. */
#define RA_REPAIR_MOST .25
#define RA_REPAIR_MOST_HEAVY .4
#define RA_REPAIR_HEAVY .15
/* Rounds beyond this mend nothing that anybody sees. */
#define RA_REPAIR_ROUNDS 8

typedef struct
{
  RaSpan latency;  /* L: how long the receiver holds packets */
  RaSpan jitter;   /* J: 95 % of the packets are late by less */
  RaSpan decode;   /* T_dec */
  RaSpan rtt;      /* R, without the queue */
  RaSpan queue;    /* q */
  RaSpan detect;   /* T_det: until a report shows a loss, on the mean */
  RaSpan feedback; /* T_fb: until the report leaves, beyond that */
  RaSpan frame;    /* between two frames */
  gdouble loss;    /* p: share of the packets that are lost, 0..1 */
  gdouble worst;   /* p': its maximum of late, 0..1 */
  gdouble left; /* eps: share that may stay missing, 0..1; 0: as little as the
                      rounds leave */
  gdouble most; /* share of all that is sent that repair may take, 0..1 */
  gboolean
      soon; /* L comes down to what one round takes: no second one is waited for */
  gdouble
      spoils; /* packets that one lost packet spoils: a copy that is expected to save
                     less than itself is not planned; 0: each is */
} RaRepairPath;

typedef struct
{
  guint rounds;     /* k; 0: none fits */
  guint copies;     /* m, of all rounds together; never below k */
  guint last;       /* c_k: of these the last round sends so many */
  gdouble overhead; /* retransmissions per media packet, expected */
  gdouble
      residual; /* share of the media packets that stays missing, expected */
} RaRepairPlan;

/* One round: R + q + T_det + T_fb. */
RaSpan ra_repair_round (const RaRepairPath *path);
/* What no round is planned into: J + T_dec. */
RaSpan ra_repair_margin (const RaRepairPath *path);
/* k. */
guint ra_repair_rounds (const RaRepairPath *path);
/* m for `rounds`. */
guint ra_repair_copies (const RaRepairPath *path, guint rounds);
/* Retransmissions per media packet of `rounds` with `copies` in all, at the loss
 * `p`. */
gdouble ra_repair_overhead (gdouble p, guint rounds, guint copies);
/* What `copies` leave missing at the loss `p`, if losses are independent. */
gdouble ra_repair_residual (gdouble p, guint copies);
/* All of it.  Copies are taken away until the budget `most` suffices. */
void ra_repair_plan (const RaRepairPath *path, RaRepairPlan *plan);

/* Repair packets of a code of maximum distance for `n` media packets for which no round
 * fits, where the share `p` is lost: with so many the fewest packets are spent and
 * spoilt, `spoils` of them where more are missing than the code brings back. */
guint ra_repair_block (gdouble p, guint n, gdouble spoils);

/* The same for a frame of `n` packets.  Of these `late` leave too late for a round, and so
 * all stay missing that are lost, the share `p`; of the others the share `rest` does.  The
 * frame gets no fewer than its late packets need alone, whose losses come together. */
guint ra_repair_frame (
    gdouble p, guint late, gdouble rest, guint n, gdouble spoils);

/* The time that is left for a packet whose frame came in `age` ago, if it is
 * repeated now; negative: the receiver has given it up by then.  J and T_dec are no
 * reason to send nothing: most packets are late by less than J, and a frame that is
 * shown T_dec late is shown. */
RaSpan ra_repair_time_left (const RaRepairPath *path, RaSpan age);
/* Copies to send now of a packet of which `sent` were, with `left` of
 * ra_repair_time_left(): 0 if it is too late, or as many as are missing of the
 * plan's in the last round that fits, or in any with `soon`, one at least; else one. */
guint ra_repair_now (const RaRepairPath *path, const RaRepairPlan *plan,
    RaSpan left, guint sent);

G_END_DECLS
