/* What became of a report, in words.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/feedback/tfrcear.h>

static inline const gchar *
heard_nick (RaHeard heard)
{
  static const gchar *const nicks[RA_N_HEARD]
      = { "ok", "malformed", "old", "unsent", "fast", "contrary" };

  return nicks[heard];
}
