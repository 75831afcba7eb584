/* The size of the pictures that an encoder gets.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../rows.h"

#include <plugins/rtpadapt/send/encodershare.h>
#include <plugins/rtpadapt/send/sizefit.h>

#include <gst/app/gstappsink.h>
#include <gst/check/gstcheck.h>

#define SOURCE \
  "videotestsrc ! video/x-raw,width=640,height=360,framerate=25/1 ! "
#define FILTER " ! capsfilter name=filter caps=video/x-raw,format=I420 "
/* An identity stands for the encoder. */
#define SINK \
  " ! identity name=encoder ! appsink name=sink sync=false max-buffers=1"
#define LOW "video/x-raw,format=I420,width=320,height=180,framerate=25/2"
#define CUDA "video/x-raw(memory:CUDAMemory)"
#define FULL        \
  {                 \
    640, 360, 25, 1 \
  }

/* 60 kbit/s for 3 s: less than 97 k, which 480x270 needs at half the frame rate. */
static const struct
{
  const gchar *name, *before; /* the encoder */
  gboolean adapt, adapted;
  RaPicture low; /* what the encoder gets then */
  const gchar *why;
} rows[] = {
  { "scale-and-rate", SOURCE "videoscale ! videorate" FILTER, TRUE, TRUE,
      { 320, 180, 25, 2 }, "all of it" },
  { "scale", SOURCE "videoscale" FILTER, TRUE, TRUE, { 320, 180, 25, 1 },
      "there is no videorate" },
  { "queue", SOURCE "videoscale ! videorate" FILTER " ! queue", TRUE, TRUE,
      { 320, 180, 25, 2 }, "not next to the encoder" },
  { "no-filter", SOURCE "videoscale ! videorate", TRUE, FALSE, FULL,
      "nothing to set" },
  { "no-scale", SOURCE "videorate" FILTER, TRUE, FALSE, FULL,
      "nothing that scales" },
  { "off", SOURCE "videoscale ! videorate" FILTER, FALSE, FALSE, FULL,
      "it is only proposed" },
};

typedef struct
{
  GstElement *pipeline, *encoder;
  GstAppSink *sink;
  SizeFit size;
  RaTime now;
} World;

static World
world_new (const gchar *before)
{
  g_autofree gchar *line = g_strconcat (before, SINK, NULL);
  g_autoptr (GError) error = NULL;
  World w = { .pipeline = gst_parse_launch (line, &error), .now = RA_SECOND };

  g_assert_no_error (error);
  w.encoder = gst_bin_get_by_name (GST_BIN (w.pipeline), "encoder");
  w.sink = GST_APP_SINK (gst_bin_get_by_name (GST_BIN (w.pipeline), "sink"));
  gst_element_set_state (w.pipeline, GST_STATE_PLAYING);
  return w;
}

static void
world_free (World *w)
{
  gst_element_set_state (w->pipeline, GST_STATE_NULL);
  gst_object_unref (w->encoder);
  gst_object_unref (w->sink);
  gst_object_unref (w->pipeline);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (World, world_free)

static gboolean
next_is (World *w, const RaPicture *p)
{
  g_autoptr (GstSample) sample = gst_app_sink_pull_sample (w->sink);
  const GstStructure *s
      = gst_caps_get_structure (gst_sample_get_caps (sample), 0);
  gint width, height, n, d;

  g_assert_true (gst_structure_get_int (s, "width", &width)
      && gst_structure_get_int (s, "height", &height)
      && gst_structure_get_fraction (s, "framerate", &n, &d));
  return width == (gint) p->width && height == (gint) p->height
      && n * (gint) p->fps_d == d * (gint) p->fps_n;
}

/* The encoder gets `bps` for some seconds; the last proposal. */
static GstStructure *
say (World *w, guint64 bps, gboolean adapt, guint seconds)
{
  GstStructure *last = NULL, *news;

  for (guint i = 0; i <= 10 * seconds; i++) {
    w->now += 100 * RA_MSECOND;
    news = size_fit_do (&w->size, w->encoder, bps, adapt, w->now);
    if (!news)
      continue;
    g_clear_pointer (&last, gst_structure_free);
    last = news;
  }
  return last;
}

/* `news` is taken over. */
static void
assert_proposal (
    GstStructure *news, const RaPicture *p, guint bps, gboolean adapted)
{
  g_autofree gchar *text = g_strdup_printf (
      "rtpadapt-size,encoder=encoder,width=(int)%u,height=(int)%u,"
      "framerate=(fraction)%u/%u,bitrate=(uint)%u,adapted=(boolean)%d",
      p->width, p->height, p->fps_n, p->fps_d, bps, adapted);
  g_autoptr (GstStructure) wanted = gst_structure_from_string (text, NULL);

  g_assert_true (gst_structure_is_equal (news, wanted));
  gst_structure_free (news);
}

static void
test_row (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  const RaPicture full = FULL, low = { 320, 180, 25, 2 };
  g_auto (World) w = world_new (rows[i].before);

  g_test_message ("%s", rows[i].why);
  g_assert_true (next_is (&w, &full));
  g_assert_null (say (&w, 1000000, rows[i].adapt, 3));
  assert_proposal (
      say (&w, 60000, rows[i].adapt, 3), &low, 60000, rows[i].adapted);
  while (rows[i].adapted && !next_is (&w, &rows[i].low))
    ;
  g_assert_true (next_is (&w, &rows[i].low));
  assert_proposal (
      say (&w, 1000000, rows[i].adapt, 40), &full, 1000000, rows[i].adapted);
  while (!next_is (&w, &full))
    ;
}

/* Whoever stops it gets the full picture back. */
static void
test_off (void)
{
  const RaPicture full = FULL, low = { 320, 180, 25, 2 };
  g_auto (World) w = world_new (rows[0].before);

  g_assert_true (next_is (&w, &full));
  gst_structure_free (say (&w, 60000, TRUE, 3));
  while (!next_is (&w, &low))
    ;
  g_assert_null (say (&w, 60000, FALSE, 3));
  while (!next_is (&w, &full))
    ;
  /* The next start finds what the one before has left. */
  g_assert_null (say (&w, 60000, TRUE, 0));
  while (!next_is (&w, &low))
    ;
  w.size = (SizeFit){ 0 };
  g_assert_null (say (&w, 1000000, TRUE, 0));
  while (!next_is (&w, &full))
    ;
}

static gboolean
caps_are (GstElement *filter, const gchar *text)
{
  g_autoptr (GstCaps) caps = NULL, wanted = gst_caps_from_string (text);

  g_object_get (filter, "caps", &caps, NULL);
  return gst_caps_is_equal (caps, wanted);
}

#define NO_NEXT 2
/* What the capsfilter has in a session that ends with small pictures, and in the next. */
static const struct
{
  const gchar *name, *before, *low;
  const gchar *set; /* by the application in between, or NULL */
  gboolean adapt;   /* the next session does; NO_NEXT: there is none */
  const gchar *caps, *why;
} sessions[] = {
  { "off", SOURCE "videoscale ! videorate" FILTER, LOW, NULL, FALSE,
      "video/x-raw,format=I420", "what it had first" },
  { "set", SOURCE "videoscale ! videorate" FILTER, LOW,
      "video/x-raw,width=480,height=270", TRUE,
      "video/x-raw,width=480,height=270", "the application's new caps" },
  { "left", SOURCE "videoscale ! videorate" FILTER, LOW, NULL, NO_NEXT,
      "video/x-raw,format=I420", "nobody drives the encoder any more" },
  { "left-set", SOURCE "videoscale ! videorate" FILTER, LOW,
      "video/x-raw,width=480,height=270", NO_NEXT,
      "video/x-raw,width=480,height=270", "the application's new caps" },
  { "memory",
      "fakesrc ! " CUDA ",format=I420,width=640,height=360,framerate=25/1 ! "
      "videoscale ! capsfilter name=filter",
      CUDA ",width=320,height=180", NULL, FALSE, "ANY",
      "cudascale gives nothing in another memory than it gets" },
};

static void
test_sessions (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  const RaPicture full = FULL;
  g_auto (World) w = world_new (sessions[i].before);
  g_autoptr (GstElement) filter
      = gst_bin_get_by_name (GST_BIN (w.pipeline), "filter");

  g_test_message ("%s", sessions[i].why);
  g_assert_true (next_is (&w, &full));
  gst_structure_free (say (&w, 60000, TRUE, 3));
  g_assert_true (caps_are (filter, sessions[i].low));
  if (sessions[i].set)
    gst_util_set_object_arg (G_OBJECT (filter), "caps", sessions[i].set);
  w.size = (SizeFit){ 0 };
  if (sessions[i].adapt == NO_NEXT)
    encoder_share_restore (w.encoder);
  else
    g_assert_null (say (&w, 1000000, sessions[i].adapt, 0));
  g_assert_true (caps_are (filter, sessions[i].caps));
}

/* Who does not adapt leaves the pictures to another who does, until that one leaves. */
static void
test_other (void)
{
  const RaPicture full = FULL;
  g_auto (World) w = world_new (rows[0].before);
  g_autoptr (GstElement) filter
      = gst_bin_get_by_name (GST_BIN (w.pipeline), "filter");

  g_assert_true (next_is (&w, &full));
  g_assert_false (encoder_share_adapts (w.encoder, &rows[0], TRUE));
  gst_structure_free (say (&w, 60000, TRUE, 3));
  w.size = (SizeFit){ 0 };
  w.size.others = encoder_share_adapts (w.encoder, &rows[1], FALSE);
  g_assert_null (say (&w, 1000000, FALSE, 0));
  g_assert_true (caps_are (filter, LOW));
  encoder_share_leave (w.encoder, &rows[0]);
  w.size.others = encoder_share_adapts (w.encoder, &rows[1], FALSE);
  g_assert_null (say (&w, 1000000, FALSE, 0));
  g_assert_true (caps_are (filter, "video/x-raw,format=I420"));
}

/* A picture that is small already. */
static void
test_small (void)
{
  g_auto (World) w
      = world_new ("videotestsrc ! video/x-raw,width=64,height=48");
  const RaPicture small = { 64, 48, 30, 1 };

  g_assert_true (next_is (&w, &small));
  g_assert_null (say (&w, 1000, FALSE, 60)); /* below 320x180 */
}

void
tests_add (void)
{
  rows_add_by ("/size-fit/row", rows, name, test_row);
  g_test_add_func ("/size-fit/off", test_off);
  rows_add_by ("/size-fit/sessions", sessions, name, test_sessions);
  g_test_add_func ("/size-fit/other", test_other);
  g_test_add_func ("/size-fit/small", test_small);
}
