/* rtpsession's per-packet feedback, event "RTPTWCCPackets", as rows.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "twcc.h"

/* No path delays one packet this much more than the one before: the
 * receiver's clock began anew.  Just below the range of a delta. */
#define EPOCH (8 * RA_SECOND)
/* Losses in a row of which a status vector holds one less
 * (draft-holmer-rmcat-...-01, 3.1.4). */
#define DOUBTFUL_RUN 15

static gboolean
row_parse (const GstStructure *s, TwccRow *row)
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
  rows = g_array_new (FALSE, FALSE, sizeof (TwccRow));
  for (guint i = 0; packets && i < packets->n_values; i++) {
    const GValue *packet = &packets->values[i];
    TwccRow row;

    if (GST_VALUE_HOLDS_STRUCTURE (packet)
        && row_parse (gst_value_get_structure (packet), &row))
      g_array_append_val (rows, row);
  }
  return rows;
}

gboolean
twcc_is_doubtful (const GArray *rows)
{
  guint run = 0;

  for (guint i = 0; i < rows->len && run < DOUBTFUL_RUN; i++)
    run = g_array_index (rows, TwccRow, i).lost ? run + 1 : 0;
  return run >= DOUBTFUL_RUN;
}

void
twcc_remove_before (GArray *rows, guint16 base)
{
  guint n = 0;

  while (n < rows->len
      && (gint16) (g_array_index (rows, TwccRow, n).seq - base) < 0)
    n++;
  if (n > 0)
    g_array_remove_range (rows, 0, n);
}

RaTime
remote_clock_unwrap (
    RemoteClock *c, GstClockTime remote, RaSpan wrap, RaTime sent)
{
  RaSpan step = (RaSpan) (remote - c->raw) % wrap;
  RaSpan sent_step = ra_diff (sent, c->sent);

  if (!c->started) {
    c->started = TRUE;
    c->arrival = (RaTime) wrap; /* far from 0, so that early packets fit */
  } else {
    if (step >= wrap / 2)
      step -= wrap;
    else if (step < -wrap / 2)
      step += wrap;
    if (ABS (step - sent_step) > EPOCH)
      step = sent_step;
    c->arrival = ra_later (c->arrival, step);
  }
  c->raw = remote;
  c->sent = sent;
  return c->arrival;
}
