/* How near an encoder's RTP stream comes to a bitrate that changes while it
 * runs: a real clip through each of the table of encoder.c, with the settings
 * that the table recommends, and is asked before each frame.  As fast as the
 * encoder goes; a frame is 40 ms.  With -m slow also when it is asked for nothing but
 * the targets (`plain`).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tests/bench/encoders makes tests/bench/encoders.csv of what this prints.
 */
#include <plugins/rtpadapt/send/encoder.h>

#include <gst/app/gstappsink.h>
#include <gst/check/gstharness.h>

#define CLIP PLUGIN_SOURCES "/../../media/clips/cityCC0.mpg"
#define RATE 25          /* frames per second */
#define STAGE (5 * RATE) /* frames */
#define MTU "1200"
#define MEDIA_SHARE (1188 / 1200.0) /* less the RTP header */
#define TOLERANCE .1

/* bit/s; the first stage is only to get going. */
static const guint targets[] = { 600000, 1500000, 600000 };
#define N_STAGES G_N_ELEMENTS (targets)
#define START (3 * RATE) /* the frame of the first stage to begin with */

static GPtrArray *frames; /* GstBuffer */
static GstCaps *caps;

static const struct
{
  const gchar *factory, *payloader;
  gboolean slow; /* only with -m slow */
  const gchar *why;
  const gchar *settings; /* besides those of the table */
} rows[] = {
  { "x264enc", "rtph264pay mtu=" MTU, FALSE, "a VBV of 200 ms" },
  { "x265enc", "rtph265pay mtu=" MTU, FALSE, "another encoder each time" },
  /* With a positive cpu-used libvpx codes VP8 the worse the longer a frame takes by the
   * clock, and misses the bitrate by up to 19 % on a busy machine. */
  { "vp8enc", "rtpvp8pay mtu=" MTU, FALSE, "a buffer of 150 ms",
      "cpu-used=-8" },
  { "vp9enc", "rtpvp9pay mtu=" MTU, FALSE, "a buffer of 150 ms" },
  { "openh264enc", "rtph264pay mtu=" MTU, FALSE, "held to over some seconds" },
  { "av1enc", "identity", TRUE, "GStreamer 1.22 has no payloader for it" },
};

/* The bytes of RTP that came out while each frame went in. */
typedef guint Sizes[N_STAGES * STAGE];

static gboolean
clip_load (void)
{
  g_autoptr (GstElement) pipeline = NULL, sink = NULL;
  GstSample *sample;

  if (frames)
    return frames->len > 0;
  frames = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
  if (!g_file_test (CLIP, G_FILE_TEST_EXISTS))
    return FALSE;
  pipeline = gst_parse_launch ("filesrc location=" CLIP " ! decodebin ! "
                               "videoconvert ! videocrop bottom=1 ! "
                               "video/x-raw,format=I420,colorimetry=bt601 ! "
                               "appsink name=sink sync=false",
      NULL);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (sink)))) {
    gst_caps_replace (&caps, gst_sample_get_caps (sample));
    g_ptr_array_add (frames, gst_buffer_ref (gst_sample_get_buffer (sample)));
    gst_sample_unref (sample);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return frames->len > 0;
}

static GstBuffer *
frame_new (guint i)
{
  GstBuffer *frame = gst_buffer_copy (frames->pdata[i % frames->len]);

  GST_BUFFER_PTS (frame) = i * GST_SECOND / RATE;
  GST_BUFFER_DTS (frame) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (frame) = GST_SECOND / RATE;
  return frame;
}

/* `encoder` is in the harness.  `plain`: it is asked for the targets and no more. */
static void
stages_run (GstHarness *h, GstElement *encoder, gboolean plain, Sizes sizes)
{
  const EncoderRow *row = encoder_row (encoder);
  EncoderState state = { 0 };

  for (guint i = START; i < N_STAGES * STAGE; i++) {
    gboolean changed = i == START || i % STAGE == 0;
    GstBuffer *out;

    if (changed)
      state = (EncoderState){ .lead = state.lead }; /* at once */
    if (plain)
      state.lead = (RaLead){ 0 };
    if (changed || (row->min_interval == 0 && !plain))
      encoder_follow (encoder, row, &state,
          (guint64) (targets[i / STAGE] * MEDIA_SHARE), i * GST_SECOND / RATE);
    if (i == START)
      gst_harness_set_src_caps (h, gst_caps_ref (caps));
    g_assert_cmpint (gst_harness_push (h, frame_new (i)), ==, GST_FLOW_OK);
    while ((out = gst_harness_try_pull (h))) {
      sizes[i] += (guint) gst_buffer_get_size (out);
      gst_buffer_unref (out);
    }
  }
}

/* Prints a line of the csv; the share by which the target was missed, and in `begin` that
 * of the first half second. */
static gdouble
stage_result (const gchar *factory, gboolean plain, const Sizes sizes,
    guint stage, gdouble *begin)
{
  const guint *bytes = sizes + stage * STAGE;
  guint target = targets[stage], sum = 0, half = 0, worst = 0, largest = 0;
  guint first = 0;
  gdouble measured, error;

  for (guint i = 0; i < STAGE; i++) {
    sum += bytes[i];
    half += bytes[i] - (i >= RATE / 2 ? bytes[i - RATE / 2] : 0);
    worst = MAX (worst, half);
    first = i < RATE / 2 ? half : first;
    largest = MAX (largest, bytes[i]);
  }
  measured = sum * 8.0 * RATE / STAGE;
  error = measured / target - 1;
  *begin = first * 8.0 * RATE / (RATE / 2) / target - 1;
  g_test_message ("encoders,%s,%s,%s,%u,%.0f,%.1f,%.2f,%.2f,%.1f", factory,
      plain ? "plain" : "led", target > targets[stage - 1] ? "up" : "down",
      target / 1000, measured / 1000, error * 100,
      first * 8.0 * RATE / (RATE / 2) / target,
      worst * 8.0 * RATE / (RATE / 2) / target,
      (gdouble) largest * STAGE / sum);
  return error;
}

/* `begin`: by what share the first half second of each stage missed the target.  TRUE: the
 * encoder lags. */
static gboolean
row_run (guint r, gboolean plain, gdouble begin[N_STAGES])
{
  g_autoptr (GstElement) encoder
      = gst_element_factory_make (rows[r].factory, NULL);
  g_autofree gchar *line = NULL, *settings = NULL;
  Sizes sizes = { 0 };
  GstHarness *h;
  gboolean lags;

  if (!encoder || !clip_load ()) {
    g_test_skip (encoder ? "no clip: media/fetch" : "it is not installed");
    return FALSE;
  }
  gst_object_ref_sink (encoder);
  g_test_message ("%s", rows[r].why);
  settings = g_strjoin (
      " ", encoder_row (encoder)->settings, rows[r].settings, NULL);
  if (!plain)
    g_test_message ("settings,%s,%s", rows[r].factory, settings);
  line = g_strdup_printf (
      "%s name=encoder %s ! %s", rows[r].factory, settings, rows[r].payloader);
  h = gst_harness_new_parse (line);
  gst_object_unref (encoder);
  encoder = gst_bin_get_by_name (GST_BIN (h->element), "encoder");
  stages_run (h, encoder, plain, sizes);
  lags = encoder_row (encoder)->lags;
  gst_harness_teardown (h);
  for (guint stage = 1; stage < N_STAGES; stage++) {
    gdouble error
        = stage_result (rows[r].factory, plain, sizes, stage, &begin[stage]);

    g_assert_cmpfloat (ABS (error), <=, TOLERANCE);
  }
  return lags;
}

static void
test_rate (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  gdouble led[N_STAGES] = { 0 }, plain[N_STAGES] = { 0 };
  gboolean lags = row_run (r, FALSE, led);

  if (lags || g_test_slow ())
    row_run (r, TRUE, plain);
  for (guint stage = 1; lags && stage < N_STAGES; stage++)
    g_assert_cmpfloat (ABS (led[stage]), <, .75 * ABS (plain[stage]));
}

int
main (int argc, char **argv)
{
  int failed;

  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree gchar *path
        = g_strdup_printf ("/encoder-rate/%s", rows[i].factory);

    if (!rows[i].slow || g_test_slow ())
      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_rate);
  }
  failed = g_test_run ();
  g_clear_pointer (&frames, g_ptr_array_unref);
  gst_clear_caps (&caps);
  return failed;
}
