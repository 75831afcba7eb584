/* The encoder upstream: finding it and setting its bitrate in its own unit.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encodertable.h"

#include "parts/walk.h"

/* As careful as with those that restart, for nobody knows. */
#define UNKNOWN(property_, unit_)                                    \
  {                                                                  \
    .factory = "*", .property = property_, ENCODER_RESTARTS (unit_), \
    .settings = "", .change = "not known"                            \
  }

static const EncoderRow unknown[] = {
  UNKNOWN ("target-bitrate", 1),
  UNKNOWN ("target-bitrate", ENCODER_KILO),
  UNKNOWN ("bitrate", 1),
  UNKNOWN ("bitrate", ENCODER_KILO),
};

/* Words in the description of a property that name its unit.  "kbits/s" contains
 * "bits/s", thus the order. */
static const struct
{
  const gchar *globs;
  guint unit; /* bit/s; 0: none that we set */
} unit_words[] = {
  { "*mbit*|*mbps*|*megabit*", 0 },
  { "*kbit*|*kbps*|*kb/s*|*kilobit*", ENCODER_KILO },
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
unit_described (GstElement *element, const gchar *property)
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

static gboolean
pad_codes (GstElement *element, GstPad *pad, gpointer globs)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);

  /* FALSE ends the search. */
  return !caps
      || !fits (
          globs, gst_structure_get_name (gst_caps_get_structure (caps, 0)));
}

/* A source that the row is about may give raw video as well. */
static gboolean
codes (GstElement *element, const EncoderRow *row)
{
  return !row->caps
      || !gst_element_foreach_src_pad (
          element, pad_codes, (gpointer) row->caps);
}

const EncoderRow *
encoder_row (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  const gchar *name = walk_factory (element);

  for (const EncoderRow *row = encoder_table; row->factory; row++) {
    if (g_pattern_match_simple (row->factory, name)
        && property_of (element, row->property) && codes (element, row))
      return row;
  }
  if (!factory
      || !gst_element_factory_list_is_type (
          factory, GST_ELEMENT_FACTORY_TYPE_VIDEO_ENCODER))
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (unknown); i++) {
    if (unit_described (element, unknown[i].property) == unknown[i].unit)
      return &unknown[i];
  }
  return NULL;
}

const EncoderRow *
encoder_row_described (
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
