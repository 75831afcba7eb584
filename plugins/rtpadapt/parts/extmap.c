/* Which header extensions caps announce (RFC 8285), and under which id.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "extmap.h"

#include <gst/rtpadapt/feedback/tfrcfb.h>

#define PREFIX "extmap-"
/* As the draft's own SDP example, section 7, spells it. */
#define SEND_TS_URI_MISSPELT "urn:ietf:params:rtp-hdtext:rtt-sendts"

/* The id of a field that announces `uri`, or 0. */
static guint
field_id (const gchar *name, const GValue *value, const gchar *uri)
{
  const gchar *text = NULL;
  guint64 id;

  if (!g_str_has_prefix (name, PREFIX)
      || !g_ascii_string_to_unsigned (
          name + sizeof PREFIX - 1, 10, 1, 255, &id, NULL))
    return 0;
  if (G_VALUE_HOLDS_STRING (value)) {
    text = g_value_get_string (value);
  } else if (GST_VALUE_HOLDS_ARRAY (value)
      && gst_value_array_get_size (value) >= 2) {
    const GValue *second = gst_value_array_get_value (value, 1);

    if (G_VALUE_HOLDS_STRING (second))
      text = g_value_get_string (second);
  }
  return g_strcmp0 (text, uri) == 0 ? (guint) id : 0;
}

guint
extmap_id (const GstStructure *s, const gchar *uri)
{
  gint n = gst_structure_n_fields (s);
  guint id = 0;

  for (gint i = 0; i < n && id == 0; i++) {
    const gchar *name = gst_structure_nth_field_name (s, (guint) i);

    id = field_id (name, gst_structure_get_value (s, name), uri);
  }
  return id;
}

guint
extmap_send_ts_id (const GstStructure *s)
{
  guint id = extmap_id (s, RA_SEND_TS_URI);

  return id > 0 ? id : extmap_id (s, SEND_TS_URI_MISSPELT);
}

static gboolean
field_keep (GQuark name, GValue *value, gpointer uri)
{
  return field_id (g_quark_to_string (name), value, uri) == 0;
}

GstCaps *
extmap_remove (GstCaps *caps, const gchar *uri)
{
  GstCaps *copy = gst_caps_copy (caps);

  for (guint i = 0; i < gst_caps_get_size (copy); i++)
    gst_structure_filter_and_map_in_place (
        gst_caps_get_structure (copy, i), field_keep, (gpointer) uri);
  return copy;
}
