/* No colour: every packet is alike to the network.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/colour.h>

static RaMark
none_mark (RaColour *c, const RaColourPacket *p, RaTime now)
{
  return RA_MARK_NONE;
}

const RaColourOps ra_colour_none = {
  .name = "none",
  .cite = "-",
  .needs = "nothing",
  .use = "where the network knows no Assured Forwarding",
  .none = TRUE,
  .size = sizeof (RaColour),
  .mark = none_mark,
};
