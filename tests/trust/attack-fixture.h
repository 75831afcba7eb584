/* Two worlds alike, one of them attacked: their traces, byte by byte, and their
 * rates.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "tfrcworld-fixture.h"
#include "trust.h"

#include <stdio.h>
#include <string.h>

#define RUN_MS 60000
#define STEP 5 /* ms */
#define RUN_STEPS (RUN_MS / STEP)
#define RUN_MIN 100000 /* bit/s, of world_init() */
/* What is traced each step. */
#define TRACED 12

/* What an attack did to a run. */
typedef struct _Run Run;
/* Called each STEP, after all that happened till then. */
typedef void (*Attack) (Run *run, guint ms);

struct _Run
{
  World w;
  guint at;      /* ms, when an attack that comes once does */
  GRand *dice;   /* the attacker's */
  GArray *heard; /* WorldFeedback that the attacker has seen */

  guint64 trace[RUN_STEPS][TRACED];
  guint64 rate[RUN_STEPS];  /* bit/s */
  guint64 bytes[RUN_STEPS]; /* sent till then */
  guint forged[RA_N_HEARD];
  guint n_forged;
  guint n_repeats; /* of these after the honest report about the same packet */
};

/* All that the sender knows of the path and does about it; the refused reports
 * are not among it. */
static inline void
run_note (Run *r, guint step)
{
  guint64 max = r->w.cfg->max ? r->w.cfg->max : 20000000;
  RaSenderStats s;
  RaSplit split;
  guint64 p;

  ra_sender_get_stats (r->w.sender, &s);
  ra_sender_split (r->w.sender, 0, &split);
  memcpy (&p, &s.p, sizeof p);
  r->rate[step] = ra_sender_rate (r->w.sender);
  r->bytes[step] = s.bytes_sent;
  g_assert_true (s.p >= 0 && s.p <= 1); /* not for NaN */
  g_assert_cmpint (s.rtt, >=, 0);
  g_assert_cmpuint (r->rate[step], <=, max);
  memcpy (r->trace[step],
      (guint64[TRACED]){ r->rate[step], split.media,
          ra_sender_next_timeout (r->w.sender), s.packets_sent, s.bytes_sent,
          s.feedback, (guint64) s.rtt, (guint64) s.queue, s.recv_rate, p,
          s.friendly, s.breaker },
      sizeof r->trace[step]);
}

/* Hashes of each second of the trace, which tests/tools/golden compares between
 * two builds, go to the file that TRACES in the environment names. */
static inline void
run_write (const Run *r)
{
  const gchar *path = g_getenv ("TRACES");
  FILE *file = path ? fopen (path, "a") : NULL;
  const guint second = 1000 / STEP;

  if (!file)
    return;
  fprintf (file, "input %s\n", g_test_get_path ());
  for (guint step = 0; step < RUN_STEPS; step += second) {
    g_autofree gchar *hash = g_compute_checksum_for_data (G_CHECKSUM_SHA256,
        (const guchar *) r->trace[step], second * sizeof r->trace[0]);

    fprintf (file, "second %u %s\n", step / second, hash);
  }
  fclose (file);
}

/* (transfer full): run_free(). */
static inline Run *
run_new (const WorldConfig *cfg, Attack attack, WorldLie lie)
{
  Run *r = g_new0 (Run, 1);

  r->dice = g_rand_new_with_seed (77);
  r->heard = g_array_new (FALSE, FALSE, sizeof (WorldFeedback));
  world_init (&r->w, cfg, 1, lie);
  for (guint step = 0; step < RUN_STEPS; step++) {
    world_run (&r->w, STEP * RA_MSECOND);
    run_note (r, step);
    if (attack)
      attack (r, step * STEP);
  }
  run_write (r);
  return r;
}

static inline void
run_free (Run *r)
{
  world_clear (&r->w);
  g_array_unref (r->heard);
  g_rand_free (r->dice);
  g_free (r);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Run, run_free)

static inline gboolean
runs_same (const Run *a, const Run *b)
{
  return memcmp (a->trace, b->trace, sizeof a->trace) == 0;
}

/* Mean of the allowed rate in [from, to) ms, bit/s. */
static inline gdouble
run_mean (const Run *r, guint from, guint to)
{
  gdouble sum = 0;

  for (guint step = from / STEP; step < to / STEP; step++)
    sum += (gdouble) r->rate[step];
  return sum / ((to - from) / STEP);
}

/* The least rate from `from` ms on. */
static inline guint64
run_least (const Run *r, guint from)
{
  guint64 least = G_MAXUINT64;

  for (guint step = from / STEP; step < RUN_STEPS; step++)
    least = MIN (least, r->rate[step]);
  return least;
}

/* ms after `from` until the mean of 1 s is `want` bit/s; RUN_MS: never. */
static inline guint
run_back (const Run *r, guint from, gdouble want)
{
  for (guint ms = from; ms + 1000 <= RUN_MS; ms += STEP) {
    if (run_mean (r, ms, ms + 1000) >= want)
      return ms - from;
  }
  return RUN_MS;
}

/* Of the bytes that another one sent. */
static inline gdouble
run_share (const Run *r, const Run *other)
{
  return (gdouble) r->bytes[RUN_STEPS - 1]
      / (gdouble) other->bytes[RUN_STEPS - 1];
}

/* The packet sent at least `ago` before now; FALSE: none. */
static inline gboolean
run_sent (const Run *r, RaSpan ago, guint64 *seq)
{
  const World *w = &r->w;

  for (*seq = w->seq; *seq > w->cfg->first;) {
    --*seq;
    if (ra_diff (w->now, w->records[*seq % WORLD_RECORDS].sent) >= ago)
      return TRUE;
  }
  return FALSE;
}

static inline RaTime
run_sent_time (const Run *r, guint64 seq)
{
  return r->w.records[seq % WORLD_RECORDS].sent;
}

/* The sender gets these bytes now.  `radp` may be NULL. */
static inline RaHeard
run_forge_bytes (Run *r, const WorldFeedback *x)
{
  World *w = &r->w;
  RaHeard heard = RA_HEARD_OK;
  RaReport report;
  RaSpan t_delay;

  if (x->radp_size > 0)
    ra_tfrc_ear_on_radp (w->tfrc_ear, x->radp, x->radp_size, w->now);
  heard = ra_tfrc_ear_on_tfrc (
      w->tfrc_ear, x->fci, sizeof x->fci, w->now, &report, &t_delay);
  r->forged[heard]++;
  r->n_forged++;
  if (heard == RA_HEARD_OK) {
    world_told (w, &report, t_delay);
    w->refused += !ra_sender_on_report (w->sender, &report, t_delay, w->now);
  }
  return heard;
}

static inline RaHeard
run_forge (Run *r, const RaTfrcFb *fb, const RaRadp *radp)
{
  WorldFeedback x = { 0 };

  ra_tfrc_fb_write (fb, x.fci, sizeof x.fci);
  if (radp)
    x.radp_size = ra_radp_write (radp, x.radp, sizeof x.radp);
  return run_forge_bytes (r, &x);
}
