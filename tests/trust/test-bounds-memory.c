/* Tables that nobody outside can make grow: the bytes in use after a virtual
 * hour are those after its first tenth.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../link-text.h"
#include "../rows.h"
#include "trust.h"

#include <gst/rtpadapt/feedback/tfrcear.h>
#include <gst/rtpadapt/feedback/reporter.h>
#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/ledger.h>
#include <gst/rtpadapt/loss/history.h>
#include <gst/rtpadapt/sender.h>

#ifdef __SANITIZE_ADDRESS__
/* Of ASan's run time; Debian's gcc has no header for it. */
gsize __sanitizer_get_current_allocated_bytes (void);
#endif

#define HOUR 3600
#define PER_SECOND 50
#define EACH (RA_SECOND / PER_SECOND)
#define PACKETS (HOUR * PER_SECOND)
#define SOURCES 1000000
/* An allocator may keep a page or two that it did not need before. */
#define SLACK 8192

static gint64
bytes_in_use (void)
{
#ifdef __SANITIZE_ADDRESS__
  return (gint64) __sanitizer_get_current_allocated_bytes ();
#else
  return trust_memory ();
#endif
}

/* What is watched: made, then fed with the n-th of so many. */
typedef struct
{
  const gchar *name, *promise;
  gpointer (*make) (gconstpointer data);
  void (*feed) (gpointer x, guint i, gconstpointer data);
  GDestroyNotify destroy;
  gconstpointer data;
  guint n;
} Row;

/* --- the sender -------------------------------------------------------- */

static gpointer
sender_make (gconstpointer data)
{
  RaSenderConfig cfg = {
    .controller = ra_rate_find ("tfrc"),
    .lda = ra_lda_find ("zbs"),
    .fec = ra_fec_find ("ulp"),
    .rate = { .min = 100000, .start = 500000, .max = 20000000, .mss = 1200 },
    .friendliness_cap = 9,
  };

  return ra_sender_new (&cfg, 0, NULL);
}

static void
sender_send (gpointer x, guint i, gconstpointer data)
{
  RaTime now = (RaTime) i * (RaTime) EACH;
  RaOutgoing p = { .seq = i,
    .size = 1200,
    .media = 1180,
    .flags = RA_SENT_ASKS | RA_SENT_FRAME_END | RA_SENT_WAITING };

  if (ra_sender_next_timeout (x) <= now)
    ra_sender_on_timeout (x, now);
  ra_sender_on_sent (x, &p, now);
}

/* 10 rows about numbers that were never sent, for each packet. */
static void
sender_flood (gpointer x, guint i, gconstpointer data)
{
  RaFeedbackPacket feedback[10];

  sender_send (x, i, data);
  for (guint k = 0; k < G_N_ELEMENTS (feedback); k++)
    feedback[k] = (RaFeedbackPacket){ i + 1 + (guint64) k * i, i, FALSE };
  ra_sender_on_feedback (
      x, feedback, G_N_ELEMENTS (feedback), 0, (RaTime) i * (RaTime) EACH);
}

/* Report blocks about as many SSRCs. */
static void
sender_blocks (gpointer x, guint i, gconstpointer data)
{
  RaTime now = (RaTime) i * (RaTime) EACH;

  ra_sender_on_receiver_report (
      x, &(RaBlock){ i, i, .5, RA_LSR_OURS, RA_SECOND }, 1, now);
}

typedef struct
{
  RaLedger *ledger;
  RaTfrcEar *tfrc_ear;
} Ear;

static gpointer
ear_make (gconstpointer data)
{
  Ear *e = g_new (Ear, 1);

  e->ledger = ra_ledger_new ();
  e->tfrc_ear = ra_tfrc_ear_new (e->ledger);
  return e;
}

static void
ear_send (gpointer x, guint i, gconstpointer data)
{
  Ear *e = x;

  ra_ledger_add (e->ledger,
      &(RaLedgerEntry){
          .index = i, .sent = (RaTime) i * (RaTime) EACH, .size = 1200 });
}

/* Well-formed reports with any t_i, ten for each packet. */
static void
ear_flood (gpointer x, guint i, gconstpointer data)
{
  RaTfrcEar *ear = ((Ear *) x)->tfrc_ear;
  RaTime now = (RaTime) i * (RaTime) EACH;
  RaRadp radp = { .expected = i, .arrived = i, .queue = RA_SPAN_NONE };
  RaTfrcFb fb = { .x_recv = 1000000, .p = .01 };
  guint8 bytes[RA_RADP_SIZE_MAX], fci[RA_TFRC_FB_SIZE];
  RaReport report;
  RaSpan t_delay;

  ear_send (x, i, data);
  for (guint k = 0; k < 10; k++) {
    radp.t_i = fb.t_i = i * 2654435761u + k;
    if (k == 0)
      radp.t_i = fb.t_i = ra_stamp_us (now);
    ra_tfrc_ear_on_radp (
        ear, bytes, ra_radp_write (&radp, bytes, sizeof bytes), now + k);
    ra_tfrc_fb_write (&fb, fci, sizeof fci);
    ra_tfrc_ear_on_tfrc (ear, fci, sizeof fci, now + k, &report, &t_delay);
  }
}

static void
ear_destroy (gpointer x)
{
  g_autofree Ear *e = x;

  ra_tfrc_ear_free (e->tfrc_ear);
  ra_ledger_free (e->ledger);
}

/* --- the receiver ------------------------------------------------------ */

static gpointer
receiver_make (gconstpointer data)
{
  return ra_receiver_new (ra_lda_new (ra_lda_find ("zbs"), NULL, NULL), 1200);
}

/* Every third is missing, and nobody ever wants a report. */
static void
receiver_take (gpointer x, guint i, gconstpointer data)
{
  RaTime now = (RaTime) i * (RaTime) EACH;
  RaPacket p = { .seq = i + i / 2,
    .size = 1200,
    .sent = now,
    .arrival = now + 25 * RA_MSECOND,
    .rtt = 50 * RA_MSECOND };

  ra_receiver_on_packet (x, &p);
}

static gpointer
reporter_make (gconstpointer data)
{
  RaReporterConfig cfg = { .reports = data, .lda = ra_lda_find ("zbs") };

  return ra_reporter_new (&cfg, NULL);
}

/* The SSRC, the number and the time of the i-th packet; R as the wire has it. */
static void
reporter_take (gpointer x, guint32 ssrc, guint16 seq, RaTime now, RaSpan rtt)
{
  RaSendTs ts = { rtt, ra_stamp_us (now) };
  RaWirePacket p = { .ssrc = ssrc,
    .seq = seq,
    .size = 1200,
    .arrival = now,
    .number = -1,
    .send_ts = &ts,
    .tos = -1 };

  ra_reporter_on_packet (x, &p);
}

static void
reporter_silent (gpointer x, guint i, gconstpointer data)
{
  reporter_take (
      x, 1, (guint16) (i + i / 2), (RaTime) i * (RaTime) EACH, 50 * RA_MSECOND);
}

static void
reporter_sources (gpointer x, guint i, gconstpointer data)
{
  reporter_take (x, i, (guint16) (i * 40503u), (RaTime) i * RA_MSECOND, 0);
}

/* 2^24 - 1 us, the longest R that rtt-sendts can tell, at 20,000 packets/s:
 * what came during the last R are 335,544 packets. */
static void
reporter_long_rtt (gpointer x, guint i, gconstpointer data)
{
  reporter_take (
      x, 1, (guint16) i, (RaTime) i * 50 * RA_USECOND, 16777215 * RA_USECOND);
}

static gpointer
history_make (gconstpointer data)
{
  return ra_history_new (TRUE);
}

static void
history_lose (gpointer x, guint i, gconstpointer data)
{
  ra_history_lose (x, 2 * (guint64) i, (RaTime) i * (RaTime) EACH, RA_MSECOND);
  ra_history_on_packet (x, 2 * (guint64) i + 1);
}

/* --- the link ---------------------------------------------------------- */

static gpointer
link_make (gconstpointer text)
{
  return ra_link_parse (text, 1, &link_nowhere, NULL, NULL);
}

/* 9.6 Mbit/s, of another flow each. */
static void
link_push (gpointer x, guint i, gconstpointer data)
{
  ra_link_push (
      x, &(RaLinkPacket){ .flow = i, .size = 1200 }, (RaTime) i * RA_MSECOND);
}

#define FREE(what) (GDestroyNotify) ra_##what##_free

static const Row rows[] = {
  { "no feedback", "a sender that is never answered", sender_make, sender_send,
      FREE (sender), NULL, PACKETS },
  { "feedback of nothing", "1,000 rows/s about packets never sent", sender_make,
      sender_flood, FREE (sender), NULL, PACKETS },
  { "report blocks", "blocks about 180,000 SSRCs", sender_make, sender_blocks,
      FREE (sender), NULL, PACKETS },
  { "tfrc ear unanswered", "tfrc, never answered", ear_make, ear_send,
      ear_destroy, NULL, PACKETS },
  { "tfrc ear flooded", "tfrc, 500 forged reports/s", ear_make, ear_flood,
      ear_destroy, NULL, PACKETS },
  { "receiver unasked", "a third is lost, no report is asked for",
      receiver_make, receiver_take, FREE (receiver), NULL, PACKETS },
  { "tfrc reports unasked", "and none of tfrc", reporter_make, reporter_silent,
      FREE (reporter), &ra_feedback_tfrc, PACKETS },
  { "ccfb reports unasked", "and none of ccfb", reporter_make, reporter_silent,
      FREE (reporter), &ra_feedback_ccfb, PACKETS },
  { "SSRCs", "10^6 SSRCs at a receiver, tfrc", reporter_make, reporter_sources,
      FREE (reporter), &ra_feedback_tfrc, SOURCES },
  { "SSRCs ccfb", "10^6 SSRCs at a receiver, ccfb", reporter_make,
      reporter_sources, FREE (reporter), &ra_feedback_ccfb, SOURCES },
  { "long RTT", "20,000 packets/s that claim an RTT of 16.8 s", reporter_make,
      reporter_long_rtt, FREE (reporter), &ra_feedback_tfrc, SOURCES },
  { "loss history", "every other packet lost", history_make, history_lose,
      FREE (history), NULL, PACKETS },
  { "queue", "ten times a bottleneck's rate, 10^6 flows", link_make, link_push,
      FREE (link), "bottleneck rate=1M queue=1s ! delay 25ms", SOURCES },
  { "models per flow", "a model for each of 20,000 flows", link_make, link_push,
      FREE (link), "each bottleneck rate=1M ! each gilbert p=.1 r=.1", 20000 },
};

/* At most as much, whatever comes: half a megabyte of places for what is kept,
 * RA_LEDGER_SIZE packets, four times for the reports of 16 SSRCs. */
#define MOST (4 * 1024 * 1024)

static void
test_bounded (gconstpointer data)
{
  const Row *row = &rows[GPOINTER_TO_UINT (data)];
  gint64 before = bytes_in_use (), tenth = 0, end;
  gpointer x = row->make (row->data);
  g_autofree gchar *promise = g_strdup_printf (
      "%s: no more bytes at the end than after a tenth", row->promise);

  g_assert_nonnull (x);
  for (guint i = 0; i < row->n; i++) {
    if (i == row->n / 10)
      tenth = bytes_in_use ();
    row->feed (x, i, row->data);
  }
  end = bytes_in_use ();
  trust_row ("bounds", row->name, promise,
      end - tenth <= SLACK && end - before <= MOST,
      "%u steps, %.0f kB, %+" G_GINT64_FORMAT " bytes", row->n,
      (gdouble) (end - before) / 1e3, end - tenth);
  row->destroy (x);
}

void
tests_add (void)
{
  rows_add ("/trust/bounds/memory", rows, test_bounded);
}
