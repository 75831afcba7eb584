/* The FEC encoder upstream: finding it and setting its level.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Only rtpadaptfecenc and rtpulpfecenc: rtpst2022-1-fecenc of GStreamer 1.22 refuses every change
 * above READY.  One that follows rtpadaptsend, as the `fec-encoders` of an
 * rtpbin behind it, is not found, because what it adds would not be paced.
 *
 * Packets of key frames are marked NON_DROPPABLE, which nobody else does, so
 * that percentage-important counts for them.  They are known by their payload:
 * of the flag DELTA_UNIT H.264's payloader keeps one per key frame, VP8's and
 * VP9's none.  rtpulpfecenc takes what it gives them from the frames behind,
 * which then go without for as many packets as that would have served; so its
 * `percentage`, too, is the higher one while a key frame passes.
 *
 * Without a level rtpadaptfecenc gets packets marked that will be late.
 */
#include "fecenc.h"

#include "parts/walk.h"

#include <gst/rtp/rtp.h>
#include <gst/rtpadapt/colour/importance.h>
#include <math.h>

#define FACTORY "rtpulpfecenc"
#define SPANNING "rtpadaptfecenc"
#define PT_NONE 255 /* its default: without FEC */
#define LEVEL "rtpadapt-fec-level"

static gboolean
is_fecenc (GstElement *element)
{
  const gchar *factory = walk_factory (element);

  return g_str_equal (factory, FACTORY) || g_str_equal (factory, SPANNING);
}

static gboolean
is_spanning (GstElement *fecenc)
{
  return g_str_equal (walk_factory (fecenc), SPANNING);
}

GstElement *
fecenc_find_downstream (GstPad *srcpad)
{
  return walk_find (srcpad, is_fecenc);
}

GPtrArray *
fecenc_find_all_upstream (GstPad *sinkpad)
{
  return walk_find_all (sinkpad, is_fecenc);
}

gint
fecenc_payload_type (GstElement *fecenc)
{
  guint pt;

  g_object_get (fecenc, "pt", &pt, NULL);
  return pt == PT_NONE ? -1 : (gint) pt;
}

/* A lost packet spoils the picture up to the next key frame: of a key frame all
 * pictures between, of another frame half of them on the mean.  What a level
 * leaves missing is about w^2 / level (fec/residual.c: rows of 1 / level
 * packets).  The least harm for a number of repair packets then comes with
 * levels as the square root of the harm of a packet: sqrt (2). */
static guint
important (guint percentage)
{
  return MIN ((guint) ceil (percentage * G_SQRT2), 100);
}

/* What fecenc_set() set last; 0 before. */
static guint
level_get (GstElement *fecenc)
{
  guint data = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (fecenc), LEVEL));

  return data > 0 ? data - 1 : 0;
}

guint
fecenc_set (GstElement *fecenc, guint percentage, guint last)
{
  percentage = MIN (percentage, 100);
  if (percentage == last)
    return percentage;
  /* Known before it is set: see level_restore(). */
  g_object_set_data (
      G_OBJECT (fecenc), LEVEL, GUINT_TO_POINTER (percentage + 1));
  g_object_set (fecenc, "percentage", percentage, "percentage-important",
      important (percentage), NULL);
  return percentage;
}

void
fecenc_set_span (GstElement *fecenc, RaSpan span)
{
  guint ms = (guint) CLAMP (span / RA_MSECOND, 0, FECENC_SPAN_MAX), before;

  if (!is_spanning (fecenc))
    return;
  g_object_get (fecenc, "span", &before, NULL);
  if (ms != before)
    g_object_set (fecenc, "span", ms, NULL);
}

void
fecenc_set_code (GstElement *fecenc, RaFecCode code)
{
  gint before;

  if (!is_spanning (fecenc))
    return;
  g_object_get (fecenc, "code", &before, NULL);
  if ((gint) code != before)
    g_object_set (fecenc, "code", (gint) code, NULL);
}

static void
set_share (GstElement *fecenc, const gchar *name, guint of, gdouble share)
{
  guint value = (guint) ceil (of * CLAMP (share, 0, 1)), before;

  g_object_get (fecenc, name, &before, NULL);
  if (value != before)
    g_object_set (fecenc, name, value, NULL);
}

void
fecenc_set_late_loss (GstElement *fecenc, gdouble loss, gdouble rest)
{
  if (!is_spanning (fecenc))
    return;
  set_share (fecenc, "late-loss", 1000, loss);
  set_share (fecenc, "rest-loss", 10000, rest);
}

guint
fecenc_block (GstElement *fecenc, RaFecCode *code)
{
  g_autoptr (GstStructure) stats = NULL;
  guint packets = 0, rs_pt;
  gint set;

  *code = RA_FEC_CODE_FRAME;
  if (!is_spanning (fecenc))
    return 0;
  g_object_get (fecenc, "stats", &stats, "rs-pt", &rs_pt, "code", &set, NULL);
  gst_structure_get_uint (stats, "block-packets", &packets);
  *code = rs_pt != PT_NONE && set == RA_FEC_CODE_RS ? RA_FEC_CODE_RS
                                                    : RA_FEC_CODE_XOR;
  return packets;
}

/* --- key frames ----------------------------------------------------------- */

/* Of one pad; only its streaming thread uses it. */
typedef struct
{
  RaImportanceReader reader;
  Lateness *lateness;
  gboolean raised; /* `percentage` is that of key frames */
  gboolean ended;  /* the last packet had the marker bit */
} Watch;

/* Another thread may set a new level meanwhile: whichever of the two comes
 * last, the newest level stays. */
static void
level_restore (GstElement *fecenc)
{
  guint level;

  do {
    level = level_get (fecenc);
    g_object_set (fecenc, "percentage", level, NULL);
  } while (level_get (fecenc) != level);
}

static void
level_follow (Watch *w, GstElement *fecenc, gboolean is_key)
{
  guint level = level_get (fecenc);

  if (is_spanning (fecenc)) /* it has a block for each level */
    return;
  if (is_key && !w->raised && level > 0) {
    g_object_set (fecenc, "percentage", important (level), NULL);
    w->raised = TRUE;
  } else if (!is_key && w->raised && w->ended) {
    level_restore (fecenc);
    w->raised = FALSE;
  }
}

/* Whether it is part of a key frame.  rtpulpfecenc, too, takes the marker bit
 * for the end of a frame. */
static gboolean
packet_is_key (Watch *w, GstElement *fecenc, GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  gboolean is_key;

  if (!gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp))
    return FALSE;
  is_key = ra_importance_read (&w->reader, gst_rtp_buffer_get_payload (&rtp),
               gst_rtp_buffer_get_payload_len (&rtp),
               gst_rtp_buffer_get_timestamp (&rtp))
      >= RA_IMPORTANCE_KEY;
  level_follow (w, fecenc, is_key);
  w->ended = gst_rtp_buffer_get_marker (&rtp);
  gst_rtp_buffer_unmap (&rtp);
  return is_key;
}

/* Whether it gets more repair than others: without a level only what is late does.
 * `bytes` come in with it. */
static gboolean
packet_is_marked (Watch *w, GstElement *fecenc, GstBuffer *buffer, gsize bytes)
{
  gboolean is_key = packet_is_key (w, fecenc, buffer);

  return is_spanning (fecenc) && level_get (fecenc) == 0
      ? lateness_is (w->lateness, bytes)
      : is_key;
}

static void
watch_free (gpointer data)
{
  Watch *w = data;

  lateness_unref (w->lateness);
  g_free (w);
}

static void
watch_caps (Watch *w, GstCaps *caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);

  ra_importance_init (&w->reader,
      ra_codec_find (gst_structure_get_string (s, "encoding-name")));
}

static GstBufferList *
list_mark (Watch *w, GstElement *fecenc, GstBufferList *list)
{
  gsize bytes = 0;

  for (guint i = 0; i < gst_buffer_list_length (list); i++) {
    GstBuffer *buffer = gst_buffer_list_get (list, i);

    bytes += gst_buffer_get_size (buffer);
    if (!packet_is_marked (w, fecenc, buffer, bytes))
      continue;
    list = gst_buffer_list_make_writable (list);
    GST_BUFFER_FLAG_SET (
        gst_buffer_list_get_writable (list, i), GST_BUFFER_FLAG_NON_DROPPABLE);
  }
  return list;
}

static GstPadProbeReturn
on_input (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  g_autoptr (GstElement) fecenc = gst_pad_get_parent_element (pad);
  Watch *w = data;

  if (!fecenc)
    return GST_PAD_PROBE_OK;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
    GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
    GstCaps *caps;

    if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
      gst_event_parse_caps (event, &caps);
      watch_caps (w, caps);
    }
  } else if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER_LIST) {
    info->data = list_mark (w, fecenc, GST_PAD_PROBE_INFO_BUFFER_LIST (info));
  } else if (packet_is_marked (w, fecenc, GST_PAD_PROBE_INFO_BUFFER (info),
                 gst_buffer_get_size (GST_PAD_PROBE_INFO_BUFFER (info)))) {
    info->data = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
    GST_BUFFER_FLAG_SET (
        GST_PAD_PROBE_INFO_BUFFER (info), GST_BUFFER_FLAG_NON_DROPPABLE);
  }
  return GST_PAD_PROBE_OK;
}

gulong
fecenc_watch (GstElement *fecenc, Lateness *lateness)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (fecenc, "sink");
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  Watch *w = g_new0 (Watch, 1);

  w->lateness = lateness_ref (lateness);
  if (caps)
    watch_caps (w, caps);
  return gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST
          | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      on_input, w, watch_free);
}

void
fecenc_unwatch (GstElement *fecenc, gulong watch)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (fecenc, "sink");

  gst_pad_remove_probe (pad, watch);
  if (g_object_get_data (G_OBJECT (fecenc), LEVEL))
    level_restore (fecenc); /* it may have been within a key frame */
}
