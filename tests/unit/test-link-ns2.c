/* RED and RIO against ns-2's, by their authors.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Wanted values are those that tests/papers/ns2-queues.tcl prints: constant
 * rates of 1,000-byte packets into 1 Mbit/s and a buffer of 100 packets, from
 * 100 to 2,000 s.
 */
#include <gst/rtpadapt/link.h>

#include <math.h>

#include "../rows.h"

#define FROM (100 * RA_SECOND)
#define UNTIL (2000 * RA_SECOND)
#define SIZE 1000

typedef struct
{
  const gchar *text, *name;
  guint kbps[3];
  gdouble avg;        /* ns-2's, packets */
  gdouble through[3]; /* ns-2's, kbit/s */
  const gchar *why;
} Row;

#define RED "red rate=1M queue=0 packets=100 max-p=.1 "
#define RIO "rio rate=1M queue=0 bytes=0 packets=100 "

static const Row rows[] = {
  { RED "gentle=0 wait=0", "red0.avg", { 1100 }, 47.84, { 1000 },
      "red false false 1100" },
  { RED "gentle=0 wait=1", "red0.avg", { 1050 }, 60.44, { 1000 },
      "red false true 1050" },
  { RED "gentle=1 wait=1", "red0.avg", { 1200 }, 87.14, { 1000 },
      "red true true 1200" },
  { RED "gentle=1 wait=0", "red0.avg", { 1300 }, 76.24, { 1000 },
      "red true false 1300" },
  { RIO, "rio0.red_avg", { 400, 400, 400 }, 29.80, { 400, 400, 200 },
      "rio RIO-C 400 400 400" },
  { RIO, "rio0.red_avg", { 300, 900, 100 }, 49.53, { 300, 700, 0 },
      "rio RIO-C 300 900 100" },
  { RIO, "rio0.red_avg", { 1010, 100, 100 }, 55.10, { 1000, 0, 0 },
      "rio RIO-C 1010 100 100" },
  { RIO "coupled=0", "rio0.red_avg", { 400, 400, 400 }, 29.84,
      { 400, 400, 200 }, "rio WRED 400 400 400" },
  { RIO "coupled=0", "rio0.red_avg", { 300, 900, 100 }, 49.36, { 300, 700, 0 },
      "rio WRED 300 900 100" },
};

typedef struct
{
  const Row *row;
  RaTime next[3];
  gdouble through[3]; /* kbit */
  gdouble sum;
  guint samples;
} Run;

static void
on_deliver (const RaLinkPacket *p, RaTime now, gpointer data)
{
  if (now > FROM)
    ((Run *) data)->through[p->flow] += SIZE * 8 / 1e3;
}

static void
on_drop (const RaLinkPacket *p, RaCause cause, const gchar *node, RaTime now,
    gpointer data)
{
}

static void
on_value (const gchar *name, gdouble value, gpointer data)
{
  Run *run = data;

  if (!g_str_equal (name, run->row->name))
    return;
  run->sum += 100 * value;
  run->samples++;
}

/* Whose packet is next. */
static guint
run_next (const Run *run)
{
  guint flow = 0;

  for (guint i = 1; i < 3; i++) {
    if (run->row->kbps[i] && run->next[i] < run->next[flow])
      flow = i;
  }
  return flow;
}

static void
test_row (gconstpointer data)
{
  RaLinkSink sink = { on_deliver, on_drop };
  Run run = { .row = &rows[GPOINTER_TO_UINT (data)],
    .next = { 0, 3700000, 7400000 } };
  g_autoptr (RaLink) l = ra_link_parse (run.row->text, 1, &sink, &run, NULL);
  RaTime sample = FROM, now;

  g_assert_nonnull (l);
  while ((now = run.next[run_next (&run)]) < UNTIL) {
    guint flow = run_next (&run);
    RaLinkPacket p
        = { .flow = flow, .size = SIZE, .mark = RA_MARK_GREEN + flow };

    for (; sample < now; sample += 50 * RA_MSECOND)
      ra_link_observe (l, on_value, &run);
    ra_link_push (l, &p, now);
    run.next[flow] += (RaTime) (SIZE * 8e6 / run.row->kbps[flow]);
  }
  g_test_message ("%s: average %.2f, ns-2 %.2f", run.row->why,
      run.sum / run.samples, run.row->avg);
  /* of a hundred packets; the random numbers differ */
  g_assert_cmpfloat (fabs (run.sum / run.samples - run.row->avg), <=, .3);
  for (guint i = 0; i < 3; i++) {
    gdouble through = run.through[i] / ra_seconds (UNTIL - FROM);

    g_test_message ("%.1f kbit/s, ns-2 %.1f", through, run.row->through[i]);
    g_assert_cmpfloat (fabs (through - run.row->through[i]), <=, 1);
  }
}

void
tests_add (void)
{
  rows_add ("/link-ns2", rows, test_row);
}
