/* rtpadaptfecdec: brings packets back by the Reed-Solomon code.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-rtpadaptfecdec
 * @title: rtpadaptfecdec
 * @short_description: brings lost packets back from repair packets of rtpadaptfecenc
 *
 * Decodes what #rtpadaptfecenc makes with `code=rs`.  It stands before the
 * jitterbuffer, between rtpsession and rtpstorage (rtpbin's aux receiver): so
 * receiver reports still count what was lost on the path, and a packet that is back
 * is in time if the jitterbuffer holds others for longer than a block takes.  It
 * leaves at once when enough packets came, behind them, with the arrival time (DTS)
 * of its neighbour, so that rtpjitterbuffer takes it for one that was overtaken.  One that
 * is far behind leaves as a retransmission, which needs `do-retransmission` there.
 *
 * All packets pass, repair packets too: they have numbers of the stream.  What takes
 * them off is rtpptdemux, by `is-fec` in their caps.  An empty packet leaves in
 * place of a lost one that others of its block show: a jitterbuffer takes a missing number
 * for one of media.
 *
 * The statistics count repair (repair packets that came), bad (of these, malformed, or
 * against others of their block, or too late; and blocks that gave no packet), recovered
 * (media packets).
 *
 * |[
 * gst-launch-1.0 videotestsrc is-live=true num-buffers=60 ! \
 *     video/x-raw,format=I420 ! x264enc tune=zerolatency ! rtph264pay ! \
 *     rtpadaptfecenc pt=122 rs-pt=120 code=rs percentage=20 ! \
 *     rtpadaptlink link="bernoulli p=.05" ! rtpadaptfecdec pt=120 ! \
 *     rtpjitterbuffer ! fakesink
 * ]|
 */
#include "gstrtpadaptfecdec.h"

#include "parts/props.h"

#include <gst/rtp/rtp.h>
#include <gst/rtpadapt/repair/rsfec.h>

GST_DEBUG_CATEGORY_STATIC (rtpadaptfecdec_debug);
#define GST_CAT_DEFAULT rtpadaptfecdec_debug

#define PT_NONE 255
/* Streams that are repaired, the latest; rtpadaptsrc lets as many SSRCs in. */
#define STREAMS_MAX 16
/* rtpjitterbuffer (1.22) takes a packet that is more than 100 behind for one of another
 * stream, and begins again when it sees five of them.  Not so a retransmission.  A few
 * more may have come since. */
#define FAR_BEHIND 90

typedef struct
{
  guint pt;
} FecDecConfig;

/* Only the streaming thread changes it, and does so under the object lock. */
typedef struct
{
  guint32 ssrc;
  RaRsfec *rsfec;    /* NULL: unused */
  guint64 recovered; /* packets */
  guint64 used;      /* when the last packet came, in packets of all streams */
} Stream;

struct _GstRtpAdaptFecDec
{
  GstElement parent;
  GstPad *sinkpad, *srcpad;

  FecDecConfig cfg;   /* under the object lock */
  RaRsfecStats count; /* the same */

  Stream streams[STREAMS_MAX];
  guint64 n; /* packets so far; only the streaming thread uses it */
};

G_DEFINE_TYPE (GstRtpAdaptFecDec, gst_rtp_adapt_fec_dec, GST_TYPE_ELEMENT)
GST_ELEMENT_REGISTER_DEFINE (
    rtpadaptfecdec, "rtpadaptfecdec", GST_RANK_NONE, GST_TYPE_RTP_ADAPT_FEC_DEC)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));

/* --- packets ------------------------------------------------------------ */

static void
stream_set (GstRtpAdaptFecDec *self, Stream *stream, const Stream *to)
{
  RaRsfec *old = stream->rsfec;

  GST_OBJECT_LOCK (self);
  *stream = *to;
  GST_OBJECT_UNLOCK (self);
  g_clear_pointer (&old, ra_rsfec_free);
}

static void
streams_forget (GstRtpAdaptFecDec *self)
{
  for (guint i = 0; i < STREAMS_MAX; i++)
    stream_set (self, &self->streams[i], &(Stream){ 0 });
}

/* NULL: there is none, and `make` is FALSE; else in the place of the one idle longest. */
static Stream *
stream_find (GstRtpAdaptFecDec *self, guint32 ssrc, gboolean make)
{
  Stream *stream = NULL, *place = &self->streams[0];

  for (guint i = 0; i < STREAMS_MAX && !stream; i++) {
    Stream *s = &self->streams[i];

    if (s->rsfec && s->ssrc == ssrc)
      stream = s;
    else if (s->used < place->used)
      place = s;
  }
  if (!stream && make) {
    stream = place;
    stream_set (
        self, stream, &(Stream){ .ssrc = ssrc, .rsfec = ra_rsfec_new () });
  }
  if (stream)
    stream->used = ++self->n;
  return stream;
}

static guint64
recovered_of (GstRtpAdaptFecDec *self, guint32 ssrc, gboolean take)
{
  guint64 n = 0;

  GST_OBJECT_LOCK (self);
  for (guint i = 0; i < STREAMS_MAX; i++) {
    Stream *stream = &self->streams[i];

    if (!stream->rsfec || stream->ssrc != ssrc)
      continue;
    n = stream->recovered;
    if (take)
      stream->recovered = 0;
  }
  GST_OBJECT_UNLOCK (self);
  return n;
}

guint64
rtp_adapt_fec_dec_recovered (GstRtpAdaptFecDec *self, guint32 ssrc)
{
  return recovered_of (self, ssrc, FALSE);
}

guint64
rtp_adapt_fec_dec_take_recovered (GstRtpAdaptFecDec *self, guint32 ssrc)
{
  return recovered_of (self, ssrc, TRUE);
}

static RaTime
arrival_of (GstBuffer *buffer)
{
  GstClockTime arrival = GST_BUFFER_DTS_OR_PTS (buffer);

  return GST_CLOCK_TIME_IS_VALID (arrival) ? arrival : RA_TIME_NONE;
}

static void
stream_feed (
    RaRsfec *rsfec, GstRTPBuffer *rtp, GstBuffer *buffer, gboolean repair)
{
  GstMapInfo map;

  if (repair) {
    ra_rsfec_on_repair (rsfec, gst_rtp_buffer_get_ssrc (rtp),
        gst_rtp_buffer_get_seq (rtp), gst_rtp_buffer_get_payload (rtp),
        gst_rtp_buffer_get_payload_len (rtp), arrival_of (buffer));
  } else if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    ra_rsfec_on_media (rsfec, &(RaRtpBytes){ map.data, (guint) map.size },
        GST_BUFFER_FLAG_IS_SET (buffer, GST_RTP_BUFFER_FLAG_RETRANSMISSION),
        arrival_of (buffer));
    gst_buffer_unmap (buffer, &map);
  }
}

static void
count_note (GstRtpAdaptFecDec *self, const RaRsfecStats *before,
    const RaRsfecStats *after)
{
  GST_OBJECT_LOCK (self);
  self->count.repair += after->repair - before->repair;
  self->count.bad += after->bad - before->bad;
  GST_OBJECT_UNLOCK (self);
}

/* Returns the packet's stream, or NULL: nothing repairs it yet. */
static Stream *
packet_note (GstRtpAdaptFecDec *self, GstBuffer *buffer, guint pt)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  gboolean repair;
  Stream *stream;

  if (!gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp))
    return NULL;
  repair = gst_rtp_buffer_get_payload_type (&rtp) == pt;
  stream = stream_find (self, gst_rtp_buffer_get_ssrc (&rtp), repair);
  if (stream) {
    RaRsfecStats before = ra_rsfec_stats (stream->rsfec), after;

    stream_feed (stream->rsfec, &rtp, buffer, repair);
    after = ra_rsfec_stats (stream->rsfec);
    count_note (self, &before, &after);
  }
  gst_rtp_buffer_unmap (&rtp);
  return stream;
}

/* FALSE: what came back is no packet, as where its block was forged. */
static gboolean
is_rtp (GstBuffer *buffer, guint pt)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  gboolean good;

  if (!gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp))
    return FALSE;
  good = gst_rtp_buffer_get_payload_type (&rtp) != pt;
  gst_rtp_buffer_unmap (&rtp);
  return good;
}

/* In place of a repair packet that is lost, behind `header`. */
static GstBuffer *
filler_new (const guint8 *header, guint pt, guint16 seq)
{
  guint8 *data = g_memdup2 (header, RA_RTP_HEADER);

  data[0] = 0x80;
  data[1] = (guint8) pt;
  GST_WRITE_UINT16_BE (data + 2, seq);
  return gst_buffer_new_wrapped (data, RA_RTP_HEADER);
}

static void
back_note (GstRtpAdaptFecDec *self, Stream *stream, gboolean good)
{
  GST_OBJECT_LOCK (self);
  stream->recovered += good;
  self->count.recovered += good;
  self->count.bad += !good;
  GST_OBJECT_UNLOCK (self);
}

/* `header`: of the packet that came. */
static GstFlowReturn
push_back (
    GstRtpAdaptFecDec *self, Stream *stream, guint pt, const guint8 *header)
{
  GstFlowReturn ret = GST_FLOW_OK;
  RaRsfecPacket packet;
  gboolean good;

  while (ret == GST_FLOW_OK && ra_rsfec_take (stream->rsfec, &packet)) {
    GstBuffer *buffer = packet.data
        ? gst_buffer_new_wrapped (packet.data, packet.size)
        : filler_new (header, pt, packet.seq);

    GST_BUFFER_DTS (buffer)
        = packet.arrival == RA_TIME_NONE ? GST_CLOCK_TIME_NONE : packet.arrival;
    if (packet.data && packet.behind > FAR_BEHIND)
      GST_BUFFER_FLAG_SET (buffer, GST_RTP_BUFFER_FLAG_RETRANSMISSION);
    good = !packet.data || is_rtp (buffer, pt);
    if (packet.data)
      back_note (self, stream, good);
    if (good)
      ret = gst_pad_push (self->srcpad, buffer);
    else
      gst_buffer_unref (buffer);
  }
  return ret;
}

static GstFlowReturn
fec_dec_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRtpAdaptFecDec *self = GST_RTP_ADAPT_FEC_DEC (parent);
  GstFlowReturn ret;
  guint8 header[RA_RTP_HEADER];
  Stream *stream;
  guint pt;

  GST_OBJECT_LOCK (self);
  pt = self->cfg.pt;
  GST_OBJECT_UNLOCK (self);
  stream = pt == PT_NONE ? NULL : packet_note (self, buffer, pt);
  if (stream)
    gst_buffer_extract (buffer, 0, header, sizeof header);
  ret = gst_pad_push (self->srcpad, buffer);
  return stream && ret == GST_FLOW_OK ? push_back (self, stream, pt, header)
                                      : ret;
}

static gboolean
fec_dec_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    streams_forget (GST_RTP_ADAPT_FEC_DEC (parent));
  return gst_pad_event_default (pad, parent, event);
}

/* --- the element -------------------------------------------------------- */

const Field fec_dec_fields[] = {
  { "repair", "packets", "repair packets that came", "element",
      FIELD_UINT64 (RaRsfecStats, repair) },
  { "bad", "packets",
      "of these malformed or too late, and what blocks gave that is no packet",
      "element", FIELD_UINT64 (RaRsfecStats, bad) },
  { "recovered", "packets", "media packets brought back", "element",
      FIELD_UINT64 (RaRsfecStats, recovered) },
  { NULL },
};

static void
get_stats (gpointer owner, const PropRow *row, GValue *value)
{
  GstRtpAdaptFecDec *self = owner;

  g_value_take_boxed (value,
      fields_new (
          "application/x-rtpadaptfecdec-stats", fec_dec_fields, &self->count));
}

static const PropRow fec_dec_props[] = {
  { "pt", "Payload type",
      "Payload type of the repair packets (255: none, nothing is repaired)",
      PROP_PLAYING, PROP_UINT (FecDecConfig, pt, 0, PT_NONE, PT_NONE) },
  { "stats", "Statistics",
      "Structure application/x-rtpadaptfecdec-stats: docs/statistics.md has each field",
      PROP_READ, PROP_STATS, .get_locked = get_stats },
  { NULL },
};

static void
fec_dec_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptFecDec *self = GST_RTP_ADAPT_FEC_DEC (object);

  GST_OBJECT_LOCK (self);
  props_set (&self->cfg, &fec_dec_props[id - 1], value, NULL, NULL);
  GST_OBJECT_UNLOCK (self);
}

static void
fec_dec_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptFecDec *self = GST_RTP_ADAPT_FEC_DEC (object);

  props_get (self, GST_OBJECT_GET_LOCK (self), &self->cfg,
      &fec_dec_props[id - 1], value);
}

static GstStateChangeReturn
fec_dec_change_state (GstElement *element, GstStateChange transition)
{
  GstStateChangeReturn ret
      = GST_ELEMENT_CLASS (gst_rtp_adapt_fec_dec_parent_class)
            ->change_state (element, transition);

  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    streams_forget (GST_RTP_ADAPT_FEC_DEC (element));
  return ret;
}

static void
fec_dec_finalize (GObject *object)
{
  streams_forget (GST_RTP_ADAPT_FEC_DEC (object));
  G_OBJECT_CLASS (gst_rtp_adapt_fec_dec_parent_class)->finalize (object);
}

static void
gst_rtp_adapt_fec_dec_class_init (GstRtpAdaptFecDecClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      rtpadaptfecdec_debug, "rtpadaptfecdec", 0, "packets that come back");
  object_class->set_property = fec_dec_set_property;
  object_class->get_property = fec_dec_get_property;
  object_class->finalize = fec_dec_finalize;
  element_class->change_state = fec_dec_change_state;

  props_install (object_class, 1, fec_dec_props);
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "RTP FEC decoder",
      "Codec/Depayloader/Network/RTP",
      "Brings packets back by repair packets of rtpadaptfecenc code=rs",
      "The gst-rtpadapt authors");
}

static void
gst_rtp_adapt_fec_dec_init (GstRtpAdaptFecDec *self)
{
  props_init (&self->cfg, fec_dec_props, self);

  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, fec_dec_chain);
  gst_pad_set_event_function (self->sinkpad, fec_dec_event);
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);
  GST_PAD_SET_PROXY_ALLOCATION (self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);
  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}
