/* rtpadaptsrc: statistics of what it let in, and of its streams.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "srcstats.h"

static void
source_clear (gpointer data)
{
  SrcStatsSource *source = data;

  gst_clear_object (&source->jitterbuffer);
  gst_clear_object (&source->fecdec);
  g_free (source->name);
}

GArray *
src_stats_sources (const SrcStreams *streams, GHashTable *jitterbuffers)
{
  GArray *array = g_array_new (FALSE, TRUE, sizeof (SrcStatsSource));

  g_array_set_clear_func (array, source_clear);
  for (guint i = 0; i < streams->streams->len; i++) {
    const SrcStream *stream = g_ptr_array_index (streams->streams, i);
    GstElement *jitterbuffer
        = g_hash_table_lookup (jitterbuffers, GUINT_TO_POINTER (stream->ssrc));
    SrcStatsSource source = { .name = gst_pad_get_name (stream->ghost),
      .pt = stream->pt,
      .ssrc = stream->ssrc,
      .fec = stream->fec,
      .jitterbuffer = jitterbuffer ? gst_object_ref (jitterbuffer) : NULL,
      .fecdec = stream->fecdec ? gst_object_ref (stream->fecdec) : NULL };

    g_array_append_val (array, source);
  }
  return array;
}

/* A lost repair packet is a loss of the jitterbuffer, and one that rtpulpfecdec
 * cannot repair.  Losses strike both kinds alike, so that of what was sent,
 * pushed + lost, media have the share that they have of what came. */
gdouble
src_stats_residual (
    guint64 pushed, guint64 lost, guint64 fec, guint64 recovered)
{
  gdouble total = (gdouble) (pushed + lost);
  gdouble media = pushed ? 1 - (gdouble) fec / (gdouble) pushed : 1;
  gdouble left;

  if (total <= 0 || media <= 0)
    return 0;
  left = (gdouble) lost / total - (gdouble) recovered / (media * total);
  return CLAMP (left, 0, 1);
}

/* --- streams ------------------------------------------------------------- */

typedef struct
{
  guint64 pushed, lost, late; /* of the jitterbuffer, repair packets too */
  guint64 recovered, unrecovered;
  gdouble residual;
} StreamStats;

static StreamStats
source_ask (const SrcStatsSource *source)
{
  StreamStats s = { 0 };
  guint recovered = 0, unrecovered = 0;
  guint64 early;
  GstStructure *stats;

  if (source->jitterbuffer) {
    g_object_get (source->jitterbuffer, "stats", &stats, NULL);
    gst_structure_get (stats, "num-pushed", G_TYPE_UINT64, &s.pushed,
        "num-lost", G_TYPE_UINT64, &s.lost, "num-late", G_TYPE_UINT64, &s.late,
        NULL);
    gst_structure_free (stats);
  }
  if (source->fecdec)
    g_object_get (source->fecdec, "recovered", &recovered, "unrecovered",
        &unrecovered, NULL);
  s.recovered = recovered;
  s.unrecovered = unrecovered;
  /* The jitterbuffer takes them for received. */
  early = MIN (source->early, s.pushed);
  s.recovered += early;
  s.residual = src_stats_residual (
      s.pushed - early, s.lost + early, source->fec, s.recovered);
  return s;
}

/* `array` is a GstValueArray. */
static void
add_stream (GValue *array, const SrcStatsSource *source, const StreamStats *s)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value,
      gst_structure_new ("application/x-rtpadaptsrc-stream", "pad",
          G_TYPE_STRING, source->name, "ssrc", G_TYPE_UINT, source->ssrc,
          "payload", G_TYPE_UINT, source->pt, "pushed", G_TYPE_UINT64,
          s->pushed, "lost", G_TYPE_UINT64, s->lost, "late", G_TYPE_UINT64,
          s->late, "fec", G_TYPE_UINT64, source->fec, "recovered",
          G_TYPE_UINT64, s->recovered, "unrecovered", G_TYPE_UINT64,
          s->unrecovered, "residual-loss", G_TYPE_DOUBLE, s->residual, NULL));
  gst_value_array_append_and_take_value (array, &value);
}

void
src_stats_set_streams (GstStructure *stats, const GArray *sources)
{
  GValue array = G_VALUE_INIT;
  StreamStats sum = { 0 };
  gdouble missing = 0, all = 0;

  g_value_init (&array, GST_TYPE_ARRAY);
  for (guint i = 0; i < sources->len; i++) {
    const SrcStatsSource *source = &g_array_index (sources, SrcStatsSource, i);
    const StreamStats s = source_ask (source);
    gdouble n = (gdouble) (s.pushed + s.lost);

    add_stream (&array, source, &s);
    missing += s.residual * n;
    all += n;
    sum.lost += s.lost;
    sum.late += s.late;
    sum.recovered += s.recovered;
    sum.unrecovered += s.unrecovered;
  }
  gst_structure_set (stats, "lost", G_TYPE_UINT64, sum.lost, "late",
      G_TYPE_UINT64, sum.late, "recovered", G_TYPE_UINT64, sum.recovered,
      "unrecovered", G_TYPE_UINT64, sum.unrecovered, "residual-loss",
      G_TYPE_DOUBLE, all > 0 ? missing / all : 0., NULL);
  gst_structure_take_value (stats, "streams", &array);
}

/* --- the gate ------------------------------------------------------------- */

void
src_stats_set_gate (GstStructure *stats, const SrcGateStats *g)
{
  gst_structure_set (stats, "rtp", G_TYPE_UINT64, g->rtp, "rtcp", G_TYPE_UINT64,
      g->rtcp, "fec", G_TYPE_UINT64, g->fec, "retransmitted", G_TYPE_UINT64,
      g->rtx, "junk", G_TYPE_UINT64, g->junk, "sr-requests", G_TYPE_UINT64,
      g->sr_requests, "own-ssrc", G_TYPE_UINT64, g->own_ssrc, "unknown-payload",
      G_TYPE_UINT64, g->unknown, "foreign-rtp", G_TYPE_UINT64,
      g->peer.foreign_rtp, "foreign-rtcp", G_TYPE_UINT64, g->peer.foreign_rtcp,
      "early-rtcp", G_TYPE_UINT64, g->peer.early_rtcp, "flood", G_TYPE_UINT64,
      g->peer.flood, "moved", G_TYPE_UINT64, g->peer.moved, "jumped",
      G_TYPE_UINT64, g->order.jumped, "unnumbered", G_TYPE_UINT64,
      g->order.stripped, "renumbered", G_TYPE_UINT64, g->order.seams,
      "stale-feedback", G_TYPE_UINT64, g->order.stale, "answers-dropped",
      G_TYPE_UINT64, g->answers_dropped, NULL);
}

void
src_stats_set_hold (GstStructure *stats, const SrcHoldStats *h)
{
  gst_structure_set (stats, "latency", G_TYPE_INT64, h->now, "wanted-latency",
      G_TYPE_INT64, h->wanted, "late-95", G_TYPE_INT64,
      h->late == RA_SPAN_NONE ? 0 : h->late, "playout-later", G_TYPE_INT64,
      h->moved, "playout-earlier", G_TYPE_INT64, h->hurried, NULL);
}

/* --- the children ---------------------------------------------------------- */

void
src_stats_take (GstStructure *stats, const gchar *name, GstStructure *inner)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value, inner);
  gst_structure_take_value (stats, name, &value);
}

void
src_stats_set_child (GstStructure *stats, const gchar *name, GstElement *child)
{
  GstStructure *inner;

  g_object_get (child, "stats", &inner, NULL);
  src_stats_take (stats, name, inner);
}
