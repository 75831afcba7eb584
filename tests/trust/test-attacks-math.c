/* Numbers at their ends: row 17 of the threat table.  Whatever the wire can say,
 * nothing is divided by zero, nothing becomes NaN, no number is cast to an
 * integer that cannot hold it, and no rate leaves its limits.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The processor's own flags tell (FE_INVALID is raised by 0 / 0, by infinity
 * less infinity and by such a cast), in any build.
 */
#include "../heldrows.h"
#include "../rows.h"
#include "trust.h"

#include <gst/rtpadapt/feedback/tfrcear.h>
#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/receiver.h>
#include <gst/rtpadapt/sender.h>

#include <fenv.h>
#include <math.h>
#include <string.h>

#define STEPS 10000
#define BAD (FE_INVALID | FE_DIVBYZERO)

typedef struct
{
  RaSender *s;
  RaTfrcEar *ear;
  RaTime now;
  GRand *dice;
  guint64 seq, max;
  guint heard, bad_flags, not_finite, out_of_limits;
  const gchar *step; /* what was done last */
  gchar *first;      /* what went wrong first, NULL: nothing */
} Ends;

#define PICK(dice, array) \
  array[g_rand_int_range (dice, 0, G_N_ELEMENTS (array))]

static void
went_wrong (Ends *e, const gchar *what)
{
  if (!e->first)
    e->first = g_strdup_printf ("%s after %s", what, e->step);
}

/* What may be endless: test-rate.c says why. */
static void
value_check (const gchar *name, gdouble value, gpointer data)
{
  Ends *e = data;

  if (isfinite (value) || g_str_has_suffix (name, ".x_bps")
      || g_str_has_suffix (name, ".recv_limit"))
    return;
  e->not_finite++;
  went_wrong (e, name);
}

static void
ends_check (Ends *e)
{
  gboolean bad = fetestexcept (BAD) != 0;
  RaSenderStats stats;
  RaSplit split;

  e->bad_flags += bad;
  if (bad)
    went_wrong (e, fetestexcept (FE_INVALID) ? "FE_INVALID" : "FE_DIVBYZERO");
  feclearexcept (BAD);
  ra_sender_get_stats (e->s, &stats);
  ra_sender_split (e->s, 0, &split);
  ra_sender_next_send (e->s, e->now);
  if (ra_sender_rate (e->s) > e->max || !(stats.p >= 0 && stats.p <= 1)
      || stats.rtt < 0 || split.media > ra_sender_rate (e->s)) {
    e->out_of_limits++;
    went_wrong (e, "limits");
  }
  ra_sender_observe (e->s, value_check, e);
  bad = fetestexcept (BAD) != 0;
  e->bad_flags += bad;
  if (bad)
    went_wrong (e, "flags of what only looks,");
  feclearexcept (BAD);
}

/* --- what the wire can say ---------------------------------------------------- */

static const guint32 words[]
    = { 0, 1, 2, 1000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff };

static void
put_word (guint8 *at, guint32 value)
{
  value = GUINT32_TO_BE (value);
  memcpy (at, &value, 4);
}

/* TFRC-FB about a packet that was sent, and RADP, of numbers at their ends. */
static void
step_tfrc (Ends *e)
{
  guint8 radp[56] = { 1, 4 }, fci[RA_TFRC_FB_SIZE];
  guint32 t_i = ra_stamp_us (e->now);
  RaReport report;
  RaSpan t_delay;

  e->now = ra_later (e->now, g_rand_int_range (e->dice, 1, 100) * 1000000);
  for (guint at = 4; at < sizeof radp; at += 4)
    put_word (radp + at, PICK (e->dice, words));
  memcpy (radp + 52, "test", 4);
  for (guint at = 0; at < sizeof fci; at += 4)
    put_word (fci + at, PICK (e->dice, words));
  put_word (radp + 4, t_i);
  put_word (fci, t_i);
  if (g_rand_boolean (e->dice))
    put_word (fci + 4, 0); /* or it waited too long, mostly */
  if (g_rand_boolean (e->dice))
    put_word (fci + 8, PICK (e->dice, words) % 2000);
  if (g_rand_boolean (e->dice))
    ra_tfrc_ear_on_radp (e->ear, radp, sizeof radp, e->now);
  if (ra_tfrc_ear_on_tfrc (e->ear, fci, sizeof fci, e->now, &report, &t_delay)
      == RA_HEARD_OK) {
    e->heard++;
    ra_sender_on_report (e->s, &report, t_delay, e->now);
  }
}

/* --- what a controller may be told ---------------------------------------------- */

/* By an ear that believes all: R of 1 ns to 10 s (RTT_MAX), X_recv of any
 * kind, p of 32 bits, counts as many as a report can have. */
static void
step_report (Ends *e)
{
  static const RaSpan rtts[] = { 1, 1000, RA_MSECOND, 10 * RA_SECOND };
  static const guint64 rates[]
      = { 0, 1, 8, 1000000, G_GUINT64_CONSTANT (34359738360) };
  static const gdouble ps[] = { 0, 1 / 4294967296., .01, 1 };
  static const guint counts[] = { 0, 1, 100, G_MAXINT32 };
  RaSpan rtt = PICK (e->dice, rtts);
  RaReport report = { .t_recvdata = e->now,
    .recv_rate = PICK (e->dice, rates),
    .p = PICK (e->dice, ps),
    .n_events = PICK (e->dice, counts),
    .expected = PICK (e->dice, counts),
    .arrived = PICK (e->dice, counts),
    .lost_congestion = PICK (e->dice, counts),
    .lost_wireless = PICK (e->dice, counts),
    .wireless_runs = PICK (e->dice, counts),
    .ce = PICK (e->dice, counts),
    .loss_age = PICK (e->dice, rtts),
    .queue = g_rand_boolean (e->dice) ? RA_SPAN_NONE : PICK (e->dice, rtts) };

  e->now = ra_later (e->now, rtt);
  e->heard += ra_sender_on_report (e->s, &report, 0, e->now);
}

static void
step_rows (Ends *e)
{
  static const RaSpan spans[] = { 0, 1, RA_MSECOND, 8 * RA_SECOND };
  RaFeedbackPacket rows[8];
  guint n = (guint) g_rand_int_range (e->dice, 0, 9);

  for (guint i = 0; i < n; i++)
    rows[i] = (RaFeedbackPacket){ e->seq - MIN (e->seq, n - i),
      g_rand_boolean (e->dice) ? RA_TIME_NONE : PICK (e->dice, words),
      g_rand_boolean (e->dice) };
  e->heard += held_rows_hear (
      e->s, rows, n, PICK (e->dice, spans), PICK (e->dice, spans), e->now);
}

static void
step_receiver_report (Ends *e)
{
  static const RaSpan rtts[] = { RA_SPAN_NONE, -1, 0, 1, G_MAXINT64 / 4 };

  RaBlock block = { .ssrc = 7,
    .ext_highest_seq = PICK (e->dice, words),
    .fraction_lost = g_rand_int_range (e->dice, 0, 256) / 256.,
    .lsr = (RaLsr) g_rand_int_range (e->dice, 0, 3),
    .rtt = PICK (e->dice, rtts) };

  ra_sender_on_receiver_report (e->s, &block, 1, e->now);
}

/* s = 0 included. */
static void
step_send (Ends *e)
{
  static const guint sizes[] = { 0, 1, 1200, 65535 };
  guint size = PICK (e->dice, sizes);

  ra_sender_on_sent (e->s,
      &(RaOutgoing){ .seq = e->seq++,
          .size = size,
          .media = size,
          .flags = (RaSentFlags) g_rand_int_range (e->dice, 0, 64) },
      e->now);
}

static void
step_time (Ends *e)
{
  static const RaSpan spans[]
      = { 0, 1, RA_MSECOND, RA_SECOND, 100 * RA_SECOND };

  e->now = ra_later (e->now, PICK (e->dice, spans));
  if (ra_sender_next_timeout (e->s) <= e->now)
    ra_sender_on_timeout (e->s, e->now);
}

static const struct
{
  const gchar *name;
  void (*step) (Ends *e);
} steps[] = {
  { "TFRC-FB", step_tfrc },
  { "a report", step_report },
  { "rows", step_rows },
  { "a receiver report", step_receiver_report },
  { "a packet", step_send },
  { "another packet", step_send },
  { "time", step_time },
};

/* The limits: as usual; none; a single one. */
static const struct
{
  guint64 min, start, max;
  guint mss;
} limits[] = {
  { 50000, 500000, 8000000, 1200 },
  { 1, 0, G_MAXUINT64, 65535 },
  { 1, 1, 1, 1 },
};

static void
ends_run (Ends *e, const RaRateOps *ops, const RaLdaOps *lda, guint limit)
{
  RaSenderConfig cfg = { .controller = ops,
    .lda = lda,
    .fec = ra_fec_find ("ulp"),
    .rate = { limits[limit].min, limits[limit].start, limits[limit].max,
        limits[limit].mss },
    .friendliness_cap = 9,
    .breakers = limit == 0 };

  e->now = RA_SECOND;
  e->seq = 0;
  e->max = limits[limit].max;
  e->s = ra_sender_new (&cfg, e->now, NULL);
  e->ear = ra_tfrc_ear_new (ra_sender_ledger (e->s));
  feclearexcept (BAD);
  for (guint i = 0; i < STEPS; i++) {
    guint k = (guint) g_rand_int_range (e->dice, 0, G_N_ELEMENTS (steps));

    e->step = steps[k].name;
    if (ra_sender_rate (e->s) == 0) /* a breaker is open */
      ra_sender_restart (e->s);
    steps[k].step (e);
    ends_check (e);
  }
  ra_sender_free (e->s);
  ra_tfrc_ear_free (e->ear);
}

static void
test_sender (gconstpointer data)
{
  const RaRateOps *ops = data;
  Ends e = { .dice = g_rand_new_with_seed (17) };
  g_autofree gchar *name
      = g_strdup_printf ("17 numbers at their ends, %s", ops->name);

  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    ends_run (&e, ops, ra_lda_find ("zbs"), i);
  trust_row ("attack", name,
      "no NaN, no division by zero, no cast out of range, within the limits",
      !e.first && e.heard > STEPS / 20,
      "%u steps, %u believed: %u flags, %u values, %u limits; %s",
      (guint) (STEPS * G_N_ELEMENTS (limits)), e.heard, e.bad_flags,
      e.not_finite, e.out_of_limits, e.first ? e.first : "nothing");
  g_free (e.first);
  g_rand_free (e.dice);
}

/* --- every loss is called radio ----------------------------------------------- */

/* A tenth of all packets is lost for a minute, R is 50 ms without a queue, and all
 * losses are called wireless, which no controller answers.  RFC 8083 4.3: TCP gets
 * s / (R sqrt (2 p / 3)) = 1200 / (.05 sqrt (2 .1 / 3)) = 92,952 B/s = 743,613
 * bit/s; a friendliness-cap of 3 allows 2,230,839. */
#define RADIO_R (50 * RA_MSECOND)
#define RADIO_CAP 3
#define RADIO_RATE 2230839
#define RADIO_WANTED 6000000

static guint64
radio_rate (const RaRateOps *ops, gdouble cap)
{
  RaSenderConfig cfg = { .controller = ops,
    .lda = ra_lda_find ("none"),
    .fec = ra_fec_find ("none"),
    .rate = { 50000, RADIO_WANTED, RADIO_WANTED, 1200 },
    .friendliness_cap = cap };
  RaTime now = RA_SECOND;
  g_autoptr (RaSender) s = ra_sender_new (&cfg, now, NULL);
  guint64 rate, seq = 0;

  for (guint i = 0; i < 1200; i++) {
    RaReport report = { .t_recvdata = now,
      .recv_rate = RADIO_WANTED,
      .expected = 30,
      .arrived = 27,
      .lost_wireless = 3,
      .wireless_runs = 3,
      .interval = RADIO_R,
      .queue = 0 };

    for (guint k = 0; k < 30; k++)
      ra_sender_on_sent (
          s, &(RaOutgoing){ .seq = seq++, .size = 1200, .media = 1200 }, now);
    now = ra_later (now, RADIO_R);
    g_assert_true (ra_sender_on_report (s, &report, 0, now));
  }
  rate = ra_sender_rate (s);
  return rate;
}

static void
test_radio (gconstpointer data)
{
  const RaRateOps *ops = data;
  guint64 rate = radio_rate (ops, RADIO_CAP), free_rate = radio_rate (ops, 0);
  g_autofree gchar *name
      = g_strdup_printf ("7 every loss is called radio, %s", ops->name);

  trust_row ("attack", name, "no more than friendliness-cap times a TCP's rate",
      (gdouble) rate <= RADIO_RATE * 1.01,
      "%.2f Mb/s of %.2f; without a cap %.2f", (gdouble) rate * 1e-6,
      RADIO_RATE * 1e-6, (gdouble) free_rate * 1e-6);
}

/* --- the receiver --------------------------------------------------------------- */

/* Arrivals of any time, size and number, as RTP and its extensions can make
 * them, through each LDA. */
static void
test_receiver (gconstpointer data)
{
  static const RaSpan spans[] = { 0, 1, RA_USECOND, RA_MSECOND, RA_SECOND,
    16777215 * RA_USECOND, 4294967295 * RA_USECOND };
  static const guint sizes[] = { 0, 12, 1200, 65535 };
  static const guint64 rates[] = { 0, 1, 1000000, G_MAXUINT64 };
  static const guint counts[] = { 0, 1, 100, G_MAXUINT };
  const RaLdaOps *ops = data;
  g_autofree gchar *name
      = g_strdup_printf ("17 arrivals at their ends, lda=%s", ops->name);
  Ends e = { .dice = g_rand_new_with_seed (17) };
  g_autoptr (RaReceiver) r
      = ra_receiver_new (ra_lda_new (ops, NULL, NULL), 1200);
  RaPacket p = { .seq = 65536, .arrival = RA_SECOND, .sent = RA_SECOND };
  RaReport report = { 0 };
  RaSpan t_delay;

  feclearexcept (BAD);
  for (guint i = 0; i < STEPS; i++) {
    p.seq += (guint64) g_rand_int_range (e.dice, -1, 4);
    if (g_rand_int_range (e.dice, 0, 100) == 0)
      p.seq += 2999;
    p.arrival = ra_later (p.arrival, PICK (e.dice, spans));
    p.sent = g_rand_boolean (e.dice)
        ? ra_later (p.arrival, -PICK (e.dice, spans))
        : ra_later (p.arrival, PICK (e.dice, spans));
    p.size = PICK (e.dice, sizes);
    p.rtt = PICK (e.dice, spans);
    p.rtt_sample = PICK (e.dice, spans);
    p.rate = PICK (e.dice, rates);
    p.grain = PICK (e.dice, spans);
    p.bytes_lost = PICK (e.dice, counts);
    p.ce = g_rand_int_range (e.dice, 0, 10) == 0;
    p.mark = (RaMark) g_rand_int_range (e.dice, 0, RA_N_MARKS);
    p.lost_by_mark[p.mark] = PICK (e.dice, counts);
    e.step = "a packet";
    ra_receiver_on_packet (r, &p);
    if (ra_receiver_next_timeout (r) <= p.arrival || g_rand_boolean (e.dice)) {
      e.step = "a report";
      ra_receiver_report (r, p.arrival, &report, &t_delay);
    }
    if (fetestexcept (BAD)) {
      e.bad_flags++;
      went_wrong (&e, "flags");
    }
    feclearexcept (BAD);
    if (!(report.p >= 0 && report.p <= 1)) {
      e.out_of_limits++;
      went_wrong (&e, "p");
    }
    ra_receiver_observe (r, value_check, &e);
    feclearexcept (BAD);
  }
  trust_row ("attack", name,
      "no NaN, no division by zero, no cast out of range, p from 0 to 1",
      !e.first, "%u packets: %u flags, %u values, %u limits; %s", STEPS,
      e.bad_flags, e.not_finite, e.out_of_limits,
      e.first ? e.first : "nothing");
  g_free (e.first);
  g_rand_free (e.dice);
}

void
tests_add (void)
{
  rows_add_all ("/attacks-math/sender", ra_rates, test_sender);
  rows_add_all ("/attacks-math/radio", ra_rates, test_radio);
  rows_add_all ("/attacks-math/receiver", ra_ldas, test_receiver);
}
