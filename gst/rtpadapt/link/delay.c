/* A constant delay: propagation, so it is not counted as queueing.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/link/fifo.h>

#include <math.h>

typedef struct
{
  RaNode node;
  gdouble delay; /* s */
  RaLinkFifo fifo;
} Delay;

static gboolean
delay_init (RaNode *n, GError **error)
{
  if (isnan (((Delay *) n)->delay)) {
    g_set_error (
        error, RA_LINK_ERROR, RA_LINK_ERROR_PARAM, "delay= is missing");
    return FALSE;
  }
  return TRUE;
}

static void
delay_push (RaNode *n, const RaLinkPacket *p, RaTime now)
{
  Delay *d = (Delay *) n;

  ra_link_fifo_push (&d->fifo, p, ra_later (now, ra_span (d->delay)));
}

static RaTime
delay_next (const RaNode *n)
{
  return ra_link_fifo_next (&((const Delay *) n)->fifo);
}

static void
delay_run (RaNode *n, RaTime now)
{
  Delay *d = (Delay *) n;

  while (ra_link_fifo_next (&d->fifo) <= now && d->fifo.n) {
    RaLinkItem item = ra_link_fifo_pop (&d->fifo);

    ra_node_forward (n, &item.p, now);
  }
}

static void
delay_clear (RaNode *n)
{
  ra_link_fifo_clear (&((Delay *) n)->fifo, n);
}

static guint
delay_held (const RaNode *n)
{
  return ((const Delay *) n)->fifo.n;
}

#define NOT_SET ((gdouble) NAN)

static const RaParam delay_params[] = {
  { "delay", G_STRUCT_OFFSET (Delay, delay), NOT_SET, NOT_SET, 0, 3600, "s",
      "one way; must be given" },
  { NULL },
};

const RaNodeOps ra_link_delay = {
  .name = "delay",
  .cite = "-",
  .needs = "the delay",
  .use = "propagation",
  .size = sizeof (Delay),
  .params = delay_params,
  .positional = "delay",
  .init = delay_init,
  .push = delay_push,
  .next = delay_next,
  .run = delay_run,
  .clear = delay_clear,
  .held = delay_held,
};
