/* Forward error correction: the registry and what all rules share.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/fec.h>
#include <gst/rtpadapt/fec-list.inc>

const RaFecOps *const ra_fecs[] = { RA_LIST };

RaFec *
ra_fec_new (const RaFecOps *ops, const gchar *params, GError **error)
{
  RaFec *f = g_malloc0 (ops->size);

  f->ops = ops;
  ra_params_init (f, ops->params);
  if (!ra_params_parse (f, ops->size, ops->params, params, error)) {
    g_free (f);
    return NULL;
  }
  if (ops->init)
    ops->init (f);
  return f;
}

void
ra_fec_free (RaFec *f)
{
  g_free (f);
}

void
ra_fec_on_frame (RaFec *f, guint packets)
{
  if (f->ops->on_frame && packets > 0)
    f->ops->on_frame (f, packets);
}

void
ra_fec_on_report (RaFec *f, const RaReport *report, RaTime now)
{
  RaReport own = *report;

  if (f->competes && own.lost_congestion > 0) {
    own.lost_wireless += own.lost_congestion;
    own.wireless_runs += MIN (own.lost_congestion, MAX (own.n_events, 1));
    own.lost_congestion = 0;
  }
  if (f->ops->on_report)
    f->ops->on_report (f, &own, now);
  f->percentage = MIN (f->percentage, 100);
}

void
ra_fec_set_mended (RaFec *f, gdouble share)
{
  f->mended = CLAMP (share, 0, 1);
}

void
ra_fec_set_competes (RaFec *f, gboolean competes)
{
  f->competes = competes;
}

void
ra_fec_set_code (RaFec *f, RaFecCode code, guint packets)
{
  f->code = packets > 0 ? code : RA_FEC_CODE_FRAME;
  f->block = packets;
}

guint
ra_fec_percentage (const RaFec *f)
{
  return f->percentage;
}

void
ra_fec_observe (const RaFec *f, RaObserve emit, gpointer data)
{
  emit ("percentage", f->percentage, data);
  if (f->ops->observe)
    f->ops->observe (f, emit, data);
}
