/* Packets that leave together.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "batch.h"

void
batch_add (Batch *b, const BacklogItem *item)
{
  b->ssrcs[b->n] = item->ssrc_out;
  b->packets[b->n++] = GST_BUFFER_CAST (item->object);
}

gboolean
batch_is_full (const Batch *b)
{
  return b->n == BATCH_MAX;
}

/* Pushes the packets from *i on that have one SSRC. */
static GstFlowReturn
push_some (const Batch *b, guint *i, GstPad *pad)
{
  guint first = *i, n = 1;
  GstBufferList *list;

  while (first + n < b->n && b->ssrcs[first + n] == b->ssrcs[first])
    n++;
  *i += n;
  if (n == 1)
    return gst_pad_push (pad, b->packets[first]);
  list = gst_buffer_list_new_sized (n);
  for (guint k = first; k < first + n; k++)
    gst_buffer_list_add (list, b->packets[k]);
  return gst_pad_push_list (pad, list);
}

GstFlowReturn
batch_push (Batch *b, GstPad *pad)
{
  GstFlowReturn flow = GST_FLOW_OK;
  guint i = 0;

  while (i < b->n && flow == GST_FLOW_OK)
    flow = push_some (b, &i, pad);
  while (i < b->n)
    gst_buffer_unref (b->packets[i++]);
  b->n = 0;
  return flow;
}
