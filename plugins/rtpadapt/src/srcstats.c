/* rtpadaptsrc: statistics of what it let in, and of its streams.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "srcstats.h"

static void
feeder_clear (gpointer data)
{
  gst_object_unref (((SrcStatsFeeder *) data)->jitterbuffer);
}

static void
source_clear (gpointer data)
{
  SrcStatsSource *source = data;

  g_array_unref (source->feeders);
  g_free (source->name);
}

static GArray *
feeders_of (const SrcStream *stream, GHashTable *jitterbuffers)
{
  GArray *array = g_array_new (FALSE, TRUE, sizeof (SrcStatsFeeder));

  g_array_set_clear_func (array, feeder_clear);
  for (GSList *l = stream->feeders; l; l = l->next) {
    GstElement *jitterbuffer = g_hash_table_lookup (jitterbuffers, l->data);
    SrcStatsFeeder feeder = { .ssrc = GPOINTER_TO_UINT (l->data) };

    if (!jitterbuffer)
      continue;
    feeder.jitterbuffer = gst_object_ref (jitterbuffer);
    g_array_append_val (array, feeder);
  }
  return array;
}

GArray *
src_stats_sources (const SrcStreams *streams, GHashTable *jitterbuffers)
{
  GArray *array = g_array_new (FALSE, TRUE, sizeof (SrcStatsSource));

  g_array_set_clear_func (array, source_clear);
  for (guint i = 0; i < streams->streams->len; i++) {
    const SrcStream *stream = g_ptr_array_index (streams->streams, i);
    SrcStatsSource source = { .name = gst_pad_get_name (stream->ghost),
      .pt = stream->pt,
      .ssrc = stream->ssrc,
      .silence = src_streams_silence (streams, stream),
      .fec = stream->fec,
      .feeders = feeders_of (stream, jitterbuffers),
      .before = stream->before };

    src_stream_decoded (stream, &source.decoded);
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
  SrcCounts n; /* of the jitterbuffers: repair packets too */
  gdouble residual;
  SrcStatsSource source;
} StreamStats;

const Field src_stats_stream_fields[] = {
  { "pad", "", "name of the source pad", "element",
      FIELD_TEXT (StreamStats, source.name) },
  { "ssrc", "", "of the stream", "RFC 3550 5.1",
      FIELD_UINT (StreamStats, source.ssrc) },
  { "payload", "", "its payload type", "RFC 3550 5.1",
      FIELD_UINT (StreamStats, source.pt) },
  { "silence", "ns", "since its latest packet; -1: its SSRC has ended", "gate",
      FIELD_SPAN (StreamStats, source.silence) },
  { "pushed", "packets", "that left the jitterbuffer, repair packets too",
      "rtpjitterbuffer", FIELD_UINT64 (StreamStats, n.pushed) },
  { "lost", "packets", "that the jitterbuffer waited for in vain",
      "rtpjitterbuffer", FIELD_UINT64 (StreamStats, n.lost) },
  { "late", "packets", "that came after their time", "rtpjitterbuffer",
      FIELD_UINT64 (StreamStats, n.late) },
  { "fec", "packets", "repair packets that came", "element",
      FIELD_UINT64 (StreamStats, source.fec) },
  { "recovered", "packets", "brought back by FEC",
      "rtpulpfecdec, rtpadaptfecdec", FIELD_UINT64 (StreamStats, n.recovered) },
  { "unrecovered", "packets", "that FEC could not bring back", "rtpulpfecdec",
      FIELD_UINT64 (StreamStats, n.unrecovered) },
  { "residual-loss", "0 to 1",
      "share of the media packets that is missing after "
      "all",
      "element", FIELD_DOUBLE (StreamStats, residual) },
  { NULL },
};

const Field src_stats_fields[] = {
  { "lost", "packets", "of all streams: see the list", "rtpjitterbuffer",
      FIELD_UINT64 (StreamStats, n.lost) },
  { "late", "packets", "the same", "rtpjitterbuffer",
      FIELD_UINT64 (StreamStats, n.late) },
  { "recovered", "packets", "the same", "rtpulpfecdec, rtpadaptfecdec",
      FIELD_UINT64 (StreamStats, n.recovered) },
  { "unrecovered", "packets", "the same", "rtpulpfecdec",
      FIELD_UINT64 (StreamStats, n.unrecovered) },
  { "residual-loss", "0 to 1", "the same, weighted by packets", "element",
      FIELD_DOUBLE (StreamStats, residual) },
  { "streams", "", "an entry for each source pad, of all SSRCs it has had",
      "element", FIELD_LIST ("application/x-rtpadaptsrc-stream") },
  { "security", "", "what SRTP or DTLS let in", "element",
      FIELD_STRUCTURE ("application/x-rtpadapt-security-stats") },
  { "udp", "", "of the socket", "rtpadaptudpsrc",
      FIELD_STRUCTURE ("application/x-rtpadaptudpsrc-stats") },
  { "receiver", "", "of the measurements", "rtpadaptrecv",
      FIELD_STRUCTURE ("application/x-rtpadaptrecv-stats") },
  { NULL },
};

static const SrcStatsSource *
source_at (const GArray *sources, guint i)
{
  return &g_array_index (sources, SrcStatsSource, i);
}

static SrcStatsFeeder *
feeder_at (const SrcStatsSource *source, guint i)
{
  return &g_array_index (source->feeders, SrcStatsFeeder, i);
}

/* A sender that changes its payload type has several pads with one SSRC, and so with
 * one jitterbuffer.  Their decoders share its losses, and the pad that came first has
 * counted all repair packets. */
static void
fec_ask (const GArray *sources, StreamStats *s)
{
  for (guint i = 0; i < sources->len; i++) {
    const SrcStatsSource *source = source_at (sources, i);

    if (source->ssrc != s->source.ssrc)
      continue;
    s->source.fec = MAX (s->source.fec, source->fec);
    src_counts_add (&s->n, &source->decoded);
  }
}

/* An earlier pad has the same SSRC. */
static gboolean
is_again (const GArray *sources, guint i)
{
  guint before = 0;

  while (source_at (sources, before)->ssrc != source_at (sources, i)->ssrc)
    before++;
  return before < i;
}

/* An earlier pad than `i` has that SSRC for a feeder. */
static gboolean
feeds_before (const GArray *sources, guint i, guint32 ssrc)
{
  for (guint b = 0; b < i; b++) {
    const SrcStatsSource *source = source_at (sources, b);

    for (guint k = 0; k < source->feeders->len; k++) {
      if (feeder_at (source, k)->ssrc == ssrc)
        return TRUE;
    }
  }
  return FALSE;
}

void
src_stats_ask (GstElement *jitterbuffer, SrcCounts *counts)
{
  GstStructure *stats;

  g_object_get (jitterbuffer, "stats", &stats, NULL);
  gst_structure_get (stats, "num-pushed", G_TYPE_UINT64, &counts->pushed,
      "num-lost", G_TYPE_UINT64, &counts->lost, "num-late", G_TYPE_UINT64,
      &counts->late, NULL);
  gst_structure_free (stats);
}

static StreamStats
source_ask (const GArray *sources, guint i)
{
  const SrcStatsSource *source = source_at (sources, i);
  StreamStats s = { .source = *source, .n = source->before };
  guint64 early;

  for (guint k = 0; k < source->feeders->len; k++)
    src_counts_add (&s.n, &feeder_at (source, k)->counts);
  fec_ask (sources, &s);
  /* The jitterbuffer takes them for received. */
  early = MIN (s.n.early, s.n.pushed);
  s.n.recovered += early;
  s.residual = src_stats_residual (
      s.n.pushed - early, s.n.lost + early, s.source.fec, s.n.recovered);
  return s;
}

/* Pads may share a jitterbuffer: each counts once. */
static void
sum_up (GArray *sources, StreamStats *sum)
{
  for (guint i = 0; i < sources->len; i++) {
    const SrcStatsSource *source = source_at (sources, i);

    for (guint k = 0; k < source->feeders->len; k++) {
      SrcStatsFeeder *feeder = feeder_at (source, k);

      src_stats_ask (feeder->jitterbuffer, &feeder->counts);
      if (!feeds_before (sources, i, feeder->ssrc))
        src_counts_add (&sum->n, &feeder->counts);
    }
    src_counts_add (&sum->n, &source->decoded);
  }
  sum->n.recovered += MIN (sum->n.early, sum->n.pushed);
}

void
src_stats_set_streams (
    GstStructure *stats, GArray *sources, const SrcCounts *before)
{
  GValue array = G_VALUE_INIT;
  StreamStats sum = { .n = *before };
  gdouble missing = 0, all = 0;

  sum_up (sources, &sum);
  g_value_init (&array, GST_TYPE_ARRAY);
  for (guint i = 0; i < sources->len; i++) {
    const StreamStats s = source_ask (sources, i);
    gdouble n = (gdouble) (s.n.pushed + s.n.lost);

    fields_append (&array, "application/x-rtpadaptsrc-stream",
        src_stats_stream_fields, &s);
    if (is_again (sources, i))
      continue;
    missing += s.residual * n;
    all += n;
  }
  sum.residual = all > 0 ? missing / all : 0.;
  fields_set (stats, src_stats_fields, &sum);
  gst_structure_take_value (stats, "streams", &array);
}

/* --- messages -------------------------------------------------------------- */

typedef struct
{
  const gchar *pad, *state;
  guint ssrc, pt;
} StreamNews;

const Field src_stats_news_fields[] = {
  { "pad", "", "name of the source pad", "element",
      FIELD_TEXT (StreamNews, pad) },
  { "ssrc", "", "of the stream", "RFC 3550 5.1",
      FIELD_UINT (StreamNews, ssrc) },
  { "payload-type", "", "its payload type", "RFC 3550 5.1",
      FIELD_UINT (StreamNews, pt) },
  { "state", "", "begins, silent (2 s), goes-on (or a new SSRC) or ends",
      "element", FIELD_TEXT (StreamNews, state) },
  { NULL },
};

GstStructure *
src_stats_news (const SrcStream *stream)
{
  static const gchar *const states[] = {
    [SRC_STREAM_BEGINS] = "begins",
    [SRC_STREAM_SILENT] = "silent",
    [SRC_STREAM_GOES_ON] = "goes-on",
    [SRC_STREAM_ENDS] = "ends",
  };

  return fields_new ("rtpadapt-stream", src_stats_news_fields,
      &(StreamNews){ GST_PAD_NAME (stream->ghost), states[stream->said],
          stream->said_ssrc, stream->pt });
}

/* --- the gate ------------------------------------------------------------- */

const Field src_stats_gate_fields[] = {
  { "rtp", "packets", "of RTP let in", "gate",
      FIELD_UINT64 (SrcGateStats, rtp) },
  { "rtcp", "packets", "of RTCP let in", "gate",
      FIELD_UINT64 (SrcGateStats, rtcp) },
  { "fec", "packets", "of rtp, repair packets", "payload type",
      FIELD_UINT64 (SrcGateStats, fec) },
  { "retransmitted", "packets", "of rtp, sent again", "RFC 4588",
      FIELD_UINT64 (SrcGateStats, rtx) },
  { "junk", "packets", "neither RTP nor RTCP; a wrong key makes it grow",
      "gate", FIELD_UINT64 (SrcGateStats, junk) },
  { "sr-requests", "packets",
      "of RTCP that would hang rtpsession 1.22: dropped", "RFC 6051",
      FIELD_UINT64 (SrcGateStats, sr_requests) },
  { "own-ssrc", "packets", "with the SSRC of our own reports: RTCP is dropped",
      "RFC 3550 8.2", FIELD_UINT64 (SrcGateStats, own_ssrc) },
  { "unknown-payload", "packets",
      "of a payload type that is not set; see encoding-name and pt-map", "gate",
      FIELD_UINT64 (SrcGateStats, unknown) },
  { "foreign-rtp", "packets", "of RTP from another address than the sender's",
      "gate", FIELD_UINT64 (SrcGateStats, peer.foreign_rtp) },
  { "foreign-rtcp", "packets", "of RTCP from there", "gate",
      FIELD_UINT64 (SrcGateStats, peer.foreign_rtcp) },
  { "early-rtcp", "packets", "of RTCP of one whose RTP was not yet seen",
      "gate", FIELD_UINT64 (SrcGateStats, peer.early_rtcp) },
  { "flood", "packets", "of one SSRC too many", "gate",
      FIELD_UINT64 (SrcGateStats, peer.flood) },
  { "moved", "times", "the sender's address changed", "gate",
      FIELD_UINT64 (SrcGateStats, peer.moved) },
  { "jumped", "packets",
      "dropped because their number is far from those before", "RFC 3550 A.1",
      FIELD_UINT64 (SrcGateStats, order.jumped) },
  { "unnumbered", "packets",
      "whose transport-wide number was not believed, and taken off", "gate",
      FIELD_UINT64 (SrcGateStats, order.stripped) },
  { "renumbered", "times", "that transport-wide numbers began again", "gate",
      FIELD_UINT64 (SrcGateStats, order.seams) },
  { "stale-feedback", "reports", "about a sender that is gone: not sent",
      "gate", FIELD_UINT64 (SrcGateStats, order.stale) },
  { "answers-dropped", "packets",
      "of our RTCP that were more than a stranger may cause", "gate",
      FIELD_UINT64 (SrcGateStats, answers_dropped) },
  { NULL },
};

void
src_stats_set_gate (GstStructure *stats, const SrcGateStats *g)
{
  fields_set (stats, src_stats_gate_fields, g);
}

const Field src_stats_hold_fields[] = {
  { "latency", "ns", "that packets are held now", "element",
      FIELD_SPAN (SrcHoldStats, now) },
  { "wanted-latency", "ns", "that would do; adaptive-latency goes there",
      "element", FIELD_SPAN (SrcHoldStats, wanted) },
  { "late-95", "ns",
      "by when 95 of 100 frames are complete, 511 ms at most; 0: nothing came",
      "element", FIELD_SPAN (SrcHoldStats, late) },
  { "grace", "ns", "that missing video is waited for beyond \"latency\"",
      "element", FIELD_SPAN (SrcHoldStats, more) },
  { "playout-later", "ns",
      "the most that the playout moved from a frame to the next, later",
      "element", FIELD_SPAN (SrcHoldStats, moved) },
  { "playout-earlier", "ns", "the same, earlier", "element",
      FIELD_SPAN (SrcHoldStats, hurried) },
  { NULL },
};

void
src_stats_set_hold (GstStructure *stats, const SrcHoldStats *h)
{
  SrcHoldStats said = *h;

  if (said.late == RA_SPAN_NONE)
    said.late = 0;
  fields_set (stats, src_stats_hold_fields, &said);
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
