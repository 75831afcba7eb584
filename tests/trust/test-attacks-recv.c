/* RTP that is forged, repeated or moved: rows 10, 12, 13 and 15 of the threat
 * table, at the receiver, in virtual time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "attack-fixture.h"

#include <gst/rtpadapt/loss/seq.h>

#include <malloc.h>

#define R (50 * RA_MSECOND)
#define GAP (4 * RA_MSECOND) /* between packets: 2 Mbit/s of 1000 bytes */

/* --- a receiver by hand ------------------------------------------------------- */

/* Its reports, one after the other, as bytes. */
typedef struct
{
  RaReporter *r;
  GByteArray *said;
  guint n_reports;
  RaTfrcFb fb;
  RaRadp radp;
} Ear;

static void
ear_init (Ear *e, const RaFeedbackOps *reports)
{
  RaReporterConfig cfg
      = { .reports = reports, .lda = ra_lda_find ("zbs"), .seed = 1 };

  *e = (Ear){ .r = ra_reporter_new (&cfg, NULL), .said = g_byte_array_new () };
}

static void
ear_clear (Ear *e)
{
  ra_reporter_free (e->r);
  g_byte_array_unref (e->said);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ear, ear_clear)

static void
ear_report (Ear *e, RaTime now)
{
  guint8 data[RA_RADP_SIZE_MAX];
  guint32 ssrc;

  if (!ra_reporter_tfrc (e->r, now, &e->fb, &e->radp, &ssrc))
    return;
  e->n_reports++;
  g_byte_array_append (e->said, (const guint8 *) &now, sizeof now);
  ra_tfrc_fb_write (&e->fb, data, sizeof data);
  g_byte_array_append (e->said, data, RA_TFRC_FB_SIZE);
  g_byte_array_append (
      e->said, data, (guint) ra_radp_write (&e->radp, data, sizeof data));
}

static void
ear_until (Ear *e, RaTime now)
{
  while (ra_reporter_next_timeout (e->r) <= now)
    ear_report (e, ra_reporter_next_timeout (e->r));
}

/* A packet of an honest stream that left at k GAP, 20 ms before `at`. */
static RaWirePacket
honest_packet (guint64 k, RaTime at, RaSendTs *ts)
{
  *ts = (RaSendTs){ R, ra_stamp_us ((k + 1) * GAP) };
  return (RaWirePacket){ .ssrc = 1,
    .seq = (guint16) k,
    .size = 1000,
    .arrival = at,
    .number = -1,
    .send_ts = ts,
    .tos = -1 };
}

static RaTime
due_at (guint64 k)
{
  return (k + 1) * GAP + 20 * RA_MSECOND;
}

static void
ear_packet (Ear *e, const RaWirePacket *p)
{
  ear_until (e, p->arrival);
  if (ra_reporter_on_packet (e->r, p))
    ear_report (e, p->arrival);
}

static void
ear_honest (Ear *e, guint64 k)
{
  RaSendTs ts;
  RaWirePacket p = honest_packet (k, due_at (k), &ts);

  ear_packet (e, &p);
}

static RaReporterStats
ear_stats (const Ear *e)
{
  RaReporterStats stats;

  ra_reporter_get_stats (e->r, &stats);
  return stats;
}

static gboolean
ears_same (Ear *a, Ear *b)
{
  return a->said->len == b->said->len
      && memcmp (a->said->data, b->said->data, a->said->len) == 0;
}

/* --- row 10: numbers that jump ------------------------------------------------ */

#define LAST 199

/* The numbers 0 to LAST, then `n` of another numbering at `seq`, then ten that go on from
 * there if `n` is 2 (it restarted), else from where the honest ones were. */
static guint64
losses_after_jump (guint16 seq, guint n)
{
  RaSendTs ts;
  guint64 k = 0;
  g_auto (Ear) e;

  ear_init (&e, &ra_feedback_tfrc);
  for (; k <= LAST; k++)
    ear_honest (&e, k);
  for (guint i = 0; i < (n == 2 ? 12 : n); i++) {
    RaWirePacket p = honest_packet (k, due_at (k), &ts);

    p.seq = (guint16) (seq + i);
    ear_packet (&e, &p);
    k += n == 2;
  }
  for (guint i = 0; n == 1 && i < 10; i++, k++)
    ear_honest (&e, k);
  k = ear_stats (&e).loss.congestion + ear_stats (&e).loss.wireless;
  return k;
}

/* Near the bounds of RFC 3550 A.1, and one in 331 between. */
static gboolean
jump_is_tried (guint i)
{
  return i < LAST + 10 || i % 331 == 0
      || (i + 20 >= LAST + RA_MAX_DROPOUT && i < LAST + RA_MAX_DROPOUT + 20);
}

/* * A jump of 2,999 is a gap of 2,998; more than that, or more than 99 back, tells
 * of no loss. */
static void
test_jumps (void)
{
  guint64 most = 0, beyond = 0, most_pair = 0;

  for (guint i = 0; i < 65536; i++) {
    guint16 ahead = (guint16) (i - LAST);
    guint64 lost, pair;

    if (!jump_is_tried (i))
      continue;
    lost = losses_after_jump ((guint16) i, 1);
    pair = losses_after_jump ((guint16) i, 2);
    most = MAX (most, lost);
    most_pair = MAX (most_pair, pair);
    if (ahead >= RA_MAX_DROPOUT)
      beyond = MAX (beyond, MAX (lost, pair));
  }
  trust_row ("attack", "10 a packet out of the blue, any number",
      "2,998 losses at most (MAX_DROPOUT); none where it is farther",
      most <= RA_MAX_DROPOUT - 2 && beyond == 0,
      "%" G_GUINT64_FORMAT "; %" G_GUINT64_FORMAT, most, beyond);
  trust_row ("attack", "10 the source begins again, at any number",
      "2,998 losses at most; none where it is farther than MAX_DROPOUT",
      most_pair <= RA_MAX_DROPOUT - 2 && beyond == 0,
      "%" G_GUINT64_FORMAT "; %" G_GUINT64_FORMAT, most_pair, beyond);
}

/* --- row 13: copies, and packets out of order ---------------------------------- */

/* Of 20,000 packets one in 50 is lost, and of the others one in 20 comes twice,
 * at once or up to 36 ms later. */
static void
test_copies (void)
{
  g_autoptr (GRand) dice = g_rand_new_with_seed (13);
  guint64 came[10] = { 0 }, n_came = 0;
  g_auto (Ear) plain, copied;
  guint n = 0;

  ear_init (&plain, &ra_feedback_tfrc);
  ear_init (&copied, &ra_feedback_tfrc);
  for (guint64 k = 0; k < 20000; k++) {
    RaSendTs ts;
    RaWirePacket p;

    if (g_rand_int_range (dice, 0, 50) == 0)
      continue;
    ear_honest (&plain, k);
    ear_honest (&copied, k);
    came[n_came++ % 10] = k;
    if (n_came < 10 || g_rand_int_range (dice, 0, 20) > 0)
      continue;
    p = honest_packet (came[g_rand_int_range (dice, 0, 10)], due_at (k), &ts);
    ear_packet (&copied, &p);
    n++;
  }
  g_assert_cmpuint (ear_stats (&copied).loss.duplicates, ==, n);
  trust_row ("attack", "13 copies of packets",
      "all reports are those without copies, byte by byte",
      ears_same (&plain, &copied), "%u copies, %u reports; %s", n,
      copied.n_reports, ears_same (&plain, &copied) ? "the same" : "others");
}

/* One packet in 20 comes 5 to 50 packets late; none is lost. */
static void
test_reordered (void)
{
  g_autoptr (GRand) dice = g_rand_new_with_seed (14);
  GQueue late = G_QUEUE_INIT;
  guint n = 0;
  g_auto (Ear) e;

  ear_init (&e, &ra_feedback_tfrc);
  for (guint64 k = 0; k < 20000; k++) {
    if (k < 19900 && k > 0 && g_rand_int_range (dice, 0, 20) == 0) {
      guint64 *to = g_new (guint64, 2);

      to[0] = k;
      to[1] = k + (guint64) g_rand_int_range (dice, 5, 51);
      g_queue_push_tail (&late, to);
      n++;
    } else {
      ear_honest (&e, k);
    }
    for (GList *l = late.head; l;) {
      GList *next = l->next;
      guint64 *to = l->data;

      if (to[1] == k) {
        RaSendTs ts;
        RaWirePacket p = honest_packet (to[0], due_at (k), &ts);

        ear_packet (&e, &p);
        g_free (to);
        g_queue_delete_link (&late, l);
      }
      l = next;
    }
  }
  ear_until (&e, due_at (20000) + RA_SECOND);
  g_assert_cmpuint (late.length, ==, 0);
  trust_row ("attack", "13 packets out of order",
      "each late packet takes its loss event back: p is 0 at the end",
      ear_stats (&e).loss.recovered > n / 2 && ear_stats (&e).loss.events == 0
          && e.fb.p == 0,
      "%u late, %" G_GUINT64_FORMAT " called lost before; %u events, p %.4f", n,
      ear_stats (&e).loss.recovered, ear_stats (&e).loss.events, e.fb.p);
}

/* --- row 15: DSCP ---------------------------------------------------------------- */

/* Any six bits, and the two of ECN that are no mark. */
static void
test_dscp (void)
{
  g_autoptr (GRand) dice = g_rand_new_with_seed (15);
  g_auto (Ear) plain, remarked;

  ear_init (&plain, &ra_feedback_tfrc);
  ear_init (&remarked, &ra_feedback_tfrc);
  for (guint64 k = 0; k < 20000; k++) {
    RaColourExt colour = { (RaMark) (1 + k % 3), (guint16) (k / 3 & 0x3fff) };
    RaSendTs ts;
    RaWirePacket p = honest_packet (k, due_at (k), &ts);

    if (k % 50 == 49)
      continue;
    p.colour = &colour;
    ear_packet (&plain, &p);
    p.tos = g_rand_int_range (dice, 0, 64) << 2 | g_rand_int_range (dice, 0, 3);
    ear_packet (&remarked, &p);
  }
  trust_row ("attack", "15 DSCP remarked at random",
      "all reports are those with the DSCP unknown, byte by byte",
      ears_same (&plain, &remarked), "%u reports; %s", remarked.n_reports,
      ears_same (&plain, &remarked) ? "the same" : "others");
}

/* --- row 12: SSRCs ----------------------------------------------------------------- */

/* A million SSRCs, one packet each, in what is told with RTP numbers. */
static void
test_million (gconstpointer data)
{
  const RaFeedbackOps *reports = data;
  struct mallinfo2 before = { 0 };
  guint8 fci[1500];
  guint32 ssrc;
  gsize grown;
  g_auto (Ear) e;

  ear_init (&e, reports);
  for (guint i = 0; i < 1000000; i++) {
    RaSendTs ts;
    RaWirePacket p = honest_packet (i, (RaTime) i * RA_MSECOND, &ts);

    p.ssrc = i;
    p.tos = -1;
    if (i == 10000)
      before = mallinfo2 ();
    ra_reporter_on_packet (e.r, &p);
    if (i % 50 == 49 && reports == &ra_feedback_ccfb)
      ra_reporter_ccfb (e.r, p.arrival, p.arrival, &ssrc, fci, sizeof fci);
    else if (i % 50 == 49)
      ear_report (&e, p.arrival);
  }
  grown = mallinfo2 ().uordblks - MIN (before.uordblks, mallinfo2 ().uordblks);
  trust_row ("attack",
      reports == &ra_feedback_ccfb ? "12 a million SSRCs, ccfb"
                                   : "12 a million SSRCs, tfrc",
      "no more memory after a million than after 10,000 (64 KiB for the heap's "
      "own)",
      grown <= 65536, "%" G_GSIZE_FORMAT " bytes more", grown);
}

/* From the 200th packet on 20 SSRCs made up between each two of a stream that
 * loses one packet in 50: more than there are places (loss/ssrcs.h). */
static void
test_flooded (void)
{
  g_autoptr (GRand) dice = g_rand_new_with_seed (16);
  guint lost = 0, n = 0;
  guint64 told;
  g_auto (Ear) e;

  ear_init (&e, &ra_feedback_tfrc);
  for (guint64 k = 0; k < 5010; k++) {
    RaSendTs ts;
    RaWirePacket p = honest_packet (k, due_at (k), &ts);

    if (k % 50 == 49) {
      lost++;
      continue;
    }
    ear_packet (&e, &p);
    for (guint i = 0; k >= 200 && i < 20; i++, n++) {
      p.ssrc = g_rand_int (dice);
      p.seq = (guint16) g_rand_int (dice);
      ear_packet (&e, &p);
    }
  }
  told = ear_stats (&e).loss.congestion + ear_stats (&e).loss.wireless;
  trust_row ("attack", "12 SSRCs made up beside a stream, 20 for each packet",
      "each loss of the stream is told, and no other", told == lost,
      "%u made up; %" G_GUINT64_FORMAT " of %u told", n, told, lost);
}

/* The source takes another SSRC (RFC 3550 8.2), and begins again anywhere, each
 * 100 packets. */
static void
test_ssrc_change (void)
{
  g_autoptr (GRand) dice = g_rand_new_with_seed (12);
  guint16 seq = 0;
  g_auto (Ear) e;

  ear_init (&e, &ra_feedback_tfrc);
  for (guint64 k = 0; k < 20000; k++) {
    RaSendTs ts;
    RaWirePacket p = honest_packet (k, due_at (k), &ts);

    if (k % 100 == 0)
      seq = (guint16) g_rand_int (dice);
    p.ssrc = (guint32) (1 + k / 100);
    p.seq = seq++;
    ear_packet (&e, &p);
  }
  trust_row ("attack", "12 the SSRC changes 200 times",
      "no loss told, all counted",
      ear_stats (&e).loss.congestion + ear_stats (&e).loss.wireless == 0
          && ear_stats (&e).expected == 20000,
      "%" G_GUINT64_FORMAT " expected, %" G_GUINT64_FORMAT " lost",
      ear_stats (&e).expected,
      ear_stats (&e).loss.congestion + ear_stats (&e).loss.wireless);
}

void
tests_add (void)
{
  g_test_add_func ("/attacks-recv/jumps", test_jumps);
  g_test_add_func ("/attacks-recv/copies", test_copies);
  g_test_add_func ("/attacks-recv/reordered", test_reordered);
  g_test_add_func ("/attacks-recv/dscp", test_dscp);
  g_test_add_data_func (
      "/attacks-recv/million/tfrc", &ra_feedback_tfrc, test_million);
  g_test_add_data_func (
      "/attacks-recv/million/ccfb", &ra_feedback_ccfb, test_million);
  g_test_add_func ("/attacks-recv/flooded", test_flooded);
  g_test_add_func ("/attacks-recv/ssrc-change", test_ssrc_change);
}
