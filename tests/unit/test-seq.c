/* Sequence numbers, 16 bit to 64 bit: RFC 3550 A.1.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/loss/seq.h>
#include <gst/rtpadapt/util/rng.h>

/* The first number is taken plus 65536, then counted on by hand. */
typedef struct
{
  guint16 seq;
  RaSeqResult result;
  guint64 out;
} Step;

#define MAX_STEPS 8

static const struct
{
  Step steps[MAX_STEPS]; /* ends at the first 0, 0, 0 */
  const gchar *why;
} rows[] = {
  { { { 65534, RA_SEQ_OK, 131070 }, { 65535, RA_SEQ_OK, 131071 },
        { 0, RA_SEQ_OK, 131072 }, { 1, RA_SEQ_OK, 131073 } },
      "a wrap counts a cycle" },
  { { { 65534, RA_SEQ_OK, 131070 }, { 0, RA_SEQ_OK, 131072 },
        { 65535, RA_SEQ_OK, 131071 }, { 1, RA_SEQ_OK, 131073 } },
      "late across a wrap: its own, lower number" },
  { { { 1, RA_SEQ_OK, 65537 }, { 2, RA_SEQ_OK, 65538 },
        { 65535, RA_SEQ_OK, 65535 }, { 3, RA_SEQ_OK, 65539 } },
      "65535 after 2 is late, not a new cycle; sent before the first" },
  { { { 7, RA_SEQ_OK, 65543 }, { 7, RA_SEQ_OK, 65543 } },
      "a duplicate has the same number" },
  { { { 0, RA_SEQ_OK, 65536 }, { 2999, RA_SEQ_OK, 68535 },
        { 5999, RA_SEQ_BAD, 0 }, { 5998, RA_SEQ_OK, 71534 } },
      "MAX_DROPOUT 3000: 2999 ahead is a gap, 3000 a jump" },
  { { { 1000, RA_SEQ_OK, 66536 }, { 901, RA_SEQ_OK, 66437 },
        { 900, RA_SEQ_BAD, 0 } },
      "MAX_MISORDER 100: 99 behind is late, 100 a jump" },
  { { { 100, RA_SEQ_OK, 65636 }, { 40000, RA_SEQ_BAD, 0 },
        { 40001, RA_SEQ_RESTART, 65637 }, { 40002, RA_SEQ_OK, 65638 },
        { 40005, RA_SEQ_OK, 65641 } },
      "a restart goes on right after the highest" },
  { { { 100, RA_SEQ_OK, 65636 }, { 40000, RA_SEQ_BAD, 0 },
        { 101, RA_SEQ_OK, 65637 }, { 40002, RA_SEQ_BAD, 0 },
        { 102, RA_SEQ_OK, 65638 } },
      "two jumps not in sequence are no restart" },
  { { { 100, RA_SEQ_OK, 65636 }, { 40000, RA_SEQ_BAD, 0 },
        { 101, RA_SEQ_OK, 65637 }, { 40001, RA_SEQ_RESTART, 65638 } },
      "A.1 keeps bad_seq while late packets of the old start come in" },
  { { { 100, RA_SEQ_OK, 65636 }, { 65535, RA_SEQ_BAD, 0 },
        { 0, RA_SEQ_RESTART, 65637 }, { 1, RA_SEQ_OK, 65638 } },
      "the number that a restart brings next wraps too" },
  { { { 100, RA_SEQ_OK, 65636 }, { 65530, RA_SEQ_BAD, 0 },
        { 65531, RA_SEQ_RESTART, 65637 }, { 65535, RA_SEQ_OK, 65641 },
        { 0, RA_SEQ_OK, 65642 }, { 65534, RA_SEQ_OK, 65640 } },
      "wrap and late packet after a restart" },
  { { { 100, RA_SEQ_OK, 65636 }, { 40000, RA_SEQ_BAD, 0 },
        { 40001, RA_SEQ_RESTART, 65637 }, { 40000, RA_SEQ_BAD, 0 },
        { 39990, RA_SEQ_BAD, 0 }, { 40003, RA_SEQ_OK, 65639 },
        { 40002, RA_SEQ_OK, 65638 }, { 40001, RA_SEQ_OK, 65637 } },
      "before a restart's first packet the numbers belong to others" },
  { { { 100, RA_SEQ_OK, 65636 }, { 40000, RA_SEQ_BAD, 0 },
        { 40001, RA_SEQ_RESTART, 65637 }, { 101, RA_SEQ_BAD, 0 },
        { 102, RA_SEQ_RESTART, 65638 } },
      "and back again" },
};

static void
test_row (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaSeq s;

  ra_seq_init (&s);
  for (const Step *step = rows[i].steps; step < rows[i].steps + MAX_STEPS
       && (step == rows[i].steps || step->seq || step->out);
       step++) {
    guint64 out = 0; /* untouched by RA_SEQ_BAD */
    RaSeqResult result = ra_seq_unwrap (&s, step->seq, &out);

    if (result != step->result || out != step->out)
      g_test_message (
          "packet %u: %s", (guint) (step - rows[i].steps), rows[i].why);
    g_assert_cmpint (result, ==, step->result);
    g_assert_cmpuint (out, ==, step->out);
  }
}

/* Any number of wraps, gaps below MAX_DROPOUT, late packets less than
 * MAX_MISORDER behind: the number is the sender's own. */
static void
test_law (gconstpointer data)
{
  guint seed = GPOINTER_TO_UINT (data);
  guint64 highest, out;
  RaRng rng;
  RaSeq s;

  ra_rng_init (&rng, seed, 0);
  highest = 65536 + ra_rng_next (&rng) % 65536;
  ra_seq_init (&s);
  for (guint i = 0; i < 20000; i++) {
    guint64 sent = highest;

    if (i > 0 && ra_rng_chance (&rng, 0.2))
      sent -= ra_rng_next (&rng) % RA_MAX_MISORDER;
    else if (i > 0)
      sent += ra_rng_next (&rng) % (i % 2 ? 3 : RA_MAX_DROPOUT);
    highest = MAX (highest, sent);
    if (ra_seq_unwrap (&s, (guint16) sent, &out) != RA_SEQ_OK || out != sent)
      g_test_message ("seed %u, packet %u", seed, i);
    g_assert_cmpuint (out, ==, sent);
  }
  g_assert_cmpuint (highest, >, 100 * 65536);
}

/* Any 16-bit noise: no number is more than MAX_DROPOUT above or MAX_MISORDER
 * below the highest before it. */
static void
test_noise (void)
{
  guint64 highest = 0, out;
  RaRng rng;
  RaSeq s;

  ra_rng_init (&rng, 1, 1);
  ra_seq_init (&s);
  for (guint i = 0; i < 200000; i++) {
    guint16 seq = (guint16) ra_rng_next (&rng);
    RaSeqResult result = ra_seq_unwrap (&s, seq, &out);

    if (result == RA_SEQ_RESTART)
      g_assert_cmpuint (out, ==, highest + 1);
    if (result == RA_SEQ_BAD)
      continue;
    g_assert_cmpuint (out + RA_MAX_MISORDER, >, highest);
    if (highest > 0)
      g_assert_cmpuint (out, <, highest + RA_MAX_DROPOUT);
    highest = MAX (highest, out);
  }
}

void
tests_add (void)
{
  rows_add ("/seq/row", rows, test_row);
  rows_add_n ("/seq/law", 4, test_law);
  g_test_add_func ("/seq/noise", test_noise);
}
