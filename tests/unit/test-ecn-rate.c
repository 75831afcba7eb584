/* The rate while somebody marks everything, and after ECN was given up for it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "../trust/trust.h"
#include "sender-fixture.h"

#include <gst/rtpadapt/safety/ecn.h>
#include <string.h>

#define SIZE 1200
#define RTT (100 * RA_MSECOND)
#define REPORT (50 * RA_MSECOND)
#define MIN_RATE 100000
#define MAX_RATE 2000000
/* As rtpadaptsend's. */
#define CAP 9

/* s: somebody begins to mark all; the run ends.  ECN is given up 3 s after the
 * first mark is told of (.15 s), by the next that is: at MIN_RATE packets are .096 s
 * apart, and reports .05 s.  It is tried again a minute later. */
#define FROM 20
#define GIVEN_UP 3.3
#define AGAIN 60
#define END 110

/* What becomes of the field of a packet sent at `s`. */
typedef RaEcnField (*Marks) (RaEcnField sent, gdouble s);

typedef struct
{
  RaTime sent;
  RaEcnField ecn, came;
} Packet;

typedef struct
{
  RaEcn ecn;
  Fixture f;
  GArray *packets; /* Packet, by number */
  guint told;      /* of so many */
  guint64 least;   /* bit/s */
  guint64 bytes[END];
  gdouble failed_at; /* s, the first time; 0: it did not */
} Run;

static RaTime
time_of (gdouble s)
{
  return (RaTime) ((s + 1) * RA_SECOND);
}

static gdouble
seconds_of (RaTime t)
{
  return (gdouble) t / RA_SECOND - 1;
}

static void
send (Run *r, Marks marks, RaTime now)
{
  RaOutgoing out = { .seq = r->packets->len,
    .size = SIZE,
    .media = SIZE,
    .flags = RA_SENT_ASKS | RA_SENT_FRAME_END | RA_SENT_WAITING };
  Packet p = { .sent = now, .ecn = ra_ecn_on_send (&r->ecn, now) };

  p.came = marks (p.ecn, seconds_of (now));
  g_array_append_val (r->packets, p);
  ra_sender_on_sent (r->f.sender, &out, now);
  r->bytes[(guint) seconds_of (now)] += SIZE;
}

static void
report (Run *r, RaTime now)
{
  g_autoptr (GArray) rows
      = g_array_new (FALSE, FALSE, sizeof (RaFeedbackPacket));

  for (; r->told < r->packets->len; r->told++) {
    const Packet *p = &g_array_index (r->packets, Packet, r->told);
    RaFeedbackPacket row = {
      .seq = r->told, .arrival = ra_later (p->sent, RTT / 2), .ce = FALSE
    };

    if (ra_later (p->sent, RTT) > now)
      break;
    row.ce = ra_ecn_on_answer (&r->ecn, p->ecn, TRUE, p->came, now);
    g_array_append_val (rows, row);
  }
  if (rows->len > 0)
    ra_sender_on_feedback (r->f.sender, (const RaFeedbackPacket *) rows->data,
        rows->len, RA_MSECOND, now);
}

static void
step (Run *r, Marks marks, RaTime now)
{
  if (ra_sender_next_timeout (r->f.sender) <= now)
    ra_sender_on_timeout (r->f.sender, now);
  while (ra_sender_next_send (r->f.sender, now) <= now)
    send (r, marks, now);
  if ((now / RA_MSECOND) % (REPORT / RA_MSECOND) == 0)
    report (r, now);
  r->least = MIN (r->least, ra_sender_rate (r->f.sender));
  if (r->failed_at == 0 && r->ecn.failed > 0)
    r->failed_at = seconds_of (now);
}

static Run *
run_new (const RaRateOps *ops, Marks marks, RaEcnField wanted)
{
  RaSenderConfig cfg = { .controller = ops,
    .lda = ra_lda_find ("none"),
    .rate = { .min = MIN_RATE, .start = 500000, .max = MAX_RATE, .mss = SIZE },
    .burst = 5 * RA_MSECOND,
    .friendliness_cap = CAP,
    .breakers = TRUE };
  Run *r = g_new0 (Run, 1);

  fixture_begin (&r->f, &cfg, time_of (0));
  r->packets = g_array_new (FALSE, FALSE, sizeof (Packet));
  r->least = G_MAXUINT64;
  ra_ecn_init (&r->ecn, 1);
  ra_ecn_set (&r->ecn, wanted, TRUE, time_of (0));
  for (RaTime t = time_of (0); t < time_of (END); t += RA_MSECOND)
    step (r, marks, t);
  return r;
}

static void
run_free (Run *r)
{
  ra_sender_free (r->f.sender);
  g_array_unref (r->packets);
  g_free (r);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, run_free)

static RaEcnField
marks_none (RaEcnField sent, gdouble s)
{
  return sent;
}

static RaEcnField
marks_ect (RaEcnField sent, gdouble s)
{
  return s >= FROM && sent != RA_ECN_NOT_ECT ? RA_ECN_CE : sent;
}

/* What was sent as not-ECT, too. */
static RaEcnField
marks_any (RaEcnField sent, gdouble s)
{
  return s >= FROM ? RA_ECN_CE : sent;
}

/* The marks end when ECN does, which still sent what left in that millisecond. */
static gdouble marks_end;

static RaEcnField
marks_end_early (RaEcnField sent, gdouble s)
{
  return s <= marks_end ? marks_ect (sent, s) : sent;
}

/* --- tests ------------------------------------------------------------------ */

/* TRUE: second by second the same, until the next try. */
static gboolean
runs_same (const Run *a, const Run *b)
{
  guint seconds = (guint) (MIN (a->failed_at, b->failed_at) + AGAIN);

  return memcmp (a->bytes, b->bytes, seconds * sizeof *a->bytes) == 0;
}

/* When from the end of ECN on there was a second with half of what the last before
 * the marks had. */
static gchar *
half_back (const Run *r)
{
  guint from = (guint) r->failed_at;

  for (guint s = from; s < END; s++) {
    if (r->bytes[s] >= r->bytes[FROM - 1] / 2)
      return g_strdup_printf ("after %u s", s - from);
  }
  return g_strdup_printf ("not within %u s", END - from);
}

static void
marked_row (const RaRateOps *ops, const gchar *what, Marks marks)
{
  g_autofree gchar *name
      = g_strdup_printf ("14 %s for 90 s, %s", what, ops->name);
  Run *r = run_new (ops, marks, RA_ECN_ECT_0), *ended;
  g_autofree gchar *back = half_back (r);

  marks_end = r->failed_at;
  ended = run_new (ops, marks_end_early, RA_ECN_ECT_0);
  trust_row ("attack", name,
      "no ECN after 3.3 s; until the next try the trace of marks that end "
      "then; never below min-bitrate, no breaker",
      r->failed_at >= FROM && r->failed_at <= FROM + GIVEN_UP
          && runs_same (r, ended) && r->least >= MIN_RATE
          && fixture_stats (&r->f).breaker == RA_BREAKER_CLOSED,
      "%.2f s; trace %s; least %.2f Mbit/s; half of before %s",
      r->failed_at - FROM, runs_same (r, ended) ? "the same" : "another",
      1e-6 * (gdouble) r->least, back);
  run_free (r);
  run_free (ended);
}

static void
test_marked (gconstpointer data)
{
  marked_row (data, "CE on all ECT", marks_ect);
  marked_row (data, "CE on all packets", marks_any);
}

/* Without marks ECN costs nothing: the trace is that of a sender without it. */
static void
test_unmarked (void)
{
  const RaRateOps *ops = ra_rate_find ("tfrc");
  Run *with = run_new (ops, marks_none, RA_ECN_ECT_0);
  Run *without = run_new (ops, marks_none, RA_ECN_NOT_ECT);

  g_assert_cmpint (with->ecn.state, ==, RA_ECN_CAPABLE);
  g_assert_cmpint (without->ecn.state, ==, RA_ECN_OFF);
  g_assert_cmpmem (
      with->bytes, sizeof with->bytes, without->bytes, sizeof without->bytes);
  run_free (with);
  run_free (without);
}

void
tests_add (void)
{
  rows_add_all ("/ecn-rate/marked", ra_rates, test_marked);
  g_test_add_func ("/ecn-rate/unmarked", test_unmarked);
}
