/* Colouring: the registry and what all algorithms share.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/colour.h>
#include <gst/rtpadapt/colour-list.inc>

/* A clock that goes back this far was set, it does not jitter. */
#define CLOCK_SET RA_SECOND

const RaColourOps *const ra_colours[] = { RA_LIST };

RaColour *
ra_colour_new (const RaColourOps *ops, const gchar *params, GError **error)
{
  RaColour *c = g_malloc0 (ops->size);

  c->ops = ops;
  c->last = RA_TIME_NONE;
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
  if (bps)
    c->least = c->least ? MIN (c->least, bps) : bps;
}

/* Counts what the rate allowed since the latest packet. */
static void
pass_time (RaColour *c, RaTime now)
{
  c->allowed = 0;
  if (now == RA_TIME_NONE)
    return;
  if (c->last == RA_TIME_NONE || (now < c->last && c->last - now > CLOCK_SET)) {
    c->last = now;
  } else if (now > c->last) {
    c->allowed = ra_bytes (c->least) * ra_seconds (ra_diff (now, c->last));
    c->allowed = MAX (c->allowed, 0); /* more than 292 years */
    c->last = now;
  }
}

RaMark
ra_colour_mark (RaColour *c, const RaColourPacket *p, RaTime now)
{
  RaMark mark;

  pass_time (c, now);
  mark = c->ops->mark (c, p, now);
  c->least = c->rate;
  return mark;
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
  if (af_class < 1 || af_class > 4 || mark < RA_MARK_GREEN
      || mark > RA_MARK_RED)
    return 0;
  return af_class << 3 | (guint) mark << 1;
}
