/* DTLS-SRTP between the network and a session: the pads of its two elements.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "dtlshubpriv.h"
#include "parts/systime.h"
#include "secure.h"

#include <gst/net/gstnetaddressmeta.h>

GST_DEBUG_CATEGORY (dtls_hub_debug);
#define GST_CAT_DEFAULT dtls_hub_debug

#define parent_class dtls_hub_parent_class
G_DEFINE_TYPE (DtlsHub, dtls_hub, GST_TYPE_ELEMENT)

/* This element has only pads, whose functions work on the hub. */
G_DECLARE_FINAL_TYPE (DtlsOut, dtls_out, DTLS, OUT, GstElement)
struct _DtlsOut
{
  GstElement parent;
};
G_DEFINE_TYPE (DtlsOut, dtls_out, GST_TYPE_ELEMENT)

static GstStaticPadTemplate templates[] = {
  GST_STATIC_PAD_TEMPLATE (
      "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY),
  GST_STATIC_PAD_TEMPLATE (
      "rtp_src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY),
  GST_STATIC_PAD_TEMPLATE (
      "rtcp_src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY),
  GST_STATIC_PAD_TEMPLATE (
      "rtp_sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY),
  GST_STATIC_PAD_TEMPLATE (
      "rtcp_sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY),
  GST_STATIC_PAD_TEMPLATE (
      "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY),
};

/* --- from the network ---------------------------------------------------- */

static DtlsLink *
ref_current (DtlsHub *self)
{
  DtlsLink *link;

  g_mutex_lock (&self->lock);
  link = self->current ? dtls_link_ref (self->current) : NULL;
  g_mutex_unlock (&self->lock);
  return link;
}

/* TRUE if a client may begin with that one next.  A try that it has not answered makes
 * way for another sender: anybody may have said the first datagram.  The lock is held. */
static gboolean
may_be_next (DtlsHub *self, GSocketAddress *from)
{
  DtlsLink *link = self->tries[0];

  if (!link)
    return TRUE;
  if (link->t.heard != RA_TIME_NONE || same_address (link->peer, from))
    return FALSE;
  link->t.rival = TRUE;
  return TRUE;
}

/* A client that does not know its peer's address begins a handshake with the
 * sender of the packet.  If it has begun, the packet earns more bytes for the hello
 * (DTLS_AMPLIFY); those of DTLS count when the connection gets them. */
static void
learn (DtlsHub *self, GstBuffer *buffer, gboolean dtls)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);

  if (!self->outbox.client || !meta)
    return;
  g_mutex_lock (&self->lock);
  if (self->outbox.socket && may_be_next (self, meta->addr)) {
    if (!same_address (self->learned, meta->addr))
      self->learned_bytes = 0;
    g_set_object (&self->learned, meta->addr);
    self->learned_bytes += gst_buffer_get_size (buffer);
  } else if (self->tries[0] && !dtls
      && same_address (self->tries[0]->peer, meta->addr)) {
    self->tries[0]->t.in += gst_buffer_get_size (buffer);
  }
  g_mutex_unlock (&self->lock);
}

/* TRUE if a connection hears that address.  A try that nobody has answered yet
 * hears its destination, and after DTLS_ROOM other ports of that host.  The lock
 * is held. */
static gboolean
belongs (DtlsHub *self, GSocketAddress *from)
{
  RaTime now = system_now ();

  if (self->current && same_address (self->current->peer, from))
    return TRUE;
  for (guint i = 0; i < DTLS_TRIES; i++) {
    DtlsLink *link = self->tries[i];

    if (!link)
      continue;
    if (link->peer ? same_address (link->peer, from)
                   : !self->to || dtls_try_may_leave (&link->t, now))
      return TRUE;
    if (same_host_and_port (self->to, from))
      return TRUE;
  }
  return FALSE;
}

/* A datagram came that may be DTLS.  (transfer full) */
static void
hear (DtlsHub *self, GstBuffer *buffer)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  DtlsKind kind = DTLS_REFUSED;
  guint8 random[DTLS_RANDOM];
  GstMapInfo map;
  gboolean pass;

  if (meta && is_inet (meta->addr)
      && gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    kind = dtls_records_kind (map.data, map.size, !self->outbox.client, random);
    gst_buffer_unmap (buffer, &map);
  }
  g_mutex_lock (&self->lock);
  if (kind == DTLS_RECORDS && self->to
      && !same_host (host_of (self->to), host_of (meta->addr)))
    kind = DTLS_REFUSED;
  pass = kind != DTLS_REFUSED
      && dtls_input_push (
          &self->input, kind, belongs (self, meta->addr), buffer);
  if (pass) {
    g_cond_signal (&self->cond);
  } else {
    self->count.refused++;
  }
  g_mutex_unlock (&self->lock);
  if (!pass)
    gst_buffer_unref (buffer);
}

static GstFlowReturn
net_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  DtlsHub *self = gst_pad_get_element_private (pad);
  DtlsLink *link;
  guint8 first = 0;

  gst_buffer_extract (buffer, 0, &first, 1);
  learn (self, buffer, first >= 20 && first <= 63); /* RFC 7983 7 */
  if (first < 128 || first > 191) {
    hear (self, buffer);
    return GST_FLOW_OK;
  }
  link = ref_current (self);
  if (!link) {
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  gst_pad_push (link->net_in, buffer);
  dtls_link_unref (link);
  return GST_FLOW_OK;
}

static void
start_media (DtlsHub *self, GstPad *pad, const gchar *type)
{
  g_autofree gchar *id
      = g_strdup_printf ("%s-%08x", GST_OBJECT_NAME (pad), g_random_int ());
  GstCaps *caps = gst_caps_new_empty_simple (type);

  gst_pad_push_event (pad, gst_event_new_stream_start (id));
  gst_pad_push_event (pad, gst_event_new_caps (caps));
  gst_caps_unref (caps);
}

static gboolean
net_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  DtlsHub *self = gst_pad_get_element_private (pad);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
      start_media (self, self->rtp_src, "application/x-rtp");
      start_media (self, self->rtcp_src, "application/x-rtcp");
      gst_event_unref (event);
      return TRUE;
    case GST_EVENT_CAPS:
      gst_event_unref (event);
      return TRUE;
    default:
      gst_pad_push_event (self->rtcp_src, gst_event_ref (event));
      return gst_pad_push_event (self->rtp_src, event);
  }
}

/* --- to the network ------------------------------------------------------ */

static GstPad *
way_out (DtlsHub *self, DtlsLink *link, GstPad *pad)
{
  return pad == self->rtp_sink ? link->rtp_in : link->rtcp_in;
}

/* The connection that gets our media; NULL: there is none. */
static DtlsLink *
ref_receiver (DtlsHub *self)
{
  DtlsLink *link = ref_current (self);

  if (link) {
    g_mutex_lock (&self->lock);
    link->current.sent = system_now ();
    g_mutex_unlock (&self->lock);
  }
  return link;
}

/* Returns what the network's pad returned last, because a connection that ends
 * returns its own errors. */
static GstFlowReturn
flow_of (DtlsHub *self, DtlsLink *link)
{
  dtls_link_unref (link);
  return g_atomic_int_get (&self->flow);
}

static GstFlowReturn
media_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  DtlsHub *self = gst_pad_get_element_private (pad);
  DtlsLink *link = ref_receiver (self);

  if (!link) {
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  gst_pad_push (way_out (self, link, pad), buffer);
  return flow_of (self, link);
}

static GstFlowReturn
media_chain_list (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  DtlsHub *self = gst_pad_get_element_private (pad);
  DtlsLink *link = ref_receiver (self);

  if (!link) {
    gst_buffer_list_unref (list);
    return GST_FLOW_OK;
  }
  gst_pad_push_list (way_out (self, link, pad), list);
  return flow_of (self, link);
}

static void
start_net (DtlsHub *self)
{
  g_autofree gchar *id = g_strdup_printf ("dtls-%08x", g_random_int ());
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  g_atomic_int_set (&self->flow, GST_FLOW_OK);
  gst_pad_push_event (self->net_src, gst_event_new_stream_start (id));
  gst_pad_push_event (self->net_src, gst_event_new_segment (&segment));
}

/* Only flushes of RTP go on.  DTLS does not end when RTP or RTCP ends; the UDP
 * sink learns from the bin when the stream ends. */
static gboolean
media_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  DtlsHub *self = gst_pad_get_element_private (pad);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
    case GST_EVENT_FLUSH_STOP:
      if (pad == self->rtcp_sink)
        break;
      gst_pad_push_event (self->net_src, gst_event_ref (event));
      if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
        start_net (self);
      break;
    default:
      break;
  }
  gst_event_unref (event);
  return TRUE;
}

/* --- upstream ------------------------------------------------------------ */

static GstPad *
upstream_of (DtlsHub *self, GstPad *src)
{
  return src == self->net_src ? self->rtp_sink : self->net_sink;
}

static gboolean
src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  DtlsHub *self = gst_pad_get_element_private (pad);

  return gst_pad_push_event (upstream_of (self, pad), event);
}

static gboolean
src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  DtlsHub *self = gst_pad_get_element_private (pad);

  if (GST_QUERY_TYPE (query) == GST_QUERY_CAPS
      || GST_QUERY_TYPE (query) == GST_QUERY_ACCEPT_CAPS)
    return gst_pad_query_default (pad, parent, query);
  return gst_pad_peer_query (upstream_of (self, pad), query);
}

/* --- from outside -------------------------------------------------------- */

GstElement *
dtls_hub_get_out (DtlsHub *self)
{
  return self->out;
}

void
dtls_hub_set_socket (DtlsHub *self, GSocket *socket)
{
  g_mutex_lock (&self->lock);
  g_set_object (&self->outbox.socket, socket);
  g_mutex_unlock (&self->lock);
}

/* A connection with somebody else would go on for as long as that one speaks.  The
 * lock is held. */
static void
give_up (DtlsLink *link, GSocketAddress *to)
{
  if (link && link->peer && !same_address (link->peer, to))
    link->t.failed = TRUE;
}

void
dtls_hub_set_destination (DtlsHub *self, GSocketAddress *to)
{
  g_mutex_lock (&self->lock);
  if (!same_address (self->to, to)) {
    g_set_object (&self->to, to);
    give_up (self->current, to);
    for (guint i = 0; i < DTLS_TRIES; i++)
      give_up (self->tries[i], to);
    g_cond_signal (&self->cond);
  }
  g_mutex_unlock (&self->lock);
}

void
dtls_hub_set_full (DtlsHub *self)
{
  g_mutex_lock (&self->lock);
  if (self->current)
    self->current->current.full = TRUE;
  g_mutex_unlock (&self->lock);
}

void
dtls_hub_get_stats (DtlsHub *self, DtlsHubStats *stats)
{
  g_mutex_lock (&self->lock);
  *stats = self->count;
  stats->held = self->outbox.held;
  g_mutex_unlock (&self->lock);
}

/* --- the element --------------------------------------------------------- */

static GstStateChangeReturn
hub_change_state (GstElement *element, GstStateChange transition)
{
  DtlsHub *self = DTLS_HUB (element);
  GstStateChangeReturn ret
      = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);

  if (ret == GST_STATE_CHANGE_FAILURE)
    return ret;
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    start_net (self);
    dtls_manager_start (self);
  } else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    /* The pads are inactive, so no thread waits in a connection any more. */
    dtls_manager_stop (self);
  }
  return ret;
}

static void
hub_finalize (GObject *object)
{
  DtlsHub *self = DTLS_HUB (object);

  gst_object_unref (self->out);
  secure_text_forget (self->pem);
  g_free (self->fingerprint);
  g_clear_object (&self->outbox.socket);
  g_clear_object (&self->to);
  g_clear_object (&self->learned);
  g_hash_table_unref (self->warned);
  g_cond_clear (&self->cond);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
dtls_hub_class_init (DtlsHubClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      dtls_hub_debug, "rtpadaptdtls", 0, "DTLS connections of the bins");
  G_OBJECT_CLASS (klass)->finalize = hub_finalize;
  element_class->change_state = hub_change_state;
  gst_element_class_set_static_metadata (element_class, "DTLS hub",
      "Filter/Network/DTLS", "Decrypts with keys made by DTLS",
      "The gst-rtpadapt authors");
}

static void
dtls_out_class_init (DtlsOutClass *klass)
{
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "DTLS hub's other side", "Filter/Network/DTLS",
      "Encrypts with keys made by DTLS", "The gst-rtpadapt authors");
}

static void
dtls_out_init (DtlsOut *self)
{
}

static GstPad *
add_pad (DtlsHub *self, GstElement *element, guint index)
{
  GstStaticPadTemplate *template = &templates[index];
  GstPad *pad
      = gst_pad_new_from_static_template (template, template->name_template);

  if (index == 0) {
    gst_pad_set_chain_function (pad, net_chain);
    gst_pad_set_event_function (pad, net_event);
  } else if (template->direction == GST_PAD_SINK) {
    gst_pad_set_chain_function (pad, media_chain);
    gst_pad_set_chain_list_function (pad, media_chain_list);
    gst_pad_set_event_function (pad, media_event);
  } else {
    gst_pad_set_event_function (pad, src_event);
    gst_pad_set_query_function (pad, src_query);
  }
  gst_pad_set_element_private (pad, self);
  gst_element_add_pad (element, pad);
  return pad;
}

static void
dtls_hub_init (DtlsHub *self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  self->warned = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->out = gst_object_ref_sink (
      g_object_new (dtls_out_get_type (), "name", "dtlsout", NULL));
  self->net_sink = add_pad (self, GST_ELEMENT (self), 0);
  self->rtp_src = add_pad (self, GST_ELEMENT (self), 1);
  self->rtcp_src = add_pad (self, GST_ELEMENT (self), 2);
  self->rtp_sink = add_pad (self, self->out, 3);
  self->rtcp_sink = add_pad (self, self->out, 4);
  self->net_src = add_pad (self, self->out, 5);
  self->outbox.lock = &self->lock;
  self->outbox.pad = self->net_src;
}

DtlsHub *
dtls_hub_new (const DtlsHubConfig *cfg, const DtlsHubFuncs *funcs)
{
  DtlsHub *self = g_object_new (DTLS_TYPE_HUB, "name", "dtls", NULL);

  self->funcs = *funcs;
  self->outbox.client = cfg->client;
  self->calls = cfg->calls;
  self->pem = g_strdup (cfg->pem);
  self->fingerprint = g_strdup (cfg->fingerprint);
  return self;
}
