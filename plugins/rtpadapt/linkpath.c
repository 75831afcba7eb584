/* The path inside rtpadaptlink.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "linkpath.h"

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

/* Packet `seq` is no longer inside: who waited for it? */
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

static void
path_deliver (const RaLinkPacket *p, RaTime now, gpointer data)
{
  LinkPath *path = data;
  GstBuffer *buffer = gst_buffer_make_writable (GST_BUFFER_CAST (p->data));

  path->n.out++;
  path->n.bytes_out += p->size;
  GST_BUFFER_DTS (buffer) = path_arrival (path, now);
  g_queue_push_tail (&path->out, buffer);
  path_left (path, p->seq);
}

/* FALSE if it is not RTP (RFC 3550 5.1), or is RTCP (RFC 5761 4). */
static gboolean
rtp_parse (GstBuffer *buffer, guint *ssrc, guint *seqnum)
{
  guint8 h[12];

  if (gst_buffer_extract (buffer, 0, h, sizeof h) < sizeof h || h[0] >> 6 != 2
      || (h[1] >= 192 && h[1] <= 223))
    return FALSE;
  *seqnum = GST_READ_UINT16_BE (h + 2);
  *ssrc = GST_READ_UINT32_BE (h + 8);
  return TRUE;
}

/* The truth, upstream and perhaps on the bus. */
static void
path_tell (LinkPath *path, GstStructure *loss, const gchar *node)
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
  guint ssrc, seqnum;

  GST_LOG_OBJECT (path->owner, "%s drops %" GST_PTR_FORMAT, node, p->data);
  if (cause == RA_CAUSE_CONGESTION)
    path->n.congestion++;
  else
    path->n.wireless++;
  if (rtp_parse (p->data, &ssrc, &seqnum))
    path_tell (path,
        gst_structure_new ("RTPAdaptLoss", "ssrc", G_TYPE_UINT, ssrc, "seqnum",
            G_TYPE_UINT, seqnum, "cause", G_TYPE_STRING, ra_cause_nick (cause),
            "time", G_TYPE_UINT64, now, NULL),
        node);
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

void
link_path_flush (LinkPath *path, GstPad *srcpad, guint overhead)
{
  gpointer item;

  if (path->link)
    ra_link_clear (path->link);
  while ((item = g_queue_pop_head (&path->out))) {
    if (GST_IS_BUFFER (item)) {
      path->n.out--;
      path->n.bytes_out -= gst_buffer_get_size (item) + overhead;
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

  p.size = (guint) gst_buffer_get_size (buffer) + overhead;
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

static void
sum_queues (const gchar *name, gdouble value, gpointer seconds)
{
  if (g_str_has_suffix (name, ".queue"))
    *(gdouble *) seconds += value;
}

GstStructure *
link_path_stats (const LinkPath *path, RaTime now)
{
  const LinkCounts *n = &path->n;
  gdouble queue = 0;
  guint64 held = 0, capacity = 0;

  if (path->link) {
    ra_link_observe (path->link, sum_queues, &queue);
    held = ra_link_held (path->link);
    if (now != RA_TIME_NONE)
      capacity = ra_link_capacity (path->link, now);
  }
  return gst_structure_new ("application/x-rtpadaptlink-stats", "in",
      G_TYPE_UINT64, n->in, "out", G_TYPE_UINT64, n->out, "congestion-losses",
      G_TYPE_UINT64, n->congestion, "wireless-losses", G_TYPE_UINT64,
      n->wireless, "discarded", G_TYPE_UINT64, n->discarded, "held",
      G_TYPE_UINT64, held, "bytes-in", G_TYPE_UINT64, n->bytes_in, "bytes-out",
      G_TYPE_UINT64, n->bytes_out, "queue", G_TYPE_UINT64,
      (guint64) ra_span (queue), "capacity", G_TYPE_UINT64, capacity, NULL);
}
