/* RTP that is forged, beside a sender that is honest: rows 7, 10 and 12 of the
 * threat table, in virtual time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "attack-fixture.h"
#include "../rows.h"

#define LOSSY \
  "bottleneck rate=4M queue=200ms ! each bernoulli p=.01 ! delay 25ms"
#define FROM 20000 /* ms */
#define TO 30000

/* A packet that the sender never sent comes to the receiver. */
static void
forge_rtp (Run *r, guint32 ssrc, guint16 seq, gint number, const RaSendTs *ts)
{
  RaWirePacket p = { .ssrc = ssrc,
    .seq = seq,
    .size = 1200,
    .arrival = world_remote (&r->w),
    .number = r->w.cfg->unnumbered ? -1 : number,
    .send_ts = ts,
    .tos = -1 };

  r->n_forged++;
  if (ra_reporter_on_packet (r->w.reporter, &p))
    world_report (&r->w);
}

/* rtpsession's own reports, which come whatever the reporter says. */
static void
receiver_report (Run *r, guint ms)
{
  if (ms % 1000 == 0)
    ra_sender_on_receiver_report (r->w.sender,
        &(RaBlock){ .ssrc = 1,
            .ext_highest_seq = (guint32) r->w.seq - 1,
            .lsr = RA_LSR_OURS,
            .rtt = 50 * RA_MSECOND },
        1, r->w.now);
}

static gboolean
is_under_attack (Run *r, guint ms)
{
  receiver_report (r, ms);
  return ms >= FROM && ms < TO;
}

static void
flood_ssrcs (Run *r, guint ms)
{
  gboolean on = is_under_attack (r, ms);

  for (guint i = 0; on && i < 80; i++)
    forge_rtp (
        r, g_rand_int (r->dice), (guint16) g_rand_int (r->dice), -1, NULL);
}

/* The SSRC is right (1 in tfrcworld-fixture.h), the number as far ahead as a gap
 * may be. */
static void
jump_ahead (Run *r, guint ms)
{
  guint16 seq = (guint16) (r->w.seq + 2900);

  if (is_under_attack (r, ms) && ms % 1000 == 0)
    forge_rtp (r, 1, seq, seq, NULL);
}

static void
jump_anywhere (Run *r, guint ms)
{
  guint16 seq = (guint16) g_rand_int (r->dice);

  if (is_under_attack (r, ms) && ms % 10 == 0)
    forge_rtp (r, 1, seq, seq, NULL);
}

/* Two in a row are a source that began again (RFC 3550 A.1). */
static void
restart_anywhere (Run *r, guint ms)
{
  guint16 seq = (guint16) g_rand_int (r->dice);

  if (!is_under_attack (r, ms) || ms % 100 != 0)
    return;
  forge_rtp (r, 1, seq, seq, NULL);
  seq++;
  forge_rtp (r, 1, seq, seq, NULL);
}

/* R as long as 24 bits can say, as short, and times of any clock; in packets of
 * another SSRC. */
static void
strange_times (Run *r, guint ms)
{
  static const RaSpan rtts[] = { 16777215 * RA_USECOND, RA_USECOND, 0 };
  RaSendTs ts = { rtts[ms % 3], g_rand_int (r->dice) };

  if (is_under_attack (r, ms) && ms % 10 == 0)
    forge_rtp (r, 99, (guint16) (ms / 10), -1, &ts);
}

static const struct
{
  const gchar *name, *row;
  Attack attack;
} world_rows[] = {
  { "ssrcs", "12 16,000 packets/s of SSRCs made up", flood_ssrcs },
  { "ahead", "10 a packet 2,900 ahead each second", jump_ahead },
  { "anywhere", "10 packets at random numbers, 100/s", jump_anywhere },
  { "restart", "10 two in a row at random numbers, 10/s", restart_anywhere },
  { "times", "7 strange R and t_i, 100/s", strange_times },
};

static void
world_check (guint row, gboolean unnumbered)
{
  WorldConfig cfg
      = { "tfrc", LOSSY, "delay 25ms", .lda = "zbs", .reporter = TRUE,
          .max = 3000000, .breakers = TRUE, .unnumbered = unnumbered };
  g_autoptr (Run) honest = run_new (&cfg, receiver_report, NULL);
  g_autoptr (Run) attacked = run_new (&cfg, world_rows[row].attack, NULL);
  g_autofree gchar *name
      = g_strdup_printf ("%s, for 10 s, %s", world_rows[row].row,
          unnumbered ? "RTP numbers" : "transport-wide numbers");
  gdouble want = .5 * run_mean (honest, TO, RUN_MS);
  gdouble share = run_mean (attacked, FROM, TO) / run_mean (honest, FROM, TO);
  gdouble all = run_share (attacked, honest);
  guint back = run_back (attacked, TO, want);

  trust_row ("attack", name,
      "1.1 x the rate without at most; half of it again 10 s after; no breaker",
      share <= 1.1 && all <= 1.1 && back <= 10000
          && run_least (attacked, 0) >= RUN_MIN,
      "%u forged: %.2f x meanwhile, %.2f x in all; back after %.1f s",
      attacked->n_forged, share, all, back / 1e3);
}

static void
test_world (gconstpointer data)
{
  world_check (GPOINTER_TO_UINT (data), FALSE);
  world_check (GPOINTER_TO_UINT (data), TRUE);
}

void
tests_add (void)
{
  rows_add_by ("/attacks-rtp", world_rows, name, test_world);
}
