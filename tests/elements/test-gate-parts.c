/* Parts of the gate in virtual time: numbers that jump, RTCP that goes back, media.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../../plugins/rtpadapt/src/srctwin.h"
#include "../../plugins/rtpadapt/wire/answers.h"
#include "../../plugins/rtpadapt/wire/seqcheck.h"
#include "../rows.h"

#include <string.h>

#define T0 (1000 * RA_SECOND)

/* --- sequence numbers --------------------------------------------------- */

/* A story is words: "TIME SSRC NUMBER VERDICT", in ms. */
static const gchar *const verdicts[] = {
  [SEQ_PASS] = "pass",
  [SEQ_HOLD] = "hold",
  [SEQ_BOTH] = "both",
  [SEQ_DROP] = "drop",
};

static const struct
{
  const gchar *story, *why;
} rows[] = {
  { "0 A 7 pass, 1 A 9 pass, 2 A 8 pass, 3 A 8 pass", "overtaken, repeated" },
  { "0 A 65535 pass, 1 A 0 pass, 2 A 65534 pass", "the wrap" },
  { "0 A 7 pass, 1 A 107 pass, 2 A 8 pass", "100 either way" },
  { "0 A 7 pass, 1 A 108 hold, 2 A 8 pass, 3 A 9 pass", "101: one, forged" },
  { "0 A 7 pass, 1 A 108 hold, 2 A 109 both, 3 A 110 pass", "an outage" },
  { "0 A 7 pass, 1 A 40000 hold, 2 A 40001 both, 3 A 8 hold, 4 A 9 both",
      "there and back" },
  { "0 A 500 pass, 1 A 390 hold, 2 A 391 both", "as far behind" },
  { "0 A 7 pass, 1 A 2507 hold, 2 A 5006 hold, 3 A 7505 hold, 4 A 8 pass",
      "each one farther: none is confirmed" },
  { "0 A 7 pass, 1 A 108 hold, 2 A 108 hold, 3 A 109 both",
      "a number twice confirms nothing" },
  { "0 A 7 pass, 1 A 108 hold, 2001 A 109 hold, 2002 A 110 both",
      "2 s later it is another story" },
  { "0 A 7 pass, 1 B 9 pass, 2 A 108 hold, 3 B 109 pass, 4 A 109 both",
      "SSRCs are apart" },
  { "0 A 1 pass, 1 A 300 hold, 2 A 301 both, 3 A 600 hold, 4 A 601 both, "
    "5 A 900 hold, 6 A 901 hold, 500 A 902 hold, 502 A 903 both",
      "two jumps at once, two a second" },
};

static void
test_story (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data), held;
  g_auto (GStrv) steps = g_strsplit (rows[row].story, ", ", -1);
  g_autoptr (SeqCheck) s = seq_check_new ();

  for (guint i = 0; steps[i]; i++) {
    g_auto (GStrv) w = g_strsplit (steps[i], " ", -1);
    SeqVerdict got = seq_check (s, (guint32) w[1][0], (guint16) atoi (w[2]),
        T0 + (RaTime) (atoi (w[0]) * RA_MSECOND), &held);

    if (!g_str_equal (verdicts[got], w[3]))
      g_error ("%s: '%s' gave %s", rows[row].why, steps[i], verdicts[got]);
    g_assert_cmpuint (held, <, SEQ_STREAMS);
  }
}

/* Law: for all packets, rtpjitterbuffer waits for fewer than 32,765 in any 3 s, and
 * each SSRC that is held has a place of its own. */
static void
test_bound (void)
{
  g_autoptr (SeqCheck) s = seq_check_new ();
  g_autoptr (GRand) dice = g_rand_new_with_seed (3);
  guint16 last = 0, seq = 0;
  guint left_out = 0, held;

  for (guint ms = 0; ms < 3000; ms++) {
    for (guint i = 0; i < 20; i++) { /* 20,000 packets a second */
      SeqVerdict verdict;

      /* 100 ahead each time, or in pairs of 2,999. */
      if (g_rand_int_range (dice, 0, 2))
        seq = (guint16) (last + SEQ_NEAR);
      else
        seq = i % 2 ? (guint16) (seq + 1) : (guint16) (last + 2999);
      verdict = seq_check (s, 1, seq, T0 + ms * RA_MSECOND, &held);
      if (verdict != SEQ_PASS && verdict != SEQ_BOTH)
        continue;
      /* It begins again where 3,000 or more are missing, or it goes back. */
      if ((guint16) (seq - last) < 3000)
        left_out += (guint16) (seq - last);
      last = seq;
    }
  }
  g_assert_cmpuint (left_out, >, 3 * SEQ_MISSING);
  g_assert_cmpuint (left_out, <, 32765);
}

/* 1,000 SSRCs: each is new, none is stopped. */
static void
test_many (void)
{
  g_autoptr (SeqCheck) s = seq_check_new ();
  guint held;

  for (guint32 i = 0; i < 1000; i++)
    g_assert_cmpint (
        seq_check (s, i, (guint16) (i * 777), T0 + i, &held), ==, SEQ_PASS);
}

/* --- answers ------------------------------------------------------------ */

static GSocketAddress *
address (const gchar *host, guint16 port)
{
  return g_inet_socket_address_new_from_string (host, port);
}

/* Law: in a second at most 110 packets leave, and half of those that came; 80 and half
 * of those that came may. */
static void
test_rate (void)
{
  g_autoptr (GSocketAddress) a = address ("192.0.2.1", 5004);
  const guint rates[] = { 100, 1000, 4000 };

  for (guint r = 0; r < G_N_ELEMENTS (rates); r++) {
    g_autoptr (Answers) answers = answers_new ();
    guint n = 0, most = 0;

    for (guint second = 0; second < 5; second++) {
      guint before = n;

      for (guint i = 0; i < rates[r]; i++) {
        RaTime now = T0 + second * RA_SECOND + i * (RA_SECOND / rates[r]);

        answers_heard (answers, a, 1200, FALSE, now);
        n += answers_may_leave (answers, a, 60, TRUE, now);
      }
      most = MAX (most, n - before);
    }
    g_assert_cmpuint (most, <=, 110 + rates[r] / 2);
    g_assert_cmpuint (n, >=, 5 * MIN (rates[r], ANSWERS_RATE + rates[r] / 2));
    g_assert_cmpuint (answers_dropped (answers), ==, 5 * rates[r] - n);
  }
}

/* A report for each of 60 frames per second always leaves, whatever else wants to
 * leave. */
static void
test_frames (void)
{
  g_autoptr (GSocketAddress) a = address ("192.0.2.1", 5004);
  g_autoptr (Answers) answers = answers_new ();
  guint others = 0;

  for (guint i = 0; i < 600; i++) {
    RaTime now = T0 + i * (RA_SECOND / 60);

    answers_heard (answers, a, 1200, FALSE, now);
    g_assert_true (answers_may_leave (answers, a, 60, TRUE, now));
    others += answers_may_leave (answers, a, 100, FALSE, now);
  }
  g_assert_cmpuint (others, >=, 190); /* 20 a second */
}

/* 300 packets/s, of which 30 are lost: a report for each of 25 frames and two for each
 * loss, a request for it and one for its first repetition always leave.  145 a second
 * are less than 80 and half of 270. */
static void
test_losses (void)
{
  g_autoptr (GSocketAddress) a = address ("192.0.2.1", 5004);
  g_autoptr (Answers) answers = answers_new ();

  for (guint i = 0; i < 3000; i++) {
    RaTime now = T0 + i * (RA_SECOND / 300);
    gboolean lost = i % 10 == 0;
    guint n = (i % 12 == 0) + (lost ? 4 : 0);

    if (!lost)
      answers_heard (answers, a, 1200, FALSE, now);
    for (guint j = 0; j < n; j++)
      g_assert_true (i == 0 || answers_may_leave (answers, a, 60, j < 3, now));
  }
  g_assert_cmpuint (answers_dropped (answers), ==, 0);
}

/* Behind a policer of 2 Mb/s every other packet of 1,250 bytes is lost: of 200 that
 * come in a second each is behind a gap.  100 reports of them and 25 of frames always
 * leave, though 200 requests, which want to leave before them, are too many with
 * those: 80 and half of 200 may.  What is left is for requests. */
static void
test_policed (void)
{
  g_autoptr (GSocketAddress) a = address ("192.0.2.1", 5004);
  g_autoptr (Answers) answers = answers_new ();
  guint requests = 0;

  for (guint i = 0; i < 2000; i++) {
    RaTime now = T0 + i * (RA_SECOND / 200);

    answers_heard (answers, a, 1250, FALSE, now);
    requests += answers_may_leave (answers, a, 76, FALSE, now);
    if (i % 2 == 0)
      g_assert_true (answers_may_leave (answers, a, 52, TRUE, now));
    if (i % 8 == 0)
      g_assert_true (answers_may_leave (answers, a, 52, TRUE, now));
  }
  g_assert_cmpuint (requests, >=, 10 * (80 + 100 - 125));
}

/* Packets of 21 bytes come, and packets of 36 bytes and more would leave.  Never more
 * bytes leave than came, with all headers. */
static void
test_bytes (void)
{
  g_autoptr (GSocketAddress) a = address ("192.0.2.1", 5004);
  g_autoptr (GSocketAddress) other_port = address ("::ffff:192.0.2.1", 5005);
  g_autoptr (GSocketAddress) b = address ("192.0.2.2", 5004);
  g_autoptr (Answers) answers = answers_new ();
  gsize in = 0, out = 0;

  g_assert_false (answers_may_leave (answers, a, 20, TRUE, T0));
  g_assert_false (answers_may_leave (answers, NULL, 20, TRUE, T0));
  for (guint i = 0; i < 1000; i++) {
    answers_heard (answers, a, 21, FALSE, T0 + i * 100 * RA_MSECOND);
    in += 21 + ANSWERS_HEADERS;
    for (guint j = 0; j < 2; j++) {
      if (answers_may_leave (
              answers, other_port, 36, TRUE, T0 + i * 100 * RA_MSECOND))
        out += 36 + ANSWERS_HEADERS;
    }
    g_assert_cmpuint (out, <=, in);
  }
  g_assert_cmpuint (out, >, in - 100);
  g_assert_false (answers_may_leave (answers, b, 20, TRUE, T0));
}

/* An authentic packet opens the way for a minute. */
static void
test_proven (void)
{
  g_autoptr (GSocketAddress) a = address ("2001:db8::1", 5004);
  g_autoptr (Answers) answers = answers_new ();
  RaTime last = T0 + ANSWERS_PROVEN - RA_MSECOND;

  answers_heard (answers, a, 20, TRUE, T0);
  for (RaTime now = T0; now <= last; now += 500 * RA_MSECOND)
    g_assert_true (answers_may_leave (answers, a, 100, FALSE, now));
  g_assert_false (
      answers_may_leave (answers, a, 100, FALSE, T0 + ANSWERS_PROVEN));
}

/* Hosts that are made up push out the one that is silent for longest, but not the one
 * that answers go to. */
static void
test_hosts (void)
{
  g_autoptr (GSocketAddress) a = address ("192.0.2.1", 5004);
  g_autoptr (GSocketAddress) b = address ("192.0.2.2", 5004);
  g_autoptr (Answers) answers = answers_new ();

  answers_heard (answers, b, 1000, FALSE, T0);
  g_assert_true (answers_may_leave (answers, b, 100, TRUE, T0));
  for (guint i = 0; i < 1000; i++) {
    g_autofree gchar *host = g_strdup_printf ("198.51.100.%u", i % 250);
    g_autoptr (GSocketAddress) other = address (host, 5004);

    answers_heard (answers, other, 20, FALSE, T0 + i * RA_MSECOND);
    if (i % 10 == 0)
      answers_heard (answers, a, 1000, FALSE, T0 + i * RA_MSECOND);
  }
  g_assert_true (answers_may_leave (answers, b, 100, TRUE, T0 + RA_SECOND));
  g_assert_true (answers_may_leave (answers, a, 1000, TRUE, T0 + RA_SECOND));
}

/* --- media with a payload type of repair --------------------------------- */

static const struct
{
  guint8 pt;
  gchar ssrc;
  guint16 first; /* beyond the newest number of A, which goes on from 65530 */
  gboolean said;
  const gchar *why;
} twins[] = {
  { 122, 'A', 0x7c85, FALSE, "FEC has the SSRC of its media" },
  { 122, 'B', 0, TRUE, "nothing else has that SSRC" },
  { 121, 'B', (guint16) -2000, FALSE, "a packet of A is repeated" },
  { 121, 'B', 20, FALSE, "the end of an outage is repeated" },
  { 121, 'B', 20000, TRUE, "no number of A" },
};

static void
test_twin (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data), said = 0;
  SrcTwin t = { 0 };

  /* What came first was repair, of another sender. */
  for (guint16 i = 0; i < 2000; i++) {
    const guint16 seq = (guint16) (65530 + i);
    const gboolean fits = i < 1500;

    g_assert_false (src_twin_on_packet (
        &t, &(RtpMuxHead){ .pt = 96, .ssrc = 'A', .seq = seq }, FALSE, 0));
    said += (guint) src_twin_on_packet (&t,
        &(RtpMuxHead){ .pt = twins[row].pt,
            .ssrc = fits ? 'A' : (guint32) twins[row].ssrc },
        TRUE, (guint16) (seq + (fits ? 0 : twins[row].first)));
  }
  g_assert_cmpuint (said, ==, twins[row].said);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  rows_add_by ("/seqcheck", rows, why, test_story);
  g_test_add_func ("/seqcheck/bound", test_bound);
  g_test_add_func ("/seqcheck/many", test_many);
  g_test_add_func ("/answers/rate", test_rate);
  g_test_add_func ("/answers/frames", test_frames);
  g_test_add_func ("/answers/losses", test_losses);
  g_test_add_func ("/answers/policed", test_policed);
  g_test_add_func ("/answers/bytes", test_bytes);
  g_test_add_func ("/answers/proven", test_proven);
  g_test_add_func ("/answers/hosts", test_hosts);
  rows_add_by ("/twin", twins, why, test_twin);
  return g_test_run ();
}
