/* Packets of senders that have not answered yet, in the order in which they came.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "heldpackets.h"

typedef struct
{
  GstPad *pad; /* it outlives this */
  GstBuffer *buffer;
  guint32 ssrc;
  RaTime since;
} Held;

gboolean
held_packets_add (
    HeldPackets *held, GstPad *pad, GstBuffer *buffer, guint32 ssrc, RaTime now)
{
  gsize size = gst_buffer_get_size (buffer);
  Held *one;

  if (held->list.length >= HELD_PACKETS_MAX
      || held->bytes + size > HELD_BYTES_MAX)
    return FALSE;
  one = g_new (Held, 1);
  *one = (Held){ pad, gst_buffer_ref (buffer), ssrc, now };
  g_queue_push_tail (&held->list, one);
  held->bytes += size;
  return TRUE;
}

/* (transfer full) */
static GstBuffer *
take_out (HeldPackets *held, GList *link)
{
  Held *one = link->data;
  GstBuffer *buffer = one->buffer;

  held->bytes -= gst_buffer_get_size (buffer);
  g_free (one);
  g_queue_delete_link (&held->list, link);
  return buffer;
}

GList *
held_packets_take (HeldPackets *held, GstPad *pad, HeldFunc func, gpointer data,
    guint64 *n_dropped)
{
  GList *leave = NULL, *next;

  for (GList *l = held->list.head; l; l = next) {
    const Held *one = l->data;
    HeldFate fate
        = one->pad == pad ? func (one->ssrc, one->since, data) : HELD_STAYS;

    next = l->next;
    if (fate == HELD_LEAVES) {
      leave = g_list_prepend (leave, take_out (held, l));
    } else if (fate == HELD_DROPPED) {
      gst_buffer_unref (take_out (held, l));
      (*n_dropped)++;
    }
  }
  return g_list_reverse (leave);
}

void
held_packets_clear (HeldPackets *held)
{
  while (held->list.head)
    gst_buffer_unref (take_out (held, held->list.head));
}
