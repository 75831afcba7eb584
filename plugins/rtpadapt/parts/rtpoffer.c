/* What the sink pad of an element for any RTP answers to a payloader.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rtpoffer.h"

#include "walk.h"

static gboolean
is_ssrc (GQuark field, const GValue *value, gpointer data)
{
  return g_str_equal (g_quark_to_string (field), "ssrc");
}

/* TRUE: RTP of any kind. */
static gboolean
caps_are_open (const GstCaps *caps)
{
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    if (!gst_structure_foreach (
            gst_caps_get_structure (caps, i), is_ssrc, NULL))
      return FALSE;
  }
  return !gst_caps_is_empty (caps);
}

/* An rtpbin may have been given a bin with the element somewhere in it. */
static gboolean
is_in_rtpbin (GstObject *element)
{
  g_autoptr (GstObject) bin = gst_object_get_parent (element);

  return GST_IS_ELEMENT (bin)
      && (g_str_equal (walk_factory (GST_ELEMENT (bin)), "rtpbin")
          || is_in_rtpbin (bin));
}

gboolean
rtp_offer_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  gboolean ok = gst_pad_query_default (pad, parent, query);
  GstCaps *filter, *caps;

  gst_query_parse_caps (query, &filter);
  gst_query_parse_caps_result (query, &caps);
  if (ok && !filter && caps && gst_pad_is_linked (pad) && caps_are_open (caps)
      && !is_in_rtpbin (parent)) {
    caps = gst_caps_new_any ();
    gst_query_set_caps_result (query, caps);
    gst_caps_unref (caps);
  }
  return ok;
}
