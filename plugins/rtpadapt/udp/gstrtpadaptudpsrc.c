/* rtpadaptudpsrc: UDP with time of arrival, sender and TOS per packet.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-rtpadaptudpsrc
 * @title: rtpadaptudpsrc
 * @short_description: UDP with time of arrival, sender and TOS per packet
 *
 * Makes a buffer of each UDP packet.  Its DTS and PTS are the running time at
 * which the kernel got the packet, so that what happens in this process is not
 * taken for jitter of the path.  It carries the sender as #GstNetAddressMeta
 * and the TOS octet it came with.  There are no buffer lists, because
 * rtpsession gives the packets of a list no time of arrival.
 *
 * #GstRtpAdaptUdpSrc:stats counts packets by DSCP: what the sender sent
 * coloured and came with another DSCP was bleached or remarked on its way.
 * Nothing depends on a DSCP that was received.
 *
 * An interface that is named in #GstRtpAdaptUdpSrc:multicast-iface may be taken away and come
 * back: within a second the group is joined by the new one.
 *
 * Packets that came in PAUSED are dropped when it plays again after more than 200 ms,
 * except those of DTLS.  Before it plays for the first time nothing is dropped.
 *
 * |[
 * gst-launch-1.0 rtpadaptudpsrc address=127.0.0.1 port=47512 num-buffers=40 \
 *     caps="application/x-rtp,media=video,encoding-name=H264,clock-rate=90000" \
 *     ! rtpjitterbuffer ! rtph264depay ! avdec_h264 ! fakesink \
 *     videotestsrc is-live=true num-buffers=60 ! x264enc tune=zerolatency ! \
 *     rtph264pay ! rtpadaptudpsink host=127.0.0.1 port=47512 dscp=34
 * ]|
 */
#include "udpsrcpriv.h"

#include "parts/elementtimer.h"
#include "parts/systime.h"
#include "parts/tosmeta.h"
#include "wire/rtpmux.h"

#include <errno.h>
#include <gst/net/gstnetaddressmeta.h>
#include <net/if.h>
#include <time.h>

GST_DEBUG_CATEGORY (rtpadaptudpsrc_debug);
#define GST_CAT_DEFAULT rtpadaptudpsrc_debug

/* The pause where the kernel lacks memory, or where one error follows the other. */
#define PAUSE_MS 10
/* So many errors without a packet between them are not caused by ICMP messages
 * about packets that we sent. */
#define ERRORS_IN_A_ROW 100
/* Two clocks read within this are read at once. */
#define CLOCKS_APART (100 * GST_USECOND)
/* What comes in a pause that is no longer may still be played: a receiver has 200 ms of
 * latency by default. */
#define PAUSE_SHORT (200 * RA_MSECOND)
/* Between two looks whether interfaces have come back. */
#define LOOK_EVERY GST_SECOND

#define parent_class gst_rtp_adapt_udp_src_parent_class
G_DEFINE_TYPE (GstRtpAdaptUdpSrc, gst_rtp_adapt_udp_src, GST_TYPE_PUSH_SRC)
GST_ELEMENT_REGISTER_DEFINE (
    rtpadaptudpsrc, "rtpadaptudpsrc", GST_RANK_NONE, GST_TYPE_RTP_ADAPT_UDP_SRC)

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

/* --- receiving ---------------------------------------------------------- */

/* Waits a little without looking at the socket. */
static GstFlowReturn
pause_reading (GstRtpAdaptUdpSrc *self)
{
  GCancellable *unlock;
  gboolean cancelled;
  GPollFD poll;

  GST_OBJECT_LOCK (self);
  unlock = g_object_ref (self->unlock);
  GST_OBJECT_UNLOCK (self);
  if (g_cancellable_make_pollfd (unlock, &poll)) {
    g_poll (&poll, 1, PAUSE_MS);
    g_cancellable_release_fd (unlock);
  } else {
    g_usleep (PAUSE_MS * 1000); /* no file descriptor is left */
  }
  cancelled = g_cancellable_is_cancelled (unlock) && !udp_is_woken (unlock);
  g_object_unref (unlock);
  return cancelled ? GST_FLOW_FLUSHING : GST_FLOW_OK;
}

static GstFlowReturn
fail (GstRtpAdaptUdpSrc *self, const gchar *why)
{
  GST_ELEMENT_ERROR (
      self, RESOURCE, READ, ("Cannot receive: %s.", why), (NULL));
  return GST_FLOW_ERROR;
}

/* Waits for packets. */
static GstFlowReturn
wait_readable (GstRtpAdaptUdpSrc *self)
{
  GstFlowReturn flow = GST_FLOW_OK;
  GCancellable *unlock;
  GstClockTime timeout;
  GError *error = NULL;

  GST_OBJECT_LOCK (self);
  unlock = g_object_ref (self->unlock);
  timeout = self->cfg.timeout;
  GST_OBJECT_UNLOCK (self);
  if (!g_socket_condition_timed_wait (self->socket, G_IO_IN | G_IO_PRI,
          timeout ? (gint64) MAX (timeout / GST_USECOND, 1) : -1, unlock,
          &error)) {
    if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
      flow = udp_is_woken (unlock) ? GST_FLOW_OK : GST_FLOW_FLUSHING;
    } else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT)) {
      gst_element_post_message (GST_ELEMENT (self),
          gst_message_new_element (
              GST_OBJECT (self), udp_src_timeout_news (timeout)));
    } else {
      flow = fail (self, error->message);
    }
    g_error_free (error);
  } else if (g_socket_condition_check (self->socket, G_IO_ERR) & G_IO_ERR) {
    udp_socket_take_errors (self->socket);
  }
  g_object_unref (unlock);
  return flow;
}

static gint64
real_time (void)
{
  struct timespec real;

  clock_gettime (CLOCK_REALTIME, &real);
  return (gint64) GST_TIMESPEC_TO_TIME (real);
}

/* The clock that the packets' times will be of, and the kernel's, at once. */
static void
read_clocks (GstRtpAdaptUdpSrc *self)
{
  GstClock *clock = gst_element_get_clock (GST_ELEMENT (self));
  GstClockTime base = gst_element_get_base_time (GST_ELEMENT (self));
  GstClockTime before, after;

  self->now = GST_CLOCK_TIME_NONE;
  if (!clock)
    return;
  /* Again if another thread ran in between. */
  for (guint i = 0; i < 4; i++) {
    before = gst_clock_get_time (clock);
    self->real_now = real_time ();
    after = gst_clock_get_time (clock);
    if (after - before < CLOCKS_APART)
      break;
  }
  self->now = after > base ? after - base : 0;
  gst_object_unref (clock);
}

/* The socket is empty.  Were the clock set back, all packets would seem old. */
static void
stale_end (GstRtpAdaptUdpSrc *self)
{
  if (!g_atomic_int_get (&self->resumed))
    return;
  GST_OBJECT_LOCK (self);
  self->stale_before = 0;
  GST_OBJECT_UNLOCK (self);
}

/* Takes what the kernel has, waits if that is nothing. */
static GstFlowReturn
fetch (GstRtpAdaptUdpSrc *self)
{
  gint n = udp_receiver_fill (self->receiver, g_socket_get_fd (self->socket));
  UdpError error;

  if (n > 0) {
    self->n_errors = 0;
    read_clocks (self);
    return GST_FLOW_OK;
  }
  if (n == -EAGAIN) {
    stale_end (self);
    return wait_readable (self);
  }
  error = udp_error_read (-n);
  if (error == UDP_ERROR_STAYS)
    return fail (self, g_strerror (-n));
  GST_LOG_OBJECT (self, "no packet: %s", g_strerror (-n));
  if (error == UDP_ERROR_PASSES && ++self->n_errors < ERRORS_IN_A_ROW)
    return GST_FLOW_OK;
  self->n_errors = 0;
  udp_socket_take_errors (self->socket);
  return pause_reading (self);
}

/* When a packet came, as running time.  CLOCK_REALTIME may be set meanwhile:
 * it did not come before the one before it, nor after it was taken. */
static GstClockTime
arrival_time (GstRtpAdaptUdpSrc *self, gint64 arrival)
{
  gint64 age = arrival >= 0 ? self->real_now - arrival : 0;
  GstClockTime t = self->now;

  if (!GST_CLOCK_TIME_IS_VALID (t))
    return t;
  if (age > 0)
    t = t > (GstClockTime) age ? t - (GstClockTime) age : 0;
  self->last = MIN (MAX (t, self->last), self->now);
  return self->last;
}

/* The object lock is held. */
static void
count_packet (UdpSrcCounters *n, const UdpPacket *packet)
{
  n->packets++;
  n->bytes += packet->size;
  if (packet->tos < 0) {
    n->unknown++;
  } else {
    n->dscp[packet->tos >> 2 & 63]++;
    n->ecn[packet->tos & 3]++;
  }
}

/* FALSE if it must not leave the element. */
static gboolean
packet_finish (GstRtpAdaptUdpSrc *self, const UdpPacket *packet)
{
  GST_OBJECT_LOCK (self);
  if (packet->truncated)
    self->count.truncated++;
  else
    count_packet (&self->count, packet);
  GST_OBJECT_UNLOCK (self);
  /* An empty packet keeps a NAT's port open; it is not RTP. */
  if (packet->truncated || packet->size == 0)
    return FALSE;

  self->arrival = packet->arrival >= 0 ? packet->arrival : self->real_now;
  GST_BUFFER_DTS (packet->buffer) = GST_BUFFER_PTS (packet->buffer)
      = arrival_time (self, packet->arrival);
  if (packet->from)
    gst_buffer_add_net_address_meta (packet->buffer, packet->from);
  if (packet->tos >= 0)
    rtp_adapt_buffer_add_tos (packet->buffer, (guint8) packet->tos);
  return TRUE;
}

static GstFlowReturn
src_create (GstPushSrc *src, GstBuffer **buffer)
{
  GstRtpAdaptUdpSrc *self = GST_RTP_ADAPT_UDP_SRC (src);
  GstFlowReturn flow = GST_FLOW_OK;
  UdpPacket packet;

  while (flow == GST_FLOW_OK) {
    if (!udp_receiver_next (self->receiver, &packet)) {
      flow = fetch (self);
    } else if (packet_finish (self, &packet)) {
      *buffer = packet.buffer;
      break;
    } else {
      gst_buffer_unref (packet.buffer);
    }
  }
  /* GstBaseSrc looks before it waits for a packet, which may be long ago. */
  if (flow == GST_FLOW_OK && gst_pad_needs_reconfigure (GST_BASE_SRC_PAD (self))
      && !gst_base_src_negotiate (GST_BASE_SRC (self))) {
    gst_clear_buffer (buffer);
    flow = GST_FLOW_NOT_NEGOTIATED;
  }
  return flow;
}

/* A sender repeats the flight of a handshake after 1 s, 2 s, 4 s and so on (RFC 6347
 * 4.2.4.1), so after a long pause the next one may be far.  A BYE comes once; an encrypted
 * one is not seen (RFC 3711 3.4).  Other RTCP is old, and would show a round trip that is
 * as long as the pause, as the report in front of a BYE does once. */
static gboolean
is_still_news (GstBuffer *buffer)
{
  GstMapInfo map;
  RtcpScan scan;
  gboolean news = FALSE;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return FALSE;
  if (map.size > 0 && map.data[0] >= 20 && map.data[0] <= 63) { /* RFC 7983 7 */
    news = TRUE;
  } else if (rtp_mux_kind (map.data, map.size, NULL) == RTP_MUX_RTCP) {
    rtcp_scan (map.data, map.size, &scan);
    news = scan.bye;
  }
  gst_buffer_unmap (buffer, &map);
  return news;
}

/* A packet leaves.  In a pause the running time stands still, and the kernel keeps the
 * oldest packets, so that all of them would leave afterwards, with one time. */
static GstPadProbeReturn
on_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstRtpAdaptUdpSrc *self = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  gboolean stale, drop, discont = FALSE;

  if (!g_atomic_int_get (&self->resumed))
    return GST_PAD_PROBE_OK;
  GST_OBJECT_LOCK (self);
  stale = self->arrival < self->stale_before;
  drop = stale && !is_still_news (buffer);
  self->count.stale += drop;
  if (!drop) {
    discont = self->discont;
    self->discont = FALSE;
  }
  if (!stale) {
    self->stale_before = 0;
    g_atomic_int_set (&self->resumed, FALSE);
  }
  GST_OBJECT_UNLOCK (self);
  if (drop)
    return GST_PAD_PROBE_DROP;
  if (discont) {
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    GST_PAD_PROBE_INFO_DATA (info) = buffer;
  }
  return GST_PAD_PROBE_OK;
}

static gboolean
src_unlock (GstBaseSrc *src)
{
  GstRtpAdaptUdpSrc *self = GST_RTP_ADAPT_UDP_SRC (src);

  udp_unlock (GST_OBJECT (self), &self->unlock);
  return TRUE;
}

static gboolean
src_unlock_stop (GstBaseSrc *src)
{
  GstRtpAdaptUdpSrc *self = GST_RTP_ADAPT_UDP_SRC (src);

  udp_unlock_stop (GST_OBJECT (self), &self->unlock);
  return TRUE;
}

static GstCaps *
src_get_caps (GstBaseSrc *src, GstCaps *filter)
{
  GstRtpAdaptUdpSrc *self = GST_RTP_ADAPT_UDP_SRC (src);
  GstCaps *caps, *both;

  GST_OBJECT_LOCK (self);
  caps = self->cfg.caps ? gst_caps_ref (self->cfg.caps) : gst_caps_new_any ();
  GST_OBJECT_UNLOCK (self);
  if (!filter)
    return caps;
  both = gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (caps);
  return both;
}

/* --- states ------------------------------------------------------------- */

static GSocket *
open_socket (GstRtpAdaptUdpSrc *self, const UdpSrcConfig *cfg)
{
  const gchar *where = cfg->address ? cfg->address : "this host";
  GError *error = NULL;
  GSocket *socket
      = udp_socket_new (cfg->address, cfg->port, cfg->reuse, &error);

  if (!socket && g_error_matches (error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE))
    GST_ELEMENT_ERROR (self, RESOURCE, BUSY,
        ("UDP port %u of %s is in use.", cfg->port, where), (NULL));
  else if (!socket)
    GST_ELEMENT_ERROR (self, RESOURCE, OPEN_READ,
        ("Cannot receive at UDP port %u of %s: %s.", cfg->port, where,
            error->message),
        (NULL));
  g_clear_error (&error);
  return socket;
}

/* An adapter that is taken out and put in again has another number, and the kernel has
 * forgotten what was joined by the old one.  In the clock's thread; it takes no time. */
static void
look_again (GstElement *element)
{
  GstRtpAdaptUdpSrc *self = GST_RTP_ADAPT_UDP_SRC (element);

  GST_OBJECT_LOCK (self);
  for (guint i = 0; self->ifaces && self->ifaces[i]; i++) {
    guint now = if_nametoindex (self->ifaces[i]);

    if (now > 0 && now != self->joined[i]
        && udp_socket_join_again (
            self->socket, self->group, self->joined[i], now, element))
      self->joined[i] = now;
  }
  GST_OBJECT_UNLOCK (self);
}

/* By an interface that does not exist GLib joins as routed. */
static gboolean
join_by (GstRtpAdaptUdpSrc *self, const gchar *iface, guint number)
{
  GError *error = NULL;

  if (iface && number == 0)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("There is no network interface \"%s\".", iface),
        ("the group is joined as routed"));
  if (g_socket_join_multicast_group (
          self->socket, self->group, FALSE, iface, &error))
    return TRUE;
  GST_ELEMENT_ERROR (self, RESOURCE, OPEN_READ,
      ("Cannot join the multicast group %s%s%s: %s.", self->cfg.address,
          iface ? " by " : "", iface ? iface : "", error->message),
      (NULL));
  g_error_free (error);
  return FALSE;
}

static gboolean
join (GstRtpAdaptUdpSrc *self)
{
  const UdpSrcConfig *cfg = &self->cfg;
  /* "ff02::1%eth0" */
  g_auto (GStrv) parts = g_strsplit (cfg->address ? cfg->address : "", "%", 2);
  const gchar *ifaces = cfg->iface;
  gboolean good = TRUE;

  if (parts[0])
    self->group = g_inet_address_new_from_string (parts[0]);
  if (self->group
      && !(
          cfg->auto_multicast && g_inet_address_get_is_multicast (self->group)))
    g_clear_object (&self->group);
  if (!self->group)
    return TRUE;

  g_socket_set_multicast_loopback (self->socket, cfg->loop);
  if (!ifaces || !*ifaces)
    ifaces = parts[1];
  if (!ifaces)
    return join_by (self, NULL, 0);
  self->ifaces = g_strsplit (ifaces, ",", -1);
  self->joined = g_new0 (guint, g_strv_length (self->ifaces) + 1);
  for (guint i = 0; self->ifaces[i] && good; i++) {
    self->joined[i] = if_nametoindex (g_strstrip (self->ifaces[i]));
    good = join_by (self, self->ifaces[i], self->joined[i]);
  }
  if (good)
    element_timer_start (
        GST_ELEMENT (self), &self->look, LOOK_EVERY, TRUE, look_again);
  return good;
}

static void
leave (GstRtpAdaptUdpSrc *self)
{
  g_autoptr (GInetAddress) group = NULL;
  g_auto (GStrv) ifaces = NULL;

  element_timer_stop (GST_ELEMENT (self), &self->look);
  GST_OBJECT_LOCK (self);
  group = g_steal_pointer (&self->group);
  ifaces = g_steal_pointer (&self->ifaces);
  g_clear_pointer (&self->joined, g_free);
  GST_OBJECT_UNLOCK (self);
  if (!group)
    return;
  if (!ifaces)
    g_socket_leave_multicast_group (self->socket, group, FALSE, NULL, NULL);
  for (guint i = 0; ifaces && ifaces[i]; i++)
    g_socket_leave_multicast_group (
        self->socket, group, FALSE, ifaces[i], NULL);
}

static void
set_buffer_size (GstRtpAdaptUdpSrc *self, GSocket *socket)
{
  gint wanted = self->cfg.buffer_size, got = 0;

  if (wanted == 0)
    return;
  g_socket_set_option (socket, SOL_SOCKET, SO_RCVBUF, wanted, NULL);
  g_socket_get_option (socket, SOL_SOCKET, SO_RCVBUF, &got, NULL);
  /* socket(7): the kernel doubles what it is given. */
  if (got / 2 < wanted)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("The kernel allows a buffer of %d bytes, not %d.", got / 2, wanted),
        ("see sysctl net.core.rmem_max"));
}

/* NULL to READY; nobody changes these properties meanwhile. */
static gboolean
src_open (GstRtpAdaptUdpSrc *self)
{
  const UdpSrcConfig *cfg = &self->cfg;
  GSocket *socket
      = cfg->socket ? g_object_ref (cfg->socket) : open_socket (self, cfg);

  if (!socket)
    return FALSE;
  udp_receiver_prepare (socket, GST_ELEMENT (self));
  set_buffer_size (self, socket);
  self->receiver = udp_receiver_new (cfg->mtu);
  self->last = 0;
  GST_OBJECT_LOCK (self);
  self->socket = socket;
  self->is_given = cfg->socket != NULL;
  self->count = (UdpSrcCounters){ 0 };
  self->count.kernel_before = udp_receiver_kernel_drops (socket);
  GST_OBJECT_UNLOCK (self);
  g_object_notify (G_OBJECT (self), "used-socket");
  g_object_notify (G_OBJECT (self), "port");
  return join (self);
}

/* READY to NULL, or when that did not come to its end. */
static void
src_close (GstRtpAdaptUdpSrc *self)
{
  GSocket *socket;
  gboolean close;

  if (!self->socket)
    return;
  leave (self);
  GST_OBJECT_LOCK (self);
  udp_src_count_drops (self);
  socket = g_steal_pointer (&self->socket);
  close = !self->is_given || self->cfg.close_socket;
  GST_OBJECT_UNLOCK (self);
  if (close)
    g_socket_close (socket, NULL);
  g_object_unref (socket);
  g_clear_pointer (&self->receiver, udp_receiver_free);
  g_object_notify (G_OBJECT (self), "used-socket");
}

/* What was taken before a stop is old after it, and running time starts
 * again. */
static gboolean
src_stop (GstBaseSrc *src)
{
  GstRtpAdaptUdpSrc *self = GST_RTP_ADAPT_UDP_SRC (src);

  self->last = 0;
  GST_OBJECT_LOCK (self);
  self->stale_before = 0;
  self->discont = FALSE;
  GST_OBJECT_UNLOCK (self);
  if (self->receiver)
    udp_receiver_discard (self->receiver);
  return TRUE;
}

/* After a pause that was not short, what came by now is of no use.  The thread that receives
 * finds it: it may hold one packet, as GstBaseSrc (1.22) has it wait for PLAYING when it has
 * received that. */
static void
pause_note (GstRtpAdaptUdpSrc *self, GstStateChange transition)
{
  RaTime since = self->paused;

  self->paused = transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED
      ? system_now ()
      : RA_TIME_NONE;
  if (transition != GST_STATE_CHANGE_PAUSED_TO_PLAYING || since == RA_TIME_NONE
      || ra_diff (system_now (), since) <= PAUSE_SHORT)
    return;
  GST_OBJECT_LOCK (self);
  self->stale_before = real_time ();
  self->discont = TRUE;
  g_atomic_int_set (&self->resumed, TRUE);
  GST_OBJECT_UNLOCK (self);
}

static GstStateChangeReturn
src_change_state (GstElement *element, GstStateChange transition)
{
  GstRtpAdaptUdpSrc *self = GST_RTP_ADAPT_UDP_SRC (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_NULL_TO_READY && !src_open (self)) {
    src_close (self);
    return GST_STATE_CHANGE_FAILURE;
  }
  pause_note (self, transition);
  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_NULL
      || (transition == GST_STATE_CHANGE_NULL_TO_READY
          && ret == GST_STATE_CHANGE_FAILURE))
    src_close (self);
  return ret;
}

static void
src_finalize (GObject *object)
{
  GstRtpAdaptUdpSrc *self = GST_RTP_ADAPT_UDP_SRC (object);

  props_clear (&self->cfg, udp_src_props);
  g_object_unref (self->unlock);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_rtp_adapt_udp_src_class_init (GstRtpAdaptUdpSrcClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSrcClass *src_class = GST_BASE_SRC_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      rtpadaptudpsrc_debug, "rtpadaptudpsrc", 0, "UDP with time of arrival");
  object_class->set_property = udp_src_set_property;
  object_class->get_property = udp_src_get_property;
  object_class->finalize = src_finalize;
  element_class->change_state = src_change_state;
  src_class->get_caps = src_get_caps;
  src_class->unlock = src_unlock;
  src_class->unlock_stop = src_unlock_stop;
  src_class->stop = src_stop;
  GST_PUSH_SRC_CLASS (klass)->create = src_create;

  props_install (object_class, 1, udp_src_props);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class,
      "UDP source with time of arrival and TOS", "Source/Network",
      "Receives UDP packets with the kernel's time of arrival, DSCP and ECN",
      "The gst-rtpadapt authors");
}

static void
gst_rtp_adapt_udp_src_init (GstRtpAdaptUdpSrc *self)
{
  self->unlock = g_cancellable_new ();
  self->paused = RA_TIME_NONE;
  gst_pad_add_probe (GST_BASE_SRC_PAD (self), GST_PAD_PROBE_TYPE_BUFFER,
      on_buffer, self, NULL);
  props_init (&self->cfg, udp_src_props, self);
  gst_base_src_set_live (GST_BASE_SRC (self), TRUE);
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}
