/* The sender's ear: what it makes of compounds, byte by byte, of rows and of
 * losses.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "heard-fixture.h"
#include "heard-nick.h"

#include "../rows.h"

#include <gst/rtpadapt/ledger.h>
#include <stdlib.h>
#include <string.h>

#define MS RA_MSECOND

/* --- compounds --------------------------------------------------------------- */

/* RFC 3550 6.4.2: an RR from SSRC 0x63 with a block about `ssrc`, number 15. */
#define RR(ssrc, lsr)                      \
  "81 c9 00 07 00 00 00 63 00 00 00 " ssrc \
  " 00 00 00 00 00 00 00 0f 00 00 00 00 " lsr " 00 00 00 00 "
#define NO_LSR "00 00 00 00"
/* RFC 4585 6.1: RTPFB with FMT (the first byte) from 0x63 about `ssrc`. */
#define FB(first, words, ssrc) \
  first " cd 00 " words " 00 00 00 63 00 00 00 " ssrc " "
/* RFC 8888 3.1: two metrics from number `begin` on, and the time of the report;
 * 80 05 is received 5/1024 s before that, without ECN, 00 00 is not. */
#define CCFB(ssrc, begin, metrics) \
  FB ("8b", "05", ssrc) "00 " begin " 00 02 " metrics " 00 01 00 00 "
/* draft-ietf-avt-tfrc-profile-10, 6: t_i is 1,000,150,000 us, of packet 15. */
#define TFRC(ssrc) \
  FB ("82", "06", ssrc) "3b 9d 13 f0 00 00 00 00 00 00 00 00 00 00 00 00 "
/* RFC 3550 6.7: APP "RADP" with a subtype, and four bytes. */
#define APP(first, data) first " cc 00 03 00 00 00 63 52 41 44 50 " data " "
/* draft-holmer-rmcat-...-01 3.1: from number 0 on two packets that arrived, each
 * with a delta of 1/4 ms. */
#define TWCC(chunk) \
  FB ("8f", "06", "01") "00 00 00 02 00 00 00 00 " chunk " 01 01 00 00 00 00 "
#define TWCC_WHOLE "20 02"
#define TWCC_RESERVED "60 02" /* a status that there is not */

/* Packets 0 to 15 left.  `kind`: T tfrc, C ccfb, W twcc, N none.  `compounds`:
 * separated by "|"; in front of one stands s, if a number is left out and another
 * packet sent, or r, if an element behind us numbers packets again.  `expected`: the
 * news of each, and what is counted. */
static const struct
{
  gchar kind;
  const gchar *compounds, *expected, *why;
} compound_rows[] = {
  { 'N', RR ("01", NO_LSR), "changed reported;", "RFC 8083 4.1: it is alive" },
  { 'T', RR ("01", NO_LSR), "changed reported;", "whatever the kind in use" },
  { 'N', RR ("02", NO_LSR), ";", "about somebody else" },
  { 'N', "82 c9 00 07", ";", "cut short" },
  { 'N',
      "82 c9 00 07 00 00 00 63 00 00 00 02 00 00 00 00 00 00 00 0f 00 00 00 00 "
      "00 00 00 00 00 00 00 00",
      ";", "one of two blocks, about somebody else" },
  { 'N',
      "a1 c9 00 08 00 00 00 63 00 00 00 01 00 00 00 00 00 00 00 0f 00 00 00 00 "
      "00 00 00 00 00 00 00 00 00 00 00 04",
      "changed reported;", "4 bytes of padding (RFC 3550 6.4.1)" },
  { 'N', "a0 c9 00 02 00 00 00 63 00 00 00 03", "; malformed 1",
      "6.4.1: a multiple of four" },
  { 'N', "a0 c9 00 01 00 00 00 00 " RR ("01", NO_LSR), "; malformed 1",
      "0 bytes of padding are none; padding ends a compound" },
  { 'N', "a0 c9 00 01 00 00 00 09 ", "; malformed 1", "more than the packet" },
  { 'N', "80 c9 00 01 00 00 00 63 " RR ("01", NO_LSR), "changed reported;",
      "an RR without blocks, and one with" },
  { 'N', "80 d5 00 01 00 00 00 63 " RR ("01", NO_LSR), "changed reported;",
      "RFC 3550 6.1: a type that is not known is skipped" },
  { 'N', "80 cd 00 01 00 00 00 63 " RR ("01", NO_LSR), ";",
      "nothing is read behind a packet that is too short for its type" },
  { 'N', "41 c9 00 01 00 00 00 63 ", ";", "version 1" },
  { 'N', RR ("01", "12 34 56 78"), "changed reported;", "our LSR" },

  { 'C', CCFB ("01", "00", "80 05 80 04"), "changed answered; ok 1",
      "both arrived" },
  { 'C', CCFB ("01", "00", "80 05 80 04") "|" CCFB ("01", "00", "80 05 80 04"),
      "changed answered /; ok 1, old 1",
      "RFC 8888 3: reports overlap, the second has no news" },
  { 'C', CCFB ("01", "0e", "81 00 81 00") "|" CCFB ("01", "0e", "80 05 80 04"),
      "changed / changed answered; ok 1, contrary 1",
      "15 left 10 ms ago, and cannot have come 250 ms ago: both are news" },
  { 'C', CCFB ("02", "00", "80 05 80 04"), "; foreign 1", "another SSRC" },
  { 'C', CCFB ("01", "64", "00 00 00 00"), "; unsent 1, unmapped 2",
      "100 and 101 are missing, as nobody sent them" },
  { 'C', CCFB ("01", "0f", "80 05 80 04"), "changed; unsent 1",
      "RFC 8888 10: 16 came, but 15 was the last; a guess is no lie" },
  { 'C', CCFB ("01", "0f", "80 05 80 04") "|" CCFB ("01", "0e", "80 05 80 04"),
      "changed / changed answered; ok 1, unsent 1",
      "nothing of it was believed: 15 is news" },
  { 'C', "s" CCFB ("01", "10", "80 05 80 04"), "changed lie; unsent 1",
      "16 was left out (RFC 8888 10)" },
  { 'C', "s" CCFB ("01", "10", "00 00 80 04"), "changed answered; ok 1",
      "an honest receiver misses it, and it counts for nothing" },
  { 'C', "rs" CCFB ("01", "10", "80 05 80 04"), "changed answered; ok 1",
      "someone else's 16" },
  { 'C', FB ("8b", "05", "01") "00 00 00 03 80 05 80 04 00 01 00 00",
      "; malformed 1", "three metrics do not fit" },
  { 'C', FB ("8b", "02", "01"), ";", "RFC 8888 3.1: no block at all" },
  { 'W', CCFB ("01", "00", "80 05 80 04"), "other; unasked 1",
      "not what is set" },

  { 'T', TFRC ("01"), "changed answered; ok 1", "10 ms after packet 15" },
  { 'T', TFRC ("02"), "; foreign 1", "another SSRC" },
  { 'T', FB ("82", "05", "01") "3b 9d 13 f0 00 00 00 00 00 00 00 00",
      "; malformed 1", "12 of 16 bytes" },
  { 'T',
      FB ("82", "06", "01") "3b 9d 13 f1 00 00 00 00 00 00 00 00 00 00 00 00",
      "; unsent 1", "nothing left in that microsecond" },
  { 'C', TFRC ("01"), "other; unasked 1", "not what is set" },
  { 'N', TFRC ("01"), "other; unasked 1", "nothing may be used" },
  { 'T', APP ("80", "00 00 00 00"), "; foreign 1", "RADP without TFRC-FB" },
  { 'T', APP ("80", "00 00 00 00") TFRC ("01"),
      "changed answered; ok 1, malformed 1", "too short to be RADP" },
  { 'C', APP ("80", "00 00 00 00"), ";", "not read: it is not of ccfb" },
  { 'W', APP ("81", "63 63 66 62"), "wish;", "it is set to \"ccfb\"" },
  { 'W', APP ("81", "63 63 66 63"), ";", "nobody knows \"ccfc\"" },

  { 'W', APP ("82", "00 01 86 a0"), ";",
      "how long it holds packets, cut off: not taken, and no fault" },

  { 'W', TWCC (TWCC_WHOLE), ";", "rtpsession will say what is in it" },
  { 'W', TWCC (TWCC_RESERVED), "; malformed 1", "3.1.1: status 3" },
  { 'C', TWCC (TWCC_RESERVED), "; malformed 1",
      "counted, for rtpsession reads it whatever we use" },
};

static const RaFeedbackOps *
kind_of (gchar letter)
{
  return letter == 'T' ? &ra_feedback_tfrc
      : letter == 'C'  ? &ra_feedback_ccfb
      : letter == 'W'  ? &ra_feedback_twcc
                       : NULL;
}

static RaEarNews
hear_bytes (Heard *h, const gchar *text)
{
  guint8 bytes[256];
  gsize n = 0;
  gchar *end;

  for (; *text == 's' || *text == 'r'; text++) {
    h->cfg.renumbered |= *text == 'r';
    if (*text == 's') {
      h->n++;
      heard_send (h, 1);
    }
  }
  ra_ear_set (h->ear, &h->cfg);
  for (gulong byte = strtoul (text, &end, 16); end != text;
       byte = strtoul (text, &end, 16)) {
    g_assert (n < sizeof bytes); /* g_assert_cmpuint() may return: gcc warns */
    bytes[n++] = (guint8) byte;
    text = end;
  }
  return ra_ear_on_rtcp (h->ear, bytes, n, h->now);
}

static void
news_append (GString *s, RaEarNews news)
{
  static const gchar *const names[] = { "changed", "answered", "reported",
    "other", "wish", "lie", "ecn", "doubtful", "realigned" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    if (news & 1u << i)
      g_string_append_printf (s, "%s%s", s->len > 0 ? " " : "", names[i]);
  }
}

static void
count_append (GString *s, const gchar *name, guint64 n)
{
  if (n > 0)
    g_string_append_printf (s, "%s %s %" G_GUINT64_FORMAT,
        s->str[s->len - 1] == ';' ? "" : ",", name, n);
}

static void
counts_append (GString *s, const RaEar *ear)
{
  RaEarStats stats;

  ra_ear_get_stats (ear, &stats);
  g_string_append_c (s, ';');
  for (guint i = 0; i < RA_N_HEARD; i++)
    count_append (s, heard_nick ((RaHeard) i), stats.heard[i]);
  count_append (s, "foreign", stats.foreign);
  count_append (s, "unasked", stats.unasked);
  count_append (s, "unmapped", stats.unmapped);
  count_append (s, "doubtful", stats.doubtful);
}

static void
test_compounds (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_auto (GStrv) compounds = g_strsplit (compound_rows[row].compounds, "|", -1);
  g_autoptr (GString) got = g_string_new (NULL);
  g_auto (Heard) h;

  g_test_message ("%s", compound_rows[row].why);
  heard_init (&h, kind_of (compound_rows[row].kind));
  heard_send (&h, 16);
  for (guint i = 0; compounds[i]; i++) {
    if (i > 0)
      g_string_append (got, " /");
    news_append (got, hear_bytes (&h, compounds[i]));
  }
  counts_append (got, h.ear);
  g_assert_cmpstr (got->str, ==, compound_rows[row].expected);
}

/* --- sender reports ------------------------------------------------------------ */

/* RFC 3550 6.4.1: the middle of its NTP time is 0x10000 + i. */
static void
report_leave (Heard *h, guint i)
{
  guint8 sr[28] = { 0x80, 200, 0, 6, 0, 0, 0, HEARD_SSRC, 0, 0, 0, 1,
    (guint8) (i >> 8), (guint8) i };

  ra_ear_on_rtcp_sent (h->ear, sr, sizeof sr, h->now);
}

/* How many blocks contradict what was sent when 100 reports left and one names the
 * LSR; `forget`: they went to another peer. */
static const struct
{
  const gchar *lsr;
  gboolean forget;
  guint64 bad;
  const gchar *why;
} lsr_rows[] = {
  { "00 01 00 63", FALSE, 0, "the latest" },
  { "00 01 00 24", FALSE, 0, "36, the oldest of 64" },
  { "00 01 00 00", FALSE, 0, "it left, but is forgotten" },
  { "00 01 00 64", FALSE, 1, "it never left" },
  { "00 00 00 00", FALSE, 0, "the peer had none (RFC 3550 6.4.1)" },
  { "00 01 00 64", TRUE, 0, "another session: nothing is known" },
};

static void
test_lsr (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree gchar *rr = g_strdup_printf (RR ("01", "%s"), lsr_rows[row].lsr);
  RaSenderStats stats;
  g_auto (Heard) h;

  g_test_message ("%s", lsr_rows[row].why);
  heard_init (&h, NULL);
  heard_send (&h, 16);
  for (guint i = 0; i < 100; i++)
    report_leave (&h, i);
  if (lsr_rows[row].forget)
    ra_ear_forget_rtcp_sent (h.ear);
  g_assert_cmpint (hear_bytes (&h, rr), ==, RA_EAR_CHANGED | RA_EAR_REPORTED);
  ra_sender_get_stats (h.sender, &stats);
  g_assert_cmpuint (stats.feedback_bad, ==, lsr_rows[row].bad);
}

/* --- transport-wide rows -------------------------------------------------------- */

/* Packets 0 to 39 left, numbered from 0.  `rows`: a letter for each number, r
 * received 20 ms after it left, l lost; in front the bytes that rtpsession read:
 * b about packets from 20 on, m malformed, or - for none. */
static const struct
{
  gchar kind;
  const gchar *rows, *expected, *why;
} twcc_rows[] = {
  { 'W', "-rrrr", "changed answered; ok 1", "as they are" },
  { 'N', "-rrrr", "changed answered; ok 1",
      "they serve where nothing else does" },
  { 'C', "-rrrr", "other; unasked 1", "not what is set" },
  { 'W', "-", ";", "no rows" },
  { 'W', "mrrrr", "doubtful; malformed 1",
      "rtpsession 1.22 reads on behind the end" },
  { 'W', "-lllllllllllllllrrrrrrr", "doubtful; doubtful 1",
      "15 in a row: 1.22's writer may have spoilt it" },
  { 'W', "bllllllllllllllllllllrrrr", "changed answered; ok 1",
      "rtpsession put 0 to 19 in front: they are left out" },
  { 'W', "brrrrrrrrrrrrrrrrrrrrlllllllllllllllr", "doubtful; doubtful 1",
      "15 in the report itself" },
};

static void
rows_add_one (GArray *rows, guint16 seq, gboolean lost)
{
  RaTime sent = HEARD_START + seq * (RaTime) HEARD_GAP;
  RaTwccRow row = { .seq = seq,
    .lost = lost,
    .local = sent,
    .size = HEARD_SIZE - 12,
    .remote = lost ? RA_TIME_NONE : sent + 20 * MS };

  g_array_append_val (rows, row);
}

static RaEarNews
hear_rows (Heard *h, const gchar *letters)
{
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (RaTwccRow));

  for (guint16 i = 0; letters[i]; i++)
    rows_add_one (rows, i, letters[i] == 'l');
  return ra_ear_on_twcc (
      h->ear, (const RaTwccRow *) rows->data, rows->len, h->now);
}

static void
test_twcc (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  const gchar *letters = twcc_rows[row].rows;
  g_autoptr (GString) got = g_string_new (NULL);
  g_auto (Heard) h;

  g_test_message ("%s", twcc_rows[row].why);
  heard_init (&h, kind_of (twcc_rows[row].kind));
  heard_send (&h, 40);
  if (*letters == 'b')
    hear_bytes (&h,
        FB ("8f", "06", "01") "00 14 00 02 00 00 00 00 " TWCC_WHOLE
                              " 01 01 00 00 00 00");
  else if (*letters == 'm')
    hear_bytes (&h, TWCC (TWCC_RESERVED));
  news_append (got, hear_rows (&h, letters + 1));
  counts_append (got, h.ear);
  g_assert_cmpstr (got->str, ==, twcc_rows[row].expected);
}

/* 75, 200 and 20 ms in us; the receiver says it in an APP packet of subtype 2. */
static void
test_hold (void)
{
  const gchar *text = "82 cc 00 05 00 00 00 63 52 41 44 50 "
                      "00 01 24 f8 00 03 0d 40 00 00 4e 20";
  g_auto (Heard) h;

  heard_init (&h, &ra_feedback_twcc);
  heard_send (&h, 1);
  g_assert_null (ra_ear_hold (h.ear));
  g_assert_cmpint (hear_bytes (&h, text), ==, RA_EAR_NOTHING);
  g_assert_cmpint (ra_ear_hold (h.ear)->now, ==, 75 * RA_MSECOND);
  g_assert_cmpint (ra_ear_hold (h.ear)->most, ==, 200 * RA_MSECOND);
  g_assert_cmpint (ra_ear_hold (h.ear)->least, ==, 20 * RA_MSECOND);
  hear_bytes (&h, APP ("82", "00 00 00 01"));
  g_assert_cmpint (ra_ear_hold (h.ear)->now, ==, 75 * RA_MSECOND);
}

/* 15 ms of disorder, retransmissions and FEC, and a flag that nobody knows: subtype
 * 3. */
static void
test_takes (void)
{
  const gchar *text = "83 cc 00 03 00 00 00 63 52 41 44 50 00 0f 80 03";
  g_auto (Heard) h;

  heard_init (&h, &ra_feedback_twcc);
  heard_send (&h, 1);
  g_assert_null (ra_ear_takes (h.ear));
  hear_bytes (&h, APP ("83", ""));
  g_assert_null (ra_ear_takes (h.ear));
  g_assert_cmpint (hear_bytes (&h, text), ==, RA_EAR_TAKES);
  g_assert_cmpint (ra_ear_takes (h.ear)->disorder, ==, 15 * RA_MSECOND);
  g_assert_cmphex (
      ra_ear_takes (h.ear)->flags, ==, 0x8000 | RA_TAKES_RTX | RA_TAKES_FEC);
}

/* A second goes on before each letter: s, it says what it takes and how long it holds
 * packets; b, a report block about us, B, ten of them at once; f, feedback about us; o, a
 * block about another sender; n, another receiver begins; ".", nothing comes.  `known`: what it said counts; else it is
 * a stranger, but in the row that says no. */
static const struct
{
  const gchar *heard;
  gboolean known;
  const gchar *why;
  gboolean no;
} word_rows[] = {
  { "B", FALSE, "its first word may be lost", TRUE },
  { "bb", FALSE, "it never says it" },
  { "sbbbbbbbbb", TRUE, "nine are lost" },
  { "sbbbbbbbbbb", FALSE, "it says no more: it is another receiver" },
  { "sffffffffff", FALSE, "it has nothing but feedback" },
  { "sbbbbbbbbbbs", TRUE, "it says it again" },
  { "sbbbbbbbbbsb", TRUE, "it said it meanwhile" },
  { "sB", TRUE, "it speaks once a second, however often it reports" },
  { "s..........b", TRUE, "an outage: nothing could come" },
  { "soooooooooo", TRUE, "others speak of others" },
  { "sn", FALSE, "what was said is not of the new one", TRUE },
  { "sbbnbb", FALSE, "which says nothing" },
  { "bbns", TRUE, "which says it, where the one before did not" },
};

static void
test_word (gconstpointer data)
{
  static const gchar *const letters = "sbfo";
  static const gchar *const texts[]
      = { "83 cc 00 03 00 00 00 63 52 41 44 50 00 0f 00 07 "
          "82 cc 00 04 00 00 00 63 52 41 44 50 00 01 24 f8 00 03 0d 40",
          RR ("01", NO_LSR), FB ("81", "03", "01") "00 00 00 00",
          RR ("02", NO_LSR) };
  guint row = GPOINTER_TO_UINT (data);
  g_auto (Heard) h;

  g_test_message ("%s", word_rows[row].why);
  heard_init (&h, &ra_feedback_twcc);
  heard_send (&h, 1);
  for (const gchar *c = word_rows[row].heard; *c; c++) {
    const gchar *at = strchr (letters, g_ascii_tolower (*c));

    h.now += RA_SECOND;
    if (*c == 'n')
      ra_ear_forget_peer (h.ear, h.now);
    for (guint i = *c == 'B' ? 10 : 1; at && i > 0; i--)
      hear_bytes (&h, texts[at - letters]);
  }
  g_assert_true ((ra_ear_takes (h.ear) != NULL) == word_rows[row].known);
  g_assert_true ((ra_ear_hold (h.ear) != NULL) == word_rows[row].known);
  g_assert_true (ra_ear_is_stranger (h.ear)
      == (!word_rows[row].known && !word_rows[row].no));
}

/* Written and read again: 14.1 ms are 15. */
static void
test_takes_written (void)
{
  RaTakes takes = { 14100 * RA_USECOND, RA_TAKES_FEC }, read = { 0 };
  guint8 data[RA_RADP_TAKES_SIZE];

  ra_takes_write (&takes, data);
  g_assert_true (ra_takes_read (&read, data, sizeof data));
  g_assert_cmpint (read.disorder, ==, 15 * RA_MSECOND);
  g_assert_cmphex (read.flags, ==, RA_TAKES_FEC);
}

/* Numbers that move against ours are found again by time and size. */
static void
test_realigned (void)
{
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (RaTwccRow));
  g_auto (Heard) h;

  heard_init (&h, &ra_feedback_twcc);
  heard_send (&h, 20);
  hear_rows (&h, "rrrr");
  for (guint16 i = 4; i < 8; i++) {
    rows_add_one (rows, i, FALSE);
    g_array_index (rows, RaTwccRow, rows->len - 1).seq = 1000 + i;
  }
  g_assert_cmpint (
      ra_ear_on_twcc (h.ear, (const RaTwccRow *) rows->data, rows->len, h.now),
      ==, RA_EAR_CHANGED | RA_EAR_ANSWERED | RA_EAR_REALIGNED);
}

/* --- losses ---------------------------------------------------------------------- */

/* Each confirmed loss is given once, in order, with its verdict and the truth that
 * somebody knew; a loss counts as misread where the two differ. */
static void
test_losses (void)
{
  static const guint lost[] = { 2, 5, 9 };
  static const RaCause truth[]
      = { RA_CAUSE_CONGESTION, RA_CAUSE_WIRELESS, RA_CAUSE_NONE };
  guint64 misread[3] = { 0 };
  RaEarStats stats;
  RaEarLoss loss;
  g_auto (Heard) h;

  heard_init (&h, &ra_feedback_twcc);
  heard_send (&h, 16);
  ra_ear_truth (h.ear, HEARD_SSRC, 2, RA_CAUSE_CONGESTION);
  ra_ear_truth (h.ear, HEARD_SSRC, 5, RA_CAUSE_WIRELESS);
  ra_ear_truth (h.ear, HEARD_SSRC, 100, RA_CAUSE_WIRELESS); /* not sent */
  g_assert_false (ra_ear_next_loss (h.ear, &loss));
  hear_rows (&h, "rrlrrlrrrlrrrrrr");
  for (guint i = 0; i < G_N_ELEMENTS (lost); i++) {
    g_assert_true (ra_ear_next_loss (h.ear, &loss));
    g_assert_cmpuint (loss.ssrc, ==, HEARD_SSRC);
    g_assert_cmpuint (loss.seq, ==, lost[i]);
    g_assert_cmpuint (
        loss.sent, ==, HEARD_START + lost[i] * (RaTime) HEARD_GAP);
    g_assert_cmpint (loss.truth, ==, truth[i]);
    misread[loss.truth] += loss.verdict != loss.truth;
  }
  g_assert_false (ra_ear_next_loss (h.ear, &loss));
  ra_ear_get_stats (h.ear, &stats);
  g_assert_cmpuint (stats.known_congestion, ==, 1);
  g_assert_cmpuint (stats.known_wireless, ==, 1);
  g_assert_cmpuint (stats.misread_congestion, ==, misread[RA_CAUSE_CONGESTION]);
  g_assert_cmpuint (stats.misread_wireless, ==, misread[RA_CAUSE_WIRELESS]);
}

/* 1 Mbit/s for 1 s, each packet reported 50 ms after it left: the ramp is above the start rate
 * of 500 kbit/s.  Then packets go to a peer whose clock is 1 s ahead; its path is another,
 * and the difference of the clocks is no queue. */
static void
test_another_peer (void)
{
  RaSenderStats stats;
  g_auto (Heard) h;

  heard_init (&h, &ra_feedback_twcc);
  for (guint16 i = 0; i < 200; i++) {
    RaTime sent = h.now;
    RaTwccRow row = { .seq = i,
      .local = sent,
      .size = HEARD_SIZE - 12,
      .remote = sent + (i < 100 ? 20 : 1020) * MS };

    if (i == 100) {
      g_assert_cmpuint (ra_sender_rate (h.sender), >, h.limits.start);
      ra_ear_forget_peer (h.ear, h.now);
      g_assert_cmpuint (ra_sender_rate (h.sender), ==, h.limits.start);
    }
    heard_send (&h, 1);
    ra_ear_on_twcc (h.ear, &row, 1, sent + 50 * MS);
  }
  ra_sender_get_stats (h.sender, &stats);
  g_assert_cmpint (stats.queue, <, 5 * MS);
}

/* Streams 1 and 2 by turns, and the first peer reports both: packets 0 and 1.  The next one
 * begins with stream 1 behind packet 3 of stream 2, which it may never have had: that is
 * lost to the peer that had reported the stream (RFC 8888 3.1), and to no other. */
static void
test_new_peer (void)
{
  for (guint other = 0; other < 2; other++) {
    g_auto (Heard) h;

    heard_init (&h, &ra_feedback_ccfb);
    for (guint i = 0; i < 6; i++, h.now += HEARD_GAP)
      ra_ear_on_sent (h.ear,
          &(RaEarPacket){ .out = { .ssrc = 1 + i % 2,
                              .rtp_seq = (guint16) (i / 2),
                              .size = HEARD_SIZE,
                              .media = HEARD_SIZE - 12,
                              .flags = RA_SENT_ASKS },
              .payload = HEARD_SIZE - 12,
              .passed = h.now,
              .stamped = TRUE },
          h.now);
    hear_bytes (
        &h, FB ("8b", "05", "01") "00 00 00 01 80 05 00 00 00 01 00 00");
    hear_bytes (
        &h, FB ("8b", "05", "02") "00 00 00 01 80 05 00 00 00 01 00 00");
    if (other)
      ra_ear_forget_peer (h.ear, h.now);
    h.now += 50 * MS;
    hear_bytes (&h, CCFB ("01", "01", "80 05 80 05"));
    g_assert_cmpint (ra_ledger_at (ra_sender_ledger (h.sender), 4)->fate, ==,
        RA_FATE_ARRIVED);
    g_assert_cmpint (ra_ledger_at (ra_sender_ledger (h.sender), 3)->fate, ==,
        other ? RA_FATE_NOTHING : RA_FATE_LOST);
  }
}

void
tests_add (void)
{
  rows_add ("/ear/compounds", compound_rows, test_compounds);
  rows_add ("/ear/lsr", lsr_rows, test_lsr);
  rows_add ("/ear/twcc", twcc_rows, test_twcc);
  g_test_add_func ("/ear/hold", test_hold);
  g_test_add_func ("/ear/takes", test_takes);
  rows_add ("/ear/word", word_rows, test_word);
  g_test_add_func ("/ear/takes-written", test_takes_written);
  g_test_add_func ("/ear/realigned", test_realigned);
  g_test_add_func ("/ear/another-peer", test_another_peer);
  g_test_add_func ("/ear/losses", test_losses);
  g_test_add_func ("/ear/new-peer", test_new_peer);
}
