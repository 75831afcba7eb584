/* Loss differentiation: the registry and what all algorithms share.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/lda.h>
#include <gst/rtpadapt/lda-list.inc>

#include <string.h>

const RaLdaOps *const ra_ldas[] = { RA_LIST };

RaLda *
ra_lda_new (const RaLdaOps *ops, const gchar *params, GError **error)
{
  RaLda *lda = g_malloc0 (ops->size);

  lda->ops = ops;
  ra_params_init (lda, ops->params);
  if (!ra_params_parse (lda, ops->size, ops->params, params, error)) {
    g_free (lda);
    return NULL;
  }
  ra_lda_reset (lda);
  return lda;
}

void
ra_lda_free (RaLda *lda)
{
  g_free (lda);
}

void
ra_lda_reset (RaLda *lda)
{
  const RaLdaOps *ops = lda->ops;
  g_autofree guint8 *before = g_memdup2 (lda, ops->size);
  RaParamWalk walk = ra_params_walk (ops->params);

  memset ((guint8 *) lda + sizeof *lda, 0, ops->size - sizeof *lda);
  for (const RaParam *p; (p = ra_params_next (&walk));)
    memcpy ((guint8 *) lda + p->offset, before + p->offset,
        p->is_schedule ? sizeof (RaSchedule) : sizeof (gdouble));
  if (ops->init)
    ops->init (lda);
}

void
ra_lda_child (RaLda *lda, const RaLdaOps *ops)
{
  lda->ops = ops;
  ra_lda_reset (lda);
}

void
ra_lda_set_truth (RaLda *lda, RaTruth truth, gpointer data)
{
  lda->truth = truth;
  lda->truth_data = data;
}

void
ra_lda_set_seed (RaLda *lda, guint64 seed)
{
  lda->seed = seed;
  ra_lda_reset (lda);
}

RaCause
ra_lda_on_packet (RaLda *lda, const RaArrival *a)
{
  RaCause cause = lda->ops->on_packet (lda, a);

  if (a->n_lost == 0)
    return RA_CAUSE_NONE;
  return cause == RA_CAUSE_WIRELESS ? cause : RA_CAUSE_CONGESTION;
}

RaCause
ra_lda_on_missing (RaLda *lda, const RaArrival *a, guint64 seq, RaCause hole)
{
  return lda->ops->on_missing ? lda->ops->on_missing (lda, a, seq) : hole;
}

RaSpan
ra_lda_patience (const RaLda *lda, const RaArrival *a)
{
  return lda->ops->patience ? MAX (lda->ops->patience (lda, a), 0) : 0;
}

RaLdaValues
ra_lda_values (const RaLda *lda)
{
  RaLdaValues values = { 0 };

  if (lda->ops->values)
    lda->ops->values (lda, &values);
  return values;
}

void
ra_lda_observe (const RaLda *lda, RaObserve emit, gpointer data)
{
  if (lda->ops->observe)
    lda->ops->observe (lda, emit, data);
}
