/* fixed: always the same share of repair packets.  What most senders do, for
 * comparison: dear on a clean path, too little on a bad one.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/fec.h>

typedef struct
{
  RaFec fec;
  gdouble level;
} Fixed;

static void
fixed_init (RaFec *f)
{
  f->percentage = (guint) (((const Fixed *) f)->level * 100 + .5);
}

static const RaParam params[] = {
  { "level", RA_AT (Fixed, level), .def = .2, .max = 1,
      .text = "repair packets per media packet" },
  { NULL },
};

const RaFecOps ra_fec_fixed = {
  .name = "fixed",
  .cite = "-",
  .needs = "nothing",
  .use = "the baseline; a radio whose losses are known and never change",
  .size = sizeof (Fixed),
  .params = params,
  .init = fixed_init,
};
