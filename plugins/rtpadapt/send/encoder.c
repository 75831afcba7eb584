/* The encoder upstream: finding it and setting its bitrate in its own unit.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tests/bench/encoders.csv has how near each one's RTP stream came to its target
 * with the row's settings, in the 5 s after a step from 600 to 1500 kbit/s and
 * after the step back: within 10 % for all of these in Debian 12.  Figures with
 * other settings below are from the same steps.
 */
#include "encoder.h"

#include "parts/walk.h"

#define KILO 1000

/* A change that restarts coding costs a key frame, 3 to 7 frames' bits: once
 * in 2 s at 25 Hz, 6 to 14 % of them. */
#define RESTART_CHANGE 10 /* percent */
#define RESTART_INTERVAL (2 * GST_SECOND)

/* A picture of any size needs that much (libwebrtc's min_bitrate_bps of all sizes,
 * rtc_base/experiments/encoder_info_settings.cc).  At 2 kbit/s a VBV of 200 ms is 50
 * bytes for five frames. */
#define LEAST (30 * KILO)

/* tests/bench/vbv.csv: with 40, 60, 80 and 120 ms x264 is 20, 29, 20 and 9 % below its
 * bitrate, and worth 1 to 7 VMAF less.  Its largest frame waits less than with 200 ms only
 * with 80 ms and below.  The default 600 ms was 12 % below its target, with
 * twice the target in half a second. */
static const EncoderSetting x264_must[] = {
  { "vbv-buf-capacity", .bad = "0", .max = 400, .set = "200",
      .why = "without a VBV x264 keeps its first bitrate, with a long one its "
             "frames come in bursts" },
  { "tune", .good = "*zerolatency*",
      .why = "else frames wait, and the bitrate was missed by 15 %" },
  { "pass", .bad = "quant", .why = "the bitrate is not used" },
  { "option-string", .bad = "*nal-hrd=cbr*|*nal-hrd=vbr*",
      .why = "with HRD x264 keeps its first bitrate" },
  { NULL },
};

static const EncoderSetting x265_must[] = {
  { "tune", .good = "zerolatency",
      .why = "else each change stops the picture, for 0.4 s when measured" },
  { NULL },
};

/* libvpx takes as long to come back to its bitrate as its buffer is.  With
 * the defaults (6 s, vbr) vp8enc was a third below its target. */
static const EncoderSetting vpx_must[] = {
  { "end-usage", .good = "cbr", .set = "cbr",
      .why = "the bitrate is only a mean over many seconds" },
  { "buffer-size", .max = 600, .set = "150",
      .why = "a change takes as long as the buffer is" },
  { "buffer-optimal-size", .max = 500, .set = "120",
      .why = "a change takes as long as the buffer is" },
  { "buffer-initial-size", .max = 400, .set = "100",
      .why = "the first frame is as big as the buffer" },
  { NULL },
};

static const EncoderSetting openh264_must[] = {
  { "rate-control", .good = "quality|bitrate",
      .why = "the bitrate is not used" },
  { "max-bitrate", .good = "0", .why = "a bitrate above it is refused" },
  { NULL },
};

/* libaom 3.6 with max-quantizer's default, 0, is nearly lossless as vbr and
 * aborts as cbr: nothing that we may touch while it runs. */
static const EncoderSetting av1_must[] = {
  { "max-quantizer", .bad = "0", .why = "coding is nearly lossless" },
  { "end-usage", .good = "cbr",
      .why = "the bitrate is only a mean over many seconds" },
  { "buf-sz", .max = 600, .why = "a change takes as long as the buffer is" },
  { NULL },
};

static const EncoderSetting cbr_must[] = {
  { "rate-control", .good = "cbr", .why = "the bitrate is not held to" },
  { NULL },
};

static const EncoderSetting nvenc_must[] = {
  { "rc-mode", .bad = "constqp", .why = "the bitrate is not used" },
  { NULL },
};

static const EncoderSetting qsv_must[] = {
  { "rate-control", .bad = "cqp|icq|la_icq", .why = "the bitrate is not used" },
  { NULL },
};

/* Adding an encoder is a row; the first that fits counts. */
static const EncoderRow table[] = {
  { .factory = "x264enc",
      .property = "bitrate",
      .unit = KILO,
      .step = KILO,
      .least = LEAST,
      .min_change = 1,
      .settings = "tune=zerolatency speed-preset=superfast "
                  "vbv-buf-capacity=200",
      .change = "from the next frame on",
      .must = x264_must },
  /* gstx265enc.c: "x265_encoder_reconfig not implemented", in main too. */
  { .factory = "x265enc",
      .property = "bitrate",
      .unit = KILO,
      .step = KILO,
      .least = LEAST,
      .min_change = RESTART_CHANGE,
      .min_interval = RESTART_INTERVAL,
      .settings = "tune=zerolatency speed-preset=ultrafast key-int-max=250",
      .change = "another encoder is made, which begins with a key frame",
      .must = x265_must },
  { .factory = "vp8enc",
      .property = "target-bitrate",
      .unit = 1,
      .step = KILO,
      .least = LEAST,
      .min_change = 1,
      .settings = "deadline=1 cpu-used=8 end-usage=cbr buffer-size=150 "
                  "buffer-optimal-size=120 buffer-initial-size=100",
      .change = "from the next frame on; waits for the one being coded",
      .must = vpx_must },
  { .factory = "vp9enc",
      .property = "target-bitrate",
      .unit = 1,
      .step = KILO,
      .least = LEAST,
      .min_change = 1,
      .settings = "deadline=1 cpu-used=8 end-usage=cbr buffer-size=150 "
                  "buffer-optimal-size=120 buffer-initial-size=100 "
                  "lag-in-frames=0",
      .change = "from the next frame on; waits for the one being coded",
      .must = vpx_must },
  { .factory = "openh264enc",
      .property = "bitrate",
      .unit = 1,
      .step = 1,
      .least = LEAST,
      .min_change = 1,
      .settings = "complexity=low gop-size=250",
      .change = "from the next frame on",
      .must = openh264_must },
  { .factory = "av1enc",
      .property = "target-bitrate",
      .unit = KILO,
      .step = KILO,
      .least = LEAST,
      .min_change = 1,
      .settings = "usage-profile=realtime cpu-used=10 end-usage=cbr "
                  "max-quantizer=63 buf-sz=150 buf-initial-sz=100 "
                  "buf-optimal-sz=120 keyframe-max-dist=250",
      .change = "from the next frame on; waits for the one being coded",
      .must = av1_must },
  /* From here on by what their sources and makers say; never measured.
   * gst_vaapi_encoder_set_bitrate() reconfigures. */
  { .factory = "vaapi*enc",
      .property = "bitrate",
      .unit = KILO,
      .step = KILO,
      .least = LEAST,
      .min_change = RESTART_CHANGE,
      .min_interval = RESTART_INTERVAL,
      .settings = "rate-control=cbr",
      .change = "perhaps a key frame",
      .must = cbr_must },
  /* gst_va_base_enc_reset(): drains, begins a new group of pictures. */
  { .factory = "va*enc",
      .property = "bitrate",
      .unit = KILO,
      .step = KILO,
      .least = LEAST,
      .min_change = RESTART_CHANGE,
      .min_interval = RESTART_INTERVAL,
      .settings = "rate-control=cbr",
      .change = "a key frame",
      .must = cbr_must },
  /* Jetson's: bit/s, unlike NVIDIA's others. */
  { .factory = "nvv4l2*enc",
      .property = "bitrate",
      .unit = 1,
      .step = 1,
      .least = LEAST,
      .min_change = 5,
      .min_interval = 500 * GST_MSECOND,
      .settings = "control-rate=constant_bitrate",
      .change = "from the next frame on" },
  /* gstnvbaseenc.c: resetEncoder, forceIDR. */
  { .factory = "nv*enc",
      .property = "bitrate",
      .unit = KILO,
      .step = KILO,
      .least = LEAST,
      .min_change = RESTART_CHANGE,
      .min_interval = RESTART_INTERVAL,
      .settings = "rc-mode=cbr zerolatency=true",
      .change = "a key frame",
      .must = nvenc_must },
  /* gst_qsv_encoder_reset_encode_session(): drains. */
  { .factory = "qsv*enc",
      .property = "bitrate",
      .unit = KILO,
      .step = KILO,
      .least = LEAST,
      .min_change = RESTART_CHANGE,
      .min_interval = RESTART_INTERVAL,
      .settings = "rate-control=cbr",
      .change = "perhaps a key frame",
      .must = qsv_must },
  /* gst_v4l2_set_controls() at once, and the driver does what it likes. */
  { .factory = "v4l2*enc",
      .property = "extra-controls",
      .field = "video_bitrate",
      .unit = 1,
      .step = 1,
      .least = LEAST,
      .min_change = 5,
      .min_interval = 500 * GST_MSECOND,
      .settings = "extra-controls=c,video_bitrate_mode=1",
      .change = "as the driver likes" },
};

/* As careful as with those that restart, for nobody knows. */
#define UNKNOWN(property_, unit_)                                           \
  {                                                                         \
    .factory = "*", .property = property_, .unit = unit_, .step = unit_,    \
    .least = LEAST, .min_change = RESTART_CHANGE,                           \
    .min_interval = RESTART_INTERVAL, .settings = "", .change = "not known" \
  }

static const EncoderRow unknown[] = {
  UNKNOWN ("target-bitrate", 1),
  UNKNOWN ("target-bitrate", KILO),
  UNKNOWN ("bitrate", 1),
  UNKNOWN ("bitrate", KILO),
};

/* Words in the description of a property that name its unit.  "kbits/s" contains
 * "bits/s", thus the order. */
static const struct
{
  const gchar *globs;
  guint unit; /* bit/s; 0: none that we set */
} unit_words[] = {
  { "*mbit*|*mbps*|*megabit*", 0 },
  { "*kbit*|*kbps*|*kb/s*|*kilobit*", KILO },
  { "*bit/s*|*bits/s*|*bps*|*bit per s*|*bits per s*", 1 },
};

/* `text` fits one of the globs. */
static gboolean
fits (const gchar *globs, const gchar *text)
{
  g_auto (GStrv) each = g_strsplit (globs, "|", -1);

  for (guint i = 0; each[i]; i++) {
    if (g_pattern_match_simple (each[i], text))
      return TRUE;
  }
  return FALSE;
}

/* NULL unless it can be read and written. */
static GParamSpec *
property_of (GstElement *element, const gchar *name)
{
  GParamSpec *pspec
      = g_object_class_find_property (G_OBJECT_GET_CLASS (element), name);
  GParamFlags both = G_PARAM_READWRITE;

  return pspec && (pspec->flags & both) == both ? pspec : NULL;
}

static gboolean
is_number (GParamSpec *pspec)
{
  return G_IS_PARAM_SPEC_INT (pspec) || G_IS_PARAM_SPEC_UINT (pspec)
      || G_IS_PARAM_SPEC_INT64 (pspec) || G_IS_PARAM_SPEC_UINT64 (pspec)
      || G_IS_PARAM_SPEC_LONG (pspec) || G_IS_PARAM_SPEC_ULONG (pspec);
}

/* 0 if it has no such number or its description does not name the unit. */
static guint
unit_told (GstElement *element, const gchar *property)
{
  GParamSpec *pspec = property_of (element, property);
  g_autofree gchar *text = NULL, *lower = NULL;

  if (!pspec || !is_number (pspec))
    return 0;
  text = g_strdup_printf (
      "%s %s", g_param_spec_get_nick (pspec), g_param_spec_get_blurb (pspec));
  lower = g_ascii_strdown (text, -1);
  for (guint i = 0; i < G_N_ELEMENTS (unit_words); i++) {
    if (fits (unit_words[i].globs, lower))
      return unit_words[i].unit;
  }
  return 0;
}

const EncoderRow *
encoder_row (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  const gchar *name = walk_factory (element);

  for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
    if (g_pattern_match_simple (table[i].factory, name)
        && property_of (element, table[i].property))
      return &table[i];
  }
  if (!factory
      || !gst_element_factory_list_is_type (
          factory, GST_ELEMENT_FACTORY_TYPE_VIDEO_ENCODER))
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (unknown); i++) {
    if (unit_told (element, unknown[i].property) == unknown[i].unit)
      return &unknown[i];
  }
  return NULL;
}

const EncoderRow *
encoder_row_told (
    GstElement *element, const gchar *property, guint unit, EncoderRow *space)
{
  GParamSpec *pspec = property_of (element, property);

  if (!pspec || !is_number (pspec) || unit == 0)
    return NULL;
  *space = (EncoderRow) UNKNOWN (pspec->name, unit);
  space->least = 0; /* the user knows */
  return space;
}

static gboolean
is_known (GstElement *element)
{
  return encoder_row (element) != NULL;
}

/* An encoder of audio is none of ours, whatever its properties. */
static gboolean
has_number (GstElement *element, gconstpointer property)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  GParamSpec *pspec = property_of (element, property);

  return pspec && is_number (pspec)
      && !(factory
          && gst_element_factory_list_is_type (
              factory, GST_ELEMENT_FACTORY_TYPE_AUDIO_ENCODER));
}

GPtrArray *
encoder_find_all_upstream (GstPad *sinkpad, const gchar *property)
{
  return property ? walk_find_all_full (sinkpad, has_number, property)
                  : walk_find_all (sinkpad, is_known);
}

/* As in gst-launch: gst_value_serialize() has the names of enums and flags,
 * not the nicks. */
static gchar *
value_text (const GValue *value)
{
  g_autoptr (GString) flags = NULL;
  g_autoptr (GTypeClass) klass = NULL;

  if (G_VALUE_HOLDS_STRING (value))
    return g_strdup (g_value_get_string (value) ?: "");
  if (G_VALUE_HOLDS_ENUM (value)) {
    GEnumValue *e;

    klass = g_type_class_ref (G_VALUE_TYPE (value));
    e = g_enum_get_value ((GEnumClass *) klass, g_value_get_enum (value));
    return g_strdup (e ? e->value_nick : "");
  }
  if (!G_VALUE_HOLDS_FLAGS (value))
    return gst_value_serialize (value) ?: g_strdup ("");
  klass = g_type_class_ref (G_VALUE_TYPE (value));
  flags = g_string_new (NULL);
  for (guint i = 0; i < ((GFlagsClass *) klass)->n_values; i++) {
    const GFlagsValue *f = &((GFlagsClass *) klass)->values[i];

    if (f->value & g_value_get_flags (value))
      g_string_append_printf (
          flags, "%s%s", flags->len > 0 ? "+" : "", f->value_nick);
  }
  return g_strdup (flags->len > 0 ? flags->str : "(none)");
}

static gboolean
is_good (const EncoderSetting *must, const GValue *value)
{
  g_autofree gchar *text = value_text (value);

  return (!must->good || fits (must->good, text))
      && !(must->bad && fits (must->bad, text))
      && !(must->max > 0 && g_ascii_strtoull (text, NULL, 10) > must->max);
}

gchar *
encoder_prepare (GstElement *encoder, const EncoderRow *row)
{
  g_autoptr (GString) problems = g_string_new (NULL);
  const EncoderSetting *must = row->must;

  for (; must && must->property; must++) {
    GParamSpec *pspec = property_of (encoder, must->property);
    g_auto (GValue) value = G_VALUE_INIT;
    g_autofree gchar *text = NULL;

    if (!pspec) /* another version of it */
      continue;
    g_value_init (&value, pspec->value_type);
    g_object_get_property (G_OBJECT (encoder), must->property, &value);
    if (is_good (must, &value))
      continue;
    if (must->set && g_param_value_defaults (pspec, &value)) {
      gst_util_set_object_arg (G_OBJECT (encoder), must->property, must->set);
      continue;
    }
    text = value_text (&value);
    g_string_append_printf (problems, "%s%s=%s: %s",
        problems->len > 0 ? "; " : "", must->property, text, must->why);
  }
  return problems->len > 0 ? g_strdup (problems->str) : NULL;
}
