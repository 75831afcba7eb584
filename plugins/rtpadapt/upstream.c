/* Finding an element that stands before one of ours.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "upstream.h"

/* Bounds of the search, against loops. */
#define DEPTH_MAX 64
#define PADS_MAX 256

typedef struct
{
  UpstreamMatch match;
  guint pads;
} Search;

static GstElement *pad_search (Search *s, GstPad *sinkpad, guint depth);

/* Searches behind every sink pad that leads to `srcpad`: those of an element,
 * the inside of a bin's ghost pad, or its outside. */
static GstElement *
links_search (Search *s, GstPad *srcpad, guint depth)
{
  GstIterator *links = gst_pad_iterate_internal_links (srcpad);
  GValue item = G_VALUE_INIT;
  GstElement *found = NULL;
  gboolean done = links == NULL;

  while (!done && !found) {
    switch (gst_iterator_next (links, &item)) {
      case GST_ITERATOR_OK:
        found = pad_search (s, g_value_get_object (&item), depth);
        g_value_reset (&item);
        break;
      case GST_ITERATOR_RESYNC:
        gst_iterator_resync (links);
        break;
      default:
        done = TRUE;
        break;
    }
  }
  g_value_unset (&item);
  g_clear_pointer (&links, gst_iterator_free);
  return found;
}

static GstElement *
pad_search (Search *s, GstPad *sinkpad, guint depth)
{
  GstPad *peer;
  GstObject *parent;
  GstElement *found = NULL;

  if (depth > DEPTH_MAX || ++s->pads > PADS_MAX)
    return NULL;
  peer = gst_pad_get_peer (sinkpad);
  if (!peer)
    return NULL;
  parent = gst_object_get_parent (GST_OBJECT (peer));
  if (GST_IS_ELEMENT (parent) && s->match (GST_ELEMENT (parent)))
    found = gst_object_ref (GST_ELEMENT (parent));
  else
    found = links_search (s, peer, depth + 1);
  gst_clear_object (&parent);
  gst_object_unref (peer);
  return found;
}

GstElement *
upstream_find (GstPad *sinkpad, UpstreamMatch match)
{
  Search s = { .match = match };

  return pad_search (&s, sinkpad, 0);
}

GstElement *
upstream_find_named (GstElement *element, const gchar *name)
{
  GstObject *top = gst_object_ref (GST_OBJECT (element));
  GstObject *parent;
  GstElement *found = NULL;

  while ((parent = gst_object_get_parent (top))) {
    gst_object_unref (top);
    top = parent;
  }
  if (GST_IS_BIN (top))
    found = gst_bin_get_by_name (GST_BIN (top), name);
  gst_object_unref (top);
  return found;
}

const gchar *
upstream_factory (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory ? GST_OBJECT_NAME (factory) : "";
}
