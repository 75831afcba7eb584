/* rtpsession's per-packet feedback, event "RTPTWCCPackets", as rows.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "twcc.h"

static gboolean
row_parse (const GstStructure *s, RaTwccRow *row)
{
  guint seq;

  if (!gst_structure_get_uint (s, "seqnum", &seq)
      || !gst_structure_get_boolean (s, "lost", &row->lost)
      || !gst_structure_get_uint64 (s, "local-ts", &row->local)
      || !gst_structure_get_uint (s, "size", &row->size)
      || !gst_structure_get_uint64 (s, "remote-ts", &row->remote))
    return FALSE;
  row->seq = (guint16) seq;
  return row->lost || GST_CLOCK_TIME_IS_VALID (row->remote);
}

GArray *
twcc_parse (const GstStructure *s)
{
  const GValue *value = gst_structure_get_value (s, "packets");
  const GValueArray *packets;
  GArray *rows;

  /* GLib deprecates GValueArray, rtpsession goes on using it. */
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  if (!value || !G_VALUE_HOLDS (value, g_value_array_get_type ()))
    return NULL;
  G_GNUC_END_IGNORE_DEPRECATIONS
  packets = g_value_get_boxed (value);
  rows = g_array_new (FALSE, FALSE, sizeof (RaTwccRow));
  for (guint i = 0; packets && i < packets->n_values; i++) {
    const GValue *packet = &packets->values[i];
    RaTwccRow row;

    if (GST_VALUE_HOLDS_STRUCTURE (packet)
        && row_parse (gst_value_get_structure (packet), &row))
      g_array_append_val (rows, row);
  }
  return rows;
}
