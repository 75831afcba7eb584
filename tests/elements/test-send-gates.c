/* The parts of rtpadaptsend that decide what goes on to others and need no element:
 * requests for packets, probes, sender reports.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <plugins/rtpadapt/send/outage.h>
#include <plugins/rtpadapt/send/rtxgate.h>

#include <stdlib.h>

#define MS RA_MSECOND
#define SSRC 7

/* --- requests for packets ------------------------------------------------- */

/* Ten media packets with numbers 0 to 9 leave at 1000 ms, 1010 ms and so on; 8 is a
 * repair packet, which earns nothing.  RTT 100 ms.  `asked`: NUMBER@MS, in order;
 * y it goes on, n it does not. */
static const struct
{
  const gchar *name, *asked, *expected, *why;
} rtx_rows[] = {
  { "lost", "3@1200", "y", "a round trip after it left" },
  { "half", "3@1080", "y", "half a round trip: the queue may have emptied" },
  { "early", "3@1079", "n", "the request left before the packet came" },
  { "unknown", "11@1200", "n", "it waits here, or was dropped here" },
  { "repair", "8@1200", "n", "a repair packet is not repeated" },
  { "received", "5@1200", "n", "its feedback says that 5 came" },
  { "twice", "3@1200 3@1299", "yn", "the repetition is on its way" },
  { "again", "3@1200 3@1300", "yy", "the repetition was lost, too" },
  { "share", "0@1200 1@1200 2@1200 3@1200 4@1200", "yyyyn",
      "9 media packets earn 4, one for 2" },
};

static RaLedger *
ledger_of (RtxGate *g)
{
  RaLedger *ledger = ra_ledger_new ();

  for (guint i = 0; i < 10; i++) {
    RaLedgerEntry *p = ra_ledger_add (ledger,
        &(RaLedgerEntry){ .index = i,
            .sent = (1000 + 10 * i) * (RaTime) MS,
            .ssrc = SSRC,
            .seq = (guint16) i,
            .is_repair = i == 8 });

    ra_ledger_hear (p, i == 5);
    if (i != 8)
      rtx_gate_on_sent (g);
  }
  return ledger;
}

static void
test_rtx (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  const gchar *expected = rtx_rows[row].expected;
  g_auto (GStrv) words = g_strsplit (rtx_rows[row].asked, " ", -1);
  RtxGate g = { 0 };
  g_autofree RaLedger *ledger = ledger_of (&g);
  guint refused = 0;

  g_test_message ("%s", rtx_rows[row].why);
  for (guint i = 0; words[i]; i++) {
    gchar *at;
    guint16 seq = (guint16) strtoul (words[i], &at, 10);
    RaTime now = strtoul (at + 1, NULL, 10) * (RaTime) MS;
    RaLedgerEntry *p = ra_ledger_find (ledger, SSRC, seq);
    gboolean was_asked = p && p->asked_again > 0;
    RtxVerdict verdict = rtx_gate_ask (&g, p, 100 * MS, now);

    g_assert_cmpint (verdict != RTX_REFUSED, ==, expected[i] == 'y');
    if (verdict != RTX_REFUSED)
      g_assert_cmpint (verdict == RTX_AGAIN, ==, was_asked);
    refused += expected[i] == 'n';
  }
  g_assert_cmpuint (g.asked, ==, g_strv_length (words));
  g_assert_cmpuint (g.refused, ==, refused);
}

/* However much was sent before, 64 repetitions go at once. */
static void
test_rtx_burst (void)
{
  RtxGate g = { 0 };
  guint n = 0;

  for (guint i = 0; i < 1000; i++)
    rtx_gate_on_sent (&g);
  for (guint i = 0; i < 1000; i++) {
    RaLedgerEntry p = { .sent = 1000 * MS };

    n += rtx_gate_ask (&g, &p, 100 * MS, 2000 * MS) != RTX_REFUSED;
  }
  g_assert_cmpuint (n, ==, 64);
}

/* --- probes --------------------------------------------------------------- */

/* Behind an open breaker.  Each word is a packet, SEQ@MS, with m if the receiver
 * answers to it; the breaker lets a probe go from 1000 ms on. */
static const struct
{
  const gchar *name, *packets, *expected, *why;
} probe_rows[] = {
  { "early", "1@999m", "n", "the breaker lets none go yet" },
  { "marker", "1@1000m", "y", "the receiver answers to it" },
  { "waits", "1@1000 2@1249 3@1249m", "nny", "a better one comes" },
  { "audio", "1@1000 2@1249 3@1250", "nny", "none comes for 250 ms" },
  { "next", "1@1000m 2@1001", "yy",
      "a receiver accepts a source after two in a row (RFC 3550 A.1)" },
  { "gap", "1@1000m 3@1001", "yn", "these are not in a row" },
  { "wrap", "65535@1000m 0@1001", "yy", "but these are" },
};

static void
test_probe (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  const gchar *expected = probe_rows[row].expected;
  g_auto (GStrv) words = g_strsplit (probe_rows[row].packets, " ", -1);
  Outage o;
  guint probes = 0;

  g_test_message ("%s", probe_rows[row].why);
  outage_start (&o, 0);
  for (guint i = 0; words[i]; i++) {
    gchar *at, *end;
    OutagePacket p
        = { .ssrc = SSRC, .seq = (guint16) strtoul (words[i], &at, 10) };
    RaTime now = strtoul (at + 1, &end, 10) * (RaTime) MS;

    p.asks = *end == 'm';
    g_assert_cmpint (
        outage_take_probe (&o, &p, 1000 * MS, now), ==, expected[i] == 'y');
    probes += expected[i] == 'y';
  }
  g_assert_cmpuint (o.probes, ==, probes);
}

/* --- sender reports ------------------------------------------------------- */

/* Started at 1000 ms; times in ms, 0: never.  When is a report asked for? */
static const struct
{
  const gchar *name;
  guint sent, heard, asked;
  gboolean is_open;
  RaTime expected;
  const gchar *why;
} ask_rows[] = {
  { "nothing", 0, 0, 0, FALSE, RA_TIME_NONE, "there is nothing to report" },
  { "silent", 1500, 0, 0, FALSE, 2000 * MS, "1 s after the start" },
  { "heard", 3000, 2500, 0, FALSE, 3500 * MS, "1 s after RTCP came" },
  { "again", 3000, 0, 2900, FALSE, 3400 * MS, "and each 500 ms" },
  { "paused", 1500, 2600, 0, FALSE, RA_TIME_NONE,
      "1 s after the last packet nobody has to answer" },
  { "open", 1500, 2600, 2900, TRUE, 3400 * MS,
      "a breaker waits for an answer" },
};

static void
test_ask (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  Outage o;

  g_test_message ("%s", ask_rows[row].why);
  outage_start (&o, 1000 * MS);
  if (ask_rows[row].sent)
    outage_on_sent (&o, ask_rows[row].sent * (RaTime) MS);
  if (ask_rows[row].heard)
    outage_on_rtcp (&o, ask_rows[row].heard * (RaTime) MS);
  if (ask_rows[row].asked)
    g_assert_cmpint (
        outage_ask (&o, ask_rows[row].asked * (RaTime) MS), ==, 500 * MS);
  g_assert_cmpuint (
      outage_next_ask (&o, ask_rows[row].is_open), ==, ask_rows[row].expected);
}

/* A key frame is due after 1 s without an answer, and after a packet was dropped
 * behind a breaker. */
static void
test_refresh (void)
{
  Outage o;

  outage_start (&o, 1000 * MS);
  g_assert_cmpint (outage_on_answer (&o, 5000 * MS), ==, SEND_WANTS_NOTHING);
  g_assert_cmpint (outage_on_answer (&o, 5999 * MS), ==, SEND_WANTS_NOTHING);
  g_assert_cmpint (outage_on_answer (&o, 6999 * MS), ==, SEND_REFRESH);
  g_assert_cmpint (outage_on_answer (&o, 7000 * MS), ==, SEND_WANTS_NOTHING);
  g_assert_cmpint (outage_on_ceased (&o), ==, SEND_REFRESH);
  g_assert_cmpuint (o.ceased, ==, 1);
}

#define ADD_ROWS(rows, group, function)                                 \
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {                     \
    g_autofree gchar *path                                              \
        = g_strdup_printf ("/send-gates/" group "/%s", (rows)[i].name); \
                                                                        \
    g_test_add_data_func (path, GUINT_TO_POINTER (i), function);        \
  }

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD_ROWS (rtx_rows, "rtx", test_rtx);
  ADD_ROWS (probe_rows, "probe", test_probe);
  ADD_ROWS (ask_rows, "ask", test_ask);
  g_test_add_func ("/send-gates/rtx-burst", test_rtx_burst);
  g_test_add_func ("/send-gates/refresh", test_refresh);
  return g_test_run ();
}
