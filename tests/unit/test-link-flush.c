/* Link models after a flush, when the clock goes back, and before the first
 * packet comes to them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/link.h>

#include <string.h>

typedef struct
{
  guint out, congestion;
  RaTime last;
} Seen;

static void
on_deliver (const RaLinkPacket *p, RaTime now, gpointer data)
{
  Seen *seen = data;

  seen->out++;
  seen->last = now;
}

static void
on_drop (const RaLinkPacket *p, RaCause cause, const gchar *node, RaTime now,
    gpointer data)
{
  ((Seen *) data)->congestion += cause == RA_CAUSE_CONGESTION;
}

/* A second of 10 opportunities. */
static gboolean
on_load (const gchar *name, gchar **text, gsize *length, GError **error)
{
  *text = g_strdup ("100\n200\n300\n400\n500\n600\n700\n800\n900\n1000\n");
  *length = strlen (*text);
  return TRUE;
}

static RaLink *
link_new (const gchar *text, guint64 seed, Seen *seen)
{
  static const RaLinkSink sink
      = { .deliver = on_deliver, .drop = on_drop, .load = on_load };
  GError *error = NULL;
  RaLink *l = ra_link_parse (text, seed, &sink, seen, &error);

  g_assert_no_error (error);
  return l;
}

/* 20 packets of 1,500 bytes, a flush, 2 more 1 ms later: they do not wait for
 * what is no longer there, nor are they dropped for it. */
static const struct
{
  const gchar *text;
  const gchar *why;
} rows[] = {
  { "bottleneck rate=300k queue=100ms", "40 ms each" },
  { "trace ten queue=0 bytes=3000", "100 and 200 ms" },
  { "jitter 0 rate=1k", "the second 12 s behind the first" },
  { "each jitter 0 rate=1k", "the same inside" },
  { "arq .5 delay=60 order=1", "at once until one is repeated" },
};

static void
test_row (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data), soon = 0;

  for (guint64 seed = 0; seed < 16; seed++) {
    RaLinkPacket p = { .size = 1500 };
    Seen seen = { 0 };
    g_autoptr (RaLink) l = link_new (rows[i].text, seed, &seen);

    for (guint k = 0; k < 20; k++, p.seq++)
      ra_link_push (l, &p, 0);
    ra_link_clear (l);
    g_assert_cmpuint (ra_link_held (l), ==, 0);
    seen = (Seen){ 0 };
    for (guint k = 0; k < 2; k++, p.seq++)
      ra_link_push (l, &p, RA_MSECOND);
    ra_link_run (l, RA_SECOND);
    g_assert_cmpuint (seen.congestion, ==, 0);
    soon += seen.out;
  }
  g_test_message ("%s: %s; %u of 32", rows[i].text, rows[i].why, soon);
  g_assert_cmpuint (soon, >, 0);
}

/* It stands still. */
static void
test_clock_back (void)
{
  RaLinkPacket p = { .size = 100 };
  Seen seen = { 0 };
  g_autoptr (RaLink) l = link_new ("", 1, &seen);

  ra_link_push (l, &p, RA_SECOND);
  ra_link_push (l, &p, 0);
  g_assert_cmpuint (seen.out, ==, 2);
  g_assert_cmpuint (seen.last, ==, RA_SECOND);
}

/* The hops behind a line start when it does, whether or not a packet came. */
static void
test_each_starts (void)
{
  RaLinkPacket p = { .size = 100 };
  Seen seen = { 0 };
  g_autoptr (RaLink) l
      = link_new ("delay 9 ! each bottleneck rate=3M,1s:1M", 1, &seen);

  ra_link_push (l, &p, RA_SECOND);
  g_assert_cmpuint (ra_link_capacity (l, RA_SECOND), ==, 3000000);
  g_assert_cmpuint (ra_link_capacity (l, 2 * RA_SECOND), ==, 1000000);
}

void
tests_add (void)
{
  rows_add ("/link-flush/row", rows, test_row);
  g_test_add_func ("/link-flush/clock-back", test_clock_back);
  g_test_add_func ("/link-flush/each-starts", test_each_starts);
}
