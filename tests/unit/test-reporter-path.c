/* A sender and a reporter, with nothing between but bytes and a link: what it
 * makes of the path, with tfrc, ccfb and twcc.  And anything at all off the wire.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../main.h"
#include "../world.h"
#include "reporter-fixture.h"

/* --- a path --- */

#define START (4290 * RA_SECOND) /* t_i wraps at 4294.967 s */
#define FIRST_SEQ 65000
#define SECONDS 300

/* R = 54.8 ms: there and back 25 ms each, 4.8 ms for the packet, and up to 100 ms
 * of queue.  Of the line, 208 packets of 1200 bytes in a second.
 * 5 % lost: f(p) = sqrt (2p/3) + 12 sqrt (3p/8) p (1 + 32 p^2) = .271 (RFC 5348
 * 3.1), 1200 B / (.0548 s * .271) is .323 of the line; in ns-2, where losses
 * within an R are one event, it is 1.5 times as much as the equation says. */
#define LINE "bottleneck rate=2M queue=100ms ! delay 25ms"

static const struct
{
  const gchar *link, *lda;
  gdouble least, most; /* of the line */
  const gchar *why;
} path_rows[] = {
  { LINE, "none", .95, 1, "as TFRC in ns-2, 97 %" },
  { LINE " ! bernoulli p=.05", "none", .323 * .85, .323 * 1.6, "nobody knows" },
  { LINE " ! bernoulli p=.05", "spike", .8, 1, "an LDA knows" },
};

static void
test_path (void)
{
  const gdouble line = 2e6 / 8 / 1200 * SECONDS;

  for (guint i = 0; i < G_N_ELEMENTS (path_rows); i++) {
    gdouble first = 0;

    for (guint k = 0; ra_feedbacks[k]; k++) {
      const RaFeedbackOps *wire = ra_feedbacks[k];
      WorldConfig cfg = { .wire = wire,
        .lda = path_rows[i].lda,
        .path = path_rows[i].link,
        .begin = START,
        .first = FIRST_SEQ };
      g_autoptr (World) w = world_new (&cfg, 1);
      RaEarStats ear;
      gdouble x;

      world_run (w, SECONDS * RA_SECOND);
      ra_ear_get_stats (sim_flow_ear (w->flow), &ear);
      x = (gdouble) w->arrived / line;
      g_test_message ("%s, %s: %s: wire %s: %.3f of the line",
          path_rows[i].link, path_rows[i].lda, path_rows[i].why, wire->name, x);
      /* ccfb says all twice, so that the last time may hold no news. */
      for (RaHeard heard = RA_HEARD_OK + 1; heard < RA_N_HEARD; heard++)
        if (heard != RA_HEARD_OLD || wire != &ra_feedback_ccfb)
          g_assert_cmpuint (ear.heard[heard], ==, 0);
      g_assert_cmpfloat (x, >=, path_rows[i].least);
      g_assert_cmpfloat (x, <=, path_rows[i].most);
      first = k == 0 ? x : first;
      g_assert_cmpfloat (x, >=, .9 * first);
      g_assert_cmpfloat (first, >=, .9 * x);
      /* No trace of what both ends saw is lost on the way. */
      if (world_reporter (w))
        g_assert_cmpuint (
            reporter_stats (world_reporter (w)).packets, ==, w->arrived);
      if (wire == &ra_feedback_tfrc)
        g_assert_cmpint (
            ABS (reporter_stats (world_reporter (w)).rtt - world_stats (w).rtt),
            <=, 20 * RA_MSECOND);
    }
  }
}

/* --- anything --- */

static RaTime
random_time (RaRng *rng, RaTime now)
{
  gdouble lot = ra_rng_uniform (rng);

  if (lot < .001)
    return ra_rng_next (rng) - 1; /* not RA_TIME_NONE */
  if (lot < .01)
    return ra_later (now, ra_span (20 * ra_rng_uniform (rng) - 10));
  return ra_later (now, ra_span (.002 * ra_rng_uniform (rng)));
}

static void
random_packet (RaRng *rng, RaWirePacket *p, RaSendTs *ts, RaColourExt *colour)
{
  guint64 bits = ra_rng_next (rng);
  gboolean wild = ra_rng_chance (rng, .01);

  p->ssrc = wild ? (guint32) bits : (guint32) (bits & 3);
  p->seq = (guint16) (wild ? bits >> 8 : p->seq + 1u + (bits >> 8 & 3) / 3);
  p->size = wild ? (guint) (bits >> 24) : 1000;
  p->number = (gint) (bits >> 40 & 1) * (p->seq + 1) - 1;
  p->tos = wild ? (gint) (bits >> 30) : (gint) (bits >> 41 & 0xff) - 1;
  p->grain = wild ? (RaSpan) bits : 0;
  ts->rtt = wild ? (RaSpan) (bits & 0xffffff) * RA_USECOND : 50 * RA_MSECOND;
  ts->t_i = wild ? (guint32) (bits >> 5)
                 : ra_stamp_us (p->arrival) + (guint32) (bits >> 50 & 0xfff);
  p->send_ts = bits >> 62 ? ts : NULL;
  colour->mark = (RaMark) (bits >> 57 & (wild ? 7 : 3));
  colour->n = (guint16) (wild ? bits : colour->n + 1u);
  p->colour = bits >> 60 & 1 ? colour : NULL;
}

static gboolean
is_share (gdouble x)
{
  return x >= 0 && x <= 1;
}

static void
value_check (const gchar *name, gdouble value, gpointer data)
{
  g_assert_false (isnan (value));
}

static void
reports_check (RaReporter *r, RaTime now)
{
  RaTfrcFb fb = { 0 };
  RaRadp radp = { 0 };
  RaReporterStats stats = reporter_stats (r);
  guint8 bytes[200];
  guint32 ssrc;

  if (ra_reporter_tfrc (r, now, &fb, &radp, &ssrc)) {
    g_assert_true (is_share (fb.p) && is_share (radp.w) && is_share (radp.p_c)
        && is_share (radp.delayed));
    g_assert_cmpint (fb.t_delay, >=, 0);
    g_assert_true (isfinite (radp.burst) && radp.burst >= 0);
    g_assert_cmpuint (ra_radp_write (&radp, bytes, sizeof bytes), >, 0);
  }
  ra_reporter_ccfb (r, now, now, &ssrc, bytes, (gsize) (now % 200));
  ra_reporter_observe (r, value_check, NULL);
  g_assert_true (is_share (stats.p) && is_share (stats.delayed_ratio));
  g_assert_cmpuint (stats.delayed, <=, stats.packets);
  g_assert_cmpuint (stats.loss.arrived, <=, stats.packets);
}

/* 300,000 packets, of which 1 in 100 is anything, and a clock that goes
 * anywhere: it neither breaks nor tells nonsense. */
static void
test_anything (void)
{
  guint n_ldas = 0, per_lda;

  while (ra_ldas[n_ldas])
    n_ldas++;
  per_lda = 300000 / 3 / n_ldas;
  for (guint i = 0; i < 3 * n_ldas; i++) {
    g_autoptr (RaReporter) r
        = reporter_new (ra_feedbacks[i % 3], ra_ldas[i / 3]);
    RaWirePacket p = wire_packet (1, MS (1000));
    RaColourExt colour = { 0 };
    RaSendTs ts;
    RaRng rng;

    ra_rng_init (&rng, 7, i);
    for (guint k = 0; k < per_lda; k++) {
      p.arrival = random_time (&rng, p.arrival);
      random_packet (&rng, &p, &ts, &colour);
      ra_reporter_on_packet (r, &p);
      if (ra_reporter_next_timeout (r) <= p.arrival || k % 1000 == 0)
        reports_check (r, random_time (&rng, p.arrival));
    }
    g_assert_cmpuint (reporter_stats (r).packets, ==, per_lda);
  }
}

void
tests_add (void)
{
  g_test_add_func ("/reporter-path/path", test_path);
  g_test_add_func ("/reporter-path/anything", test_anything);
}
