/* Relative one-way trip times without the clocks' offset.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Counted from the first one, so that no offset between the clocks, however
 * large, costs precision or changes a verdict.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

typedef struct
{
  gboolean known;
  RaSpan first;
} RaRott;

/* `rott` in ns since the first one. */
static inline gdouble
ra_rott (RaRott *r, RaSpan rott)
{
  if (!r->known) {
    r->known = TRUE;
    r->first = rott;
  }
  return (gdouble) ra_diff ((RaTime) rott, (RaTime) r->first);
}

/* The way back, in seconds, for those who look on. */
static inline gdouble
ra_rott_seconds (const RaRott *r, gdouble since_first)
{
  return ra_seconds (r->first) + since_first / (gdouble) RA_SECOND;
}

G_END_DECLS
