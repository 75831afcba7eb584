/* rtpadaptfecenc: repair packets over several frames.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-rtpadaptfecenc
 * @title: rtpadaptfecenc
 * @short_description: forward error correction over several frames
 *
 * Adds repair packets to a stream of RTP, as rtpulpfecenc does, but over blocks of
 * several frames: at 5 % of losses 16 of them for 100 media packets, in blocks of 48,
 * leave what 39 leave over single frames of 5 packets.  Any decoder of RFC 5109 can use
 * them, as GStreamer's rtpulpfecdec.
 *
 * With #GstRtpAdaptFecEnc:code `rs` the repair packets are of a Reed-Solomon code,
 * which needs 11; only #rtpadaptfecdec decodes them (gst/rtpadapt/repair/rsfec.h says
 * what their bytes are).
 *
 * A block has up to 48 packets (`rs`: 128), and frames of
 * #GstRtpAdaptFecEnc:span at most; the
 * receiver has to hold packets for longer than that (`latency`).  The repair
 * packets follow the block at once, with the media's SSRC.  They take sequence
 * numbers of the stream, so that media packets get others than they came with: what
 * repeats packets (rtprtxsend) belongs behind this element.  What writes header
 * extensions later on must not change the length of media packets.
 *
 * With #GstRtpAdaptFecEnc:late-loss, and without a percentage, only frames get repair
 * packets that have late packets, which are marked NON_DROPPABLE: those for which no
 * retransmission comes in time.  A frame is a block then, with as many repair packets as
 * its late packets need; they bring back what else of the frame is missing.
 *
 * #rtpadaptsend sets #GstRtpAdaptFecEnc:percentage, #GstRtpAdaptFecEnc:span and
 * #GstRtpAdaptFecEnc:late-loss of one that it finds upstream.
 *
 * |[
 * gst-launch-1.0 videotestsrc is-live=true num-buffers=60 ! \
 *     video/x-raw,format=I420 ! x264enc tune=zerolatency ! rtph264pay ! \
 *     rtpadaptfecenc pt=122 percentage=20 ! fakesink
 * ]|
 */
#include "gstrtpadaptfecenc.h"

#include "fecblock.h"
#include "parts/enums.h"
#include "parts/props.h"
#include "parts/rtpoffer.h"

#include <gst/rtp/rtp.h>
#include <gst/rtpadapt/repair/planner.h>

#include <string.h>

GST_DEBUG_CATEGORY_STATIC (rtpadaptfecenc_debug);
#define GST_CAT_DEFAULT rtpadaptfecenc_debug

#define PT_NONE 255      /* as rtpulpfecenc's */
#define SPAN_MAX 2000    /* ms */
#define CLOCK_RATE 90000 /* of video, RFC 3551 5 */
#define OTHERS_MAX 8     /* SSRCs that may come back */
#define GROWTHS 16       /* of the numbers; each is a block's */
/* Packets.  A number that is further behind is of a payloader that has begun again. */
#define OVERTAKEN_MOST 100

typedef struct
{
  guint pt, percentage, percentage_important;
  guint span; /* ms */
  gint code;  /* RaFecCode */
  guint rs_pt;
  guint late_loss; /* per 1000 */
  guint rest_loss; /* per 10,000 */
} FecEncConfig;

/* The numbers of the packets behind `seq` grew, those up to it by `before`. */
typedef struct
{
  guint16 seq, before;
} Growth;

/* A stream's numbers grew by `offset`; 0: none did. */
typedef struct
{
  guint32 ssrc;
  guint16 offset;
} Grown;

struct _GstRtpAdaptFecEnc
{
  GstElement parent;
  GstPad *sinkpad, *srcpad;

  FecEncConfig cfg; /* under the object lock */
  guint block_packets;
  guint64 media, repair; /* packets */

  /* Only the streaming thread uses what follows. */
  FecBlock block;
  FecBlock frame; /* of which some packets may be late, */
  guint n_late;   /* so many */
  gint clock_rate;
  gboolean started;
  guint16 seq;             /* of the last media packet as it came */
  guint16 offset;          /* what its number grew by */
  Growth growths[GROWTHS]; /* the latest of this stream, */
  guint n_growths;         /* so many in all */
  guint32 ssrc;
  guint64 timestamp; /* extended; -1 before the first */
  GstClockTime pts, dts;
  Grown others[OTHERS_MAX]; /* that came before */
  guint n_others;           /* so far */
};

G_DEFINE_TYPE (GstRtpAdaptFecEnc, gst_rtp_adapt_fec_enc, GST_TYPE_ELEMENT)
GST_ELEMENT_REGISTER_DEFINE (
    rtpadaptfecenc, "rtpadaptfecenc", GST_RANK_NONE, GST_TYPE_RTP_ADAPT_FEC_ENC)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));

/* --- blocks ------------------------------------------------------------- */

static GstFlowReturn
push_repair (GstRtpAdaptFecEnc *self, GPtrArray *made)
{
  GstFlowReturn ret = GST_FLOW_OK;

  for (guint i = 0; i < made->len && ret == GST_FLOW_OK; i++) {
    GstBuffer *buffer = gst_buffer_ref (made->pdata[i]);

    GST_BUFFER_PTS (buffer) = self->pts;
    GST_BUFFER_DTS (buffer) = self->dts;
    ret = gst_pad_push (self->srcpad, buffer);
  }
  return ret;
}

/* RTP has room for 7 bits (RFC 3550 5.1). */
static gboolean
is_payload_type (guint pt)
{
  return pt < 128;
}

/* Without a payload type there is no Reed-Solomon code. */
static RaFecCode
code_of (const FecEncConfig *cfg)
{
  return is_payload_type (cfg->rs_pt) && cfg->code == RA_FEC_CODE_RS
      ? RA_FEC_CODE_RS
      : RA_FEC_CODE_XOR;
}

static FecHeader
header_of (const GstRtpAdaptFecEnc *self, const FecEncConfig *cfg)
{
  return (FecHeader){ .payload_type
    = (guint8) (code_of (cfg) == RA_FEC_CODE_RS ? cfg->rs_pt : cfg->pt),
    .seq = (guint16) (self->seq + self->offset + 1),
    .ssrc = self->ssrc,
    .timestamp = (guint32) self->timestamp };
}

static void
frame_drop (GstRtpAdaptFecEnc *self)
{
  fec_block_drop (&self->frame);
  self->n_late = 0;
}

static void
blocks_drop (GstRtpAdaptFecEnc *self)
{
  fec_block_drop (&self->block);
  frame_drop (self);
}

/* Repair packets that the frame so far needs. */
static guint
frame_needs (const GstRtpAdaptFecEnc *self, const FecEncConfig *cfg)
{
  return ra_repair_frame (cfg->late_loss / 1e3, self->n_late,
      cfg->rest_loss / 1e4, self->frame.n, RA_REPAIR_SPOILS);
}

/* The frame so far is a block, with what its late packets need: what of the others is
 * still missing, it brings back, too.  Its repair packets take numbers, so that the
 * other block, of which none are wanted now, would have a gap. */
static GPtrArray *
frame_end (GstRtpAdaptFecEnc *self, const FecEncConfig *cfg)
{
  const FecHeader header = header_of (self, cfg);
  guint f = frame_needs (self, cfg);

  fec_block_drop (&self->block);
  self->n_late = 0;
  return fec_block_make (&self->frame, f, code_of (cfg), &header);
}

/* What came so far is a block, of which nothing is made if the payload type is gone
 * meanwhile. */
static GstFlowReturn
block_end (GstRtpAdaptFecEnc *self, const FecEncConfig *cfg)
{
  const FecHeader header = header_of (self, cfg);
  g_autoptr (GPtrArray) made = NULL;

  if (!is_payload_type (cfg->pt))
    blocks_drop (self);
  if (frame_needs (self, cfg) > 0)
    made = frame_end (self, cfg);
  else if (self->block.n > 0)
    made = fec_block_end (&self->block, code_of (cfg), &header);
  else
    return GST_FLOW_OK;
  if (made && made->len > 0)
    self->growths[self->n_growths++ % GROWTHS]
        = (Growth){ self->seq, self->offset };
  self->offset = (guint16) (self->offset + (made ? made->len : 0));
  GST_OBJECT_LOCK (self);
  self->block_packets = ra_block_packets (&self->block.block);
  self->repair += made ? made->len : 0;
  GST_OBJECT_UNLOCK (self);
  return made ? push_repair (self, made) : GST_FLOW_OK;
}

/* No packet of a stream came yet. */
static void
stream_begin (GstRtpAdaptFecEnc *self)
{
  fec_block_clear (&self->block);
  fec_block_clear (&self->frame);
  self->n_late = 0;
  self->started = FALSE;
  self->offset = 0;
  self->n_growths = 0;
  self->timestamp = G_MAXUINT64;
}

static void
streams_forget (GstRtpAdaptFecEnc *self)
{
  stream_begin (self);
  self->n_others = 0;
  memset (self->others, 0, sizeof self->others);
}

/* An application that switches between two payloaders comes back to the first one.  Its
 * numbers go on where they were, as SRTP must not see one of them twice (RFC 3711 9.1). */
static void
stream_change (GstRtpAdaptFecEnc *self, guint32 ssrc)
{
  const Grown before = { self->ssrc, self->offset };
  Grown *place = NULL;

  stream_begin (self);
  for (guint i = 0; i < OTHERS_MAX && !place; i++) {
    if (self->others[i].offset > 0 && self->others[i].ssrc == ssrc)
      place = &self->others[i];
  }
  if (place)
    self->offset = place->offset;
  else if (before.offset > 0)
    place = &self->others[self->n_others++ % OTHERS_MAX];
  if (place)
    *place = before;
}

/* TRUE: some stream has other numbers than it came with. */
static gboolean
any_grew (const GstRtpAdaptFecEnc *self)
{
  gboolean any = self->offset > 0;

  for (guint i = 0; i < OTHERS_MAX; i++)
    any |= self->others[i].offset > 0;
  return any;
}

/* --- packets ------------------------------------------------------------ */

/* The packet was overtaken on its way here. */
static gboolean
is_overtaken (const GstRtpAdaptFecEnc *self, guint32 ssrc, guint16 seq)
{
  gint16 behind = (gint16) (self->seq - seq);

  return self->started && ssrc == self->ssrc && behind >= 0
      && behind < OVERTAKEN_MOST;
}

/* What the number of a packet grows by, which may belong before repair packets that have
 * left. */
static guint16
offset_at (const GstRtpAdaptFecEnc *self, guint16 seq)
{
  guint16 offset = self->offset;

  for (guint i = 1; i <= MIN (self->n_growths, GROWTHS); i++) {
    const Growth *g = &self->growths[(self->n_growths - i) % GROWTHS];

    if ((gint16) (seq - g->seq) > 0)
      break;
    offset = g->before;
  }
  return offset;
}

/* A block is of one SSRC and has no gap. */
static GstFlowReturn
stream_follow (
    GstRtpAdaptFecEnc *self, GstRTPBuffer *rtp, const FecEncConfig *cfg)
{
  guint16 seq = gst_rtp_buffer_get_seq (rtp);
  guint32 ssrc = gst_rtp_buffer_get_ssrc (rtp);
  GstFlowReturn ret = GST_FLOW_OK;

  if (self->started
      && (ssrc != self->ssrc || seq != (guint16) (self->seq + 1))) {
    ret = block_end (self, cfg);
    frame_drop (self);
  }
  if (ssrc != self->ssrc)
    stream_change (self, ssrc);
  self->started = TRUE;
  self->ssrc = ssrc;
  self->seq = seq;
  gst_rtp_buffer_ext_timestamp (
      &self->timestamp, gst_rtp_buffer_get_timestamp (rtp));
  return ret;
}

/* Frames are kept alone where only some of them are to be repaired. */
static void
frame_take (GstRtpAdaptFecEnc *self, const GstMapInfo *map, gboolean is_late,
    const FecEncConfig *cfg)
{
  if (cfg->percentage > 0 || cfg->late_loss + cfg->rest_loss == 0) {
    frame_drop (self);
    return;
  }
  fec_block_keep (&self->frame, map->data, (guint) map->size);
  self->n_late += is_late;
}

/* The packet, with its new number, goes into the block.  TRUE: the block ends. */
static gboolean
packet_take (GstRtpAdaptFecEnc *self, GstBuffer *buffer, gboolean marker,
    const FecEncConfig *cfg)
{
  const RaFecBlockConfig block = { .span = cfg->span * RA_MSECOND,
    .most = fec_block_most (code_of (cfg)) };
  RaTime time = gst_util_uint64_scale (
      self->timestamp, GST_SECOND, (guint64) self->clock_rate);
  gboolean important
      = GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_NON_DROPPABLE);
  GstMapInfo map;
  gboolean end;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return FALSE;
  frame_take (self, &map, important, cfg);
  end = fec_block_add (&self->block, &block,
      important ? MAX (cfg->percentage, cfg->percentage_important)
                : cfg->percentage,
      marker, time, map.data, (guint) map.size);
  gst_buffer_unmap (buffer, &map);
  self->pts = GST_BUFFER_PTS (buffer);
  self->dts = GST_BUFFER_DTS (buffer);
  if (marker || self->frame.n >= block.most) {
    if (frame_needs (self, cfg) > 0)
      end = TRUE;
    else
      frame_drop (self);
  }
  return end;
}

static GstFlowReturn
media_chain (
    GstRtpAdaptFecEnc *self, GstBuffer *buffer, const FecEncConfig *cfg)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  gboolean marker, overtaken, end;
  guint16 seq, offset;
  GstFlowReturn ret = GST_FLOW_OK;

  if (!gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp)) {
    GST_WARNING_OBJECT (self, "that is not RTP");
    return gst_pad_push (self->srcpad, buffer);
  }
  seq = gst_rtp_buffer_get_seq (&rtp);
  overtaken = is_overtaken (self, gst_rtp_buffer_get_ssrc (&rtp), seq);
  if (!overtaken)
    ret = stream_follow (self, &rtp, cfg);
  marker = gst_rtp_buffer_get_marker (&rtp);
  gst_rtp_buffer_unmap (&rtp);
  offset = offset_at (self, seq);
  if (offset > 0) {
    buffer = gst_buffer_make_writable (buffer);
    gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
    gst_rtp_buffer_set_seq (&rtp, (guint16) (seq + offset));
    gst_rtp_buffer_unmap (&rtp);
  }
  end = !overtaken && packet_take (self, buffer, marker, cfg);
  GST_OBJECT_LOCK (self);
  self->media++;
  GST_OBJECT_UNLOCK (self);
  if (ret == GST_FLOW_OK)
    ret = gst_pad_push (self->srcpad, buffer);
  else
    gst_buffer_unref (buffer);
  if (ret == GST_FLOW_OK && end)
    ret = block_end (self, cfg);
  /* Upstream may go on, as a tee does with what is not linked: no block grows
   * meanwhile. */
  if (ret != GST_FLOW_OK)
    blocks_drop (self);
  return ret;
}

static FecEncConfig
config (GstRtpAdaptFecEnc *self)
{
  FecEncConfig cfg;

  GST_OBJECT_LOCK (self);
  cfg = self->cfg;
  GST_OBJECT_UNLOCK (self);
  return cfg;
}

static GstFlowReturn
fec_enc_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRtpAdaptFecEnc *self = GST_RTP_ADAPT_FEC_ENC (parent);
  FecEncConfig cfg = config (self);

  /* Numbers that grew stay so without a payload type, too. */
  if (is_payload_type (cfg.pt) || any_grew (self))
    return media_chain (self, buffer, &cfg);
  stream_begin (self);
  return gst_pad_push (self->srcpad, buffer);
}

static void
caps_follow (GstRtpAdaptFecEnc *self, GstEvent *event)
{
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (!gst_structure_get_int (
          gst_caps_get_structure (caps, 0), "clock-rate", &self->clock_rate)
      || self->clock_rate <= 0)
    self->clock_rate = CLOCK_RATE;
}

static gboolean
fec_enc_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRtpAdaptFecEnc *self = GST_RTP_ADAPT_FEC_ENC (parent);
  FecEncConfig cfg = config (self);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      caps_follow (self, event);
      break;
    case GST_EVENT_EOS:
      block_end (self, &cfg);
      break;
    case GST_EVENT_FLUSH_STOP:
      blocks_drop (self);
      break;
    default:
      break;
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
fec_enc_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  return GST_QUERY_TYPE (query) == GST_QUERY_CAPS
      ? rtp_offer_query (pad, parent, query)
      : gst_pad_query_default (pad, parent, query);
}

/* --- the element -------------------------------------------------------- */

const Field fec_enc_fields[] = {
  { "packets", "packets", "of media that passed", "element",
      FIELD_UINT64 (GstRtpAdaptFecEnc, media) },
  { "repair", "packets", "repair packets made", "element",
      FIELD_UINT64 (GstRtpAdaptFecEnc, repair) },
  { "block-packets", "packets", "of media in the smaller blocks lately",
      "element", FIELD_UINT (GstRtpAdaptFecEnc, block_packets) },
  { NULL },
};

static void
get_stats (gpointer owner, const PropRow *row, GValue *value)
{
  g_value_take_boxed (value,
      fields_new ("application/x-rtpadaptfecenc-stats", fec_enc_fields, owner));
}

static const PropRow fec_enc_props[] = {
  { "pt", "Payload type",
      "Payload type of the repair packets (255: none are made, packets pass "
      "unchanged)",
      PROP_PLAYING, PROP_UINT (FecEncConfig, pt, 0, PT_NONE, PT_NONE) },
  { "percentage", "Percentage", "Repair packets per 100 media packets",
      PROP_PLAYING, PROP_UINT (FecEncConfig, percentage, 0, 100, 0) },
  { "percentage-important", "Percentage of important packets",
      "The same for packets with the flag NON_DROPPABLE, if it is more",
      PROP_PLAYING, PROP_UINT (FecEncConfig, percentage_important, 0, 100, 0) },
  { "span", "Span",
      "Most time between the first and the last packet of a block (0: blocks are "
      "frames), @",
      PROP_PLAYING, PROP_UINT (FecEncConfig, span, 0, SPAN_MAX, 160),
      .unit = "ms" },
  { "code", "Code",
      "What the repair packets are; rs needs rs-pt, and a receiver that "
      "can decode it (rtpadaptfecdec)",
      PROP_PLAYING,
      PROP_ENUM (FecEncConfig, code, gst_rtp_adapt_fec_code_get_type, "xor") },
  { "rs-pt", "Payload type of rs",
      "Payload type of the repair packets of the code rs (255: none)",
      PROP_PLAYING, PROP_UINT (FecEncConfig, rs_pt, 0, PT_NONE, PT_NONE) },
  { "late-loss", "Loss of late packets",
      "While percentage is 0: so many in 1000 are lost of the packets with the flag "
      "NON_DROPPABLE, for which no other repair comes in time; their frame is a block "
      "with the repair packets that this needs (0: none)",
      PROP_PLAYING, PROP_UINT (FecEncConfig, late_loss, 0, 1000, 0) },
  { "rest-loss", "Loss of the other packets",
      "While percentage is 0: so many in 10,000 of the packets without that flag stay "
      "missing, whatever other repair there is",
      PROP_PLAYING, PROP_UINT (FecEncConfig, rest_loss, 0, 10000, 0) },
  { "stats", "Statistics",
      "Structure application/x-rtpadaptfecenc-stats: docs/statistics.md has each field",
      PROP_READ, PROP_STATS, .get_locked = get_stats },
  { NULL },
};

static void
fec_enc_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptFecEnc *self = GST_RTP_ADAPT_FEC_ENC (object);

  GST_OBJECT_LOCK (self);
  props_set (&self->cfg, &fec_enc_props[id - 1], value, NULL, NULL);
  GST_OBJECT_UNLOCK (self);
}

static void
fec_enc_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptFecEnc *self = GST_RTP_ADAPT_FEC_ENC (object);

  props_get (self, GST_OBJECT_GET_LOCK (self), &self->cfg,
      &fec_enc_props[id - 1], value);
}

static GstStateChangeReturn
fec_enc_change_state (GstElement *element, GstStateChange transition)
{
  GstRtpAdaptFecEnc *self = GST_RTP_ADAPT_FEC_ENC (element);
  GstStateChangeReturn ret
      = GST_ELEMENT_CLASS (gst_rtp_adapt_fec_enc_parent_class)
            ->change_state (element, transition);

  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    streams_forget (self);
  return ret;
}

static void
fec_enc_finalize (GObject *object)
{
  streams_forget (GST_RTP_ADAPT_FEC_ENC (object));
  G_OBJECT_CLASS (gst_rtp_adapt_fec_enc_parent_class)->finalize (object);
}

static void
gst_rtp_adapt_fec_enc_class_init (GstRtpAdaptFecEncClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      rtpadaptfecenc_debug, "rtpadaptfecenc", 0, "repair over several frames");
  object_class->set_property = fec_enc_set_property;
  object_class->get_property = fec_enc_get_property;
  object_class->finalize = fec_enc_finalize;
  element_class->change_state = fec_enc_change_state;

  props_install (object_class, 1, fec_enc_props);
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "RTP FEC over frames",
      "Codec/Payloader/Network/RTP",
      "Adds repair packets (RFC 5109) over blocks of several frames",
      "The gst-rtpadapt authors");
}

static void
gst_rtp_adapt_fec_enc_init (GstRtpAdaptFecEnc *self)
{
  props_init (&self->cfg, fec_enc_props, self);
  self->clock_rate = CLOCK_RATE;
  streams_forget (self);

  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, fec_enc_chain);
  gst_pad_set_event_function (self->sinkpad, fec_enc_event);
  gst_pad_set_query_function (self->sinkpad, fec_enc_query);
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);
  GST_PAD_SET_PROXY_ALLOCATION (self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);
  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}
