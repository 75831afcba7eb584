/* Profile: a fixed share of the rate is green, whatever the content.
 * K. D. Singh, D. Ros, L. Toutain, C. Viho, "Improvement of multimedia
 * streaming using estimation of wireless losses", Inria PI 1792, 2006, 4.1
 * (assured rate, "marking profile of 50 %"), 4.5 (figure 9: below 30 % WLED's
 * estimate gets worse).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The paper does not say which packets are green: here every n-th, by bytes,
 * so that each RTT has some.  Nor does it say how the rest is divided: yellow
 * gets the 30 % that 4.5 wants for a loss rate, because WLED compares
 * l_yellow with theta; red the other 20 %, to be dropped first.
 *
 * On real video:
 * - The share is of what is sent within the allowed rate (meter.h), for an
 *   encoder seldom uses all of it.
 * - min-green holds the share up where `green` would be too little for WLED.
 */
#include <gst/rtpadapt/colour/meter.h>

static RaMark
profile_mark (RaColour *c, const RaColourPacket *p, RaTime now)
{
  return ra_meter_mark ((RaMeter *) c, p, RA_IMPORTANCE_UNKNOWN);
}

const RaColourOps ra_colour_profile = {
  .name = "profile",
  .cite = "Singh, Ros, Toutain, Viho 2006, 4.1 and 4.5; RFC 2698",
  .needs = "the allowed rate",
  .use = "with wled, where the content cannot be read (encrypted, unknown)",
  .size = sizeof (RaMeter),
  .params = ra_meter_params,
  .init = ra_meter_init,
  .mark = profile_mark,
  .observe = ra_meter_observe,
};
