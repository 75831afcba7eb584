/* How long a receiver has to hold packets: latency that follows the path.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/repair/playout.h>

#include <gst/rtpadapt/repair/planner.h>

#include <math.h>
#include <string.h>

#define SLOT (RA_PLAYOUT_WINDOW / RA_PLAYOUT_SLOTS)
#define BIN RA_MSECOND
/* The last bin, which has all that is later, too. */
#define LAST (RA_PLAYOUT_BINS - 1)
/* Share of the frames that L is for; the others are shown when they come. */
#define ON_TIME .95
/* Less loss than this is not worth a round's wait: one frame in 150 of 6 packets. */
#define LOSS .001
/* With so many repeats their lateness is known, or with one for each loss where fewer are
 * lost. */
#define REPAIRS 3

/* --- latenesses ------------------------------------------------------------ */

static guint
slot_of (RaTime now, gint64 *no)
{
  *no = (gint64) (now / (RaTime) SLOT);
  return (guint) (*no % RA_PLAYOUT_SLOTS);
}

static gboolean
is_fresh (gint64 slot_no, RaTime now)
{
  gint64 no;

  slot_of (now, &no);
  return slot_no > no - RA_PLAYOUT_SLOTS && slot_no <= no;
}

static void
late_add (RaLateness *l, RaSpan late, RaTime now)
{
  gint64 no;
  guint slot = slot_of (now, &no);
  guint bin = (guint) CLAMP ((late + BIN - 1) / BIN, 0, (RaSpan) LAST);

  if (l->slot_no[slot] != no) {
    memset (l->bin[slot], 0, sizeof l->bin[slot]);
    l->n[slot] = 0;
    l->slot_no[slot] = no;
  }
  if (l->n[slot] == G_MAXUINT16)
    return;
  l->n[slot]++;
  l->bin[slot][bin]++;
}

static guint
late_count (const RaLateness *l, RaTime now)
{
  guint n = 0;

  for (guint i = 0; i < RA_PLAYOUT_SLOTS; i++)
    n += is_fresh (l->slot_no[i], now) ? l->n[i] : 0;
  return n;
}

/* The lowest lateness that `q` of them keep. */
static RaSpan
late_quantile (const RaLateness *l, gdouble q, RaTime now)
{
  gdouble need = q * late_count (l, now), sum = 0;

  for (guint bin = 0; bin < RA_PLAYOUT_BINS; bin++) {
    for (guint i = 0; i < RA_PLAYOUT_SLOTS; i++)
      sum += is_fresh (l->slot_no[i], now) ? l->bin[i][bin] : 0;
    if (sum > 0 && sum >= need)
      return bin * BIN;
  }
  return RA_SPAN_NONE;
}

/* --- a stream ---------------------------------------------------------------- */

static void
late_init (RaLateness *l)
{
  for (guint i = 0; i < RA_PLAYOUT_SLOTS; i++)
    l->slot_no[i] = -RA_PLAYOUT_SLOTS;
}

void
ra_playout_init (RaPlayout *p)
{
  memset (p, 0, sizeof *p);
  late_init (&p->frames);
  late_init (&p->repairs);
  for (guint i = 0; i < RA_PLAYOUT_SLOTS; i++)
    p->slot_no[i] = -RA_PLAYOUT_SLOTS;
}

void
ra_playout_on_frame (RaPlayout *p, RaSpan late, RaTime now)
{
  if (p->n_frames == 0)
    p->begun = now;
  p->last[p->n_frames++ % RA_PLAYOUT_STREAK] = late;
  if (ra_diff (now, p->begun) < RA_PLAYOUT_BEGIN)
    return;
  late_add (&p->frames, late, now);
}

void
ra_playout_on_repair (RaPlayout *p, RaSpan late, RaTime now)
{
  if (p->n_frames == 0 || ra_diff (now, p->begun) < RA_PLAYOUT_RAMP)
    return;
  late_add (&p->repairs, late, now);
}

void
ra_playout_on_packets (RaPlayout *p, guint came, gint lost, RaTime now)
{
  gint64 no;
  guint slot = slot_of (now, &no);

  if (p->slot_no[slot] != no) {
    p->came[slot] = p->lost[slot] = 0;
    p->slot_no[slot] = no;
  }
  p->came[slot] += came;
  if (lost >= 0)
    p->lost[slot] += (guint) lost;
  else
    p->lost[slot] -= MIN (p->lost[slot], (guint) -lost);
}

RaSpan
ra_playout_late (const RaPlayout *p, gdouble q, RaTime now)
{
  return late_quantile (&p->frames, q, now);
}

/* Packets of the window: those that came, or those that were lost. */
static guint
packets_count (const RaPlayout *p, const guint *counts, RaTime now)
{
  guint n = 0;

  for (guint i = 0; i < RA_PLAYOUT_SLOTS; i++)
    n += is_fresh (p->slot_no[i], now) ? counts[i] : 0;
  return n;
}

gdouble
ra_playout_loss (const RaPlayout *p, RaTime now)
{
  gdouble lost = packets_count (p, p->lost, now);

  return lost > 0 ? lost / (packets_count (p, p->came, now) + lost) : 0;
}

/* Nobody repeats what is lost.  What was lost in this slot may still come. */
static gboolean
is_unrepeated (const RaPlayout *p, RaTime now)
{
  guint n = 0, current;
  gint64 no;

  if (ra_diff (now, p->begun) < RA_PLAYOUT_RAMP + RA_PLAYOUT_WINDOW
      || late_count (&p->repairs, now) > 0)
    return FALSE;
  current = slot_of (now, &no);
  for (guint i = 0; i < RA_PLAYOUT_SLOTS; i++)
    n += i != current && is_fresh (p->slot_no[i], now) && p->lost[i] > 0;
  return n >= RA_PLAYOUT_VAIN;
}

/* L waits for repeats. */
static gboolean
needs_repeats (const RaPlayout *p, const RaPlayoutLimits *limits, RaTime now)
{
  return limits->repeats && ra_playout_loss (p, now) >= LOSS
      && !is_unrepeated (p, now);
}

gboolean
ra_playout_knows (const RaPlayout *p, const RaPlayoutLimits *limits, RaTime now)
{
  guint n = late_count (&p->frames, now);

  /* At few frames a second the window never has so many. */
  return (n >= RA_PLAYOUT_FRAMES
             || (n >= RA_PLAYOUT_FEW
                 && ra_diff (now, p->begun) >= RA_PLAYOUT_WINDOW))
      && (!needs_repeats (p, limits, now)
          || late_count (&p->repairs, now)
              >= MIN (REPAIRS, packets_count (p, p->lost, now)));
}

/* L that keeps the share `q`.  How late the last bin is nobody knows, so it takes all
 * that may be held. */
static RaSpan
needed (
    const RaLateness *l, gdouble q, const RaPlayoutLimits *limits, RaTime now)
{
  RaSpan late = late_quantile (l, q, now);

  return late < LAST * BIN ? late : limits->most;
}

RaSpan
ra_playout_wanted (
    const RaPlayout *p, const RaPlayoutLimits *limits, RaTime now)
{
  RaSpan wanted = needed (&p->frames, ON_TIME, limits, now);
  RaSpan last; /* the last repeat that is needed */

  if (!ra_playout_knows (p, limits, now))
    return limits->most;
  if (needs_repeats (p, limits, now)) {
    last = needed (&p->repairs, 1 - RA_REPAIR_LEFT / ra_playout_loss (p, now),
               limits, now)
        + RA_REPAIR_DECODE;
    wanted = MAX (wanted,
        limits->grace > 0 ? MAX (
            last - limits->grace, needed (&p->repairs, ON_TIME, limits, now))
                          : last);
  }
  return CLAMP (wanted, limits->least, limits->most);
}

RaSpan
ra_playout_streak (const RaPlayout *p, RaSpan hold, RaSpan most)
{
  RaSpan need = p->last[0];

  if (p->n_frames < RA_PLAYOUT_STREAK)
    return RA_SPAN_NONE;
  for (guint i = 1; i < RA_PLAYOUT_STREAK; i++)
    need = MIN (need, p->last[i]);
  return need > hold ? MIN (need + RA_REPAIR_DECODE, most) : RA_SPAN_NONE;
}

/* --- a session ---------------------------------------------------------------- */

void
ra_hold_init (RaHold *h, RaSpan latency)
{
  *h = (RaHold){ .now = latency };
}

/* Of the time that passes. */
#define UP_PART 4

RaSpan
ra_hold_on_frame (RaHold *h, RaSpan wanted, RaSpan late, RaTime now)
{
  RaSpan before = h->now;
  RaSpan passed = ra_diff (now, h->risen);
  RaSpan up = CLAMP (passed / UP_PART, 0, RA_PLAYOUT_UP);

  /* Streams overtake each other by less than that: the clock went back. */
  h->risen = passed < -RA_SECOND ? now : MAX (h->risen, now);
  h->now = CLAMP (wanted, before - RA_PLAYOUT_DOWN, before + up);
  h->now = MAX (h->now, late);
  h->up = MAX (h->up, h->now - before);
  h->down = MAX (h->down, before - h->now);
  return h->now;
}

/* --- after a packet that came too late ---------------------------------------- */

/* A jitterbuffer's clock moves a little from one packet to the next. */
#define MARGIN (5 * RA_MSECOND)

RaSpan
ra_lull_on_packet (RaLull *l, RaSpan late, RaSpan most, RaTime now)
{
  RaSpan kept = MAX (most - MARGIN, 0);

  if (late <= kept) {
    l->late = FALSE;
    return late;
  }
  if (!l->late)
    l->since = now;
  l->late = TRUE;
  return late <= 2 * most && !ra_lull_is_longer (l, now) ? kept : late;
}

gboolean
ra_lull_is_longer (const RaLull *l, RaTime now)
{
  return l->late && ra_diff (now, l->since) > RA_LULL_MOST;
}

/* --- what is waited for --------------------------------------------------------- */

/* Half of what was seen is forgotten after so long. */
#define GRACE_HALF (8 * RA_SECOND)
/* A packet that stays missing spoils six frames (RA_REPAIR_SPOILS), and a wait makes one or
 * two late. */
#define GRACE_PAYS 4
/* So many waits in vain say nothing yet. */
#define GRACE_TRIES 3
/* A jitterbuffer finds its new clock with the next packet. */
#define GRACE_OFF RA_SECOND

static gdouble
grace_kept (const RaGrace *g, RaTime now)
{
  return exp2 (-(gdouble) MAX (ra_diff (now, g->when), 0) / GRACE_HALF);
}

static void
grace_age (RaGrace *g, RaTime now)
{
  gdouble kept = grace_kept (g, now);

  g->saved *= kept;
  g->vain *= kept;
  g->when = now;
}

void
ra_grace_on_repeat (RaGrace *g, RaSpan late, RaTime now)
{
  grace_age (g, now);
  if (late > 0 && late <= RA_GRACE)
    g->saved++;
}

void
ra_grace_on_hole (RaGrace *g, RaTime now)
{
  grace_age (g, now);
  g->vain++;
}

void
ra_grace_on_longer (RaGrace *g, RaTime now)
{
  g->off = now + GRACE_OFF;
}

gboolean
ra_grace_is_worth (const RaGrace *g, RaTime now)
{
  return now >= g->off
      && (g->vain - GRACE_PAYS * g->saved) * grace_kept (g, now) <= GRACE_TRIES;
}

/* --- after a packet that came too late -------------------------------------------- */

/* Of the media time. */
#define BACK 20
/* A step of less than this part of the most is drift. */
#define STEP 2

void
ra_catch_up_on_packet (
    RaCatchUp *c, RaSpan media, RaSpan moved, RaSpan hold, RaSpan most)
{
  if (moved > most / STEP) {
    c->behind += moved;
    c->ahead += moved;
  } else if (c->behind > 0) {
    c->behind = MAX (c->behind + moved, 0);
  }
  c->ahead = MIN (c->ahead, MIN (c->behind, hold));
  c->ahead = MAX (c->ahead - MAX (media, 0) / BACK, 0);
}

void
ra_catch_up_on_late (RaCatchUp *c, RaSpan late, RaSpan frame)
{
  if (late > 0)
    c->ahead = MAX (c->ahead - late - frame, 0);
}
