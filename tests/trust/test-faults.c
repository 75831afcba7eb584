/* Faults of the feedback, of the path and of either end, for every controller
 * with either feedback: the rate never rises by them, and comes back after.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * 1 Mbit/s, R of 50 to 150 ms: 5 to 15 packets per R.
 */
#include "faults.h"
#include "trust.h"

#define SPAN (30 * RA_SECOND)

/* --- feedback ------------------------------------------------------------ */

/* All begins after FAULTS_WARM.
 * `least` is a share of the rate without the fault.  TFRC halves its rate when
 * 4 R pass without feedback (RFC 5348 4.3), a window starts again after one
 * timeout of about R + 1 interval: of 4 reports in a row all are lost with
 * probability .1^4, .3^4 = .8 %, .5^4 = 6 %. */
static const struct
{
  const gchar *name, *back;
  gdouble duplicate;
  const gchar *copy;
  gdouble least;
  const gchar *why;
} feedback_rows[] = {
  { "feedback lost 10 %", "bernoulli 0,10s:10% ! delay 25ms", 0, "", .8,
      "no four in a row" },
  { "feedback lost 30 %", "bernoulli 0,10s:30% ! delay 25ms", 0, "", .8,
      "a timeout now and then" },
  { "feedback lost 50 %", "bernoulli 0,10s:50% ! delay 25ms", 0, "", .5,
      "one timeout in 16 R" },
  { "feedback reordered 30 %", "arq p=.3 delay=100ms ! delay 25ms", 0, "", .8,
      "a report that was overtaken by two is none" },
  { "feedback twice", "delay 25ms", 1, "delay 25ms", 1,
      "what was heard is no news" },
  { "feedback twice, 1 s later", "delay 25ms", 1, "delay 1s", 1, "nor later" },
  { "feedback twice, half of it", "delay 25ms", .5, "delay 300ms", 1,
      "in between" },
};

static void
test_feedback (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_auto (FaultsRange) sent = { 0 }, goodput = { 0 };
  g_autofree gchar *promise = NULL;
  WorldConfig cfg;

  g_test_message ("%s", feedback_rows[row].why);
  faults_config_init (&cfg);
  cfg.back = feedback_rows[row].back;
  cfg.duplicate = feedback_rows[row].duplicate;
  cfg.copy = feedback_rows[row].copy;
  for (guint i = 0; faults_each (i, &cfg); i++) {
    const FaultsRun *honest = faults_honest (i, &cfg, faults_config_init, SPAN);
    FaultsRun r = faults_run (&cfg, SPAN, 0, 0);

    faults_range_add (&sent, r.sent / honest->sent, &cfg);
    faults_range_add (&goodput, r.goodput / honest->goodput, &cfg);
  }
  promise = g_strdup_printf (
      "each controller sends at most %.1f x what it does without, and %.1f x "
      "arrives at least",
      FAULTS_MORE, feedback_rows[row].least);
  trust_row ("fault", feedback_rows[row].name, promise,
      sent.most <= FAULTS_MORE && goodput.least >= feedback_rows[row].least,
      "%.2f x (%s), %.2f x (%s)", sent.most, sent.most_of, goodput.least,
      goodput.least_of);
}

/* --- what recovers ------------------------------------------------------- */

#define BEFORE (10 * RA_SECOND)
#define STEP RA_SECOND
#define NEVER 1000
#define PATIENCE 70 /* s */

/* Seconds until one brings `part` of `before`; NEVER. */
static guint
recovery (World *w, gdouble before, gdouble part, guint most)
{
  for (guint n = 1; n <= most; n++) {
    if (world_goodput (w, STEP) >= part * before)
      return n;
  }
  return NEVER;
}

/* For 30 s the way back takes so much longer.  RFC 8083 4.4: of no use to
 * anybody are for us 3 s of delay (safety/breaker.c), for 20 s.  The receiver
 * reports once per R, and each report takes a tenth off what R is too long (RFC
 * 5348 4.3 step 2): from R = R_1 on it takes the sum of .9^k R_1 = 10 R_1 to
 * forget.  R_1 is the delay and 50 ms; 10 s are for the controller itself. */
static const struct
{
  const gchar *name, *back;
  guint within; /* s, 10 + 10 R_1 */
  gboolean stops;
  const gchar *why;
} delay_rows[] = {
  { "feedback delayed .1 s", "delay 25ms,20s:125ms,50s:25ms", 12, FALSE,
      "a longer R" },
  { "feedback delayed .5 s", "delay 25ms,20s:525ms,50s:25ms", 16, FALSE,
      "a satellite" },
  { "feedback delayed 1 s", "delay 25ms,20s:1025ms,50s:25ms", 21, FALSE,
      "a full buffer" },
  { "feedback delayed 2 s", "delay 25ms,20s:2025ms,50s:25ms", 31, FALSE,
      "a very full one" },
  { "feedback delayed 5 s", "delay 25ms,20s:5025ms,50s:25ms", 61, TRUE,
      "no path for a conversation" },
};

#define DELAYED (30 * RA_SECOND)

static void
test_delay (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_auto (FaultsRange) sent = { 0 }, back = { 0 };
  gboolean stops = delay_rows[row].stops, ok = TRUE;
  g_autofree gchar *promise = g_strdup_printf (
      "sends at most %.1f x; %s, has 80 %% again within %u s", FAULTS_MORE,
      stops ? "the usability breaker (RFC 8083 4.4) trips; when it may go on"
            : "is not stopped; when it ends",
      delay_rows[row].within);
  WorldConfig cfg;

  g_test_message ("%s", delay_rows[row].why);
  faults_config_init (&cfg);
  cfg.back = delay_rows[row].back;
  for (guint i = 0; faults_each (i, &cfg); i++) {
    g_autoptr (World) w = world_new (&cfg, 1);
    gdouble before;
    guint64 bytes;

    world_run (w, FAULTS_WARM);
    before = world_goodput (w, BEFORE);
    bytes = w->bytes;
    world_run (w, DELAYED);
    faults_range_add (&sent,
        8. * (gdouble) (w->bytes - bytes) / ra_seconds (DELAYED) / before,
        &cfg);
    ok &= (world_stats (w).trip == RA_BREAKER_USABILITY) == stops;
    if (stops)
      ra_sender_restart (world_sender (w));
    faults_range_add (&back, recovery (w, before, .8, PATIENCE), &cfg);
  }
  ok &= sent.most <= FAULTS_MORE && back.most <= delay_rows[row].within;
  trust_row ("fault", delay_rows[row].name, promise, ok,
      "%.2f x (%s); %.0f s (%s)", sent.most, sent.most_of, back.most,
      back.most_of);
}

/* Nothing passes, either way.  RFC 8083 4.1: who hears nothing for three times
 * 5 s stops, and 4.5: goes on when it hears that the path is back.  All that the
 * receiver says by itself then is an empty RR each 5 s, RFC 3550 6.2, which earns
 * probes; the first is answered. */
static const struct
{
  const gchar *name;
  RaSpan dead;
  gboolean stops;
} dead_rows[] = {
  { "path dead 50 ms", 50 * RA_MSECOND, FALSE },
  { "path dead .3 s", 300 * RA_MSECOND, FALSE },
  { "path dead 1 s", RA_SECOND, FALSE },
  { "path dead 5 s", 5 * RA_SECOND, FALSE },
  { "path dead 8 s", 8 * RA_SECOND, FALSE },
  { "path dead 10 s", 10 * RA_SECOND, FALSE },
  { "path dead 13 s", 13 * RA_SECOND, FALSE },
  { "path dead 20 s", 20 * RA_SECOND, TRUE },
  { "path dead 30 s", 30 * RA_SECOND, TRUE },
  { "path dead 120 s", 120 * RA_SECOND, TRUE },
};

#define TIMEOUT (15 * RA_SECOND)
#define FLOOR 2 /* packets/s */
#define RTCP (5 * RA_SECOND)

typedef struct
{
  guint least;   /* packets in a second, of the first 15 */
  guint64 after; /* bytes, later than TIMEOUT after the path died */
} Death;

static void
die (World *w, RaSpan span, Death *d)
{
  guint64 bytes;

  w->dead = TRUE;
  for (RaSpan t = 0; t + STEP <= MIN (span, TIMEOUT); t += STEP) {
    guint64 packets = w->packets;

    world_run (w, STEP);
    d->least = MIN (d->least, (guint) (w->packets - packets));
  }
  world_run (w, span < TIMEOUT ? span % STEP : RA_SECOND / 5);
  bytes = w->bytes;
  world_run (w, MAX (span - TIMEOUT - RA_SECOND / 5, 0));
  d->after += w->bytes - bytes;
  w->dead = FALSE;
}

/* The end of the path's outage.  After it the receiver's RR takes up to RTCP, and a
 * probe takes a frame and R, so the row waits for up to 10 s. */
static void
back_wait (World *w)
{
  for (guint i = 0; i < 200 && world_stats (w).breaker == RA_BREAKER_OPEN; i++)
    world_run (w, RA_SECOND / 20);
}

static void
test_dead (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  gboolean stops = dead_rows[row].stops, ok = TRUE;
  Death death = { .least = G_MAXUINT };
  g_auto (FaultsRange) back = { 0 };
  WorldConfig cfg;

  faults_config_init (&cfg);
  cfg.rate.min = 1000;
  cfg.floor = FLOOR;
  cfg.rtcp = RTCP;
  for (guint i = 0; faults_each (i, &cfg); i++) {
    g_autoptr (World) w = world_new (&cfg, 1);
    gdouble before;

    world_run (w, FAULTS_WARM);
    before = world_goodput (w, BEFORE);
    die (w, dead_rows[row].dead, &death);
    ok &= world_stats (w).trip
        == (stops ? RA_BREAKER_RTCP_TIMEOUT : RA_BREAKER_NONE);
    back_wait (w);
    ok &= world_stats (w).breaker == RA_BREAKER_CLOSED;
    faults_range_add (&back, recovery (w, before, .8, PATIENCE), &cfg);
  }
  ok &= death.after == 0 && back.most <= 5 && death.least >= FLOOR;
  trust_row ("fault", dead_rows[row].name,
      stops ? "2 packets/s at least for 15 s, not a byte later (RFC 8083 4.1); "
              "80 % again within 5 s of feedback, by itself"
            : "2 packets/s at least; is not stopped; 80 % again within 5 s",
      ok, "%.0f s (%s); %u packets/s", back.most, back.most_of,
      death.least == G_MAXUINT ? 0 : death.least);
}

/* --- the ends ------------------------------------------------------------ */

static void
restart_receiver (World *w)
{
  sim_flow_clocks (w->flow)->there += 777 * RA_SECOND;
  sim_flow_restart_receiver (w->flow);
}

static void
restart_sender (World *w)
{
  sim_flow_clocks (w->flow)->here += 777 * RA_SECOND;
  sim_flow_restart_sender (w->flow);
}

static void
change_ssrc (World *w)
{
  sim_flow_change_ssrc (w->flow);
}

/* The sender's first seconds are compared with those of one that never had
 * another before it. */
static const struct
{
  const gchar *name;
  void (*happens) (World *w);
  gboolean anew;
  const gchar *why;
} end_rows[] = {
  { "receiver restarted", restart_receiver, FALSE,
      "counters and loss history from 0, another clock" },
  { "sender restarted", restart_sender, TRUE,
      "another SSRC, other numbers, another clock, to the same receiver" },
  { "SSRC changed", change_ssrc, FALSE, "by the same sender" },
};

/* Each second for `n` of them, as parts of `before`. */
static gdouble
worst_second (World *w, gdouble before, guint n)
{
  gdouble most = 0;

  for (guint i = 0; i < n; i++) {
    guint64 bytes = w->bytes;

    world_run (w, STEP);
    most = MAX (most, 8. * (gdouble) (w->bytes - bytes) / before);
  }
  return most;
}

static World *
warm (const WorldConfig *cfg, gdouble *before)
{
  World *w = world_new (cfg, 1);

  world_run (w, FAULTS_WARM);
  *before = world_goodput (w, BEFORE);
  return w;
}

static void
test_end (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_auto (FaultsRange) sent = { 0 }, back = { 0 };
  WorldConfig cfg;
  gboolean ok;

  g_test_message ("%s", end_rows[row].why);
  faults_config_init (&cfg);
  for (guint i = 0; faults_each (i, &cfg); i++) {
    gdouble before, first, plain;
    World *w = warm (&cfg, &before), *other = warm (&cfg, &before);

    if (end_rows[row].anew) {
      world_free (other);
      other = world_new (&cfg, 2);
    }
    end_rows[row].happens (w);
    first = worst_second (w, before, 10);
    plain = worst_second (other, before, 10);
    faults_range_add (&sent, first / MAX (plain, 1), &cfg);
    world_free (other);
    world_free (w);
    w = warm (&cfg, &before);
    end_rows[row].happens (w);
    faults_range_add (&back, recovery (w, before, .8, PATIENCE), &cfg);
    world_free (w);
  }
  ok = sent.most <= FAULTS_MORE && back.most <= 5;
  trust_row ("fault", end_rows[row].name,
      "no second of the next ten has more than 1.1 x the most without; 80 % "
      "again within 5 s",
      ok, "%.2f x (%s); %.0f s (%s)", sent.most, sent.most_of, back.most,
      back.most_of);
}

void
tests_add (void)
{
  faults_add_rows ("feedback", feedback_rows, test_feedback);
  faults_add_rows ("delay", delay_rows, test_delay);
  faults_add_rows ("dead", dead_rows, test_dead);
  faults_add_rows ("end", end_rows, test_end);
}
