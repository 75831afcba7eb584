/* Recorded capacity: what leaves when, by hand; wrong files and wrong texts of
 * the radio's models.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/rtpadapt/link.h>

#include <stdlib.h>
#include <string.h>

static const gchar *trace_text;
static gsize trace_length;

static gboolean
trace_load (const gchar *name, gchar **text, gsize *length, GError **error)
{
  *length = trace_length;
  *text = g_malloc (trace_length + 1);
  memcpy (*text, trace_text, trace_length);
  (*text)[trace_length] = '\0';
  return TRUE;
}

static void
log_deliver (const RaLinkPacket *p, RaTime now, gpointer log)
{
  g_string_append_printf (log, "+%u %.9g (%.9g) ", (guint) p->seq,
      (gdouble) now / 1e6, (gdouble) p->queued / 1e6);
}

static void
log_drop (const RaLinkPacket *p, RaCause cause, const gchar *node, RaTime now,
    gpointer log)
{
  g_string_append_printf (log, "-%u %.9g %s %s ", (guint) p->seq,
      (gdouble) now / 1e6, ra_cause_nick (cause), node);
}

static const RaLinkSink trace_sink
    = { log_deliver, log_drop, NULL, trace_load };

/* Packets as "MS:SIZE" come in order; "+NUMBER MS (MS in the queue)" leave.
 * The first is at 0 ms: the start.  All by hand from mm-link(1): each line is
 * 1504 bytes, from which the queue is served in order, in parts if need be. */
static const struct
{
  const gchar *trace, *params, *packets, *out;
  const gchar *why;
} rows[] = {
  { "5\n10\n", "", "0:1504 0:1504 0:1504", "+0 5 (5) +1 10 (10) +2 15 (15) ",
      "one each; it repeats after 10 ms" },
  { "5\n10", "", "0:1504 6:1000", "+0 5 (5) +1 10 (4) ",
      "no end of line at the end" },
  { "5\r\n10\r\n", "", "0:1504 6:1000", "+0 5 (5) +1 10 (4) ", "DOS" },
  { "1\n", "", "0:1504 0:1504 2.5:1504", "+0 1 (1) +1 2 (2) +2 3 (0.5) ",
      "12 Mbit/s, mahimahi's own example" },
  { "4\n4\n4\n", "", "0:1504 0:1504 0:1504 0:1504",
      "+0 4 (4) +1 4 (4) +2 4 (4) +3 8 (8) ", "three in one ms" },
  { "5\n", "", "0:500 0:500 0:504 0:1",
      "+0 5 (5) +1 5 (5) +2 5 (5) +3 10 (10) ", "1504 bytes of several" },
  { "5\n", "", "0:1000 0:1000 0:1000", "+0 5 (5) +1 10 (10) +2 10 (10) ",
      "504 of the second go at 5; 496 + 1000 at 10" },
  { "5\n", "", "0:4000 0:512 0:1", "+0 15 (15) +1 15 (15) +2 20 (20) ",
      "4000 = 1504 + 1504 + 992; 512 are left" },
  { "5\n", "", "0:1000 5:504", "+0 5 (5) +1 10 (5) ",
      "504 bytes of 5 are lost: nobody was there" },
  { "5\n", "", "0:1000 4:504", "+0 5 (5) +1 5 (1) ", "somebody was there" },
  { "5\n", "", "0:100 12:100 15:100", "+0 5 (5) +1 15 (3) +2 20 (5) ",
      "at the very time is too late" },
  { "0\n3\n", "", "0:1504 0:1504 0:1504 0:1504",
      "+0 3 (3) +1 3 (3) +2 6 (6) +3 6 (6) ",
      "its 0 falls on the 3 of the round before; the first is missed" },
  { "2\n100\n", "", "0:1504 3:1504 3:1504", "+0 2 (2) +1 100 (97) +2 102 (99) ",
      "an outage" },
  { "5\n", "packets=2 queue=0", "0:1504 0:1504 0:1504 6:1504",
      "-2 0 congestion trace +0 5 (5) +1 10 (10) +3 15 (9) ", "packets" },
  { "5\n", "bytes=2000 queue=0", "0:1504 0:496 0:1 6:1000 6:505 6:504",
      "-2 0 congestion trace +0 5 (5) -4 6 congestion trace +1 10 (10) "
      "+3 10 (4) +5 15 (9) ",
      "bytes: 496 + 1000 + 505 are 2001, 504 just fit" },
  /* 1504 bytes in 5 ms: 20 ms are 6016 bytes */
  { "5\n", "queue=20ms", "0:6000 0:16 0:1",
      "-2 0 congestion trace +0 20 (20) +1 20 (20) ", "time" },
  { "5\n", "packets=1 bytes=1 queue=1ns", "0:1504 0:0 6:1504",
      "-1 0 congestion trace +0 5 (5) +2 10 (4) ",
      "the empty queue takes any" },
  { "5\n", "queue=0", "0:0 5:0", "+0 5 (5) +1 10 (5) ",
      "an empty packet waits for its turn as well" },
};

static void
test_trace (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree gchar *text
      = g_strdup_printf ("trace file=any %s", rows[row].params);
  g_auto (GStrv) packets = g_strsplit (rows[row].packets, " ", -1);
  g_autoptr (GString) log = g_string_new (NULL);
  GError *error = NULL;
  g_autoptr (RaLink) link = NULL;

  trace_text = rows[row].trace;
  trace_length = strlen (trace_text);
  link = ra_link_parse (text, 1, &trace_sink, log, &error);
  g_assert_no_error (error);
  g_test_message ("%s", rows[row].why);
  for (guint i = 0; packets[i]; i++) {
    gchar *size;
    gdouble ms = g_ascii_strtod (packets[i], &size);
    RaLinkPacket p = { .seq = i, .size = (guint) atoi (size + 1) };

    ra_link_push (link, &p, (RaTime) (ms * 1e6));
  }
  ra_link_run (link, RA_SECOND);
  g_assert_cmpstr (log->str, ==, rows[row].out);
}

/* Over the second to come: ten times 1504 bytes are 120,320 bits. */
static void
test_trace_capacity (void)
{
  g_autoptr (GString) log = g_string_new (NULL);
  RaLinkPacket p = { .size = 1 };
  RaLink *link;

  trace_text = "100\n";
  trace_length = 4;
  link = ra_link_parse ("trace any", 1, &trace_sink, log, NULL);
  g_assert_cmpuint (ra_link_capacity (link, 0), ==, 120320);
  ra_link_free (link);

  /* Two at 1 s, one at 1.5 s, none until 4 s; then again from 4 s on. */
  trace_text = "1000\n1000\n1500\n4000\n";
  trace_length = strlen (trace_text);
  link = ra_link_parse ("trace any", 1, &trace_sink, log, NULL);
  ra_link_push (link, &p, 7 * RA_SECOND); /* starts the file */
  g_assert_cmpuint (ra_link_capacity (link, 7 * RA_SECOND), ==, 2 * 12032);
  g_assert_cmpuint (ra_link_capacity (link, 8 * RA_SECOND), ==, 12032);
  g_assert_cmpuint (ra_link_capacity (link, 9 * RA_SECOND), ==, 0);
  g_assert_cmpuint (ra_link_capacity (link, 10 * RA_SECOND), ==, 12032);
  g_assert_cmpuint (ra_link_capacity (link, 11 * RA_SECOND), ==, 2 * 12032);
  ra_link_free (link);
}

/* --- the text --------------------------------------------------------- */

static gboolean
nothing_there (const gchar *name, gchar **text, gsize *length, GError **error)
{
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "no %s", name);
  return FALSE;
}

static const struct
{
  const gchar *text;
  gboolean (*load) (const gchar *, gchar **, gsize *, GError **);
  const gchar *trace;
  gsize length;         /* 0: to its NUL */
  const gchar *message; /* a part of it */
} bad[] = {
  { "trace", trace_load, "1\n", 0, "trace: file= is missing" },
  { "trace any", NULL, "1\n", 0, "trace: file=any: this program reads no" },
  { "trace /a/b", nothing_there, "1\n", 0, "trace: no /a/b" },
  { "trace /a b", nothing_there, "1\n", 0, "no blank" },
  { "trace any", trace_load, "", 0, "file=any: line 1: " },
  { "trace any", trace_load, "\n", 0, "file=any: line 1: " },
  { "trace any", trace_load, "0\n0\n", 0, "line 2: " },
  { "trace any", trace_load, "1\n2\nthree\n4\n", 0, "line 3: " },
  { "trace any", trace_load, "1\n2x\n", 0, "line 2: " },
  { "trace any", trace_load, "1\n-2\n", 0, "line 2: " },
  { "trace any", trace_load, "1\n\n2\n", 0, "line 2: " },
  { "trace any", trace_load, "1\n 2\n", 0, "line 2: " },
  { "trace any", trace_load, "5\n4\n", 0, "line 2: " },
  { "trace any", trace_load, "5\n1000000001\n", 0, "line 2: " },
  { "trace any", trace_load, "5\n18446744073709551616\n", 0, "line 2: " },
  { "trace any", trace_load, "5\n6\0\n7\n", 7, "line 3: " },
  { "trace any queue=-1", trace_load, "5\n", 0, "queue=-1" },
  { "delay file=x", trace_load, "5\n", 0, "no parameter 'file'" },
  { "jakes 1", NULL, "", 0, "loss=1" },
  { "jakes loss=3 %", NULL, "", 0, "loss=3" },
  { "jitter -1ms", NULL, "", 0, "std=-1ms" },
  { "arq", NULL, "", 0, "arq: p= is missing" },
  { "arq 2", NULL, "", 0, "p=2" },
};

static void
test_bad (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  RaLinkSink sink = trace_sink;
  g_autoptr (GError) error = NULL;

  sink.load = bad[row].load;
  trace_text = bad[row].trace;
  trace_length = bad[row].length ? bad[row].length : strlen (trace_text);
  g_assert_null (ra_link_parse (bad[row].text, 1, &sink, NULL, &error));
  g_test_message ("%s: %s", bad[row].text, error->message);
  g_assert_nonnull (strstr (error->message, bad[row].message));
}

/* The last file= counts. */
static void
test_file_twice (void)
{
  g_autoptr (GString) log = g_string_new (NULL);
  g_autoptr (RaLink) link = NULL;

  trace_text = "1\n2\n3\n";
  trace_length = strlen (trace_text);
  link = ra_link_parse ("trace a file=b", 1, &trace_sink, log, NULL);
  g_assert_nonnull (link);
}

void
tests_add (void)
{
  rows_add ("/link-trace/rows", rows, test_trace);
  rows_add ("/link-trace/bad", bad, test_bad);
  g_test_add_func ("/link-trace/capacity", test_trace_capacity);
  g_test_add_func ("/link-trace/file-twice", test_file_twice);
}
