/* rtpadaptsrc: which of rtpbin's source pads feeds which of ours.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "srcstreams.h"

void
src_pending_free (SrcPending *p)
{
  gst_clear_object (&p->loser);
  gst_object_unref (p->pad);
  g_free (p);
}

static SrcPending *
pending_new (GstPad *pad, guint32 ssrc, guint pt, RaTime now)
{
  SrcPending *p = g_new0 (SrcPending, 1);

  *p = (SrcPending){
    .pad = gst_object_ref (pad), .ssrc = ssrc, .pt = pt, .since = now
  };
  return p;
}

void
src_stream_free (SrcStream *stream)
{
  g_slist_free (stream->feeders);
  g_free (stream);
}

void
src_stream_decoded (const SrcStream *stream, SrcCounts *counts)
{
  guint recovered, unrecovered;

  if (!stream->fecdec)
    return;
  g_object_get (stream->fecdec, "recovered", &recovered, "unrecovered",
      &unrecovered, NULL);
  counts->recovered += recovered;
  counts->unrecovered += unrecovered;
}

static void
stream_feed (SrcStream *stream, guint32 ssrc)
{
  gpointer feeder = GUINT_TO_POINTER (ssrc);

  if (!g_slist_find (stream->feeders, feeder))
    stream->feeders = g_slist_prepend (stream->feeders, feeder);
}

/* An SSRC that is over. */
typedef struct
{
  guint32 ssrc;
  gboolean taken; /* a thread has it */
} Leaver;

/* --- deciding ----------------------------------------------------------- */

RaSpan
src_streams_silence (const SrcStreams *s, const SrcStream *stream)
{
  return stream->pad
      ? s->silence (s->silence_data, stream->ssrc, (gint) stream->pt)
      : RA_SPAN_NONE;
}

/* The same of its SSRC; SRC_RESTARTED or more: it is over. */
static RaSpan
stream_silence (const SrcStreams *s, const SrcStream *stream)
{
  RaSpan silence = stream->pad ? s->silence (s->silence_data, stream->ssrc, -1)
                               : RA_SPAN_NONE;

  return silence == RA_SPAN_NONE ? SRC_RESTARTED : silence;
}

/* A pad with the payload type is being decided about, or shown; a new one has no stream until
 * src_streams_add(). */
static gboolean
pt_has_job (const SrcStreams *s, guint pt)
{
  GList *l = s->jobs;

  while (l && ((SrcPending *) l->data)->pt != pt)
    l = l->next;
  return l != NULL;
}

static SrcDecision
decide (SrcStreams *s, const SrcPending *p, RaTime now, SrcStream **again)
{
  gboolean open = ra_diff (now, p->since) < SRC_GRACE && pt_has_job (s, p->pt);

  *again = NULL;
  for (guint i = 0; i < s->streams->len; i++) {
    SrcStream *stream = g_ptr_array_index (s->streams, i);
    RaSpan silence;

    if (stream->pt != p->pt || (p->home && p->home != stream))
      continue;
    silence = stream_silence (s, stream);
    if (stream->ssrc == p->ssrc || silence >= SRC_RESTARTED) {
      *again = stream;
      return SRC_STREAMS_AGAIN;
    }
    /* Not heard since: one that the new one may replace. */
    open |= silence + SRC_GRACE > ra_diff (now, p->since);
  }
  return open ? SRC_STREAMS_LATER : SRC_STREAMS_SHOW;
}

static Leaver *
leaver_at (const SrcStreams *s, guint i)
{
  return &g_array_index (s->leaving, Leaver, i);
}

/* Its place, or the length of the list. */
static guint
leaver_find (const SrcStreams *s, guint32 ssrc)
{
  guint i = 0;

  while (i < s->leaving->len && leaver_at (s, i)->ssrc != ssrc)
    i++;
  return i;
}

static gboolean
is_ignored (const SrcStreams *s, guint32 ssrc)
{
  return s->stopped || leaver_find (s, ssrc) < s->leaving->len;
}

/* `p` takes the place of what fed the stream. */
static void
claim (SrcStreams *s, SrcStream *stream, SrcPending *p, RaTime now)
{
  SrcPending *loser;

  if (stream->pad && stream->pad != p->pad) {
    p->loser = gst_object_ref (stream->pad);
    loser = pending_new (stream->pad, stream->ssrc, stream->pt, now);
    loser->home = stream;
    s->losers = g_list_prepend (s->losers, loser);
    g_atomic_int_inc (&s->n_losers);
  }
  stream->ssrc = p->ssrc;
  stream->pad = p->pad;
  stream_feed (stream, p->ssrc);
}

SrcStreamsJob
src_streams_on_pad (
    SrcStreams *s, GstPad *pad, guint32 ssrc, guint pt, RaTime now)
{
  SrcStreamsJob job
      = { SRC_STREAMS_IGNORE, pending_new (pad, ssrc, pt, now), NULL };

  if (is_ignored (s, ssrc))
    return job;
  job.what = decide (s, job.p, now, &job.again);
  if (job.again)
    claim (s, job.again, job.p, now);
  s->jobs = g_list_prepend (s->jobs, job.p);
  return job;
}

void
src_streams_done (SrcStreams *s, SrcPending *p)
{
  s->jobs = g_list_remove (s->jobs, p);
}

gboolean
src_streams_wait (SrcStreams *s, SrcPending *p)
{
  if (is_ignored (s, p->ssrc))
    return FALSE;
  src_streams_done (s, p);
  s->pending = g_list_append (s->pending, p);
  g_atomic_int_inc (&s->n_pending);
  return TRUE;
}

gboolean
src_streams_next (SrcStreams *s, RaTime now, SrcStreamsJob *job)
{
  for (GList *l = s->pending; l; l = l->next) {
    job->what = decide (s, l->data, now, &job->again);
    if (job->what == SRC_STREAMS_LATER)
      continue;
    job->p = l->data;
    s->pending = g_list_delete_link (s->pending, l);
    g_atomic_int_add (&s->n_pending, -1);
    if (job->again)
      claim (s, job->again, job->p, now);
    s->jobs = g_list_prepend (s->jobs, job->p);
    return TRUE;
  }
  return FALSE;
}

/* --- what is heard ------------------------------------------------------- */

static void
count_fec (SrcStreams *s, guint32 ssrc)
{
  for (guint i = 0; i < s->streams->len; i++) {
    SrcStream *stream = g_ptr_array_index (s->streams, i);

    stream->fec += stream->ssrc == ssrc;
  }
}

void
src_streams_on_packet (
    SrcStreams *s, guint32 ssrc, guint pt, gboolean fec, RaTime now)
{
  if (fec)
    count_fec (s, ssrc);
  if (is_ignored (s, ssrc))
    return;
  /* One that lost its place goes on. */
  for (GList *l = s->losers; l; l = l->next) {
    SrcPending *p = l->data;

    if (p->ssrc != ssrc || p->pt != pt
        || ra_diff (now, p->since) < SRC_RESTARTED)
      continue;
    p->since = now;
    s->losers = g_list_delete_link (s->losers, l);
    g_atomic_int_add (&s->n_losers, -1);
    s->pending = g_list_prepend (s->pending, p);
    g_atomic_int_inc (&s->n_pending);
    break;
  }
}

/* --- pads --------------------------------------------------------------- */

static GList *
find_pad (GList *list, GstPad *pad)
{
  while (list && ((SrcPending *) list->data)->pad != pad)
    list = list->next;
  return list;
}

gboolean
src_streams_muted (SrcStreams *s, GstPad *pad, gulong probe)
{
  GList *lists[] = { s->losers, s->pending, s->jobs };

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++) {
    GList *l = find_pad (lists[i], pad);
    SrcPending *p = l ? l->data : NULL;

    if (!p || p->block)
      continue;
    p->block = probe;
    return TRUE;
  }
  return FALSE;
}

static SrcPending *
pending_take (GList **list, gint *n, GstPad *pad)
{
  GList *l = find_pad (*list, pad);
  SrcPending *p = l ? l->data : NULL;

  *list = g_list_delete_link (*list, l);
  g_atomic_int_add (n, l ? -1 : 0);
  return p;
}

SrcPending *
src_streams_forget (SrcStreams *s, GstPad *pad)
{
  SrcPending *p;

  for (guint i = 0; i < s->streams->len; i++) {
    SrcStream *stream = g_ptr_array_index (s->streams, i);

    if (stream->pad == pad)
      stream->pad = NULL;
  }
  p = pending_take (&s->pending, &s->n_pending, pad);
  return p ? p : pending_take (&s->losers, &s->n_losers, pad);
}

static GList *
ssrc_take (GList **list, gint *n, guint32 ssrc)
{
  GList *taken = NULL, *next;

  for (GList *l = *list; l; l = next) {
    SrcPending *p = l->data;

    next = l->next;
    if (p->ssrc != ssrc)
      continue;
    *list = g_list_delete_link (*list, l);
    g_atomic_int_add (n, -1);
    taken = g_list_prepend (taken, p);
  }
  return taken;
}

gboolean
src_streams_leave (SrcStreams *s, guint32 ssrc, GList **waited)
{
  const Leaver leaver = { ssrc, TRUE };

  if (leaver_find (s, ssrc) < s->leaving->len)
    return FALSE;
  g_array_append_val (s->leaving, leaver);
  g_atomic_int_inc (&s->n_leaving);
  *waited = g_list_concat (ssrc_take (&s->pending, &s->n_pending, ssrc),
      ssrc_take (&s->losers, &s->n_losers, ssrc));
  return TRUE;
}

static gboolean
has_job (const SrcStreams *s, guint32 ssrc)
{
  GList *l = s->jobs;

  while (l && ((SrcPending *) l->data)->ssrc != ssrc)
    l = l->next;
  return l != NULL;
}

gboolean
src_streams_next_leaver (SrcStreams *s, guint *at, guint32 *ssrc)
{
  while (*at < s->leaving->len) {
    Leaver *leaver = leaver_at (s, (*at)++);

    if (leaver->taken || has_job (s, leaver->ssrc))
      continue;
    leaver->taken = TRUE;
    *ssrc = leaver->ssrc;
    return TRUE;
  }
  return FALSE;
}

void
src_streams_leaver_done (SrcStreams *s, guint32 ssrc, gboolean gone)
{
  guint i = leaver_find (s, ssrc);

  if (gone) {
    g_array_remove_index (s->leaving, i);
    g_atomic_int_add (&s->n_leaving, -1);
  } else {
    leaver_at (s, i)->taken = FALSE;
  }
}

void
src_streams_on_gone (SrcStreams *s, guint32 ssrc, const SrcCounts *counts)
{
  gpointer feeder = GUINT_TO_POINTER (ssrc);
  gboolean any = FALSE;

  for (guint i = 0; i < s->streams->len; i++) {
    SrcStream *stream = g_ptr_array_index (s->streams, i);

    if (!g_slist_find (stream->feeders, feeder))
      continue;
    stream->feeders = g_slist_remove (stream->feeders, feeder);
    src_counts_add (&stream->before, counts);
    any = TRUE;
  }
  if (any)
    src_counts_add (&s->before, counts);
}

GPtrArray *
src_streams_unfed (const SrcStreams *s)
{
  GPtrArray *pads = g_ptr_array_new_with_free_func (gst_object_unref);

  for (guint i = 0; i < s->streams->len; i++) {
    const SrcStream *stream = g_ptr_array_index (s->streams, i);

    if (!stream->pad || leaver_find (s, stream->ssrc) < s->leaving->len)
      g_ptr_array_add (pads, gst_object_ref (stream->ghost));
  }
  return pads;
}

/* --- what the application hears -------------------------------------------- */

void
src_streams_shown (SrcStreams *s, SrcStream *stream)
{
  stream->said = SRC_STREAM_SHOWN;
}

/* It may be what was said.  A silence at the end is not news. */
static SrcStreamState
state_now (const SrcStreams *s, const SrcStream *stream)
{
  gboolean other = stream->said_ssrc != stream->ssrc;
  RaSpan silence = src_streams_silence (s, stream);

  switch (stream->said) {
    case SRC_STREAM_NEW:
      return SRC_STREAM_NEW;
    case SRC_STREAM_SHOWN:
      return SRC_STREAM_BEGINS;
    default:
      break;
  }
  if (silence == RA_SPAN_NONE)
    return SRC_STREAM_ENDS;
  if (silence >= SRC_SILENT)
    return other || stream->said != SRC_STREAM_ENDS ? SRC_STREAM_SILENT
                                                    : SRC_STREAM_ENDS;
  return other || stream->said != SRC_STREAM_BEGINS ? SRC_STREAM_GOES_ON
                                                    : SRC_STREAM_BEGINS;
}

SrcStream *
src_streams_news (SrcStreams *s)
{
  for (guint i = 0; !s->stopped && i < s->streams->len; i++) {
    SrcStream *stream = g_ptr_array_index (s->streams, i);
    SrcStreamState state = state_now (s, stream);

    if (state == stream->said
        && (state == SRC_STREAM_NEW || stream->said_ssrc == stream->ssrc))
      continue;
    stream->said = state;
    stream->said_ssrc = stream->ssrc;
    return stream;
  }
  return NULL;
}

/* --- begin and end ------------------------------------------------------- */

gboolean
src_streams_add (SrcStreams *s, SrcStream *stream)
{
  stream_feed (stream, stream->ssrc);
  g_ptr_array_add (s->streams, stream);
  return !s->stopped;
}

GList *
src_streams_stop (SrcStreams *s)
{
  s->stopped = TRUE;
  g_atomic_int_set (&s->n_pending, 0);
  g_atomic_int_set (&s->n_losers, 0);
  return g_list_concat (
      g_steal_pointer (&s->pending), g_steal_pointer (&s->losers));
}

GPtrArray *
src_streams_take (SrcStreams *s)
{
  GPtrArray *streams = s->streams;

  for (guint i = 0; i < streams->len; i++)
    src_stream_decoded (g_ptr_array_index (streams, i), &s->before);
  s->streams = g_ptr_array_new ();
  g_array_set_size (s->leaving, 0);
  g_atomic_int_set (&s->n_leaving, 0);
  s->next_name = 0;
  s->stopped = FALSE;
  return streams;
}

void
src_streams_init (SrcStreams *s, SrcSilence silence, gpointer silence_data)
{
  *s = (SrcStreams){ .silence = silence, .silence_data = silence_data };
  s->streams = g_ptr_array_new ();
  s->leaving = g_array_new (FALSE, FALSE, sizeof (Leaver));
}

void
src_streams_clear (SrcStreams *s)
{
  g_list_free_full (src_streams_stop (s), (GDestroyNotify) src_pending_free);
  g_ptr_array_free (s->streams, TRUE);
  g_array_unref (s->leaving);
}
