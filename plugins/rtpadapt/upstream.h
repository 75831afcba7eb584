/* Finding an element that stands before one of ours.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef gboolean (*UpstreamMatch) (GstElement *element);

/* The nearest such element upstream of `sinkpad`, through all that has pads
 * and into bins.  (transfer full), or NULL. */
GstElement *upstream_find (GstPad *sinkpad, UpstreamMatch match);
/* The element of that name in the same top-level bin as `element`.
 * (transfer full), or NULL. */
GstElement *upstream_find_named (GstElement *element, const gchar *name);
/* The name of its factory, or "". */
const gchar *upstream_factory (GstElement *element);

G_END_DECLS
