/* ECN: what is tried again and when, what is sent how, which marks count.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../trust/trust.h"
#include "ecn-fixture.h"

#define CHANGE (10 * SECOND)

/* --- again ------------------------------------------------------------------ */

static void
path_bleach_first (EcnPacket *p, RaRng *dice)
{
  if (p->ms < CHANGE)
    p->came = RA_ECN_NOT_ECT;
}

/* It fails after .45 s (test-ecn-paths.c); the tests begin 60, 120, 240, 480, 960
 * and 960 s after the failure before: by 1:00, 3:00, 7:00, 15:00, 31:00 and 47:00 and
 * seconds, the next after 63 minutes.  Each sends four packets as ECT, and one that
 * may be on its way. */
static void
test_again (void)
{
  g_autofree EcnRun *r = ecn_run_new (ecn_path_bleach, RA_ECN_ECT_0, TRUE, 1);

  ecn_run (r, 3600 * SECOND);
  trust_row ("attack", "14 ECN bits bleached for an hour",
      "tried again 6 times, later each time, with 5 packets each",
      r->ecn.failed == 7 && r->ect <= 7 * 5 && r->ect_failed == 0,
      "%u times; %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " packets as ECT",
      r->ecn.failed - 1, r->ect, r->sent);
}

/* 60 s after the failure, and a test of 3.75 s. */
static void
test_mended (void)
{
  g_autofree EcnRun *r = ecn_run_new (path_bleach_first, RA_ECN_ECT_0, TRUE, 1);

  ecn_run (r, 450 + 60 * SECOND + 3750);
  trust_row ("attack", "14 ECN bits bleached for 10 s",
      "ECT again 65 s after the first contradiction",
      r->ecn.state == RA_ECN_CAPABLE && r->ecn.failed == 1, "%s, failed %u x",
      ra_ecn_state_nick (r->ecn.state), r->ecn.failed);
}

/* Feedback that stays away tells nothing of ECN: from 2 s of it on only a test is
 * sent, of 32 packets (RFC 9000 13.4.2), which goes on when it is back. */
static void
test_deaf (void)
{
  g_autofree EcnRun *r = ecn_run_new (ecn_path_usual, RA_ECN_ECT_0, TRUE, 1);
  guint64 before, ect;

  ecn_run (r, CHANGE);
  g_assert_cmpint (r->ecn.state, ==, RA_ECN_CAPABLE);
  r->deaf = TRUE;
  ecn_run (r, CHANGE + 2100);
  g_assert_cmpint (r->ecn.state, ==, RA_ECN_TESTING);
  before = r->ect;
  ecn_run (r, CHANGE + 12100);
  ect = r->ect - before;
  r->deaf = FALSE;
  ecn_run (r, CHANGE + 12100 + 5 * SECOND);
  trust_row ("fault", "ECN, feedback lost for 12 s",
      "32 packets are sent as ECT from 2 s on; no failure, all ECT 5 s after",
      ect <= 32 && r->ecn.failed == 0 && r->ecn.state == RA_ECN_CAPABLE,
      "%" G_GUINT64_FORMAT " of 1,000 packets; %s, failed %u x", ect,
      ra_ecn_state_nick (r->ecn.state), r->ecn.failed);
}

/* A source that pauses is no path that is silent. */
static void
test_pause (void)
{
  g_autofree EcnRun *r = ecn_run_new (ecn_path_usual, RA_ECN_ECT_0, TRUE, 1);
  guint64 before;

  ecn_run (r, CHANGE);
  for (guint end = CHANGE + 10 * SECOND; r->ms < end; r->ms += REPORT)
    ecn_hear (r);
  before = r->ect;
  ecn_run (r, r->ms + SECOND);
  g_assert_cmpuint (r->ect - before, ==, SECOND / EVERY);
  g_assert_cmpint (r->ecn.state, ==, RA_ECN_CAPABLE);
}

/* One in ten, and what a stream begins with is not among them. */
static void
test_first (void)
{
  RaEcn e;

  ra_ecn_init (&e, 1);
  ra_ecn_set (&e, RA_ECN_ECT_1, TRUE, RA_SECOND);
  for (guint i = 1; i <= 50; i++) {
    RaEcnField field = ra_ecn_on_send (&e, RA_SECOND);

    g_assert_cmpint (field != RA_ECN_NOT_ECT, ==, i % 10 == 0);
    g_assert_cmpint (field, !=, RA_ECN_ECT_0);
  }
}

/* --- who decides ------------------------------------------------------------ */

/* Without feedback that tells nothing is ECT, whatever is wanted; where it is not
 * wanted it is not ours, and marks count all the same. */
static void
test_off (void)
{
  EcnRun *r = ecn_run_new (ecn_path_usual, RA_ECN_ECT_0, FALSE, 1);

  ecn_run (r, 5 * SECOND);
  g_assert_cmpuint (r->ect, ==, 0);
  g_assert_cmpint (r->ecn.state, ==, RA_ECN_OFF);
  ra_ecn_set (&r->ecn, RA_ECN_ECT_0, TRUE, ecn_time (r));
  g_assert_cmpint (r->ecn.state, ==, RA_ECN_TESTING);
  ra_ecn_set (&r->ecn, RA_ECN_CE, TRUE, ecn_time (r)); /* is no ECT */
  g_assert_cmpint (ra_ecn_on_send (&r->ecn, ecn_time (r)), ==, RA_ECN_UNSAID);
  ra_ecn_set (&r->ecn, RA_ECN_NOT_ECT, TRUE, ecn_time (r));
  g_assert_cmpint (ra_ecn_on_send (&r->ecn, ecn_time (r)), ==, RA_ECN_UNSAID);
  g_assert_cmpint (r->ecn.state, ==, RA_ECN_OFF);
  g_free (r);
}

/* RFC 3168 5: routers mark ECT, and drop not-ECT. */
static const struct
{
  RaEcnField sent;
  gboolean arrived;
  RaEcnField came;
  gboolean congestion;
  const gchar *why;
} ce_rows[] = {
  { RA_ECN_ECT_0, TRUE, RA_ECN_CE, TRUE, "a router marked it" },
  { RA_ECN_ECT_1, TRUE, RA_ECN_CE, TRUE, "the same" },
  { RA_ECN_ECT_0, TRUE, RA_ECN_ECT_0, FALSE, "none did" },
  { RA_ECN_ECT_0, FALSE, RA_ECN_NOT_ECT, FALSE, "a loss is another matter" },
  { RA_ECN_CE, TRUE, RA_ECN_CE, FALSE, "it was we" },
  { RA_ECN_NOT_ECT, TRUE, RA_ECN_CE, FALSE, "no router does that" },
  { RA_ECN_UNSAID, TRUE, RA_ECN_CE, TRUE, "somebody behind us made it ECT" },
};

static void
test_ce (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (ce_rows); i++) {
    RaEcn e;

    g_test_message ("%s", ce_rows[i].why);
    ra_ecn_init (&e, 1);
    g_assert_cmpint (ra_ecn_on_answer (&e, ce_rows[i].sent, ce_rows[i].arrived,
                         ce_rows[i].came, RA_SECOND),
        ==, ce_rows[i].congestion);
    g_assert_cmpuint (e.n_ce, ==, (guint) ce_rows[i].congestion);
  }
}

/* What CE the network set counts, with what we set among it. */
static void
test_counts (void)
{
  g_autofree EcnRun *r = ecn_run_new (ecn_path_usual, RA_ECN_ECT_0, TRUE, 1);
  gdouble share;

  ecn_run (r, 1000 * SECOND);
  share = (gdouble) r->congestion / (gdouble) r->ect;
  /* 1 % of what came, 99 % of 100,000: 980 with a deviation of 31. */
  g_assert_cmpfloat_with_epsilon (share, .0098, .0013);
  g_assert_cmpuint (r->ecn.n_ce, ==, r->congestion);
  g_assert_cmpuint (r->ecn.n_ect, ==, r->ect);
}

/* --- anything ---------------------------------------------------------------- */

/* Answers to what was never asked, of any kind, clocks that jump: the state is one
 * of four, and ECT is sent only in two. */
static void
test_anything (void)
{
  RaEcn e;
  RaRng dice;
  guint64 wrong = 0;

  ra_ecn_init (&e, 1);
  ra_rng_init (&dice, 2, 3);
  for (guint i = 0; i < 1000000; i++) {
    guint32 x = (guint32) (ra_rng_uniform (&dice) * G_MAXUINT32);
    RaTime now = x % 7 == 0 ? (guint64) x << 32 : i * (RaTime) RA_MSECOND;
    RaEcnField field;

    if (x % 1000 == 0)
      ra_ecn_set (&e, (RaEcnField) (x >> 10 & 3), x >> 12 & 1, now);
    ra_ecn_on_answer (&e, (RaEcnField) ((x >> 13) % 5), x >> 16 & 1,
        (RaEcnField) (x >> 17 & 3), now);
    field = ra_ecn_on_send (&e, now);
    wrong += e.state > RA_ECN_FAILED || e.fault > RA_ECN_DROPPED;
    wrong += field != RA_ECN_NOT_ECT && field != RA_ECN_UNSAID
        && e.state != RA_ECN_TESTING && e.state != RA_ECN_CAPABLE;
    wrong += ecn_is_ect (field) && field != e.wanted;
  }
  trust_row ("bounds", "ECN, any answers, any clock",
      "one of four states, ECT in two, in 512 bytes",
      wrong == 0 && sizeof e <= 512,
      "%" G_GUINT64_FORMAT " of 1,000,000 wrong; %u bytes", wrong,
      (guint) sizeof e);
}

void
tests_add (void)
{
  g_test_add_func ("/ecn/again", test_again);
  g_test_add_func ("/ecn/mended", test_mended);
  g_test_add_func ("/ecn/deaf", test_deaf);
  g_test_add_func ("/ecn/pause", test_pause);
  g_test_add_func ("/ecn/first", test_first);
  g_test_add_func ("/ecn/off", test_off);
  g_test_add_func ("/ecn/ce", test_ce);
  g_test_add_func ("/ecn/counts", test_counts);
  g_test_add_func ("/ecn/anything", test_anything);
}
