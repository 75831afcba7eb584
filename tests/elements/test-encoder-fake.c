/* The table of encoders, with those that need hardware and those that nobody
 * has described: elements that have their names and the property that their
 * documentation names.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "encoder-fixture.h"

/* Element classes made from rows: the names and units of encoders that need
 * hardware, and of some that nobody knows. */
#define VIDEO "Codec/Encoder/Video"
#define SOURCE "Source/Video"
static const struct
{
  const gchar *factory, *klass, *property, *blurb;
  gint64 max;
  gint64 value; /* after 777,777 bit/s; -1: it is no encoder for us */
  const gchar *why;
} fake_rows[] = {
  { "vah264enc", VIDEO, "bitrate", "The desired bitrate expressed in kbps",
      2048000, 777, "gstvah264enc.c" },
  { "varenderD129h265enc", VIDEO, "bitrate", "", 2048000, 777,
      "the name on a second device" },
  { "vaapih264enc", VIDEO, "bitrate", "", 2048000, 777, "gstvaapiencoder.c" },
  { "nvh264enc", VIDEO, "bitrate", "Bitrate in kbit/sec", 2048000, 777,
      "gstnvbaseenc.c" },
  { "nvv4l2h264enc", VIDEO, "bitrate", "", G_MAXINT, 777777,
      "Jetson's takes bit/s" },
  { "qsvh264enc", VIDEO, "bitrate", "", G_MAXINT, 777, "gstqsvh264enc.cpp" },
  { "qsvvp9enc", VIDEO, "bitrate", "", G_MAXUINT16, 777, "gstqsvvp9enc.cpp" },
  { "amfh264enc", VIDEO, "bitrate",
      "Target bitrate in kbit/sec (0: USAGE default)", G_MAXINT / 1000, 777,
      "gstamfh264enc.cpp, by its description" },
  { "omxh264enc", VIDEO, "target-bitrate",
      "Target bitrate in bits per second (0xffffffff=component default)",
      G_MAXUINT, 777777, "gstomxvideoenc.c" },
  { "mpph264enc", VIDEO, "bps", "Target BPS (0 = auto calculate)", G_MAXINT,
      777777, "gstmppenc.c" },
  { "mpph265enc", VIDEO, "bps", "", G_MAXINT, 777777, "the same class" },
  { "mppvp8enc", VIDEO, "bps", "", G_MAXINT, 777777, "the same class" },
  { "mppjpegenc", VIDEO, "bps", "", G_MAXINT, 777777, "the same class" },
  { "rkmpih264enc", VIDEO, "name-only", "", G_MAXINT, -1,
      "gstrkmpih264enc.c has no property at all" },
  { "svtav1enc", VIDEO, "target-bitrate", "", 100000, 777,
      "gstsvtav1enc.c: kbit/s, for the next start" },
  { "v4l2vp8enc", VIDEO, "bitrate", "Video bitrate in bits per second",
      G_MAXINT, 777777, "gstv4l2videoenc.c since 1.30" },
  { "vajpegenc", VIDEO, "quality", "", 100, -1,
      "gstvajpegenc.c takes the quality once" },
  { "libcamerasrc", SOURCE, "camera-name", "", G_MAXINT, -1,
      "gstlibcamerasrc.cpp: raw video, or JPEG as the camera likes" },
  { "fakekiloenc", VIDEO, "bitrate", "Target in kbits/s", G_MAXINT, 777,
      "kbits/s has bits/s in it" },
  { "fakebitsenc", VIDEO, "target-bitrate", "Target (bits per second)",
      G_MAXINT, 777777, "" },
  { "fakebpsenc", VIDEO, "bitrate", "in bps", G_MAXINT, 777777, "" },
  { "fakelowenc", VIDEO, "bitrate", "kbps", 500, 500,
      "not above what the property takes" },
  { "fakemuteenc", VIDEO, "bitrate", "The bitrate", G_MAXINT, -1,
      "a guess may be wrong by 1000" },
  { "fakemegaenc", VIDEO, "bitrate", "in Mbit/s", G_MAXINT, -1,
      "too coarse to steer by" },
  { "fakeothername", VIDEO, "rate", "bits/s", G_MAXINT, -1,
      "only properties with the usual name" },
  { "fakeaudioenc", "Codec/Encoder/Audio", "bitrate", "bits/s", G_MAXINT, -1,
      "sound is not ours" },
  { "fakefilter", "Filter/Effect/Video", "bitrate", "bits/s", G_MAXINT, -1,
      "no encoder" },
};

/* A source that may code by itself. */
static const struct
{
  const gchar *factory;
  const gchar *caps; /* of its pad, or NULL */
  gboolean driven;
  const gchar *why;
} source_rows[] = {
  { "v4l2src", "video/x-h264", TRUE, "an H.264 camera" },
  { "v4l2src", "video/x-h265", TRUE, "another" },
  { "v4l2src", "video/x-raw", FALSE, "the encoder stands behind it" },
  { "v4l2src", "image/jpeg", FALSE, "a bitrate changes no JPEG" },
  { "v4l2src", NULL, FALSE, "nobody knows yet" },
  { "rpicamsrc", "video/x-h264", TRUE, "gstrpicamsrc.c" },
  { "rpicamsrc", "image/jpeg", FALSE, "it has a quality for these" },
  { "uvch264src", "video/x-h264", TRUE, "gstuvch264_src.c" },
  { "uvch264src", "video/x-raw", FALSE, "the view finder alone" },
};

enum
{
  PROP_NUMBER = 1,
  PROP_ALONG,
  PROP_CONTROLS,
};

/* What has a structure of controls, and so on. */
static const struct
{
  const gchar *factory, *klass, *number, *along;
  gboolean controls;
} special_rows[] = {
  { "v4l2h264enc", VIDEO, NULL, NULL, TRUE },
  { "v4l2h265enc", VIDEO, "bitrate", NULL, TRUE },
  { "v4l2jpegenc", VIDEO, "bitrate", NULL, TRUE },
  { "v4l2src", SOURCE, NULL, NULL, TRUE },
  { "rpicamsrc", SOURCE, "bitrate", NULL, FALSE },
  { "uvch264src", SOURCE, "average-bitrate", "peak-bitrate", FALSE },
};

typedef struct
{
  GstElement parent;
  gint64 value, along;
  gboolean low; /* `along` was below `value` once */
  gint64 step;  /* what `value` is rounded down to, 0: nothing */
  GstStructure *controls;
} Fake;

static void
fake_set (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  Fake *fake = (Fake *) object;

  if (id == PROP_CONTROLS) {
    g_clear_pointer (&fake->controls, gst_structure_free);
    fake->controls = g_value_dup_boxed (value);
  } else if (id == PROP_ALONG) {
    fake->along = g_value_get_int64 (value);
  } else {
    fake->value = g_value_get_int64 (value);
    fake->value -= fake->step > 0 ? fake->value % fake->step : 0;
  }
  fake->low |= fake->along < fake->value;
}

static void
fake_get (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  Fake *fake = (Fake *) object;

  if (id == PROP_CONTROLS)
    g_value_set_boxed (value, fake->controls);
  else
    g_value_set_int64 (value, id == PROP_ALONG ? fake->along : fake->value);
}

static void
fake_finalize (GObject *object)
{
  g_clear_pointer (&((Fake *) object)->controls, gst_structure_free);
  G_OBJECT_CLASS (g_type_class_peek (GST_TYPE_ELEMENT))->finalize (object);
}

static void
number_install (
    gpointer klass, guint id, const gchar *name, const gchar *blurb, gint64 max)
{
  if (name)
    g_object_class_install_property (klass, id,
        g_param_spec_int64 (name, NULL, blurb, 1, max, 1, G_PARAM_READWRITE));
}

/* `data`: the number of its row; beyond fake_rows, of special_rows. */
static void
fake_class_init (gpointer klass, gpointer data)
{
  gsize r = GPOINTER_TO_SIZE (data);
  GObjectClass *object_class = klass;
  const gchar *is;

  object_class->set_property = fake_set;
  object_class->get_property = fake_get;
  object_class->finalize = fake_finalize;
  if (r < G_N_ELEMENTS (fake_rows)) {
    number_install (klass, PROP_NUMBER, fake_rows[r].property,
        fake_rows[r].blurb, fake_rows[r].max);
    is = fake_rows[r].klass;
  } else {
    r -= G_N_ELEMENTS (fake_rows);
    number_install (klass, PROP_NUMBER, special_rows[r].number, "", G_MAXINT);
    number_install (klass, PROP_ALONG, special_rows[r].along, "", G_MAXINT);
    if (special_rows[r].controls)
      g_object_class_install_property (object_class, PROP_CONTROLS,
          g_param_spec_boxed ("extra-controls", NULL, NULL, GST_TYPE_STRUCTURE,
              G_PARAM_READWRITE));
    is = special_rows[r].klass;
  }
  gst_element_class_set_metadata (klass, "Fake", is, "For a test", "nobody");
}

static void
fakes_register (void)
{
  const gsize n = G_N_ELEMENTS (fake_rows) + G_N_ELEMENTS (special_rows);

  for (gsize r = 0; r < n; r++) {
    const GTypeInfo info = { .class_size = sizeof (GstElementClass),
      .class_init = fake_class_init,
      .class_data = GSIZE_TO_POINTER (r),
      .instance_size = sizeof (Fake) };
    const gchar *factory = r < G_N_ELEMENTS (fake_rows)
        ? fake_rows[r].factory
        : special_rows[r - G_N_ELEMENTS (fake_rows)].factory;
    g_autofree gchar *name = g_strdup_printf ("TestFake%" G_GSIZE_FORMAT, r);
    GType type = g_type_register_static (GST_TYPE_ELEMENT, name, &info, 0);

    g_assert_true (gst_element_register (NULL, factory, GST_RANK_NONE, type));
  }
}

static void
test_fake (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  g_autoptr (GstElement) element = element_new (fake_rows[r].factory);
  const EncoderRow *row = encoder_row (element);
  EncoderState state = { 0 };

  g_test_message ("%s", fake_rows[r].why);
  if (fake_rows[r].value < 0) {
    g_assert_null (row);
  } else {
    encoder_follow (element, row, &state, 777777, 0);
    g_assert_cmpint (
        number_get (element, fake_rows[r].property), ==, fake_rows[r].value);
    g_assert_cmpuint (state.bps, ==, (guint64) fake_rows[r].value * row->unit);
  }
}

/* The user's other controls stay. */
static void
test_v4l2 (void)
{
  g_autoptr (GstElement) element
      = element_new ("v4l2h264enc extra-controls=c,h264_i_frame_period=30");
  g_autoptr (GstStructure) s = NULL;
  EncoderState state = { 0 };
  gint bitrate, period;

  encoder_follow (element, encoder_row (element), &state, 777777, 0);
  g_object_get (element, "extra-controls", &s, NULL);
  g_assert_true (gst_structure_get (s, "video_bitrate", G_TYPE_INT, &bitrate,
      "h264_i_frame_period", G_TYPE_INT, &period, NULL));
  g_assert_cmpint (bitrate, ==, 777777);
  g_assert_cmpint (period, ==, 30);
}

static gint
control_of (GstElement *element, const gchar *field)
{
  g_autoptr (GstStructure) s = NULL;
  gint value = -1;

  g_object_get (element, "extra-controls", &s, NULL);
  if (s)
    gst_structure_get_int (s, field, &value);
  return value;
}

/* With both, `bitrate` is driven and the user's controls are left alone. */
static void
test_v4l2_both (void)
{
  g_autoptr (GstElement) element
      = element_new ("v4l2h265enc extra-controls=c,video_bitrate=1000");
  EncoderState state = { 0 };

  encoder_follow (element, encoder_row (element), &state, 777777, 0);
  g_assert_cmpint (number_get (element, "bitrate"), ==, 777777);
  g_assert_cmpint (control_of (element, "video_bitrate"), ==, 1000);
}

/* A JPEG encoder has no bitrate that works, whatever its class has. */
static void
test_v4l2_jpeg (void)
{
  g_autoptr (GstElement) element = element_new ("v4l2jpegenc");
  EncoderState state = { 0 };

  encoder_follow (element, encoder_row (element), &state, 777777, 0);
  g_assert_cmpint (
      control_of (element, "compression_quality"), ==, RA_QUALITY_START);
  g_assert_cmpint (number_get (element, "bitrate"), ==, 0);
}

/* (transfer full) */
static GstElement *
source_new (const gchar *factory, const gchar *caps)
{
  GstElement *element = element_new (factory);
  GstPad *pad = gst_pad_new ("src", GST_PAD_SRC);

  gst_element_add_pad (element, pad);
  gst_pad_set_active (pad, TRUE);
  if (caps) {
    g_autoptr (GstCaps) c = gst_caps_new_empty_simple (caps);

    gst_pad_push_event (pad, gst_event_new_stream_start ("a"));
    gst_pad_push_event (pad, gst_event_new_caps (c));
  }
  return element;
}

static void
test_source (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  g_autoptr (GstElement) element
      = source_new (source_rows[r].factory, source_rows[r].caps);
  const EncoderRow *row = encoder_row (element);
  EncoderState state = { 0 };

  g_test_message ("%s", source_rows[r].why);
  g_assert_cmpint (row != NULL, ==, source_rows[r].driven);
  if (row) {
    if (!row->field)
      g_object_set (element, row->along ? row->along : row->property,
          (gint64) 5000000, row->property, (gint64) 5000000, NULL);
    encoder_follow (element, row, &state, 777777, 0);
    g_assert_cmpint (row->field ? control_of (element, row->field)
                                : number_get (element, row->property),
        ==, 777777);
    encoder_restore (
        element, &state); /* control_of() is -1 without the field */
    g_assert_cmpint (row->field ? control_of (element, row->field)
                                : number_get (element, row->property),
        ==, row->field ? -1 : 5000000);
  }
}

/* The camera's peak is at no time below its mean, and what the application sets stays. */
static void
test_along (void)
{
  g_autoptr (GstElement) element = source_new ("uvch264src", "video/x-h264");
  const EncoderRow *row = encoder_row (element);
  EncoderState state = { 0 };

  g_object_set (element, "peak-bitrate", (gint64) 3000000, "average-bitrate",
      (gint64) 3000000, NULL);
  ((Fake *) element)->low = FALSE;
  for (guint i = 0; i < 20; i++) {
    guint64 bps = i < 10 ? 1000000 : 9000000;

    encoder_follow (element, row, &state, bps, i * GST_SECOND);
    g_assert_cmpint (number_get (element, "peak-bitrate"), ==,
        number_get (element, "average-bitrate"));
  }
  g_assert_cmpint (number_get (element, "average-bitrate"), >=, 8500000);
  g_assert_false (((Fake *) element)->low);
  g_object_set (element, "peak-bitrate", (gint64) 5000000, NULL);
  ((Fake *) element)->low = FALSE;
  for (guint i = 25; i < 28; i++) /* the first one only begins a mean */
    encoder_follow (element, row, &state, 1000000, i * GST_SECOND);
  g_assert_cmpint (number_get (element, "peak-bitrate"), <, 5000000);
  encoder_restore (element, &state);
  g_assert_cmpint (number_get (element, "average-bitrate"), ==, 3000000);
  g_assert_cmpint (number_get (element, "peak-bitrate"), ==, 5000000);
  encoder_follow (element, row, &state, 1000000, 30 * GST_SECOND);
  encoder_restore (element, &state);
  g_assert_cmpint (number_get (element, "average-bitrate"), ==, 3000000);
  g_assert_cmpint (number_get (element, "peak-bitrate"), ==, 5000000);
  g_assert_false (((Fake *) element)->low);
}

/* One that rounds has ours all the same: 777,777 bit/s are 768,000 for it. */
static void
test_rounds (void)
{
  g_autoptr (GstElement) element = element_new ("fakebitsenc");
  EncoderState state = { 0 };

  g_object_set (element, "target-bitrate", (gint64) 4000000, NULL);
  ((Fake *) element)->step = 64000;
  encoder_follow (element, encoder_row (element), &state, 777777, 0);
  g_assert_cmpint (number_get (element, "target-bitrate"), ==, 768000);
  ((Fake *) element)->step = 0;
  encoder_restore (element, &state);
  g_assert_cmpint (number_get (element, "target-bitrate"), ==, 4000000);
}

/* What cannot follow says so. */
static void
test_svt (void)
{
  g_autoptr (GstElement) element = element_new ("svtav1enc");
  g_autofree gchar *problem = encoder_prepare (element, encoder_row (element));

  g_assert_true (
      g_pattern_match_simple ("target-bitrate=*: it keeps *", problem));
}

/* What the user tells of an element of any kind. */
static void
test_told (void)
{
  g_autoptr (GstElement) element = element_new ("fakeothername");
  EncoderState state = { 0 };
  EncoderRow space;

  g_assert_null (encoder_row_described (element, "nothing", 1, &space));
  g_assert_null (encoder_row_described (element, "name", 1, &space));
  g_assert_null (encoder_row_described (element, "rate", 0, &space));
  g_assert_true (
      encoder_row_described (element, "rate", 1024, &space) == &space);
  encoder_follow (element, &space, &state, 10240, 0);
  g_assert_cmpint (number_get (element, "rate"), ==, 10);
}

void
tests_add (void)
{
  fakes_register ();
  rows_add_by ("/encoder-fake/unit", fake_rows, factory, test_fake);
  g_test_add_func ("/encoder-fake/v4l2", test_v4l2);
  g_test_add_func ("/encoder-fake/v4l2/both", test_v4l2_both);
  g_test_add_func ("/encoder-fake/v4l2/jpeg", test_v4l2_jpeg);
  rows_add ("/encoder-fake/source", source_rows, test_source);
  g_test_add_func ("/encoder-fake/along", test_along);
  g_test_add_func ("/encoder-fake/rounds", test_rounds);
  g_test_add_func ("/encoder-fake/svt", test_svt);
  g_test_add_func ("/encoder-fake/told", test_told);
}
