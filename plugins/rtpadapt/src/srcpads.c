/* rtpadaptsrc: a source pad, and what is behind it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "srcpads.h"

#include "srcpayload.h"
#include "wire/binuri.h"

GST_DEBUG_CATEGORY_EXTERN (rtpadaptsrc_debug);
#define GST_CAT_DEFAULT rtpadaptsrc_debug

/* What is linked to a pad before it is fed, as gst-launch does, has to see of
 * which kind it is; rtpulpfecdec would say anything. */
static gboolean
stream_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstCaps *caps = g_object_get_data (G_OBJECT (pad), "caps");
  GstCaps *filter, *both;

  if (parent && bin_uri_query (GST_ELEMENT (parent), query))
    return TRUE;
  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS)
    return gst_pad_query_default (pad, parent, query);
  gst_query_parse_caps (query, &filter);
  both = filter
      ? gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST)
      : gst_caps_ref (caps);
  gst_query_set_caps_result (query, both);
  gst_caps_unref (both);
  return TRUE;
}

static gboolean
is_video (const GstCaps *caps)
{
  return caps
      && g_strcmp0 (gst_structure_get_string (
                        gst_caps_get_structure (caps, 0), "media"),
             "video")
      == 0;
}

void
src_stream_feed (SrcStream *stream, GstPad *pad)
{
  GstPad *sink, *old;

  if (!stream->fecdec) {
    gst_ghost_pad_set_target (GST_GHOST_PAD (stream->ghost), pad);
    return;
  }
  sink = gst_element_get_static_pad (stream->fecdec, "sink");
  old = gst_pad_get_peer (sink);
  if (old) {
    gst_pad_unlink (old, sink);
    gst_object_unref (old);
  }
  if (pad && gst_pad_link (pad, sink) != GST_PAD_LINK_OK)
    GST_ERROR_OBJECT (stream->ghost, "cannot link %" GST_PTR_FORMAT, pad);
  gst_object_unref (sink);
}

static void
add_fecdec (GstBin *bin, SrcStream *stream)
{
  GstPad *src;

  stream->fecdec = gst_element_factory_make ("rtpulpfecdec", NULL);
  if (!stream->fecdec)
    return;
  g_object_set (stream->fecdec, "pt", PT_FEC, NULL);
  gst_bin_add (bin, stream->fecdec);
  gst_element_sync_state_with_parent (stream->fecdec);
  src = gst_element_get_static_pad (stream->fecdec, "src");
  gst_ghost_pad_set_target (GST_GHOST_PAD (stream->ghost), src);
  gst_object_unref (src);
}

/* --- the application's branch ----------------------------------------------- */

/* What the application has linked to a pad of ours.  That pad owns it. */
typedef struct
{
  gint number; /* atomic: of the branch; another one has another */
  gint
      over; /* atomic: the number of the branch that gets nothing more, or -1 */
  gint
      dropped; /* atomic: packets, or frames of them, while nothing was linked */
  GstEvent *latency; /* under the pad's object lock: the last one, or NULL */
} Branch;

static void
branch_free (gpointer data)
{
  Branch *b = data;

  gst_clear_event (&b->latency);
  g_free (b);
}

/* rtpjitterbuffer (1.22) stops for ever when it pushes to what is not linked, so that an
 * application which links the pad later, or again, would get nothing. */
static GstPadProbeReturn
drop_unlinked (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Branch *b = data;

  if (!gst_pad_is_linked (pad)) {
    g_atomic_int_inc (&b->dropped);
    return GST_PAD_PROBE_DROP;
  }
  return g_atomic_int_get (&b->over) == g_atomic_int_get (&b->number)
      ? GST_PAD_PROBE_DROP
      : GST_PAD_PROBE_OK;
}

guint
src_stream_dropped (GstPad *ghost)
{
  Branch *b = g_object_get_data (G_OBJECT (ghost), "branch");

  return (guint) g_atomic_int_get (&b->dropped);
}

/* Its sinks say that once, unless the application has them do so again. */
static GstPadProbeReturn
note_latency (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

  if (GST_EVENT_TYPE (event) == GST_EVENT_LATENCY) {
    GST_OBJECT_LOCK (pad);
    gst_event_replace (&((Branch *) data)->latency, event);
    GST_OBJECT_UNLOCK (pad);
  }
  return GST_PAD_PROBE_OK;
}

void
src_stream_say_latency (SrcStream *stream)
{
  GstPad *ghost = stream->ghost;
  Branch *b = g_object_get_data (G_OBJECT (ghost), "branch");
  GstPad *inner;
  GstEvent *event;

  GST_OBJECT_LOCK (ghost);
  event = b->latency ? gst_event_ref (b->latency) : NULL;
  GST_OBJECT_UNLOCK (ghost);
  if (!event)
    return;
  inner = GST_PAD (gst_proxy_pad_get_internal (GST_PROXY_PAD (ghost)));
  gst_pad_push_event (inner, event);
  gst_object_unref (inner);
}

static void
branch_unlinked (GstPad *ghost, GstPad *peer, gpointer data)
{
  g_atomic_int_inc (&((Branch *) data)->number);
}

/* A branch that wants no more gets the event that a source sends then, so that its sink
 * comes to the end.  It does not stay with `ghost`, for the next branch. */
static void
branch_end (Branch *b, gint number, GstPad *ghost)
{
  GstPad *peer = gst_pad_get_peer (ghost);

  if (peer && g_atomic_int_get (&b->number) == number)
    gst_pad_send_event (peer, gst_event_new_eos ());
  gst_clear_object (&peer);
}

/* With GST_FLOW_ERROR the branch has posted an error.  For what else is wrong that is the
 * task of the source, and so of this element. */
static void
branch_fail (GstPad *ghost, GstFlowReturn flow)
{
  GstElement *bin = gst_pad_get_parent_element (ghost);

  if (flow != GST_FLOW_ERROR && bin)
    GST_ELEMENT_ERROR (bin, STREAM, FAILED,
        ("What is linked to %s refuses the packets: %s.", GST_PAD_NAME (ghost),
            gst_flow_get_name (flow)),
        ("the other streams go on"));
  gst_clear_object (&bin);
}

/* Passes up what `ghost` itself returns.  What its branch returns would end all other
 * streams, RTCP and the feedback, so it goes no further.  `number`: before the push; of
 * a branch that the application has taken away meanwhile nothing is said. */
static GstFlowReturn
branch_flow (Branch *b, gint number, GstPad *ghost, GstFlowReturn flow)
{
  gboolean own;

  if (flow >= GST_FLOW_OK)
    return flow;
  GST_OBJECT_LOCK (ghost);
  own = GST_PAD_IS_FLUSHING (ghost) || GST_PAD_IS_EOS (ghost);
  GST_OBJECT_UNLOCK (ghost);
  if (own)
    return flow;
  if (flow <= GST_FLOW_EOS && g_atomic_int_get (&b->number) == number
      && g_atomic_int_get (&b->over) != number) {
    g_atomic_int_set (&b->over, number);
    if (flow == GST_FLOW_EOS)
      branch_end (b, number, ghost);
    else
      branch_fail (ghost, flow);
  }
  return GST_FLOW_OK;
}

static GstFlowReturn
inner_chain (GstPad *inner, GstObject *ghost, GstBuffer *buffer)
{
  Branch *b = gst_pad_get_element_private (inner);
  gint number = g_atomic_int_get (&b->number);

  return branch_flow (b, number, GST_PAD (ghost),
      gst_proxy_pad_chain_default (inner, ghost, buffer));
}

static GstFlowReturn
inner_chain_list (GstPad *inner, GstObject *ghost, GstBufferList *list)
{
  Branch *b = gst_pad_get_element_private (inner);
  gint number = g_atomic_int_get (&b->number);

  return branch_flow (b, number, GST_PAD (ghost),
      gst_proxy_pad_chain_list_default (inner, ghost, list));
}

/* From now on what the application links to `ghost` cannot stop what feeds it. */
static void
branch_watch (GstPad *ghost)
{
  GstPad *inner = GST_PAD (gst_proxy_pad_get_internal (GST_PROXY_PAD (ghost)));
  Branch *b = g_new0 (Branch, 1);

  b->over = -1;
  g_object_set_data_full (G_OBJECT (ghost), "branch", b, branch_free);
  gst_pad_add_probe (ghost,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, drop_unlinked,
      b, NULL);
  gst_pad_add_probe (
      ghost, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, note_latency, b, NULL);
  g_signal_connect (ghost, "unlinked", G_CALLBACK (branch_unlinked), b);
  gst_pad_set_element_private (inner, b);
  gst_pad_set_chain_function (inner, inner_chain);
  gst_pad_set_chain_list_function (inner, inner_chain_list);
  gst_object_unref (inner);
}

/* --- a stream ----------------------------------------------------------------- */

static gboolean
copy_sticky (GstPad *pad, GstEvent **event, gpointer ghost)
{
  gst_pad_store_sticky_event (ghost, *event);
  return TRUE;
}

SrcStream *
src_stream_new (GstBin *bin, const gchar *name, GstCaps *caps,
    const SrcPending *from, gboolean fec)
{
  GstPadTemplate *template = gst_element_class_get_pad_template (
      GST_ELEMENT_GET_CLASS (bin), "src_%u");
  SrcStream *stream = g_new0 (SrcStream, 1);

  *stream = (SrcStream){ .ssrc = from->ssrc, .pt = from->pt, .pad = from->pad };
  stream->ghost = gst_object_ref_sink (
      gst_ghost_pad_new_no_target_from_template (name, template));
  /* The application may keep the pad longer than we do. */
  g_object_set_data_full (G_OBJECT (stream->ghost), "caps", gst_caps_ref (caps),
      (GDestroyNotify) gst_caps_unref);
  gst_pad_set_query_function (stream->ghost, stream_query);
  branch_watch (stream->ghost);
  gst_pad_set_active (stream->ghost, TRUE);
  if (fec && is_video (caps))
    add_fecdec (bin, stream);
  src_stream_feed (stream, from->pad);
  gst_pad_sticky_events_foreach (from->pad, copy_sticky, stream->ghost);
  return stream;
}

void
src_stream_remove (GstBin *bin, SrcStream *stream)
{
  gst_pad_set_active (stream->ghost, FALSE);
  gst_element_remove_pad (GST_ELEMENT (bin), stream->ghost);
  gst_ghost_pad_set_target (GST_GHOST_PAD (stream->ghost), NULL);
  if (stream->fecdec) {
    gst_element_set_state (stream->fecdec, GST_STATE_NULL);
    gst_bin_remove (bin, stream->fecdec);
  }
  gst_object_unref (stream->ghost);
  src_stream_free (stream);
}
