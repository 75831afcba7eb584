/* A droptail queue before a line of limited rate.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A packet that does not fit into the buffer is dropped; link/queue.h says what the
 * limits count.
 */
#include <gst/rtpadapt/link/queue.h>

static void
bottleneck_push (RaNode *n, const RaLinkPacket *p, RaTime now)
{
  RaQueue *l = (RaQueue *) n;

  if (ra_queue_fits (l, p, now))
    ra_queue_take (l, p, now);
  else
    ra_node_drop (n, p, RA_CAUSE_CONGESTION, now);
}

const RaNodeOps ra_link_bottleneck = {
  .name = "bottleneck",
  .cite = "-",
  .needs = "rate=",
  .use = "the slowest line of the path, with its queue",
  .size = sizeof (RaQueue),
  .params = ra_queue_params,
  .init = ra_queue_init,
  .push = bottleneck_push,
  .observe = ra_queue_observe,
  RA_QUEUE_OPS,
};
