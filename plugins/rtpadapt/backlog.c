/* The packets and events that wait for the pacer, bounded in time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "backlog.h"

#include <gst/base/gstqueuearray.h>
#include <gst/rtp/rtp.h>

/* SSRCs whose frames are told apart at a time. */
#define FRAMES_MAX 8
/* A frame that began is cut beyond this many limits. */
#define HARD_LIMITS 4
/* ... but never below these bytes, or a very low rate would cut every frame. */
#define HARD_BYTES 16384

/* The frame that came last of an SSRC. */
typedef struct
{
  gboolean used;
  guint32 ssrc, timestamp;
  gboolean dropping;
} Frame;

struct _Backlog
{
  GstQueueArray *items;
  guint packets;
  gsize bytes;

  Frame frames[FRAMES_MAX];
  guint next_frame; /* the slot that a new SSRC takes */

  guint64 dropped, dropped_frames;
};

gboolean
backlog_item_parse (BacklogItem *item, GstBuffer *buffer, gint media_type)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  if (!gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp))
    return FALSE;
  *item = (BacklogItem){
    .object = GST_MINI_OBJECT_CAST (buffer),
    .is_packet = TRUE,
    .is_repair
    = GST_BUFFER_FLAG_IS_SET (buffer, GST_RTP_BUFFER_FLAG_RETRANSMISSION),
    .size = (guint) gst_buffer_get_size (buffer),
    .payload = gst_rtp_buffer_get_payload_len (&rtp),
    .ssrc = gst_rtp_buffer_get_ssrc (&rtp),
    .timestamp = gst_rtp_buffer_get_timestamp (&rtp),
    .seq = gst_rtp_buffer_get_seq (&rtp),
    .marker = gst_rtp_buffer_get_marker (&rtp),
  };
  if (!item->is_repair
      && (media_type < 0
          || media_type == gst_rtp_buffer_get_payload_type (&rtp)))
    item->media = item->payload;
  gst_rtp_buffer_unmap (&rtp);
  return TRUE;
}

Backlog *
backlog_new (void)
{
  Backlog *b = g_new0 (Backlog, 1);

  b->items = gst_queue_array_new_for_struct (sizeof (BacklogItem), 64);
  return b;
}

void
backlog_free (Backlog *b)
{
  backlog_clear (b);
  gst_queue_array_free (b->items);
  g_free (b);
}

void
backlog_clear (Backlog *b)
{
  BacklogItem *item;

  while ((item = gst_queue_array_pop_head_struct (b->items)))
    gst_mini_object_unref (item->object);
  b->packets = 0;
  b->bytes = 0;
  memset (b->frames, 0, sizeof b->frames);
}

void
backlog_push_event (Backlog *b, GstEvent *event)
{
  BacklogItem item = { .object = GST_MINI_OBJECT_CAST (event) };

  gst_queue_array_push_tail_struct (b->items, &item);
}

static Frame *
frame_find (Backlog *b, guint32 ssrc)
{
  for (guint i = 0; i < FRAMES_MAX; i++) {
    if (b->frames[i].used && b->frames[i].ssrc == ssrc)
      return &b->frames[i];
  }
  return NULL;
}

static Frame *
frame_add (Backlog *b, guint32 ssrc)
{
  Frame *frame = &b->frames[b->next_frame];

  b->next_frame = (b->next_frame + 1) % FRAMES_MAX;
  *frame = (Frame){ .used = TRUE, .ssrc = ssrc };
  return frame;
}

/* TRUE if the packet is to be dropped with its frame. */
static gboolean
frame_drops (Backlog *b, const BacklogItem *item, RaSpan limit, guint64 rate)
{
  RaSpan queued = backlog_span (b, rate);
  Frame *frame;

  if (item->is_repair)
    return queued > limit;
  frame = frame_find (b, item->ssrc);
  if (!frame || frame->timestamp != item->timestamp) {
    if (!frame)
      frame = frame_add (b, item->ssrc);
    frame->timestamp = item->timestamp;
    frame->dropping = queued > limit && b->bytes > 0;
    b->dropped_frames += frame->dropping ? 1 : 0;
  } else if (!frame->dropping && b->bytes > HARD_BYTES
      && queued / HARD_LIMITS > limit) {
    frame->dropping = TRUE;
    b->dropped_frames++;
  }
  return frame->dropping;
}

gboolean
backlog_push_packet (
    Backlog *b, const BacklogItem *item, RaSpan limit, guint64 rate)
{
  if (frame_drops (b, item, limit, rate)) {
    b->dropped++;
    return FALSE;
  }
  gst_queue_array_push_tail_struct (b->items, (gpointer) item);
  b->packets++;
  b->bytes += item->size;
  return TRUE;
}

const BacklogItem *
backlog_peek (const Backlog *b)
{
  return gst_queue_array_peek_head_struct (b->items);
}

void
backlog_pop (Backlog *b, BacklogItem *out)
{
  *out = *(BacklogItem *) gst_queue_array_pop_head_struct (b->items);
  if (out->is_packet) {
    b->packets--;
    b->bytes -= out->size;
  }
}

guint
backlog_packets (const Backlog *b)
{
  return b->packets;
}

RaSpan
backlog_span (const Backlog *b, guint64 rate)
{
  return b->bytes ? ra_send_span ((gdouble) b->bytes, rate) : 0;
}

guint64
backlog_dropped (const Backlog *b)
{
  return b->dropped;
}

guint64
backlog_dropped_frames (const Backlog *b)
{
  return b->dropped_frames;
}
