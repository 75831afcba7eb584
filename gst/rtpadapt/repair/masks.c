/* Which media packets of a block each XOR packet repairs.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Our own; no paper.  A decoder of RFC 5109, as GStreamer's rtpulpfecdec, takes a
 * repair packet that misses exactly one media packet, adds what it gives, and goes
 * on until none is left ("peeling").  So:
 *
 * - No two media packets are in the same set of rows, as long as there are sets:
 *   of two lost ones, some row then has only one.
 * - The sets have 2 or 3 rows, few have one.  A packet in a single row is lost
 *   with that row; one in many rows keeps many of them waiting.
 * - A set is a pattern turned by one row per packet: {0, 2} makes {0, 2}, {1, 3},
 *   {2, 4}.  Packets of a burst then make a path through the rows, which has an end
 *   to begin at.
 *
 * Each pattern serves f packets.  Patterns are taken by their number of rows, 2 2 3 1
 * 3 and then 3 2 3 2, and all of them again when they have run out.
 */
#include <gst/rtpadapt/repair/masks.h>

/* Rows that follow row 0; 0: no more. */
typedef struct
{
  guint a, b;
} Pattern;

typedef struct
{
  guint f, lap;
  guint pair;      /* the next distance; 0: they have run out */
  gboolean shared; /* it has a common divisor with f */
  Pattern triple;  /* the next; a = 0: they have run out */
} Patterns;

static guint
divisor (guint a, guint b)
{
  return b ? divisor (b, a % b) : a;
}

/* A turn by f / 2 would meet itself half way; 2 rows have only that one. */
static guint
pair_first (guint f)
{
  return f == 2 ? 1 : (f - 1) / 2;
}

/* Long distances first, of these the ones with no common divisor: the rows of a
 * whole turn are then one circle, which f - 1 packets do not close. */
static void
pair_step (Patterns *p)
{
  while (p->pair > 0) {
    p->pair--;
    if (p->pair == 0 && !p->shared) {
      p->shared = TRUE;
      p->pair = pair_first (p->f);
    }
    if ((divisor (p->f, p->pair) > 1) == p->shared)
      return;
  }
}

/* Of the three gaps between the rows the first is the least, so that no triple is
 * another one that was turned; three equal gaps would meet themselves. */
static gboolean
triple_is_own (guint f, Pattern p)
{
  return p.a <= p.b - p.a && p.a < f - p.b;
}

static Pattern
triple_next (guint f, Pattern p)
{
  do {
    if (p.b > p.a + 1)
      p.b--;
    else
      p = (Pattern){ p.a + 1, f - 1 };
    if (p.a + 1 >= f)
      return (Pattern){ 0, 0 };
  } while (!triple_is_own (f, p));
  return p;
}

static void
patterns_start (Patterns *p, guint f)
{
  *p = (Patterns){ .f = f, .pair = pair_first (f) + 1 };
  pair_step (p);
  if (f > 3)
    p->triple = triple_next (f, (Pattern){ 1, f });
  else if (f == 3)
    p->triple = (Pattern){ 1, 2 };
}

static Pattern
take_pair (Patterns *p)
{
  guint distance = p->pair;

  pair_step (p);
  return (Pattern){ distance, 0 };
}

static Pattern
take_triple (Patterns *p)
{
  Pattern taken = p->triple;

  p->triple = triple_next (p->f, taken);
  return taken;
}

static Pattern
patterns_take (Patterns *p)
{
  static const guint sizes[] = { 2, 2, 3, 1, 3 };
  guint lap = p->lap++;
  guint size = lap < G_N_ELEMENTS (sizes) ? sizes[lap] : 2 + lap % 2;

  if (size == 1 || (!p->pair && !p->triple.a)) {
    if (size != 1)
      patterns_start (p, p->f);
    return (Pattern){ 0, 0 };
  }
  return p->pair && (size == 2 || !p->triple.a) ? take_pair (p)
                                                : take_triple (p);
}

void
ra_masks_make (guint n, guint f, guint64 *rows)
{
  Patterns patterns;
  Pattern p = { 0, 0 };

  for (guint r = 0; r < f; r++)
    rows[r] = 0;
  patterns_start (&patterns, f);
  for (guint i = 0; i < n; i++) {
    guint64 bit = G_GUINT64_CONSTANT (1) << i;
    guint turn = i % f;

    if (turn == 0)
      p = patterns_take (&patterns);
    rows[turn] |= bit;
    if (p.a)
      rows[(turn + p.a) % f] |= bit;
    if (p.b)
      rows[(turn + p.b) % f] |= bit;
  }
}

guint64
ra_masks_missing (const guint64 *rows, guint f, guint64 came, guint64 missing)
{
  gboolean again = TRUE;

  while (again && missing) {
    again = FALSE;
    for (guint r = 0; r < f; r++) {
      guint64 row = rows[r] & missing;

      if (came >> r & 1 && row && !(row & (row - 1))) {
        missing &= ~row;
        again = TRUE;
      }
    }
  }
  return missing;
}
