/* Which size and frame rate the pictures of an encoder should have, and making them so.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sizefit.h"

#include "parts/walk.h"

static gboolean
is_scaler (GstElement *element)
{
  return g_pattern_match_simple ("*scale", walk_factory (element));
}

static gboolean
is_videorate (GstElement *element)
{
  return g_str_equal (walk_factory (element), "videorate");
}

/* TRUE: there is such an element before `element`. */
static gboolean
has_before (GstElement *element, WalkMatch match)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");
  g_autoptr (GstElement) found = pad ? walk_find (pad, match) : NULL;

  return found != NULL;
}

static gboolean
is_filter (GstElement *element)
{
  return g_str_equal (walk_factory (element), "capsfilter")
      && has_before (element, is_scaler);
}

/* The caps that we set carry those of the application under this name.  Caps without
 * it are the application's own. */
static GQuark
before_quark (void)
{
  return g_quark_from_static_string ("rtpadapt-size-before");
}

/* Raw video in the memory where the filter gets it. */
static GstCaps *
caps_in_memory (GstElement *filter)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (filter, "sink");
  g_autoptr (GstCaps) now = gst_pad_get_current_caps (pad);
  GstCaps *caps = gst_caps_new_empty_simple ("video/x-raw");

  if (now)
    gst_caps_set_features_simple (
        caps, gst_caps_features_copy (gst_caps_get_features (now, 0)));
  return caps;
}

/* Those for the picture at the step, of what the capsfilter let through before. */
static GstCaps *
caps_at (const SizeFit *s, GstElement *filter, GstCaps *before)
{
  RaPicture p = ra_picture_at (&s->full, s->fit.step);
  GstCaps *caps = gst_caps_is_any (before) ? caps_in_memory (filter)
                                           : gst_caps_copy (before);

  gst_caps_set_simple (caps, "width", G_TYPE_INT, (gint) p.width, "height",
      G_TYPE_INT, (gint) p.height, NULL);
  if (p.fps_d > s->full.fps_d && has_before (filter, is_videorate))
    gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, (gint) p.fps_n,
        (gint) p.fps_d, NULL);
  gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (caps), before_quark (),
      gst_caps_ref (before), (GDestroyNotify) gst_caps_unref);
  return caps;
}

/* TRUE: the pictures will be as the step says. */
static gboolean
size_apply (const SizeFit *s, GstPad *sinkpad)
{
  g_autoptr (GstElement) filter = walk_find (sinkpad, is_filter);
  g_autoptr (GstCaps) now = NULL, caps = NULL;
  GstCaps *before;

  if (!filter)
    return FALSE;
  g_object_get (filter, "caps", &now, NULL);
  before
      = gst_mini_object_get_qdata (GST_MINI_OBJECT_CAST (now), before_quark ());
  before = before ? before : now;
  caps = s->fit.step > 0 ? caps_at (s, filter, before) : gst_caps_ref (before);
  if (caps != now)
    g_object_set (filter, "caps", caps, NULL);
  return TRUE;
}

void
size_fit_restore (GstElement *encoder)
{
  g_autoptr (GstPad) sinkpad = gst_element_get_static_pad (encoder, "sink");
  const SizeFit full = { 0 };

  if (sinkpad)
    size_apply (&full, sinkpad);
}

/* FALSE: they are not raw video. */
static gboolean
picture_of (GstPad *sinkpad, RaPicture *p)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (sinkpad);
  const GstStructure *s = caps ? gst_caps_get_structure (caps, 0) : NULL;
  gint width, height, fps_n = 0, fps_d = 1;

  if (!s || !gst_structure_has_name (s, "video/x-raw")
      || !gst_structure_get_int (s, "width", &width)
      || !gst_structure_get_int (s, "height", &height))
    return FALSE;
  gst_structure_get_fraction (s, "framerate", &fps_n, &fps_d);
  *p = (RaPicture){ (guint) width, (guint) height, (guint) fps_n,
    (guint) fps_d };
  return TRUE;
}

/* Pictures that are smaller while a step is proposed are the answer to it. */
static void
full_take (SizeFit *s, const RaPicture *now)
{
  guint64 pixels = (guint64) now->width * now->height;
  guint64 full = (guint64) s->full.width * s->full.height;

  if (s->fit.step == 0 || pixels > full)
    s->full = *now;
}

typedef struct
{
  const gchar *encoder;
  gint width, height;
  guint bitrate;
  gboolean adapted;
} SizeNews;

const Field size_fit_fields[] = {
  { "encoder", "", "name of the encoder that it is about", "element",
      FIELD_TEXT (SizeNews, encoder) },
  { "width", "pixels", "proposed", "element", FIELD_INT (SizeNews, width) },
  { "height", "pixels", "proposed", "element", FIELD_INT (SizeNews, height) },
  { "bitrate", "bit/s", "that the encoder has now", "split of the rate",
      FIELD_UINT (SizeNews, bitrate) },
  { "adapted", "", "adapt-size has done it; the application need not",
      "element", FIELD_BOOLEAN (SizeNews, adapted) },
  { "framerate", "frames/s", "proposed, a fraction; only if the caps have one",
      "element", FIELD_OTHER ("fraction") },
  { NULL },
};

static GstStructure *
proposal (const SizeFit *s, GstElement *encoder, guint64 bps)
{
  RaPicture p = ra_picture_at (&s->full, s->fit.step);
  GstStructure *news = fields_new ("rtpadapt-size", size_fit_fields,
      &(SizeNews){ .encoder = GST_OBJECT_NAME (encoder),
          .width = (gint) p.width,
          .height = (gint) p.height,
          .bitrate = (guint) MIN (bps, G_MAXUINT),
          .adapted = s->adapts });

  if (p.fps_n > 0)
    gst_structure_set (news, "framerate", GST_TYPE_FRACTION, (gint) p.fps_n,
        (gint) p.fps_d, NULL);
  return news;
}

GstStructure *
size_fit_do (
    SizeFit *s, GstElement *encoder, guint64 bps, gboolean adapt, RaTime now)
{
  g_autoptr (GstPad) sinkpad = gst_element_get_static_pad (encoder, "sink");
  gboolean changed;
  RaPicture p;

  if (!sinkpad || !picture_of (sinkpad, &p) || bps == 0)
    return NULL;
  full_take (s, &p);
  changed = ra_picture_fit (&s->fit, &s->full, bps, now);
  if (adapt && (changed || (!s->wanted && !s->others))) {
    s->adapts = size_apply (s, sinkpad);
  } else if (!adapt && !s->others && (s->wanted || !s->begun)) {
    const SizeFit full = { .full = s->full };

    size_apply (&full, sinkpad);
    s->adapts = FALSE;
  }
  s->wanted = adapt;
  /* What the other leaves is made good once it has left. */
  s->begun = adapt || !s->others;
  return changed ? proposal (s, encoder, bps) : NULL;
}
