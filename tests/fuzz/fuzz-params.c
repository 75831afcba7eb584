/* Fuzz target: parameters as text, of every algorithm in the registry.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The first byte names the algorithm, the second seeds what it then hears; the
 * rest is the text.  What it takes it has to live with: no answer is NaN or
 * out of bounds.
 */
#include "fuzz.h"
#include "laws.h"

#include <gst/rtpadapt/colour.h>
#include <gst/rtpadapt/fec.h>
#include <gst/rtpadapt/link.h>
#include <gst/rtpadapt/util/rng.h>

#define HEARD 64 /* packets or reports */

/* --- the text ----------------------------------------------------------- */

static void
check_number (const RaParam *p, gdouble value)
{
  if (isnan (p->def) && isnan (value)) /* not given */
    return;
  g_assert_true (value >= p->min && value <= p->max);
}

static void
check_values (gconstpointer instance, const RaParam *params)
{
  RaParamWalk walk = ra_params_walk (params);

  for (const RaParam *p; (p = ra_params_next (&walk));) {
    const guint8 *field = (const guint8 *) instance + p->offset;
    const RaSchedule *s = (const RaSchedule *) (gconstpointer) field;

    if (!p->is_schedule) {
      check_number (p, *(const gdouble *) (gconstpointer) field);
      continue;
    }
    g_assert_true (s->n >= 1 && s->n <= RA_SCHEDULE_MAX);
    for (guint i = 0; i < s->n; i++) {
      check_number (p, s->value[i]);
      if (i > 0)
        g_assert_cmpint (s->at[i], >, s->at[i - 1]);
    }
  }
}

static gboolean
has_unset (const RaParam *params)
{
  RaParamWalk walk = ra_params_walk (params);

  for (const RaParam *p; (p = ra_params_next (&walk));) {
    if (isnan (p->def))
      return TRUE;
  }
  return FALSE;
}

/* All or nothing; and what is written of the values is taken back. */
static gboolean
parse (const RaAlgorithm *a, const gchar *text)
{
  g_autofree gpointer x = g_malloc0 (a->size), before = NULL;
  g_autofree gchar *written = NULL, *again = NULL;
  GError *error = NULL;
  gboolean good;

  ra_params_init (x, a->params);
  before = g_memdup2 (x, a->size);
  good = ra_params_parse (x, a->size, a->params, text, &error);
  g_assert_true (good == (error == NULL));
  if (!good) {
    fuzz_check_same (x, a->size, before, a->size);
    fuzz_check_message (error);
    g_error_free (error);
    return FALSE;
  }
  check_values (x, a->params);
  written = ra_params_to_string (x, a->params);
  fuzz_note ("%s %s", a->name, written);
  if (has_unset (a->params)) /* "nan" is not for users */
    return TRUE;
  g_assert_true (ra_params_parse (before, a->size, a->params, written, NULL));
  again = ra_params_to_string (before, a->params);
  g_assert_cmpstr (written, ==, again);
  return TRUE;
}

/* --- what it then does -------------------------------------------------- */

static RaSpan
some_span (RaRng *rng)
{
  return (RaSpan) (ra_rng_next (rng) >> ra_rng_next (rng) % 32) * RA_USECOND;
}

static RaReport
some_report (RaRng *rng, RaTime now)
{
  guint n = 1 + ra_rng_next (rng) % 100, lost = ra_rng_next (rng) % n;
  guint wireless = lost / (1 + ra_rng_next (rng) % 3);

  return (RaReport){ .rtt = 1 + some_span (rng) % (10 * RA_SECOND),
    .t_recvdata = ra_later (now, -some_span (rng) % RA_SECOND),
    .recv_rate = ra_rng_next (rng),
    .p = ra_rng_chance (rng, .3) ? 0 : ra_rng_uniform (rng),
    .n_events = ra_rng_next (rng) % 2,
    .expected = n,
    .arrived = n - lost,
    .lost_congestion = lost - wireless,
    .lost_wireless = wireless,
    .wireless_runs = MIN (wireless, 1),
    .queue = some_span (rng) % RA_SECOND };
}

static void
try_rate (const RaRateOps *ops, const gchar *text, RaRng *rng)
{
  RaRateConfig cfg = { 100000, 500000, 20000000, 1200 };
  RaTime now = RA_SECOND;
  g_autoptr (RaRate) r = ra_rate_new (ops, text, &cfg, now, NULL);

  for (guint i = 0; i < HEARD; i++) {
    RaReport report = some_report (rng, now);

    now = ra_later (now, some_span (rng) % RA_SECOND);
    ra_rate_on_sent (r, ra_rng_next (rng) % 1500, now);
    ra_rate_on_report (r, &report, now);
    if (i % 8 == 7 && ra_rate_next_timeout (r) != RA_TIME_NONE)
      now = MAX (now, ra_rate_next_timeout (r));
    ra_rate_on_timeout (r, now);
    g_assert_cmpuint (ra_rate_get (r), >=, cfg.min);
    g_assert_cmpuint (ra_rate_get (r), <=, cfg.max);
    fuzz_note ("rate %" G_GUINT64_FORMAT, ra_rate_get (r));
    g_assert_cmpuint (ra_rate_next_timeout (r), >, now);
    ra_rate_observe (r, law_no_nan, NULL);
    if (now > 4000000 * RA_SECOND) /* a timer of for ever */
      break;
  }
}

static void
try_lda (const RaLdaOps *ops, const gchar *text, RaRng *rng)
{
  g_autoptr (RaLda) lda = ra_lda_new (ops, text, NULL);
  RaArrival a = { .seq = 1, .iat = RA_SPAN_NONE, .arrival = RA_SECOND };

  for (guint i = 0; i < HEARD; i++) {
    RaCause cause;

    a.n_lost = ra_rng_chance (rng, .5) ? 0 : ra_rng_next (rng) % 8;
    a.seq += a.n_lost + 1;
    a.size = ra_rng_next (rng) % 1500;
    a.bytes_lost = a.n_lost * 1200;
    a.rott = some_span (rng);
    a.rtt = some_span (rng) % RA_SECOND;
    a.rtt_sample = some_span (rng) % RA_SECOND;
    a.rate = ra_rng_next (rng);
    a.mark = (RaMark) (ra_rng_next (rng) % RA_N_MARKS);
    a.lost_by_mark[a.mark] = a.n_lost;
    cause = ra_lda_on_packet (lda, &a);
    g_assert_true ((cause == RA_CAUSE_NONE) == (a.n_lost == 0));
    fuzz_note ("cause %d", cause);
    if (a.n_lost > 0)
      g_assert_cmpint (ra_lda_patience (lda, &a), >=, 0);
    ra_lda_observe (lda, law_no_nan, NULL);
    a.iat = some_span (rng) % RA_SECOND;
    a.arrival = ra_later (a.arrival, a.iat);
    memset (a.lost_by_mark, 0, sizeof a.lost_by_mark);
  }
}

static void
try_fec (const RaFecOps *ops, const gchar *text, RaRng *rng)
{
  g_autoptr (RaFec) f = ra_fec_new (ops, text, NULL);
  RaTime now = RA_SECOND;

  for (guint i = 0; i < HEARD; i++) {
    RaReport report = some_report (rng, now);

    ra_fec_on_frame (f, ra_rng_next (rng) % 64);
    ra_fec_on_report (f, &report, now);
    g_assert_cmpuint (ra_fec_percentage (f), <=, 100);
    fuzz_note ("fec %u", ra_fec_percentage (f));
    ra_fec_observe (f, law_no_nan, NULL);
    now = ra_later (now, some_span (rng) % RA_SECOND);
  }
}

static void
try_colour (const RaColourOps *ops, const gchar *text, RaRng *rng)
{
  g_autoptr (RaColour) c = ra_colour_new (ops, text, NULL);
  RaTime now = RA_SECOND;

  for (guint i = 0; i < HEARD; i++) {
    RaColourPacket p = { .size = ra_rng_next (rng) % 1500,
      .repair = ra_rng_chance (rng, .2) };

    ra_colour_set_rate (c, ra_rng_next (rng));
    g_assert_cmpuint (ra_colour_mark (c, &p, now), <, RA_N_MARKS);
    ra_colour_observe (c, law_no_nan, NULL);
    now = ra_later (now, some_span (rng) % RA_SECOND);
  }
}

/* Link models are fuzz-link.c's. */
static void
try_algorithm (
    const RaKind *kind, gconstpointer a, const gchar *text, guint64 seed)
{
  RaRng rng;

  ra_rng_init (&rng, seed, 0);
  if (g_str_equal (kind->name, "controller"))
    try_rate (a, text, &rng);
  else if (g_str_equal (kind->name, "lda"))
    try_lda (a, text, &rng);
  else if (g_str_equal (kind->name, "fec"))
    try_fec (a, text, &rng);
  else if (g_str_equal (kind->name, "colour"))
    try_colour (a, text, &rng);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzBytes b = fuzz_bytes (data, size);
  guint wanted = (guint) fuzz_take (&b, 1), n = 0;
  guint64 seed = fuzz_take (&b, 1);
  g_autofree gchar *text = fuzz_text (&b, b.left);

  for (const RaKind *kind = ra_kinds; kind->name; kind++) {
    for (guint i = 0; kind->list[i]; i++) {
      if (n++ == wanted && parse (kind->list[i], text))
        try_algorithm (kind, kind->list[i], text, seed);
    }
  }
  return 0;
}
