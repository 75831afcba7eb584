/* Link models: the text, and behaviour calculated by hand.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "link-fixture.h"

#include <math.h>
#include <string.h>

static void
push (RaLink *l, guint64 seq, guint size, gdouble ms)
{
  RaLinkPacket p = { .seq = seq, .size = size };

  ra_link_push (l, &p, (RaTime) (ms * 1e6 + 0.5));
}

static void
run (RaLink *l, gdouble ms)
{
  ra_link_run (l, (RaTime) (ms * 1e6 + 0.5));
}

/* --- the text --------------------------------------------------------- */

static const gchar *const good[] = {
  "",
  "  \t ",
  "delay 25ms",
  "delay delay=25ms",
  "  delay\t25ms  ",
  "delay .025",
  "bernoulli 5%",
  "bernoulli p=.05",
  "bottleneck rate=2M",
  "bottleneck rate=3M,20s:1.5M,40s:3M queue=100ms packets=50 bytes=64k",
  "bottleneck rate=1M,1s:0,2s:1M queue=0",
  "gilbert p=.01 r=.3",
  "gilbert p13=1% p31=30%",
  "gilbert p=.994 q=.78",
  "bottleneck rate=2M queue=100ms ! delay 25ms ! gilbert p=.01 r=.3",
  "delay 1ms!delay 2ms ! delay 3ms",
};

static void
test_good (gconstpointer data)
{
  g_autoptr (GString) log = g_string_new (NULL);

  ra_link_free (link_new (good[GPOINTER_TO_UINT (data)], log));
  g_assert_cmpstr (log->str, ==, "");
}

static const struct
{
  const gchar *text;
  RaLinkError code;
  const gchar *message; /* a part of it */
} bad[] = {
  { "dealy 25ms", RA_LINK_ERROR_UNKNOWN_NODE, "'dealy'" },
  { "dealy 25ms", RA_LINK_ERROR_UNKNOWN_NODE, "bottleneck, delay" },
  { "p=3", RA_LINK_ERROR_UNKNOWN_NODE, "'p=3'" },
  { "delay 1ms ! ! delay 2ms", RA_LINK_ERROR_SYNTAX, "model 2 is empty" },
  { "! delay 1ms", RA_LINK_ERROR_SYNTAX, "model 1 is empty" },
  { "delay 1ms !", RA_LINK_ERROR_SYNTAX, "model 2 is empty" },
  { "delay 1ms 2ms", RA_LINK_ERROR_SYNTAX, "delay: '2ms'" },
  { "delay delay=1ms 2ms", RA_LINK_ERROR_SYNTAX, "delay: '2ms'" },
  { "bottleneck 2M", RA_LINK_ERROR_SYNTAX, "bottleneck: '2M'" },
  { "delay 25parsec", RA_LINK_ERROR_PARAM, "delay: delay=25parsec" },
  { "delay -1ms", RA_LINK_ERROR_PARAM, "-1ms" },
  { "delay", RA_LINK_ERROR_PARAM, "delay: delay= is missing" },
  { "delay 1ms speed=3", RA_LINK_ERROR_PARAM, "'speed'" },
  { "delay =3", RA_LINK_ERROR_PARAM, "no parameter ''" },
  { "delay delay=", RA_LINK_ERROR_PARAM, "delay=" },
  { "delay nan", RA_LINK_ERROR_PARAM, "delay=nan" },
  { "bernoulli", RA_LINK_ERROR_PARAM, "bernoulli: p= is missing" },
  { "bernoulli 101%", RA_LINK_ERROR_PARAM, "101%" },
  { "bernoulli p=-.1", RA_LINK_ERROR_PARAM, "-.1" },
  { "bottleneck", RA_LINK_ERROR_PARAM, "bottleneck: rate= is missing" },
  { "bottleneck rate=-1", RA_LINK_ERROR_PARAM, "rate=-1" },
  { "bottleneck rate=2M,1s", RA_LINK_ERROR_PARAM, "rate=2M,1s" },
  { "bottleneck rate=2M,2s:1M,1s:3M", RA_LINK_ERROR_PARAM, "rising" },
  { "bottleneck rate=2M queue=5M", RA_LINK_ERROR_PARAM, "queue=5M" },
  { "gilbert", RA_LINK_ERROR_PARAM, "gilbert: give either" },
  { "gilbert p=.1", RA_LINK_ERROR_PARAM, "give either" },
  { "gilbert r=.1", RA_LINK_ERROR_PARAM, "give either" },
  { "gilbert q=.1", RA_LINK_ERROR_PARAM, "give either" },
  { "gilbert p=.1 r=.1 q=.1", RA_LINK_ERROR_PARAM, "give either" },
  { "gilbert p=.1 p31=.1", RA_LINK_ERROR_PARAM, "give either" },
  { "gilbert p13=.1 p31=.1 r=.1", RA_LINK_ERROR_PARAM, "give either" },
  { "gilbert p13=.1", RA_LINK_ERROR_PARAM, "give either" },
  { "gilbert p=.1 r=2", RA_LINK_ERROR_PARAM, "r=2" },
  { "delay 1ms ! gilbert p=.1", RA_LINK_ERROR_PARAM, "gilbert: " },
  { "each", RA_LINK_ERROR_SYNTAX, "each: expected one model" },
  { "delay 1ms ! each ! delay 1ms", RA_LINK_ERROR_SYNTAX,
      "expected one model" },
  { "each each gilbert p=.1 r=.1", RA_LINK_ERROR_SYNTAX, "expected one model" },
  { "each gibert p=.1 r=.1", RA_LINK_ERROR_UNKNOWN_NODE, "'gibert'" },
  { "each gilbert p=.1", RA_LINK_ERROR_PARAM, "gilbert: give either" },
  { "each gilbert p=.1 r=2", RA_LINK_ERROR_PARAM, "gilbert: r=2" },
  { "each bottleneck", RA_LINK_ERROR_PARAM, "bottleneck: rate= is missing" },
  { "each delay 1ms 2ms", RA_LINK_ERROR_SYNTAX, "delay: '2ms'" },
  { "each delay 1ms each", RA_LINK_ERROR_SYNTAX, "delay: 'each'" },
  { "each p=.1", RA_LINK_ERROR_UNKNOWN_NODE, "'p=.1'" },
  { "red", RA_LINK_ERROR_PARAM, "red: rate= is missing" },
  { "red rate=1M queue=0", RA_LINK_ERROR_PARAM, "queue=, packets= or bytes=" },
  { "red rate=1M min-th=.5 max-th=.5", RA_LINK_ERROR_PARAM,
      "red: min-th=0.5 is not below max-th=0.5" },
  { "red rate=1M max-p=2", RA_LINK_ERROR_PARAM, "max-p=2" },
  { "red rate=1M s=0", RA_LINK_ERROR_PARAM, "s=0" },
  { "rio", RA_LINK_ERROR_PARAM, "rio: rate= is missing" },
  { "rio rate=1M queue=0", RA_LINK_ERROR_PARAM, "queue=, packets= or bytes=" },
  { "rio rate=1M yellow-max-th=.2", RA_LINK_ERROR_PARAM,
      "rio: yellow-min-th=0.3 is not below yellow-max-th=0.2" },
};

static void
test_bad (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (GError) error = NULL;
  RaLink *l = ra_link_parse (bad[i].text, 1, &log_sink, NULL, &error);

  g_test_message ("'%s'", bad[i].text);
  g_assert_null (l);
  g_assert_error (error, RA_LINK_ERROR, (gint) bad[i].code);
  if (!strstr (error->message, bad[i].message))
    g_error ("'%s' lacks '%s'", error->message, bad[i].message);
}

static void
test_too_long (void)
{
  g_autoptr (GString) text = g_string_new ("delay 0");
  g_autoptr (GString) log = g_string_new (NULL);
  g_autoptr (RaLink) l = NULL;

  for (guint i = 1; i < 64; i++)
    g_string_append (text, "!delay 0");
  l = link_new (text->str, log);
  push (l, 0, 1, 3);
  g_assert_cmpstr (log->str, ==, "+0 3, ");
  g_string_append (text, "!delay 0");
  g_assert_null (ra_link_parse (text->str, 1, &log_sink, NULL, NULL));
}

/* --- behaviour -------------------------------------------------------- */

static const struct
{
  const gchar *text;
  struct
  {
    gdouble ms;
    guint size; /* 0 ends the list */
  } in[8];
  const gchar *out; /* after 1 s */
  guint held;
  const gchar *why;
} rows[] = {
  { "", { { 0, S }, { 0, S }, { 2, S } }, "+0 0, +1 0, +2 2, ", 0,
      "no model: all pass at once" },
  { "delay 25ms", { { 0, S }, { 1, 10 } }, "+0 25, +1 26, ", 0,
      "a delay does not depend on the size" },
  { "delay 0", { { 0, S }, { 1, S } }, "+0 0, +1 1, ", 0,
      "no delay: delivered inside push" },
  { "delay 2s", { { 0, S }, { 1, S } }, "", 2, "still inside after 1 s" },
  { "bottleneck rate=1M", { { 0, S }, { 0, S }, { 25, S } },
      "+0 10, +1 20, +2 35, ", 0, "back to back, then after 5 ms of idling" },
  /* 8,000 bits at 3 Mbit/s: 2.666.. ms, rounded up; three take 8 ms */
  { "bottleneck rate=3M", { { 0, 1000 }, { 0, 1000 }, { 0, 1000 } },
      "+0 2.666667, +1 5.333334, +2 8, ", 0, "the rounding does not add up" },
  { "bottleneck rate=1M queue=30ms", { { 0, S }, { 0, S }, { 0, S }, { 0, S } },
      "-3 0 congestion bottleneck, +0 10, +1 20, +2 30, ", 0,
      "three of 10 ms fit into 30 ms exactly" },
  /* at 4 ms 16 ms are left, 16 + 10 > 25; at 5 ms 15 + 10 fit */
  { "bottleneck rate=1M queue=25ms", { { 0, S }, { 0, S }, { 4, S }, { 5, S } },
      "-2 4 congestion bottleneck, +0 10, +1 20, +3 30, ", 0,
      "queue= counts what is left of the packet in service" },
  { "bottleneck rate=1M queue=5ms", { { 0, S }, { 1, S }, { 10, S } },
      "-1 1 congestion bottleneck, +0 10, +2 20, ", 0,
      "an empty bottleneck takes any; a departure makes room at its instant" },
  { "bottleneck rate=1M queue=0 packets=2",
      { { 0, S }, { 0, S }, { 9, S }, { 10, S } },
      "-2 9 congestion bottleneck, +0 10, +1 20, +3 30, ", 0,
      "packets= counts the one in service" },
  { "bottleneck rate=1M queue=0 bytes=2500",
      { { 0, S }, { 0, S }, { 9, 1 }, { 10, S } },
      "-2 9 congestion bottleneck, +0 10, +1 20, +3 30, ", 0,
      "bytes= counts the one in service in full" },
  { "bottleneck rate=1M queue=100ms packets=1", { { 0, S }, { 0, S } },
      "-1 0 congestion bottleneck, +0 10, ", 0, "the tighter limit counts" },
  { "bottleneck rate=100k queue=0",
      { { 0, S }, { 0, S }, { 0, S }, { 0, S }, { 0, S } },
      "+0 100, +1 200, +2 300, +3 400, +4 500, ", 0, "no limit at all" },
  { "bottleneck rate=1M,5ms:500k", { { 0, S } }, "+0 15, ", 0,
      "5,000 bits at 1M take 5 ms, 5,000 at 500k take 10 ms" },
  { "bottleneck rate=1M,5ms:500k", { { 100, S } }, "+0 115, ", 0,
      "schedules count from the first packet" },
  { "bottleneck rate=1M,5ms:2M", { { 0, S }, { 0, S } }, "+0 7.5, +1 12.5, ", 0,
      "a rising rate: 5 + 5,000 bits at 2M, then 10,000 bits at 2M" },
  { "bottleneck rate=1M,5ms:0,105ms:1M", { { 0, S }, { 50, S } },
      "-1 50 congestion bottleneck, +0 110, ", 0,
      "outage of 100 ms: no queue in time fits into a rate of 0" },
  { "bottleneck rate=1M,5ms:0,105ms:1M queue=0 packets=9",
      { { 0, S }, { 50, S } }, "+0 110, +1 120, ", 0,
      "outage of 100 ms: packets wait" },
  { "bottleneck rate=1M,5ms:0 queue=0", { { 0, S }, { 7, S } }, "", 2,
      "an outage that does not end" },
  /* At 6 ms 24,500 + 10,000 bits > 30 ms * 500k = 15,000; departures: 5,000
   * + 5,000 / 500k = 15, then 20 ms each; at 45 ms 5,000 + 10,000 fit. */
  { "bottleneck rate=1M,5ms:500k queue=30ms",
      { { 0, S }, { 0, S }, { 0, S }, { 6, S }, { 45, S } },
      "-3 6 congestion bottleneck, +0 15, +1 35, +2 55, +4 75, ", 0,
      "the rate falls: nothing inside is lost, the limit is the new rate's" },
  { "bottleneck rate=1M ! delay 25ms", { { 0, S }, { 0, S } }, "+0 35, +1 45, ",
      0, "a chain adds" },
  /* packet 1 comes to the second at 10, where 0 is until 15; 2 comes at 15 */
  { "bottleneck rate=2M ! bottleneck rate=1M queue=0 packets=1",
      { { 0, S }, { 0, S }, { 10, S } },
      "-1 10 congestion bottleneck, +0 15, +2 25, ", 0,
      "at one instant the node nearest to the exit goes first" },
  { "gilbert p=1 r=1", { { 0, S }, { 0, S }, { 0, S }, { 0, S } },
      "-0 0 wireless gilbert, +1 0, -2 0 wireless gilbert, +3 0, ", 0,
      "starts Good, moves before the packet is judged" },
  { "gilbert p=0 r=.5", { { 0, S }, { 0, S } }, "+0 0, +1 0, ", 0,
      "never leaves Good" },
  { "gilbert p=0 q=1", { { 0, S }, { 0, S } },
      "-0 0 wireless gilbert, -1 0 wireless gilbert, ", 0,
      "beside q, p is the probability to stay Good" },
  { "gilbert p=1 q=.5", { { 0, S }, { 0, S } }, "+0 0, +1 0, ", 0,
      "beside q, p=1 stays Good" },
  { "gilbert p13=1 p31=0", { { 0, S }, { 0, S } },
      "-0 0 wireless gilbert, -1 0 wireless gilbert, ", 0, "netem's names" },
  { "bernoulli 1", { { 0, S }, { 3, S } },
      "-0 0 wireless bernoulli, -1 3 wireless bernoulli, ", 0, "all lost" },
  { "bernoulli 0", { { 0, S }, { 3, S } }, "+0 0, +1 3, ", 0, "none lost" },
  { "delay 10ms ! delay 10ms", { { 5, S }, { 3, S } }, "+0 25, +1 25, ", 0,
      "a clock that goes back stands still" },
};

static void
test_row (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  g_autoptr (GString) log = g_string_new (NULL);
  g_autoptr (RaLink) l = link_new (rows[r].text, log);
  RaLinkStats stats;

  g_test_message ("%s: %s", rows[r].text, rows[r].why);
  for (guint i = 0; rows[r].in[i].size; i++)
    push (l, i, rows[r].in[i].size, rows[r].in[i].ms);
  run (l, 1000);
  g_assert_cmpstr (log->str, ==, rows[r].out);
  g_assert_cmpuint (ra_link_held (l), ==, rows[r].held);
  ra_link_get_stats (l, &stats);
  g_assert_cmpuint (stats.in, ==,
      stats.out + stats.congestion + stats.wireless + rows[r].held);
}

static void
queued_deliver (const RaLinkPacket *p, RaTime now, gpointer log)
{
  g_string_append_printf (log, "%u: %g of %g ms, ", (guint) p->seq,
      (gdouble) p->queued / 1e6, (gdouble) (now - p->entered) / 1e6);
}

static void
test_queued (void)
{
  RaLinkSink sink = { queued_deliver, log_drop, NULL };
  g_autoptr (GString) log = g_string_new (NULL);
  g_autoptr (RaLink) l
      = ra_link_parse ("bottleneck rate=1M ! delay 25ms ! bottleneck rate=500k",
          1, &sink, log, NULL);

  /* 0: 10 + 25 + 20; 1 leaves the first at 20, comes to the second at 45 and
   * waits there until 55: 20 + 25 + 30 */
  push (l, 0, S, 0);
  push (l, 1, S, 0);
  run (l, 1000);
  g_assert_cmpstr (log->str, ==, "0: 30 of 55 ms, 1: 50 of 75 ms, ");
}

/* --- the bookkeeping -------------------------------------------------- */

static void
test_next_and_clear (void)
{
  g_autoptr (GString) log = g_string_new (NULL);
  RaLink *l = link_new ("bottleneck rate=1M ! delay 25ms", log);
  RaLinkStats stats;

  g_assert_cmpuint (ra_link_next (l), ==, RA_TIME_NONE);
  push (l, 0, S, 0);
  push (l, 1, S, 0);
  g_assert_cmpuint (ra_link_next (l), ==, 10 * RA_MSECOND);
  run (l, 10);
  g_assert_cmpuint (ra_link_next (l), ==, 20 * RA_MSECOND);
  run (l, 15);
  g_assert_cmpuint (ra_link_held (l), ==, 2);
  ra_link_clear (l);
  g_assert_cmpstr (log->str, ==, "~0, ~1, ");
  g_assert_cmpuint (ra_link_held (l), ==, 0);
  g_assert_cmpuint (ra_link_next (l), ==, RA_TIME_NONE);
  /* The line is free at once, as after a flush. */
  push (l, 2, S, 15);
  run (l, 1000);
  g_assert_cmpstr (log->str, ==, "~0, ~1, +2 50, ");
  ra_link_get_stats (l, &stats);
  g_assert_cmpuint (stats.in, ==, 3);
  g_assert_cmpuint (stats.out, ==, 1);
  g_assert_cmpuint (stats.bytes_in, ==, 3 * S);
  g_assert_cmpuint (stats.bytes_out, ==, S);
  push (l, 3, S, 2000);
  ra_link_free (l);
  g_assert_cmpstr (log->str, ==, "~0, ~1, +2 50, ~3, ");
}

static void
test_clear_keeps_state (void)
{
  g_autoptr (GString) log = g_string_new (NULL);
  g_autoptr (RaLink) l
      = link_new ("bottleneck rate=1M,100ms:2M ! gilbert p=1 r=0", log);

  push (l, 0, S, 0);
  run (l, 50);
  ra_link_clear (l);
  push (l, 1, S, 200); /* 5 ms at 2M: the schedule went on, still Bad */
  run (l, 1000);
  g_assert_cmpstr (
      log->str, ==, "-0 10 wireless gilbert, -1 205 wireless gilbert, ");
}

static void
test_capacity (void)
{
  g_autoptr (GString) log = g_string_new (NULL);
  RaLink *l = link_new ("delay 1s", log);

  g_assert_cmpuint (ra_link_capacity (l, 0), ==, 0);
  ra_link_free (l);
  l = link_new ("bottleneck rate=3M,1s:1M ! bottleneck rate=2M", log);
  g_assert_cmpuint (ra_link_capacity (l, 5 * RA_SECOND), ==, 2000000);
  push (l, 0, S, 1000);
  g_assert_cmpuint (ra_link_capacity (l, 1 * RA_SECOND), ==, 2000000);
  g_assert_cmpuint (ra_link_capacity (l, 2 * RA_SECOND), ==, 1000000);
  ra_link_free (l);
}

static void
log_value (const gchar *name, gdouble value, gpointer log)
{
  g_string_append_printf (log, "%s=%g ", name, value);
}

static void
test_observe (void)
{
  g_autoptr (GString) log = g_string_new (NULL);
  g_autoptr (GString) values = g_string_new (NULL);
  g_autoptr (RaLink) l
      = link_new ("delay 0 ! bottleneck rate=1M ! gilbert p=1 r=0", log);

  ra_link_observe (l, log_value, values);
  g_assert_cmpstr (values->str, ==,
      "bottleneck1.queue=0 bottleneck1.packets=0 bottleneck1.bytes=0 "
      "bottleneck1.rate=1e+06 gilbert2.bad=0 ");
  push (l, 0, S, 0);
  push (l, 1, S, 0);
  run (l, 4);
  g_string_truncate (values, 0);
  ra_link_observe (l, log_value, values);
  g_assert_cmpstr (values->str, ==,
      "bottleneck1.queue=0.016 bottleneck1.packets=2 bottleneck1.bytes=2500 "
      "bottleneck1.rate=1e+06 gilbert2.bad=0 ");
}

/* Which of 200 packets are lost on the last node, one bit each. */
static gchar *
loss_pattern (const gchar *text, guint64 seed)
{
  g_autoptr (GString) log = g_string_new (NULL);
  g_autoptr (RaLink) l = ra_link_parse (text, seed, &log_sink, log, NULL);
  gchar *pattern = g_strnfill (200, '.');

  for (guint i = 0; i < 200; i++) {
    push (l, i, S, i * 100);
    run (l, i * 100 + 99);
    if (log->str[0] == '-')
      pattern[i] = 'x';
    g_string_truncate (log, 0);
  }
  return pattern;
}

static void
test_streams (void)
{
  g_autofree gchar *alone = loss_pattern ("bernoulli .2", 1);
  g_autofree gchar *behind
      = loss_pattern ("bottleneck rate=1M ! delay 9ms ! bernoulli .2", 1);
  g_autofree gchar *third
      = loss_pattern ("bernoulli 0 ! gilbert p=0 r=1 ! bernoulli .2", 1);
  g_autofree gchar *other = loss_pattern ("bernoulli .2", 2);

  g_test_message ("models of another kind change nothing");
  g_assert_cmpstr (alone, ==, behind);
  g_test_message ("the second of a kind has numbers of its own");
  g_assert_cmpstr (alone, !=, third);
  g_assert_cmpstr (alone, !=, other);
}

static void
reenter (const RaLinkPacket *p, RaTime now, gpointer data)
{
  RaLink **l = data;

  ra_link_run (*l, now);
}

static void
test_reentry_is_refused (void)
{
  RaLinkSink sink = { reenter, log_drop, NULL };
  g_autoptr (RaLink) l = NULL;
  RaLinkPacket p = { .size = S };

  l = ra_link_parse ("", 1, &sink, &l, NULL);
  g_test_expect_message (NULL, G_LOG_LEVEL_CRITICAL, "*busy*");
  ra_link_push (l, &p, 0);
  g_test_assert_expected_messages ();
}

void
tests_add (void)
{
  rows_add ("/link/text/good", good, test_good);
  rows_add ("/link/text/bad", bad, test_bad);
  rows_add ("/link/rows", rows, test_row);
  g_test_add_func ("/link/text/too-long", test_too_long);
  g_test_add_func ("/link/queued", test_queued);
  g_test_add_func ("/link/next-and-clear", test_next_and_clear);
  g_test_add_func ("/link/clear-keeps-state", test_clear_keeps_state);
  g_test_add_func ("/link/capacity", test_capacity);
  g_test_add_func ("/link/observe", test_observe);
  g_test_add_func ("/link/streams", test_streams);
  g_test_add_func ("/link/reentry-is-refused", test_reentry_is_refused);
}
