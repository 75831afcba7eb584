/* rtpadaptsrc: sockets, decryption and the gate, and the way back.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "srcpriv.h"

#include "udp/udpsock.h"

#include <gst/rtpadapt/colour.h>

#define GST_CAT_DEFAULT rtpadaptsrc_debug

/* For a free port whose neighbour is free, too. */
#define PAIR_TRIES 32

/* RTCP has the least drop precedence of its stream (RFC 7657 5.4), in the class of
 * multimedia conferencing (RFC 4594 4.3). */
#define ANSWER_CLASS 4

/* --- the way back ------------------------------------------------------- */

/* One that has no route would be the end of the sink. */
static gboolean
can_send_to (GstRtpAdaptSrc *self, const gchar *host, guint port)
{
  GError *error = NULL;
  UdpAddress address;
  gboolean good;
  GSocket *socket;

  g_object_get (self->udpsink, "used-socket", &socket, NULL);
  if (!socket)
    return FALSE;
  good = udp_address_resolve (&address, host, port, socket, &error);
  if (!good)
    GST_WARNING_OBJECT (
        self, "no answer to %s port %u: %s", host, port, error->message);
  g_clear_error (&error);
  g_object_unref (socket);
  return good;
}

/* With the "%3" of a link-local address. */
static gchar *
host_text (GInetSocketAddress *address)
{
  GInetAddress *host = g_inet_socket_address_get_address (address);
  gchar *number = g_inet_address_to_string (host), *text;
  guint32 scope = 0;

  if (g_inet_address_get_family (host) == G_SOCKET_FAMILY_IPV6)
    scope = g_inet_socket_address_get_scope_id (address);
  if (scope == 0)
    return number;
  text = g_strdup_printf ("%s%%%u", number, scope);
  g_free (number);
  return text;
}

static void
answer_to (GstRtpAdaptSrc *self, GSocketAddress *address)
{
  GInetSocketAddress *inet = G_INET_SOCKET_ADDRESS (address);
  guint port = g_inet_socket_address_get_port (inet);
  g_autofree gchar *host = host_text (inet);

  g_atomic_int_set (&self->answering, FALSE);
  if (port == 0 || !can_send_to (self, host, port))
    return;
  GST_INFO_OBJECT (self, "answering to %s port %u", host, port);
  g_object_set (self->udpsink, "host", host, "port", (gint) port, NULL);
  g_atomic_int_set (&self->answering, TRUE);
}

/* Of RTP and RTCP's threads.  Who comes last sees what the other one did. */
static void
peer_moved (gpointer data)
{
  GstRtpAdaptSrc *self = data;
  GSocketAddress *to = src_gate_answer_to (self->gate), *again;

  while (to) {
    answer_to (self, to);
    again = src_gate_answer_to (self->gate);
    g_object_unref (to);
    if (again == to)
      g_clear_object (&again);
    to = again;
  }
}

/* RTCP came from a sender that waits for a sign of life before it sends RTP. */
static void
peer_called (gpointer data)
{
  src_session_ask (data);
}

/* Drops RTCP while no address is known for it. */
static GstPadProbeReturn
hold_back (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstRtpAdaptSrc *self = data;

  return g_atomic_int_get (&self->answering) ? GST_PAD_PROBE_OK
                                             : GST_PAD_PROBE_DROP;
}

/* Before it comes to an encoder without a key, which might wait for one. */
static GstPadProbeReturn
guard (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstRtpAdaptSrc *self = data;

  return g_atomic_int_get (&self->answering) && secure_is_ready (self->secure)
      ? GST_PAD_PROBE_OK
      : GST_PAD_PROBE_DROP;
}

void
src_net_guard (GstRtpAdaptSrc *self, GstPad *pad)
{
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, guard, self,
      NULL);
}

/* After a handshake reports go to its other end, which need not have sent anything
 * yet, and no longer to the old peer. */
static void
keys_came (gpointer data, GSocketAddress *peer)
{
  if (peer)
    answer_to (data, peer);
}

/* --- sockets ------------------------------------------------------------ */

static gboolean
is_group (const gchar *address)
{
  g_auto (GStrv) parts = g_strsplit (address ? address : "", "%", 2);
  GInetAddress *inet
      = parts[0] ? g_inet_address_new_from_string (parts[0]) : NULL;
  gboolean group = inet && g_inet_address_get_is_multicast (inet);

  g_clear_object (&inet);
  return group;
}

static void
post_open_error (
    GstRtpAdaptSrc *self, const gchar *address, guint port, GError *error)
{
  const gchar *where = address ? address : "this host";

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE))
    GST_ELEMENT_ERROR (self, RESOURCE, BUSY,
        ("UDP port %u of %s is in use.", port, where), (NULL));
  else
    GST_ELEMENT_ERROR (self, RESOURCE, OPEN_READ,
        ("Cannot receive at UDP port %u of %s: %s.", port, where,
            error->message),
        (NULL));
  g_error_free (error);
}

/* FALSE, having posted an error or, if `again`, not. */
static gboolean
open_pair (GstRtpAdaptSrc *self, const SrcConfig *cfg, GSocket *sockets[2],
    gboolean again)
{
  gboolean reuse = is_group (cfg->address);
  GError *error = NULL;
  guint port = cfg->port;

  sockets[1] = NULL;
  sockets[0] = udp_socket_new (cfg->address, port, reuse, &error);
  if (sockets[0] && cfg->mux)
    return TRUE;
  if (sockets[0]) {
    port = cfg->rtcp_port ? cfg->rtcp_port : udp_socket_port (sockets[0]) + 1;
    if (port > 65535)
      g_set_error (&error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
          "there is no port after it");
    else
      sockets[1] = udp_socket_new (cfg->address, port, reuse, &error);
  }
  if (sockets[1])
    return TRUE;
  g_clear_object (&sockets[0]);
  if (again)
    g_error_free (error);
  else
    post_open_error (self, cfg->address, port, error);
  return FALSE;
}

static gboolean
open_sockets (GstRtpAdaptSrc *self, const SrcConfig *cfg)
{
  gboolean any = cfg->port == 0 && cfg->rtcp_port == 0 && !cfg->mux;
  guint tries = any ? PAIR_TRIES : 1;
  GSocket *sockets[2] = { NULL, NULL };
  gboolean good = FALSE;

  while (tries-- > 0 && !good)
    good = open_pair (self, cfg, sockets, tries > 0);
  if (!good)
    return FALSE;
  GST_OBJECT_LOCK (self);
  self->sockets[0] = sockets[0];
  self->sockets[1] = sockets[1];
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

static void
close_sockets (GstRtpAdaptSrc *self)
{
  g_object_set (self->udpsrc, "socket", NULL, NULL);
  g_object_set (self->rtcpsrc, "socket", NULL, NULL);
  g_object_set (self->udpsink, "socket", NULL, NULL);
  for (guint i = 0; i < 2; i++) {
    GSocket *socket;

    GST_OBJECT_LOCK (self);
    socket = g_steal_pointer (&self->sockets[i]);
    GST_OBJECT_UNLOCK (self);
    if (!socket)
      continue;
    g_socket_close (socket, NULL);
    g_object_unref (socket);
  }
}

/* --- links -------------------------------------------------------------- */

/* From a socket to the gate, by decryption if there is any. */
static gboolean
link_in (GstRtpAdaptSrc *self, SecureKind kind, GstElement *from)
{
  GstPad *src = gst_element_get_static_pad (from, "src");
  gboolean good = secure_link_in (self->secure, kind, src);

  gst_object_unref (src);
  return good;
}

static gboolean
link_gate (GstRtpAdaptSrc *self, SecureKind kind, GstElement *direct)
{
  GstPad *src = secure_in_pad (self->secure, kind);
  GstPad *sink = gst_element_get_static_pad (
      GST_ELEMENT (self->gate), kind == SECURE_RTP ? "rtp_sink" : "rtcp_sink");
  gboolean good = TRUE;

  if (!src && direct)
    src = gst_element_get_static_pad (direct, "src");
  if (src)
    good = gst_pad_link (src, sink) == GST_PAD_LINK_OK;
  gst_clear_object (&src);
  gst_object_unref (sink);
  return good;
}

static void
unlink_pads (GstElement *element)
{
  for (GList *l = element->pads; l; l = l->next) {
    GstPad *pad = l->data, *peer = gst_pad_get_peer (pad);

    if (!peer)
      continue;
    if (GST_PAD_IS_SRC (pad))
      gst_pad_unlink (pad, peer);
    else
      gst_pad_unlink (peer, pad);
    gst_object_unref (peer);
  }
}

static void
open_gate (GstRtpAdaptSrc *self, const SrcConfig *cfg)
{
  const PeerConfig peer
      = { .authentic = secure_wanted (self->secure), .any_port = !cfg->mux };
  gboolean known[SRC_PAYLOAD_TYPES];
  GstCaps *caps = src_payloads_any ();

  for (guint pt = 0; pt < SRC_PAYLOAD_TYPES; pt++)
    known[pt] = self->payloads.caps[pt] != NULL;
  src_gate_open (self->gate, &peer, cfg->mux, known, caps);
  gst_caps_unref (caps);
}

/* Of a source that has no part in it: it stays in NULL, and gets no EOS, which
 * GstBaseSrc would keep for ever. */
static void
set_idle (GstElement *source, gboolean idle)
{
  gst_element_set_locked_state (source, idle);
  if (idle)
    GST_OBJECT_FLAG_UNSET (source, GST_ELEMENT_FLAG_SOURCE);
  else
    GST_OBJECT_FLAG_SET (source, GST_ELEMENT_FLAG_SOURCE);
}

gboolean
src_net_open (GstRtpAdaptSrc *self, const SrcConfig *cfg)
{
  guint n = cfg->mux ? 1 : 2;

  if (!open_sockets (self, cfg))
    return FALSE;
  g_atomic_int_set (&self->answering, FALSE);
  g_object_set (self->udpsrc, "socket", self->sockets[0], "address",
      cfg->address, "multicast-iface", cfg->iface, NULL);
  g_object_set (self->rtcpsrc, "socket", self->sockets[1], "address",
      cfg->address, "multicast-iface", cfg->iface, NULL);
  g_object_set (self->udpsink, "socket", self->sockets[n - 1], NULL);
  set_idle (self->rtcpsrc, cfg->mux);
  open_gate (self, cfg);

  if (!secure_open (self->secure))
    return FALSE;
  secure_dtls_socket (self->secure, self->sockets[0]);
  secure_answer_by (self->secure, self->sockets[n - 1], !cfg->mux, NULL);
  return link_in (self, SECURE_RTP, self->udpsrc)
      && (cfg->mux || link_in (self, SECURE_RTCP, self->rtcpsrc))
      && link_gate (self, SECURE_RTP, self->udpsrc)
      && link_gate (self, SECURE_RTCP, cfg->mux ? NULL : self->rtcpsrc);
}

void
src_net_close (GstRtpAdaptSrc *self)
{
  unlink_pads (self->udpsrc);
  unlink_pads (self->rtcpsrc);
  unlink_pads (self->udpsink);
  unlink_pads (GST_ELEMENT (self->gate));
  secure_close (self->secure);
  close_sockets (self);
}

void
src_net_init (GstRtpAdaptSrc *self)
{
  const SrcGateFuncs funcs = { .moved = peer_moved,
    .heard = src_streams_heard,
    .called = peer_called,
    .data = self };
  GstPad *pad;

  self->gate = src_gate_new ();
  src_gate_set_funcs (self->gate, &funcs);
  self->udpsrc = gst_element_factory_make ("rtpadaptudpsrc", "udpsrc");
  self->rtcpsrc = gst_element_factory_make ("rtpadaptudpsrc", "rtcpudpsrc");
  self->udpsink = gst_element_factory_make ("rtpadaptudpsink", "udpsink");
  g_object_set (self->udpsink, "dscp",
      (gint) ra_colour_dscp (ANSWER_CLASS, RA_MARK_GREEN), NULL);
  gst_bin_add_many (GST_BIN (self), self->udpsrc, self->rtcpsrc,
      GST_ELEMENT (self->gate), self->udpsink, NULL);

  pad = gst_element_get_static_pad (self->udpsink, "sink");
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, hold_back,
      self, NULL);
  gst_object_unref (pad);
  secure_set_ready (self->secure, keys_came, self);
}
