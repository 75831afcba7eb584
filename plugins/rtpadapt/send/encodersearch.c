/* The encoders upstream of rtpadaptsend, and the streams that they feed.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encodersearch.h"

#include "parts/walk.h"
#include "sendstreams.h"

static void
encoder_add (EncodersSearch *s, GstPad *sinkpad, GstElement *encoder)
{
  g_autoptr (GstElement) owner = gst_pad_get_parent_element (sinkpad);
  guint n = s->found->len;
  const EncoderRow *row;
  EncoderRow space;

  if (n == ENCODERS_MAX || g_ptr_array_find (s->found, encoder, NULL))
    return;
  row = *s->property
      ? encoder_row_described (encoder, s->property, s->unit, &space)
      : encoder_row (encoder);
  if (!row)
    return;
  s->about[n].row = *row;
  s->about[n].in_our_pipeline = walk_same_top (owner, encoder);
  s->about[n].leads = !s->names[0];
  g_ptr_array_add (s->found, gst_object_ref (encoder));
}

static void
encoders_find (EncodersSearch *s, GstElement *owner, GstPad *sinkpad)
{
  g_autoptr (GPtrArray) all = NULL;
  g_autoptr (GString) missing = g_string_new (NULL);

  for (guint i = 0; s->names[i]; i++) {
    GstElement *encoder = walk_find_named (owner, g_strstrip (s->names[i]));
    guint n = s->found->len;

    if (encoder)
      encoder_add (s, sinkpad, encoder);
    if (s->found->len == n)
      g_string_append_printf (
          missing, "%s%s", missing->len > 0 ? ", " : "", s->names[i]);
    gst_clear_object (&encoder);
  }
  s->missing = g_strdup (missing->str);
  if (s->names[0] || s->hands_off)
    return;
  all = encoder_find_all_upstream (sinkpad, *s->property ? s->property : NULL);
  for (guint i = 0; i < all->len; i++)
    encoder_add (s, sinkpad, g_ptr_array_index (all, i));
}

static gboolean
is_found (GstElement *element, gconstpointer data)
{
  return g_ptr_array_find ((GPtrArray *) data, element, NULL);
}

/* `bin` has one of the encoders that were found in it. */
static gboolean
has_found (GstElement *bin, const GPtrArray *found)
{
  for (guint i = 0; i < found->len; i++) {
    if (gst_object_has_as_ancestor (found->pdata[i], GST_OBJECT (bin)))
      return TRUE;
  }
  return FALSE;
}

/* A payloader, or a source of RTP.  A bin with a camera, an encoder and a payloader in
 * it has no sink pad either, but the payloader is the origin then. */
static gboolean
is_origin (GstElement *element, gconstpointer found)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return (element->numsinkpads == 0 && !has_found (element, found))
      || (factory
          && gst_element_factory_list_is_type (
              factory, GST_ELEMENT_FACTORY_TYPE_PAYLOADER));
}

/* A payloader, or a source of RTP, and the encoder that feeds it, or -1. */
typedef struct
{
  EncodersSearch *search;
  gint encoder;
} Origin;

static gboolean
sink_look (GstElement *element, GstPad *pad, gpointer data)
{
  Origin *origin = data;
  GPtrArray *found = origin->search->found;
  g_autoptr (GPtrArray) behind = walk_find_all_full (pad, is_found, found);
  guint i;

  if (behind->len == 0 || !g_ptr_array_find (found, behind->pdata[0], &i))
    return TRUE;
  origin->encoder = (gint) i;
  origin->search->about[i].streams++;
  return FALSE;
}

static gboolean
src_look (GstElement *element, GstPad *pad, gpointer data)
{
  const Origin *origin = data;
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  const GstStructure *s = caps ? gst_caps_get_structure (caps, 0) : NULL;
  StreamOrigin stream = { .driven = origin->encoder >= 0 };

  if (s && gst_structure_has_name (s, "application/x-rtp")
      && gst_structure_get_uint (s, "ssrc", &stream.ssrc)) {
    stream.kind = stream_kind (caps);
    origin->search->video |= stream_caps_are_video (caps);
    g_array_append_val (origin->search->origins, stream);
  }
  return TRUE;
}

static void
origins_find (EncodersSearch *s, GstPad *sinkpad)
{
  g_autoptr (GPtrArray) all = walk_find_all_full (sinkpad, is_origin, s->found);

  s->origins = g_array_new (FALSE, FALSE, sizeof (StreamOrigin));
  for (guint i = 0; i < all->len; i++) {
    Origin origin = { s, -1 };

    gst_element_foreach_sink_pad (all->pdata[i], sink_look, &origin);
    gst_element_foreach_src_pad (all->pdata[i], src_look, &origin);
  }
  /* Somebody else sets the encoders where we drive none.  Where the stream of one
   * was not found, it is one of those whose origin is unknown. */
  s->others_driven = s->found->len == 0;
  for (guint i = 0; i < s->found->len; i++)
    s->others_driven |= s->about[i].streams == 0;
  for (guint i = 0; s->found->len == 0 && i < s->origins->len; i++)
    g_array_index (s->origins, StreamOrigin, i).driven = TRUE;
}

/* An encoder that was not driven before. */
static void
encoder_greet (EncodersSearch *s, GstElement *encoder, const EncoderRow *row)
{
  g_autofree gchar *problem = encoder_prepare (encoder, row);

  if (problem)
    notices_add (&s->notices, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_SETTINGS,
        *row->settings ? g_strdup_printf ("it works with: %s", row->settings)
                       : NULL,
        "%s does not hold its bitrate: %s.", GST_OBJECT_NAME (encoder),
        problem);
}

void
encoders_search_do (EncodersSearch *s, GstPad *sinkpad)
{
  g_autoptr (GstElement) owner = gst_pad_get_parent_element (sinkpad);

  encoders_find (s, owner, sinkpad);
  origins_find (s, sinkpad);
  for (guint i = 0; i < s->found->len; i++) {
    if (!g_ptr_array_find (s->known, s->found->pdata[i], NULL))
      encoder_greet (s, s->found->pdata[i], &s->about[i].row);
  }
}

void
encoders_search_end (EncodersSearch *s)
{
  notices_clear (&s->notices);
  g_clear_pointer (&s->origins, g_array_unref);
  g_ptr_array_unref (s->known);
  g_ptr_array_unref (s->found);
  g_free (s->missing);
  g_free (s->property);
  g_strfreev (s->names);
}
