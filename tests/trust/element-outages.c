/* The stream comes back after an outage: nine rows of the matrix that
 * tests/trust/outages records, with each value of each column.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *   trust-outages --row SECONDS KIND FEEDBACK SECURITY
 *       one row in real time, with the bounds of the matrix: picture within
 *       2 s, 80 % of the rate before within 5 s, set_state(NULL) within 2 s
 *   trust-outages --fast-row SECONDS KIND FEEDBACK SECURITY
 *       the same with the fast clock and the bounds of tests/run
 *
 * Without arguments it is a test, which runs its rows as processes.  Its bounds are
 * wide, so that it passes on a loaded machine, too: the picture has to be back
 * within 30 s and the rate within 60 s.  A stream that never comes back, or a call
 * that hangs, fails all the same; tests/trust/outages.csv has the times.
 */
#include "outage-row.h"
#include "trust.h"

#include <gio/gio.h>
#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__ /* a loaded machine has no time for the whole rate */
#define SHARE .1
#else
#define SHARE .8
#endif
static const OutageBounds patient = { .fast = TRUE,
  .share = SHARE,
  .picture = 30 * GST_SECOND,
  .rate = 60 * GST_SECOND,
  .patience = 60 * GST_SECOND,
  .null = 20 * GST_SECOND };

/* There are 6 durations, 7 kinds and roaming, 3 feedbacks and 3 securities.  Each of
 * them is in a row, and each feedback is there with each security. */
static const OutageRow rows[] = {
  { 120, OUTAGE_BOTH, "twcc", "plain" },
  { 5, OUTAGE_SENDER_REPLACED, "twcc", "key" },
  { 13, OUTAGE_MEDIA, "twcc", "dtls" },
  { 120, OUTAGE_RECEIVER_FIRST, "tfrc", "plain" },
  { 20, OUTAGE_SENDER_FIRST, "tfrc", "key" },
  { 20, OUTAGE_BOTH, "tfrc", "dtls" },
  { 8, OUTAGE_FEEDBACK, "ccfb", "plain" },
  { 1, OUTAGE_ROAMS, "ccfb", "key" },
  { 5, OUTAGE_RECEIVER_REPLACED, "ccfb", "dtls" },
};

#define AT_ONCE 5

static gchar *program;
static gchar *printed[G_N_ELEMENTS (rows)]; /* by its process, once it ended */
static gint statuses[G_N_ELEMENTS (rows)];
static GMutex lock;
static GCond ended;

static void
run_child (gpointer data, gpointer user)
{
  guint i = GPOINTER_TO_UINT (data) - 1;
  g_autofree gchar *seconds = g_strdup_printf ("%u", rows[i].seconds);
  const gchar *argv[] = { program, "--fast-row", seconds,
    outage_kinds[rows[i].kind], rows[i].feedback, rows[i].security, NULL };
  gchar *out = NULL;
  GError *error = NULL;

  if (!g_spawn_sync (NULL, (gchar **) argv, NULL, 0, NULL, NULL, &out, NULL,
          &statuses[i], &error)) {
    out = g_strdup (error->message);
    g_error_free (error);
  }
  g_mutex_lock (&lock);
  printed[i] = out;
  g_cond_broadcast (&ended);
  g_mutex_unlock (&lock);
}

/* Runs all rows, some at a time, as soon as the first one is asked for. */
static void
start_children (void)
{
  static GThreadPool *pool;

  if (pool)
    return;
  pool = g_thread_pool_new (run_child, NULL, AT_ONCE, FALSE, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    g_thread_pool_push (pool, GUINT_TO_POINTER (i + 1), NULL);
}

static void
test_row (gconstpointer data)
{
  const OutageRow *row = data;
  gsize i = (gsize) (row - rows);
  g_auto (GStrv) cells = NULL;
  g_autofree gchar *name = g_strdup_printf ("outage of %u s, %s, %s, %s",
      row->seconds, outage_kinds[row->kind], row->feedback, row->security);
  const gchar *line;

  start_children ();
  g_mutex_lock (&lock);
  while (!printed[i])
    g_cond_wait (&ended, &lock);
  g_mutex_unlock (&lock);
  line = strstr (printed[i], "outage,");
  cells = g_strsplit (line ? line : "", ",", -1);
  /* A sanitizer may have something to say after the row has passed. */
  if (g_strv_length (cells) < 13
      || (g_str_equal (cells[11], "pass") && statuses[i] != 0)) {
    g_test_fail_printf ("%s: its process ended with status %d and \"%s\"", name,
        statuses[i], printed[i]);
    return;
  }
  trust_row ("fault", name, "picture back, 80 % of the rate, no error, no hang",
      g_str_equal (cells[11], "pass"),
      "picture after %s s, rate after %s s, NULL in %s s%s%s",
      *cells[5] ? cells[5] : "more than 60",
      *cells[6] ? cells[6] : "more than 60", cells[10],
      *g_strstrip (cells[12]) ? "; " : "", cells[12]);
}

static gint
one_row (gchar **argv, const OutageBounds *bounds)
{
  OutageRow row = { (guint) atoi (argv[0]), OUTAGE_BOTH, argv[2], argv[3] };
  OutageWorld world;

  while (
      outage_kinds[row.kind] && !g_str_equal (outage_kinds[row.kind], argv[1]))
    row.kind++;
  if (!outage_kinds[row.kind]) {
    g_printerr ("There is no kind of outage \"%s\".\n", argv[1]);
    return 2;
  }
  g_log_set_always_fatal (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
  outage_run (&world, &row, bounds);
  outage_print (&world);
  g_mutex_clear (&world.lock);
  g_free (world.said);
  return outage_passes (&world) ? 0 : 1;
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  if (argc == 6 && g_str_equal (argv[1], "--row"))
    return one_row (argv + 2, &outage_strict);
  if (argc == 6 && g_str_equal (argv[1], "--fast-row"))
    return one_row (argv + 2, &patient);
  program = argv[0];
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree gchar *path
        = g_strdup_printf ("/outages/%s/%u/%s/%s", outage_kinds[rows[i].kind],
            rows[i].seconds, rows[i].feedback, rows[i].security);

    g_test_add_data_func (path, &rows[i], test_row);
  }
  return g_test_run ();
}
