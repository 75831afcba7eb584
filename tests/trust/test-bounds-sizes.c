/* Sizes, counts, spans, times and rates that nobody should give: whatever
 * comes, the answer is within its limits and is a number.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The program runs under UBSan, too, where an overflow is an error.
 */
#include "../heldrows.h"
#include "trust.h"

#include <gst/rtpadapt/colour.h>
#include <gst/rtpadapt/feedback/tfrcear.h>
#include <gst/rtpadapt/feedback/reporter.h>
#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/rate/pacer.h>
#include <gst/rtpadapt/sender.h>
#include <gst/rtpadapt/util/rng.h>
#include <gst/rtpadapt/util/throughput.h>
#include <gst/rtpadapt/util/winmin.h>

#include <math.h>

#define STEPS 400
/* A clock may be set by so much at once. */
#define YEARS (30 * 365 * G_GUINT64_CONSTANT (86400) * RA_SECOND)
#define BEGIN (G_GUINT64_CONSTANT (1) << 62)

static const guint sizes[] = { 0, 1, 12, 1200, 65535, 65536, G_MAXINT32,
  (guint) G_MAXINT32 + 1, G_MAXUINT };
static const guint64 rates[] = { 0, 1, 1000, 1000000,
  G_GUINT64_CONSTANT (1000000000000), G_MAXINT64, G_MAXUINT64 };
static const RaSpan spans[] = { 0, 1, -1, RA_MSECOND, RA_SECOND,
  16777215 * RA_USECOND, 86400 * RA_SECOND, -RA_SECOND, G_MAXINT64 / 2,
  G_MAXINT64 - 1, G_MAXINT64 };
/* Of feedback formats, and more. */
static const RaSpan grains[]
    = { 0, 1, 250 * RA_USECOND, RA_SECOND / 1024, RA_SECOND };
static const gdouble numbers[] = { 0, -0., 5e-324, 1e-300, .01, .5, 1, 9, 1e300,
  -1, (gdouble) NAN, (gdouble) INFINITY, -(gdouble) INFINITY };

#define PICK(array) ((array)[ra_rng_next (rng) % G_N_ELEMENTS (array)])

/* Mostly on by a packet's time; now and then by years, there and back. */
static RaTime
any_time (RaRng *rng, RaTime now)
{
  switch (ra_rng_next (rng) % 32) {
    case 0:
    case 1:
      return now <= BEGIN ? now + YEARS : now - YEARS;
    case 2:
      return now - MIN (now, (RaTime) RA_SECOND);
    case 3:
      return now;
    default:
      return now + (RaTime) (10 * RA_MSECOND);
  }
}

static RaSpan
any_wait (RaRng *rng)
{
  RaSpan span = PICK (spans);

  return MAX (span, 0);
}

static void
check_number (const gchar *name, gdouble value, gpointer data)
{
  if (isnan (value))
    g_test_message ("%s is no number", name);
  g_assert_false (isnan (value));
}

/* --- the sender -------------------------------------------------------- */

typedef struct
{
  RaSender *s;
  RaTfrcEar *tfrc_ear;
  RaTime now;
  guint64 seq;
  RaRateConfig limits;
  RaRng rng;
} Hostile;

static void
hostile_sent (Hostile *h)
{
  RaRng *rng = &h->rng;
  RaOutgoing p = { .seq = h->seq,
    .size = PICK (sizes),
    .media = PICK (sizes),
    .mark = (RaMark) (ra_rng_next (rng) % RA_N_MARKS),
    .flags = (RaSentFlags) (ra_rng_next (rng) % 64) };

  h->seq += ra_rng_chance (rng, .02) ? G_GUINT64_CONSTANT (1) << 40 : 1;
  ra_sender_on_sent (h->s, &p, h->now);
}

static void
hostile_rows (Hostile *h)
{
  RaRng *rng = &h->rng;
  RaFeedbackPacket rows[8];
  guint n = ra_rng_next (rng) % (guint) (G_N_ELEMENTS (rows) + 1);

  for (guint i = 0; i < n; i++) {
    rows[i] = (RaFeedbackPacket){ h->seq - ra_rng_next (rng) % 8,
      any_time (rng, h->now), ra_rng_chance (rng, .1) };
    if (ra_rng_chance (rng, .3))
      rows[i].arrival = RA_TIME_NONE;
    if (ra_rng_chance (rng, .1))
      rows[i].seq = G_MAXUINT64 - 1 - ra_rng_next (rng);
  }
  held_rows_hear (h->s, rows, n, PICK (grains), any_wait (rng), h->now);
}

static void
hostile_report (Hostile *h)
{
  RaRng *rng = &h->rng;
  RaReport report = { .rtt = PICK (spans),
    .t_recvdata = any_time (rng, h->now),
    .recv_rate = PICK (rates),
    .p = PICK (numbers),
    .n_events = PICK (sizes),
    .expected = PICK (sizes),
    .arrived = PICK (sizes),
    .lost_congestion = PICK (sizes),
    .lost_wireless = PICK (sizes),
    .wireless_runs = PICK (sizes),
    .ce = PICK (sizes),
    .loss_age = PICK (spans),
    .interval = PICK (spans),
    .queue = PICK (spans) };

  ra_sender_on_report (h->s, &report, PICK (spans), h->now);
}

/* Counts of 2^31 and more. */
static void
hostile_wire (Hostile *h)
{
  RaRng *rng = &h->rng;
  RaRadp radp = { .t_i = ra_stamp_us (any_time (rng, h->now)),
    .expected = PICK (sizes),
    .arrived = PICK (sizes),
    .lost_congestion = PICK (sizes),
    .lost_wireless = PICK (sizes),
    .wireless_runs = PICK (sizes),
    .n_events = PICK (sizes),
    .t_lost = PICK (sizes),
    .queue = PICK (spans) };
  RaTfrcFb fb = { radp.t_i, any_wait (rng), PICK (rates), .5 };
  guint8 data[RA_RADP_SIZE_MAX], fci[RA_TFRC_FB_SIZE];
  RaReport report;
  RaSpan t_delay;

  ra_tfrc_ear_on_radp (
      h->tfrc_ear, data, ra_radp_write (&radp, data, sizeof data), h->now);
  ra_tfrc_fb_write (&fb, fci, sizeof fci);
  if (ra_tfrc_ear_on_tfrc (
          h->tfrc_ear, fci, sizeof fci, h->now, &report, &t_delay)
      == RA_HEARD_OK)
    ra_sender_on_report (h->s, &report, t_delay, h->now);
}

static void
hostile_settings (Hostile *h)
{
  RaRng *rng = &h->rng;

  h->limits = (RaRateConfig){ PICK (rates), PICK (rates), PICK (rates),
    PICK (sizes) };
  ra_sender_set_limits (h->s, &h->limits);
  ra_sender_set_safety (h->s, fabs (PICK (numbers)), ra_rng_chance (rng, .5));
  if (ra_rng_chance (rng, .1))
    ra_sender_restart (h->s);
}

static void
hostile_step (Hostile *h)
{
  RaRng *rng = &h->rng;

  h->now = any_time (rng, h->now);
  if (ra_sender_next_timeout (h->s) <= h->now)
    ra_sender_on_timeout (h->s, h->now);
  switch (ra_rng_next (rng) % 16) {
    case 0:
      hostile_report (h);
      break;
    case 1:
    case 2:
    case 3:
      hostile_rows (h);
      break;
    case 4:
      ra_sender_on_receiver_report (h->s,
          &(RaBlock){ PICK (sizes), PICK (sizes), PICK (numbers),
              (RaLsr) (ra_rng_next (rng) % 3), PICK (spans) },
          1, h->now);
      break;
    case 5:
      hostile_settings (h);
      break;
    case 6:
      hostile_wire (h);
      break;
    default:
      hostile_sent (h);
  }
}

/* rate.h: "0 < min <= start <= max", and what a breaker or the cap leaves. */
static void
hostile_check (Hostile *h)
{
  RaRng *rng = &h->rng;
  guint64 rate = ra_sender_rate (h->s);
  RaTime next = ra_sender_next_send (h->s, h->now);
  RaSplit split;

  g_assert_cmpuint (rate, <=, MAX (h->limits.max, 1));
  g_assert_cmpuint (ra_sender_fec (h->s), <=, 100);
  ra_sender_split (h->s, PICK (spans), &split);
  g_assert_cmpuint (split.media, <=, rate);
  g_assert_cmpuint (split.fec, <=, rate - split.media);
  g_assert_cmpuint (split.header, <=, rate - split.media - split.fec);
  g_assert_cmpuint (next, >=, h->now);
  ra_sender_observe (h->s, check_number, NULL);
}

/* Each controller with each LDA. */
static void
test_sender (void)
{
  guint n = 0;

  for (guint c = 0; ra_rates[c]; c++) {
    for (guint l = 0; ra_ldas[l]; l++) {
      RaSenderConfig cfg = { .controller = ra_rates[c],
        .lda = ra_ldas[l],
        .fec = ra_fec_find (n % 2 ? "ulp" : "fixed"),
        .friendliness_cap = 9,
        .breakers = n % 3 == 0 };
      Hostile h = { .now = BEGIN };
      GError *error = NULL;

      ra_rng_init (&h.rng, 1, ++n);
      h.s = ra_sender_new (&cfg, h.now, &error);
      g_assert_no_error (error);
      h.tfrc_ear = ra_tfrc_ear_new (ra_sender_ledger (h.s));
      for (guint i = 0; i < STEPS; i++) {
        hostile_step (&h);
        hostile_check (&h);
      }
      ra_tfrc_ear_free (h.tfrc_ear);
      ra_sender_free (h.s);
    }
  }
  trust_row ("bounds", "hostile numbers at a sender",
      "sizes to 2^32, rates 0 to 2^64, spans of 2^63 ns, NaN, 30 years at "
      "once: the rate is within its limits, no value is NaN",
      n > 0, "%u controllers and LDAs, %u steps each", n, STEPS);
}

/* --- the receiver ------------------------------------------------------ */

static void
reporter_step (RaReporter *r, RaRng *rng, RaTime *now, guint16 *seq)
{
  RaSendTs ts = { PICK (spans), ra_stamp_us (any_time (rng, *now)) };
  RaColourExt colour
      = { (RaMark) (ra_rng_next (rng) % 8), (guint16) ra_rng_next (rng) };
  RaWirePacket p = { .ssrc = ra_rng_next (rng) % 3,
    .seq = *seq,
    .size = PICK (sizes),
    .grain = PICK (grains),
    .number = ra_rng_chance (rng, .5) ? -1 : (gint) (ra_rng_next (rng) >> 2),
    .send_ts = ra_rng_chance (rng, .9) ? &ts : NULL,
    .colour = ra_rng_chance (rng, .9) ? &colour : NULL,
    .tos = (gint) (ra_rng_next (rng) % 512) - 1 };
  guint8 fci[1024];
  RaReporterStats stats;
  RaTfrcFb fb;
  RaRadp radp;
  guint32 ssrc;

  *now = p.arrival = any_time (rng, *now);
  *seq += (guint16) (ra_rng_chance (rng, .9) ? 1 : ra_rng_next (rng));
  ra_reporter_on_packet (r, &p);
  if (ra_rng_chance (rng, .3)
      && ra_reporter_tfrc (r, *now, &fb, &radp, &ssrc)) {
    g_assert_cmpint (fb.t_delay, >=, 0);
    g_assert_true (fb.p >= 0 && fb.p <= 1);
  }
  if (ra_rng_chance (rng, .3))
    ra_reporter_ccfb (
        r, *now, *now, &ssrc, fci, ra_rng_next (rng) % sizeof fci);
  ra_reporter_get_stats (r, &stats);
  g_assert_true (stats.p >= 0 && stats.p <= 1);
  g_assert_true (stats.delayed_ratio >= 0 && stats.delayed_ratio <= 1);
  ra_reporter_observe (r, check_number, NULL);
}

static void
test_reporter (void)
{
  static const RaFeedbackOps *const kinds[]
      = { NULL, &ra_feedback_tfrc, &ra_feedback_ccfb };
  guint n = 0;

  for (guint l = 0; ra_ldas[l]; l++) {
    for (guint k = 0; k < G_N_ELEMENTS (kinds); k++) {
      RaReporterConfig cfg = { .reports = kinds[k], .lda = ra_ldas[l] };
      g_autoptr (RaReporter) r = ra_reporter_new (&cfg, NULL);
      RaTime now = BEGIN;
      guint16 seq = 65530;
      RaRng rng;

      ra_rng_init (&rng, 2, ++n);
      for (guint i = 0; i < STEPS; i++)
        reporter_step (r, &rng, &now, &seq);
    }
  }
  trust_row ("bounds", "hostile packets at a receiver",
      "the same of sizes, numbers, times and R: no report has a time or a "
      "loss rate that cannot be",
      n > 0, "%u LDAs and feedbacks, %u steps each", n, STEPS);
}

/* --- what they are made of --------------------------------------------- */

static void
test_parts (void)
{
  RaRng generator, *rng = &generator;
  RaThroughput throughput = { 0 };
  RaWinMin min;
  RaPacer pacer;
  RaTime now = BEGIN;
  guint n = 0;

  ra_rng_init (rng, 3, 1);
  ra_winmin_init (&min);
  ra_pacer_init (&pacer, G_MAXINT64, now);
  for (; n < 100 * STEPS; n++) {
    RaSpan window = PICK (spans);
    guint64 bps = PICK (rates);

    now = any_time (rng, now);
    ra_winmin_add (&min, (gdouble) PICK (spans), now, window);
    g_assert_false (isnan (ra_winmin_get (&min, now, PICK (spans))));
    ra_throughput_add (&throughput, PICK (sizes), now);
    ra_throughput_rate (&throughput, any_time (rng, now));
    ra_pacer_on_sent (&pacer, PICK (sizes), bps, any_wait (rng), now);
    g_assert_cmpuint (ra_pacer_next (&pacer, bps, now), >=, now);
  }
  for (guint c = 0; ra_colours[c]; c++) {
    g_autoptr (RaColour) colour = ra_colour_new (ra_colours[c], NULL, NULL);

    for (guint i = 0; i < STEPS; i++) {
      RaColourPacket p
          = { PICK (sizes), (RaImportance) (ra_rng_next (rng) % 16), i % 2 };

      now = any_time (rng, now);
      ra_colour_set_rate (colour, PICK (rates));
      g_assert_cmpint (ra_colour_mark (colour, &p, now), <, RA_N_MARKS);
      ra_colour_observe (colour, check_number, NULL);
    }
  }
  trust_row ("bounds", "hostile numbers at the parts",
      "minima, throughput, pacer, colours: the same, and no packet is due "
      "before now",
      n > 0, "%u steps", n);
}

/* A frame of any size, any report, at any level. */
static void
test_fec (void)
{
  RaRng generator, *rng = &generator;
  guint n = 0;

  ra_rng_init (rng, 4, 1);
  for (guint f = 0; ra_fecs[f]; f++) {
    g_autoptr (RaFec) fec = ra_fec_new (ra_fecs[f], NULL, NULL);
    RaTime now = BEGIN;

    for (guint i = 0; i < STEPS; i++, n++) {
      RaReport report = { .expected = PICK (sizes),
        .lost_congestion = PICK (sizes) / 2,
        .lost_wireless = PICK (sizes),
        .wireless_runs = PICK (sizes) };

      now = any_time (rng, now);
      ra_fec_on_frame (fec, PICK (sizes));
      ra_fec_on_report (fec, &report, now);
      g_assert_cmpuint (ra_fec_percentage (fec), <=, 100);
      ra_fec_observe (fec, check_number, NULL);
    }
  }
  trust_row ("bounds", "hostile reports at FEC",
      "frames of 2^32 packets, all of them lost: a level of 0 to 100 %", n > 0,
      "%u reports", n);
}

void
tests_add (void)
{
  g_test_add_func ("/trust/bounds/sender", test_sender);
  g_test_add_func ("/trust/bounds/reporter", test_reporter);
  g_test_add_func ("/trust/bounds/parts", test_parts);
  g_test_add_func ("/trust/bounds/fec", test_fec);
}
