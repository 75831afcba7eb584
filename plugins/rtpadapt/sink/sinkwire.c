/* rtpadaptsink: what is between rtpbin and the network.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *   rtpbin.send_rtp_src_0  -> [DTLS] -> rtpsink   (socket)
 *   rtpbin.send_rtcp_src_0 -> [DTLS] -> rtcpsink  (the same, or its own)
 *   rtpbin.recv_rtcp_sink_0 <- [DTLS] <- rtcpsrc  (rtcpsink's)
 *
 * With a key no element is between them, but probes (wire/securesrtp.h).
 */
#include "sinkpriv.h"

#include "parts/elementtimer.h"
#include "parts/session.h"
#include "parts/systime.h"
#include "send/gstrtpadaptsend.h"
#include "sinkbye.h"
#include "sinkhints.h"
#include "udp/gstrtpadaptudpsink.h"
#include "wire/address.h"
#include "wire/hint.h"
#include "wire/links.h"
#include "wire/rtpnumber.h"

#include <gst/net/gstnetaddressmeta.h>
#include <gst/rtp/rtp.h>
#include <gst/rtpadapt/colour.h>
#include <string.h>

#define GST_CAT_DEFAULT rtpadaptsink_debug

/* bit/s.  RTCP gets 5 % of it: even an SR of each of ten streams is out within
 * 0.1 s, where rtpsession's own guess from the first packets (64 kbit/s) lets
 * the first SR and a BYE wait for a second. */
#define SESSION_BANDWIDTH 4000000.0

#define NO_RTCP_PORT "No port is left for RTCP above %d: set rtcp-port."

/* --- destination --------------------------------------------------------- */

static gint
rtcp_port (const SinkConfig *cfg, gboolean mux)
{
  if (mux)
    return cfg->port;
  return cfg->rtcp_port > 0 ? cfg->rtcp_port : cfg->port + 1; /* RFC 3550 11 */
}

static GSocketAddress *
destination (GstElement *udpsink)
{
  return rtp_adapt_udp_sink_get_destination (GST_RTP_ADAPT_UDP_SINK (udpsink));
}

/* RTCP goes to the address that RTP goes to: of a name with several a second look-up
 * might find another one.  The number of a host has no zone by its name. */
static gchar *
rtcp_host (GstRtpAdaptSink *self)
{
  g_autoptr (GSocketAddress) to = destination (self->rtpsink);
  gchar *host;

  g_object_get (self->rtpsink, "host", &host, NULL);
  if (to && !strchr (host, '%')) {
    g_free (host);
    host = g_inet_address_to_string (host_of (to));
  }
  return host;
}

/* Where another thread changes RTP's meanwhile, the last one counts. */
static void
rtcp_follow (GstRtpAdaptSink *self)
{
  g_autofree gchar *host = rtcp_host (self);
  gboolean same;

  do {
    gchar *now;

    g_object_set (self->rtcpsink, "host", host, NULL);
    now = rtcp_host (self);
    same = g_str_equal (host, now);
    g_free (host);
    host = now;
  } while (!same);
}

void
sink_wire_destination (GstRtpAdaptSink *self, gboolean look)
{
  g_autofree gchar *host = NULL;
  gint port, rtcp;

  if (self->missing)
    return;
  GST_OBJECT_LOCK (self);
  host = g_strdup (self->cfg.host);
  port = self->cfg.port;
  rtcp = rtcp_port (&self->cfg, self->mux);
  GST_OBJECT_UNLOCK (self);
  if (rtcp > 65535) { /* which the start refuses */
    if (GST_STATE (self) > GST_STATE_NULL)
      GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS, (NO_RTCP_PORT, port),
          ("packets go where they went before"));
    return;
  }
  g_object_set (self->rtpsink, "port", port, NULL);
  g_object_set (self->rtcpsink, "port", rtcp, NULL);
  if (look) { /* what follows comes below, and from the caller */
    g_signal_handler_block (self->rtpsink, self->host_moved);
    g_object_set (self->rtpsink, "host", host, NULL);
    g_signal_handler_unblock (self->rtpsink, self->host_moved);
  }
  rtcp_follow (self);
}

gboolean
sink_is_coloured (GstRtpAdaptSink *self)
{
  gint colour;

  g_object_get (self->send, "colour", &colour, NULL);
  return !ra_colours[colour]->none;
}

/* RFC 7657 5.4: the least-drop one that the RTP uses. */
void
sink_wire_dscp (GstRtpAdaptSink *self)
{
  gint dscp;
  guint af_class;

  if (self->missing)
    return;
  g_object_get (self->rtpsink, "af-class", &af_class, "dscp", &dscp, NULL);
  if (sink_is_coloured (self))
    dscp = (gint) ra_colour_dscp (af_class, RA_MARK_GREEN);
  g_object_set (self->rtcpsink, "af-class", af_class, "dscp", dscp, NULL);
}

/* --- sockets ------------------------------------------------------------- */

/* A child opens its socket, which others then share. */
static GSocket *
socket_open (GstElement *child)
{
  GSocket *socket = NULL;

  if (gst_element_set_state (child, GST_STATE_READY)
      != GST_STATE_CHANGE_FAILURE)
    g_object_get (child, "used-socket", &socket, NULL);
  return socket;
}

/* RTCP leaves as RTP does.  On one port rtcpsink sets the options of rtpsink's socket
 * once more. */
static void
options_copy (GstRtpAdaptSink *self)
{
  static const gchar *const names[]
      = { "bind-address", "multicast-iface", "ttl", "ttl-mc", "loop" };
  GstStructure *taken = gst_structure_new_empty ("taken");
  gint bind_port;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GValue value = G_VALUE_INIT;

    g_object_get_property (G_OBJECT (self->rtpsink), names[i], &value);
    g_object_set_property (G_OBJECT (self->rtcpsink), names[i], &value);
    gst_structure_take_value (taken, names[i], &value);
  }
  g_object_get (self->rtpsink, "bind-port", &bind_port, NULL);
  gst_structure_set (taken, "bind-port", G_TYPE_INT, bind_port, NULL);
  GST_OBJECT_LOCK (self);
  gst_clear_structure (&self->taken);
  self->taken = taken;
  GST_OBJECT_UNLOCK (self);
  g_object_set (self->rtcpsink, "bind-port",
      bind_port > 0 && bind_port < 65535 ? bind_port + 1 : 0, NULL);
}

/* What comes back is read where RTCP, or all, leaves from. */
static gboolean
sockets_open (GstRtpAdaptSink *self, gboolean mux)
{
  GSocket *rtp, *rtcp;

  options_copy (self);
  rtp = socket_open (self->rtpsink);
  if (!rtp)
    return FALSE;
  rtcp_follow (self); /* the name has been looked up */
  if (mux)
    g_object_set (self->rtcpsink, "socket", rtp, NULL);
  g_object_unref (rtp);
  rtcp = socket_open (self->rtcpsink);
  if (!rtcp)
    return FALSE;
  g_object_set (self->rtcpsrc, "socket", rtcp, NULL);
  if (!secure_is_dtls_client (self->secure))
    secure_dtls_socket (self->secure, rtcp);
  g_object_unref (rtcp);
  return TRUE;
}

/* --- links --------------------------------------------------------------- */

static gboolean
link_out (GstRtpAdaptSink *self, SecureKind kind, GstPad *src, GstElement *to)
{
  GstPad *sink = gst_element_get_static_pad (to, "sink");
  gboolean good = secure_link_out (self->secure, kind, src, sink);

  gst_object_unref (sink);
  return good;
}

/* Nobody sends us RTP; what comes and is authentic must go somewhere, or it
 * would stop the RTCP, too. */
static gboolean
link_dump (GstRtpAdaptSink *self, GstPad *src)
{
  GstElement *dump = gst_element_factory_make ("fakesink", "rtpdump");
  GstPad *sink;
  gboolean good;

  if (!dump)
    return FALSE;
  g_object_set (dump, "sync", FALSE, "async", FALSE, NULL);
  GST_OBJECT_FLAG_UNSET (dump, (guint) GST_ELEMENT_FLAG_SINK);
  gst_bin_add (GST_BIN (self), dump);
  sink = gst_element_get_static_pad (dump, "sink");
  good = GST_PAD_LINK_SUCCESSFUL (gst_pad_link (src, sink));
  gst_object_unref (sink);
  return good;
}

static gboolean
link_in (GstRtpAdaptSink *self)
{
  GstPad *src = gst_element_get_static_pad (self->rtcpsrc, "src");
  gboolean good = secure_link_in (self->secure, SECURE_RTCP, src);
  GstPad *rtcp = secure_in_pad (self->secure, SECURE_RTCP);
  GstPad *rtp = secure_in_pad (self->secure, SECURE_RTP);

  good = good
      && GST_PAD_LINK_SUCCESSFUL (
          gst_pad_link (rtcp ? rtcp : src, self->rtcp_in))
      && (!rtp || link_dump (self, rtp));
  gst_clear_object (&rtp);
  gst_clear_object (&rtcp);
  gst_object_unref (src);
  return good;
}

/* --- DTLS ---------------------------------------------------------------- */

/* Before there are keys nothing can be sent.  It is dropped here, before the
 * rate control counts it. */
static GstPadProbeReturn
not_ready (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstRtpAdaptSink *self = data;

  if (secure_is_ready (self->secure))
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&self->lock);
  self->unkeyed
      += GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER_LIST
      ? gst_buffer_list_length (GST_PAD_PROBE_INFO_BUFFER_LIST (info))
      : 1;
  g_mutex_unlock (&self->lock);
  return GST_PAD_PROBE_DROP;
}

/* Earlier packets were dropped, or went to another peer, so the decoders need a key
 * frame. */
static void
keys_came (gpointer data, GSocketAddress *peer)
{
  GstRtpAdaptSink *self = data;

  rtp_adapt_send_new_receiver (GST_RTP_ADAPT_SEND (self->send));
}

/* The stream ends when RTP ends, whatever RTCP and DTLS do. */
static GstPadProbeReturn
end_for_dtls (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstRtpAdaptSink *self = data;
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  GstPad *sink;

  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    sink = gst_element_get_static_pad (self->rtpsink, "sink");
    gst_pad_send_event (sink, gst_event_ref (event));
    gst_object_unref (sink);
  }
  return GST_PAD_PROBE_OK;
}

static void
gate_open (GstRtpAdaptSink *self)
{
  GstPad *pad = gst_element_get_static_pad (self->funnel, "src");

  self->gate = gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, not_ready,
      self, NULL);
  gst_object_unref (pad);
  self->end = gst_pad_add_probe (self->rtp_out,
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, end_for_dtls, self, NULL);
  secure_set_ready (self->secure, keys_came, self);
}

static void
gate_close (GstRtpAdaptSink *self)
{
  GstPad *pad;

  secure_set_ready (self->secure, NULL, NULL);
  if (!self->gate)
    return;
  pad = gst_element_get_static_pad (self->funnel, "src");
  gst_pad_remove_probe (pad, self->gate);
  gst_object_unref (pad);
  gst_pad_remove_probe (self->rtp_out, self->end);
  self->gate = self->end = 0;
}

/* --- whom we hear ---------------------------------------------------------- */

static void
look (GstElement *element, gpointer data)
{
  GstRtpAdaptSink *self = GST_RTP_ADAPT_SINK (element);
  g_autofree gchar *host = NULL;
  gint port;

  if (!element_timer_stop (element, &self->hint)
      || g_atomic_int_get (&self->hinted) != SINK_HINTED_ON
      || g_atomic_int_get (&self->answered))
    return;
  GST_OBJECT_LOCK (self);
  host = g_strdup (self->cfg.host);
  port = self->cfg.port;
  GST_OBJECT_UNLOCK (self);
  sink_hint_silence (element, host, port);
}

static void
look_due (GstElement *element)
{
  gst_element_call_async (element, look, NULL, NULL);
}

static void
hint_start (GstRtpAdaptSink *self)
{
  element_timer_start (
      GST_ELEMENT (self), &self->hint, HINT_AFTER, FALSE, look_due);
}

void
sink_hints_play (GstRtpAdaptSink *self)
{
  g_atomic_int_set (&self->hinted, SINK_HINTED_NEXT);
}

void
sink_hints_start (GstRtpAdaptSink *self)
{
  if (g_atomic_int_compare_and_exchange (
          &self->hinted, SINK_HINTED_NEXT, SINK_HINTED_ON))
    hint_start (self);
}

void
sink_hints_stop (GstRtpAdaptSink *self)
{
  g_atomic_int_set (&self->hinted, SINK_HINTED_OFF);
  element_timer_stop (GST_ELEMENT (self), &self->hint);
}

/* The stream ends, and another one may follow. */
static void
hints_end (GstRtpAdaptSink *self)
{
  g_atomic_int_compare_and_exchange (
      &self->hinted, SINK_HINTED_ON, SINK_HINTED_NEXT);
  element_timer_stop (GST_ELEMENT (self), &self->hint);
}

/* Packets go elsewhere, and the receiver there should answer. */
static void
hints_again (GstRtpAdaptSink *self)
{
  g_atomic_int_set (&self->answered, FALSE);
  if (g_atomic_int_get (&self->hinted) != SINK_HINTED_ON)
    return;
  element_timer_stop (GST_ELEMENT (self), &self->hint);
  hint_start (self);
}

/* Any packet is an answer, even one with a wrong key: another warning is about that.  But
 * the receiver at the host before may go on to report. */
static GstPadProbeReturn
answer_comes (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstRtpAdaptSink *self = data;
  GstNetAddressMeta *meta
      = gst_buffer_get_net_address_meta (GST_PAD_PROBE_INFO_BUFFER (info));
  gboolean former;

  if (g_atomic_int_get (&self->answered))
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&self->lock);
  former = self->before && meta && is_inet (meta->addr)
      && same_host (self->before, host_of (meta->addr))
      && !(self->to && g_inet_address_get_is_multicast (host_of (self->to)));
  g_mutex_unlock (&self->lock);
  if (!former)
    g_atomic_int_set (&self->answered, TRUE);
  return GST_PAD_PROBE_OK;
}

static void
note_packet (GstRtpAdaptSink *self, GstBuffer *buffer)
{
  guint8 head[RTP_NUMBER_HEAD];
  gsize size = gst_buffer_extract (buffer, 0, head, sizeof head);

  g_mutex_lock (&self->lock);
  sink_peer_on_packet (&self->who, head, size);
  g_mutex_unlock (&self->lock);
}

static void
note_caps (GstRtpAdaptSink *self, GstEvent *event)
{
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  g_mutex_lock (&self->lock);
  sink_peer_on_caps (&self->who, caps);
  g_mutex_unlock (&self->lock);
}

static GstPadProbeReturn
rtp_leaves (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstRtpAdaptSink *self = data;
  GstBufferList *list;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
    if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_CAPS)
      note_caps (self, GST_PAD_PROBE_INFO_EVENT (info));
    return GST_PAD_PROBE_OK;
  }
  g_atomic_int_set (&self->ended, FALSE);
  sink_hints_start (self);
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    note_packet (self, GST_PAD_PROBE_INFO_BUFFER (info));
    return GST_PAD_PROBE_OK;
  }
  list = GST_PAD_PROBE_INFO_BUFFER_LIST (info);
  for (guint i = 0; i < gst_buffer_list_length (list); i++)
    note_packet (self, gst_buffer_list_get (list, i));
  return GST_PAD_PROBE_OK;
}

/* --- the end ---------------------------------------------------------------- */

/* BYE of each SSRC that has sent RTP or RTCP, as RFC 3550 6.3.7 has it.  Before
 * rtpsession's first report its RTCP pad has no caps, and nothing is said. */
static void
bye_say (GstRtpAdaptSink *self)
{
  g_autoptr (GstStructure) sdes = NULL;
  g_autoptr (GObject) session = NULL;
  guint32 ssrcs[SINK_SSRCS];
  const gchar *cname;
  guint n;

  g_mutex_lock (&self->lock);
  n = self->who.n_ssrcs;
  memcpy (ssrcs, self->who.ssrcs, n * sizeof ssrcs[0]);
  g_mutex_unlock (&self->lock);
  if (n == 0 || !gst_pad_has_current_caps (self->rtcp_out))
    return;
  g_signal_emit_by_name (self->rtpbin, "get-internal-session", 0, &session);
  g_object_get (session, "sdes", &sdes, NULL);
  cname = gst_structure_get_string (sdes, "cname");
  for (guint i = 0; i < n; i++)
    gst_pad_push (self->rtcp_out, sink_bye_new (ssrcs[i], cname ? cname : ""));
}

/* rtpsession (1.22) pushes the EOS first and BYEs later, when the application may have
 * stopped us; behind the BYE of one SSRC its RTCP pad is at its end, also behind a flush
 * that begins again (docs/upstream.md).  So EOS goes round it. */
static GstPadProbeReturn
rtp_ends (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstRtpAdaptSink *self = data;
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

  if (GST_EVENT_TYPE (event) != GST_EVENT_EOS)
    return GST_PAD_PROBE_OK;
  hints_end (self);
  g_atomic_int_set (&self->ended, TRUE);
  bye_say (self);
  gst_pad_push_event (self->rtp_out, gst_event_ref (event));
  return GST_PAD_PROBE_DROP;
}

/* A source that has said BYE has left the session (RFC 3550 6.3.7), but rtpsession goes on
 * with its reports.  They are dropped until there is RTP again. */
static GstPadProbeReturn
rtcp_leaves (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstRtpAdaptSink *self = data;
  guint8 head[8];
  gsize size;

  if (g_atomic_int_get (&self->ended))
    return GST_PAD_PROBE_DROP;
  size = gst_buffer_extract (
      GST_PAD_PROBE_INFO_BUFFER (info), 0, head, sizeof head);
  g_mutex_lock (&self->lock);
  sink_peer_on_rtcp_sent (&self->who, head, size);
  g_mutex_unlock (&self->lock);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
rtcp_comes (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstRtpAdaptSink *self = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  GstMapInfo map;
  gboolean pass, warn;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return GST_PAD_PROBE_DROP;
  g_mutex_lock (&self->lock);
  pass = sink_peer_on_rtcp (&self->who, meta ? meta->addr : NULL, map.data,
      map.size, system_now (), &warn);
  g_mutex_unlock (&self->lock);
  gst_buffer_unmap (buffer, &map);
  if (warn)
    GST_ELEMENT_WARNING (
        self, RESOURCE, SETTINGS, (ENCRYPTED_TEXT), ("RFC 3711"));
  if (!pass)
    return GST_PAD_PROBE_DROP;
  GST_PAD_PROBE_INFO_DATA (info) = session_forget_sender (buffer);
  return GST_PAD_PROBE_OK;
}

/* Receivers in a multicast group are answered in that group. */
static void
answers_go (GstRtpAdaptSink *self)
{
  GSocketAddress *to = destination (self->rtcpsink);
  gboolean group = to && g_inet_address_get_is_multicast (host_of (to));
  GSocket *socket;

  g_object_get (self->rtcpsink, "used-socket", &socket, NULL);
  secure_answer_by (self->secure, socket, FALSE, group ? to : NULL);
  g_clear_object (&socket);
  g_clear_object (&to);
}

/* `to`: where RTP goes, or NULL.  With DTLS another receiver is there when the keys come,
 * and the one before has others. */
static void
peer_open (GstRtpAdaptSink *self, GSocketAddress *to)
{
  PeerConfig cfg = { .authentic = secure_wanted (self->secure) };
  gboolean dtls = secure_wants_dtls (self->secure), other;

  GST_OBJECT_LOCK (self);
  cfg.any_port = !self->mux;
  GST_OBJECT_UNLOCK (self);
  if (to)
    cfg.host = host_of (to);
  if (secure_is_dtls_client (self->secure))
    secure_dtls_from (self->secure, to);
  answers_go (self);
  g_mutex_lock (&self->lock);
  other = self->to && !same_host_and_port (self->to, to);
  /* Host and port may be set one after the other: the host has to be another one. */
  if (other && !(to && same_host (host_of (self->to), host_of (to)))) {
    g_set_object (&self->before, host_of (self->to));
    self->moved_at = system_now ();
  }
  if (cfg.authentic && !dtls) {
    cfg.before = self->before;
    cfg.since = self->moved_at;
  }
  sink_peer_open (&self->who, &cfg);
  g_set_object (&self->to, to);
  g_mutex_unlock (&self->lock);
  if (other)
    hints_again (self);
  if (other && !dtls)
    rtp_adapt_send_new_receiver (GST_RTP_ADAPT_SEND (self->send));
}

/* Where another thread changes the destination meanwhile, the last one counts. */
void
sink_wire_peer (GstRtpAdaptSink *self)
{
  GSocketAddress *to = destination (self->rtpsink), *now;

  while (TRUE) {
    peer_open (self, to);
    now = destination (self->rtpsink);
    if (same_address (to, now))
      break;
    g_clear_object (&to);
    to = now;
  }
  g_clear_object (&to);
  g_clear_object (&now);
}

void
sink_wire_moved (GstRtpAdaptSink *self)
{
  GSocketAddress *now = destination (self->rtpsink);
  gboolean moved;

  g_mutex_lock (&self->lock);
  moved = self->to && now && !same_address (self->to, now);
  g_mutex_unlock (&self->lock);
  g_clear_object (&now);
  if (!moved)
    return;
  rtcp_follow (self);
  sink_wire_peer (self);
}

void
sink_wire_init (GstRtpAdaptSink *self)
{
  GstPad *pad;

  if (self->missing)
    return;
  pad = gst_element_get_static_pad (self->send, "src");
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, rtp_ends, self, NULL);
  gst_object_unref (pad);
  pad = gst_ghost_pad_get_target (GST_GHOST_PAD (self->rtcp_out));
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, rtcp_leaves, self, NULL);
  gst_object_unref (pad);
  pad = gst_element_get_static_pad (self->rtcpsrc, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, answer_comes, self, NULL);
  gst_object_unref (pad);
  gst_pad_add_probe (self->rtp_out,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST
          | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      rtp_leaves, self, NULL);
  gst_pad_add_probe (
      self->rtcp_in, GST_PAD_PROBE_TYPE_BUFFER, rtcp_comes, self, NULL);
}

/* --- all of it ----------------------------------------------------------- */

static void
session_configure (GstRtpAdaptSink *self)
{
  const gint profile = secure_wanted (self->secure) ? GST_RTP_PROFILE_SAVPF
                                                    : GST_RTP_PROFILE_AVPF;
  GstElement *session = NULL;
  GObject *internal = NULL;

  g_object_set (self->rtpbin, "rtp-profile", profile, NULL);
  /* RFC 3711 9.1: the same key and number never protect two packets. */
  g_object_set (
      self->send, "plain-repeats", !secure_wanted (self->secure), NULL);
  g_signal_emit_by_name (self->rtpbin, "get-session", 0, &session);
  g_object_set (
      session, "rtp-profile", profile, "bandwidth", SESSION_BANDWIDTH, NULL);
  gst_object_unref (session);
  g_signal_emit_by_name (self->rtpbin, "get-internal-session", 0, &internal);
  session_keep_no_feedback (internal);
  g_object_unref (internal);
}

gboolean
sink_wire_open (GstRtpAdaptSink *self)
{
  SinkConfig cfg;

  GST_OBJECT_LOCK (self);
  cfg = self->cfg;
  self->mux = cfg.rtcp_mux;
  GST_OBJECT_UNLOCK (self);
  if (rtcp_port (&cfg, cfg.rtcp_mux) > 65535) {
    GST_ELEMENT_ERROR (
        self, RESOURCE, SETTINGS, (NO_RTCP_PORT, cfg.port), (NULL));
    return FALSE;
  }
  g_mutex_lock (&self->lock);
  sink_peer_start (&self->who);
  self->unkeyed = 0;
  g_mutex_unlock (&self->lock);
  g_atomic_int_set (&self->answered, FALSE);
  sink_wire_destination (self, TRUE);
  sink_wire_dscp (self);
  if (!secure_open (self->secure, cfg.rtcp_mux))
    return FALSE;
  session_configure (self); /* by what security has taken */
  if (!sockets_open (self, cfg.rtcp_mux))
    return FALSE;
  if (secure_wants_dtls (self->secure))
    gate_open (self);
  sink_wire_peer (self);
  if (link_out (self, SECURE_RTP, self->rtp_out, self->rtpsink)
      && link_out (self, SECURE_RTCP, self->rtcp_out, self->rtcpsink)
      && link_in (self))
    return TRUE;
  GST_ELEMENT_ERROR (
      self, CORE, PAD, ("The parts do not fit together."), (NULL));
  return FALSE;
}

void
sink_wire_close (GstRtpAdaptSink *self)
{
  GstElement *dump = gst_bin_get_by_name (GST_BIN (self), "rtpdump");

  gate_close (self);
  links_undo (self->rtp_out);
  links_undo (self->rtcp_out);
  links_undo (self->rtcp_in);
  secure_close (self->secure);
  if (dump) {
    gst_element_set_state (dump, GST_STATE_NULL);
    gst_bin_remove (GST_BIN (self), dump);
    gst_object_unref (dump);
  }
  gst_element_set_state (self->rtcpsrc, GST_STATE_NULL);
  gst_element_set_state (self->rtcpsink, GST_STATE_NULL);
  gst_element_set_state (self->rtpsink, GST_STATE_NULL);
  g_object_set (self->rtcpsrc, "socket", NULL, NULL);
  g_object_set (self->rtcpsink, "socket", NULL, NULL);
  GST_OBJECT_LOCK (self);
  gst_clear_structure (&self->taken);
  GST_OBJECT_UNLOCK (self);
  g_mutex_lock (&self->lock);
  sink_peer_close (&self->who);
  g_clear_object (&self->to);
  g_clear_object (&self->before);
  g_mutex_unlock (&self->lock);
}
