/* The packets and events that wait for the pacer, bounded in time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "backlog.h"

#include <gst/base/gstqueuearray.h>

/* SSRCs whose frames are known at a time. */
#define FRAMES_MAX 32
/* A frame that began is cut beyond this many limits. */
#define HARD_LIMITS 4
/* ... but never below these bytes, or a very low rate would cut every frame. */
#define HARD_BYTES 16384

/* What belongs to the packets that follow it, in the order of sending. */
enum
{
  STREAM_START,
  CAPS,
  SEGMENT,
  N_STICKY
};

/* Shared by all packets between two such events. */
struct _BacklogContext
{
  GstEvent *event[N_STICKY]; /* or NULL */
};

/* The frame that came last of an SSRC. */
typedef struct
{
  gboolean used;
  guint32 ssrc, timestamp;
  gboolean dropping;
  gboolean ended; /* its last packet came in */
  guint alike;    /* frames before it that have its timestamp */
  guint64 plain;  /* number of its last item in the lane without priority */
} Frame;

typedef struct
{
  GstQueueArray *items;
  gsize bytes;
} Lane;

struct _Backlog
{
  Lane first, repeats, plain; /* with priority, sent again, without either */
  guint packets;
  guint barriers; /* events in `plain` that no media packet passes */
  guint64 plain_in, plain_out; /* items so far */

  BacklogContext *context;  /* of what comes in */
  GstEvent *sent[N_STICKY]; /* that went out last */
  BacklogContext *all_sent; /* all of this went out, or NULL */
  BacklogItem sticky;

  Frame frames[FRAMES_MAX];
  guint next_frame; /* the slot that a new SSRC takes */

  guint64 dropped, dropped_frames;
  guint alike; /* the most of all frames */
};

/* --- what belongs to packets -------------------------------------------- */

static void
context_clear (gpointer data)
{
  BacklogContext *c = data;

  for (guint i = 0; i < N_STICKY; i++)
    gst_clear_event (&c->event[i]);
}

static void
context_unref (BacklogContext *c)
{
  g_rc_box_release_full (c, context_clear);
}

/* STREAM_START and so on, or N_STICKY. */
static guint
sticky_kind (GstEvent *event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
      return STREAM_START;
    case GST_EVENT_CAPS:
      return CAPS;
    case GST_EVENT_SEGMENT:
      return SEGMENT;
    default:
      return N_STICKY;
  }
}

/* Takes `event`. */
static void
context_set (Backlog *b, guint kind, GstEvent *event)
{
  BacklogContext *c = g_rc_box_new0 (BacklogContext);

  for (guint i = 0; i < N_STICKY; i++) {
    if (i != kind && b->context->event[i])
      c->event[i] = gst_event_ref (b->context->event[i]);
  }
  c->event[kind] = event;
  context_unref (b->context);
  b->context = c;
}

/* `sent` says all that `event` does. */
static gboolean
says_the_same (GstEvent *event, GstEvent *sent)
{
  const GstSegment *segment, *sent_segment;
  GstCaps *caps, *sent_caps;

  if (!event || event == sent)
    return TRUE;
  if (!sent)
    return FALSE;
  switch (sticky_kind (event)) {
    case CAPS:
      gst_event_parse_caps (event, &caps);
      gst_event_parse_caps (sent, &sent_caps);
      return gst_caps_is_equal (caps, sent_caps);
    case SEGMENT:
      gst_event_parse_segment (event, &segment);
      gst_event_parse_segment (sent, &sent_segment);
      return gst_segment_is_equal (segment, sent_segment);
    default:
      return FALSE;
  }
}

/* The event that has to leave before a packet with `c`, or NULL. */
static GstEvent *
missing (Backlog *b, BacklogContext *c)
{
  if (c == b->all_sent)
    return NULL;
  for (guint i = 0; i < N_STICKY; i++) {
    if (!says_the_same (c->event[i], b->sent[i]))
      return c->event[i];
  }
  g_clear_pointer (&b->all_sent, context_unref);
  b->all_sent = g_rc_box_acquire (c);
  return NULL;
}

/* After a stream-start the others are sent again, as upstream does. */
static void
sent_forget (Backlog *b, guint from)
{
  for (guint i = from; i < N_STICKY; i++)
    gst_clear_event (&b->sent[i]);
  g_clear_pointer (&b->all_sent, context_unref);
}

static void
sent_note (Backlog *b, GstEvent *event)
{
  guint kind = sticky_kind (event);

  sent_forget (b, kind == STREAM_START ? STREAM_START : N_STICKY);
  gst_event_replace (&b->sent[kind], event);
}

/* --- the queue ---------------------------------------------------------- */

Backlog *
backlog_new (void)
{
  Backlog *b = g_new0 (Backlog, 1);

  b->first.items = gst_queue_array_new_for_struct (sizeof (BacklogItem), 64);
  b->repeats.items = gst_queue_array_new_for_struct (sizeof (BacklogItem), 64);
  b->plain.items = gst_queue_array_new_for_struct (sizeof (BacklogItem), 64);
  b->context = g_rc_box_new0 (BacklogContext);
  return b;
}

void
backlog_free (Backlog *b)
{
  backlog_clear (b);
  sent_forget (b, 0);
  context_unref (b->context);
  gst_queue_array_free (b->first.items);
  gst_queue_array_free (b->repeats.items);
  gst_queue_array_free (b->plain.items);
  g_free (b);
}

static void
lane_clear (Lane *lane)
{
  BacklogItem *item;

  while ((item = gst_queue_array_pop_head_struct (lane->items))) {
    gst_mini_object_unref (item->object);
    context_unref (item->context);
  }
  lane->bytes = 0;
}

void
backlog_clear (Backlog *b)
{
  lane_clear (&b->first);
  lane_clear (&b->repeats);
  lane_clear (&b->plain);
  b->packets = b->barriers = b->alike = 0;
  b->plain_in = b->plain_out = 0;
  memset (b->frames, 0, sizeof b->frames);
}

void
backlog_flush (Backlog *b)
{
  backlog_clear (b);
  context_set (b, SEGMENT, NULL);
  sent_forget (b, SEGMENT);
}

/* GstVideoEncoder sends an event before each key frame that was asked for.  What is of
 * one stream alone, and does not end it, need not hold up the others. */
static gboolean
is_barrier (const BacklogItem *item)
{
  GstEvent *event = GST_EVENT_CAST (item->object);

  return !item->is_packet && GST_EVENT_TYPE (event) != GST_EVENT_TAG
      && GST_EVENT_TYPE (event) != GST_EVENT_GAP
      && !gst_event_has_name (event, "GstForceKeyUnit");
}

/* Takes item->object. */
static void
lane_push (Backlog *b, Lane *lane, const BacklogItem *item)
{
  BacklogItem *tail;

  gst_queue_array_push_tail_struct (lane->items, (gpointer) item);
  tail = gst_queue_array_peek_tail_struct (lane->items);
  tail->context = g_rc_box_acquire (b->context);
  lane->bytes += item->size;
  b->packets += item->is_packet ? 1 : 0;
  if (lane == &b->plain) {
    b->plain_in++;
    b->barriers += is_barrier (item) ? 1 : 0;
  }
}

void
backlog_push_event (Backlog *b, GstEvent *event)
{
  guint kind = sticky_kind (event);

  if (kind < N_STICKY)
    context_set (b, kind, event);
  else
    lane_push (
        b, &b->plain, &(BacklogItem){ .object = GST_MINI_OBJECT_CAST (event) });
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
frame_add (Backlog *b, const BacklogItem *item)
{
  Frame *frame = &b->frames[b->next_frame];

  b->next_frame = (b->next_frame + 1) % FRAMES_MAX;
  *frame = (Frame){
    .used = TRUE, .ssrc = item->ssrc, .timestamp = item->timestamp - 1
  }; /* any other */
  return frame;
}

/* TRUE if the packet is the first of a frame.  FEC behind the marker belongs to the frame
 * before; video does not, as a payloader that gets no times gives all frames the same.
 * Audio has the marker where it begins (RFC 3551 4.1). */
static gboolean
frame_begins (Backlog *b, Frame *frame, const BacklogItem *item)
{
  gboolean other = frame->timestamp != item->timestamp;

  if (!other && (!frame->ended || item->priority || item->media == 0))
    return FALSE;
  frame->timestamp = item->timestamp;
  frame->ended = FALSE;
  frame->alike = other ? 0 : frame->alike + 1;
  b->alike = MAX (b->alike, frame->alike);
  return TRUE;
}

/* TRUE if the packet is to be dropped with its frame. */
static gboolean
frame_drops (Backlog *b, Frame *frame, const BacklogItem *item, RaSpan limit,
    RaSpan queued, gsize bytes)
{
  if (frame_begins (b, frame, item)) {
    frame->dropping = queued > limit && bytes > 0;
    b->dropped_frames += frame->dropping ? 1 : 0;
  } else if (!frame->dropping && bytes > HARD_BYTES
      && queued / HARD_LIMITS > limit) {
    frame->dropping = TRUE;
    b->dropped_frames++;
  }
  frame->ended |= item->marker;
  return frame->dropping;
}

static RaSpan
bytes_span (gsize bytes, guint64 rate)
{
  return bytes ? ra_send_span ((gdouble) bytes, rate) : 0;
}

gboolean
backlog_push_packet (
    Backlog *b, const BacklogItem *item, RaSpan limit, guint64 rate)
{
  Frame *frame = item->is_repeat ? NULL
                                 : frame_find (b, item->ssrc) ?: frame_add (b, item);
  gboolean passes = item->priority
      && (!frame || (b->barriers == 0 && frame->plain <= b->plain_out));
  Lane *lane = !passes ? &b->plain : frame ? &b->first : &b->repeats;
  gsize bytes = b->first.bytes + (lane == &b->first ? 0 : b->repeats.bytes)
      + (passes ? 0 : b->plain.bytes);
  RaSpan queued = bytes_span (bytes, rate);

  if (frame ? frame_drops (b, frame, item, limit, queued, bytes)
            : queued > limit) {
    b->dropped++;
    return FALSE;
  }
  lane_push (b, lane, item);
  if (frame && !passes)
    frame->plain = b->plain_in;
  return TRUE;
}

static Lane *
lane_next (Backlog *b)
{
  if (!gst_queue_array_is_empty (b->first.items))
    return &b->first;
  return gst_queue_array_is_empty (b->repeats.items) ? &b->plain : &b->repeats;
}

gboolean
backlog_is_empty (Backlog *b)
{
  return gst_queue_array_is_empty (lane_next (b)->items)
      && !missing (b, b->context);
}

const BacklogItem *
backlog_peek (Backlog *b)
{
  const BacklogItem *item
      = gst_queue_array_peek_head_struct (lane_next (b)->items);
  GstEvent *event = missing (b, item ? item->context : b->context);

  b->sticky.object = NULL;
  if (!event)
    return item;
  b->sticky = (BacklogItem){ .object = GST_MINI_OBJECT_CAST (event) };
  return &b->sticky;
}

void
backlog_pop (Backlog *b, BacklogItem *out)
{
  Lane *lane = lane_next (b);

  *out = *backlog_peek (b);
  if (out->object == b->sticky.object) {
    gst_mini_object_ref (out->object);
    sent_note (b, GST_EVENT_CAST (out->object));
    return;
  }
  gst_queue_array_pop_head_struct (lane->items);
  lane->bytes -= out->size;
  b->packets -= out->is_packet ? 1 : 0;
  if (lane == &b->plain) {
    b->plain_out++;
    b->barriers -= is_barrier (out) ? 1 : 0;
  }
  context_unref (out->context);
  out->context = NULL;
}

guint
backlog_packets (const Backlog *b)
{
  return b->packets;
}

gboolean
backlog_is_latest (Backlog *b, const BacklogItem *item)
{
  const Frame *frame = item->is_repeat ? NULL : frame_find (b, item->ssrc);

  return frame && frame->timestamp == item->timestamp;
}

RaSpan
backlog_span (const Backlog *b, guint64 rate)
{
  return bytes_span (b->first.bytes + b->repeats.bytes + b->plain.bytes, rate);
}

guint
backlog_alike (const Backlog *b)
{
  return b->alike;
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
