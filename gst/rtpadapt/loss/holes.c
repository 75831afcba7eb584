/* Which packets are missing, and when is a missing packet a lost one?
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A ring holds the last RING numbers.  Of two missing packets the lower one
 * has at least as many later arrivals, so losses are confirmed in order of
 * sequence and two marks suffice: `confirm` and `pop`, which only go up.
 */
#include <gst/rtpadapt/loss/holes.h>

/* A whole gap of RA_HOLES_MAX fits together with the packets that came after it. */
#define RING (2 * RA_HOLES_MAX)

G_STATIC_ASSERT ((RING & (RING - 1)) == 0);

typedef enum
{
  UNKNOWN, /* skipped, before the first packet, or of too wide a gap */
  ARRIVED,
  MISSING,
  LOST,     /* confirmed, not popped: its verdict waits, or nobody asked yet */
  REPORTED, /* popped */
} State;

typedef struct
{
  RaTime t_loss;
  RaTime judged;   /* when the verdict was given */
  RaSpan patience; /* how long it waits from then on */
  guint32 opened;  /* `arrivals` when the hole opened, less late arrivals */
  guint8 state;    /* State */
  guint8 cause;    /* RaCause */
} Slot;

struct _RaHoles
{
  guint32 ndupack;
  gboolean started;
  guint64 highest;  /* that arrived */
  guint64 next;     /* beyond all that arrived or was skipped */
  guint64 confirm;  /* below it nothing is MISSING */
  guint64 pop;      /* below it nothing is LOST */
  guint64 timed;    /* below it what is missing has its t_loss */
  guint32 arrivals; /* in order, modulo 2^32 */
  guint64 last_seq; /* the last arrival, late ones included: S_before */
  RaTime last_time; /* T_before */
  Slot slots[RING];
};

RaHoles *
ra_holes_new (guint ndupack)
{
  RaHoles *h = g_new0 (RaHoles, 1);

  h->ndupack = MAX (ndupack, 1);
  return h;
}

void
ra_holes_free (RaHoles *h)
{
  g_free (h);
}

static Slot *
slot_at (RaHoles *h, guint64 seq)
{
  return &h->slots[seq & (RING - 1)];
}

/* Takes the numbers from `next` up to `end` into the ring. */
static void
holes_extend (RaHoles *h, guint64 end, State state)
{
  guint64 seq = end - h->next > RING ? end - RING : h->next;
  guint64 low = end > RING ? end - RING : 0;

  for (; seq < end; seq++)
    *slot_at (h, seq)
        = (Slot){ .state = (guint8) state, .opened = h->arrivals };
  h->next = end;
  h->confirm = MAX (h->confirm, low);
  h->pop = MAX (h->pop, low);
}

/* The numbers from `next` up to `seq` are missing. */
static void
holes_open (RaHoles *h, guint64 seq)
{
  if (seq - h->next > RA_HOLES_MAX)
    holes_extend (h, seq - RA_HOLES_MAX, UNKNOWN);
  holes_extend (h, seq, MISSING);
}

/* `seq` arrived, which gives what is missing before it a nominal arrival. */
static void
holes_time (RaHoles *h, guint64 seq, RaTime now)
{
  guint64 dist = seq - h->last_seq;
  /* A clock that went back gives no span to divide. */
  RaTime t_before = MIN (h->last_time, now);
  guint64 span = now - t_before;
  guint64 low = h->next - MIN (h->next, RING);

  for (guint64 s = MAX (h->timed, low); s < seq; s++) {
    Slot *slot = slot_at (h, s);
    guint64 d = s - h->last_seq;

    /* RFC 5348 5.2; floor (span * d / dist), in two parts so as not to
     * overflow */
    if (slot->state == MISSING)
      slot->t_loss = t_before + span / dist * d + span % dist * d / dist;
  }
  h->timed = MAX (h->timed, seq + 1);
}

/* RFC 5348 5.1: NDUPACK later packets make a missing one a lost one; of those
 * before `end`. */
static void
holes_confirm (RaHoles *h, guint32 ndupack, guint64 end)
{
  for (; h->confirm < MIN (end, h->next); h->confirm++) {
    Slot *slot = slot_at (h, h->confirm);

    if (slot->state == MISSING) {
      if (h->arrivals - slot->opened < ndupack)
        return;
      slot->state = LOST;
    }
  }
}

static RaPush
holes_push_late (RaHoles *h, guint64 seq, RaTime now)
{
  Slot *slot = slot_at (h, seq);
  RaPush result = slot->state == REPORTED || slot->state == LOST
      ? RA_PUSH_RECOVERED
      : RA_PUSH_FILLED;

  if (h->next - seq > RING || slot->state == ARRIVED)
    return RA_PUSH_DUPLICATE;
  holes_time (h, seq, now);
  slot->state = ARRIVED;
  h->highest = MAX (h->highest, seq); /* not so only in a skipped range */
  /* It is a later arrival for what is missing before it. */
  for (guint64 s = h->confirm; s < seq; s++)
    slot_at (h, s)->opened--;
  return result;
}

RaPush
ra_holes_push (RaHoles *h, guint64 seq, RaTime now, guint *n_lost)
{
  RaPush result = RA_PUSH_IN_ORDER;

  g_return_val_if_fail (seq < G_MAXUINT64, RA_PUSH_DUPLICATE);
  *n_lost = 0;
  if (!h->started) {
    h->started = TRUE;
    h->next = h->confirm = h->pop = h->timed = seq;
  }
  if (seq < h->next) {
    result = holes_push_late (h, seq, now);
    if (result == RA_PUSH_DUPLICATE)
      return result;
  } else {
    *n_lost = (guint) MIN (seq - h->next, G_MAXUINT);
    holes_open (h, seq);
    holes_time (h, seq, now);
    holes_extend (h, seq + 1, ARRIVED);
    h->highest = seq;
    h->arrivals++;
  }
  h->last_seq = seq;
  h->last_time = now;
  holes_confirm (h, h->ndupack, h->next);
  return result;
}

void
ra_holes_mark (
    RaHoles *h, guint64 seq, RaCause cause, RaTime now, RaSpan patience)
{
  Slot *slot = slot_at (h, seq);

  if (seq < h->next && h->next - seq <= RING
      && (slot->state == MISSING || slot->state == LOST)) {
    slot->cause = (guint8) cause;
    slot->judged = now;
    slot->patience = patience;
  }
}

/* A clock that went back by more than the patience ends it: it might never
 * come to the end, and nothing behind would count.  So do RA_HOLES_MAX newer
 * numbers, or the ring would run over and the loss never count. */
static gboolean
pop_waits (RaHoles *h, RaTime now)
{
  const Slot *slot = slot_at (h, h->pop);
  RaSpan since = ra_diff (now, slot->judged);

  return since < slot->patience && since > -slot->patience
      && h->next - h->pop <= RA_HOLES_MAX;
}

gboolean
ra_holes_pop_confirmed (RaHoles *h, RaTime now, RaMissing *out)
{
  for (; h->pop < h->confirm; h->pop++) {
    Slot *slot = slot_at (h, h->pop);

    if (slot->state == LOST) {
      if (pop_waits (h, now))
        return FALSE;
      slot->state = REPORTED;
      *out = (RaMissing){ h->pop++, slot->t_loss, (RaCause) slot->cause };
      return TRUE;
    }
  }
  return FALSE;
}

RaTime
ra_holes_next_due (const RaHoles *h)
{
  for (guint64 seq = h->pop; seq < h->confirm; seq++) {
    const Slot *slot = &h->slots[seq & (RING - 1)];

    if (slot->state == LOST)
      return ra_later (slot->judged, slot->patience);
  }
  return RA_TIME_NONE;
}

void
ra_holes_count (RaHoles *h, guint64 seq, RaCause cause)
{
  if (seq < h->next && h->next - seq <= RING)
    slot_at (h, seq)->cause = (guint8) cause;
}

RaCause
ra_holes_cause (const RaHoles *h, guint64 seq)
{
  return seq < h->next && h->next - seq <= RING
      ? (RaCause) h->slots[seq & (RING - 1)].cause
      : RA_CAUSE_NONE;
}

RaTime
ra_holes_newest (const RaHoles *h, guint64 first, guint64 last)
{
  guint64 end = MIN (last + 1, h->next);
  RaTime newest = RA_TIME_NONE;

  for (guint64 seq = MAX (first, h->next - MIN (h->next, RING)); seq < end;
       seq++) {
    const Slot *slot = &h->slots[seq & (RING - 1)];

    if (slot->state == REPORTED && slot->cause == RA_CAUSE_CONGESTION)
      newest
          = newest == RA_TIME_NONE ? slot->t_loss : MAX (newest, slot->t_loss);
  }
  return newest;
}

void
ra_holes_confirm_before (RaHoles *h, guint64 seq)
{
  holes_confirm (h, 0, seq);
  for (guint64 s = h->pop; s < MIN (seq, h->confirm); s++)
    slot_at (h, s)->patience = 0;
}

void
ra_holes_skip (RaHoles *h, guint64 first, guint64 n)
{
  g_return_if_fail (n < G_MAXUINT64 - first);
  if (h->started && first + n > h->next) {
    if (first > h->next)
      holes_open (h, first);
    holes_extend (h, first + n, UNKNOWN);
  }
  holes_confirm (h, h->ndupack, h->next);
}

guint64
ra_holes_highest (const RaHoles *h)
{
  return h->highest;
}
