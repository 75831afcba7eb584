/* Numbers of a model that change by time, "25ms,10s:60ms": what all of them
 * have in common.  util/params.h reads and keeps them; here they meet the
 * link's clock.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/link.h>

#include <math.h>

G_BEGIN_DECLS

/* A parameter without a default, and the end of a schedule's text. */
#define RA_NODE_NOT_SET ((gdouble) NAN)
#define RA_NODE_SCHEDULE_TEXT(example)                                        \
  ", with changes counted from the first packet, as in " example "; must be " \
  "given"

/* FALSE and `error` if nobody set it. */
static inline gboolean
ra_node_is_set (const RaSchedule *s, const gchar *name, GError **error)
{
  if (isnan (s->value[0])) {
    g_set_error (
        error, RA_LINK_ERROR, RA_LINK_ERROR_PARAM, "%s= is missing", name);
    return FALSE;
  }
  return TRUE;
}

/* From the link's start to t; 0 before. */
static inline RaSpan
ra_node_since_start (const RaNode *n, RaTime t)
{
  return t > n->start ? ra_diff (t, n->start) : 0;
}

/* The value at t; before the link starts, the first one. */
static inline gdouble
ra_node_value (const RaNode *n, const RaSchedule *s, RaTime t)
{
  return ra_schedule_at (s, ra_node_since_start (n, t));
}

/* When the value changes next after t, or RA_TIME_NONE; the link has started. */
static inline RaTime
ra_node_change (const RaNode *n, const RaSchedule *s, RaTime t)
{
  RaSpan next = ra_schedule_next (s, ra_diff (t, n->start));

  return next == RA_SPAN_NONE ? RA_TIME_NONE : ra_later (n->start, next);
}

G_END_DECLS
