/* A frame's number in its picture: painted, spoilt, compressed, read back.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "barcode.h"

#include <string.h>

#define FRAMES 100

static void
test_crc (void)
{
  /* The check value of CRC-16/CCITT-FALSE (poly 0x1021, init 0xffff) for
   * these nine digits, as catalogues of CRCs print it. */
  g_assert_cmphex (barcode_crc ((const guint8 *) "123456789", 9), ==, 0x29b1);
}

static void
test_height (void)
{
  /* 40 blocks of 16 pixels: in one row of 640 pixels, and so on. */
  static const struct
  {
    const gchar *why;
    gint width, height;
  } rows[] = {
    { "40 fit exactly", 640, 16 },
    { "39 fit, and one is left", 639, 32 },
    { "80 fit", 1280, 16 },
    { "20 a row", 320, 32 },
    { "4 a row", 64, 160 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_test_message ("%s", rows[i].why);
    g_assert_cmpint (barcode_height (rows[i].width), ==, rows[i].height);
  }
}

static GstBuffer *
picture_new (GstVideoInfo *info, gint width, gint height, guint8 level)
{
  GstBuffer *picture;
  GstMapInfo map;

  gst_video_info_set_format (
      info, GST_VIDEO_FORMAT_I420, (guint) width, (guint) height);
  picture = gst_buffer_new_allocate (NULL, info->size, NULL);
  gst_buffer_map (picture, &map, GST_MAP_WRITE);
  memset (map.data, level, map.size);
  gst_buffer_unmap (picture, &map);
  return picture;
}

static guint8 *
luma (const GstVideoFrame *frame, gint x, gint y)
{
  return (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, 0)
      + y * GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0) + x;
}

static void
test_sizes (void)
{
  static const gint widths[] = { 64, 176, 320, 640, 720, 1280 };
  static const guint32 numbers[] = { 0, 1, 499, 0x800000, BARCODE_MAX };

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++) {
    GstVideoInfo info;
    g_autoptr (GstBuffer) picture = picture_new (&info, widths[i], 360, 77);
    gint below = barcode_height (widths[i]);
    GstVideoFrame frame;

    g_assert_true (
        gst_video_frame_map (&frame, &info, picture, GST_MAP_READWRITE));
    for (guint k = 0; k < G_N_ELEMENTS (numbers); k++) {
      guint32 number = ~numbers[k];

      barcode_paint (&frame, numbers[k]);
      g_assert_true (barcode_read (&frame, &number));
      g_assert_cmpuint (number, ==, numbers[k]);
    }
    g_assert_cmpuint (*luma (&frame, 0, below), ==, 77); /* the rest is left */
    g_assert_cmpuint (*luma (&frame, widths[i] - 1, below), ==, 77);
    gst_video_frame_unmap (&frame);
  }
}

/* What a picture must not be taken for. */
static void
test_refused (void)
{
  static const struct
  {
    const gchar *why;
    gint block; /* to be filled with */
    guint8 level;
  } rows[] = {
    { "a bit of the number turned white", 0, 235 },
    { "the last bit of 1 turned black", 23, 16 },
    { "neither black nor white", 5, 126 },
  };
  GstVideoInfo info;
  g_autoptr (GstBuffer) picture = picture_new (&info, 640, 360, 16);
  GstVideoFrame frame;
  guint32 number;

  g_assert_true (
      gst_video_frame_map (&frame, &info, picture, GST_MAP_READWRITE));
  g_test_message ("a black picture");
  g_assert_false (barcode_read (&frame, &number));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_test_message ("%s", rows[i].why);
    barcode_paint (&frame, 1);
    for (gint y = 0; y < BARCODE_BLOCK; y++)
      memset (luma (&frame, rows[i].block * BARCODE_BLOCK, y), rows[i].level,
          BARCODE_BLOCK);
    g_assert_false (barcode_read (&frame, &number));
  }
  gst_video_frame_unmap (&frame);
}

static void
test_too_small (void)
{
  GstVideoInfo info;
  g_autoptr (GstBuffer) picture = picture_new (&info, 64, 64, 16);
  GstVideoFrame frame;
  guint32 number;

  g_assert_true (gst_video_frame_map (&frame, &info, picture, GST_MAP_READ));
  g_assert_false (barcode_read (&frame, &number)); /* it would take 160 rows */
  gst_video_frame_unmap (&frame);
}

/* --- compressed ----------------------------------------------------------- */

typedef struct
{
  guint painted, read, refused, wrong;
} Count;

/* Far apart, so that many bits change from frame to frame. */
static guint32
number_of (guint frame)
{
  return (frame * 2654435761u) & BARCODE_MAX;
}

static gboolean
map (GstPad *pad, GstBuffer *buffer, GstVideoFrame *frame, GstMapFlags flags)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  GstVideoInfo info;

  return caps && gst_video_info_from_caps (&info, caps)
      && gst_video_frame_map (frame, &info, buffer, flags);
}

static GstPadProbeReturn
on_paint (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Count *count = data;
  GstBuffer *buffer
      = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
  GstVideoFrame frame;

  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  g_assert_true (map (pad, buffer, &frame, GST_MAP_READWRITE));
  barcode_paint (&frame, number_of (count->painted++));
  gst_video_frame_unmap (&frame);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_read (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Count *count = data;
  guint index = count->read + count->refused + count->wrong;
  GstVideoFrame frame;
  guint32 number;

  g_assert_true (
      map (pad, GST_PAD_PROBE_INFO_BUFFER (info), &frame, GST_MAP_READ));
  if (!barcode_read (&frame, &number))
    count->refused++;
  else if (number == number_of (index))
    count->read++;
  else
    count->wrong++;
  gst_video_frame_unmap (&frame);
  return GST_PAD_PROBE_OK;
}

static void
probe (GstElement *pipeline, const gchar *name, const gchar *pad_name,
    GstPadProbeCallback callback, Count *count)
{
  g_autoptr (GstElement) e = gst_bin_get_by_name (GST_BIN (pipeline), name);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (e, pad_name);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, count, NULL);
}

/* 200 kb/s for 640x360 is what is left when a path is at its worst. */
static void
test_compressed (gconstpointer pattern)
{
  g_autofree gchar *line = g_strdup_printf (
      "videotestsrc num-buffers=%d pattern=%s ! "
      "video/x-raw,format=I420,width=640,height=360,framerate=25/1 ! "
      "identity name=paint ! "
      "x264enc tune=zerolatency speed-preset=superfast threads=1 "
      "key-int-max=50 vbv-buf-capacity=200 bitrate=200 ! "
      "avdec_h264 max-threads=1 ! fakesink name=read sync=false",
      FRAMES, (const gchar *) pattern);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;
  Count count = { 0 };

  probe (pipeline, "paint", "src", on_paint, &count);
  probe (pipeline, "read", "sink", on_read, &count);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_EOS);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_test_message ("%u read, %u refused", count.read, count.refused);
  g_assert_cmpuint (count.painted, ==, FRAMES);
  g_assert_cmpuint (count.read + count.refused + count.wrong, ==, FRAMES);
  g_assert_cmpuint (count.wrong, ==, 0);
  g_assert_cmpuint (count.read, >=, FRAMES * 9 / 10);
}

static gboolean
have (const gchar *name)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find (name);

  return factory != NULL;
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/barcode/crc", test_crc);
  g_test_add_func ("/barcode/height", test_height);
  g_test_add_func ("/barcode/sizes", test_sizes);
  g_test_add_func ("/barcode/refused", test_refused);
  g_test_add_func ("/barcode/too-small", test_too_small);
  if (have ("x264enc") && have ("avdec_h264") && have ("videotestsrc")) {
    g_test_add_data_func (
        "/barcode/compressed/smpte", "smpte", test_compressed);
    g_test_add_data_func ("/barcode/compressed/snow", "snow", test_compressed);
    g_test_add_data_func ("/barcode/compressed/ball", "ball", test_compressed);
  }
  return g_test_run ();
}
