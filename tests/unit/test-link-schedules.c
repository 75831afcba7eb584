/* Link models that change by time, as in a handover: hand-calculated.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../main.h"
#include "link-fixture.h"

static void
push (RaLink *l, guint64 seq, guint flow, gdouble ms)
{
  RaLinkPacket p = { .seq = seq, .flow = flow, .size = S };

  ra_link_push (l, &p, (RaTime) (ms * 1e6 + 0.5));
}

/* --- the text --------------------------------------------------------- */

static const struct
{
  const gchar *text;
  const gchar *message; /* all of it; NULL: it is good */
  const gchar *why;
} texts[] = {
  { "delay 25ms,10s:60ms", NULL, "after the bare value" },
  { "delay delay=25ms,10s:60ms,10.3s:0", NULL, "after the name" },
  { "bernoulli 5%,10s:0,10.3s:2%", NULL, "per cent and bare" },
  { "bernoulli p=.05,300ms:1", NULL, "times have units" },
  { "each delay 1ms,1s:2ms ! each bernoulli 0,1s:1", NULL, "inside of each" },
  { "delay 1ms,9s:2ms,8s:3ms",
      "delay: delay=1ms,9s:2ms,8s:3ms: expected VALUE,TIME:VALUE,... with "
      "rising times",
      "a time falls" },
  { "bernoulli .1,9s:.2,9s:.3",
      "bernoulli: p=.1,9s:.2,9s:.3: expected VALUE,TIME:VALUE,... with rising "
      "times",
      "two values at once" },
  { "delay 1ms,-9s:2ms",
      "delay: delay=1ms,-9s:2ms: expected VALUE,TIME:VALUE,... with rising "
      "times",
      "before the start" },
  { "bernoulli .1,.2",
      "bernoulli: p=.1,.2: expected VALUE,TIME:VALUE,... with rising times",
      "a value without its time" },
  { "bernoulli 9s:.1",
      "bernoulli: p=9s:.1: expected VALUE,TIME:VALUE,... with rising times",
      "no first value" },
  { "delay 1ms,soon:2ms",
      "delay: delay=1ms,soon:2ms: expected VALUE,TIME:VALUE,... with rising "
      "times",
      "not a time" },
  { "delay 1ms,9s:2parsec", "delay: delay=2parsec: not a number in s",
      "the step's own word, and the unit" },
  { "delay 1ms,9s:-2ms", "delay: delay=-2ms: not between 0 and 3600 s",
      "the step's own word, and the range" },
  { "bernoulli 1%,9s:", "bernoulli: p=: not a number", "no value" },
  { "bernoulli 1%,9s:101%", "bernoulli: p=101%: not between 0 and 1",
      "above its range" },
  { "delay 1ms,9s:nan", "delay: delay=nan: not a number in s", "not finite" },
  { "bernoulli 1% ,9s:2%", "bernoulli: ',9s:2%': expected name=value",
      "a blank ends the word" },
};

static void
test_text (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (GError) error = NULL;
  g_autoptr (RaLink) l
      = ra_link_parse (texts[i].text, 1, &log_sink, NULL, &error);

  g_test_message ("'%s': %s", texts[i].text, texts[i].why);
  g_assert_true ((l != NULL) == (texts[i].message == NULL));
  g_assert_cmpstr (error ? error->message : NULL, ==, texts[i].message);
}

/* --- behaviour -------------------------------------------------------- */

static const struct
{
  const gchar *text;
  guint n;
  struct
  {
    gdouble ms;
    guint flow;
  } in[7];
  const gchar *out; /* after 1 s */
  const gchar *why;
} rows[] = {
  { "delay 25ms,10s:60ms", 2, { { 0 }, { 1 } }, "+0 25, +1 26, ",
      "before the change: as 'delay 25ms'" },
  { "delay 25ms,100ms:60ms", 4, { { 0 }, { 99 }, { 100 }, { 110 } },
      "+0 25, +1 124, +2 160, +3 170, ",
      "up: 99 + 25, then 100 + 60; a change counts from its own time on" },
  /* 90 + 60 = 150, 99 + 60 = 159; 100 + 25 = 125 and 110 + 25 = 135 wait for
   * 159; 134 + 25 is 159; 140 + 25 = 165 */
  { "delay 60ms,100ms:25ms", 7,
      { { 0 }, { 90 }, { 99 }, { 100 }, { 110 }, { 134 }, { 140 } },
      "+0 60, +1 150, +2 159, +3 159, +4 159, +5 159, +6 165, ",
      "down: none overtakes" },
  { "delay 60ms,100ms:25ms", 2, { { 0 }, { 100 } }, "+0 60, +1 125, ",
      "down, with nobody inside: the new delay at once" },
  { "delay 20ms,10ms:0", 4, { { 0 }, { 10 }, { 20 }, { 21 } },
      "+0 20, +1 20, +2 20, +3 21, ",
      "down to nothing: 1 waits for 0, then delivered inside push" },
  /* 50 + 60 = 110 and, as long as that is inside, 60 + 5 too; then 120 + 60 */
  { "delay 60ms,60ms:5ms,120ms:60ms", 4, { { 0 }, { 50 }, { 60 }, { 120 } },
      "+0 60, +1 110, +2 110, +3 180, ", "down and up again" },
  { "delay 25ms,100ms:60ms", 3, { { 500 }, { 599 }, { 600 } },
      "+0 525, +1 624, +2 660, ", "times count from the link's first packet" },
  { "bottleneck rate=1M ! delay 25ms,15ms:60ms", 2, { { 0 }, { 0 } },
      "+0 35, +1 80, ",
      "the time a packet comes to the model: 10 + 25, 20 + 60" },
  { "bernoulli 0,100ms:1,200ms:0", 5,
      { { 0 }, { 99 }, { 100 }, { 199 }, { 200 } },
      "+0 0, +1 99, -2 100 wireless bernoulli, -3 199 wireless bernoulli, "
      "+4 200, ",
      "0, 1 and 0 again" },
  { "bernoulli 0,100ms:1,200ms:0", 4, { { 500 }, { 599 }, { 600 }, { 700 } },
      "+0 500, +1 599, -2 600 wireless bernoulli, +3 700, ",
      "times count from the link's first packet" },
  { "delay 25ms ! bernoulli 0,20ms:1,30ms:0", 2, { { 0 }, { 5 } },
      "-0 25 wireless bernoulli, +1 30, ",
      "the time a packet comes to the model" },
  { "each bernoulli 0,50ms:1", 2, { { 0, 0 }, { 100, 1 } },
      "+0 0, -1 100 wireless bernoulli, ",
      "a flow's copy has the link's clock" },
  /* flow 0: 99 + 60 = 159, 101 + 25 = 126 waits for it; flow 1: 100 + 25 */
  { "each delay 60ms,100ms:25ms", 4,
      { { 0, 0 }, { 99, 0 }, { 100, 1 }, { 101, 0 } },
      "+0 60, +2 125, +1 159, +3 159, ", "a flow waits for its own only" },
  /* 0: 10 + 25.  1: 90 + 25 = 115, dead.  2: half of it is sent until 100,
   * the other half takes 10 ms from 400 on, + 60.  3: the line stands and is
   * not empty.  4: 450 + 20 + 60. */
  { "bottleneck rate=1M,100ms:0,400ms:500k ! delay 25ms,100ms:60ms ! "
    "bernoulli 0,100ms:1,400ms:0",
      5, { { 0 }, { 80 }, { 95 }, { 200 }, { 450 } },
      "+0 35, -1 115 wireless bernoulli, -3 200 congestion bottleneck, "
      "+2 470, +4 530, ",
      "a handover" },
};

static void
test_row (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  g_autoptr (GString) log = g_string_new (NULL);
  g_autoptr (RaLink) l = link_new (rows[r].text, log);

  g_test_message ("%s: %s", rows[r].text, rows[r].why);
  for (guint i = 0; i < rows[r].n; i++)
    push (l, i, rows[r].in[i].flow, rows[r].in[i].ms);
  ra_link_run (l, RA_SECOND);
  g_assert_cmpstr (log->str, ==, rows[r].out);
}

/* What a flush took out holds nothing up, and the schedule goes on. */
static void
test_clear (void)
{
  g_autoptr (GString) log = g_string_new (NULL);
  g_autoptr (RaLink) l = link_new ("delay 60ms,100ms:25ms", log);

  push (l, 0, 0, 0);
  push (l, 1, 0, 99);
  ra_link_clear (l);
  push (l, 2, 0, 100);
  ra_link_run (l, RA_SECOND);
  g_assert_cmpstr (log->str, ==, "+0 60, ~1, +2 125, ");
}

/* One number of the model's own stream for each packet, whatever p is: the
 * results that are kept with their seeds depend on it. */
static const struct
{
  const gchar *text;
  gdouble p[3]; /* in the first, second and third 100 ms */
} draws[] = {
  { "bernoulli .3", { .3, .3, .3 } },
  { "bernoulli .3,1000s:1", { .3, .3, .3 } },
  { "bernoulli 0,100ms:.3,200ms:.6", { 0, .3, .6 } },
  { "bernoulli .3,100ms:1,200ms:.3", { .3, 1, .3 } },
};

static void
test_draws (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  GString *log = g_string_new (NULL), *expected = g_string_new (NULL);
  g_autoptr (RaLink) l = link_new (draws[i].text, log);
  RaRng rng;

  g_test_message ("%s", draws[i].text);
  ra_rng_init (&rng, 1, g_str_hash ("bernoulli")); /* link_new()'s seed */
  for (guint ms = 0; ms < 300; ms++) {
    gboolean lost = ra_rng_uniform (&rng) < draws[i].p[ms / 100];

    push (l, ms, 0, ms);
    g_string_append_printf (
        expected, lost ? "-%u %u wireless bernoulli, " : "+%u %u, ", ms, ms);
  }
  g_assert_cmpstr (log->str, ==, expected->str);
  g_string_free (log, TRUE);
  g_string_free (expected, TRUE);
}

void
tests_add (void)
{
  static const struct
  {
    const gchar *name;
    guint n;
    GTestDataFunc run;
  } groups[] = {
    { "text", G_N_ELEMENTS (texts), test_text },
    { "rows", G_N_ELEMENTS (rows), test_row },
    { "draws", G_N_ELEMENTS (draws), test_draws },
  };

  for (guint g = 0; g < G_N_ELEMENTS (groups); g++) {
    for (guint i = 0; i < groups[g].n; i++) {
      g_autofree gchar *path
          = g_strdup_printf ("/link-schedules/%s/%u", groups[g].name, i);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), groups[g].run);
    }
  }
  g_test_add_func ("/link-schedules/clear", test_clear);
}
