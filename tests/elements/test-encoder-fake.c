/* The table of encoders, with those that need hardware and those that nobody
 * has described: elements that have their names and the property that their
 * documentation names.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encoder-fixture.h"

/* Element classes made from rows: the names and units of encoders that need
 * hardware, and of some that nobody knows. */
#define VIDEO "Codec/Encoder/Video"
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

typedef struct
{
  GstElement parent;
  gint64 value;
  GstStructure *controls;
} Fake;

static void
fake_set (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  Fake *fake = (Fake *) object;

  if (pspec->value_type == GST_TYPE_STRUCTURE) {
    g_clear_pointer (&fake->controls, gst_structure_free);
    fake->controls = g_value_dup_boxed (value);
  } else {
    fake->value = g_value_get_int64 (value);
  }
}

static void
fake_get (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  Fake *fake = (Fake *) object;

  if (pspec->value_type == GST_TYPE_STRUCTURE)
    g_value_set_boxed (value, fake->controls);
  else
    g_value_set_int64 (value, fake->value);
}

static void
fake_finalize (GObject *object)
{
  g_clear_pointer (&((Fake *) object)->controls, gst_structure_free);
  G_OBJECT_CLASS (g_type_class_peek (GST_TYPE_ELEMENT))->finalize (object);
}

/* `data`: the number of its row; beyond them, v4l2h264enc. */
static void
fake_class_init (gpointer klass, gpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  GObjectClass *object_class = klass;
  GstElementClass *element_class = klass;
  gboolean is_v4l2 = r == G_N_ELEMENTS (fake_rows);
  GParamSpec *pspec = is_v4l2
      ? g_param_spec_boxed (
          "extra-controls", NULL, NULL, GST_TYPE_STRUCTURE, G_PARAM_READWRITE)
      : g_param_spec_int64 (fake_rows[r].property, NULL, fake_rows[r].blurb, 1,
          fake_rows[r].max, 1, G_PARAM_READWRITE);

  object_class->set_property = fake_set;
  object_class->get_property = fake_get;
  object_class->finalize = fake_finalize;
  g_object_class_install_property (object_class, 1, pspec);
  gst_element_class_set_metadata (element_class, "Fake",
      is_v4l2 ? VIDEO : fake_rows[r].klass, "For a test", "nobody");
}

static void
fakes_register (void)
{
  for (guint r = 0; r <= G_N_ELEMENTS (fake_rows); r++) {
    const GTypeInfo info = { .class_size = sizeof (GstElementClass),
      .class_init = fake_class_init,
      .class_data = GUINT_TO_POINTER (r),
      .instance_size = sizeof (Fake) };
    const gchar *factory
        = r == G_N_ELEMENTS (fake_rows) ? "v4l2h264enc" : fake_rows[r].factory;
    g_autofree gchar *name = g_strdup_printf ("TestFake%u", r);
    GType type = g_type_register_static (GST_TYPE_ELEMENT, name, &info, 0);

    g_assert_true (gst_element_register (NULL, factory, GST_RANK_NONE, type));
  }
}

static void
test_fake (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  GstElement *element = element_new (fake_rows[r].factory);
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
  gst_object_unref (element);
}

/* The user's other controls stay. */
static void
test_v4l2 (void)
{
  GstElement *element
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
  gst_object_unref (element);
}

/* What the user tells of an element of any kind. */
static void
test_told (void)
{
  GstElement *element = element_new ("fakeothername");
  EncoderState state = { 0 };
  EncoderRow space;

  g_assert_null (encoder_row_told (element, "nothing", 1, &space));
  g_assert_null (encoder_row_told (element, "name", 1, &space));
  g_assert_null (encoder_row_told (element, "rate", 0, &space));
  g_assert_true (encoder_row_told (element, "rate", 1024, &space) == &space);
  encoder_follow (element, &space, &state, 10240, 0);
  g_assert_cmpint (number_get (element, "rate"), ==, 10);
  gst_object_unref (element);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  fakes_register ();
  for (guint i = 0; i < G_N_ELEMENTS (fake_rows); i++)
    add_row ("encoder-fake/unit", fake_rows[i].factory, i, test_fake);
  g_test_add_func ("/encoder-fake/v4l2", test_v4l2);
  g_test_add_func ("/encoder-fake/told", test_told);
  return g_test_run ();
}
