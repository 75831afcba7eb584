/* rtpadaptsrc: from rtpbin's source pads to ours.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A source pad is for one payload type of one SSRC.  When another SSRC comes
 * with that payload type, it is either a second stream, which gets a pad of its
 * own, or the sender was started again, and it goes on on the same pad, so that
 * what is linked there goes on as well.  It is the second if the old SSRC said
 * BYE, or is silent for RESTARTED; the first as soon as the old one is heard
 * GRACE after the new.  Until then the new one's pad is blocked; nothing is
 * lost.
 */
#include "srcpriv.h"

#include <stdio.h>

#define GST_CAT_DEFAULT rtpadaptsrc_debug

/* No live encoder is silent for that long, its sound less so. */
#define RESTARTED RA_SECOND
/* Packets of the old one that the new one's overtook on their way. */
#define GRACE (100 * RA_MSECOND)

static RaTime
now (void)
{
  return (RaTime) g_get_monotonic_time () * RA_USECOND;
}

/* --- pads --------------------------------------------------------------- */

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
is_video (GstRtpAdaptSrc *self, guint pt)
{
  const GstCaps *caps = self->payloads.caps[pt];

  return caps
      && g_strcmp0 (gst_structure_get_string (
                        gst_caps_get_structure (caps, 0), "media"),
             "video")
      == 0;
}

/* Feeds the stream from a pad of rtpbin. */
static void
stream_feed (SrcStream *stream, GstPad *pad)
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
    GST_ERROR_OBJECT (stream->self, "cannot link %" GST_PTR_FORMAT, pad);
  gst_object_unref (sink);
}

static void
add_fecdec (SrcStream *stream)
{
  GstRtpAdaptSrc *self = stream->self;
  GstPad *src;

  stream->fecdec = gst_element_factory_make ("rtpulpfecdec", NULL);
  if (!stream->fecdec)
    return;
  g_object_set (stream->fecdec, "pt", SRC_FEC_PT, NULL);
  gst_bin_add (GST_BIN (self), stream->fecdec);
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

static SrcStream *
stream_new (GstRtpAdaptSrc *self, guint32 ssrc, guint pt, GstPad *pad)
{
  GstPadTemplate *template = gst_element_class_get_pad_template (
      GST_ELEMENT_GET_CLASS (self), "src_%u");
  SrcStream *stream = g_new0 (SrcStream, 1);
  g_autofree gchar *name = NULL;

  g_mutex_lock (&self->lock);
  name = g_strdup_printf ("src_%u", self->next_name++);
  g_mutex_unlock (&self->lock);
  *stream = (SrcStream){ .self = self, .ssrc = ssrc, .pt = pt, .pad = pad };
  stream->ghost = gst_object_ref_sink (
      gst_ghost_pad_new_no_target_from_template (name, template));
  /* The application may keep the pad longer than we do. */
  g_object_set_data_full (G_OBJECT (stream->ghost), "caps",
      gst_caps_ref (self->payloads.caps[pt]), (GDestroyNotify) gst_caps_unref);
  gst_pad_set_query_function (stream->ghost, stream_query);
  return stream;
}

/* A pad of ours for a pad of rtpbin. */
static void
stream_show (GstRtpAdaptSrc *self, guint32 ssrc, guint pt, GstPad *pad)
{
  SrcStream *stream = stream_new (self, ssrc, pt, pad);
  gboolean fec;

  GST_OBJECT_LOCK (self);
  fec = self->cfg.fec;
  GST_OBJECT_UNLOCK (self);
  gst_pad_set_active (stream->ghost, TRUE);
  if (fec && is_video (self, pt))
    add_fecdec (stream);
  stream_feed (stream, pad);
  gst_pad_sticky_events_foreach (pad, copy_sticky, stream->ghost);

  g_mutex_lock (&self->lock);
  g_ptr_array_add (self->streams, stream);
  g_mutex_unlock (&self->lock);
  GST_INFO_OBJECT (self, "%s: SSRC %08x, payload type %u",
      GST_PAD_NAME (stream->ghost), ssrc, pt);
  gst_element_add_pad (GST_ELEMENT (self), stream->ghost);
}

/* --- which stream ------------------------------------------------------- */

/* Since when nothing came; RESTARTED or more: it is over. */
static RaSpan
stream_silence (const SrcStream *stream)
{
  RaSpan silence = RA_SPAN_NONE;

  if (stream->pad)
    silence = src_gate_silence (stream->self->gate, stream->ssrc);
  return silence == RA_SPAN_NONE ? RESTARTED : silence;
}

typedef enum
{
  DECIDE_LATER,
  DECIDE_SECOND,
  DECIDE_AGAIN /* on `stream` */
} Decision;

/* The lock is held. */
static Decision
decide (GstRtpAdaptSrc *self, const SrcPending *p, SrcStream **again)
{
  gboolean open = FALSE;

  *again = NULL;
  for (guint i = 0; i < self->streams->len; i++) {
    SrcStream *stream = g_ptr_array_index (self->streams, i);
    RaSpan silence;

    if (stream->pt != p->pt)
      continue;
    silence = stream_silence (stream);
    if (stream->ssrc == p->ssrc || silence >= RESTARTED) {
      *again = stream;
      return DECIDE_AGAIN;
    }
    /* Not heard since: one that the new one may replace. */
    open |= silence + GRACE > ra_diff (now (), p->since);
  }
  return open ? DECIDE_LATER : DECIDE_SECOND;
}

/* Does what was decided; the lock is not held. */
static void
carry_out (GstRtpAdaptSrc *self, const SrcPending *p, SrcStream *again)
{
  if (again) {
    GST_INFO_OBJECT (self, "%s goes on with SSRC %08x",
        GST_PAD_NAME (again->ghost), p->ssrc);
    stream_feed (again, p->pad);
  } else {
    stream_show (self, p->ssrc, p->pt, p->pad);
  }
  if (p->block)
    gst_pad_remove_probe (p->pad, p->block);
}

static void
pending_free (SrcPending *p)
{
  gst_object_unref (p->pad);
  g_free (p);
}

/* The lock is held. */
static void
claim (SrcStream *stream, const SrcPending *p)
{
  stream->ssrc = p->ssrc;
  stream->pad = p->pad;
  stream->fec = 0;
}

static void
decide_pending (GstRtpAdaptSrc *self)
{
  SrcPending *p = NULL;
  SrcStream *again = NULL;

  do {
    g_clear_pointer (&p, pending_free);
    g_mutex_lock (&self->lock);
    for (GList *l = self->pending; l && !p; l = l->next) {
      Decision decision = decide (self, l->data, &again);

      if (decision == DECIDE_LATER)
        continue;
      p = l->data;
      self->pending = g_list_delete_link (self->pending, l);
      g_atomic_int_add (&self->n_pending, -1);
      if (again)
        claim (again, p);
      break;
    }
    g_mutex_unlock (&self->lock);
    if (p)
      carry_out (self, p, again);
  } while (p);
}

static void
map_retransmission (GstRtpAdaptSrc *self, guint pt)
{
  GstElement *rtx = NULL;
  GstStructure *map;
  gchar name[8];

  g_mutex_lock (&self->lock);
  if (self->rtxreceive && !self->rtx_mapped && is_video (self, pt)
      && pt != SRC_FEC_PT && pt != SRC_RTX_PT) {
    self->rtx_mapped = TRUE;
    rtx = gst_object_ref (self->rtxreceive);
  }
  g_mutex_unlock (&self->lock);
  if (!rtx)
    return;
  g_snprintf (name, sizeof name, "%u", pt);
  map = gst_structure_new (
      "application/x-rtp-pt-map", name, G_TYPE_UINT, SRC_RTX_PT, NULL);
  g_object_set (rtx, "payload-type-map", map, NULL);
  gst_structure_free (map);
  gst_object_unref (rtx);
}

void
src_streams_heard (gpointer data, guint32 ssrc, guint pt)
{
  GstRtpAdaptSrc *self = data;

  if (pt == SRC_FEC_PT) {
    g_mutex_lock (&self->lock);
    for (guint i = 0; i < self->streams->len; i++) {
      SrcStream *stream = g_ptr_array_index (self->streams, i);

      stream->fec += stream->ssrc == ssrc;
    }
    g_mutex_unlock (&self->lock);
  }
  if (self->rtxreceive && !self->rtx_mapped)
    map_retransmission (self, pt);
  if (g_atomic_int_get (&self->n_pending) > 0)
    decide_pending (self);
}

/* --- rtpbin's signals --------------------------------------------------- */

static GstPadProbeReturn
hold (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return GST_PAD_PROBE_OK;
}

static gboolean
pad_parse (GstPad *pad, guint32 *ssrc, guint *pt)
{
  return sscanf (GST_PAD_NAME (pad), "recv_rtp_src_0_%u_%u", ssrc, pt) == 2;
}

static void
pad_added (GstElement *rtpbin, GstPad *pad, gpointer data)
{
  GstRtpAdaptSrc *self = data;
  SrcPending *p;
  SrcStream *again = NULL;
  Decision decision;
  guint32 ssrc;
  guint pt;

  if (!pad_parse (pad, &ssrc, &pt))
    return;
  p = g_new0 (SrcPending, 1);
  *p = (SrcPending){
    .pad = gst_object_ref (pad), .ssrc = ssrc, .pt = pt, .since = now ()
  };
  g_mutex_lock (&self->lock);
  decision = decide (self, p, &again);
  if (again)
    claim (again, p);
  g_mutex_unlock (&self->lock);
  if (decision != DECIDE_LATER) {
    carry_out (self, p, again);
    pending_free (p);
    return;
  }
  GST_INFO_OBJECT (self, "SSRC %08x may be a second stream", ssrc);
  p->block = gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, hold, NULL, NULL);
  g_mutex_lock (&self->lock);
  self->pending = g_list_append (self->pending, p);
  g_atomic_int_add (&self->n_pending, 1);
  g_mutex_unlock (&self->lock);
}

/* The lock is held.  What waited at that pad, taken out of the list, or NULL. */
static SrcPending *
pending_take (GstRtpAdaptSrc *self, GstPad *pad)
{
  for (GList *l = self->pending; l; l = l->next) {
    SrcPending *p = l->data;

    if (p->pad != pad)
      continue;
    self->pending = g_list_delete_link (self->pending, l);
    g_atomic_int_add (&self->n_pending, -1);
    return p;
  }
  return NULL;
}

static void
pad_removed (GstElement *rtpbin, GstPad *pad, gpointer data)
{
  GstRtpAdaptSrc *self = data;
  guint32 ssrc;
  SrcPending *p;
  guint pt;

  if (!pad_parse (pad, &ssrc, &pt))
    return;
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->streams->len; i++) {
    SrcStream *stream = g_ptr_array_index (self->streams, i);

    if (stream->pad == pad)
      stream->pad = NULL;
  }
  p = pending_take (self, pad);
  g_hash_table_remove (self->jitterbuffers, GUINT_TO_POINTER (ssrc));
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&p, pending_free);
}

/* --- states ------------------------------------------------------------- */

void
src_streams_stop (GstRtpAdaptSrc *self)
{
  g_autoptr (GPtrArray) streams = NULL;
  GList *pending;

  g_mutex_lock (&self->lock);
  streams = g_ptr_array_copy (self->streams, NULL, NULL);
  pending = g_steal_pointer (&self->pending);
  g_atomic_int_set (&self->n_pending, 0);
  g_mutex_unlock (&self->lock);
  for (GList *l = pending; l; l = l->next) {
    SrcPending *p = l->data;

    gst_pad_remove_probe (p->pad, p->block);
  }
  g_list_free_full (pending, (GDestroyNotify) pending_free);
  /* Whoever waits downstream, as in an application's probe, comes back. */
  for (guint i = 0; i < streams->len; i++)
    gst_pad_set_active (
        ((SrcStream *) g_ptr_array_index (streams, i))->ghost, FALSE);
}

static void
stream_remove (SrcStream *stream)
{
  GstRtpAdaptSrc *self = stream->self;

  gst_pad_set_active (stream->ghost, FALSE);
  gst_element_remove_pad (GST_ELEMENT (self), stream->ghost);
  gst_ghost_pad_set_target (GST_GHOST_PAD (stream->ghost), NULL);
  if (stream->fecdec) {
    gst_element_set_state (stream->fecdec, GST_STATE_NULL);
    gst_bin_remove (GST_BIN (self), stream->fecdec);
  }
  gst_object_unref (stream->ghost);
  g_free (stream);
}

void
src_streams_clear (GstRtpAdaptSrc *self)
{
  GPtrArray *streams;

  g_mutex_lock (&self->lock);
  streams = self->streams;
  self->streams = g_ptr_array_new ();
  self->next_name = 0;
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < streams->len; i++)
    stream_remove (g_ptr_array_index (streams, i));
  g_ptr_array_free (streams, TRUE);
}

void
src_streams_init (GstRtpAdaptSrc *self)
{
  self->streams = g_ptr_array_new ();
  if (!self->rtpbin)
    return;
  g_signal_connect (self->rtpbin, "pad-added", G_CALLBACK (pad_added), self);
  g_signal_connect (
      self->rtpbin, "pad-removed", G_CALLBACK (pad_removed), self);
}
