/* The parameters of a level.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/lda/level.h>

const RaParam ra_level_params[] = {
  { "base-window", RA_AT (RaLevel, base_window), .def = 120, .max = 86400,
      .unit = "s", .text = "age of the empty queue, 0: the whole connection" },
  { "window", RA_AT (RaLevel, window), .def = 30, .max = 86400, .unit = "s",
      .text = "age of the longest queue, 0: the whole connection" },
  { "min-range", RA_AT (RaLevel, min_range), .def = .02, .max = 10, .unit = "s",
      .text = "the longest queue counts as at least this" },
  { NULL },
};
