/* The parts of rtpadaptsend that need no element: clock of the feedback, log
 * of what was sent, backlog.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <plugins/rtpadapt/send/backlog.h>
#include <plugins/rtpadapt/send/twccalign.h>

#define MS GST_MSECOND
/* draft-holmer-rmcat-transport-wide-cc-extensions-01 3.1: 24 bit of 64 ms */
#define WRAP (G_GUINT64_CONSTANT (16777216) * 64 * MS)

/* --- remote-ts ---------------------------------------------------------- */

/* After a packet sent at 1000 s that arrived at `first`, one sent `sent_later`
 * after it arrives at `second`: how much later is that? */
static const struct
{
  const gchar *name;
  GstClockTime first;
  RaSpan sent_later;
  GstClockTime second;
  RaSpan expected;
  const gchar *why;
} clock_rows[] = {
  { "next", 500 * MS, 10 * MS, 512 * MS, 12 * MS, "the difference" },
  { "reordered", 500 * MS, 10 * MS, 497 * MS, -3 * MS, "it came before" },
  { "wrap", WRAP - 4 * MS, 10 * MS, 5 * MS, 9 * MS, "12.4 days later" },
  { "wrap-back", 2 * MS, 10 * MS, WRAP - 1 * MS, -3 * MS,
      "reordered over the wrap" },
  { "below-0", 1 * MS, 10 * MS, (GstClockTime) -2 * MS, -3 * MS,
      "a negative delta at base time 0" },
  { "outage", 500 * MS, 10 * MS, 7500 * MS, 7000 * MS,
      "a handover that held packets for 7 s is the path's" },
  { "epoch", 500 * MS, 10 * MS, 5000000 * MS, 10 * MS,
      "another clock: as if the delay had stayed" },
  { "epoch-back", 5000000 * MS, 10 * MS, 500 * MS, 10 * MS,
      "the receiver started anew" },
};

static void
test_clock (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  RemoteClock c = { 0 };
  RaTime sent = 1000 * RA_SECOND;
  RaTime a = remote_clock_unwrap (&c, clock_rows[row].first, WRAP, sent);
  RaTime b = remote_clock_unwrap (&c, clock_rows[row].second, WRAP,
      ra_later (sent, clock_rows[row].sent_later));

  g_test_message ("%s", clock_rows[row].why);
  g_assert_cmpint (ra_diff (b, a), ==, clock_rows[row].expected);
}

/* --- rows that may be spoilt --------------------------------------------- */

/* `rows`: a letter per packet, L: lost. */
static const struct
{
  const gchar *name, *rows;
  gboolean expected;
  const gchar *why;
} doubtful_rows[] = {
  { "empty", "", FALSE, "nothing to doubt" },
  { "14", "rLLLLLLLLLLLLLLr", FALSE, "a status vector holds 14" },
  { "15", "rLLLLLLLLLLLLLLLr", TRUE, "one more is written twice" },
  { "15-first", "LLLLLLLLLLLLLLLr", TRUE,
      "rtpsession may have added them in front, which cannot be told" },
  { "15-last", "rLLLLLLLLLLLLLLL", TRUE, "wherever they are" },
  { "14-14", "LLLLLLLLLLLLLLrLLLLLLLLLLLLLLr", FALSE, "two runs" },
};

static void
test_doubtful (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (TwccRow));

  for (const gchar *c = doubtful_rows[row].rows; *c; c++) {
    TwccRow packet = { .seq = (guint16) rows->len, .lost = *c == 'L' };

    g_array_append_val (rows, packet);
  }
  g_test_message ("%s", doubtful_rows[row].why);
  g_assert_cmpint (twcc_is_doubtful (rows), ==, doubtful_rows[row].expected);
}

/* --- the log of what was sent ------------------------------------------- */

static RaLedger *
log_new (guint n)
{
  RaLedger *log = ra_ledger_new ();

  for (guint i = 0; i < n; i++)
    ra_ledger_add (log,
        &(RaLedgerEntry){
            .index = i,
            .passed = i * MS,
            .passed_by = i * MS + MS / 2,
            .payload = 100 + i % 7,
            .ssrc = 1,
            .seq = (guint16) i,
        });
  return log;
}

static GArray *
rows_of (guint from, guint to, guint16 base)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (TwccRow));

  for (guint i = from; i < to; i++) {
    TwccRow row = {
      .seq = (guint16) (base + i),
      .local = i * MS + MS / 4,
      .size = 100 + i % 7,
    };

    g_array_append_val (rows, row);
  }
  return rows;
}

/* What `number` finds when `n` were sent and rtpsession's numbers begin at
 * `base`: the packet's index, or -1. */
static const struct
{
  const gchar *name;
  guint n;
  guint16 base, number;
  gint64 expected;
  const gchar *why;
} log_rows[] = {
  { "plain", 100, 0, 42, 42, "it began with us" },
  { "began-before", 100, 5000, 5042, 42, "it began before us" },
  { "base-wraps", 100, 65500, 6, 42, "65500 + 42 = 65542 = 6 (mod 65536)" },
  { "second-round", 70000, 0, 1000, 66536, "the youngest with that number" },
  { "too-old", 70000, 0, 10000, -1, "10000 left the log long ago" },
  { "not-sent", 100, 0, 100, -1, "nobody sent it" },
};

static void
test_log (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  guint n = log_rows[row].n;
  g_autofree RaLedger *log = log_new (n);
  g_autoptr (GArray) rows = rows_of (n - 10, n, log_rows[row].base);
  TwccRow unknown
      = { .seq = log_rows[row].number, .local = GST_CLOCK_TIME_NONE };
  const RaLedgerEntry *p;
  TwccAlign align = { 0 };

  g_test_message ("%s", log_rows[row].why);
  g_assert_null (twcc_map (&align, log, &unknown));
  g_assert_false (twcc_align (&align, log, rows));
  p = twcc_map (&align, log, &unknown);
  g_assert_cmpint (p ? (gint64) p->index : -1, ==, log_rows[row].expected);
}

/* A row that contradicts the log moves nothing. */
static void
test_log_wrong (void)
{
  g_autofree RaLedger *log = log_new (100);
  g_autoptr (GArray) rows = rows_of (0, 10, 7);
  TwccAlign align = { 0 };
  TwccRow row;

  g_assert_false (twcc_align (&align, log, rows));
  g_array_set_size (rows, 3);
  g_array_index (rows, TwccRow, 1).size = 99;
  g_array_index (rows, TwccRow, 2).local += MS / 2;
  g_assert_false (twcc_align (&align, log, rows));
  row = g_array_index (rows, TwccRow, 0);
  g_assert_cmpuint (twcc_map (&align, log, &row)->index, ==, 0);
  for (guint i = 1; i < 3; i++)
    g_assert_null (twcc_map (&align, log, &g_array_index (rows, TwccRow, i)));
}

/* The latest packet of these RTP numbers. */
static void
test_log_rtp (void)
{
  g_autofree RaLedger *log = log_new (66000);

  g_assert_cmpuint (ra_ledger_find (log, 1, 400)->index, ==, 65936);
  g_assert_null (ra_ledger_find (log, 2, 400));
  g_assert_null (ra_ledger_find (log, 1, 10000));
}

/* --- the backlog -------------------------------------------------------- */

/* At 800 kbit/s 1,000 bytes are 10 ms; the limit is 25 ms. */
static gboolean
backlog_take (Backlog *b, guint32 ssrc, guint32 timestamp, gboolean is_repair)
{
  BacklogItem item = {
    .object = GST_MINI_OBJECT_CAST (gst_buffer_new ()),
    .is_packet = TRUE,
    .is_repair = is_repair,
    .size = 1000,
    .ssrc = ssrc,
    .timestamp = timestamp,
  };
  gboolean taken = backlog_push_packet (b, &item, 25 * MS, 800000);

  if (!taken)
    gst_mini_object_unref (item.object);
  return taken;
}

static void
test_backlog_streams (void)
{
  Backlog *b = backlog_new ();
  BacklogItem item;

  /* Two streams in turns: neither cuts the other's frame. */
  for (guint i = 0; i < 3; i++) {
    g_assert_true (backlog_take (b, 1, 10, FALSE));
    g_assert_true (backlog_take (b, 2, 10, FALSE));
  }
  g_assert_cmpint (backlog_span (b, 800000), ==, 60 * MS);
  /* A retransmission is no part of a frame, and begins none. */
  g_assert_false (backlog_take (b, 1, 9, TRUE));
  g_assert_true (backlog_take (b, 1, 10, FALSE));
  g_assert_cmpuint (backlog_dropped_frames (b), ==, 0);
  g_assert_false (backlog_take (b, 1, 11, FALSE));
  g_assert_true (backlog_take (b, 2, 10, FALSE));
  g_assert_cmpuint (backlog_dropped_frames (b), ==, 1);
  g_assert_cmpuint (backlog_dropped (b), ==, 2);

  backlog_push_event (b, gst_event_new_eos ());
  for (guint i = 0; i < 8; i++) {
    backlog_pop (b, &item);
    g_assert_true (item.is_packet);
    gst_mini_object_unref (item.object);
  }
  g_assert_cmpint (backlog_span (b, 800000), ==, 0);
  g_assert_false (backlog_peek (b)->is_packet);
  backlog_clear (b);
  g_assert_null (backlog_peek (b));
  backlog_free (b);
}

/* A rate so low that one packet is beyond every limit still sends frames. */
static void
test_backlog_slow (void)
{
  Backlog *b = backlog_new ();
  BacklogItem item = { 0 };

  item.is_packet = TRUE;
  item.size = 1000;
  for (guint i = 0; i < 16; i++) {
    item.object = GST_MINI_OBJECT_CAST (gst_buffer_new ());
    g_assert_true (backlog_push_packet (b, &item, 25 * MS, 1000));
  }
  backlog_free (b);
}

static void
add_row (const gchar *group, const gchar *name, guint row, GTestDataFunc f)
{
  g_autofree gchar *path = g_strdup_printf ("/send-parts/%s/%s", group, name);

  g_test_add_data_func (path, GUINT_TO_POINTER (row), f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (clock_rows); i++)
    add_row ("clock", clock_rows[i].name, i, test_clock);
  for (guint i = 0; i < G_N_ELEMENTS (doubtful_rows); i++)
    add_row ("doubtful", doubtful_rows[i].name, i, test_doubtful);
  for (guint i = 0; i < G_N_ELEMENTS (log_rows); i++)
    add_row ("log", log_rows[i].name, i, test_log);
  g_test_add_func ("/send-parts/log/wrong", test_log_wrong);
  g_test_add_func ("/send-parts/log/rtp", test_log_rtp);
  g_test_add_func ("/send-parts/backlog/streams", test_backlog_streams);
  g_test_add_func ("/send-parts/backlog/slow", test_backlog_slow);
  return g_test_run ();
}
