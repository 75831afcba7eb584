/* rtpadaptsink: what is behind each of its request pads.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sinkstreams.h"

#include "parts/extmap.h"
#include "sinkcaps.h"
#include "wire/payloadtypes.h"

#include <string.h>

GST_DEBUG_CATEGORY_EXTERN (rtpadaptsink_debug);
#define GST_CAT_DEFAULT rtpadaptsink_debug

#define NO_PT 255 /* of rtpadaptfecenc */

/* --- the list ------------------------------------------------------------- */

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

void
sink_streams_init (SinkStreams *s)
{
  s->list = g_ptr_array_new_with_free_func (stream_unref);
  s->ext_twcc = SINK_EXT_TWCC;
}

void
sink_streams_clear (SinkStreams *s)
{
  g_ptr_array_unref (s->list);
}

void
sink_streams_add (SinkStreams *s, SinkStream *stream)
{
  g_ptr_array_add (s->list, stream);
}

/* Caps that came before say nothing of what comes next. */
void
sink_streams_stop (SinkStreams *s)
{
  for (guint i = 0; i < s->list->len; i++) {
    SinkStream *stream = s->list->pdata[i];

    gst_clear_caps (&stream->caps);
    stream->payload = stream->rtx_payload = -1;
    stream->ssrc_known = FALSE;
  }
  s->ext_twcc = SINK_EXT_TWCC;
}

void
sink_stream_end (SinkStream *stream)
{
  stream->rtx_payload = -1;
}

void
sink_streams_remove (SinkStreams *s, SinkStream *stream)
{
  g_ptr_array_remove (s->list, stream);
}

SinkStream *
sink_streams_find (SinkStreams *s, GstPad *ghost)
{
  for (guint i = 0; i < s->list->len; i++) {
    SinkStream *stream = s->list->pdata[i];

    if (stream->ghost == ghost)
      return stream;
  }
  return NULL;
}

GstCaps *
sink_streams_caps (SinkStreams *s, guint payload)
{
  for (guint i = 0; i < s->list->len; i++) {
    const SinkStream *stream = s->list->pdata[i];

    if (stream->caps && stream->payload == (gint) payload)
      return gst_caps_ref (stream->caps);
  }
  return NULL;
}

/* --- caps ------------------------------------------------------------------ */

/* RFC 4588 8.6: a payload type of retransmissions stands for one other at a time,
 * here that of the first video stream there is. */
static void
claim_rtx (SinkStreams *s, SinkStream *stream, SinkStreamJob *job)
{
  for (guint i = 0; i < s->list->len && job->repeats_other < 0; i++) {
    const SinkStream *other = s->list->pdata[i];

    if (other != stream)
      job->repeats_other = other->rtx_payload;
  }
  job->may_repeat = job->payload >= 0 && !pt_is_rtx (job->payload)
      && (job->repeats_other < 0 || job->repeats_other == job->payload);
  stream->rtx_payload = job->may_repeat ? job->payload : -1;
}

static const gchar *
encoding_of (const GstCaps *caps)
{
  return g_intern_string (gst_structure_get_string (
      gst_caps_get_structure (caps, 0), "encoding-name"));
}

static gboolean
is_of_repair (gint payload)
{
  return pt_is_fec (payload) || pt_is_rtx (payload);
}

/* A receiver knows what packets are by their payload type. */
static void
find_twin (SinkStreams *s, SinkStream *stream, SinkStreamJob *job)
{
  job->name = encoding_of (stream->caps);
  if (is_of_repair (job->payload))
    job->twin = "repair";
  for (guint i = 0; i < s->list->len && !job->twin && job->name; i++) {
    const SinkStream *other = s->list->pdata[i];

    if (other != stream && other->caps && other->payload == job->payload
        && job->payload >= 0 && encoding_of (other->caps) != job->name)
      job->twin = encoding_of (other->caps);
  }
}

SinkStreamJob
sink_streams_on_caps (SinkStreams *s, SinkStream *stream, GstCaps *caps,
    gboolean repeats, guint keep)
{
  const GstStructure *fields = gst_caps_get_structure (caps, 0);
  guint ssrc, twcc = extmap_id (fields, EXTMAP_TWCC_URI);
  SinkStreamJob job = { .builds = !stream->built,
    .video
    = g_strcmp0 (gst_structure_get_string (fields, "media"), "video") == 0,
    .payload = -1,
    .repeats_other = -1,
    .keep = keep };

  gst_structure_get_int (fields, "payload", &job.payload);
  gst_caps_replace (&stream->caps, caps);
  if (job.builds)
    job.repeats = job.video && repeats;
  else
    job.repeats = job.payload != stream->payload && stream->rtx;
  if (job.builds || job.payload != stream->payload)
    find_twin (s, stream, &job);
  stream->payload = job.payload;
  stream->ssrc_known = gst_structure_get_uint (fields, "ssrc", &ssrc);
  if (stream->ssrc_known)
    stream->ssrc = ssrc;
  if (twcc > 0)
    s->ext_twcc = twcc;
  if (job.repeats)
    claim_rtx (s, stream, &job);
  return job;
}

/* --- elements --------------------------------------------------------------- */

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

SinkStream *
sink_stream_new (GstPad *ghost, GstPad *funnel_pad)
{
  SinkStream *stream = g_atomic_rc_box_new0 (SinkStream);

  stream->payload = stream->rtx_payload = -1;
  stream->ghost = ghost;
  stream->funnel_pad = funnel_pad;
  gst_pad_add_probe (funnel_pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
      filter_upstream, g_atomic_rc_box_acquire (stream), stream_unref);
  return stream;
}

/* Named after the pad: fec_0 is behind sink_0. */
static GstElement *
add_element (
    GstBin *bin, SinkStream *stream, const gchar *factory, const gchar *prefix)
{
  g_autofree gchar *name = g_strdup_printf (
      "%s_%s", prefix, GST_OBJECT_NAME (stream->ghost) + strlen ("sink_"));
  GstElement *element = gst_element_factory_make (factory, name);

  if (!element)
    GST_ELEMENT_WARNING (bin, CORE, MISSING_PLUGIN,
        ("No element \"%s\": the stream goes without it.", factory), (NULL));
  else
    gst_bin_add (bin, element);
  return element;
}

/* Those from before stay: rtprtxsend (1.22) has packets of them, and would send
 * them again with payload type 0. */
static void
rtx_map (SinkStream *stream, gint payload, guint rtx)
{
  g_autofree gchar *from = g_strdup_printf ("%d", payload);
  GstStructure *map;

  g_object_get (stream->rtx, "payload-type-map", &map, NULL);
  if (!map)
    map = gst_structure_new_empty ("application/x-rtp-pt-map");
  gst_structure_set (map, from, G_TYPE_UINT, rtx, NULL);
  g_object_set (stream->rtx, "payload-type-map", map, NULL);
  gst_structure_free (map);
}

static void
warn_rtx (GstBin *bin, const SinkStreamJob *job)
{
  if (is_of_repair (job->payload))
    return; /* warn_twin() has said it */
  GST_ELEMENT_WARNING (bin, STREAM, FORMAT,
      ("Packets of payload type %d are not sent again.", job->payload),
      ("%d repairs %d", PT_RTX, job->repeats_other));
}

/* rtprtxsend (1.22) without a map holds EOS back for ever, so there is none
 * where there is nothing to map. */
static void
add_rtx (GstBin *bin, SinkStream *stream, const SinkStreamJob *job)
{
  if (!job->may_repeat) {
    warn_rtx (bin, job);
    return;
  }
  stream->rtx = add_element (bin, stream, "rtprtxsend", "rtx");
  if (!stream->rtx)
    return;
  g_object_set (
      stream->rtx, "max-size-time", job->keep, "max-size-packets", 0, NULL);
  rtx_map (stream, job->payload, PT_RTX);
  if (stream->fec)
    rtx_map (stream, PT_RS, PT_RS_RTX);
}

static void
add_fec (GstBin *bin, SinkStream *stream, const SinkStreamJob *job)
{
  if (job->payload != PT_FEC)
    stream->fec = add_element (bin, stream, "rtpadaptfecenc", "fec");
  if (stream->fec)
    g_object_set (stream->fec, "pt", PT_FEC, "rs-pt",
        job->payload == PT_RS ? NO_PT : PT_RS, NULL);
}

/* Links what the stream needs, from the funnel back to the pad. */
static void
build (GstBin *bin, SinkStream *stream, const SinkStreamJob *job)
{
  GstPad *target = gst_object_ref (stream->funnel_pad);
  GstElement *chain[2] = { NULL, NULL };

  if (job->video) {
    add_fec (bin, stream, job);
    if (job->repeats)
      add_rtx (bin, stream, job);
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

static void
warn_twin (GstBin *bin, const SinkStreamJob *job)
{
  GST_ELEMENT_WARNING (bin, STREAM, FORMAT,
      ("Two streams, %s and %s, have payload type %d: the receiver takes both for "
       "the same. Set pt= of one payloader.",
          job->twin, job->name ? job->name : "media", job->payload),
      (NULL));
}

void
sink_stream_do (GstBin *bin, SinkStream *stream, const SinkStreamJob *job)
{
  if (job->twin)
    warn_twin (bin, job);
  if (job->builds)
    build (bin, stream, job);
  else if (job->repeats && job->may_repeat)
    rtx_map (stream, job->payload, PT_RTX);
  else if (job->repeats)
    warn_rtx (bin, job);
}

static void
remove_element (GstBin *bin, GstElement *element)
{
  if (!element)
    return;
  gst_element_set_state (element, GST_STATE_NULL);
  gst_bin_remove (bin, element);
}

void
sink_stream_undo (GstBin *bin, SinkStream *stream)
{
  remove_element (bin, stream->fec);
  remove_element (bin, stream->rtx);
  stream->fec = stream->rtx = NULL;
  gst_ghost_pad_set_target (GST_GHOST_PAD (stream->ghost), NULL);
  stream->built = FALSE;
}
