/* rtpadaptsrc: properties.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "srcpriv.h"

#include "wire/binuri.h"
#include "udp/udpsock.h"

#include <gst/rtpadapt/defaults.h>

#define GST_CAT_DEFAULT rtpadaptsrc_debug

enum
{
  PROP_0,
  PROP_URI,
  PROP_ADDRESS,
  PROP_PORT,
  PROP_RTCP_MUX,
  PROP_RTCP_PORT,
  PROP_MULTICAST_IFACE,
  PROP_LATENCY,
  PROP_DROP_ON_LATENCY,
  PROP_ENCODING_NAME,
  PROP_PT_MAP,
  PROP_CAPS,
  PROP_FEEDBACK,
  PROP_LDA,
  PROP_LDA_PARAMS,
  PROP_FEC,
  PROP_RETRANSMISSION,
  PROP_STATS,
  PROP_STATS_INTERVAL,
  PROP_SECURE, /* and on: those of secure.h */
};

static void
set_text (gchar **text, const GValue *value)
{
  const gchar *given = g_value_get_string (value);

  g_free (*text);
  *text = given && *given ? g_strdup (given) : NULL;
}

/* The object lock is held.  FALSE: it is none of these. */
static gboolean
set_locked (SrcConfig *cfg, guint id, const GValue *value)
{
  switch (id) {
    case PROP_ADDRESS:
      set_text (&cfg->address, value);
      break;
    case PROP_PORT:
      cfg->port = (guint) g_value_get_int (value);
      break;
    case PROP_RTCP_MUX:
      cfg->mux = g_value_get_boolean (value);
      break;
    case PROP_RTCP_PORT:
      cfg->rtcp_port = (guint) g_value_get_int (value);
      break;
    case PROP_MULTICAST_IFACE:
      set_text (&cfg->iface, value);
      break;
    case PROP_LATENCY:
      cfg->latency = g_value_get_uint (value);
      break;
    case PROP_DROP_ON_LATENCY:
      cfg->drop_on_latency = g_value_get_boolean (value);
      break;
    case PROP_ENCODING_NAME:
      set_text (&cfg->encoding, value);
      break;
    case PROP_PT_MAP:
      set_text (&cfg->pt_map, value);
      break;
    case PROP_CAPS:
      gst_caps_replace (&cfg->caps, (GstCaps *) gst_value_get_caps (value));
      break;
    case PROP_FEEDBACK:
      cfg->feedback = (GstRtpAdaptFeedback) g_value_get_enum (value);
      break;
    case PROP_FEC:
      cfg->fec = g_value_get_boolean (value);
      break;
    case PROP_RETRANSMISSION:
      cfg->retransmission = g_value_get_boolean (value);
      break;
    case PROP_STATS_INTERVAL:
      cfg->stats_interval = g_value_get_uint64 (value);
      break;
    default:
      return FALSE;
  }
  return TRUE;
}

static void
restart_stats (GstRtpAdaptSrc *self)
{
  GstState state;

  GST_OBJECT_LOCK (self);
  state = GST_STATE (self);
  GST_OBJECT_UNLOCK (self);
  src_stats_stop (self);
  if (state == GST_STATE_PLAYING)
    src_stats_start (self);
}

static void
set_uri (GstRtpAdaptSrc *self, const gchar *uri)
{
  GError *problem = NULL;

  bin_uri_set (GST_ELEMENT (self), uri, &problem);
  GST_OBJECT_LOCK (self);
  g_clear_error (&self->problem);
  self->problem = problem;
  GST_OBJECT_UNLOCK (self);
}

void
src_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptSrc *self = GST_RTP_ADAPT_SRC (object);
  gboolean done;

  if (id == PROP_URI) {
    set_uri (self, g_value_get_string (value));
    return;
  }
  if (id == PROP_LDA || id == PROP_LDA_PARAMS) {
    g_object_set_property (G_OBJECT (self->recv), pspec->name, value);
    return;
  }
  GST_OBJECT_LOCK (self);
  done = set_locked (&self->cfg, id, value);
  GST_OBJECT_UNLOCK (self);
  if (!done && !secure_set_property (self->secure, pspec, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  if (id == PROP_LATENCY && self->rtpbin)
    g_object_set_property (G_OBJECT (self->rtpbin), "latency", value);
  if (id == PROP_STATS_INTERVAL)
    restart_stats (self);
}

/* The object lock is held.  The port in use, or what is set. */
static gint
port_of (const GstRtpAdaptSrc *self, guint which)
{
  if (self->sockets[which])
    return (gint) udp_socket_port (self->sockets[which]);
  return (gint) (which ? self->cfg.rtcp_port : self->cfg.port);
}

/* The object lock is held.  FALSE: it is none of these. */
static gboolean
get_locked (GstRtpAdaptSrc *self, guint id, GValue *value)
{
  const SrcConfig *cfg = &self->cfg;

  switch (id) {
    case PROP_ADDRESS:
      g_value_set_string (value, cfg->address);
      break;
    case PROP_PORT:
      g_value_set_int (value, port_of (self, 0));
      break;
    case PROP_RTCP_MUX:
      g_value_set_boolean (value, cfg->mux);
      break;
    case PROP_RTCP_PORT:
      g_value_set_int (value, port_of (self, 1));
      break;
    case PROP_MULTICAST_IFACE:
      g_value_set_string (value, cfg->iface);
      break;
    case PROP_LATENCY:
      g_value_set_uint (value, cfg->latency);
      break;
    case PROP_DROP_ON_LATENCY:
      g_value_set_boolean (value, cfg->drop_on_latency);
      break;
    case PROP_ENCODING_NAME:
      g_value_set_string (value, cfg->encoding);
      break;
    case PROP_PT_MAP:
      g_value_set_string (value, cfg->pt_map);
      break;
    case PROP_CAPS:
      gst_value_set_caps (value, cfg->caps);
      break;
    case PROP_FEEDBACK:
      g_value_set_enum (value, cfg->feedback);
      break;
    case PROP_FEC:
      g_value_set_boolean (value, cfg->fec);
      break;
    case PROP_RETRANSMISSION:
      g_value_set_boolean (value, cfg->retransmission);
      break;
    case PROP_STATS_INTERVAL:
      g_value_set_uint64 (value, cfg->stats_interval);
      break;
    default:
      return FALSE;
  }
  return TRUE;
}

void
src_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptSrc *self = GST_RTP_ADAPT_SRC (object);
  gboolean done;

  switch (id) {
    case PROP_URI:
      g_value_take_string (value, bin_uri_get (GST_ELEMENT (self)));
      return;
    case PROP_LDA:
    case PROP_LDA_PARAMS:
      g_object_get_property (G_OBJECT (self->recv), pspec->name, value);
      return;
    case PROP_STATS:
      g_value_take_boxed (value, src_stats (self));
      return;
    default:
      break;
  }
  GST_OBJECT_LOCK (self);
  done = get_locked (self, id, value);
  GST_OBJECT_UNLOCK (self);
  if (!done && !secure_get_property (self->secure, pspec, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

#define STATIC G_PARAM_STATIC_STRINGS
#define READ (G_PARAM_READABLE | STATIC)
#define READY (G_PARAM_READWRITE | STATIC | GST_PARAM_MUTABLE_READY)
#define PLAYING (G_PARAM_READWRITE | STATIC | GST_PARAM_MUTABLE_PLAYING)

static void
install_net_props (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_URI,
      g_param_spec_string ("uri", "URI",
          "rtpadapt://address:port?property=value&...: where to receive, and "
          "other properties of this element, but for keys and files",
          NULL, READY));
  g_object_class_install_property (klass, PROP_ADDRESS,
      g_param_spec_string ("address", "Address",
          "Address to receive at, 0.0.0.0: all of IPv4, or a multicast group "
          "to join; none: all, of IPv4 and IPv6",
          NULL, READY));
  g_object_class_install_property (klass, PROP_PORT,
      g_param_spec_int ("port", "Port",
          "Port to receive at (0: a free one, to be read here from READY on)",
          0, 65535, BIN_URI_PORT, READY));
  g_object_class_install_property (klass, PROP_RTCP_MUX,
      g_param_spec_boolean ("rtcp-mux", "RTCP mux",
          "RTP and RTCP share a port (RFC 5761), and answers go where packets "
          "come from; else RTCP has rtcp-port, at both ends",
          TRUE, READY));
  g_object_class_install_property (klass, PROP_RTCP_PORT,
      g_param_spec_int ("rtcp-port", "RTCP port",
          "Port to receive RTCP at, without rtcp-mux (0: that after port)", 0,
          65535, 0, READY));
  g_object_class_install_property (klass, PROP_MULTICAST_IFACE,
      g_param_spec_string ("multicast-iface", "Multicast interface",
          "Network interfaces to join a group by (\"eth0,eth1\"); none: as "
          "routed",
          NULL, READY));
}

static void
install_stream_props (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_LATENCY,
      g_param_spec_uint ("latency", "Latency",
          "Time that packets are held for late ones and for repair (ms)", 0,
          G_MAXINT, 200, PLAYING));
  g_object_class_install_property (klass, PROP_DROP_ON_LATENCY,
      g_param_spec_boolean ("drop-on-latency", "Drop on latency",
          "Never hold more than latency: drop the oldest packets", FALSE,
          READY));
  g_object_class_install_property (klass, PROP_ENCODING_NAME,
      g_param_spec_string ("encoding-name", "Encoding name",
          "What the packets of dynamic payload types are that are neither in "
          "pt-map nor in caps, \"H264\" or \"OPUS/48000\"; none: they are "
          "dropped",
          NULL, READY));
  g_object_class_install_property (klass, PROP_PT_MAP,
      g_param_spec_string ("pt-map", "Payload type map",
          "Payload types and what they are, "
          "\"96=H264/90000,97=OPUS/48000/2\" (name/Hz/channels)",
          NULL, READY));
  g_object_class_install_property (klass, PROP_CAPS,
      g_param_spec_boxed ("caps", "Caps",
          "Of packets in all detail, one structure for each payload type; one "
          "without payload is for the dynamic ones",
          GST_TYPE_CAPS, READY));
}

static void
install_repair_props (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_FEEDBACK,
      g_param_spec_enum ("feedback", "Feedback",
          "What is reported to the sender, which should be set to the same; "
          "both sides say so where it is not",
          GST_TYPE_RTP_ADAPT_FEEDBACK, GST_RTP_ADAPT_FEEDBACK_TWCC, READY));
  g_object_class_install_property (klass, PROP_LDA,
      g_param_spec_enum ("lda", "Loss differentiation",
          "Which losses are congestion, for statistics, and for feedback=tfrc",
          GST_TYPE_RTP_ADAPT_LDA,
          gst_rtp_adapt_enum_value (GST_TYPE_RTP_ADAPT_LDA, RA_DEFAULT_LDA),
          PLAYING));
  g_object_class_install_property (klass, PROP_LDA_PARAMS,
      g_param_spec_string ("lda-params", "Loss differentiation parameters",
          "The LDA's parameters, \"name=value,name=value\"", "", PLAYING));
  g_object_class_install_property (klass, PROP_FEC,
      g_param_spec_boolean ("fec", "FEC",
          "Bring back lost video by repair packets (ULPFEC, payload type 122)",
          TRUE, READY));
  g_object_class_install_property (klass, PROP_RETRANSMISSION,
      g_param_spec_boolean ("retransmission", "Retransmission",
          "Ask for lost packets again; the sender repeats video with payload "
          "type 121",
          FALSE, READY));
}

void
src_props_install (GObjectClass *klass)
{
  install_net_props (klass);
  install_stream_props (klass);
  install_repair_props (klass);
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Since READY: packets let in (rtp, rtcp, of these fec and "
          "retransmitted) and not (junk, unknown-payload, foreign-rtp, "
          "foreign-rtcp, early-rtcp, flood, jumped (the sequence number is far "
          "off) and sr-requests, which hang rtpsession 1.22); unnumbered, "
          "packets whose transport-wide number was not believed; renumbered, "
          "how often these numbers began anew; stale-feedback, reports that did "
          "not leave because their sender is gone; answers-dropped, RTCP that "
          "did not leave because it was too much; own-ssrc, packets with our "
          "own SSRC (RTCP is not "
          "let in, for RTP we take another); moved, the times that the peer's "
          "address changed; streams, and of them all lost, late, recovered, "
          "unrecovered (packets, of FEC too) and residual-loss, the share of "
          "media packets still missing; security, udp, receiver: as these tell",
          GST_TYPE_STRUCTURE, READ));
  g_object_class_install_property (klass, PROP_STATS_INTERVAL,
      g_param_spec_uint64 ("stats-interval", "Statistics interval",
          "Between element messages with the statistics (ns, 0: none)", 0,
          GST_RTP_ADAPT_STATS_INTERVAL_MAX, 0, PLAYING));
  secure_props_install (klass, PROP_SECURE, FALSE);
}
