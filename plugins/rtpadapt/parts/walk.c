/* Finding an element before or behind one of ours.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "walk.h"

/* Bounds of the search, against loops. */
#define DEPTH_MAX 64
#define PADS_MAX 256

typedef struct
{
  WalkMatchFull match;
  gconstpointer data;
  guint pads;
  gboolean all; /* and not only the nearest */
  GPtrArray *found;
} Search;

static void pad_search (Search *s, GstPad *pad, guint depth);

static gboolean
search_done (const Search *s)
{
  return !s->all && s->found->len > 0;
}

/* Searches behind every pad that `from` leads to: those on an element's other
 * side, the inside of a bin's ghost pad, or its outside. */
static void
links_search (Search *s, GstPad *from, guint depth)
{
  GstIterator *links = gst_pad_iterate_internal_links (from);
  GValue item = G_VALUE_INIT;
  gboolean done = links == NULL;

  while (!done && !search_done (s)) {
    switch (gst_iterator_next (links, &item)) {
      case GST_ITERATOR_OK:
        pad_search (s, g_value_get_object (&item), depth);
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
}

/* Several ways may lead to the same element. */
static void
found_add (Search *s, GstElement *element)
{
  if (!g_ptr_array_find (s->found, element, NULL))
    g_ptr_array_add (s->found, gst_object_ref (element));
}

static void
pad_search (Search *s, GstPad *pad, guint depth)
{
  GstPad *peer;
  GstObject *parent;

  if (depth > DEPTH_MAX || ++s->pads > PADS_MAX)
    return;
  peer = gst_pad_get_peer (pad);
  if (!peer)
    return;
  parent = gst_object_get_parent (GST_OBJECT (peer));
  if (GST_IS_ELEMENT (parent) && s->match (GST_ELEMENT (parent), s->data))
    found_add (s, GST_ELEMENT (parent));
  else
    links_search (s, peer, depth + 1);
  gst_clear_object (&parent);
  gst_object_unref (peer);
}

static GPtrArray *
search (GstPad *pad, WalkMatchFull match, gconstpointer data, gboolean all)
{
  Search s = { .match = match,
    .data = data,
    .all = all,
    .found = g_ptr_array_new_with_free_func (gst_object_unref) };

  pad_search (&s, pad, 0);
  return s.found;
}

static gboolean
match_plain (GstElement *element, gconstpointer data)
{
  return (*(const WalkMatch *) data) (element);
}

GstElement *
walk_find (GstPad *pad, WalkMatch match)
{
  g_autoptr (GPtrArray) found = search (pad, match_plain, &match, FALSE);

  return found->len > 0 ? gst_object_ref (found->pdata[0]) : NULL;
}

static gboolean
is_same (GstElement *element, gconstpointer other)
{
  return element == other;
}

gboolean
walk_leads (GstPad *pad, GstElement *element)
{
  g_autoptr (GPtrArray) found = search (pad, is_same, element, FALSE);

  return found->len > 0;
}

GPtrArray *
walk_find_all (GstPad *pad, WalkMatch match)
{
  return search (pad, match_plain, &match, TRUE);
}

GPtrArray *
walk_find_all_full (GstPad *pad, WalkMatchFull match, gconstpointer data)
{
  return search (pad, match, data, TRUE);
}

/* (transfer full) */
static GstObject *
top_of (GstElement *element)
{
  GstObject *top = gst_object_ref (GST_OBJECT (element));
  GstObject *parent;

  while ((parent = gst_object_get_parent (top))) {
    gst_object_unref (top);
    top = parent;
  }
  return top;
}

gboolean
walk_same_top (GstElement *a, GstElement *b)
{
  g_autoptr (GstObject) top = top_of (a), other = top_of (b);

  return top == other;
}

GstElement *
walk_find_named (GstElement *element, const gchar *name)
{
  GstObject *top = top_of (element);
  GstElement *found = NULL;

  if (GST_IS_BIN (top))
    found = gst_bin_get_by_name (GST_BIN (top), name);
  gst_object_unref (top);
  return found;
}

const gchar *
walk_factory (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory ? GST_OBJECT_NAME (factory) : "";
}
