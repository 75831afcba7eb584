/* TFRC-FB and RADP: when they are sent, and their bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../trust/trust.h"
#include "reporter-fixture.h"

/* --- when --- */

typedef struct
{
  RaReporter *r;
  RaSpan rtt, step;
  RaTime now;
  GString *times; /* of reports, ms */
  RaTfrcFb fb;
  RaRadp radp;
  guint n_reports;
} Player;

static void
player_init (Player *p, const RaLdaOps *lda, RaSpan rtt, RaSpan step)
{
  *p = (Player){
    .r = reporter_new (&ra_feedback_tfrc, lda),
    .rtt = rtt,
    .step = step,
    .times = g_string_new (NULL),
  };
}

static void
player_clear (Player *p)
{
  ra_reporter_free (p->r);
  g_string_free (p->times, TRUE);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Player, player_clear)

static void
player_report (Player *p)
{
  guint32 ssrc = 0;

  if (!ra_reporter_tfrc (p->r, p->now, &p->fb, &p->radp, &ssrc))
    return;
  g_assert_cmpuint (ssrc, ==, 1);
  g_assert_cmphex (p->fb.t_i, ==, p->radp.t_i);
  p->n_reports++;
  if (p->times->len > 0)
    g_string_append_c (p->times, ' ');
  g_string_append_printf (p->times, "%" G_GUINT64_FORMAT, p->now / RA_MSECOND);
}

/* The timers up to `now`; no timer expires for ever. */
static void
player_run (Player *p, RaTime now)
{
  RaTime due, last = RA_TIME_NONE;
  guint same = 0;

  while ((due = ra_reporter_next_timeout (p->r)) <= now) {
    same = due == last ? same + 1 : 0;
    g_assert_cmpuint (same, <, 3);
    last = due;
    p->now = MAX (p->now, due);
    player_report (p);
  }
  p->now = now;
}

static void
player_send (Player *p, guint16 seq, RaTime arrival, gboolean stamped)
{
  RaWirePacket packet = wire_packet (seq, arrival);
  RaSendTs ts = { p->rtt, ra_stamp_us (arrival + 77 * RA_SECOND) };

  player_run (p, arrival);
  if (stamped)
    packet.send_ts = &ts;
  if (ra_reporter_on_packet (p->r, &packet))
    player_report (p);
}

/* Words "A-B@MS": packets A to B, the first at MS; "@MS": the end; a packet with
 * "n" has no send time. */
static void
play (Player *p, const gchar *script)
{
  for (ScriptWord w; script_next (&script, &w);) {
    if (!w.has_number)
      player_run (p, w.at);
    else
      for (; w.number <= w.last; w.number++, w.at += (RaTime) p->step)
        player_send (p, (guint16) w.number, w.at, w.letter != 'n');
  }
}

static const struct
{
  const gchar *lda;
  guint rtt, step; /* ms */
  const gchar *script, *reports, *why;
} time_rows[] = {
  { "none", 100, 10, "0-32@0", "0 100 200 300",
      "RFC 5348 6.3: at the first packet; 6.2: once per R" },
  { "none", 100, 10, "0-24@0 26-40@260", "0 100 200 280 380",
      "6.1: a loss is known with the third later packet, and told at once" },
  { "none", 100, 10, "0-6@0 8-30@80", "0 100 125 225",
      "but R / 4 after the report before, RFC 4342 8.1" },
  { "none", 100, 10, "0-24@0 26-27@260 29-40@290", "0 100 200 290 390",
      "5.2: the second one is of the same event, 30 ms later" },
  { "none", 100, 10, "0-24@0 26-37@260 39-51@390", "0 100 200 280 380 410 510",
      "130 ms later it is not" },
  { "none", 100, 10, "0-24@0 26-30@260 25@305 31-41@310",
      "0 100 200 280 305 405", "6.1: it came after all: no loss event" },
  { "dcr", 100, 10, "0-24@0 26-39@260 41-62@410",
      "0 100 200 280 380 480 510 610",
      "a verdict that waits for an R after the hole showed, at 410" },
  { "dcr", 100, 10, "0-24@0 26-29@260 31-39@310 @1000", "0 100 200 280 380 480",
      "the verdict on 30, at 410, is no new event: the timer goes on" },
  { "none", 100, 10, "0-10@0 11-21@1000", "0 100 200 1000 1100",
      "6.2: silence is not told; 6.1: then the first packet at once" },
  { "none", 100, 10, "0-10@0 @5000", "0 100 200", "nor when it lasts" },
  { "none", 100, 1000, "0-5@0", "0 1000 2000 3000 4000 5000",
      "6: below one packet per R, each one" },
  { "none", 0, 10, "0-5@0", "0 10 20 30 40 50",
      "6.3: R is not known: each packet" },
  { "none", 0, 4, "0-10@0", "0 10 20 30 40", "but not each millisecond" },
  { "none", 2, 1, "0-35@0", "0 10 20 30", "nor for a short R" },
  { "none", 100, 10, "n0-30@0", "", "no send time, no t_i to tell" },
  { "none", 100, 10, "n0-9@0 10-30@100", "100 200 300",
      "the first that had one" },
  { "none", 100, 10, "0-15@0 n16-50@160 51-62@510", "0 100 200 510 610",
      "from 160 to 510 none has one, and 150 was told of" },
};

static void
test_times (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (time_rows); i++) {
    g_auto (Player) p;

    player_init (&p, ra_lda_find (time_rows[i].lda),
        time_rows[i].rtt * RA_MSECOND, time_rows[i].step * RA_MSECOND);
    play (&p, time_rows[i].script);
    g_test_message ("%s: %s", time_rows[i].script, time_rows[i].why);
    g_assert_cmpstr (p.times->str, ==, time_rows[i].reports);
    g_assert_cmpuint (reporter_stats (p.r).reports, ==, p.n_reports);
  }
}

static void
test_silence (void)
{
  RaReporterConfig cfg = { .lda = ra_lda_find ("none") };
  RaWirePacket packet = wire_packet (1, MS (1));
  Player p;
  g_autoptr (RaReporter) r = NULL;

  player_init (&p, ra_lda_find ("none"), 100 * RA_MSECOND, 10 * RA_MSECOND);
  g_assert_cmpuint (ra_reporter_next_timeout (p.r), ==, RA_TIME_NONE);
  player_report (&p);
  g_assert_cmpuint (p.n_reports, ==, 0);
  play (&p, "0-10@0 @299");
  g_assert_cmpuint (ra_reporter_next_timeout (p.r), ==, MS (300));
  play (&p, "@300");
  g_assert_cmpuint (ra_reporter_next_timeout (p.r), ==, RA_TIME_NONE);
  player_clear (&p);

  r = ra_reporter_new (&cfg, NULL); /* no reports */
  g_assert_false (ra_reporter_on_packet (r, &packet));
  g_assert_cmpuint (ra_reporter_next_timeout (r), ==, RA_TIME_NONE);
  g_assert_false (ra_reporter_tfrc (r, MS (2), &p.fb, &p.radp, &packet.ssrc));
  g_assert_cmpuint (
      ra_reporter_ccfb (r, MS (2), 0, &packet.ssrc, (guint8 *) &p, 8), ==, 0);
}

/* The clock goes back: the next report is an R away at most. */
static void
test_clock_back (void)
{
  RaWirePacket packet = wire_packet (41, MS (50));
  g_auto (Player) p;

  player_init (&p, ra_lda_find ("none"), 100 * RA_MSECOND, 10 * RA_MSECOND);
  play (&p, "0-40@100000");
  ra_reporter_on_packet (p.r, &packet);
  g_assert_cmpuint (ra_reporter_next_timeout (p.r), <=, MS (150));
}

/* Whatever R one packet tells, right before a report: the next one comes an R
 * later that the packets after it tell. */
static void
test_strange_rtt (void)
{
  static const RaSpan strange[] = { 16 * RA_SECOND, RA_USECOND };

  for (guint i = 0; i < G_N_ELEMENTS (strange); i++) {
    g_auto (Player) p;

    player_init (&p, ra_lda_find ("none"), 100 * RA_MSECOND, 10 * RA_MSECOND);
    play (&p, "0-18@0");
    p.rtt = strange[i];
    play (&p, "19@195");
    p.rtt = 100 * RA_MSECOND;
    play (&p, "20-41@200");
    g_test_message ("%s", p.times->str);
    g_assert_cmpuint (p.n_reports, >=, 5);
    g_assert_cmpuint (p.n_reports, <=, 7);
  }
}

/* A stream that is mad: R of 1 us, each fifth packet lost, each third late, one
 * per 0.1 ms, marks.  No more than 100 reports in a second. */
static void
test_storm (void)
{
  g_auto (Player) p;

  player_init (&p, ra_lda_find ("none"), RA_USECOND, 0);
  for (guint i = 0; i < 10000; i++) {
    RaTime arrival = (RaTime) i * 100 * RA_USECOND;
    RaWirePacket packet
        = wire_packet ((guint16) (i % 3 ? i : i - MIN (i, 9)), arrival);
    RaSendTs ts = { p.rtt, i };

    if (i % 5 == 0)
      continue;
    packet.send_ts = &ts;
    packet.tos = i % 7 == 0 ? 3 : -1;
    player_run (&p, arrival);
    if (ra_reporter_on_packet (p.r, &packet))
      player_report (&p);
  }
  trust_row ("attack", "18 RTP that asks for a report each 0.1 ms",
      "100 reports a second at most: no reflector",
      p.n_reports <= 101 && p.n_reports >= 50, "%u in 1 s", p.n_reports);
}

/* --- bytes --- */

static RaCause
scripted_on_packet (RaLda *lda, const RaArrival *a)
{
  return RA_CAUSE_WIRELESS;
}

static void
scripted_values (const RaLda *lda, RaLdaValues *values)
{
  *values = (RaLdaValues){ .w = .5, .p_c = .25 };
}

/* What people look at does not get on the wire. */
static void
scripted_observe (const RaLda *lda, RaObserve emit, gpointer data)
{
  emit ("w", .75, data);
  emit ("p_c", .75, data);
}

static const RaLdaOps scripted = {
  .name = "test",
  .cite = "-",
  .size = sizeof (RaLda),
  .on_packet = scripted_on_packet,
  .values = scripted_values,
  .observe = scripted_observe,
};

/* R = 100 ms.  Packet i of 1000 bytes has t_i = 0xffff0000 + 10000 i us, which
 * wraps after the 6th, and arrives at 40 + 10 i ms.  12, 13 and 15 are missing,
 * the LDA says wireless. */
typedef struct
{
  guint last; /* packet before the report */
  guint at;   /* ms */
  guint8 fb[RA_TFRC_FB_SIZE], radp[64];
  const gchar *why;
} GoldenRow;

/* clang-format off */
static const GoldenRow golden[] = {
  { 0, 40,
    { 0xff, 0xff, 0x00, 0x00, /* t_i */
      0x00, 0x00, 0x00, 0x00, /* t_delay */
      0x00, 0x00, 0x00, 0x00, /* X_recv, RFC 5348 6.3 */
      0x00, 0x00, 0x00, 0x00, /* p */ },
    { 1, 4, 0x00, 0x00,       /* version, length of the name, burst */
      0xff, 0xff, 0x00, 0x00, /* t_i */
      0x00, 0x00, 0x00, 0x01, /* expected */
      0x00, 0x00, 0x00, 0x01, /* arrived */
      0x00, 0x00, 0x00, 0x00, /* lost to congestion */
      0x00, 0x00, 0x00, 0x00, /* to the radio */
      0x00, 0x00, 0x00, 0x00, /* runs */
      0x00, 0x00, 0x00, 0x00, /* events */
      0x00, 0x00, 0x00, 0x00, /* t_lost */
      0x00, 0x00, 0x00, 0x00, /* queue */
      0x80, 0x00, 0x00, 0x00, /* w = .5 */
      0x40, 0x00, 0x00, 0x00, /* p_c = .25 */
      0x00, 0x00, 0x00, 0x00, /* delayed */
      't', 'e', 's', 't',
      0x00, 0x00, 0x00, 0x00, /* no queue at all */
      0x00, 0x00, 0x00, 0x00 },
    "the first packet" },
  { 9, 140,
    { 0x00, 0x00, 0x5f, 0x90, /* 0xffff0000 + 90000 */
      0x00, 0x00, 0x27, 0x10, /* 10 ms since the 9th, at 130 */
      0x00, 0x01, 0x5f, 0x90, /* 9 packets after 40 ms: 9000 B / .1 s */
      0x00, 0x00, 0x00, 0x00 },
    { 1, 4, 0x00, 0x00,
      0x00, 0x00, 0x5f, 0x90,
      0x00, 0x00, 0x00, 0x0a, /* 0 to 9 */
      0x00, 0x00, 0x00, 0x0a,
      0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
      0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
      0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
      0x80, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00,
      0x00, 0x00, 0x00, 0x00, 't', 'e', 's', 't',
      0x00, 0x00, 0x00, 0x00, /* no queue at all */
      0x00, 0x00, 0x00, 0x00 },
    "an R later" },
  { 19, 240,
    { 0x00, 0x01, 0xe6, 0x30, /* 0xffff0000 + 190000 */
      0x00, 0x00, 0x27, 0x10,
      0x00, 0x00, 0xea, 0x60, /* 11, 14, 16 to 19 after 140 ms: 60000 */
      0x00, 0x00, 0x00, 0x00 },
    { 1, 4, 0x01, 0x80,       /* 3 of 2 runs: 1.5 * 256 */
      0x00, 0x01, 0xe6, 0x30,
      0x00, 0x00, 0x00, 0x14, /* 0 to 19 */
      0x00, 0x00, 0x00, 0x11, /* but 12, 13, 15 */
      0x00, 0x00, 0x00, 0x00,
      0x00, 0x00, 0x00, 0x03,
      0x00, 0x00, 0x00, 0x02, /* 12-13, 15 */
      0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
      0x00, 0x00, 0x00, 0x00,
      0x80, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00,
      0x00, 0x00, 0x00, 0x00, 't', 'e', 's', 't',
      0x00, 0x00, 0x00, 0x00, /* no queue at all */
      0x00, 0x00, 0x00, 0x00 },
    "three were lost" },
};
/* clang-format on */

static void
test_golden (void)
{
  g_autoptr (RaReporter) r = reporter_new (&ra_feedback_tfrc, &scripted);
  guint i = 0;

  for (guint row = 0; row < G_N_ELEMENTS (golden); row++) {
    const GoldenRow *g = &golden[row];
    guint8 bytes[RA_RADP_SIZE_MAX];
    guint32 ssrc = 0;
    RaTfrcFb fb;
    RaRadp radp;

    for (; i <= g->last; i++) {
      RaWirePacket p = wire_packet ((guint16) i, MS (40 + i * 10));
      RaSendTs ts = { 100 * RA_MSECOND, 0xffff0000u + i * 10000 };

      p.ssrc = 0x11223344;
      p.send_ts = &ts;
      if (i == 12 || i == 13 || i == 15)
        continue;
      g_assert_cmpint (ra_reporter_on_packet (r, &p), ==, i == 0);
    }
    g_test_message ("%s", g->why);
    g_assert_true (ra_reporter_tfrc (r, MS (g->at), &fb, &radp, &ssrc));
    g_assert_cmpuint (ra_reporter_next_timeout (r), ==, MS (g->at + 100));
    g_assert_cmphex (ssrc, ==, 0x11223344);
    g_assert_cmpuint (ra_tfrc_fb_write (&fb, bytes, sizeof bytes), ==, 16);
    g_assert_cmpmem (bytes, sizeof g->fb, g->fb, sizeof g->fb);
    g_assert_cmpuint (ra_radp_write (&radp, bytes, sizeof bytes), ==, 64);
    g_assert_cmpmem (bytes, sizeof g->radp, g->radp, sizeof g->radp);
  }
}

static RaLdaValues given;

static void
given_values (const RaLda *lda, RaLdaValues *values)
{
  *values = given;
}

/* RADP's fields are ratios, whatever an LDA estimates. */
static void
test_values (void)
{
  static const struct
  {
    RaLdaValues given, told;
    const gchar *why;
  } rows[] = {
    { { .1, .2 }, { .1, .2 }, "as they are" },
    { { .3, -.1 }, { .3, 0 }, "the radio's loss was overestimated" },
    { { 1.5, 2 }, { 1, 1 }, "no ratio is above 1" },
  };
  static const RaLdaOps ops = { .name = "given",
    .size = sizeof (RaLda),
    .on_packet = scripted_on_packet,
    .values = given_values };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_auto (Player) p;

    given = rows[i].given;
    player_init (&p, &ops, 100 * RA_MSECOND, 10 * RA_MSECOND);
    play (&p, "0-3@0");
    g_test_message ("%s", rows[i].why);
    g_assert_cmpuint (p.n_reports, ==, 1);
    g_assert_cmpfloat (p.radp.w, ==, rows[i].told.w);
    g_assert_cmpfloat (p.radp.p_c, ==, rows[i].told.p_c);
  }
}

/* Packet 25, due at 250, is known to be lost at 280.  t_lost is its send time,
 * however the packets without send time before the report move t_delay: here
 * t_i is of packet 27, at 270, where 28 has none. */
static void
test_congestion (void)
{
  static const struct
  {
    const gchar *script;
    guint sent; /* ms, of t_i */
    guint t_delay;
    const gchar *why;
  } rows[] = {
    { "0-24@0 26-28@260", 280, 0, "all have send times" },
    { "0-24@0 26-27@260 n28@280", 270, 10, "the last one has none" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_auto (Player) p;

    player_init (&p, ra_lda_find ("none"), 100 * RA_MSECOND, 10 * RA_MSECOND);
    play (&p, rows[i].script);
    g_test_message ("%s: %s", rows[i].script, rows[i].why);
    g_assert_cmpstr (p.times->str, ==, "0 100 200 280");
    g_assert_cmpuint (p.fb.t_i, ==, ra_stamp_us (MS (77000 + rows[i].sent)));
    g_assert_cmpint (p.fb.t_delay, ==, rows[i].t_delay * RA_MSECOND);
    g_assert_cmpuint (p.radp.t_lost, ==, ra_stamp_us (MS (77250)));
    g_assert_cmpuint (p.radp.lost_congestion, ==, 1);
    g_assert_cmpuint (p.radp.n_events, ==, 1);
    g_assert_cmpuint (p.radp.expected, ==, 29);
    g_assert_cmpuint (p.radp.arrived, ==, 28);
    g_assert_cmpstr (p.radp.lda, ==, "none");
    g_assert_cmpfloat (p.fb.p, >, 0);
    g_assert_cmpfloat (p.fb.p, ==, reporter_stats (p.r).p);
  }
}

/* The counters are of all packets, those before the first send time too; the SSRC
 * is that of t_i's packet, not of one whose sender is not known to be ours; and
 * whether there is a queue nobody knows after 32 packets without send time. */
static void
test_unstamped (void)
{
  RaWirePacket stray = wire_packet (999, MS (990));
  g_auto (Player) p;

  player_init (&p, ra_lda_find ("none"), 1000 * RA_MSECOND, 10 * RA_MSECOND);
  play (&p, "n0-9@0 10-20@100");
  g_assert_cmpuint (p.radp.expected, ==, 11);
  g_assert_cmpuint (p.radp.arrived, ==, 11);
  g_assert_cmpint (p.radp.queue, ==, 0);
  play (&p, "n21-60@210");
  stray.ssrc = 7;
  ra_reporter_on_packet (p.r, &stray);
  play (&p, "@1200");
  g_assert_cmpuint (p.n_reports, ==, 2);
  g_assert_cmpuint (p.radp.expected, ==, 62);
  g_assert_cmpint (p.radp.queue, ==, RA_SPAN_NONE);
}

/* Two of 100 packets came 80 ms later than the others took, and the queue is
 * that of the last one. */
static void
test_delayed (void)
{
  g_auto (Player) p;

  player_init (&p, ra_lda_find ("none"), 100 * RA_MSECOND, 10 * RA_MSECOND);
  for (guint16 i = 0; i < 100; i++) {
    RaWirePacket packet = wire_packet (i, MS (i * 10));
    RaSendTs ts = { p.rtt, ra_stamp_us (MS (i * 10 + 100)) };

    if (i == 50 || i == 99)
      ts.t_i -= 80000;
    packet.send_ts = &ts;
    ra_reporter_on_packet (p.r, &packet);
  }
  p.now = MS (1000);
  player_report (&p);
  g_assert_cmpfloat (p.radp.delayed, ==, .02);
  g_assert_cmpint (p.radp.queue, ==, 80 * RA_MSECOND);
}

/* Vegas with X_recv for the rate: 10 packets of 1,000 bytes in R = 100 ms are 100
 * kB/s, and 2 ms of the queue do not count.
 *   0 ms: diff = 0 packets, below 1;  40 ms: 100 kB/s * 38 ms / 1,000 bytes = 3.8,
 * above 3. */
static const struct
{
  guint late; /* ms, from packet 40 on */
  guint wireless;
} vegas_rows[] = {
  { 0, 1 },
  { 40, 0 },
};

static void
test_vegas (void)
{
  for (guint row = 0; row < G_N_ELEMENTS (vegas_rows); row++) {
    g_auto (Player) p;

    player_init (&p, ra_lda_find ("vegas"), 100 * RA_MSECOND, 10 * RA_MSECOND);
    for (guint16 i = 0; i < 100; i++) {
      guint late = i < 40 ? 0 : vegas_rows[row].late;
      RaWirePacket packet = wire_packet (i, MS (i * 10));
      RaSendTs ts = { p.rtt, ra_stamp_us (MS (i * 10 + 1000 - late)) };

      packet.send_ts = &ts;
      player_run (&p, packet.arrival);
      if (i != 50)
        ra_reporter_on_packet (p.r, &packet);
    }
    g_assert_cmpuint (p.radp.lost_wireless, ==, vegas_rows[row].wireless);
    g_assert_cmpuint (p.radp.lost_congestion, ==, 1 - vegas_rows[row].wireless);
  }
}

void
tests_add (void)
{
  g_test_add_func ("/reporter-tfrc/times", test_times);
  g_test_add_func ("/reporter-tfrc/silence", test_silence);
  g_test_add_func ("/reporter-tfrc/clock-back", test_clock_back);
  g_test_add_func ("/reporter-tfrc/strange-rtt", test_strange_rtt);
  g_test_add_func ("/reporter-tfrc/storm", test_storm);
  g_test_add_func ("/reporter-tfrc/golden", test_golden);
  g_test_add_func ("/reporter-tfrc/values", test_values);
  g_test_add_func ("/reporter-tfrc/congestion", test_congestion);
  g_test_add_func ("/reporter-tfrc/unstamped", test_unstamped);
  g_test_add_func ("/reporter-tfrc/delayed", test_delayed);
  g_test_add_func ("/reporter-tfrc/vegas", test_vegas);
}
