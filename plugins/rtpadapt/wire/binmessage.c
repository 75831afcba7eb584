/* Messages of both bins.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "binmessage.h"

/* As statistics.md has them. */
static gboolean
is_ours (const GstStructure *s)
{
  static const gchar *const begin[] = { "rtpadapt-", "application/x-rtpadapt" };

  for (guint i = 0; s && i < G_N_ELEMENTS (begin); i++) {
    if (g_str_has_prefix (gst_structure_get_name (s), begin[i]))
      return TRUE;
  }
  return FALSE;
}

GstMessage *
bin_message_own (GstBin *bin, GstMessage *message)
{
  const GstStructure *s = gst_message_get_structure (message);
  GstMessage *own;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ELEMENT || !is_ours (s)
      || GST_MESSAGE_SRC (message) == GST_OBJECT (bin))
    return message;
  own = gst_message_new_element (GST_OBJECT (bin), gst_structure_copy (s));
  gst_message_set_seqnum (own, gst_message_get_seqnum (message));
  GST_MESSAGE_TIMESTAMP (own) = GST_MESSAGE_TIMESTAMP (message);
  gst_message_unref (message);
  return own;
}

void
bin_warn_late (GstElement *bin, const gchar *property)
{
  GST_ELEMENT_WARNING (bin, LIBRARY, SETTINGS,
      ("%s is taken from NULL to READY: until then the stream goes on as before.",
          property),
      (NULL));
}
