/* rtpadaptsrc: which of rtpbin's source pads feeds which of ours.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A source pad is for one payload type of one SSRC.  When another SSRC comes
 * with that payload type, it is either a second stream, which gets a pad of its
 * own, or the sender was started again, and it goes on on the same pad, so that
 * what is linked there goes on as well.  It is the second if the old SSRC said
 * BYE, or is silent for RESTARTED; the first as soon as the old one is heard
 * GRACE after the new.  Until then the new one's pad is blocked; nothing is
 * lost.  Who was silent and lost its place, and comes back when the packets that
 * were overtaken are long here, is decided about like a new one.
 */
#include "srcpriv.h"
#include "parts/systime.h"

#include <stdio.h>

#define GST_CAT_DEFAULT rtpadaptsrc_debug

/* No live encoder is silent for that long, its sound less so. */
#define RESTARTED RA_SECOND
/* Packets of the old one that the new one's overtook on their way. */
#define GRACE (100 * RA_MSECOND)

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

    if (stream->pt != p->pt || (p->home && p->home != stream))
      continue;
    silence = stream_silence (stream);
    if (stream->ssrc == p->ssrc || silence >= RESTARTED) {
      *again = stream;
      return DECIDE_AGAIN;
    }
    /* Not heard since: one that the new one may replace. */
    open |= silence + GRACE > ra_diff (system_now (), p->since);
  }
  return open ? DECIDE_LATER : DECIDE_SECOND;
}

static void
pending_free (SrcPending *p)
{
  gst_clear_object (&p->loser);
  gst_object_unref (p->pad);
  g_free (p);
}

/* The lock is held. */
static void
claim (SrcStream *stream, SrcPending *p)
{
  GstRtpAdaptSrc *self = stream->self;
  SrcPending *loser;

  if (stream->pad && stream->pad != p->pad) {
    p->loser = gst_object_ref (stream->pad);
    loser = g_new0 (SrcPending, 1);
    *loser = (SrcPending){ .pad = gst_object_ref (stream->pad),
      .ssrc = stream->ssrc,
      .pt = stream->pt,
      .home = stream,
      .since = system_now () };
    self->losers = g_list_prepend (self->losers, loser);
    g_atomic_int_inc (&self->n_losers);
  }
  stream->ssrc = p->ssrc;
  stream->pad = p->pad;
  stream->fec = 0;
}

static GList *
find_pad (GList *list, GstPad *pad)
{
  while (list && ((SrcPending *) list->data)->pad != pad)
    list = list->next;
  return list;
}

static GstPadProbeReturn
drop (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return GST_PAD_PROBE_DROP;
}

/* rtpjitterbuffer (1.22) stops for ever when it pushes to what is not linked, and
 * holds up rtpbin, which lets go of it, where that is blocked. */
static void
loser_mute (GstRtpAdaptSrc *self, GstPad *pad)
{
  gulong id = gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, drop, NULL,
      NULL);
  GList *l;

  g_mutex_lock (&self->lock);
  l = find_pad (self->losers, pad);
  if (l)
    ((SrcPending *) l->data)->block = id;
  g_mutex_unlock (&self->lock);
}

/* From the pad that was decided on last, whichever thread comes here last. */
static void
feed_current (SrcStream *stream)
{
  GstRtpAdaptSrc *self = stream->self;
  GstPad *pad;

  g_mutex_lock (&self->feeding);
  g_mutex_lock (&self->lock);
  pad = stream->pad ? gst_object_ref (stream->pad) : NULL;
  g_mutex_unlock (&self->lock);
  src_stream_feed (stream, pad);
  g_mutex_unlock (&self->feeding);
  gst_clear_object (&pad);
}

/* The lock is not held. */
static void
carry_out (GstRtpAdaptSrc *self, const SrcPending *p, SrcStream *again)
{
  if (p->loser)
    loser_mute (self, p->loser);
  if (again) {
    GST_INFO_OBJECT (self, "%s goes on with SSRC %08x",
        GST_PAD_NAME (again->ghost), p->ssrc);
    feed_current (again);
  } else {
    src_stream_show (self, p->ssrc, p->pt, p->pad);
  }
  if (p->block)
    gst_pad_remove_probe (p->pad, p->block);
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

/* One that lost its place goes on. */
static void
loser_heard (GstRtpAdaptSrc *self, guint32 ssrc, guint pt)
{
  g_mutex_lock (&self->lock);
  for (GList *l = self->losers; l; l = l->next) {
    SrcPending *p = l->data;

    if (p->ssrc != ssrc || p->pt != pt
        || ra_diff (system_now (), p->since) < RESTARTED)
      continue;
    p->since = system_now ();
    self->losers = g_list_delete_link (self->losers, l);
    g_atomic_int_add (&self->n_losers, -1);
    self->pending = g_list_prepend (self->pending, p);
    g_atomic_int_inc (&self->n_pending);
    break;
  }
  g_mutex_unlock (&self->lock);
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
  if (g_atomic_int_get (&self->n_losers) > 0)
    loser_heard (self, ssrc, pt);
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
    .pad = gst_object_ref (pad), .ssrc = ssrc, .pt = pt, .since = system_now ()
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

/* The lock is held.  What waited at that pad, or NULL. */
static SrcPending *
pending_take (GList **list, gint *n, GstPad *pad)
{
  GList *l = find_pad (*list, pad);
  SrcPending *p = l ? l->data : NULL;

  *list = g_list_delete_link (*list, l);
  g_atomic_int_add (n, l ? -1 : 0);
  return p;
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
  p = pending_take (&self->pending, &self->n_pending, pad);
  if (!p)
    p = pending_take (&self->losers, &self->n_losers, pad);
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
  pending = g_list_concat (
      g_steal_pointer (&self->pending), g_steal_pointer (&self->losers));
  g_atomic_int_set (&self->n_pending, 0);
  g_atomic_int_set (&self->n_losers, 0);
  g_mutex_unlock (&self->lock);
  for (GList *l = pending; l; l = l->next) {
    SrcPending *p = l->data;

    if (p->block)
      gst_pad_remove_probe (p->pad, p->block);
  }
  g_list_free_full (pending, (GDestroyNotify) pending_free);
  /* Whoever waits downstream, as in an application's probe, comes back. */
  for (guint i = 0; i < streams->len; i++)
    gst_pad_set_active (
        ((SrcStream *) g_ptr_array_index (streams, i))->ghost, FALSE);
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
    src_stream_remove (g_ptr_array_index (streams, i));
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
