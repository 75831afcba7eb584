/* ulp: the least repair with which what stays missing on the radio is below a
 * target, for GStreamer's rtpulpfecenc (RFC 5109, one frame at a time).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Our own; no paper.  What a level leaves missing is worked out in residual.c
 * from the wireless loss ratio w, the mean burst b and the frames' sizes.
 *
 * - w and b are means over `window`, or `packets` if that is longer (what is
 *   left grows with w squared), of all packets the reports spoke of: repair
 *   packets are lost like others.  When the last `rise` has clearly more bursts
 *   than that (MOVED standard deviations), it alone counts from then on.  So the
 *   level rises in about `rise` and falls in about `window`; to 0 at the latest
 *   when no burst came for a `window` in which CLEAN were due.
 * - Congestion gets no repair, unless others cause it (fec.h).  Its losses do not
 *   count; a report that has some never raises the level; and while most of the
 *   recent losses are congestion, fewer wireless losses are believed as quickly as
 *   more are.
 * - The target is for all: what is sent again (fec.h) need not be repaired.
 * - Nothing is repaired before `evidence` bursts were seen within the window:
 *   at w = 1 % and b = 1 that takes 300 to 400 packets.
 *   It ends where less than FADED of a burst is left of them.
 * - The level moves when what it leaves is above the target or below `keep` of
 *   it; then it becomes the least that meets the target.
 * - Where the code spans frames (fec.h), repair/blockloss.c says what is left, `keep` is
 *   BLOCK_KEEP at least, and the target is lower: a part of it that the code is good
 *   for, and an eighth of what is lost at most.
 * - A code over one frame cannot mend what is longer than its rows, or frames
 *   of one packet whose copy follows at once (1 / b of them return).  Where the
 *   target is out of reach within `max`, the least level that leaves `slack`
 *   times the best there is will do, or 0 if that leaves as much as was lost, and
 *   `reachable` says 0.
 */
#include <gst/rtpadapt/fec.h>
#include <gst/rtpadapt/fec/residual.h>
#include <gst/rtpadapt/repair/blockloss.h>

#include <math.h>

#define MOVED 3
/* Chance gives none of 8 once in 3,000 times. */
#define CLEAN 8
/* With so few bursts left in the means nothing is known of the radio any more, and a target
 * that is a part of what is lost would keep the level for hours. */
#define FADED .5
/* Between two looks at the level: encoders have to follow, and a search costs
 * some 0.1 million instructions; at worst, on all sizes of frames, 3, with
 * max=1 5.  Of a block of 40 packets with XOR it costs 17 at 5 % and 47 at 20 %, as
 * far as nothing is known from the last one (repair/blockloss.h); with RS 1 and 2.  A
 * level that still does is not searched for. */
#define INTERVAL (250 * RA_MSECOND)
/* The rest of the target is for repair that comes too late: with blocks of two frames
 * .02 to .13 % of the media, worked out from the backlogs of four runs, at a target of
 * .5 %. */
#define XOR_AIM .8
/* Reed-Solomon leaves much less for little more: of 50 packets at 3 % .22 % with 4 repair
 * packets, and .07 % with 5. */
#define RS_AIM .2
/* Of what is lost.  A packet that stays missing spoils frames until the next key frame, so
 * that losses below the target are worth the 2 packets in 50 that mend most of them. */
#define LEFT .125
/* A percent of a block is a small step, so that the level follows the target closely. */
#define BLOCK_KEEP .8

/* Sums that fade with time. */
typedef struct
{
  gdouble packets, wireless, runs, congestion;
} Counts;

typedef struct
{
  RaFec fec;
  gdouble target, max, window, packets, rise, evidence, keep, slack;

  RaFrames frames;
  Counts mean, recent; /* over `window` and `rise` */
  RaTime reported;     /* the last report, or 0 */
  RaTime wireless;     /* the last with a wireless loss, or 0 */
  gdouble clean;       /* packets since */
  RaTime looked;       /* at the level, last, or 0 */
  gboolean reachable;
  gdouble residual;  /* predicted */
  RaResidual model;  /* of w and b then, */
  RaBlockLoss block; /* or that, where a code spans frames */
} Ulp;

static void
counts_add (Counts *c, gdouble keep, const RaReport *report)
{
  guint wireless = MIN (report->lost_wireless, report->expected);

  c->packets = c->packets * keep + report->expected;
  c->wireless = c->wireless * keep + wireless;
  c->runs = c->runs * keep + MIN (report->wireless_runs, wireless);
  c->congestion = c->congestion * keep + report->lost_congestion;
}

static gdouble
loss_ratio (const Counts *c)
{
  return c->packets > 0 ? c->wireless / c->packets : 0;
}

static gdouble
burst (const Counts *c)
{
  return c->runs > 0 ? c->wireless / c->runs : 1;
}

/* Bursts due in `packets`. */
static gdouble
runs_due (const Ulp *u, gdouble packets)
{
  return u->mean.packets > 0 ? u->mean.runs / u->mean.packets * packets : 0;
}

static void
clean_update (Ulp *u, const RaReport *report, RaTime now)
{
  if (report->lost_wireless > 0) {
    u->wireless = now;
    u->clean = 0;
    return;
  }
  u->clean += report->expected;
  if (runs_due (u, u->clean) > CLEAN
      && now > ra_later (u->wireless, ra_span (u->window)))
    u->mean = u->recent = (Counts){ .packets = u->clean };
}

/* Counts the report, and forgets what does not hold any more. */
static void
counts_update (Ulp *u, const RaReport *report, RaTime now)
{
  gdouble span
      = u->reported && now > u->reported ? ra_seconds (now - u->reported) : 0;
  gdouble age = MIN (span / u->window, report->expected / u->packets);
  gdouble runs, doubt;
  gboolean more, fewer;

  counts_add (&u->mean, exp (-age), report);
  counts_add (&u->recent, exp (-span / u->rise), report);
  clean_update (u, report, now);
  u->reported = now;

  runs = runs_due (u, u->recent.packets);
  doubt = MOVED * sqrt (MAX (runs, 1)); /* counts of rare events: Poisson */
  more = u->recent.runs > runs + doubt;
  fewer = u->recent.congestion > u->recent.wireless
      && u->recent.runs < runs - doubt;
  if (more || fewer)
    u->mean = u->recent;
}

static void
model_init (Ulp *u)
{
  if (u->fec.code == RA_FEC_CODE_FRAME)
    ra_residual_init (&u->model, loss_ratio (&u->mean), burst (&u->mean));
  else
    ra_block_loss_follow (&u->block, loss_ratio (&u->mean), burst (&u->mean),
        u->fec.code, u->fec.block);
}

static gdouble
residual_of (Ulp *u, guint percentage)
{
  return u->fec.code == RA_FEC_CODE_FRAME
      ? ra_residual (&u->model, &u->frames, percentage)
      : ra_block_loss (&u->block, percentage);
}

/* The least level that leaves no more than `goal`; without one, the one that
 * leaves least.  Returns what it leaves. */
static gdouble
level_find (Ulp *u, gdouble goal, guint *level)
{
  guint max = (guint) (u->max * 100 + .5);
  gdouble best = G_MAXDOUBLE;

  for (guint i = 0; i <= max && best > goal; i++) {
    gdouble residual = residual_of (u, i);

    if (residual < best) {
      best = residual;
      *level = i;
    }
  }
  return best;
}

static void
level_update (Ulp *u, gboolean raise)
{
  guint *level = &u->fec.percentage, found = 0;
  gdouble goal = u->target, keep = u->keep, best;

  if (u->fec.code != RA_FEC_CODE_FRAME) {
    goal = MIN (goal * (u->fec.code == RA_FEC_CODE_RS ? RS_AIM : XOR_AIM),
        LEFT * loss_ratio (&u->mean));
    keep = MAX (keep, BLOCK_KEEP);
  }
  goal = u->fec.mended < 1 ? goal / (1 - u->fec.mended) : (gdouble) INFINITY;
  model_init (u);
  u->residual = residual_of (u, *level);
  if (u->residual <= goal && u->residual >= goal * keep) {
    u->reachable = TRUE;
    return;
  }
  best = level_find (u, goal, &found);
  u->reachable = best <= goal;
  if (!u->reachable) {
    goal = best * u->slack;
    level_find (u, goal, &found);
  }
  if (!u->reachable && u->residual <= goal && u->residual >= goal * keep
      && found > 0)
    return;
  if (found < *level || raise) {
    *level = found;
    u->residual = residual_of (u, found);
  }
}

static void
ulp_init (RaFec *f)
{
  ((Ulp *) f)->reachable = TRUE;
}

static void
ulp_on_frame (RaFec *f, guint packets)
{
  ra_frames_add (&((Ulp *) f)->frames, packets);
}

static void
ulp_on_report (RaFec *f, const RaReport *report, RaTime now)
{
  Ulp *u = (Ulp *) f;

  counts_update (u, report, now);
  if (ra_frames_mean (&u->frames) <= 0
      || (u->looked && now < ra_later (u->looked, INTERVAL)))
    return;
  if (u->mean.runs
      >= (f->percentage > 0 ? fmin (FADED, u->evidence) : u->evidence)) {
    level_update (u, report->lost_congestion == 0);
    u->looked = now;
  } else {
    f->percentage = 0;
    u->residual = loss_ratio (&u->mean);
    u->reachable = TRUE;
  }
}

static void
ulp_observe (const RaFec *f, RaObserve emit, gpointer data)
{
  const Ulp *u = (const Ulp *) f;

  emit ("w", loss_ratio (&u->mean), data);
  emit ("b", burst (&u->mean), data);
  emit ("n", ra_frames_mean (&u->frames), data);
  emit ("residual", u->residual * (1 - u->fec.mended), data);
  emit ("mended", u->fec.mended, data);
  emit ("reachable", u->reachable, data);
}

static const RaParam params[] = {
  { "target", RA_AT (Ulp, target), .def = .005, .min = 1e-6, .max = 1,
      .text = "media packets that may stay missing, as a ratio" },
  { "max", RA_AT (Ulp, max), .def = .5, .max = 1,
      .text = "most repair packets per media packet" },
  { "window", RA_AT (Ulp, window), .def = 10, .min = .1, .max = 3600,
      .unit = "s", .text = "over which the radio is known" },
  { "packets", RA_AT (Ulp, packets), .def = 4000, .min = 1, .max = 1e9,
      .unit = "packets", .text = "and over how many" },
  { "rise", RA_AT (Ulp, rise), .def = 2, .min = .1, .max = 3600, .unit = "s",
      .text = "in which a worse radio is noticed" },
  { "evidence", RA_AT (Ulp, evidence), .def = 3, .max = 1e6,
      .text = "bursts of loss within the window before anything is repaired" },
  { "keep", RA_AT (Ulp, keep), .def = .5, .max = 1,
      .text = "the level stays while it leaves "
              "this share of the target or more" },
  { "slack", RA_AT (Ulp, slack), .def = 1.2, .min = 1, .max = 100,
      .text = "where the target is out of reach: "
              "how far from the best will do" },
  { NULL },
};

const RaFecOps ra_fec_ulp = {
  .name = "ulp",
  .cite = "our own, for rtpadaptfecenc and rtpulpfecenc; RFC 5109; channel: "
          "Gilbert 1960",
  .needs = "a loss differentiator; marker bits at the ends of frames",
  .use = "radio losses that no lower layer repeats",
  .size = sizeof (Ulp),
  .params = params,
  .init = ulp_init,
  .on_frame = ulp_on_frame,
  .on_report = ulp_on_report,
  .observe = ulp_observe,
};
