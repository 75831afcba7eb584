/* A droptail queue before a line of limited rate.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A packet that does not fit into the buffer is dropped; line.h says what the
 * limits count.
 */
#include <gst/rtpadapt/link/line.h>

static void
bottleneck_push (RaNode *n, const RaLinkPacket *p, RaTime now)
{
  RaLine *l = (RaLine *) n;

  if (ra_line_fits (l, p, now))
    ra_line_take (l, p, now);
  else
    ra_node_drop (n, p, RA_CAUSE_CONGESTION, now);
}

const RaNodeOps ra_link_bottleneck = {
  .name = "bottleneck",
  .cite = "-",
  .needs = "rate=",
  .use = "the slowest line of the path, with its queue",
  .size = sizeof (RaLine),
  .params = ra_line_params,
  .init = ra_line_init,
  .push = bottleneck_push,
  .observe = ra_line_observe,
  RA_LINE_OPS,
};
