/* The table of encoders, with those that are installed: units, changes while
 * they run, when a change is due, what the user set.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "encoder-fixture.h"

/* 777,777 bit/s in each encoder's unit, as gst-inspect-1.0 describes it. */
static const struct
{
  const gchar *factory, *property;
  gint64 value;
  guint64 bps;
  const gchar *why;
} real_rows[] = {
  { "x264enc", "bitrate", 777, 777000, "Bitrate in kbit/sec" },
  { "x265enc", "bitrate", 777, 777000, "Bitrate in kbit/sec" },
  { "vp8enc", "target-bitrate", 777000, 777000,
      "in bits/sec, but libvpx knows whole kbit/s" },
  { "vp9enc", "target-bitrate", 777000, 777000, "the same" },
  { "openh264enc", "bitrate", 777777, 777777, "in bits per second" },
  { "av1enc", "target-bitrate", 777, 777000, "in kilobits per second" },
};

static void
test_real (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  GstElement *element = element_new (real_rows[r].factory);
  const EncoderRow *row;
  EncoderState state = { 0 };

  if (!element)
    return;
  g_test_message ("%s", real_rows[r].why);
  row = encoder_row (element);
  g_assert_cmpstr (row->factory, ==, real_rows[r].factory);
  g_assert_cmpstr (row->property, ==, real_rows[r].property);
  encoder_follow (element, row, &state, 777777, 0);
  g_assert_cmpint (
      number_get (element, real_rows[r].property), ==, real_rows[r].value);
  g_assert_cmpuint (state.bps, ==, real_rows[r].bps);
  gst_object_unref (element);
}

/* What the table recommends is understood and leaves nothing to warn of. */
static void
test_recommended (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  GstElement *plain = element_new (real_rows[r].factory), *element;
  g_autofree gchar *line = NULL, *problem = NULL;

  if (!plain)
    return;
  line = g_strdup_printf (
      "%s %s", real_rows[r].factory, encoder_row (plain)->settings);
  element = element_new (line);
  problem = encoder_prepare (element, encoder_row (element));
  g_assert_cmpstr (problem, ==, NULL);
  gst_object_unref (element);
  gst_object_unref (plain);
}

/* Pushes `n` frames; the bytes that come out. */
static guint64
frames_code (GstHarness *h, guint n)
{
  guint64 bytes = 0;
  GstBuffer *out;

  while (n-- > 0) {
    gst_harness_push_from_src (h);
    while ((out = gst_harness_try_pull (h))) {
      bytes += gst_buffer_get_size (out);
      gst_buffer_unref (out);
    }
  }
  return bytes;
}

static guint
caps_events (GstHarness *h)
{
  GstEvent *event;
  guint n = 0;

  while ((event = gst_harness_try_pull_event (h))) {
    n += GST_EVENT_TYPE (event) == GST_EVENT_CAPS;
    gst_event_unref (event);
  }
  return n;
}

/* 800 kbit/s, then a quarter of it: the bytes of the second second after the
 * change are fewer than half, and the caps stay. */
static void
test_playing (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  GstElement *plain = element_new (real_rows[r].factory);
  g_autofree gchar *line = NULL;
  EncoderState state = { 0 };
  const EncoderRow *row;
  GstElement *encoder;
  g_autoptr (GstHarness) h = NULL;
  guint64 before, after;

  if (!plain)
    return;
  row = encoder_row (plain);
  line = g_strdup_printf (
      "%s name=encoder %s ! identity", real_rows[r].factory, row->settings);
  gst_object_unref (plain);
  h = gst_harness_new_parse (line);
  encoder = gst_bin_get_by_name (GST_BIN (h->element), "encoder");
  encoder_follow (encoder, row, &state, 800000, 0);
  gst_harness_add_src_parse (h,
      "videotestsrc pattern=zone-plate kx2=12 ky2=12 kt=3 ! capsfilter "
      "caps=video/x-raw,format=I420,width=320,height=240,framerate=25/1",
      FALSE);
  frames_code (h, 25);
  before = frames_code (h, 25);
  g_assert_cmpuint (caps_events (h), ==, 1);
  state = (EncoderState){ 0 }; /* at once */
  encoder_follow (encoder, row, &state, 200000, 2 * GST_SECOND);
  frames_code (h, 25);
  after = frames_code (h, 25);
  g_test_message ("%" G_GUINT64_FORMAT " then %" G_GUINT64_FORMAT " bytes/s",
      before, after);
  g_assert_cmpuint (after, <, before / 2);
  g_assert_cmpuint (after, >, 0);
  g_assert_cmpuint (caps_events (h), ==, 0);
  gst_object_unref (encoder);
}

/* jpegenc has a quality and no bitrate: five frames, then the next quality.  After 2 s
 * the bytes of a second are within 15 % of what is wanted. */
static const struct
{
  guint64 bps;
  const gchar *why;
} jpeg_rows[] = {
  { 3000000, "at first" },
  { 1500000, "half of it" },
  { 4000000, "more" },
};

static void
test_jpeg (void)
{
  g_autoptr (GstHarness) h
      = gst_harness_new_parse ("jpegenc name=encoder ! identity");
  g_autoptr (GstElement) encoder
      = gst_bin_get_by_name (GST_BIN (h->element), "encoder");
  const EncoderRow *row = encoder_row (encoder);
  EncoderState state = { 0 };
  GstClockTime now = GST_SECOND;

  gst_harness_add_src_parse (h,
      "videotestsrc pattern=zone-plate kx2=12 ky2=12 kt=3 ! capsfilter "
      "caps=video/x-raw,format=I420,width=320,height=240,framerate=25/1",
      FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (jpeg_rows); i++) {
    guint64 bytes = 0;

    for (guint k = 0; k < 15; k++, now += 200 * GST_MSECOND) {
      guint64 made;

      g_assert_cmpuint (
          encoder_follow (encoder, row, &state, jpeg_rows[i].bps, now), ==,
          now + 200 * GST_MSECOND);
      made = frames_code (h, 5);
      bytes += k < 10 ? 0 : made;
    }
    g_test_message (
        "%s: %" G_GUINT64_FORMAT " bit/s", jpeg_rows[i].why, bytes * 8);
    g_assert_cmpuint (state.bps, ==, jpeg_rows[i].bps);
    g_assert_cmpfloat_with_epsilon (
        (gdouble) bytes * 8 / (gdouble) jpeg_rows[i].bps, 1, .15);
  }
}

/* By hand, with 10 % and 2 s; the last change to 1 Mbit/s at 100 s. */
#define NEVER GST_CLOCK_TIME_NONE
static const struct
{
  const gchar *name;
  guint64 last, bps; /* bit/s */
  gdouble now, when; /* s; -1: never */
  const gchar *why;
} when_rows[] = {
  { "first", 0, 300000, 100.5, 100.5, "nothing was set yet" },
  { "same", 1000000, 1000000, 200, -1, "it has that" },
  { "little-up", 1000000, 1099999, 200, -1, "9.9999 %" },
  { "little-down", 1000000, 900001, 200, -1, "9.9999 %" },
  { "enough-up", 1000000, 1100000, 200, 200, "10 %" },
  { "enough-down", 1000000, 900000, 200, 200, "10 %" },
  { "early", 1000000, 500000, 100.5, 102, "2 s after 100 s" },
  { "hurry", 1000000, 499999, 100.2, 100.5, "less than half: .5 s" },
  { "just", 1000000, 500000, 102, 102, "2 s are over" },
  { "clock-back", 1000000, 500000, 3, 3, "a new clock shall not hold it up" },
};

static void
test_when (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  const EncoderRow row
      = { .min_change = 10, .min_interval = 2 * GST_SECOND, .step = 1 };
  EncoderState state = { .asked = when_rows[r].last, .at = 100 * GST_SECOND };
  GstClockTime now = (GstClockTime) (when_rows[r].now * GST_SECOND);
  GstClockTime expected = when_rows[r].when < 0
      ? NEVER
      : (GstClockTime) (when_rows[r].when * GST_SECOND);

  g_test_message ("%s", when_rows[r].why);
  g_assert_cmpuint (
      encoder_when (&row, &state, when_rows[r].bps, now), ==, expected);
}

/* x265enc: at most once in 2 s, and then a mean of what was wanted, with a time
 * constant of 1 s to rise and .25 s to fall; twice as much at most, or a third.
 * Only less than half of what it has comes after .5 s. */
static const struct
{
  gdouble second;
  guint64 bps;
  gdouble again; /* seconds; 0: NEVER */
  gint kbps;     /* what it has then */
  const gchar *why;
} follow_rows[] = {
  { 1, 1000000, 0, 1000, "the first at once" },
  { 2, 600000, 3, 1000, "not within 2 s" },
  /* 600 + (1000 - 600) / e^4 = 607.3, in steps of 1 */
  { 3, 800000, 5, 607, "the mean: 1000 until 2, 600 until 3" },
  /* 800 - 192.7 / e^2 = 773.9 */
  { 5, 4000000, 7, 773, "4000 was not wanted yet" },
  /* 4000 - 3226.1 / e^2 = 3563.4 */
  { 7, 4000000, 9, 1546, "twice 773 at most" },
  /* 4000 - 436.6 / e = 3839.4 */
  { 8, 100000, 9, 1546, "still on its way up" },
  /* 100 + 3739.4 / e^2 = 606.1, less than half of 1546 */
  { 8.5, 100000, 10.5, 606, "which cannot wait for 9 s" },
  /* 100 + 506.1 / e^1.6 = 202.2, but .4 s after the last */
  { 8.9, 100000, 9, 606, "half a second may pass" },
  /* 100 + 102.2 / e^.4 = 168.5 */
  { 9, 100000, 11, 202, "a third of 606 at most" },
};

static void
test_follow (void)
{
  GstElement *element = element_new ("x265enc");
  const EncoderRow *row;
  EncoderState state = { 0 };

  if (!element)
    return;
  row = encoder_row (element);
  for (guint i = 0; i < G_N_ELEMENTS (follow_rows); i++) {
    GstClockTime again
        = encoder_follow (element, row, &state, follow_rows[i].bps,
            (GstClockTime) (follow_rows[i].second * GST_SECOND));

    g_test_message ("%s", follow_rows[i].why);
    g_assert_cmpuint (again, ==,
        follow_rows[i].again > 0
            ? (GstClockTime) (follow_rows[i].again * GST_SECOND)
            : NEVER);
    g_assert_cmpint (number_get (element, "bitrate"), ==, follow_rows[i].kbps);
  }
  gst_object_unref (element);
}

/* One that follows at once may be told anything at any time. */
static void
test_follow_live (void)
{
  GstElement *element = element_new ("x264enc");
  const EncoderRow *row;
  EncoderState state = { 0 };

  if (!element)
    return;
  row = encoder_row (element);
  encoder_follow (element, row, &state, 1000000, GST_SECOND);
  g_assert_cmpuint (
      encoder_follow (element, row, &state, 50000, 2 * GST_SECOND), ==, NEVER);
  g_assert_cmpint (number_get (element, "bitrate"), ==, 50);
  /* libwebrtc's min_bitrate_bps: 30,000. */
  encoder_follow (element, row, &state, 2000, 3 * GST_SECOND);
  g_assert_cmpint (number_get (element, "bitrate"), ==, 30);
  gst_object_unref (element);
}

/* What is set for the user, what is left to him, what he is warned of. */
static const struct
{
  const gchar *name, *line, *property, *value, *problem;
  const gchar *why;
} prepare_rows[] = {
  { "x264-vbv", "x264enc tune=zerolatency", "vbv-buf-capacity", "200", NULL,
      "the default was 600 ms" },
  { "x264-vbv-kept", "x264enc tune=zerolatency vbv-buf-capacity=300",
      "vbv-buf-capacity", "300", NULL, "the user's, and good enough" },
  { "x264-vbv-long", "x264enc tune=zerolatency vbv-buf-capacity=1000",
      "vbv-buf-capacity", "1000", "vbv-buf-capacity=1000: *", "the user's" },
  { "x264-vbv-none", "x264enc tune=zerolatency vbv-buf-capacity=0",
      "vbv-buf-capacity", "0", "vbv-buf-capacity=0: *", "the user's" },
  { "x264-tune", "x264enc", "tune", "0", "tune=(none): *",
      "cannot be changed once it runs" },
  { "x264-tunes", "x264enc tune=zerolatency+fastdecode", "tune",
      "zerolatency+fastdecode", NULL, "one of several" },
  { "x264-hrd", "x264enc tune=zerolatency option-string=ref=1:nal-hrd=cbr",
      "vbv-buf-capacity", "200", "option-string=ref=1:nal-hrd=cbr: *", "" },
  { "x264-two", "x264enc pass=quant option-string=nal-hrd=vbr", "pass", "quant",
      "tune=*; pass=quant: *; option-string=nal-hrd=vbr: *",
      "all in one text" },
  { "x265-tune", "x265enc", "tune", "ssim", "tune=ssim: *", "" },
  { "vp8-buffer", "vp8enc", "buffer-size", "150", NULL, "the default was 6 s" },
  { "vp8-optimal", "vp8enc", "buffer-optimal-size", "120", NULL, "5 s" },
  { "vp8-initial", "vp8enc", "buffer-initial-size", "100", NULL, "4 s" },
  { "vp8-cbr", "vp8enc", "end-usage", "cbr", NULL, "the default was vbr" },
  { "vp8-cq", "vp8enc end-usage=cq", "end-usage", "cq", "end-usage=cq: *",
      "the user's" },
  { "vp9-long", "vp9enc buffer-size=3000", "buffer-size", "3000",
      "buffer-size=3000: *", "the user's" },
  { "openh264", "openh264enc rate-control=off", "rate-control", "off",
      "rate-control=off: *", "" },
  { "openh264-max", "openh264enc max-bitrate=500000", "max-bitrate", "500000",
      "max-bitrate=500000: *", "" },
  { "av1", "av1enc", "max-quantizer", "0", "max-quantizer=0: *", "" },
};

static void
test_prepare (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  GstElement *element = element_new (prepare_rows[r].line);
  const gchar *expected = prepare_rows[r].problem;

  if (!element)
    return;
  g_test_message ("%s", prepare_rows[r].why);
  for (guint again = 0; again < 2; again++) {
    g_autofree gchar *problem
        = encoder_prepare (element, encoder_row (element));
    g_auto (GValue) value = G_VALUE_INIT, wanted = G_VALUE_INIT;
    GParamSpec *pspec = g_object_class_find_property (
        G_OBJECT_GET_CLASS (element), prepare_rows[r].property);

    if (expected)
      g_assert_true (problem && g_pattern_match_simple (expected, problem));
    else
      g_assert_cmpstr (problem, ==, NULL);
    g_value_init (&value, pspec->value_type);
    g_value_init (&wanted, pspec->value_type);
    g_object_get_property (
        G_OBJECT (element), prepare_rows[r].property, &value);
    g_assert_true (gst_value_deserialize (&wanted, prepare_rows[r].value));
    g_assert_cmpint (gst_value_compare (&value, &wanted), ==, GST_VALUE_EQUAL);
  }
  gst_object_unref (element);
}

void
tests_add (void)
{
  rows_add_by ("/encoder-table/unit", real_rows, factory, test_real);
  rows_add_by (
      "/encoder-table/recommended", real_rows, factory, test_recommended);
  rows_add_by ("/encoder-table/playing", real_rows, factory, test_playing);
  rows_add_by ("/encoder-table/when", when_rows, name, test_when);
  rows_add_by ("/encoder-table/prepare", prepare_rows, name, test_prepare);
  g_test_add_func ("/encoder-table/jpeg", test_jpeg);
  g_test_add_func ("/encoder-table/follow", test_follow);
  g_test_add_func ("/encoder-table/follow/live", test_follow_live);
}
