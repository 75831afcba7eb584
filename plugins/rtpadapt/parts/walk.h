/* Finding an element before or behind one of ours.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef gboolean (*WalkMatch) (GstElement *element);

/* The nearest such element upstream of a sink pad, or downstream of a source
 * pad, through all that has pads and into bins.  (transfer full), or NULL. */
GstElement *walk_find (GstPad *pad, WalkMatch match);
/* TRUE: `element` would be found. */
gboolean walk_leads (GstPad *pad, GstElement *element);
/* All such elements, nearest first, none of them behind another.
 * (transfer full) (element-type GstElement): g_ptr_array_unref(). */
GPtrArray *walk_find_all (GstPad *pad, WalkMatch match);
/* The same, where `match` wants to know more. */
typedef gboolean (*WalkMatchFull) (GstElement *element, gconstpointer data);
GPtrArray *walk_find_all_full (
    GstPad *pad, WalkMatchFull match, gconstpointer data);
/* The element of that name in the same top-level bin as `element`.
 * (transfer full), or NULL. */
GstElement *walk_find_named (GstElement *element, const gchar *name);
/* Both are in the same top-level bin. */
gboolean walk_same_top (GstElement *a, GstElement *b);
/* The name of its factory, or "". */
const gchar *walk_factory (GstElement *element);

G_END_DECLS
