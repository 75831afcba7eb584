/* The path inside rtpadaptlink.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "linkpath.h"

#include <string.h>

/* A serialized event that waits for the packets before it. */
typedef struct
{
  GstEvent *event;
  guint64 mark; /* packets with a smaller seq came before it */
  guint inside; /* how many of them are still inside */
} LinkEvent;

/* Takes the event. */
static void
path_event_out (LinkPath *path, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
    gst_event_copy_segment (event, &path->segment);
  g_queue_push_tail (&path->out, event);
}

/* Packet `seq` has left the path: the events that waited for it may leave,
 * too. */
static void
path_left (LinkPath *path, guint64 seq)
{
  LinkEvent *e;

  for (GList *l = path->waiting.head; l; l = l->next) {
    e = l->data;
    e->inside -= seq < e->mark;
  }
  while ((e = g_queue_peek_head (&path->waiting)) && e->inside == 0) {
    path_event_out (path, e->event);
    g_free (g_queue_pop_head (&path->waiting));
  }
}

/* What leaves at `now` arrives: its running time, as a position in the segment.
 * udpsrc's segment begins at 0, x264enc's at 1000 h, and rtpjitterbuffer drops
 * what arrives before its segment. */
static GstClockTime
path_arrival (const LinkPath *path, RaTime now)
{
  GstClockTime base = gst_element_get_base_time (path->owner);
  GstClockTime running, position;

  now = MAX (now, path->resumed);
  running = now > base ? now - base : 0;
  if (path->segment.format != GST_FORMAT_TIME)
    return running;
  return gst_segment_position_from_running_time_full (
             &path->segment, GST_FORMAT_TIME, running, &position)
          > 0
      ? position
      : 0;
}

/* Whose packet this is: RTP's SSRC (RFC 3550 5.1), RTCP's (6.4; recognised as
 * in RFC 5761 4), which is its sender's; 0 for what is neither. */
static guint
packet_flow (GstBuffer *buffer, gboolean *is_rtp)
{
  guint8 h[12] = { 0 };
  gsize n = gst_buffer_extract (buffer, 0, h, sizeof h);
  gboolean is_rtcp = h[1] >= 192 && h[1] <= 223;

  *is_rtp = FALSE;
  if (h[0] >> 6 != 2 || n < (is_rtcp ? 8 : sizeof h))
    return 0;
  *is_rtp = !is_rtcp;
  return GST_READ_UINT32_BE (h + (is_rtcp ? 4 : 8));
}

/* To be counted in. */
static LinkFlow *
path_flow (LinkPath *path, guint ssrc)
{
  LinkFlow *flow = g_hash_table_lookup (path->flows, GUINT_TO_POINTER (ssrc));

  if (!flow && g_hash_table_size (path->flows) < RA_LINK_FLOWS) {
    flow = g_new0 (LinkFlow, 1);
    g_hash_table_insert (path->flows, GUINT_TO_POINTER (ssrc), flow);
  }
  return flow ? flow : &path->others;
}

static void
path_deliver (const RaLinkPacket *p, RaTime now, gpointer data)
{
  LinkPath *path = data;
  GstBuffer *buffer = gst_buffer_make_writable (GST_BUFFER_CAST (p->data));

  path->n.out++;
  path->n.bytes_out += p->size;
  path_flow (path, p->flow)->out++;
  GST_BUFFER_DTS (buffer) = path_arrival (path, now);
  g_queue_push_tail (&path->out, buffer);
  g_queue_push_tail (&path->sizes, GUINT_TO_POINTER (p->size));
  path_left (path, p->seq);
}

typedef struct
{
  guint ssrc, seqnum;
  const gchar *cause;
  guint64 time;
} LossNews;

const Field link_path_loss_fields[] = {
  { "ssrc", "", "of the packet", "RFC 3550 5.1", FIELD_UINT (LossNews, ssrc) },
  { "seqnum", "", "its sequence number", "RFC 3550 5.1",
      FIELD_UINT (LossNews, seqnum) },
  { "cause", "", "congestion or wireless", "model",
      FIELD_TEXT (LossNews, cause) },
  { "time", "ns", "when it was dropped, on the pipeline's clock", "clock",
      FIELD_UINT64 (LossNews, time) },
  { "node", "", "name of the model; only in the message", "model",
      FIELD_OTHER ("string") },
  { NULL },
};

/* The truth, upstream and perhaps on the bus. */
static void
path_post_loss (LinkPath *path, GstStructure *loss, const gchar *node)
{
  GstStructure *message = NULL;

  if (path->loss_messages) {
    message = gst_structure_copy (loss);
    gst_structure_set (message, "node", G_TYPE_STRING, node, NULL);
  }
  g_queue_push_tail (
      &path->out, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, loss));
  if (message)
    g_queue_push_tail (&path->out,
        gst_message_new_element (GST_OBJECT (path->owner), message));
}

static void
path_drop (const RaLinkPacket *p, RaCause cause, const gchar *node, RaTime now,
    gpointer data)
{
  LinkPath *path = data;
  LinkFlow *flow = path_flow (path, p->flow);
  guint8 seqnum[2];
  gboolean is_rtp;

  GST_LOG_OBJECT (path->owner, "%s drops %" GST_PTR_FORMAT, node, p->data);
  if (cause == RA_CAUSE_CONGESTION) {
    path->n.congestion++;
    flow->congestion++;
  } else {
    path->n.wireless++;
    flow->wireless++;
  }
  packet_flow (p->data, &is_rtp);
  if (is_rtp) {
    gst_buffer_extract (p->data, 2, seqnum, sizeof seqnum);
    path_post_loss (path,
        fields_new ("RTPAdaptLoss", link_path_loss_fields,
            &(LossNews){ p->flow, GST_READ_UINT16_BE (seqnum),
                ra_cause_nick (cause), now }),
        node);
  }
  gst_buffer_unref (p->data);
  path_left (path, p->seq);
}

static void
path_discard (const RaLinkPacket *p, gpointer data)
{
  LinkPath *path = data;

  if (path->releasing != RA_TIME_NONE) {
    path_deliver (p, path->releasing, path);
    return;
  }
  path->n.discarded++;
  gst_buffer_unref (p->data);
  path_left (path, p->seq);
}

void
link_path_init (LinkPath *path, GstElement *owner)
{
  path->owner = owner;
  path->releasing = RA_TIME_NONE;
  path->flows = g_hash_table_new_full (NULL, NULL, NULL, g_free);
}

void
link_path_clear (LinkPath *path)
{
  g_clear_pointer (&path->flows, g_hash_table_unref);
}

void
link_path_reset_counts (LinkPath *path)
{
  path->n = (LinkCounts){ 0 };
  g_hash_table_remove_all (path->flows);
}

gboolean
link_path_open (
    LinkPath *path, const gchar *text, guint64 seed, RaTime now, GError **error)
{
  static const RaLinkSink sink
      = { path_deliver, path_drop, path_discard, g_file_get_contents };
  RaLink *link = ra_link_parse (text, seed, &sink, path, error);

  if (!link)
    return FALSE;
  path->releasing = now;
  ra_link_free (path->link);
  path->releasing = RA_TIME_NONE;
  path->link = link;
  return TRUE;
}

/* With its size as it was counted: the element's overhead may be another by now. */
static gpointer
path_pop (LinkPath *path, guint *size)
{
  gpointer item = g_queue_pop_head (&path->out);

  if (item && GST_IS_BUFFER (item))
    *size = GPOINTER_TO_UINT (g_queue_pop_head (&path->sizes));
  return item;
}

gpointer
link_path_pop (LinkPath *path)
{
  guint size;

  return path_pop (path, &size);
}

void
link_path_flush (LinkPath *path, GstPad *srcpad)
{
  guint size = 0;
  gpointer item;
  gboolean is_rtp;

  if (path->link)
    ra_link_clear (path->link);
  while ((item = path_pop (path, &size))) {
    if (GST_IS_BUFFER (item)) {
      path->n.out--;
      path_flow (path, packet_flow (item, &is_rtp))->out--;
      path->n.bytes_out -= size;
      path->n.discarded++;
    } else if (GST_IS_EVENT (item) && GST_EVENT_IS_STICKY (item)
        && GST_EVENT_TYPE (item) != GST_EVENT_SEGMENT
        && GST_EVENT_TYPE (item) != GST_EVENT_EOS) {
      gst_pad_store_sticky_event (srcpad, item); /* as queue does */
    }
    gst_mini_object_unref (item);
  }
  gst_segment_init (&path->segment, GST_FORMAT_UNDEFINED);
}

void
link_path_close (LinkPath *path)
{
  g_clear_pointer (&path->link, ra_link_free);
}

void
link_path_push_buffer (
    LinkPath *path, GstBuffer *buffer, guint overhead, RaTime now)
{
  RaLinkPacket p = { .seq = path->next_seq++, .data = buffer };
  gboolean is_rtp;

  p.size = (guint) gst_buffer_get_size (buffer) + overhead;
  p.flow = packet_flow (buffer, &is_rtp);
  path_flow (path, p.flow)->in++;
  path->n.in++;
  path->n.bytes_in += p.size;
  ra_link_push (path->link, &p, now);
}

void
link_path_push_event (LinkPath *path, GstEvent *event)
{
  guint inside = ra_link_held (path->link);
  LinkEvent *e;

  if (inside == 0) {
    path_event_out (path, event);
    return;
  }
  e = g_new (LinkEvent, 1);
  *e = (LinkEvent){ event, path->next_seq, inside };
  g_queue_push_tail (&path->waiting, e);
}

/* Seconds in the queues of a chain. */
typedef struct
{
  gdouble before, here; /* of the models before; of this one, the longest */
  gchar model[32];      /* its name and number */
} Queues;

/* "MODEL.queue", or "each0.SSRC.queue" for each of a model's flows. */
static void
queues_add (const gchar *name, gdouble seconds, gpointer data)
{
  Queues *q = data;
  gsize n = MIN (strcspn (name, "."), sizeof q->model - 1);

  if (!g_str_has_suffix (name, ".queue"))
    return;
  if (strncmp (q->model, name, n) != 0 || q->model[n] != '\0') {
    q->before += q->here;
    q->here = 0;
    memcpy (q->model, name, n);
    q->model[n] = '\0';
  }
  q->here = MAX (q->here, seconds);
}

typedef struct
{
  guint ssrc;
  LinkFlow n;
} FlowStats;

const Field link_path_flow_fields[] = {
  { "ssrc", "", "of the stream; 0: what is not RTP", "RFC 3550 5.1",
      FIELD_UINT (FlowStats, ssrc) },
  { "in", "packets", "that entered the path", "path",
      FIELD_UINT64 (FlowStats, n.in) },
  { "out", "packets", "that left it", "path", FIELD_UINT64 (FlowStats, n.out) },
  { "congestion-losses", "packets", "that a queue or a policer dropped",
      "models", FIELD_UINT64 (FlowStats, n.congestion) },
  { "wireless-losses", "packets", "that a model of a radio dropped", "models",
      FIELD_UINT64 (FlowStats, n.wireless) },
  { NULL },
};

static void
flows_add (const LinkPath *path, GstStructure *stats)
{
  GValue array = G_VALUE_INIT;
  gpointer ssrc, counts;
  GHashTableIter i;

  gst_value_array_init (&array, g_hash_table_size (path->flows));
  g_hash_table_iter_init (&i, path->flows);
  while (g_hash_table_iter_next (&i, &ssrc, &counts))
    fields_append (&array, "application/x-rtpadaptlink-flow",
        link_path_flow_fields,
        &(FlowStats){ GPOINTER_TO_UINT (ssrc), *(const LinkFlow *) counts });
  gst_structure_take_value (stats, "flows", &array);
}

typedef struct
{
  LinkCounts n;
  guint64 held, queue, capacity;
} PathStats;

const Field link_path_fields[] = {
  { "in", "packets", "that entered the path", "path",
      FIELD_UINT64 (PathStats, n.in) },
  { "out", "packets", "that left it", "path", FIELD_UINT64 (PathStats, n.out) },
  { "congestion-losses", "packets", "that a queue or a policer dropped",
      "models", FIELD_UINT64 (PathStats, n.congestion) },
  { "wireless-losses", "packets", "that a model of a radio dropped", "models",
      FIELD_UINT64 (PathStats, n.wireless) },
  { "discarded", "packets", "that were inside at a flush or a stop", "path",
      FIELD_UINT64 (PathStats, n.discarded) },
  { "held", "packets", "that are inside now", "path",
      FIELD_UINT64 (PathStats, held) },
  { "bytes-in", "bytes", "that entered, with the property overhead", "path",
      FIELD_UINT64 (PathStats, n.bytes_in) },
  { "bytes-out", "bytes", "that left, likewise", "path",
      FIELD_UINT64 (PathStats, n.bytes_out) },
  { "queue", "ns",
      "that a packet entering now would wait, in the flow with the longest queue",
      "models", FIELD_UINT64 (PathStats, queue) },
  { "capacity", "bit/s", "of the narrowest model now; 0: none has a rate",
      "models", FIELD_UINT64 (PathStats, capacity) },
  { "flows", "", "an entry for each SSRC", "path",
      FIELD_LIST ("application/x-rtpadaptlink-flow") },
  { NULL },
};

GstStructure *
link_path_stats (const LinkPath *path, RaTime now)
{
  PathStats x = { .n = path->n };
  Queues queues = { 0 };
  GstStructure *stats;

  if (path->link) {
    ra_link_observe (path->link, queues_add, &queues);
    x.held = ra_link_held (path->link);
    if (now != RA_TIME_NONE)
      x.capacity = ra_link_capacity (path->link, now);
  }
  x.queue = (guint64) ra_span (queues.before + queues.here);
  stats = fields_new ("application/x-rtpadaptlink-stats", link_path_fields, &x);
  flows_add (path, stats);
  return stats;
}
