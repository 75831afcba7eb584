/* rtpadaptudpsink: UDP with a DSCP and ECN bits per packet.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-rtpadaptudpsink
 * @title: rtpadaptudpsink
 * @short_description: UDP with a DSCP and ECN bits per packet
 *
 * Sends each buffer as one UDP packet, over IPv4 and IPv6.  A packet that
 * carries a colour (green, yellow, red) gets the DSCP of that drop precedence
 * in the Assured Forwarding class #GstRtpAdaptUdpSink:af-class, any other
 * packet #GstRtpAdaptUdpSink:dscp.  RTCP that goes with coloured packets is
 * green (RFC 7657 5.4).  A sink that sends RTCP only sees no colours: give it
 * the DSCP of green, 34 for class 4.
 *
 * Packets that rtpadaptsend decided about (`ecn` there) get the ECN bits that it
 * wants, all others those of #GstRtpAdaptUdpSink:ecn.
 *
 * A buffer list leaves with one system call.  As what comes has been paced,
 * `sync` and `async` are false.
 *
 * #GstRtpAdaptUdpSink:host and #GstRtpAdaptUdpSink:port may change while it
 * plays.  What the network refuses is counted in #GstRtpAdaptUdpSink:stats and
 * warned of once, and again at another address or after 2 s in which nothing left; it
 * never stops the stream.  While the network takes nothing, the sink waits 100 ms and then
 * drops what it has.  An interface that is named, in a host such as fe80::1%wlan0 or in
 * #GstRtpAdaptUdpSink:multicast-iface, may be taken away and come back: within a second
 * packets leave by the new one.  The name of a host is looked up again when it is set again,
 * and when no packet could leave for 2 s, as in another network; notify::host says that
 * packets go to another address.
 *
 * With #GstRtpAdaptUdpSink:bind-address nothing leaves while this host has not that address.
 * A warning says so, and packets leave again as soon as it is back.  Where an interface
 * comes back with another address, it is better not set.
 *
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=60 ! x264enc tune=zerolatency ! \
 *     rtph264pay ! rtpadaptudpsink host=127.0.0.1 port=5004 dscp=34
 * ]|
 */
#include "udpsinkpriv.h"

#include "parts/colourmeta.h"
#include "parts/ecnmeta.h"

#include <errno.h>
#include <gst/rtpadapt/colour.h>
#include <string.h>

GST_DEBUG_CATEGORY (rtpadaptudpsink_debug);
#define GST_CAT_DEFAULT rtpadaptudpsink_debug

/* What waited longer for a socket that is full is of no use to live video. */
#define MAX_WAIT (100 * G_TIME_SPAN_MILLISECOND)
/* Looking for an interface is two system calls. */
#define RENEW_AGAIN G_TIME_SPAN_SECOND

#define parent_class gst_rtp_adapt_udp_sink_parent_class
G_DEFINE_TYPE (GstRtpAdaptUdpSink, gst_rtp_adapt_udp_sink, GST_TYPE_BASE_SINK)
GST_ELEMENT_REGISTER_DEFINE (rtpadaptudpsink, "rtpadaptudpsink", GST_RANK_NONE,
    GST_TYPE_RTP_ADAPT_UDP_SINK)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

/* --- the host ------------------------------------------------------------ */

/* Looks it up.  If that fails it posts an error, or a warning if packets can go on to the
 * address before; nothing where it looks `again`.  *moved: the address is another one.
 *
 * Another thread may close the sink before the lock is taken here, or while the name is
 * looked up.  Then nothing has to be found: opening looks the host up again. */
static gboolean
resolve (GstRtpAdaptUdpSink *self, gboolean again, gboolean *moved)
{
  g_autofree gchar *host = NULL;
  g_autoptr (GSocket) socket = NULL;
  GError *error = NULL;
  UdpAddress to;
  gboolean good, known;

  *moved = FALSE;
  GST_OBJECT_LOCK (self);
  host = g_strdup (self->cfg.host);
  g_set_object (&socket, self->socket);
  GST_OBJECT_UNLOCK (self);
  if (!socket)
    return TRUE;
  good = udp_address_resolve (&to, host, 0, socket, &error);
  GST_OBJECT_LOCK (self);
  /* Another thread may have set another one meanwhile. */
  if (good && socket == self->socket && g_str_equal (host, self->cfg.host)) {
    udp_address_set_port (&to, self->cfg.port);
    *moved = !udp_address_equal (&to, &self->to);
    self->moved |= *moved;
    self->to = to;
    g_free (self->to_host);
    self->to_host = g_strdup (host);
  }
  known = self->to_host != NULL;
  GST_OBJECT_UNLOCK (self);
  if (!good && again)
    GST_INFO_OBJECT (self, "\"%s\": %s", host, error->message);
  else if (!good && known)
    GST_ELEMENT_WARNING (self, RESOURCE, NOT_FOUND,
        ("Packets go on to the address before: \"%s\" was not found: %s.", host,
            error->message),
        (NULL));
  else if (!good)
    GST_ELEMENT_ERROR (self, RESOURCE, NOT_FOUND,
        ("Cannot send to the host \"%s\": %s.", host, error->message), (NULL));
  g_clear_error (&error);
  return good;
}

static void
look_again (GstElement *element, gpointer data)
{
  GstRtpAdaptUdpSink *self = GST_RTP_ADAPT_UDP_SINK (element);
  gboolean moved;

  if (resolve (self, TRUE, &moved) && moved)
    g_object_notify (G_OBJECT (self), "host");
  g_atomic_int_set (&self->looking, FALSE);
}

/* A look-up may take seconds, so another thread does it.  A number has nothing to be
 * looked up. */
static void
look_start (GstRtpAdaptUdpSink *self)
{
  g_autofree gchar *host = NULL;
  UdpAddress to;

  GST_OBJECT_LOCK (self);
  host = g_strdup (self->to_host);
  GST_OBJECT_UNLOCK (self);
  if (host && !udp_address_read (&to, host, NULL)
      && g_atomic_int_compare_and_exchange (&self->looking, FALSE, TRUE))
    gst_element_call_async (GST_ELEMENT (self), look_again, NULL, NULL);
}

/* --- sending ------------------------------------------------------------ */

/* RTCP's packet types stand where RTP has marker and payload type, which are
 * never 192 to 223 together (RFC 5761 4). */
static gboolean
buffer_is_rtcp (GstBuffer *buffer)
{
  guint8 head[2];

  return gst_buffer_extract (buffer, 0, head, 2) == 2 && head[0] >> 6 == 2
      && head[1] >= 192 && head[1] <= 223;
}

/* FALSE if the batch is full. */
static gboolean
batch_add (GstRtpAdaptUdpSink *self, GstBuffer *buffer, guint af_class,
    gint dscp, RaEcnField ecn)
{
  UdpSinkPacket packet = { .mark = rtp_adapt_buffer_get_colour (buffer) };
  RaEcnField own = rtp_adapt_buffer_get_ecn (buffer);
  guint n = udp_batch_length (self->batch);
  gint tos = -1;

  if (packet.mark != RA_MARK_NONE) {
    self->coloured = TRUE;
  } else {
    packet.rtcp = buffer_is_rtcp (buffer);
    if (self->coloured && packet.rtcp)
      packet.mark = RA_MARK_GREEN; /* RFC 7657 5.4 */
  }
  if (packet.mark != RA_MARK_NONE)
    dscp = (gint) ra_colour_dscp (af_class, packet.mark);
  if (own != RA_ECN_UNSAID)
    ecn = own;
  if (dscp >= 0 || ecn != RA_ECN_NOT_ECT)
    tos = (dscp >= 0 ? dscp << 2 : self->tos & ~3) | (gint) ecn;
  if (!udp_batch_add (self->batch, buffer, tos))
    return FALSE;
  packet.size = gst_buffer_get_size (buffer);
  self->packets[n] = packet;
  return TRUE;
}

/* Waits until the socket takes something.  GST_FLOW_CUSTOM_SUCCESS: it did not
 * in time. */
static GstFlowReturn
wait_writable (GstRtpAdaptUdpSink *self)
{
  GCancellable *unlock;
  GError *error = NULL;
  GstFlowReturn flow = GST_FLOW_OK;

  GST_OBJECT_LOCK (self);
  unlock = g_object_ref (self->unlock);
  GST_OBJECT_UNLOCK (self);
  if (!g_socket_condition_timed_wait (
          self->socket, G_IO_OUT, MAX_WAIT, unlock, &error)) {
    /* On a way to PAUSED it goes on when that is over. */
    if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
      flow = gst_base_sink_wait_preroll (GST_BASE_SINK (self));
    else
      flow = GST_FLOW_CUSTOM_SUCCESS;
    g_error_free (error);
  } else if (g_socket_condition_check (self->socket, G_IO_ERR) & G_IO_ERR) {
    udp_socket_take_errors (self->socket);
  }
  g_object_unref (unlock);
  return flow;
}

static void
count_sent (GstRtpAdaptUdpSink *self, guint first, guint n)
{
  GST_OBJECT_LOCK (self);
  for (guint i = first; i < first + n; i++) {
    const UdpSinkPacket *p = &self->packets[i];

    self->count.packets[p->mark]++;
    self->count.bytes[p->mark] += p->size;
    self->count.rtcp += p->rtcp;
  }
  GST_OBJECT_UNLOCK (self);
}

/* Another path, or another failure of the same one, may have another cause. */
static void
warn_again (GstRtpAdaptUdpSink *self)
{
  self->warned &= ~(guint) (UDP_WARNED_ERROR | UDP_WARNED_LOST);
}

static void
warn_once (GstRtpAdaptUdpSink *self, UdpSinkWarned what, gint code, gsize size)
{
  if (self->warned & what)
    return;
  self->warned |= what;
  if (what == UDP_WARNED_OVERSIZED)
    GST_ELEMENT_WARNING (self, RESOURCE, WRITE,
        ("A packet of %" G_GSIZE_FORMAT " bytes is too large for the network.",
            size),
        ("lower the mtu of the payloader"));
  else
    GST_ELEMENT_WARNING (self, RESOURCE, WRITE,
        ("The network refused a packet: %s.", g_strerror (code)), (NULL));
}

/* Says it in place of the kernel, whose error names no cause. */
static void
warn_of_lost (GstRtpAdaptUdpSink *self)
{
  g_autofree gchar *address = self->warned & UDP_WARNED_LOST
      ? NULL
      : udp_socket_lost_address (self->socket);

  if (!address)
    return;
  self->warned |= UDP_WARNED_LOST | UDP_WARNED_ERROR;
  GST_ELEMENT_WARNING (self, RESOURCE, WRITE,
      ("Nothing leaves until this host has the address %s again.", address),
      ("bind-address is taken from NULL to READY"));
}

/* Interfaces that were named may have other numbers now.  It takes no time. */
static void
renew (GstRtpAdaptUdpSink *self)
{
  g_autofree gchar *host = NULL, *iface = NULL;
  UdpAddress to;

  GST_OBJECT_LOCK (self);
  host = g_strdup (self->to_host);
  iface = g_strdup (self->cfg.iface);
  GST_OBJECT_UNLOCK (self);
  if (iface && *iface)
    udp_socket_set_iface (self->socket, iface, GST_ELEMENT (self));
  if (!host || !strchr (host, '%')
      || !udp_address_read (&to, host, self->socket))
    return;
  GST_OBJECT_LOCK (self);
  if (g_strcmp0 (host, self->to_host) == 0) {
    self->to = to;
    udp_address_set_port (&self->to, self->cfg.port);
  }
  GST_OBJECT_UNLOCK (self);
}

/* An adapter that is taken out and put in again has another number, and no packet can
 * leave by the old one (ENETUNREACH of an address, ENODEV of IP_MULTICAST_IF). */
static void
renew_after (GstRtpAdaptUdpSink *self, gint code)
{
  gint64 now = g_get_monotonic_time ();

  if (udp_reach_on_error (&self->reach, code, now))
    look_start (self);
  if ((code != ENETUNREACH && code != ENODEV && code != ENXIO && code != EINVAL
          && code != EADDRNOTAVAIL)
      || (self->renewed > 0 && now - self->renewed < RENEW_AGAIN))
    return;
  self->renewed = now;
  warn_of_lost (self);
  renew (self);
}

/* Nothing here ends the stream: the next packet may find a way. */
static void
count_error (GstRtpAdaptUdpSink *self, guint index, gint code)
{
  gboolean oversized = code == EMSGSIZE;

  GST_LOG_OBJECT (self, "packet not sent: %s", g_strerror (code));
  GST_OBJECT_LOCK (self);
  if (oversized)
    self->count.oversized++;
  else
    self->count.errors++;
  GST_OBJECT_UNLOCK (self);
  renew_after (self, code);
  warn_once (self, oversized ? UDP_WARNED_OVERSIZED : UDP_WARNED_ERROR, code,
      self->packets[index].size);
}

/* Sends the batch and empties it. */
static GstFlowReturn
batch_flush (GstRtpAdaptUdpSink *self)
{
  gint fd = g_socket_get_fd (self->socket);
  guint n = udp_batch_length (self->batch);
  GstFlowReturn flow = GST_FLOW_OK;
  guint first = 0;

  while (first < n && flow == GST_FLOW_OK) {
    gint sent = udp_batch_send (self->batch, fd, first);

    if (sent > 0) {
      count_sent (self, first, (guint) sent);
      if (udp_reach_on_sent (&self->reach, g_get_monotonic_time ()))
        warn_again (self);
      first += (guint) sent;
    } else if (sent == -EAGAIN) {
      flow = wait_writable (self);
    } else {
      count_error (self, first++, -sent);
    }
  }
  if (flow == GST_FLOW_CUSTOM_SUCCESS) {
    GST_LOG_OBJECT (self, "the socket is full, dropping %u", n - first);
    GST_OBJECT_LOCK (self);
    self->count.blocked += n - first;
    GST_OBJECT_UNLOCK (self);
    flow = GST_FLOW_OK;
  }
  udp_batch_clear (self->batch);
  return flow;
}

/* `list`, or else `buffer` alone. */
static GstFlowReturn
sink_send (GstRtpAdaptUdpSink *self, GstBufferList *list, GstBuffer *buffer)
{
  guint n = list ? gst_buffer_list_length (list) : 1;
  GstFlowReturn flow = GST_FLOW_OK;
  gboolean moved;
  guint af_class;
  gint dscp;
  RaEcnField ecn;

  GST_OBJECT_LOCK (self);
  af_class = self->cfg.af_class;
  dscp = self->cfg.dscp;
  ecn = self->cfg.ecn;
  if (!self->to_host)
    flow = GST_FLOW_ERROR; /* that was said when the host was set */
  udp_batch_set_destination (self->batch, &self->to);
  moved = self->moved;
  self->moved = FALSE;
  GST_OBJECT_UNLOCK (self);
  if (moved)
    warn_again (self);

  for (guint i = 0; i < n && flow == GST_FLOW_OK; i++) {
    GstBuffer *each = list ? gst_buffer_list_get (list, i) : buffer;

    if (batch_add (self, each, af_class, dscp, ecn))
      continue;
    flow = batch_flush (self);
    batch_add (self, each, af_class, dscp, ecn);
  }
  if (flow == GST_FLOW_OK)
    flow = batch_flush (self);
  udp_batch_clear (self->batch);
  return flow;
}

static GstFlowReturn
sink_render (GstBaseSink *sink, GstBuffer *buffer)
{
  return sink_send (GST_RTP_ADAPT_UDP_SINK (sink), NULL, buffer);
}

static GstFlowReturn
sink_render_list (GstBaseSink *sink, GstBufferList *list)
{
  return sink_send (GST_RTP_ADAPT_UDP_SINK (sink), list, NULL);
}

static gboolean
sink_unlock (GstBaseSink *sink)
{
  GstRtpAdaptUdpSink *self = GST_RTP_ADAPT_UDP_SINK (sink);

  udp_unlock (GST_OBJECT (self), &self->unlock);
  return TRUE;
}

static gboolean
sink_unlock_stop (GstBaseSink *sink)
{
  GstRtpAdaptUdpSink *self = GST_RTP_ADAPT_UDP_SINK (sink);

  udp_unlock_stop (GST_OBJECT (self), &self->unlock);
  return TRUE;
}

GSocketAddress *
rtp_adapt_udp_sink_get_destination (GstRtpAdaptUdpSink *sink)
{
  GSocketAddress *address = NULL;

  GST_OBJECT_LOCK (sink);
  if (sink->to_host)
    address = g_socket_address_new_from_native (&sink->to.sa, sink->to.len);
  GST_OBJECT_UNLOCK (sink);
  return address;
}

/* --- states ------------------------------------------------------------- */

/* As rtpadaptudpsrc says it. */
static void
open_failed (
    GstRtpAdaptUdpSink *self, const UdpSinkConfig *cfg, const GError *error)
{
  const gchar *at = cfg->bind_address ? cfg->bind_address : "any address";

  if (cfg->bind_port > 0
      && g_error_matches (error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE))
    GST_ELEMENT_ERROR (self, RESOURCE, BUSY,
        ("UDP port %u of %s is in use.", cfg->bind_port, at), (NULL));
  else if (cfg->bind_port == 0)
    GST_ELEMENT_ERROR (self, RESOURCE, OPEN_WRITE,
        ("Cannot send from %s: %s.", at, error->message), (NULL));
  else
    GST_ELEMENT_ERROR (self, RESOURCE, OPEN_WRITE,
        ("Cannot send from UDP port %u of %s: %s.", cfg->bind_port, at,
            error->message),
        (NULL));
}

static GSocket *
open_socket (GstRtpAdaptUdpSink *self, const UdpSinkConfig *cfg)
{
  GError *error = NULL;
  GSocket *socket
      = udp_socket_new (cfg->bind_address, cfg->bind_port, FALSE, &error);

  if (!socket)
    open_failed (self, cfg, error);
  g_clear_error (&error);
  return socket;
}

/* NULL to READY; nobody changes these properties meanwhile. */
static gboolean
sink_open (GstRtpAdaptUdpSink *self)
{
  const UdpSinkConfig *cfg = &self->cfg;
  const UdpSendOptions options = { .ttl = cfg->ttl,
    .ttl_mc = cfg->ttl_mc,
    .loop = cfg->loop,
    .iface = cfg->iface };
  GSocket *socket
      = cfg->socket ? g_object_ref (cfg->socket) : open_socket (self, cfg);
  gboolean moved;

  if (!socket)
    return FALSE;
  udp_socket_set_send_options (socket, &options, GST_ELEMENT (self));
  self->batch = udp_batch_new ();
  self->coloured = FALSE;
  self->tos = udp_socket_tos (socket);
  self->warned = 0;
  self->renewed = 0;
  self->reach = (UdpReach){ 0 };
  GST_OBJECT_LOCK (self);
  self->socket = socket;
  self->is_given = cfg->socket != NULL;
  self->count = (UdpSinkCounters){ 0 };
  GST_OBJECT_UNLOCK (self);
  g_object_notify (G_OBJECT (self), "used-socket");
  return resolve (self, FALSE, &moved);
}

/* READY to NULL, or when that did not come to its end. */
static void
sink_close (GstRtpAdaptUdpSink *self)
{
  GSocket *socket;
  gboolean close;

  GST_OBJECT_LOCK (self);
  socket = g_steal_pointer (&self->socket);
  close = !self->is_given || self->cfg.close_socket;
  g_clear_pointer (&self->to_host, g_free);
  GST_OBJECT_UNLOCK (self);
  if (!socket)
    return;
  if (close)
    g_socket_close (socket, NULL);
  g_object_unref (socket);
  g_clear_pointer (&self->batch, udp_batch_free);
  g_object_notify (G_OBJECT (self), "used-socket");
}

static GstStateChangeReturn
sink_change_state (GstElement *element, GstStateChange transition)
{
  GstRtpAdaptUdpSink *self = GST_RTP_ADAPT_UDP_SINK (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_NULL_TO_READY && !sink_open (self)) {
    sink_close (self);
    return GST_STATE_CHANGE_FAILURE;
  }
  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_NULL
      || (transition == GST_STATE_CHANGE_NULL_TO_READY
          && ret == GST_STATE_CHANGE_FAILURE))
    sink_close (self);
  return ret;
}

static void
sink_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptUdpSink *self = GST_RTP_ADAPT_UDP_SINK (object);
  gboolean moved;

  if (udp_sink_set_property (self, id, value))
    resolve (self, FALSE, &moved); /* GObject notifies "host" */
}

static void
sink_finalize (GObject *object)
{
  GstRtpAdaptUdpSink *self = GST_RTP_ADAPT_UDP_SINK (object);

  props_clear (&self->cfg, udp_sink_props);
  g_free (self->to_host);
  g_object_unref (self->unlock);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_rtp_adapt_udp_sink_class_init (GstRtpAdaptUdpSinkClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSinkClass *sink_class = GST_BASE_SINK_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      rtpadaptudpsink_debug, "rtpadaptudpsink", 0, "UDP with colours");
  object_class->set_property = sink_set_property;
  object_class->get_property = udp_sink_get_property;
  object_class->finalize = sink_finalize;
  element_class->change_state = sink_change_state;
  sink_class->render = sink_render;
  sink_class->render_list = sink_render_list;
  sink_class->unlock = sink_unlock;
  sink_class->unlock_stop = sink_unlock_stop;

  props_install (object_class, 1, udp_sink_props);
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_set_static_metadata (element_class, "UDP sink with colours",
      "Sink/Network", "Sends UDP packets, each with its own DSCP and ECN bits",
      "The gst-rtpadapt authors");
}

static void
gst_rtp_adapt_udp_sink_init (GstRtpAdaptUdpSink *self)
{
  GstBaseSink *sink = GST_BASE_SINK (self);

  self->unlock = g_cancellable_new ();
  props_init (&self->cfg, udp_sink_props, self);
  gst_base_sink_set_sync (sink, FALSE);
  gst_base_sink_set_async_enabled (sink, FALSE);
  gst_base_sink_set_last_sample_enabled (sink, FALSE);
}
