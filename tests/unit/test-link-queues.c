/* RED and RIO against the papers' formulas, a model for each flow, and the
 * numbers of each flow.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/link/redavg.h>

/* 1,250 bytes are 10,000 bits: 10 ms at 1 Mbit/s. */
#define S 1250

typedef struct
{
  RaLink *link;
  gboolean dropped; /* since it was last cleared */
  GString *log;
} Path;

static void
on_deliver (const RaLinkPacket *p, RaTime now, gpointer data)
{
  g_string_append_printf (
      ((Path *) data)->log, "+%u %.9g, ", (guint) p->seq, (gdouble) now / 1e6);
}

static void
on_drop (const RaLinkPacket *p, RaCause cause, const gchar *node, RaTime now,
    gpointer data)
{
  Path *path = data;

  path->dropped = TRUE;
  g_string_append_printf (path->log, "-%u %.9g %s %s, ", (guint) p->seq,
      (gdouble) now / 1e6, ra_cause_nick (cause), node);
}

static void
path_open (Path *path, const gchar *text, guint64 seed)
{
  static const RaLinkSink sink = { on_deliver, on_drop };
  GError *error = NULL;

  *path = (Path){ .log = g_string_new (NULL) };
  path->link = ra_link_parse (text, seed, &sink, path, &error);
  g_assert_no_error (error);
}

static void
path_close (Path *path)
{
  ra_link_free (path->link);
  g_string_free (path->log, TRUE);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Path, path_close)

/* TRUE if it was not dropped at once. */
static gboolean
path_push (Path *path, const RaLinkPacket *p, gdouble ms)
{
  path->dropped = FALSE;
  ra_link_push (path->link, p, (RaTime) (ms * 1e6 + 0.5));
  return !path->dropped;
}

typedef struct
{
  const gchar *name;
  gdouble value;
} Wanted;

static void
value_find (const gchar *name, gdouble value, gpointer data)
{
  Wanted *w = data;

  g_assert_true (isfinite (value));
  if (g_str_equal (name, w->name))
    w->value = value;
}

static gdouble
value_of (const Path *path, const gchar *name)
{
  Wanted w = { name, NAN };

  ra_link_observe (path->link, value_find, &w);
  g_assert_false (isnan (w.value));
  return w.value;
}

/* --- the average ------------------------------------------------------ */

#define FAR " min-th=.9 max-th=1 w-q=.5 s=1250"

/* Floyd, Jacobson 1993, figure 2: avg = (1 - w_q) avg + w_q q of what is
 * inside before the packet; (1 - w_q)^m avg after an idle time of m packets. */
static const struct
{
  const gchar *text, *name;
  struct
  {
    gdouble ms;
    RaMark mark;
    gdouble avg; /* after it */
  } in[10];
  guint n;
  const gchar *why;
} averages[] = {
  /* idle from 40 to 70 ms: three packets, .2125 / 8 */
  { "red rate=1M queue=0 packets=10" FAR, "red0.avg",
      { { 0, 0, 0 }, { 0, 0, .05 }, { 0, 0, .125 }, { 5, 0, .2125 },
          { 70, 0, .0265625 }, { 75, 0, .06328125 } },
      6, "by packets, the one in service included" },
  { "red rate=1M queue=0 bytes=12500" FAR, "red0.avg",
      { { 0, 0, 0 }, { 0, 0, .05 }, { 0, 0, .125 }, { 5, 0, .2125 },
          { 70, 0, .0265625 }, { 75, 0, .06328125 } },
      6, "by bytes, the packet in service in full" },
  /* at 5 ms 25 ms of 100 are left: .0625 + .125; at 75 ms 5 of 100 */
  { "red rate=1M queue=100ms" FAR, "red0.avg",
      { { 0, 0, 0 }, { 0, 0, .05 }, { 0, 0, .125 }, { 5, 0, .1875 },
          { 70, 0, .0234375 }, { 75, 0, .03671875 } },
      6, "by time, what is left of the packet in service" },
  { "red rate=1M queue=100ms packets=5" FAR, "red0.avg",
      { { 0, 0, 0 }, { 0, 0, .1 }, { 0, 0, .25 } }, 3,
      "the nearest limit counts: 1 of 5, 2 of 5" },
  { "red rate=1M queue=0 packets=10 min-th=.9 max-th=1 w-q=.5 s=625",
      "red0.avg", { { 0, 0, 0 }, { 0, 0, .05 }, { 30, 0, .0125 } }, 3,
      "idle from 20 to 30 ms: two packets of 625 bytes" },
  { "red rate=1M,20ms:0 queue=0 packets=10" FAR, "red0.avg",
      { { 0, 0, 0 }, { 0, 0, .05 }, { 45, 0, .05 } }, 3,
      "an outage: no packet could have been sent" },
  { "red rate=0 queue=100ms" FAR, "red0.avg", { { 0, 0, 0 }, { 1, 0, .5 } }, 2,
      "an outage: any queue in time is full, not infinite" },
  { "red rate=0 queue=100ms" FAR, "red0.queue",
      { { 0, 0, 9223372036.854775807 } }, 1,
      "an outage that does not end: finite" },
  /* .05 * .5 at 30 ms; a second one at the same time finds the queue with the
   * first: .0125 + .05 */
  { "red rate=1M queue=0 packets=10" FAR, "red0.avg",
      { { 0, 0, 0 }, { 0, 0, .05 }, { 30, 0, .025 }, { 30, 0, .0625 } }, 4,
      "idling ends with the first packet" },
#define LONG                                              \
  "rio rate=1M queue=0 bytes=0 packets=10 w-q=.5 s=1250 " \
  "red-min-th=.9 red-max-th=1"
  /* Packets leave at 10, 20, .. 60 ms; of the green ones the last at 20. */
  { LONG, "rio0.green_avg",
      { { 0, RA_MARK_GREEN, 0 }, { 0, RA_MARK_GREEN, .05 },
          { 0, RA_MARK_RED, .05 }, { 0, RA_MARK_RED, .05 },
          { 0, RA_MARK_RED, .05 }, { 0, RA_MARK_NONE, .05 },
          { 40, RA_MARK_GREEN, .0125 } },
      7, "green's queue is empty while red ones are sent" },
  { LONG, "rio0.yellow_avg",
      { { 0, RA_MARK_GREEN, 0 }, { 0, RA_MARK_GREEN, .05 },
          { 0, RA_MARK_YELLOW, .125 }, { 0, RA_MARK_RED, .125 },
          { 0, RA_MARK_GREEN, .2125 } },
      5, "yellow's queue is green and yellow" },
  { LONG, "rio0.red_avg",
      { { 0, RA_MARK_GREEN, 0 }, { 0, RA_MARK_GREEN, .05 },
          { 0, RA_MARK_RED, .125 }, { 0, RA_MARK_RED, .2125 },
          { 0, RA_MARK_RED, .30625 }, { 0, RA_MARK_NONE, .403125 },
          { 40, RA_MARK_GREEN, .3015625 } },
      7, "red's queue is all; every arrival is a sample of it" },
  { LONG " coupled=0", "rio0.green_avg",
      { { 0, RA_MARK_GREEN, 0 }, { 0, RA_MARK_RED, .05 },
          { 0, RA_MARK_YELLOW, .125 } },
      3, "coupled=0: one average for all" },
};

static void
test_average (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  g_auto (Path) path;

  g_test_message ("%s: %s", averages[r].text, averages[r].why);
  path_open (&path, averages[r].text, 1);
  for (guint i = 0; i < averages[r].n; i++) {
    RaLinkPacket p = { .seq = i, .size = S, .mark = averages[r].in[i].mark };
    gdouble value;

    path_push (&path, &p, averages[r].in[i].ms);
    value = value_of (&path, averages[r].name);
    g_test_message ("%u: %.9g, by hand %.9g", i, value, averages[r].in[i].avg);
    g_assert_cmpfloat_with_epsilon (
        value, averages[r].in[i].avg, 1e-12 * MAX (value, 1));
  }
}

/* Packets 1 and 2 are dropped at averages of .05 and .075.  The line is idle
 * from 10 ms; at 20 ms one packet's time has passed, .0375, and none more for
 * the next at 20 ms.  At 30 ms .01875 is below max_th; max_p is 0. */
static void
test_idle_is_counted_once (void)
{
  static const gdouble ms[] = { 0, 0, 0, 20, 20, 30 };
  g_auto (Path) path;

  path_open (&path,
      "red rate=1M queue=0 packets=10 w-q=.5 s=1250 min-th=.01 max-th=.02 "
      "max-p=0 gentle=0",
      1);
  for (guint i = 0; i < G_N_ELEMENTS (ms); i++) {
    RaLinkPacket p = { .seq = i, .size = S };

    path_push (&path, &p, ms[i]);
  }
  ra_link_run (path.link, RA_SECOND);
  g_assert_cmpstr (path.log->str, ==,
      "-1 0 congestion red, -2 0 congestion red, +0 10, -3 20 congestion red, "
      "-4 20 congestion red, +5 40, ");
}

/* --- the drop probability --------------------------------------------- */

static const struct
{
  gdouble avg, min_th, max_th, max_p;
  gboolean gentle;
  gdouble p_b;
  const gchar *why;
} probabilities[] = {
  /* Floyd, Jacobson 1993, figure 2: max_p (avg - min_th) / (max_th - min_th) */
  { 0, .25, .75, .1, FALSE, 0, "empty" },
  { .2499, .25, .75, .1, FALSE, 0, "below min_th" },
  { .25, .25, .75, .1, FALSE, 0, "at min_th it starts at 0" },
  { .3, .25, .75, .1, FALSE, .01, "a tenth of the way" },
  { .5, .25, .75, .02, FALSE, .01, "half way" },
  { .75, .25, .75, .1, FALSE, 1, "max_th <= avg: all" },
  { 1, .25, .75, .1, FALSE, 1, "full" },
  /* gentle: from max_p to 1 between max_th and 2 max_th */
  { .4, .1, .4, .1, TRUE, .1, "gentle: max_p at max_th" },
  { .6, .1, .4, .1, TRUE, .55, "gentle: half way up" },
  { .7, .1, .4, .1, TRUE, .775, "gentle: three quarters up" },
  { .8, .1, .4, .1, TRUE, 1, "gentle: all at 2 max_th" },
  { .3, .1, .4, .1, TRUE, 1. / 15, "gentle is the same below max_th" },
};

static void
test_probability (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  RaRedAvgLimits limits = { probabilities[i].min_th, probabilities[i].max_th,
    probabilities[i].max_p };

  g_test_message ("%s", probabilities[i].why);
  g_assert_cmpfloat_with_epsilon (
      ra_red_avg_p (probabilities[i].avg, &limits, probabilities[i].gentle),
      probabilities[i].p_b, 1e-12);
}

/* --- how drops are spread --------------------------------------------- */

/* `fill` tells what the queue is made of, 'g', 'y', 'r', each 1/1000 of the
 * buffer; then `n` packets of one mark come to a queue that is kept as long:
 * w-q=1, after an accepted one the line sends one.
 *
 * Figure 2 counts a packet, then drops it with p_b / (1 - count p_b): the next
 * drop is the k-th packet, 1 <= k < 1 / p_b, with p_b / (1 - p_b) each: with
 * 1 / p_b = m + 1 uniform in 1 .. m.  With wait the divisor is 2 - count p_b
 * and nothing is dropped while count p_b < 1: uniform in m + 1 .. 2 m + 1. */
static const struct
{
  const gchar *text;
  guint g, y, r; /* thousandths of the buffer inside, put there in turn */
  RaMark mark;
  guint n;
  guint least, most; /* gap of drops; 0, 0: none; 1, 1: all */
  const gchar *why;
} spreads[] = {
#define RED "red rate=1M queue=0 packets=1000 w-q=1 min-th=.25 max-th=.75 "
  { RED "max-p=.25 wait=0 gentle=0", 0, 0, 500, 0, 40000, 1, 7,
      "p_b = .25 / 2" },
  { RED "max-p=.25 wait=1 gentle=0", 0, 0, 500, 0, 40000, 8, 15,
      "p_b = .25 / 2, wait" },
  { RED "max-p=.5 wait=0 gentle=0", 0, 0, 500, 0, 40000, 1, 3, "p_b = 1/4" },
  { RED "max-p=.5 wait=1 gentle=0", 0, 0, 500, 0, 40000, 4, 7,
      "p_b = 1/4, wait" },
  { RED "max-p=.02 wait=0 gentle=0", 0, 0, 500, 0, 200000, 1, 99,
      "p_b = 1/100: the paper's max_p half way" },
  { RED "max-p=.25 wait=0 gentle=0", 0, 0, 249, 0, 1000, 0, 0, "below min_th" },
  { RED "max-p=.25 wait=0 gentle=0", 0, 0, 250, 0, 1000, 0, 0,
      "at min_th p_b is 0" },
  { RED "max-p=.25 wait=0 gentle=0", 0, 0, 750, 0, 1000, 1, 1, "at max_th" },
  { RED "max-p=.25 wait=1 gentle=0", 0, 0, 750, 0, 1000, 1, 1,
      "at max_th wait spares none" },

/* paper 004, table 1; Q is 1,000 packets */
#define RIO "rio rate=1M queue=0 bytes=0 packets=1000 w-q=1 "
#define ALL RIO "coupled=0"
  { ALL, 100, 0, 0, RA_MARK_RED, 1000, 0, 0, "red: at .10 Q p_b is 0" },
  { ALL, 200, 0, 0, RA_MARK_RED, 40000, 1, 9, "red half way: .2 / 2" },
  { ALL, 300, 0, 0, RA_MARK_RED, 1000, 1, 1, "red: all from .30 Q" },
  { ALL, 300, 0, 0, RA_MARK_YELLOW, 1000, 0, 0, "yellow: at .30 Q p_b is 0" },
  { ALL, 400, 0, 0, RA_MARK_YELLOW, 40000, 1, 19, "yellow half way: .1 / 2" },
  { ALL, 500, 0, 0, RA_MARK_YELLOW, 1000, 1, 1, "yellow: all from .50 Q" },
  { ALL, 500, 0, 0, RA_MARK_GREEN, 1000, 0, 0, "green: at .50 Q p_b is 0" },
  { ALL, 600, 0, 0, RA_MARK_GREEN, 200000, 1, 99, "green half way: .02 / 2" },
  { ALL, 700, 0, 0, RA_MARK_GREEN, 1000, 1, 1, "green: all from .70 Q" },
  { ALL, 200, 0, 0, RA_MARK_NONE, 40000, 1, 9, "unmarked is as red" },
  { ALL, 300, 0, 0, RA_MARK_NONE, 1000, 1, 1, "unmarked is as red: all" },
  { ALL, 200, 0, 0, 99, 1000, 1, 9, "no mark there is: as unmarked" },
  /* paper 004, figure 1: one after the other */
  { RIO, 200, 200, 0, RA_MARK_RED, 1000, 1, 1, "staggered at .4: red all" },
  { RIO, 200, 200, 0, RA_MARK_YELLOW, 40000, 1, 19, "staggered: yellow some" },
  { RIO, 200, 200, 0, RA_MARK_GREEN, 250, 0, 0, "staggered: green none" },
  /* yellow's queue is .10 and grows by 100 packets; all that is inside .30 */
  { RIO, 0, 100, 200, RA_MARK_YELLOW, 100, 0, 0,
      "red packets inside cost no yellow one" },
  { RIO, 0, 100, 200, RA_MARK_RED, 1000, 1, 1,
      "yellow packets inside do cost red ones" },
  { ALL, 0, 200, 150, RA_MARK_YELLOW, 40000, 1, 39,
      "coupled=0: they do, .35 Q is a quarter of the way: .1 / 4" },
};

/* Until `n` packets are inside. */
static void
fill (Path *path, guint n, RaMark mark)
{
  RaLinkPacket p = { .size = S, .mark = mark };

  for (guint i = 0; ra_link_held (path->link) < n && i < 100000; i++)
    path_push (path, &p, 0);
  g_assert_cmpuint (ra_link_held (path->link), ==, n);
}

typedef struct
{
  guint drops, n, least, most;
  gdouble sum;
  guint of[256]; /* gaps of each length */
} Gaps;

/* Of `n` packets that all come to the same queue. */
static void
gaps_measure (Path *path, RaMark mark, guint n, Gaps *gaps)
{
  RaLinkPacket p = { .size = S, .mark = mark };
  guint gap = 0;

  *gaps = (Gaps){ .least = G_MAXUINT };
  for (guint i = 0; i < n; i++) {
    gap++;
    if (path_push (path, &p, 0)) {
      ra_link_run (path->link, ra_link_next (path->link));
      continue;
    }
    if (gaps->drops++ > 0) {
      gaps->n++;
      gaps->least = MIN (gaps->least, gap);
      gaps->most = MAX (gaps->most, gap);
      gaps->sum += gap;
      gaps->of[MIN (gap, G_N_ELEMENTS (gaps->of) - 1)]++;
    }
    gap = 0;
  }
}

/* m lengths, each as often as the others: 5 sigma. */
static void
gaps_check_uniform (const Gaps *gaps, guint least, guint most)
{
  gdouble m = most - least + 1, n = gaps->n;
  gdouble mean = (least + most) / 2., sigma = sqrt ((m * m - 1) / 12 / n);

  g_test_message ("%u gaps, %u to %u, mean %g, theory %g +- %g", gaps->n,
      gaps->least, gaps->most, gaps->sum / n, mean, 5 * sigma);
  g_assert_cmpuint (gaps->least, >=, least);
  g_assert_cmpuint (gaps->most, <=, most);
  g_assert_cmpfloat (fabs (gaps->sum / n - mean), <=, 5 * sigma);
  for (guint k = least; k <= most; k++) {
    g_assert_cmpfloat (
        fabs (gaps->of[k] - n / m), <=, 5 * sqrt (n / m * (1 - 1 / m)));
  }
}

static void
test_spread (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  guint total = spreads[i].g + spreads[i].y + spreads[i].r;
  g_auto (Path) path;
  Gaps gaps;

  g_test_message ("%s: %s", spreads[i].text, spreads[i].why);
  path_open (&path, spreads[i].text, 1);
  /* red first: later its queue would be too long */
  fill (&path, spreads[i].r, RA_MARK_RED);
  fill (&path, spreads[i].r + spreads[i].g, RA_MARK_GREEN);
  fill (&path, total, RA_MARK_YELLOW);
  gaps_measure (&path, spreads[i].mark, spreads[i].n, &gaps);
  g_assert_cmpuint (ra_link_held (path.link), ==, total);
  if (spreads[i].most == 0)
    g_assert_cmpuint (gaps.drops, ==, 0);
  else if (spreads[i].most == 1)
    g_assert_cmpuint (gaps.drops, ==, spreads[i].n);
  else
    gaps_check_uniform (&gaps, spreads[i].least, spreads[i].most);
}

/* --- what does not fit ------------------------------------------------ */

/* A burst into a buffer whose average has not moved yet. */
static const struct
{
  const gchar *text;
  const gchar *out;
  const gchar *why;
} bursts[] = {
  { "red rate=1M queue=30ms w-q=0",
      "-3 0 congestion red, +0 10, +1 20, +2 30, ",
      "red: full is full, whatever the average says" },
  { "rio rate=1M queue=0 bytes=3750 w-q=0",
      "-3 0 congestion rio, +0 10, +1 20, +2 30, ", "rio: so is it for green" },
  { "red rate=1M,5ms:2M", "+0 7.5, +1 12.5, +2 17.5, +3 22.5, ",
      "the line is bottleneck's" },
};

static void
test_burst (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_auto (Path) path;

  g_test_message ("%s: %s", bursts[i].text, bursts[i].why);
  path_open (&path, bursts[i].text, 1);
  for (guint k = 0; k < 4; k++) {
    RaLinkPacket p = { .seq = k, .size = S, .mark = RA_MARK_GREEN };

    path_push (&path, &p, 0);
  }
  ra_link_run (path.link, RA_SECOND);
  g_assert_cmpstr (path.log->str, ==, bursts[i].out);
}

void
tests_add (void)
{
  rows_add ("/link-queues/average", averages, test_average);
  rows_add ("/link-queues/p", probabilities, test_probability);
  rows_add ("/link-queues/spread", spreads, test_spread);
  rows_add ("/link-queues/burst", bursts, test_burst);
  g_test_add_func (
      "/link-queues/idle-is-counted-once", test_idle_is_counted_once);
}
