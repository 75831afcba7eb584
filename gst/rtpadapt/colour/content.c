/* Content: within the same profile, green goes to what the picture needs most.
 * K. D. Singh, D. Ros, L. Toutain, C. Viho, "Improvement of multimedia
 * streaming using estimation of wireless losses", Inria PI 1792, 2006, 4.5
 * (marks may follow a scalable codec's layers); D. Black, P. Jones, RFC 7657,
 * 2015, 4 (I-frames, then P-frames, then the upper layers).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rule (guarantee: meter.h).  A byte earns `green`.  Of that, min-green
 * stays with the packet's own importance, so that each importance has its
 * spread-out share; the rest fills a reserve of `reserve` seconds of the rate,
 * and only what does not fit stays, too.  A packet is green by the reserve if
 * it leaves there what is kept for more important ones: `key` of it for key
 * frames and parameter sets, evenly more for every layer; nothing for TOP.
 * A key frame finds `key` * `reserve` and earns while it passes: it is green
 * throughout up to key * reserve / (1 - green) seconds of the rate, .3 s or
 * nine mean frames of 30/s by default.  What is not green becomes yellow or
 * red by the same rule.  UNKNOWN is marked as `profile` does.
 */
#include <gst/rtpadapt/colour/meter.h>

static RaMark
content_mark (RaColour *c, const RaColourPacket *p, RaTime now)
{
  return ra_meter_mark ((RaMeter *) c, p, p->importance);
}

static const RaParam params[] = {
  { "", .table = ra_meter_params },
  { "reserve", RA_AT (RaMeter, reserve), .def = .3, .max = 10, .unit = "s",
      .text = "size of what is put by for important "
              "packets, in time of the rate" },
  { "key", RA_AT (RaMeter, key), .def = .5, .max = 1,
      .text = "share of that which only key "
              "frames and parameter sets may use" },
  { NULL },
};

const RaColourOps ra_colour_content = {
  .name = "content",
  .cite = "Singh, Ros, Toutain, Viho 2006, 4.5; RFC 7657 4; RFC 2698",
  .needs = "the allowed rate, the importance of each packet",
  .use = "where the network drops by colour: key frames are dropped last",
  .size = sizeof (RaMeter),
  .params = params,
  .init = ra_meter_init,
  .mark = content_mark,
  .observe = ra_meter_observe,
};
