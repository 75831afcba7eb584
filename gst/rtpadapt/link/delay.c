/* A delay: propagation, so it is not counted as queueing.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A packet takes the delay of the moment it enters.  Where the delay falls, it
 * comes no sooner than those before it: a path that is changed for a shorter
 * one still hands over in order.
 */
#include <gst/rtpadapt/link/fifo.h>
#include <gst/rtpadapt/link/schedule.h>

typedef struct
{
  RaNode node;
  RaSchedule delay; /* s */
  RaLinkFifo fifo;
  RaTime last; /* when the last one inside leaves */
} Delay;

static gboolean
delay_init (RaNode *n, GError **error)
{
  return ra_node_is_set (&((Delay *) n)->delay, "delay", error);
}

static void
delay_push (RaNode *n, const RaLinkPacket *p, RaTime now)
{
  Delay *d = (Delay *) n;
  RaTime at = ra_later (now, ra_span (ra_node_value (n, &d->delay, now)));

  d->last = d->fifo.n ? MAX (at, d->last) : at;
  ra_link_fifo_push (&d->fifo, p, d->last);
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

static const RaParam delay_params[] = {
  { "delay", RA_AT (Delay, delay), .def = RA_NODE_NOT_SET, .max = 3600,
      .unit = "s", .text = "one way" RA_NODE_SCHEDULE_TEXT ("25ms,10s:60ms"),
      .example = "25ms" },
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
