/* Raw frames that an encoder does not get.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "encoder-fixture.h"

#include <plugins/rtpadapt/send/frameskip.h>

#define RAW "video/x-raw,format=I420,width=16,height=16,framerate=25/1"
#define ABOVE (100 * RA_MSECOND)

/* --- an encoder ------------------------------------------------------------- */

/* What two elements say before each frame of 40 ms: ms that wait, -1: it has not
 * joined. */
static const struct
{
  const gchar *name, *caps;
  gint first[4], second[4];
  gboolean second_quiet;
  gboolean passes[4];
  const gchar *why;
} encoders[] = {
  { "one", RAW, { 100, 101, 500, 99 }, { -1, -1, -1, -1 }, FALSE,
      { TRUE, FALSE, FALSE, TRUE }, "above 100" },
  { "coded", "video/x-h264", { 500, 500, 500, 500 }, { -1, -1, -1, -1 }, FALSE,
      { TRUE, TRUE, TRUE, TRUE }, "later frames need those" },
  { "two", RAW, { 0, 110, 0, 0 }, { 0, 0, 110, 100 }, FALSE,
      { TRUE, FALSE, FALSE, TRUE }, "either of them has too much" },
  { "quiet", RAW, { 0, 0, 0, 0 }, { 500, 500, 500, 500 }, TRUE,
      { TRUE, TRUE, TRUE, TRUE }, "nobody answers the second" },
  { "quiet-alone", RAW, { -1, -1, -1, -1 }, { 500, 500, 0, 500 }, TRUE,
      { FALSE, FALSE, TRUE, FALSE }, "nobody else is there" },
  { "leaves", RAW, { 0, 0, 0, 0 }, { 500, -1, 500, -1 }, FALSE,
      { FALSE, TRUE, FALSE, TRUE }, "only who drives it counts" },
};

static void
say (GstElement *encoder, SkipLevel *level, gint ms)
{
  skip_level_set (level, MAX (ms, 0) * RA_MSECOND, ABOVE);
  if (ms < 0)
    frame_skip_leave (encoder, level);
  else
    frame_skip_join (encoder, level);
}

static gboolean
passes (GstHarness *h)
{
  GstBuffer *frame = gst_buffer_new (), *out;

  GST_BUFFER_DURATION (frame) = 40 * GST_MSECOND;
  g_assert_cmpint (gst_harness_push (h, frame), ==, GST_FLOW_OK);
  out = gst_harness_try_pull (h);
  if (out)
    gst_buffer_unref (out);
  return out != NULL;
}

/* An identity stands for the encoder. */
static void
test_encoder (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (GstHarness) h = gst_harness_new ("identity");
  SkipLevel *first = skip_level_new (), *second = skip_level_new ();
  guint64 skipped = 0;

  g_test_message ("%s", encoders[i].why);
  gst_harness_set_src_caps_str (h, encoders[i].caps);
  skip_level_set_quiet (second, encoders[i].second_quiet);
  for (guint k = 0; k < 4; k++) {
    say (h->element, first, encoders[i].first[k]);
    say (h->element, second, encoders[i].second[k]);
    g_assert_cmpint (passes (h), ==, encoders[i].passes[k]);
    skipped += !encoders[i].passes[k] && encoders[i].first[k] >= 0;
  }
  g_assert_cmpuint (skip_level_skipped (first), ==, skipped);
  frame_skip_leave (h->element, first);
  frame_skip_leave (h->element, second);
  skip_level_unref (first);
  skip_level_unref (second);
}

/* The threshold that is never reached. */
static void
test_never (void)
{
  g_autoptr (GstHarness) h = gst_harness_new ("identity");
  SkipLevel *level = skip_level_new ();

  gst_harness_set_src_caps_str (h, RAW);
  g_assert_true (frame_skip_join (h->element, level));
  g_assert_false (frame_skip_join (h->element, level));
  skip_level_set (level, 3600 * RA_SECOND, RA_SPAN_NONE);
  g_assert_true (passes (h));
  /* The encoder outlives the element that drove it, and holds its level. */
  skip_level_unref (level);
  g_assert_true (passes (h));
}

/* A frame that is skipped more than 1 s before its time is of no live source. */
static void
test_early (void)
{
  static const struct
  {
    guint64 ahead; /* of the clock */
    gint waiting;  /* ms, skipped above 100 */
    gboolean early;
  } rows[] = { { 900 * GST_MSECOND, 500, FALSE },
    { 1100 * GST_MSECOND, 0, FALSE }, { 1100 * GST_MSECOND, 500, TRUE } };
  g_autoptr (GstHarness) h = gst_harness_new ("identity");
  SkipLevel *level = skip_level_new ();

  gst_harness_use_testclock (h);
  gst_harness_set_src_caps_str (h, RAW);
  frame_skip_join (h->element, level);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstBuffer *frame = gst_buffer_new ();

    skip_level_set (level, rows[i].waiting * RA_MSECOND, ABOVE);
    GST_BUFFER_PTS (frame) = rows[i].ahead;
    gst_harness_push (h, frame);
    g_assert_cmpint (skip_level_early (level), ==, rows[i].early);
  }
  skip_level_start (level);
  g_assert_false (skip_level_early (level));
  frame_skip_leave (h->element, level);
  skip_level_unref (level);
}

static void
test_no_pad (void)
{
  g_autoptr (GstElement) source = gst_element_factory_make ("fakesrc", NULL);
  SkipLevel *level = skip_level_new ();

  gst_object_ref_sink (source);
  g_assert_false (frame_skip_join (source, level));
  frame_skip_leave (source, level);
  skip_level_unref (level);
}

void
tests_add (void)
{
  rows_add_by ("/frame-skip/encoder", encoders, name, test_encoder);
  g_test_add_func ("/frame-skip/never", test_never);
  g_test_add_func ("/frame-skip/early", test_early);
  g_test_add_func ("/frame-skip/no-pad", test_no_pad);
}
