/* Colouring: the registry and what all algorithms share.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/colour.h>

#define RA_ENTRY(name) extern const RaColourOps ra_colour_##name;
#include <gst/rtpadapt/colour-list.inc>
#undef RA_ENTRY

const RaColourOps *const ra_colours[] = {
#define RA_ENTRY(name) &ra_colour_##name,
#include <gst/rtpadapt/colour-list.inc>
#undef RA_ENTRY
  NULL,
};

RaColour *
ra_colour_new (const RaColourOps *ops, const gchar *params, GError **error)
{
  RaColour *c = g_malloc0 (ops->size);

  c->ops = ops;
  ra_params_init (c, ops->params);
  if (!ra_params_parse (c, ops->size, ops->params, params, error)) {
    g_free (c);
    return NULL;
  }
  if (ops->init)
    ops->init (c);
  return c;
}

void
ra_colour_free (RaColour *c)
{
  g_free (c);
}

void
ra_colour_set_rate (RaColour *c, guint64 bps)
{
  c->rate = bps;
}

RaMark
ra_colour_mark (RaColour *c, const RaColourPacket *p, RaTime now)
{
  return c->ops->mark (c, p, now);
}

void
ra_colour_observe (const RaColour *c, RaObserve emit, gpointer data)
{
  if (c->ops->observe)
    c->ops->observe (c, emit, data);
}

guint
ra_colour_dscp (guint af_class, RaMark mark)
{
  /* RFC 2597 6: AFxy is binary xxxyy0, y the drop precedence. */
  return mark == RA_MARK_NONE ? 0 : af_class << 3 | (guint) mark << 1;
}
