/* Whether path and receiver bear ECN: those that do, and those that do not.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "../trust/trust.h"
#include "ecn-fixture.h"

#define CHANGE (10 * SECOND)
#define SEEDS 5

/* --- paths ---------------------------------------------------------------- */

static void
path_busy (EcnPacket *p, RaRng *dice)
{
  ecn_mark (p, dice, .1);
  p->lost = ecn_chance (dice, .1);
}

static void
path_radio (EcnPacket *p, RaRng *dice)
{
  p->lost = ecn_chance (dice, .3);
}

/* Half a second without anything, each four seconds. */
static void
path_outages (EcnPacket *p, RaRng *dice)
{
  ecn_mark (p, dice, .05);
  p->lost = p->ms % (4 * SECOND) >= 3500;
}

static void
path_dead (EcnPacket *p, RaRng *dice)
{
  p->lost = p->ms >= CHANGE && p->ms < CHANGE + 5 * SECOND;
}

/* A queue that marks all of it until the sender has slowed down. */
static void
path_full (EcnPacket *p, RaRng *dice)
{
  ecn_mark (p, dice, p->ms % (20 * SECOND) < 2 * SECOND ? 1 : .05);
}

/* One of ten ways does. */
static void
path_bleach_part (EcnPacket *p, RaRng *dice)
{
  if (ecn_chance (dice, .1))
    p->came = RA_ECN_NOT_ECT;
}

static void
path_bleach_later (EcnPacket *p, RaRng *dice)
{
  if (p->ms >= CHANGE)
    p->came = RA_ECN_NOT_ECT;
}

static void
path_swap (EcnPacket *p, RaRng *dice)
{
  if (ecn_is_ect (p->sent))
    p->came = p->sent ^ RA_ECN_CE;
}

/* A type of service of its own on all that passes. */
static void
path_tos (EcnPacket *p, RaRng *dice)
{
  p->came = RA_ECN_ECT_0;
}

static void
path_all_ce (EcnPacket *p, RaRng *dice)
{
  ecn_mark (p, dice, 1);
}

static void
path_all_ce_later (EcnPacket *p, RaRng *dice)
{
  ecn_mark (p, dice, p->ms >= CHANGE ? 1 : 0);
}

/* It marks what is not ECT, too. */
static void
path_mark_any (EcnPacket *p, RaRng *dice)
{
  p->came = RA_ECN_CE;
}

static void
path_hide (EcnPacket *p, RaRng *dice)
{
  ecn_mark (p, dice, .05);
  if (p->came == RA_ECN_CE)
    p->came = RA_ECN_ECT_0;
}

/* Honest for as long as a test may last. */
static void
path_hide_later (EcnPacket *p, RaRng *dice)
{
  if (p->ms >= CHANGE)
    path_hide (p, dice);
}

static void
path_hide_half (EcnPacket *p, RaRng *dice)
{
  ecn_mark (p, dice, .05);
  if (p->came == RA_ECN_CE && ecn_chance (dice, .5))
    p->came = RA_ECN_ECT_0;
}

static void
path_drop (EcnPacket *p, RaRng *dice)
{
  p->lost = p->sent != RA_ECN_NOT_ECT;
}

static void
path_drop_later (EcnPacket *p, RaRng *dice)
{
  p->lost = p->sent != RA_ECN_NOT_ECT && p->ms >= CHANGE;
}

/* Two contradictions, as of one forged report. */
static void
path_forged (EcnPacket *p, RaRng *dice)
{
  if (p->n == 2000 || p->n == 2001)
    p->came = RA_ECN_NOT_ECT;
}

/* The first six of the test, by chance. */
static void
path_unlucky (EcnPacket *p, RaRng *dice)
{
  p->lost = p->sent != RA_ECN_NOT_ECT && p->n < 60;
}

/* --- those that bear it ----------------------------------------------------- */

static const struct
{
  const gchar *name;
  EcnPath path;
} sound_rows[] = {
  { "clean path", NULL },
  { "1 % marked, 1 % lost", ecn_path_usual },
  { "10 % marked, 10 % lost", path_busy },
  { "30 % lost", path_radio },
  { "nothing comes for half a second, often", path_outages },
  { "path dead for 5 s", path_dead },
  { "all marked for 2 s, often", path_full },
  { "two packets contradicted, no more", path_forged },
  { "six ECT packets on end lost", path_unlucky },
};

/* Ten minutes, and all after the test as ECT: the test is over when of
 * one packet in ten some ten came, of these three sent as CE.  One in three is, and
 * after twelve at most, so 36 of ten packets, 3.6 s, and what is lost of them. */
static void
test_sound (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autofree gchar *name
      = g_strdup_printf ("14 ECN, no attack: %s", sound_rows[i].name);
  gdouble least = 1;
  guint failed = 0;

  for (guint seed = 1; seed <= SEEDS; seed++) {
    g_autofree EcnRun *r
        = ecn_run_new (sound_rows[i].path, RA_ECN_ECT_0, TRUE, seed);

    ecn_run (r, 600 * SECOND);
    failed += r->ecn.failed;
    least = MIN (least, (gdouble) r->ect / (gdouble) r->sent);
    g_assert_cmpint (r->ecn.state, ==, RA_ECN_CAPABLE);
  }
  trust_row ("attack", name,
      "never taken for broken in 10 minutes, 95 % sent as ECT",
      failed == 0 && least >= .95, "%u times; %.1f %%", failed, 100 * least);
}

/* --- those that do not ------------------------------------------------------ */

/* From when it is so, `ms` until nothing is sent as ECT any more.  A report tells
 * of a packet 150 ms later at most.
 * - Test: a probe each 100 ms, and the third that does not fit is the end: 300 ms,
 *   and 150.  It ends no later than 3.75 s (above); of what it sends as CE the third
 *   leaves then, too.
 * - Remarked: what leaves as CE fits, one in three; three of fifteen do not.
 * - One way of ten: of 128 packets 13 do not fit on the average; begun in the test.
 * - All CE: 3 s, from the first that is told of, and 150 ms; from the start that is
 *   one of the first twelve probes, the others left as CE, 1.2 s.
 * - Marks are tried once in 500 packets, within four times that: three in 60 s.  Who
 *   hides half shows three of the next 8 with p = .86 and has in 200 s, 40 marks, been
 *   lucky with p < .001.
 * - ECT lost: ten probes, 1 s, and 150 ms.  Later: 2 s of silence, 45 packets between
 *   the probes, .5 s, and what is told of late. */
static const struct
{
  const gchar *name;
  EcnPath path;
  guint from, ms;
  RaEcnField wanted;
  RaEcnFault fault;
} broken_rows[] = {
  { "bits bleached on the path", ecn_path_bleach, 0, 450, RA_ECN_ECT_0,
      RA_ECN_BLEACHED },
  { "bits of one packet in ten bleached", path_bleach_part, 0, 6000,
      RA_ECN_ECT_0, RA_ECN_BLEACHED },
  { "path bleaches from now on", path_bleach_later, CHANGE, 200, RA_ECN_ECT_0,
      RA_ECN_BLEACHED },
  { "ECT(0) made ECT(1)", path_swap, 0, 1650, RA_ECN_ECT_0, RA_ECN_REMARKED },
  { "ECT(1) made ECT(0)", path_swap, 0, 1650, RA_ECN_ECT_1, RA_ECN_REMARKED },
  { "ECT set on not-ECT", path_tos, 0, 200, RA_ECN_ECT_0, RA_ECN_REMARKED },
  { "CE on all ECT", path_all_ce, 0, 4500, RA_ECN_ECT_0, RA_ECN_ALL_CE },
  { "CE on all ECT from now on", path_all_ce_later, CHANGE, 3200, RA_ECN_ECT_0,
      RA_ECN_ALL_CE },
  { "CE on not-ECT, too", path_mark_any, 0, 200, RA_ECN_ECT_0,
      RA_ECN_REMARKED },
  { "CE hidden", path_hide, 0, 3750, RA_ECN_ECT_0, RA_ECN_HIDDEN },
  { "CE hidden once the test is over", path_hide_later, CHANGE, 60150,
      RA_ECN_ECT_0, RA_ECN_HIDDEN },
  { "half of all CE hidden", path_hide_half, 0, 200000, RA_ECN_ECT_0,
      RA_ECN_HIDDEN },
  { "ECT lost, not-ECT not", path_drop, 0, 1150, RA_ECN_ECT_0, RA_ECN_DROPPED },
  { "ECT lost from now on", path_drop_later, CHANGE, 3000, RA_ECN_ECT_0,
      RA_ECN_DROPPED },
};

static void
test_broken (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  guint from = broken_rows[i].from, ms = broken_rows[i].ms, latest = 0;
  g_autofree gchar *name = g_strdup_printf ("14 ECN: %s", broken_rows[i].name);
  g_autofree gchar *promise
      = g_strdup_printf ("found within %.2f s as %s; no ECT from then on",
          ms / 1e3, ra_ecn_fault_nick (broken_rows[i].fault));
  guint64 most = 0;
  gboolean good = TRUE;

  for (guint seed = 1; seed <= SEEDS; seed++) {
    EcnRun *r
        = ecn_run_new (broken_rows[i].path, broken_rows[i].wanted, TRUE, seed);

    ecn_run (r, from + ms + 60 * SECOND - REPORT);
    good &= r->ecn.fault == broken_rows[i].fault && r->ecn.failed > 0
        && r->ect_failed == 0 && r->failed_at >= from;
    latest = MAX (latest, r->failed_at - from);
    most = MAX (most, r->ect_at_fail);
    g_free (r);
  }
  trust_row ("attack", name, promise, good && latest <= ms,
      "%.2f s, %" G_GUINT64_FORMAT " packets sent as ECT so far", latest / 1e3,
      most);
}

void
tests_add (void)
{
  rows_add ("/ecn-paths/sound", sound_rows, test_sound);
  rows_add ("/ecn-paths/broken", broken_rows, test_broken);
}
