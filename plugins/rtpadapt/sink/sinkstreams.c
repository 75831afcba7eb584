/* rtpadaptsink: its request pads, and what is behind each.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Only its caps tell what a stream is, so its elements are made when they come:
 * video gets FEC and, if wanted, retransmission, anything else goes straight
 * into the funnel.
 *
 * A plain funnel: rtpfunnel (1.22) replaces the streams' caps by its own, which
 * do not say what is in them.  Its one drawback is mended here: what goes
 * upstream about one SSRC would reach the sources of all.
 */
#include "sinkpriv.h"

#include "parts/extmap.h"

#define GST_CAT_DEFAULT rtpadaptsink_debug

/* --- one stream ---------------------------------------------------------- */

static void
stream_clear (gpointer data)
{
  SinkStream *stream = data;

  gst_clear_caps (&stream->caps);
}

/* The probe below may outlive the pads. */
static void
stream_unref (gpointer data)
{
  g_atomic_rc_box_release_full (data, stream_clear);
}

/* The object lock is held. */
static SinkStream *
stream_find (GstRtpAdaptSink *self, GstPad *ghost)
{
  for (guint i = 0; i < self->streams->len; i++) {
    SinkStream *stream = self->streams->pdata[i];

    if (stream->ghost == ghost)
      return stream;
  }
  return NULL;
}

/* An event about one SSRC is for the stream that has it. */
static GstPadProbeReturn
filter_upstream (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  const SinkStream *stream = data;
  const GstStructure *s
      = gst_event_get_structure (GST_PAD_PROBE_INFO_EVENT (info));
  guint ssrc;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))
          == GST_EVENT_CUSTOM_UPSTREAM
      && s && gst_structure_get_uint (s, "ssrc", &ssrc) && stream->ssrc_known
      && ssrc != stream->ssrc)
    return GST_PAD_PROBE_DROP;
  return GST_PAD_PROBE_OK;
}

/* Named after the pad: fec_0 is behind sink_0. */
static GstElement *
add_element (GstRtpAdaptSink *self, SinkStream *stream, const gchar *factory,
    const gchar *prefix)
{
  g_autofree gchar *name = g_strdup_printf (
      "%s_%s", prefix, GST_OBJECT_NAME (stream->ghost) + strlen ("sink_"));
  GstElement *element = gst_element_factory_make (factory, name);

  if (!element)
    GST_ELEMENT_WARNING (self, CORE, MISSING_PLUGIN,
        ("No element \"%s\": the stream goes without it.", factory), (NULL));
  else
    gst_bin_add (GST_BIN (self), element);
  return element;
}

/* RFC 4588 8.6: a payload type of retransmissions stands for one other at a time,
 * here that of the first video stream there is. */
static gboolean
rtx_is_for (GstRtpAdaptSink *self, SinkStream *stream, gint payload)
{
  gboolean good;
  gint first = -1;

  GST_OBJECT_LOCK (self);
  for (guint i = 0; i < self->streams->len && first < 0; i++) {
    const SinkStream *other = self->streams->pdata[i];

    if (other != stream)
      first = other->rtx_payload;
  }
  good = payload >= 0 && payload != SINK_PT_RTX
      && (first < 0 || first == payload);
  stream->rtx_payload = good ? payload : -1;
  GST_OBJECT_UNLOCK (self);
  if (good)
    return TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("Packets of payload type %d are not sent again.", payload),
      ("%d repairs %d", SINK_PT_RTX, first));
  return FALSE;
}

/* Those from before stay: rtprtxsend (1.22) has packets of them, and would send
 * them again with payload type 0. */
static void
rtx_map (SinkStream *stream)
{
  g_autofree gchar *from = g_strdup_printf ("%d", stream->payload);
  GstStructure *map;

  g_object_get (stream->rtx, "payload-type-map", &map, NULL);
  if (!map)
    map = gst_structure_new_empty ("application/x-rtp-pt-map");
  gst_structure_set (map, from, G_TYPE_UINT, SINK_PT_RTX, NULL);
  g_object_set (stream->rtx, "payload-type-map", map, NULL);
  gst_structure_free (map);
}

/* rtprtxsend (1.22) without a map holds EOS back for ever, so there is none
 * where there is nothing to map. */
static void
add_rtx (GstRtpAdaptSink *self, SinkStream *stream)
{
  gboolean wanted;
  guint ms;

  GST_OBJECT_LOCK (self);
  wanted = self->cfg.retransmission;
  ms = (guint) (self->cfg.rtx_time / GST_MSECOND);
  GST_OBJECT_UNLOCK (self);
  if (!wanted || !rtx_is_for (self, stream, stream->payload))
    return;
  stream->rtx = add_element (self, stream, "rtprtxsend", "rtx");
  if (!stream->rtx)
    return;
  g_object_set (stream->rtx, "max-size-time", ms, "max-size-packets", 0, NULL);
  rtx_map (stream);
}

static void
add_fec (GstRtpAdaptSink *self, SinkStream *stream)
{
  if (stream->payload == SINK_PT_FEC)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("No FEC: the stream has its payload type, %d.", SINK_PT_FEC), (NULL));
  else
    stream->fec = add_element (self, stream, "rtpulpfecenc", "fec");
  if (stream->fec)
    g_object_set (stream->fec, "pt", SINK_PT_FEC, NULL);
}

/* Links what the stream needs, from the funnel back to the pad. */
static void
stream_build (GstRtpAdaptSink *self, SinkStream *stream, gboolean video)
{
  GstPad *target = gst_object_ref (stream->funnel_pad);
  GstElement *chain[2] = { NULL, NULL };

  if (video) {
    add_fec (self, stream);
    add_rtx (self, stream);
    chain[0] = stream->rtx;
    chain[1] = stream->fec;
  }
  for (guint i = 0; i < G_N_ELEMENTS (chain); i++) {
    GstPad *src;

    if (!chain[i])
      continue;
    src = gst_element_get_static_pad (chain[i], "src");
    gst_pad_link (src, target);
    gst_object_unref (src);
    gst_object_unref (target);
    gst_element_sync_state_with_parent (chain[i]);
    target = gst_element_get_static_pad (chain[i], "sink");
  }
  gst_ghost_pad_set_target (GST_GHOST_PAD (stream->ghost), target);
  gst_object_unref (target);
  stream->built = TRUE;
}

/* --- its events and queries ---------------------------------------------- */

static void
stream_caps (GstRtpAdaptSink *self, SinkStream *stream, GstCaps *caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  guint ssrc, twcc = extmap_id (s, EXTMAP_TWCC_URI);
  gint payload = -1;
  gboolean changed;

  gst_structure_get_int (s, "payload", &payload);
  GST_OBJECT_LOCK (self);
  gst_caps_replace (&stream->caps, caps);
  changed = payload != stream->payload;
  stream->payload = payload;
  stream->ssrc_known = gst_structure_get_uint (s, "ssrc", &ssrc);
  if (stream->ssrc_known)
    stream->ssrc = ssrc;
  /* rtpsession knows one id for all. */
  if (twcc > 0)
    self->ext_twcc = twcc;
  GST_OBJECT_UNLOCK (self);
  if (!stream->built)
    stream_build (self, stream,
        g_strcmp0 (gst_structure_get_string (s, "media"), "video") == 0);
  else if (changed && stream->rtx && rtx_is_for (self, stream, payload))
    rtx_map (stream);
}

static gboolean
stream_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRtpAdaptSink *self = GST_RTP_ADAPT_SINK (parent);
  SinkStream *stream = gst_pad_get_element_private (pad);
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    stream_caps (self, stream, caps);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT && !stream->built) {
    stream_build (self, stream, FALSE);
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
stream_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstRtpAdaptSink *self = GST_RTP_ADAPT_SINK (parent);
  GstCaps *caps, *offer;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      gst_query_parse_caps (query, &caps);
      offer = sink_caps_offer (self, caps);
      gst_query_set_caps_result (query, offer);
      gst_caps_unref (offer);
      return TRUE;
    case GST_QUERY_ACCEPT_CAPS:
      gst_query_parse_accept_caps (query, &caps);
      gst_query_set_accept_caps_result (query,
          gst_structure_has_name (
              gst_caps_get_structure (caps, 0), "application/x-rtp"));
      return TRUE;
    default:
      return gst_pad_query_default (pad, parent, query);
  }
}

/* --- pads ---------------------------------------------------------------- */

GstPad *
sink_request_pad (GstElement *element, GstPadTemplate *templ, const gchar *name,
    const GstCaps *caps)
{
  GstRtpAdaptSink *self = GST_RTP_ADAPT_SINK (element);
  SinkStream *stream;
  g_autofree gchar *made = NULL;
  GstPad *funnel_pad;

  if (self->missing)
    return NULL; /* NULL to READY says what */
  for (guint i = 0; !name; i++) {
    g_autofree gchar *next = g_strdup_printf ("sink_%u", i);
    GstPad *taken = gst_element_get_static_pad (element, next);

    if (!taken)
      name = made = g_steal_pointer (&next);
    gst_clear_object (&taken);
  }
  funnel_pad = gst_element_request_pad_simple (self->funnel, "sink_%u");
  stream = g_atomic_rc_box_new0 (SinkStream);
  stream->payload = stream->rtx_payload = -1;
  stream->funnel_pad = funnel_pad;
  stream->ghost = gst_ghost_pad_new_no_target_from_template (name, templ);
  gst_pad_set_element_private (stream->ghost, stream);
  gst_pad_set_event_function (stream->ghost, stream_event);
  gst_pad_set_query_function (stream->ghost, stream_query);
  gst_pad_add_probe (funnel_pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
      filter_upstream, g_atomic_rc_box_acquire (stream), stream_unref);
  GST_OBJECT_LOCK (self);
  g_ptr_array_add (self->streams, stream);
  GST_OBJECT_UNLOCK (self);
  gst_pad_set_active (stream->ghost, TRUE);
  gst_element_add_pad (element, stream->ghost);
  return stream->ghost;
}

static void
remove_element (GstRtpAdaptSink *self, GstElement *element)
{
  if (!element)
    return;
  gst_element_set_state (element, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (self), element);
}

void
sink_release_pad (GstElement *element, GstPad *pad)
{
  GstRtpAdaptSink *self = GST_RTP_ADAPT_SINK (element);
  SinkStream *stream;

  GST_OBJECT_LOCK (self);
  stream = stream_find (self, pad);
  GST_OBJECT_UNLOCK (self);
  if (!stream)
    return;
  gst_pad_set_active (pad, FALSE); /* nothing comes from here on */
  remove_element (self, stream->fec);
  remove_element (self, stream->rtx);
  gst_ghost_pad_set_target (GST_GHOST_PAD (pad), NULL);
  gst_element_release_request_pad (self->funnel, stream->funnel_pad);
  gst_object_unref (stream->funnel_pad);
  gst_element_remove_pad (element, pad);
  GST_OBJECT_LOCK (self);
  g_ptr_array_remove (self->streams, stream);
  GST_OBJECT_UNLOCK (self);
}

/* rtpsession wants to know a clock rate for its reports where the caps have no
 * SSRC. */
static GstCaps *
pt_map (GstElement *rtpbin, guint session, guint pt, gpointer data)
{
  GstRtpAdaptSink *self = data;
  GstCaps *caps = NULL;

  GST_OBJECT_LOCK (self);
  for (guint i = 0; i < self->streams->len && !caps; i++) {
    SinkStream *stream = self->streams->pdata[i];

    if (stream->caps && stream->payload == (gint) pt)
      caps = gst_caps_ref (stream->caps);
  }
  GST_OBJECT_UNLOCK (self);
  return caps;
}

void
sink_streams_init (GstRtpAdaptSink *self)
{
  self->streams = g_ptr_array_new_with_free_func (stream_unref);
  self->ext_twcc = SINK_EXT_TWCC;
  if (self->rtpbin)
    g_signal_connect (
        self->rtpbin, "request-pt-map", G_CALLBACK (pt_map), self);
}
