/* Packets of senders that have not answered yet, in the order in which they came.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * No clock, no lock: the caller has both.
 */
#pragma once

#include <gst/gst.h>
#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* A second of 8 Mbit/s, so the first key frame of a stream has room. */
#define HELD_PACKETS_MAX 1024
#define HELD_BYTES_MAX (1 << 20)

typedef struct
{
  GQueue list; /* of Held */
  gsize bytes;
} HeldPackets;

/* Keeps the buffer, which leaves by `pad` later.  FALSE: it is full. */
gboolean held_packets_add (HeldPackets *held, GstPad *pad, GstBuffer *buffer,
    guint32 ssrc, RaTime now);

typedef enum
{
  HELD_STAYS,
  HELD_LEAVES,
  HELD_DROPPED
} HeldFate;
/* Decides on a packet of `ssrc` that has been held since `since`. */
typedef HeldFate (*HeldFunc) (guint32 ssrc, RaTime since, gpointer data);
/* Asks `func` about each packet of `pad`.  Returns the packets that leave, the
 * oldest first (transfer full) (element-type GstBuffer), or NULL.  `n_dropped`
 * grows by the number of those that were dropped. */
GList *held_packets_take (HeldPackets *held, GstPad *pad, HeldFunc func,
    gpointer data, guint64 *n_dropped);
void held_packets_clear (HeldPackets *held);

G_END_DECLS
