/* A flow of the simulation begins, restarts, and ends.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "flowpriv.h"

#include <gio/gio.h>

#define LIST(list) ((gconstpointer const *) list)

/* `name` is one of the list; the error names them. */
static gboolean
is_known (gconstpointer const *list, const gchar *kind, const gchar *name,
    GError **error)
{
  GString *names;

  if (ra_algorithm_find (list, name))
    return TRUE;
  names = g_string_new (NULL);
  for (guint i = 0; list[i]; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "",
        ((const RaAlgorithm *) list[i])->name);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "no %s '%s', only %s",
      kind, name, names->str);
  g_string_free (names, TRUE);
  return FALSE;
}

static RaCause
truth (guint64 seq, gpointer data)
{
  SimFlow *f = data;

  return record (f, seq - (guint64) f->shift)->truth;
}

static void
on_loss (const RaMissing *m, gpointer data)
{
  SimFlow *f = data;

  ra_score_verdict (f->score, m->cause, truth (m->seq, f), f->now);
}

/* Of what the algorithms of this flow draw; no other flow has it, nor this one in a run
 * with another seed. */
static guint64
own_seed (const SimFlow *f)
{
  return f->cfg->seed + ((guint64) f->index << 32);
}

static gboolean
sender_make (SimFlow *f, GError **error)
{
  const RaSimFlow *own = f->own;
  RaSenderConfig cfg = {
    .controller = ra_rate_find (own->controller),
    .controller_params = own->controller_params,
    .lda = ra_lda_find (own->lda),
    .lda_params = own->lda_params,
    .fec = ra_fec_find (own->fec),
    .fec_params = own->fec_params,
    .rate = f->cfg->rate,
    .seed = own_seed (f),
    .burst = f->cfg->burst,
    .floor = f->cfg->floor,
    .friendliness_cap = f->cfg->friendliness_cap,
    .breakers = f->cfg->breakers,
  };

  f->sender
      = ra_sender_new (&cfg, flow_here (f, MAX (f->now, f->start)), error);
  if (!f->sender)
    return FALSE;
  ra_sender_set_truth (f->sender, truth, f);
  if (!f->cfg->wire)
    ra_sender_set_on_loss (f->sender, on_loss, f);
  return TRUE;
}

static gboolean
algorithms_make (SimFlow *f, GError **error)
{
  const RaSimFlow *own = f->own;
  const RaColourOps *colour = ra_colour_find (own->colour);
  RaLda *lda;

  if (!is_known (LIST (ra_rates), "controller", own->controller, error)
      || !is_known (LIST (ra_ldas), "lda", own->lda, error)
      || !is_known (LIST (ra_fecs), "FEC rule", own->fec, error)
      || !is_known (LIST (ra_colours), "colour", own->colour, error))
    return FALSE;
  f->colour = ra_colour_new (colour, own->colour_params, error);
  if (!f->colour)
    return FALSE;
  if (!sender_make (f, error))
    return FALSE;
  if (f->cfg->wire) {
    f->wire = sim_wire_new (f->cfg, own, f->sender, error);
    return f->wire != NULL;
  }
  if (!f->cfg->per_packet) {
    lda = ra_lda_new (ra_lda_find (own->lda), own->lda_params, NULL);
    ra_lda_set_truth (lda, truth, f);
    ra_lda_set_seed (lda, own_seed (f));
    f->receiver = ra_receiver_new (lda, f->cfg->rate.mss);
    ra_receiver_set_on_loss (f->receiver, on_loss, f);
  }
  return TRUE;
}

SimFlow *
sim_flow_new (
    const RaSimConfig *cfg, guint index, const SimPath *path, GError **error)
{
  SimFlow *f = g_new0 (SimFlow, 1);
  gboolean bytes = cfg->wire != NULL;

  f->cfg = cfg;
  f->clocks.here = (gint64) cfg->begin;
  f->clocks.there = SIM_CLOCK_OFFSET;
  f->shift = (gint64) cfg->first;
  f->first = cfg->first;
  f->own = cfg->n_mix ? &cfg->mix[index % cfg->n_mix] : &cfg->flow;
  f->index = index;
  f->path = *path;
  f->start = (RaTime) f->own->start;
  f->stop = (RaTime) (f->own->stop > 0 ? f->own->stop : G_MAXINT64);
  f->score = ra_score_new (0, MAX (cfg->warmup, f->own->start));
  ra_rng_init (&f->rng, cfg->seed, (bytes ? 1 : 1000) + index);
  f->ssrc = bytes ? (guint32) ra_rng_next (&f->rng) : SIM_SSRC;
  sim_source_init (&f->source, cfg, index, &f->rng, f->start,
      (RaTime) MAX (cfg->warmup, f->own->start));
  f->rows = g_array_new (FALSE, FALSE, sizeof (RaFeedbackPacket));
  if (!algorithms_make (f, error)) {
    sim_flow_free (f);
    return NULL;
  }
  return f;
}

void
sim_flow_free (SimFlow *f)
{
  g_clear_pointer (&f->wire, sim_wire_free);
  g_clear_pointer (&f->sender, ra_sender_free);
  g_clear_pointer (&f->receiver, ra_receiver_free);
  g_clear_pointer (&f->colour, ra_colour_free);
  ra_score_free (f->score);
  g_array_unref (f->rows);
  g_queue_clear_full (&f->feedback, flow_feedback_free);
  sim_source_clear (&f->source);
  g_free (f);
}

RaSimView
sim_flow_view (const SimFlow *f)
{
  return (RaSimView){ .flow = f->index,
    .cfg = f->own,
    .sender = f->sender,
    .receiver = f->receiver,
    .reporter = f->wire ? sim_wire_reporter (f->wire) : NULL,
    .colour = f->colour };
}

SimClocks *
sim_flow_clocks (SimFlow *f)
{
  return &f->clocks;
}

void
sim_flow_restart_receiver (SimFlow *f)
{
  sim_wire_restart_receiver (f->wire);
  f->offset = 0;
}

void
sim_flow_restart_sender (SimFlow *f)
{
  RaSender *before = f->sender;

  sender_make (f, NULL); /* it worked with the same parameters */
  sim_wire_restart_sender (f->wire, f->sender);
  ra_sender_free (before);
  sim_source_forget (&f->source);
  f->first = ra_rng_next (&f->rng) & 0xffff;
  f->ssrc = (guint32) ra_rng_next (&f->rng);
}

void
sim_flow_change_ssrc (SimFlow *f)
{
  f->ssrc = (guint32) ra_rng_next (&f->rng);
}

RaEar *
sim_flow_ear (const SimFlow *f)
{
  return f->wire ? sim_wire_ear (f->wire) : NULL;
}

void
sim_flow_result (const SimFlow *f, RaTime now, RaRun *run)
{
  RaScoreResult score;

  ra_score_get (f->score, MIN (now, f->stop), &score);
  ra_run_init (run, f->own->controller, f->own->lda);
  ra_run_set_score (run, &score);
  run->start = ra_seconds ((RaSpan) f->start);
  if (f->source.fec.media > 0) {
    run->fec_overhead
        = (gdouble) f->source.fec.repair / (gdouble) f->source.fec.media;
    run->residual_loss
        = (gdouble) f->source.fec.missing / (gdouble) f->source.fec.media;
  }
}
