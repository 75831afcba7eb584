/* The encoder upstream: finding it and setting its bitrate in its own unit.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encoder.h"

/* Bounds of the search, against loops. */
#define DEPTH_MAX 64
#define PADS_MAX 256

/* Adding an encoder is a row.  Only those whose change in PLAYING was measured
 * on GStreamer 1.22: x265enc starts anew with an IDR frame at each change,
 * av1enc and openh264enc miss the target. */
static const EncoderRow table[] = {
  { "x264enc", "bitrate", 1000, 1000, 1 },
  { "vp8enc", "target-bitrate", 1, 1000, 1 },
  { "vp9enc", "target-bitrate", 1, 1000, 1 },
};

const EncoderRow *
encoder_row (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  for (guint i = 0; factory && i < G_N_ELEMENTS (table); i++) {
    if (g_str_equal (GST_OBJECT_NAME (factory), table[i].factory))
      return &table[i];
  }
  return NULL;
}

static GstElement *pad_search (GstPad *sinkpad, guint depth, guint *pads);

/* Searches behind every sink pad that leads to `srcpad`: those of an element,
 * the inside of a bin's ghost pad, or its outside. */
static GstElement *
links_search (GstPad *srcpad, guint depth, guint *pads)
{
  GstIterator *links = gst_pad_iterate_internal_links (srcpad);
  GValue item = G_VALUE_INIT;
  GstElement *found = NULL;
  gboolean done = links == NULL;

  while (!done && !found) {
    switch (gst_iterator_next (links, &item)) {
      case GST_ITERATOR_OK:
        found = pad_search (g_value_get_object (&item), depth, pads);
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
pad_search (GstPad *sinkpad, guint depth, guint *pads)
{
  GstPad *peer;
  GstObject *parent;
  GstElement *found = NULL;

  if (depth > DEPTH_MAX || ++*pads > PADS_MAX)
    return NULL;
  peer = gst_pad_get_peer (sinkpad);
  if (!peer)
    return NULL;
  parent = gst_object_get_parent (GST_OBJECT (peer));
  if (GST_IS_ELEMENT (parent) && encoder_row (GST_ELEMENT (parent)))
    found = gst_object_ref (GST_ELEMENT (parent));
  else
    found = links_search (peer, depth + 1, pads);
  gst_clear_object (&parent);
  gst_object_unref (peer);
  return found;
}

GstElement *
encoder_find_upstream (GstPad *sinkpad)
{
  guint pads = 0;

  return pad_search (sinkpad, 0, &pads);
}

GstElement *
encoder_find_named (GstElement *element, const gchar *name)
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

guint64
encoder_set (GstElement *encoder, guint64 bps, guint64 last)
{
  const EncoderRow *row = encoder_row (encoder);
  guint64 now = CLAMP (bps / row->step, 1, G_MAXINT / row->step) * row->step;
  guint64 change = now > last ? now - last : last - now;

  if (last > 0 && change * 100 < last * row->min_change)
    return last;
  /* 32 bit, signed or not: the same argument to a variadic function. */
  if (now != last)
    g_object_set (encoder, row->property, (guint) (now / row->unit), NULL);
  return now;
}
