/* Feedback per packet (twcc, ccfb) that is forged or repeated: rows 2, 4, 6 and
 * 14 of the threat table, at the sender, in virtual time.  Who knows our SSRC
 * need not guess a number, as there are only 65,536; what tells is whether it
 * was sent.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "trust.h"

#include <gst/rtpadapt/sender.h>
#include <gst/rtpadapt/util/rng.h>

#include <string.h>

#define SPAN_MS 75000
#define AT 20000 /* ms */
#define TILL 30000
#define OWD (25 * RA_MSECOND)
#define REPORT_MS 20
#define PACKETS 65536
#define MIN_RATE 100000
#define MAX_RATE 3000000
#define SIZE 1200
#define BACK_MS 6000
/* arc's p_c is a mean of 200 rounds, which are three reports here: 12 s.  10 s of
 * nothing but marks make it 1 - exp (-10 / 12) = .57; half the rate at 1 %, 13
 * packets per RTT by (1), is p_c = .048: 12 s ln (.56 / .038) = 32 s. */
#define BACK_ARC_MS 40000

typedef struct _Rows Rows;
typedef void (*RowsAttack) (Rows *r, guint ms);

struct _Rows
{
  RaSender *sender;
  RaTime now;
  RaTime sent[PACKETS]; /* RA_TIME_NONE: lost on its way */
  guint64 seq, heard;   /* next to be sent, to be reported */
  gdouble credit;
  GArray *last; /* RaFeedbackPacket, the honest report before */
  GRand *dice;
  RaRng losses;
  gboolean mark; /* all that arrives comes with CE */
  guint n_forged, n_taken;
  guint64 rate[SPAN_MS], bytes;
};

static void
rows_send (Rows *r)
{
  r->credit += ra_bytes (ra_sender_rate (r->sender)) * 1e-3;
  for (; r->credit >= SIZE; r->credit -= SIZE) {
    gboolean lost = ra_rng_uniform (&r->losses) < .01;

    ra_sender_on_sent (r->sender,
        &(RaOutgoing){ .seq = r->seq,
            .size = SIZE,
            .media = SIZE,
            .flags = RA_SENT_WAITING | RA_SENT_ASKS },
        r->now);
    r->sent[r->seq++ % PACKETS] = lost ? RA_TIME_NONE : r->now;
    r->bytes += SIZE;
  }
}

/* Of all that arrived by 25 ms ago; the receiver's clock is 1000 s ahead. */
static void
rows_hear (Rows *r)
{
  guint64 end = r->heard;

  g_array_set_size (r->last, 0);
  for (guint64 seq = r->heard; seq < r->seq; seq++) {
    RaTime sent = r->sent[seq % PACKETS];

    if (sent == RA_TIME_NONE)
      continue;
    if (ra_later (sent, 2 * OWD) > r->now)
      break;
    end = seq + 1;
  }
  for (; r->heard < end; r->heard++) {
    RaTime sent = r->sent[r->heard % PACKETS];
    gboolean lost = sent == RA_TIME_NONE;
    RaFeedbackPacket row = { r->heard,
      lost ? RA_TIME_NONE : ra_later (sent, OWD + 1000 * RA_SECOND),
      r->mark && !lost };

    g_array_append_val (r->last, row);
  }
  if (r->last->len > 0)
    ra_sender_on_feedback (r->sender, (const RaFeedbackPacket *) r->last->data,
        r->last->len, 0, r->now);
}

static void
rows_forge (Rows *r, const RaFeedbackPacket *rows, guint n)
{
  r->n_forged++;
  r->n_taken += ra_sender_on_feedback (r->sender, rows, n, 0, r->now);
}

/* (transfer full): rows_free(). */
static Rows *
rows_new (const RaRateOps *ops, RowsAttack attack)
{
  RaSenderConfig cfg = { .controller = ops,
    .lda = ra_lda_find ("none"),
    .rate = { .min = MIN_RATE, .start = 500000, .max = MAX_RATE, .mss = SIZE },
    .friendliness_cap = 9,
    .breakers = TRUE };
  Rows *r = g_new0 (Rows, 1);

  r->now = RA_SECOND;
  r->sender = ra_sender_new (&cfg, r->now, NULL);
  r->last = g_array_new (FALSE, FALSE, sizeof (RaFeedbackPacket));
  r->dice = g_rand_new_with_seed (4);
  ra_rng_init (&r->losses, 1, 1);
  for (guint ms = 0; ms < SPAN_MS; ms++, r->now += RA_MSECOND) {
    if (ra_sender_next_timeout (r->sender) <= r->now)
      ra_sender_on_timeout (r->sender, r->now);
    rows_send (r);
    if (ms % REPORT_MS == 0)
      rows_hear (r);
    if (attack)
      attack (r, ms);
    r->rate[ms] = ra_sender_rate (r->sender);
    g_assert_cmpuint (r->rate[ms], <=, MAX_RATE);
  }
  return r;
}

static void
rows_free (Rows *r)
{
  ra_sender_free (r->sender);
  g_array_unref (r->last);
  g_rand_free (r->dice);
  g_free (r);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Rows, rows_free)

static gdouble
rows_mean (const Rows *r, guint from, guint to)
{
  gdouble sum = 0;

  for (guint ms = from; ms < to; ms++)
    sum += (gdouble) r->rate[ms];
  return sum / (to - from);
}

static guint
rows_back (const Rows *r, guint from, gdouble want)
{
  for (guint ms = from; ms + 1000 <= SPAN_MS; ms += 10) {
    if (rows_mean (r, ms, ms + 1000) >= want)
      return ms - from;
  }
  return SPAN_MS;
}

/* --- what leaves no trace ------------------------------------------------------ */

/* Numbers that were not sent yet, or so long ago that nobody knows. */
static void
unsent (Rows *r, guint ms)
{
  RaFeedbackPacket rows[8];

  for (guint i = 0; i < 8; i++)
    rows[i] = (RaFeedbackPacket){ r->seq + 100u * i
          + (guint64) g_rand_int_range (r->dice, 0, 100),
      i % 2 ? RA_TIME_NONE : 1000 * RA_SECOND, i % 4 == 0 };
  rows_forge (r, rows, 8);
}

static void
replay (Rows *r, guint ms)
{
  if (ms % REPORT_MS == 7)
    rows_forge (r, (const RaFeedbackPacket *) r->last->data, r->last->len);
}

/* --- what is believed ------------------------------------------------------------- */

static void
in_flight (Rows *r, RaTime arrival)
{
  g_autoptr (GArray) rows
      = g_array_new (FALSE, FALSE, sizeof (RaFeedbackPacket));

  for (guint64 seq = r->heard; seq < r->seq; seq++) {
    RaFeedbackPacket row = { seq, arrival, FALSE };

    g_array_append_val (rows, row);
  }
  rows_forge (r, (const RaFeedbackPacket *) rows->data, rows->len);
}

/* All that is in flight is lost. */
static void
all_lost (Rows *r, guint ms)
{
  if (ms >= AT && ms < TILL && ms % 1000 == 0)
    in_flight (r, RA_TIME_NONE);
}

/* All has come, whatever becomes of it. */
static void
all_came (Rows *r, guint ms)
{
  if (ms >= AT && ms < TILL && ms % 1000 == 0)
    in_flight (r, ra_later (r->now, 1000 * RA_SECOND));
}

/* And at a time when nobody else's watch shows. */
static void
all_came_once (Rows *r, guint ms)
{
  if (ms >= AT && ms < TILL && ms % 1000 == 0)
    in_flight (r, (RaTime) g_rand_int (r->dice) * RA_SECOND);
}

static void
all_marked (Rows *r, guint ms)
{
  r->mark = ms >= AT && ms < TILL;
}

static const struct
{
  const gchar *name, *row;
  RowsAttack attack;
} rows[] = {
  { "lost", "4 all in flight is lost, each second", all_lost },
  { "came", "2 all in flight has come, each second", all_came },
  { "times", "2 all in flight has come, at any time", all_came_once },
  { "marked", "14 CE on every packet, per packet", all_marked },
};

static void
check_silent (
    const Rows *honest, const RaRateOps *ops, const gchar *what, RowsAttack f)
{
  g_autoptr (Rows) r = rows_new (ops, f);
  g_autofree gchar *name = g_strdup_printf ("%s, %s", what, ops->name);
  gboolean same = memcmp (honest->rate, r->rate, sizeof r->rate) == 0
      && honest->bytes == r->bytes;

  trust_row ("attack", name,
      "none taken; the rate is always that of a run without",
      same && r->n_taken == 0, "%u forged, %u taken; %s", r->n_forged,
      r->n_taken, same ? "the same" : "another");
}

static void
check_attack (const Rows *honest, const RaRateOps *ops, guint row)
{
  g_autoptr (Rows) r = rows_new (ops, rows[row].attack);
  g_autofree gchar *name = g_strdup_printf ("%s, %s", rows[row].row, ops->name);
  guint limit = g_str_equal (ops->name, "arc") ? BACK_ARC_MS : BACK_MS;
  g_autofree gchar *promise = g_strdup_printf (
      "min-bitrate at least, 1.1 x honest at most; half the rate again %.0f s "
      "after it ends; no breaker",
      limit / 1e3);
  gdouble share = rows_mean (r, AT, TILL) / rows_mean (honest, AT, TILL);
  gdouble all = (gdouble) r->bytes / (gdouble) honest->bytes;
  guint back = rows_back (r, TILL, .5 * rows_mean (honest, AT, SPAN_MS));
  guint64 least = G_MAXUINT64;

  for (guint ms = 0; ms < SPAN_MS; ms++)
    least = MIN (least, r->rate[ms]);
  trust_row ("attack", name, promise,
      least >= MIN_RATE && share <= 1.1 && all <= 1.1 && back <= limit,
      "least %.2f Mbit/s, %.2f x meanwhile, %.2f x in all; back after %.1f s",
      1e-6 * (gdouble) least, share, all, back / 1e3);
}

static void
test_rows (gconstpointer data)
{
  g_autoptr (Rows) honest = rows_new (data, NULL);

  check_silent (honest, data, "2 rows about numbers not sent", unsent);
  check_silent (honest, data, "6 rows again, 7 ms later", replay);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    check_attack (honest, data, i);
}

void
tests_add (void)
{
  rows_add_all ("/attacks-rows", ra_rates, test_rows);
}
