/* rtpadaptsink: what the statistics of its parts are.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "parts/fields.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 unkeyed; /* packets */
} SinkStats;

/* Of "application/x-rtpadaptsink-stats"; the element sets those of its parts. */
extern const Field sink_stats_fields[];

G_END_DECLS
