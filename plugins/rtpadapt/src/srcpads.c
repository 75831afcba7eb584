/* rtpadaptsrc: a source pad, and what is behind it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "srcpads.h"

#include "srcpayload.h"

GST_DEBUG_CATEGORY_EXTERN (rtpadaptsrc_debug);
#define GST_CAT_DEFAULT rtpadaptsrc_debug

/* What is linked to a pad before it is fed, as gst-launch does, has to see of
 * which kind it is; rtpulpfecdec would say anything. */
static gboolean
stream_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstCaps *caps = g_object_get_data (G_OBJECT (pad), "caps");
  GstCaps *filter, *both;

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

static gboolean
copy_sticky (GstPad *pad, GstEvent **event, gpointer ghost)
{
  gst_pad_store_sticky_event (ghost, *event);
  return TRUE;
}

/* rtpjitterbuffer (1.22) stops for ever when it pushes to what is not linked, so that an
 * application which links the pad later, or again, would get nothing. */
static GstPadProbeReturn
drop_unlinked (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return gst_pad_is_linked (pad) ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
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
  gst_pad_add_probe (stream->ghost,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, drop_unlinked,
      NULL, NULL);
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
  g_free (stream);
}
