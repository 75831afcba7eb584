/* No repair packets.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/fec.h>

const RaFecOps ra_fec_none = {
  .name = "none",
  .cite = "-",
  .needs = "nothing",
  .use = "clean paths, or a link that repeats what it loses",
  .none = TRUE,
  .size = sizeof (RaFec),
};
