/* What rtpsession and rtpadaptlink tell rtpadaptsend, made by hand.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "send-fixture.h"

#define OWD (20 * GST_MSECOND) /* one way, to the receiver */
#define GRAIN (250 * GST_USECOND)
#define LOST GST_CLOCK_TIME_NONE

static inline GValueArray *
rows_new (void)
{
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  return g_value_array_new (0);
  G_GNUC_END_IGNORE_DEPRECATIONS
}

static inline void
twcc_row_add (GValueArray *rows, guint number, GstClockTime local, guint size,
    GstClockTime remote)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value,
      gst_structure_new ("RTPTWCCPacket", "seqnum", G_TYPE_UINT,
          number & 0xffff, "local-ts", G_TYPE_UINT64, local, "remote-ts",
          G_TYPE_UINT64, remote, "payload-type", G_TYPE_UCHAR, 96, "size",
          G_TYPE_UINT, size, "lost", G_TYPE_BOOLEAN, remote == LOST, NULL));
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  g_value_array_append (rows, &value);
  G_GNUC_END_IGNORE_DEPRECATIONS
  g_value_unset (&value);
}

/* Takes `rows`. */
static inline void
rows_push (Send *s, GValueArray *rows)
{
  GValue value = G_VALUE_INIT;
  GstStructure *structure = gst_structure_new_empty ("RTPTWCCPackets");

  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  g_value_init (&value, g_value_array_get_type ());
  G_GNUC_END_IGNORE_DEPRECATIONS
  g_value_take_boxed (&value, rows);
  gst_structure_take_value (structure, "packets", &value);
  gst_harness_push_upstream_event (
      s->h, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, structure));
}

/* Feedback on packets [from, to) as rtpsession numbered them from `base`, all
 * OWD under way; those in the list ended by -1 were lost. */
static inline void
feedback (Send *s, guint from, guint to, guint base, const gint *lost)
{
  GValueArray *rows = rows_new ();

  for (guint i = from; i < to; i++) {
    GstClockTime local = g_array_index (s->times, GstClockTime, i);
    GstClockTime remote = (local - START + OWD) / GRAIN * GRAIN;

    for (const gint *l = lost; l && *l >= 0; l++)
      remote = *l == (gint) i ? LOST : remote;
    twcc_row_add (rows, base + i, local, PAYLOAD, remote);
  }
  rows_push (s, rows);
}

/* RTPAdaptLoss */
static inline void
truth (Send *s, guint ssrc, guint seqnum, const gchar *cause)
{
  gst_harness_push_upstream_event (s->h,
      gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
          gst_structure_new ("RTPAdaptLoss", "ssrc", G_TYPE_UINT, ssrc,
              "seqnum", G_TYPE_UINT, seqnum, "cause", G_TYPE_STRING, cause,
              "time", G_TYPE_UINT64, G_GUINT64_CONSTANT (0), NULL)));
}
