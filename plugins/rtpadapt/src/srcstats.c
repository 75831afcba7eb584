/* rtpadaptsrc: statistics.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "srcpriv.h"

#include "parts/elementtimer.h"

#define GST_CAT_DEFAULT rtpadaptsrc_debug

/* Of one source pad. */
typedef struct
{
  guint pt;
  guint32 ssrc;
  guint64 pushed, lost, late; /* of the jitterbuffer, repair packets too */
  guint64 fec;                /* repair packets that came */
  guint64 recovered, unrecovered;
  gdouble residual; /* share of the media packets that is missing after all */
  gchar *name;
} StreamStats;

/* A lost repair packet is a loss of the jitterbuffer, and one that rtpulpfecdec
 * cannot repair.  Losses strike both kinds alike, so that of what was sent,
 * pushed + lost, media have the share that they have of what came. */
static gdouble
residual_loss (const StreamStats *s)
{
  gdouble total = (gdouble) (s->pushed + s->lost);
  gdouble media = s->pushed ? 1 - (gdouble) s->fec / (gdouble) s->pushed : 1;
  gdouble left;

  if (total <= 0 || media <= 0)
    return 0;
  left = (gdouble) s->lost / total - (gdouble) s->recovered / (media * total);
  return CLAMP (left, 0, 1);
}

/* What is there to be asked, taken under the lock and asked without it. */
typedef struct
{
  StreamStats stats;
  GstElement *jitterbuffer, *fecdec; /* or NULL */
} Source;

static void
source_clear (gpointer data)
{
  Source *source = data;

  gst_clear_object (&source->jitterbuffer);
  gst_clear_object (&source->fecdec);
  g_free (source->stats.name);
}

static GArray *
sources (GstRtpAdaptSrc *self)
{
  GArray *array = g_array_new (FALSE, TRUE, sizeof (Source));

  g_array_set_clear_func (array, source_clear);
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->streams->len; i++) {
    const SrcStream *stream = g_ptr_array_index (self->streams, i);
    GstElement *jitterbuffer = g_hash_table_lookup (
        self->jitterbuffers, GUINT_TO_POINTER (stream->ssrc));
    Source source = { .stats = { .pt = stream->pt,
                          .ssrc = stream->ssrc,
                          .fec = stream->fec,
                          .name = gst_pad_get_name (stream->ghost) } };

    if (jitterbuffer)
      source.jitterbuffer = gst_object_ref (jitterbuffer);
    if (stream->fecdec)
      source.fecdec = gst_object_ref (stream->fecdec);
    g_array_append_val (array, source);
  }
  g_mutex_unlock (&self->lock);
  return array;
}

static void
source_ask (Source *source)
{
  StreamStats *s = &source->stats;
  guint recovered = 0, unrecovered = 0;
  GstStructure *stats;

  if (source->jitterbuffer) {
    g_object_get (source->jitterbuffer, "stats", &stats, NULL);
    gst_structure_get (stats, "num-pushed", G_TYPE_UINT64, &s->pushed,
        "num-lost", G_TYPE_UINT64, &s->lost, "num-late", G_TYPE_UINT64,
        &s->late, NULL);
    gst_structure_free (stats);
  }
  if (source->fecdec)
    g_object_get (source->fecdec, "recovered", &recovered, "unrecovered",
        &unrecovered, NULL);
  s->recovered = recovered;
  s->unrecovered = unrecovered;
  s->residual = residual_loss (s);
}

/* `array` is a GstValueArray. */
static void
add_stream (GValue *array, const StreamStats *s)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value,
      gst_structure_new ("application/x-rtpadaptsrc-stream", "pad",
          G_TYPE_STRING, s->name, "ssrc", G_TYPE_UINT, s->ssrc, "payload",
          G_TYPE_UINT, s->pt, "pushed", G_TYPE_UINT64, s->pushed, "lost",
          G_TYPE_UINT64, s->lost, "late", G_TYPE_UINT64, s->late, "fec",
          G_TYPE_UINT64, s->fec, "recovered", G_TYPE_UINT64, s->recovered,
          "unrecovered", G_TYPE_UINT64, s->unrecovered, "residual-loss",
          G_TYPE_DOUBLE, s->residual, NULL));
  gst_value_array_append_and_take_value (array, &value);
}

static void
set_streams (GstStructure *stats, GstRtpAdaptSrc *self)
{
  GArray *found = sources (self);
  GValue array = G_VALUE_INIT;
  StreamStats sum = { 0 };
  gdouble missing = 0, all = 0;

  g_value_init (&array, GST_TYPE_ARRAY);
  for (guint i = 0; i < found->len; i++) {
    Source *source = &g_array_index (found, Source, i);
    const StreamStats *s = &source->stats;
    gdouble n;

    source_ask (source);
    add_stream (&array, s);
    n = (gdouble) (s->pushed + s->lost);
    missing += s->residual * n;
    all += n;
    sum.lost += s->lost;
    sum.late += s->late;
    sum.recovered += s->recovered;
    sum.unrecovered += s->unrecovered;
  }
  gst_structure_set (stats, "lost", G_TYPE_UINT64, sum.lost, "late",
      G_TYPE_UINT64, sum.late, "recovered", G_TYPE_UINT64, sum.recovered,
      "unrecovered", G_TYPE_UINT64, sum.unrecovered, "residual-loss",
      G_TYPE_DOUBLE, all > 0 ? missing / all : 0., NULL);
  gst_structure_take_value (stats, "streams", &array);
  g_array_free (found, TRUE);
}

static void
take_structure (GstStructure *stats, const gchar *name, GstStructure *inner)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value, inner);
  gst_structure_take_value (stats, name, &value);
}

static void
set_child (GstStructure *stats, const gchar *name, GstElement *child)
{
  GstStructure *inner;

  g_object_get (child, "stats", &inner, NULL);
  take_structure (stats, name, inner);
}

GstStructure *
src_stats (GstRtpAdaptSrc *self)
{
  GstStructure *stats
      = gst_structure_new_empty ("application/x-rtpadaptsrc-stats");
  SrcGateStats g;

  src_gate_get_stats (self->gate, &g);
  gst_structure_set (stats, "rtp", G_TYPE_UINT64, g.rtp, "rtcp", G_TYPE_UINT64,
      g.rtcp, "fec", G_TYPE_UINT64, g.fec, "retransmitted", G_TYPE_UINT64,
      g.rtx, "junk", G_TYPE_UINT64, g.junk, "sr-requests", G_TYPE_UINT64,
      g.sr_requests, "own-ssrc", G_TYPE_UINT64, g.own_ssrc, "unknown-payload",
      G_TYPE_UINT64, g.unknown, "foreign-rtp", G_TYPE_UINT64,
      g.peer.foreign_rtp, "foreign-rtcp", G_TYPE_UINT64, g.peer.foreign_rtcp,
      "early-rtcp", G_TYPE_UINT64, g.peer.early_rtcp, "flood", G_TYPE_UINT64,
      g.peer.flood, "moved", G_TYPE_UINT64, g.peer.moved, "jumped",
      G_TYPE_UINT64, g.order.jumped, "unnumbered", G_TYPE_UINT64,
      g.order.stripped, "renumbered", G_TYPE_UINT64, g.order.seams,
      "stale-feedback", G_TYPE_UINT64, g.order.stale, "answers-dropped",
      G_TYPE_UINT64, g.answers_dropped, NULL);
  set_streams (stats, self);
  take_structure (stats, "security", secure_stats (self->secure));
  set_child (stats, "udp", self->udpsrc);
  set_child (stats, "receiver", self->recv);
  return stats;
}

/* --- messages ----------------------------------------------------------- */

static void
stats_due (GstElement *element)
{
  gst_element_post_message (element,
      gst_message_new_element (
          GST_OBJECT (element), src_stats (GST_RTP_ADAPT_SRC (element))));
}

void
src_stats_start (GstRtpAdaptSrc *self)
{
  GstClockTime interval;

  GST_OBJECT_LOCK (self);
  interval = self->cfg.stats_interval;
  GST_OBJECT_UNLOCK (self);
  if (interval)
    element_timer_start (
        GST_ELEMENT (self), &self->stats_timer, interval, TRUE, stats_due);
}

void
src_stats_stop (GstRtpAdaptSrc *self)
{
  element_timer_stop (GST_ELEMENT (self), &self->stats_timer);
}
