/* Packets that leave together.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the pacer lets go at one moment is taken under one lock and pushed without it.
 */
#pragma once

#include "backlog.h"

G_BEGIN_DECLS

#define BATCH_MAX 64

typedef struct
{
  GstBuffer *packets[BATCH_MAX];
  guint32 ssrcs[BATCH_MAX];
  guint n;
} Batch;

/* Takes item->object, a packet's.  The batch must not be full. */
void batch_add (Batch *b, const BacklogItem *item);
gboolean batch_is_full (const Batch *b);
/* Pushes the packets in their order, as lists of one SSRC each, one that is alone as
 * a buffer: rtpsession counts all of a list for the SSRC of its first packet.  After
 * an error the rest is dropped.  The batch is empty then. */
GstFlowReturn batch_push (Batch *b, GstPad *pad);

G_END_DECLS
