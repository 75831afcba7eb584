/* The parts of rtpadaptsend that decide what goes on to others and need no element:
 * whether packets are sent again, probes, sender reports.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <plugins/rtpadapt/send/outage.h>
#include <plugins/rtpadapt/send/rtxgate.h>

#include <stdlib.h>

#define MS RA_MSECOND
#define SSRC 7

/* --- whether the receiver uses what is sent again ------------------------- */

/* T, C, N: its feedback is tfrc, ccfb or not known, else twcc; x: it is a stranger; n: it asks for a
 * packet; R, F, 0: it says that it uses retransmissions, FEC or
 * none of them, and holds packets for 120 ms; -: it says so no longer; r: it is another one. */
static const struct
{
  const gchar *name, *heard;
  gboolean wanted, on;
  guint latency; /* ms; the property says 200 */
  const gchar *why;
  gboolean plain;
} rtx_rows[] = {
  { "silent", "", TRUE, FALSE, 200, "a receiver that may know nothing of it" },
  { "asks", "n", TRUE, TRUE, 200, "RFC 4588: it asks only for what it uses" },
  { "says", "R", TRUE, TRUE, 120, "it says so" },
  { "fec", "F", TRUE, FALSE, 120, "FEC alone" },
  { "none", "n0", TRUE, FALSE, 120, "what it says counts more" },
  { "later", "0R", TRUE, TRUE, 120, "the last word counts" },
  { "gone", "nRn-", TRUE, FALSE, 200, "another may have taken its place" },
  { "another", "R-n", TRUE, TRUE, 200, "which asks, too" },
  { "receiver", "nr", TRUE, FALSE, 200, "it has not asked" },
  { "unwanted", "nR", FALSE, FALSE, 120, "retransmission=false" },
  { "stranger", "x", TRUE, TRUE, 200, "every receiver knows plain packets",
      TRUE },
  { "stranger-tfrc", "Tx", TRUE, FALSE, 200, "it is counted as not lost" },
  { "stranger-none", "Nx", TRUE, FALSE, 200, "no report names its packets" },
  { "stranger-ccfb", "Cx", TRUE, FALSE, 200, "it is taken for the first one" },
};

static void
test_rtx (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  const RaRadpHold hold = { 120 * MS, 150 * MS, 20 * MS };
  RaTakes takes = { 0 };
  const RaFeedbackOps *kind = &ra_feedback_twcc;
  gboolean said = FALSE, stranger = FALSE;
  RaRepairConfig config = { 0 };
  RtxGate g = { 0 };

  g_test_message ("%s", rtx_rows[row].why);
  rtx_gate_on_late (&g);
  for (const gchar *c = rtx_rows[row].heard;; c++) {
    /* As after each RTCP packet. */
    config = rtx_gate_config (&g, rtx_rows[row].wanted, stranger, kind,
        said ? &takes : NULL, said ? &hold : NULL, 200 * MS);
    if (!*c)
      break;
    if (*c == 'n')
      rtx_gate_on_nack (&g);
    else if (*c == 'r')
      rtx_gate_on_receiver (&g);
    else if (*c == 'x')
      stranger = TRUE;
    else if (strchr ("TCN", *c))
      kind = *c == 'T' ? &ra_feedback_tfrc
          : *c == 'C'  ? &ra_feedback_ccfb
                       : NULL;
    else
      takes.flags = *c == 'R' ? RA_TAKES_RTX : *c == 'F' ? RA_TAKES_FEC : 0;
    said = strchr ("nrxTCN", *c) ? said : *c != '-';
  }
  g_assert_cmpint (config.on, ==, rtx_rows[row].on);
  g_assert_cmpint (g.plain, ==, rtx_rows[row].plain);
  g_assert_cmpuint (g.late, ==, 1);
  g_assert_cmpint (config.latency, ==, rtx_rows[row].latency * MS);
  g_assert_cmpint (config.follows, ==, said);
  g_assert_cmpint (config.said, ==, said);
}

/* --- whether FEC goes to the receiver --------------------------------------- */

/* As above; S: it says that it uses the Reed-Solomon code. */
static const struct
{
  const gchar *name;
  gchar said; /* 0: nothing */
  gboolean unasked, on;
  const gchar *why;
} fec_rows[] = {
  { "silent", 0, FALSE, FALSE,
      "a receiver that may not know the payload type" },
  { "agreed", 0, TRUE, TRUE, "SDP or the user agreed on it" },
  { "says", 'F', FALSE, TRUE, "it says so" },
  { "rs", 'S', FALSE, TRUE, "it says so of one code" },
  { "other", 'R', FALSE, FALSE, "retransmissions alone" },
};

static void
test_fec (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  const gchar said = fec_rows[row].said;
  const RaTakes takes = { .flags = said == 'F' ? RA_TAKES_FEC
        : said == 'S'                          ? RA_TAKES_RS
                                               : RA_TAKES_RTX };

  g_test_message ("%s", fec_rows[row].why);
  g_assert_cmpint (rtx_gate_fec (fec_rows[row].unasked, said ? &takes : NULL),
      ==, fec_rows[row].on);
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  rows_add_by ("/send-gates/rtx", rtx_rows, name, test_rtx);
  rows_add_by ("/send-gates/fec", fec_rows, name, test_fec);
  rows_add_by ("/send-gates/probe", probe_rows, name, test_probe);
  rows_add_by ("/send-gates/ask", ask_rows, name, test_ask);
  g_test_add_func ("/send-gates/refresh", test_refresh);
  return g_test_run ();
}
