/* Which packets are missing, when is one lost, and when did it get lost.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "../script.h"

#include <gst/rtpadapt/loss/holes.h>
#include <gst/rtpadapt/util/rng.h>

#include <string.h>

/* A script is words: "12" packet 12 arrives (1 ms after the word before, or
 * "12@50ns": at 50 ns; "12@50nsw9": the verdict about the hole before it waits for 9
 * ns), "e13" the ECN-marked packet 13 confirms what is before it, "s11+3"
 * packets 11 to 13 are skipped, "p@50ns" it is 50 ns, "d" when is the next loss
 * due.  The answer is a word per packet (In order with n_lost, Filled,
 * Recovered, Duplicate), "-11" per popped loss and "d59" or "d-". */
static const struct
{
  guint ndupack;
  const gchar *script, *want, *why;
} rows[] = {
  { 3, "10 11 12 13", "I0 I0 I0 I0", "nothing lost" },
  { 3, "10 12 13", "I0 I1 I0", "two later packets are not enough" },
  { 3, "10 12 13 14", "I0 I1 I0 I0 -11", "NDUPACK later packets" },
  { 3, "10 12 20 21", "I0 I1 I7 I0 -11",
      "arrivals count, not the distance in numbers" },
  { 3, "10 12 20 21 22", "I0 I1 I7 I0 -11 I0 -13 -14 -15 -16 -17 -18 -19",
      "pops in order of sequence" },
  { 3, "10 12 12 12 12", "I0 I1 D D D", "a duplicate is no later packet" },
  { 3, "10 12 13 11 14 15", "I0 I1 I0 F I0 I0", "late in time: no loss" },
  { 3, "10 12 13 14 11 15", "I0 I1 I0 I0 -11 R I0", "late: recovered" },
  { 3, "10 12 13 14 11 11", "I0 I1 I0 I0 -11 R D", "recovered only once" },
  { 3, "10 13 14 12 15", "I0 I2 I0 F -11 I0",
      "late 12 is the third packet after 11" },
  { 3, "10 13 14 11 15", "I0 I2 I0 F I0 -12", "late 11 is no packet after 12" },
  { 3, "10 9 8 12", "I0 F F I1", "from before the first: not seen before" },
  { 3, "10 9 9", "I0 F D", "but once" },
  { 3, "20000 11809 11808", "I0 F D",
      "8191 numbers are newer; 8192 newer ones push it out: too old to tell" },
  { 3, "10 8206 13", "I0 I8195 D", "nor is it 8205, which has its place now" },
  { 1, "10 12 11", "I0 I1 -11 R", "ndupack 1" },
  { 0, "10 12", "I0 I1 -11", "ndupack 0 is 1" },
  { 3, "10 12 e13 13", "I0 I1 -11 I0", "ECN confirms at once" },
  { 3, "10 12 e13 11 14 15 16", "I0 I1 -11 R I1 I0 I0 -13",
      "only what is open" },
  { 3, "10 s11+3 14 15 16 17", "I0 I0 I0 I0 I0", "skipped: no hole" },
  { 3, "10 s11+3 16 17 18", "I0 I2 I0 I0 -14 -15", "counted from after it" },
  { 3, "10 12 s13+9 22 23", "I0 I1 I0 I0 -11", "a skip is no later arrival" },
  { 3, "10 s11+3 s11+5 16", "I0 I0", "skipped twice, overlapping" },
  { 3, "10 s11+3 s11+1 14", "I0 I0", "a skip takes nothing back" },
  { 3, "10 s11+3 12 12 14", "I0 F D I0", "a skipped one comes after all" },
  { 3, "10 12 s13+3 14 15 16", "I0 I1 F F -11 I0",
      "then it is a later arrival" },
  { 3, "10 12 13 s14+8191 8206", "I0 I1 I0 I1",
      "too wide a skip: 11 is forgotten, 8205 is a new hole" },
  { 3, "10 s12+1 13 14 15", "I0 I0 I0 I0 -11",
      "11 is missing in front of a skip" },
  { 3, "s5+5 10 11", "I0 I0", "no skip before the first packet" },
  { 3, "10 12 14 e12 15", "I0 I1 I1 -11 I0", "13 is not before the marked 12" },
  { 1, "10@0ns 12@10nsw90 p@99ns", "I0 I1", "the verdict waits" },
  { 1, "10@0ns 12@10nsw90 p@100ns", "I0 I1 -11", "no longer than it should" },
  { 1, "10@0ns 12@10nsw90 11@99ns p@100ns", "I0 I1 R",
      "it came meanwhile: no loss" },
  { 3, "10@0ns 12@10nsw90 11@99ns p@100ns", "I0 I1 F", "nor was it confirmed" },
  { 3, "10@0ns 12@10nsw90 13@20ns p@100ns", "I0 I1 I0",
      "due, but not confirmed" },
  { 3, "10@0ns 12@10nsw90 13@20ns p@100ns 14@110ns", "I0 I1 I0 I0 -11",
      "now it is" },
  { 1, "10@0ns 12@10nsw90 14@20nsw30 p@99ns", "I0 I1 I1",
      "order: 13 waits for 11" },
  { 1, "10@0ns 12@10nsw90 14@20nsw30 p@100ns", "I0 I1 I1 -11 -13",
      "both at once" },
  { 1, "10@0ns 12@10nsw90 14@20nsw30 11@60ns", "I0 I1 I1 R -13",
      "11 is out of its way" },
  { 1, "10@0ns 12@10nsw90 14@20nsw90 p@100ns", "I0 I1 I1 -11",
      "13 for itself" },
  { 1, "10@0ns 12@100nsw90 p@11ns", "I0 I1", "the clock went back a little" },
  { 1, "10@0ns 12@100nsw90 p@10ns", "I0 I1 -11",
      "and by more than the patience" },
  { 1, "10@0ns 12@10nsw90 s13+4094 p@20ns", "I0 I1",
      "RA_HOLES_MAX numbers from 11 on" },
  { 1, "10@0ns 12@10nsw90 s13+4095 p@20ns", "I0 I1 -11",
      "one more: it does not wait to be pushed out of the ring" },
  { 1, "10@0ns 12@10nsw90 e13", "I0 I1 -11", "ECN does not wait" },
  { 1, "10@0ns 12@10nsw90 14@20nsw90 e12 p@99ns", "I0 I1 I1 -11",
      "what is before it" },
  { 1, "10@0ns 12@10nsw90 15@20nsw90 e12 p@110ns", "I0 I1 I2 -11 -13 -14",
      "the others go on waiting" },
  { 1, "d 10@0ns d 12@10nsw90 d 11@50ns d", "d- I0 d- I1 d100 R d-", "due" },
  { 1, "10@0ns 12@10nsw90 14@20nsw30 d p@100ns d", "I0 I1 I1 d100 -11 -13 d-",
      "the first in order, not the first in time" },
  { 3, "10@0ns 12@10nsw90 d 13@20ns d 14@30ns d", "I0 I1 d- I0 d- I0 d100",
      "only when confirmed" },
};

static void
drain (RaHoles *h, RaTime now, GString *out)
{
  RaMissing m;

  while (ra_holes_pop_confirmed (h, now, &m))
    g_string_append_printf (out, " -%" G_GUINT64_FORMAT, m.seq);
}

static void
append_due (const RaHoles *h, GString *out)
{
  RaTime due = ra_holes_next_due (h);

  if (due == RA_TIME_NONE)
    g_string_append (out, " d-");
  else
    g_string_append_printf (out, " d%" G_GUINT64_FORMAT, due);
}

static void
play_packet (RaHoles *h, guint64 seq, RaTime now, RaSpan patience, GString *out)
{
  guint n_lost;
  RaPush push = ra_holes_push (h, seq, now, &n_lost);

  if (out && push == RA_PUSH_IN_ORDER)
    g_string_append_printf (out, " I%u", n_lost);
  else if (out)
    g_string_append_printf (out, " %c", "IFRD"[push]);
  if (push != RA_PUSH_IN_ORDER)
    g_assert_cmpuint (n_lost, ==, 0);
  for (guint i = MIN (n_lost, RA_HOLES_MAX); i > 0 && patience > 0; i--)
    ra_holes_mark (h, seq - i, RA_CAUSE_CONGESTION, now, patience);
}

/* Plays the words up to the end; pops after each of them if `out`. */
static void
play (RaHoles *h, const gchar *script, GString *out)
{
  RaTime now = 0;

  for (ScriptWord w; script_next (&script, &w);) {
    if (w.at != RA_TIME_NONE)
      now = w.at;
    else if (!w.letter)
      now += RA_MSECOND;
    if (w.letter == 'e')
      ra_holes_confirm_before (h, w.number);
    else if (w.letter == 's')
      ra_holes_skip (h, w.number, script_value (&w, '+', 0));
    else if (w.letter == 'd' && out)
      append_due (h, out);
    else if (w.letter != 'p')
      play_packet (h, w.number, now, (RaSpan) script_value (&w, 'w', 0), out);
    if (out)
      drain (h, now, out);
  }
}

static void
test_row (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (RaHoles) h = ra_holes_new (rows[i].ndupack);
  GString *out = g_string_new (NULL);

  play (h, rows[i].script, out);
  if (!g_str_equal (out->str + 1, rows[i].want))
    g_test_message ("%s: %s", rows[i].script, rows[i].why);
  g_assert_cmpstr (out->str + 1, ==, rows[i].want);
  g_string_free (out, TRUE);
}

/* RFC 5348 5.2: T_before + (T_after - T_before) * Dist (S_loss, S_before)
 * / Dist (S_after, S_before), cut to a whole ns. */
static const struct
{
  const gchar *script;
  guint64 seq;
  RaTime t_loss;
  const gchar *why;
} t_rows[] = {
  { "10@100ns 12@120ns", 11, 110, "100 + 20 * 1/2" },
  { "10@100ns 14@140ns", 11, 110, "100 + 40 * 1/4" },
  { "10@100ns 14@140ns", 13, 130, "100 + 40 * 3/4" },
  { "10@0ns 13@100ns", 11, 33, "100 * 1/3 = 33.3" },
  { "10@0ns 13@100ns", 12, 66, "100 * 2/3 = 66.7" },
  { "10@100ns 12@100ns", 11, 100, "both at once (a batch)" },
  { "10@100ns 12@90ns", 11, 90, "the clock went back: T_after" },
  { "10@100ns 12@90ns 14@110ns", 13, 100,
      "and goes on from there: 90 + 20 * 1/2" },
  { "10@100ns 12@120ns 11@130ns 15@170ns", 13, 150,
      "S_before is the last that arrived, late 11: 130 + 40 * 2/4" },
  { "10@100ns 12@120ns 11@130ns 15@170ns", 14, 160, "130 + 40 * 3/4" },
  { "10@100ns 12@120ns 10@130ns 15@180ns", 13, 140,
      "a duplicate did not arrive: 120 + 60 * 1/3" },
  { "10@100ns s11+3 15@150ns", 14, 140, "over skipped ones: 100 + 50 * 4/5" },
  { "10@100ns s12+3 15@150ns", 11, 110, "and before them: 100 + 50 / 5" },
  { "10@1700000000000000000ns 4010@1700000004000000000ns", 4009,
      G_GUINT64_CONSTANT (1700000003999000000),
      "no ns lost in wall-clock times: 4 s * 3999/4000" },
  { "10@0ns 3010@9000000000000000000ns", 1510,
      G_GUINT64_CONSTANT (4500000000000000000), "no overflow: half of it" },
};

static void
test_t_loss (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (RaHoles) h = ra_holes_new (RA_NDUPACK);
  RaMissing m = { 0 };

  play (h, t_rows[i].script, NULL);
  ra_holes_confirm_before (h, G_MAXUINT64);
  do
    g_assert_true (ra_holes_pop_confirmed (h, G_MAXUINT64, &m));
  while (m.seq < t_rows[i].seq);
  if (m.t_loss != t_rows[i].t_loss)
    g_test_message ("%s: %s", t_rows[i].script, t_rows[i].why);
  g_assert_cmpuint (m.seq, ==, t_rows[i].seq);
  g_assert_cmpuint (m.t_loss, ==, t_rows[i].t_loss);
}

/* `gaps` holes of `gap` packets each, then two packets: what is remembered.
 * The ring holds the last 8192 numbers. */
static const struct
{
  guint64 gap;
  guint gaps;
  guint n_lost;
  guint64 popped, first;
  const gchar *why;
} wide_rows[] = {
  { 4096, 1, 4096, 4096, 11, "RA_HOLES_MAX is remembered whole" },
  { 4097, 1, 4097, 4096, 12, "one more: the oldest is forgotten" },
  { G_GUINT64_CONSTANT (1) << 40, 1, G_MAXUINT, 4096,
      11 + (G_GUINT64_CONSTANT (1) << 40) - 4096, "n_lost saturates" },
  /* 11..4106, 4107, 4108..8203, 8204, then 8205 and 8206; the first gap needs
   * 8205, the second 8206.  With 8205 the ring starts at 14, so 11, 12, 13 are
   * gone; 4096 + 4096 - 3 remain, popped as soon as they are confirmed. */
  { 4096, 2, 4096, 8189, 14, "two in a row push out what is unconfirmed" },
};

static void
test_wide (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data), n_lost = 0;
  g_autoptr (RaHoles) h = ra_holes_new (RA_NDUPACK);
  guint64 seq = 10, popped = 0, first = 0;
  RaMissing m;

  ra_holes_push (h, seq, 0, &n_lost);
  for (guint j = 0; j < wide_rows[i].gaps + 2; j++) {
    seq += j < wide_rows[i].gaps ? wide_rows[i].gap + 1 : 1;
    g_assert_cmpint (ra_holes_push (h, seq, 0, &n_lost), ==, RA_PUSH_IN_ORDER);
    g_assert_cmpuint (
        n_lost, ==, j < wide_rows[i].gaps ? wide_rows[i].n_lost : 0);
    while (ra_holes_pop_confirmed (h, G_MAXUINT64, &m)) {
      if (popped++ == 0)
        first = m.seq;
    }
  }
  g_test_message ("%s", wide_rows[i].why);
  g_assert_cmpuint (popped, ==, wide_rows[i].popped);
  g_assert_cmpuint (first, ==, wide_rows[i].first);
  g_assert_cmpuint (ra_holes_highest (h), ==, seq);
}

/* Verdicts are per packet, and a hole that fills takes its verdict along. */
static void
test_mark (void)
{
  g_autoptr (RaHoles) h = ra_holes_new (RA_NDUPACK);
  RaMissing m;

  play (h, "10 14", NULL);
  ra_holes_mark (h, 11, RA_CAUSE_WIRELESS, 0, 0);
  ra_holes_mark (h, 12, RA_CAUSE_CONGESTION, 0, 0);
  ra_holes_mark (h, 10, RA_CAUSE_WIRELESS, 0, 0); /* arrived */
  ra_holes_mark (h, 99, RA_CAUSE_WIRELESS, 0, 0); /* not sent yet */
  play (h, "15 12 16", NULL);
  g_assert_true (ra_holes_pop_confirmed (h, G_MAXUINT64, &m));
  g_assert_cmpuint (m.seq, ==, 11);
  g_assert_cmpint (m.cause, ==, RA_CAUSE_WIRELESS);
  g_assert_true (ra_holes_pop_confirmed (h, G_MAXUINT64, &m));
  g_assert_cmpuint (m.seq, ==, 13);
  g_assert_cmpint (m.cause, ==, RA_CAUSE_NONE);
  g_assert_false (ra_holes_pop_confirmed (h, G_MAXUINT64, &m));
  play (h, "98 99 100 101", NULL);
  while (ra_holes_pop_confirmed (h, G_MAXUINT64, &m))
    g_assert_cmpint (m.cause, ==, RA_CAUSE_NONE);
}

/* Confirmed, but the history has not heard of it: nothing to take back. */
static void
test_filled_before_pop (void)
{
  g_autoptr (RaHoles) h = ra_holes_new (RA_NDUPACK);
  RaMissing m;
  guint n_lost;

  play (h, "10 12 13 14", NULL);
  g_assert_cmpint (ra_holes_push (h, 11, 5, &n_lost), ==, RA_PUSH_RECOVERED);
  g_assert_false (ra_holes_pop_confirmed (h, G_MAXUINT64, &m));
}

/* A packet of a skipped range may be the highest that arrived. */
static void
test_highest (void)
{
  g_autoptr (RaHoles) h = ra_holes_new (RA_NDUPACK);

  play (h, "10 12 11", NULL);
  g_assert_cmpuint (ra_holes_highest (h), ==, 12);
  play (h, "s13+5", NULL);
  g_assert_cmpuint (ra_holes_highest (h), ==, 12);
  play (h, "15 14", NULL);
  g_assert_cmpuint (ra_holes_highest (h), ==, 15);
}

/* The definition, word by word and as slow as it likes. */
#define MODEL_N 300
typedef struct
{
  enum
  {
    M_UNKNOWN,
    M_ARRIVED,
    M_MISSING,
    M_TOLD
  } state[MODEL_N];
  RaTime t_loss[MODEL_N];
  guint later[MODEL_N];
  guint next, last;
  RaTime last_time;
} Model;

static RaPush
model_push (Model *m, guint seq, RaTime now)
{
  RaPush result = RA_PUSH_IN_ORDER;

  if (seq < m->next)
    result = m->state[seq] == M_ARRIVED ? RA_PUSH_DUPLICATE
        : m->state[seq] == M_TOLD       ? RA_PUSH_RECOVERED
                                        : RA_PUSH_FILLED;
  if (result == RA_PUSH_DUPLICATE)
    return result;
  for (guint s = m->next; s < seq; s++) {
    m->state[s] = M_MISSING;
    m->t_loss[s]
        = m->last_time + (now - m->last_time) * (s - m->last) / (seq - m->last);
  }
  m->state[seq] = M_ARRIVED;
  for (guint s = 0; s < seq; s++)
    m->later[s]++;
  m->next = MAX (m->next, seq + 1);
  m->last = seq;
  m->last_time = now;
  return result;
}

static void
model_check_pops (Model *m, RaHoles *h)
{
  RaMissing out;

  for (guint s = 0; s < m->next; s++) {
    if (m->state[s] == M_MISSING && m->later[s] >= RA_NDUPACK) {
      g_assert_true (ra_holes_pop_confirmed (h, G_MAXUINT64, &out));
      g_assert_cmpuint (out.seq, ==, s);
      g_assert_cmpuint (out.t_loss, ==, m->t_loss[s]);
      m->state[s] = M_TOLD;
    }
  }
  g_assert_false (ra_holes_pop_confirmed (h, G_MAXUINT64, &out));
}

static void
test_model (gconstpointer data)
{
  guint seed = GPOINTER_TO_UINT (data), seq = 20, n_lost;
  g_autoptr (RaHoles) h = ra_holes_new (RA_NDUPACK);
  Model m = { .next = seq };
  RaTime now = 1000;
  RaRng rng;

  ra_rng_init (&rng, seed, 2);
  g_test_message ("seed %u", seed);
  while (m.next < MODEL_N - 20) {
    guint next = m.next;
    RaPush push;

    now += ra_rng_next (&rng) % 1000;
    if (next > 20 && ra_rng_chance (&rng, 0.3)) /* late or duplicate */
      seq = next - ra_rng_next (&rng) % 20;
    else if (next > 20 && ra_rng_chance (&rng, 0.2))
      seq = next + ra_rng_next (&rng) % 8;
    else
      seq = next;
    if (next > 20 && ra_rng_chance (&rng, 0.05)) {
      m.next += ra_rng_next (&rng) % 4;
      ra_holes_skip (h, next, m.next - next);
      model_check_pops (&m, h);
      next = m.next;
    }
    push = ra_holes_push (h, seq, now, &n_lost);
    g_assert_cmpint (push, ==, model_push (&m, seq, now));
    g_assert_cmpuint (n_lost, ==, seq > next ? seq - next : 0);
    model_check_pops (&m, h);
  }
}

/* Any numbers at any times: what is missing is popped in order, once, or
 * forgotten. */
static void
test_noise (gconstpointer data)
{
  guint seed = GPOINTER_TO_UINT (data), n_lost;
  g_autoptr (RaHoles) h = ra_holes_new (RA_NDUPACK);
  guint64 lost = 0, popped = 0, last = 0, seq = 100000;
  RaMissing m;
  RaRng rng;

  ra_rng_init (&rng, seed, 3);
  g_test_message ("seed %u", seed);
  for (guint i = 0; i < 3000; i++) {
    seq += ra_rng_chance (&rng, 0.1) ? ra_rng_next (&rng) % 12000 : 1;
    ra_holes_push (h, seq, ra_rng_next (&rng), &n_lost);
    lost += n_lost;
    while (ra_rng_chance (&rng, 0.999)
        && ra_holes_pop_confirmed (h, G_MAXUINT64, &m)) {
      g_assert_cmpuint (m.seq, >, last);
      last = m.seq;
      popped++;
    }
  }
  ra_holes_confirm_before (h, G_MAXUINT64);
  while (ra_holes_pop_confirmed (h, G_MAXUINT64, &m))
    popped++;
  g_assert_cmpuint (popped, <=, lost);
}

void
tests_add (void)
{
  rows_add ("/holes/row", rows, test_row);
  rows_add ("/holes/t-loss", t_rows, test_t_loss);
  rows_add ("/holes/wide", wide_rows, test_wide);
  g_test_add_func ("/holes/mark", test_mark);
  g_test_add_func ("/holes/highest", test_highest);
  g_test_add_func ("/holes/filled-before-pop", test_filled_before_pop);
  rows_add_n ("/holes/model", 40, test_model);
  rows_add_n ("/holes/noise", 4, test_noise);
}
