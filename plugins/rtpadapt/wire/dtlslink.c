/* One DTLS connection and the SRTP that its handshake makes keys for.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "dtlslink.h"

/* --- what the elements make ---------------------------------------------- */

static GstFlowReturn
net_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  DtlsLink *link = gst_pad_get_element_private (pad);
  guint8 first = 0;

  gst_buffer_extract (buffer, 0, &first, 1);
  if (first >= 128) /* RFC 7983 7 */
    return link->funcs.leaves (link->funcs.data, GST_MINI_OBJECT (buffer));
  link->funcs.flight (link->funcs.data, link, buffer);
  return GST_FLOW_OK;
}

/* Only SRTP comes in lists. */
static GstFlowReturn
net_chain_list (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  DtlsLink *link = gst_pad_get_element_private (pad);

  return link->funcs.leaves (link->funcs.data, GST_MINI_OBJECT (list));
}

static GstFlowReturn
media_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  DtlsLink *link = gst_pad_get_element_private (pad);

  return link->funcs.came (
      link->funcs.data, link, pad == link->rtcp_out, buffer);
}

/* The pads of the hub have events of their own. */
static gboolean
drop_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);
  return TRUE;
}

/* These pads take any caps.  They have no template, so without this function a
 * query would be answered with the current caps alone. */
static gboolean
answer_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstCaps *caps;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      gst_query_parse_caps (query, &caps);
      caps = caps ? gst_caps_ref (caps) : gst_caps_new_any ();
      gst_query_set_caps_result (query, caps);
      gst_caps_unref (caps);
      return TRUE;
    case GST_QUERY_ACCEPT_CAPS:
      gst_query_set_accept_caps_result (query, TRUE);
      return TRUE;
    default:
      return FALSE;
  }
}

static void
peer_pem (GObject *dec, GParamSpec *pspec, gpointer data)
{
  DtlsLink *link = data;
  gchar *pem;

  g_object_get (dec, "peer-pem", &pem, NULL);
  link->funcs.certificate (link->funcs.data, link, pem);
  g_free (pem);
}

static void
keys_set (GstElement *enc, gpointer data)
{
  DtlsLink *link = data;

  link->funcs.keyed (link->funcs.data, link);
}

/* --- making -------------------------------------------------------------- */

/* The srtpdec inside dtlssrtpdec. */
static GstElement *
inner_srtpdec (GstElement *dec)
{
  GstIterator *children = gst_bin_iterate_elements (GST_BIN (dec));
  GValue item = G_VALUE_INIT;
  GstElement *found = NULL;

  while (!found && gst_iterator_next (children, &item) == GST_ITERATOR_OK) {
    GstElement *child = g_value_get_object (&item);
    GstElementFactory *factory = gst_element_get_factory (child);

    if (factory && g_str_equal (GST_OBJECT_NAME (factory), "srtpdec"))
      found = gst_object_ref (child);
    g_value_reset (&item);
  }
  g_value_unset (&item);
  gst_iterator_free (children);
  return found;
}

static GstPad *
new_pad (DtlsLink *link, const gchar *name, GstPadDirection direction)
{
  GstPad *pad = gst_object_ref_sink (gst_pad_new (name, direction));

  gst_pad_set_element_private (pad, link);
  gst_pad_set_event_function (pad, drop_event);
  gst_pad_set_query_function (pad, answer_query);
  return pad;
}

static GstElement *
new_element (const gchar *factory)
{
  GstElement *element = gst_element_factory_make (factory, NULL);

  return element ? gst_object_ref_sink (element) : NULL;
}

static void
closure_unref (gpointer data, GClosure *closure)
{
  dtls_link_unref (data);
}

/* The link lives as long as a handler may run. */
static void
watch (DtlsLink *link, GstElement *element, const gchar *signal, GCallback func)
{
  g_signal_connect_data (
      element, signal, func, dtls_link_ref (link), closure_unref, 0);
}

DtlsLink *
dtls_link_new (const DtlsLinkFuncs *funcs, gboolean client, const gchar *pem)
{
  DtlsLink *link = g_atomic_rc_box_new0 (DtlsLink);
  g_autofree gchar *id = NULL;

  link->funcs = *funcs;
  link->net_in = new_pad (link, "net-in", GST_PAD_SRC);
  link->rtp_in = new_pad (link, "rtp-in", GST_PAD_SRC);
  link->rtcp_in = new_pad (link, "rtcp-in", GST_PAD_SRC);
  link->net_out = new_pad (link, "net-out", GST_PAD_SINK);
  link->rtp_out = new_pad (link, "rtp-out", GST_PAD_SINK);
  link->rtcp_out = new_pad (link, "rtcp-out", GST_PAD_SINK);
  gst_pad_set_chain_function (link->net_out, net_chain);
  gst_pad_set_chain_list_function (link->net_out, net_chain_list);
  gst_pad_set_chain_function (link->rtp_out, media_chain);
  gst_pad_set_chain_function (link->rtcp_out, media_chain);
  link->dec = new_element ("dtlssrtpdec");
  link->enc = link->dec ? new_element ("dtlssrtpenc") : NULL;
  link->srtpdec = link->enc ? inner_srtpdec (link->dec) : NULL;
  if (!link->srtpdec) {
    dtls_link_unref (link);
    return NULL;
  }
  /* The id joins the two elements, and has to be unique in the process. */
  id = g_strdup_printf ("rtpadapt-%p-%08x%08x", (gpointer) link,
      g_random_int (), g_random_int ());
  if (pem)
    g_object_set (link->dec, "pem", pem, NULL);
  g_object_set (link->dec, "connection-id", id, NULL);
  g_object_set (link->enc, "connection-id", id, "is-client", client, NULL);
  watch (link, link->dec, "notify::peer-pem", G_CALLBACK (peer_pem));
  watch (link, link->enc, "on-key-set", G_CALLBACK (keys_set));
  return link;
}

/* --- beginning ----------------------------------------------------------- */

static gboolean
link_pad (GstPad *ours, GstElement *element, const gchar *name)
{
  gboolean source = gst_pad_get_direction (ours) == GST_PAD_SRC;
  GstPad *theirs = gst_element_get_static_pad (element, name);
  GstPadLinkReturn ret;

  if (!theirs)
    theirs = gst_element_request_pad_simple (element, name);
  if (!theirs)
    return FALSE;
  /* They have no common ancestor. */
  ret = gst_pad_link_full (source ? ours : theirs, source ? theirs : ours,
      GST_PAD_LINK_CHECK_NOTHING);
  gst_object_unref (theirs);
  return ret == GST_PAD_LINK_OK;
}

static void
start_pad (GstPad *pad, const gchar *type)
{
  g_autofree gchar *id
      = g_strdup_printf ("%s-%08x", GST_OBJECT_NAME (pad), g_random_int ());
  GstSegment segment;

  gst_pad_push_event (pad, gst_event_new_stream_start (id));
  if (type) {
    GstCaps *caps = gst_caps_new_empty_simple (type);

    gst_pad_push_event (pad, gst_event_new_caps (caps));
    gst_caps_unref (caps);
  }
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
}

static void
set_active (DtlsLink *link, gboolean active)
{
  gst_pad_set_active (link->net_out, active);
  gst_pad_set_active (link->rtp_out, active);
  gst_pad_set_active (link->rtcp_out, active);
  gst_pad_set_active (link->net_in, active);
  gst_pad_set_active (link->rtp_in, active);
  gst_pad_set_active (link->rtcp_in, active);
}

gboolean
dtls_link_begin (DtlsLink *link)
{
  set_active (link, TRUE);
  /* dtlsenc wants to find dtlsdec's connection when it becomes READY. */
  if (gst_element_set_state (link->dec, GST_STATE_READY)
          == GST_STATE_CHANGE_FAILURE
      || !link_pad (link->net_out, link->enc, "src")
      || !link_pad (link->rtp_in, link->enc, "rtp_sink_0")
      || !link_pad (link->rtcp_in, link->enc, "rtcp_sink_0")
      || !link_pad (link->net_in, link->dec, "sink")
      || !link_pad (link->rtp_out, link->dec, "rtp_src")
      || !link_pad (link->rtcp_out, link->dec, "rtcp_src")
      || gst_element_set_state (link->dec, GST_STATE_PLAYING)
          == GST_STATE_CHANGE_FAILURE
      || gst_element_set_state (link->enc, GST_STATE_PLAYING)
          == GST_STATE_CHANGE_FAILURE)
    return FALSE;
  start_pad (link->net_in, NULL);
  start_pad (link->rtp_in, "application/x-rtp");
  start_pad (link->rtcp_in, "application/x-rtcp");
  return TRUE;
}

/* --- ending -------------------------------------------------------------- */

void
dtls_link_end (DtlsLink *link)
{
  set_active (link, FALSE);
  gst_element_set_state (link->enc, GST_STATE_NULL);
  gst_element_set_state (link->dec, GST_STATE_NULL);
  g_signal_handlers_disconnect_by_data (link->enc, link);
  g_signal_handlers_disconnect_by_data (link->dec, link);
}

DtlsLink *
dtls_link_ref (DtlsLink *link)
{
  return g_atomic_rc_box_acquire (link);
}

static void
link_clear (gpointer data)
{
  DtlsLink *link = data;

  gst_clear_object (&link->srtpdec);
  gst_clear_object (&link->enc);
  gst_clear_object (&link->dec);
  gst_clear_object (&link->net_in);
  gst_clear_object (&link->rtp_in);
  gst_clear_object (&link->rtcp_in);
  gst_clear_object (&link->net_out);
  gst_clear_object (&link->rtp_out);
  gst_clear_object (&link->rtcp_out);
  g_clear_object (&link->peer);
  dtls_flight_clear (&link->flight);
  g_free (link->fingerprint);
}

void
dtls_link_unref (DtlsLink *link)
{
  g_atomic_rc_box_release_full (link, link_clear);
}
