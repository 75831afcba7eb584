/* Feedback that is forged, repeated or garbled: rows 2, 6, 9, 11 and 18 of the
 * threat table, at the sender, in virtual time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "attack-fixture.h"
#include "reporter-fixture.h"
#include "../rows.h"

/* R = 50 ms; losses now and then, so that p and the LDA have work. */
#define PATH \
  "bottleneck rate=4M queue=200ms ! each bernoulli p=.01 ! delay 25ms"
#define BACK "delay 25ms"

static const WorldConfig path
    = { "tfrc", PATH, BACK, .lda = "zbs", .reporter = TRUE, .max = 3000000 };

/* --- what must leave no trace -------------------------------------------- */

static guint32
random_u32 (Run *r)
{
  return g_rand_int (r->dice);
}

/* 2,000 in a second, all of it at random. */
static void
guess_time (Run *r, guint ms)
{
  for (guint i = 0; i < 10; i++) {
    RaTfrcFb fb = { random_u32 (r), 0, (guint64) random_u32 (r) * 8,
      i % 2 ? 0 : g_rand_double (r->dice) };
    RaRadp radp = { .t_i = fb.t_i,
      .expected = random_u32 (r),
      .arrived = random_u32 (r),
      .lost_congestion = random_u32 (r) };

    run_forge (r, &fb, i % 3 ? &radp : NULL);
  }
}

/* The time is right, the report beside it is missing. */
static void
radp_alone (Run *r, guint ms)
{
  guint8 data[RA_RADP_SIZE_MAX];
  RaRadp radp = { .expected = random_u32 (r), .arrived = random_u32 (r) };
  guint64 seq;

  if (!run_sent (r, 30 * RA_MSECOND, &seq))
    return;
  radp.t_i = ra_stamp_us (run_sent_time (r, seq));
  ra_tfrc_ear_on_radp (
      r->w.tfrc_ear, data, ra_radp_write (&radp, data, sizeof data), r->w.now);
  r->n_forged++;
}

/* The attacker hears all, and says each again 1 s later, three times, the latest
 * first. */
static void
note_report (World *w, RaTfrcFb *fb, RaRadp *radp)
{
  Run *r = (Run *) w; /* its first member */
  WorldFeedback x = { .id = (guint) (w->now / RA_MSECOND) };

  ra_tfrc_fb_write (fb, x.fci, sizeof x.fci);
  x.radp_size = ra_radp_write (radp, x.radp, sizeof x.radp);
  g_array_append_val (r->heard, x);
}

static void
replay (Run *r, guint ms)
{
  guint now = (guint) (r->w.now / RA_MSECOND);

  for (guint i = r->heard->len; i-- > 0;) {
    WorldFeedback *x = &g_array_index (r->heard, WorldFeedback, i);

    if (now - x->id < 1000)
      continue;
    if (now - x->id > 1010)
      break;
    for (guint k = 0; k < 3; k++)
      run_forge_bytes (r, x);
  }
}

/* All that was heard in a minute, at once, each second. */
static void
replay_all (Run *r, guint ms)
{
  for (guint i = 0; ms % 1000 == 995 && i + 10 < r->heard->len; i++)
    run_forge_bytes (r, &g_array_index (r->heard, WorldFeedback, i));
}

/* Any bytes, and sizes that are none of a TFRC-FB's. */
static void
garble (Run *r, guint ms)
{
  guint8 data[256];
  RaReport report;
  RaSpan t_delay;
  gsize size;

  for (guint i = 0; i < sizeof data; i++)
    data[i] = (guint8) random_u32 (r);
  do
    size = random_u32 (r) % sizeof data;
  while (size == RA_TFRC_FB_SIZE);
  ra_tfrc_ear_on_radp (r->w.tfrc_ear, data, size, r->w.now);
  r->forged[ra_tfrc_ear_on_tfrc (
      r->w.tfrc_ear, data, size, r->w.now, &report, &t_delay)]++;
  r->n_forged++;
}

/* About packets that leave later, up to half a wrap of t_i. */
static void
from_the_future (Run *r, guint ms)
{
  for (guint bit = 0; bit < 32; bit++) {
    RaTfrcFb fb = { ra_stamp_us (r->w.now) + (1u << bit), 0, 1000000, 0 };

    run_forge (r, &fb, NULL);
  }
}

/* The answer came before the question could. */
static void
before_the_question (Run *r, guint ms)
{
  guint64 seq;
  RaTfrcFb fb = { .p = .5 };

  if (!run_sent (r, 30 * RA_MSECOND, &seq))
    return;
  fb.t_i = ra_stamp_us (run_sent_time (r, seq));
  fb.t_delay = ra_diff (r->w.now, run_sent_time (r, seq)) + RA_USECOND;
  run_forge (r, &fb, NULL);
}

static const struct
{
  const gchar *name, *row;
  Attack attack;
  WorldLie ear;
  guint heard; /* bits of RaHeard that they may be found to be */
} silent_rows[] = {
  { "guess", "2 forged reports, t_i guessed", guess_time, NULL,
      1 << RA_HEARD_UNSENT | 1 << RA_HEARD_OLD },
  { "radp-alone", "2 forged RADP beside no report", radp_alone, NULL, 0 },
  { "replay", "6 each report again, 1 s later", replay, note_report,
      1 << RA_HEARD_OLD },
  { "replay-all", "6 all reports again each second", replay_all, note_report,
      1 << RA_HEARD_OLD },
  { "garble", "9 malformed reports", garble, NULL, 1 << RA_HEARD_MALFORMED },
  { "future", "11 reports from the future", from_the_future, NULL,
      1 << RA_HEARD_UNSENT | 1 << RA_HEARD_OLD },
  { "before", "11 a report that waited longer than it took",
      before_the_question, NULL, 1 << RA_HEARD_CONTRARY | 1 << RA_HEARD_OLD },
};

/* What is older than 16,384 packets is not known any more: RA_HEARD_UNSENT. */
static void
test_silent (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data), others = 0;
  guint heard = silent_rows[row].heard | 1 << RA_HEARD_UNSENT;
  g_autoptr (Run) honest = run_new (&path, NULL, silent_rows[row].ear);
  g_autoptr (Run) attacked
      = run_new (&path, silent_rows[row].attack, silent_rows[row].ear);
  gboolean same = runs_same (honest, attacked);

  for (guint k = 0; k < RA_N_HEARD; k++)
    others += heard >> k & 1 ? 0 : attacked->forged[k];
  g_assert_cmpuint (attacked->n_forged, >=, RUN_STEPS / 2);
  trust_row ("attack", silent_rows[row].row,
      "all refused; the sender's trace is the one without, byte by byte",
      same && others == 0,
      "%u forged: %u unsent, %u old, %u malformed, %u contrary; trace %s",
      attacked->n_forged, attacked->forged[RA_HEARD_UNSENT],
      attacked->forged[RA_HEARD_OLD], attacked->forged[RA_HEARD_MALFORMED],
      attacked->forged[RA_HEARD_CONTRARY], same ? "the same" : "another");
}

/* --- wraps ---------------------------------------------------------------- */

/* In 60 s from 5 s before it: t_i is 32 bits of microseconds (71.6 min), RTP
 * numbers are 16 bits.  All else is the same as a minute earlier. */
static const struct
{
  const gchar *name, *row;
  RaTime start;
  guint64 first;
} wrap_rows[] = {
  { "t-i", "11 t_i wraps", (RaTime) 4290 * RA_SECOND, 0 },
  { "t-i-20", "11 t_i wraps for the 20th time",
      (RaTime) 20 * RA_STAMP_US_WRAP - 5 * RA_SECOND
          - (RaTime) 20 * RA_STAMP_US_WRAP % RA_SECOND,
      0 },
  { "seq", "10 RTP numbers wrap", 0, 65000 },
};

static void
test_wrap (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data), differ = 0, refused = 0;
  WorldConfig wraps = path;
  g_autoptr (Run) before = NULL, across = NULL;

  wraps.start = wrap_rows[row].start;
  wraps.first = wrap_rows[row].first;
  before = run_new (&path, NULL, NULL);
  across = run_new (&wraps, NULL, NULL);
  for (guint step = 0; step < RUN_STEPS; step++)
    differ += before->rate[step] != across->rate[step];
  for (guint k = RA_HEARD_OK + 1; k < RA_N_HEARD; k++)
    refused += across->w.heard_tfrc[k];
  trust_row ("attack", wrap_rows[row].row,
      "no report is refused; the rate is always that of a run without a wrap",
      differ == 0 && refused == 0,
      "%u reports, %u refused; %u of %u rates differ",
      across->w.heard_tfrc[RA_HEARD_OK], refused, differ, RUN_STEPS);
}

/* --- the peer has left ----------------------------------------------------- */

#define LEFT 30000 /* ms */

static WorldConfig leaves;
static guint32 leave_step; /* of a row */
static gboolean leave_any;

static void
leave (Run *r, guint ms)
{
  if (ms == LEFT) {
    leaves.gap = G_MAXINT64 / 4; /* its next report */
    r->w.last_report = r->w.now;
  }
}

/* Somebody wants it to go on. */
static void
leave_and_forge (Run *r, guint ms)
{
  leave (r, ms);
  guess_time (r, ms);
  replay (r, ms);
}

/* Each second a report block comes that anybody can make up.  Its highest number
 * stays, is 100 or 1 above the last one of the receiver, or is random. */
static void
forge_block (Run *r, guint ms)
{
  static guint32 highest;

  leave (r, ms);
  if (ms <= LEFT)
    highest = (guint32) r->w.seq - 1;
  if (ms <= LEFT || ms % 1000 != 0)
    return;
  highest += leave_step;
  ra_sender_on_receiver_report (r->w.sender,
      &(RaBlock){
          .ssrc = 1, .ext_highest_seq = leave_any ? random_u32 (r) : highest },
      1, r->w.now);
  ra_sender_on_rtcp (r->w.sender, r->w.now);
  r->n_forged++;
}

static const struct
{
  const gchar *name, *row;
  Attack attack;
  guint32 step;
  gboolean any;
} leave_rows[] = {
  { "silent", "18 the peer leaves", leave },
  { "forged", "18 the peer leaves, forged and old reports go on",
      leave_and_forge },
  { "stay", "18 the peer leaves, report blocks without progress go on",
      forge_block },
  { "run", "18 the peer leaves, report blocks go on by 100/s", forge_block,
      100 },
  { "creep", "18 the peer leaves, report blocks go on by 1/s", forge_block, 1 },
  { "guess", "18 the peer leaves, report blocks at random go on", forge_block,
      0, TRUE },
};

/* RFC 8083 4.1: three reporting intervals of at least 5 s without a report, and
 * transmission ceases; the last was in flight for 25 ms.  Blocks without progress
 * may end it after five of them (4.2).  What is due after that, as the forger
 * speaks RTCP, are probes, two packets in a second. */
static void
test_leave (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data), stopped = 0;
  gboolean blocks = row >= 2;
  g_autoptr (Run) r = NULL;

  leaves = path;
  leaves.breakers = TRUE;
  leave_step = leave_rows[row].step;
  leave_any = leave_rows[row].any;
  r = run_new (&leaves, leave_rows[row].attack, note_report);
  while (stopped < RUN_STEPS - 1 && r->rate[stopped] > 0)
    stopped++;
  trust_row ("attack", leave_rows[row].row,
      blocks
          ? "no later than 15.1 s after nothing but 2 probes/s; min-bitrate "
            "before that"
          : "nothing is sent later than 15.1 s after; min-bitrate before that",
      stopped * STEP >= LEFT && stopped * STEP <= LEFT + 15100
          && r->rate[stopped - 1] == RUN_MIN
          && (r->bytes[RUN_STEPS - 1] - r->bytes[stopped]
              <= (blocks ? (RUN_MS - stopped * STEP) / 1000 * 2 * 1500 : 0)),
      "%.2f s; %" G_GUINT64_FORMAT " bit/s before; %" G_GUINT64_FORMAT
      " bytes after",
      stopped * STEP / 1e3 - LEFT / 1e3, stopped ? r->rate[stopped - 1] : 0,
      r->bytes[RUN_STEPS - 1] - r->bytes[stopped]);
}

/* --- who begs for answers --------------------------------------------------- */

/* An attack by an R of a microsecond, and losses. */
static void
test_begged (void)
{
  guint n = reporter_beg (RA_USECOND, 10);

  trust_row ("attack", "3 a sender claims a round trip of 1 us, TFRC",
      "the receiver answers at most 100 times a second", n > 0 && n <= 1001,
      "%u reports in 10 s of 4,000 packets/s", n);
}

void
tests_add (void)
{
  rows_add_by ("/attacks/silent", silent_rows, name, test_silent);
  rows_add_by ("/attacks/wrap", wrap_rows, name, test_wrap);
  rows_add_by ("/attacks/leave", leave_rows, name, test_leave);
  g_test_add_func ("/attacks/begged", test_begged);
}
