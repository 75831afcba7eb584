/* The bitrate that an encoder is given, and when.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encoder.h"

#include <math.h>

/* Of an encoder with a min_interval: times more, or less, at once; and the part
 * of it after which less than half is not put off any longer: every second
 * above the path's rate costs more than a key frame. */
#define STEP_UP 2
#define STEP_DOWN 3
#define HURRY 4

GstClockTime
encoder_when (const EncoderRow *row, const EncoderState *state, guint64 bps,
    GstClockTime now)
{
  guint64 change = bps > state->asked ? bps - state->asked : state->asked - bps;

  if (state->asked == 0)
    return now;
  if (change == 0 || change * 100 < state->asked * row->min_change)
    return GST_CLOCK_TIME_NONE;
  if (now < state->at) /* another clock */
    return now;
  return MAX (now,
      state->at
          + (bps < state->asked / 2 ? row->min_interval / HURRY
                                    : row->min_interval));
}

/* What to give where `bps` is wanted now: a mean, slow to rise and quicker to
 * fall. */
static guint64
moderate (
    const EncoderRow *row, EncoderState *state, guint64 bps, GstClockTime now)
{
  gdouble tau = (gdouble) row->min_interval
      / (state->heard > state->mean ? 2 : 2 * HURRY);
  gdouble passed = (gdouble) now - (gdouble) state->heard_at;

  if (state->heard <= 0 || passed < 0) /* nothing yet; another clock */
    state->mean = (gdouble) bps;
  else
    state->mean
        = state->heard + (state->mean - state->heard) * exp (-passed / tau);
  state->heard = (gdouble) bps;
  state->heard_at = now;
  if (state->bps == 0)
    return bps;
  return CLAMP ((guint64) (state->mean + .5), state->bps / STEP_DOWN,
      state->bps * STEP_UP);
}

/* `n` as the property's value; returns what the property takes of it. */
static guint64
value_of (GstElement *encoder, const EncoderRow *row, guint64 n, GValue *value)
{
  GParamSpec *pspec = g_object_class_find_property (
      G_OBJECT_GET_CLASS (encoder), row->property);
  g_auto (GValue) wide = G_VALUE_INIT;

  if (row->field) {
    g_value_init (value, G_TYPE_INT);
    g_value_set_int (value, (gint) n);
    return n;
  }
  g_value_init (&wide, G_TYPE_UINT64);
  g_value_set_uint64 (&wide, n);
  g_value_init (value, pspec->value_type);
  g_value_transform (&wide, value);
  g_param_value_validate (pspec, value); /* into the property's range */
  g_value_transform (value, &wide);
  return g_value_get_uint64 (&wide);
}

/* The value that comes nearest to `bps`, and its bit/s. */
static guint64
number_of (
    GstElement *encoder, const EncoderRow *row, guint64 bps, GValue *value)
{
  guint64 n = CLAMP (MAX (bps, row->least) / row->step, 1, G_MAXINT / row->step)
      * row->step / row->unit;

  return value_of (encoder, row, n, value) * row->unit;
}

/* `value` in a field of a structure whose others stay. */
static void
field_set (GstElement *encoder, const EncoderRow *row, const GValue *value)
{
  g_autoptr (GstStructure) s = NULL;

  g_object_get (encoder, row->property, &s, NULL);
  if (!s)
    s = gst_structure_new_empty ("controls");
  gst_structure_set_value (s, row->field, value);
  g_object_set (encoder, row->property, s, NULL);
}

/* TRUE: `value` is above the number that must not be below it. */
static gboolean
is_above_along (GstElement *encoder, const EncoderRow *row, const GValue *value)
{
  g_auto (GValue) along = G_VALUE_INIT;

  g_value_init (&along, G_VALUE_TYPE (value));
  g_object_get_property (G_OBJECT (encoder), row->along, &along);
  return gst_value_compare (value, &along) == GST_VALUE_GREATER_THAN;
}

static void
number_set (GstElement *encoder, const EncoderRow *row, const GValue *value)
{
  if (row->field) {
    field_set (encoder, row, value);
    return;
  }
  if (row->along && is_above_along (encoder, row, value))
    g_object_set_property (G_OBJECT (encoder), row->along, value);
  g_object_set_property (G_OBJECT (encoder), row->property, value);
  if (row->along)
    g_object_set_property (G_OBJECT (encoder), row->along, value);
}

static void
property_set (GstElement *encoder, const gchar *property, gint64 number)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_INT64);
  g_value_set_int64 (&value, number);
  g_object_set_property (G_OBJECT (encoder), property, &value);
}

static gint64
property_get (GstElement *encoder, const gchar *property)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_INT64);
  g_object_get_property (G_OBJECT (encoder), property, &value);
  return g_value_get_int64 (&value);
}

/* FALSE: the structure lacks the field. */
static gboolean
number_get (GstElement *encoder, const EncoderRow *row, gint64 *number)
{
  g_autoptr (GstStructure) s = NULL;
  gint n;

  if (!row->field) {
    *number = property_get (encoder, row->property);
    return TRUE;
  }
  g_object_get (encoder, row->property, &s, NULL);
  if (!s || !gst_structure_get_int (s, row->field, &n))
    return FALSE;
  *number = n;
  return TRUE;
}

/* Notes what somebody else has set, at first and since the last time. */
static void
own_note (GstElement *encoder, EncoderOwn *own, gboolean first)
{
  const EncoderRow *row = &own->row;
  gint64 number = 0,
         along = row->along ? property_get (encoder, row->along) : 0;
  gboolean has = number_get (encoder, row, &number);

  if (first || !has || number != own->given) {
    own->had = has;
    own->before = number;
  }
  if (first || along != own->given)
    own->along = along;
}

/* What the encoder made of `wanted`: some round it.  What is further away by more than a
 * quarter was set by somebody else meanwhile. */
static gint64
number_given (GstElement *encoder, const EncoderRow *row, gint64 wanted)
{
  gint64 number;

  return number_get (encoder, row, &number)
          && ABS (number - wanted) <= wanted / 4
      ? number
      : wanted;
}

/* Where two rows of one encoder name two properties, the first is noted. */
static void
value_set (GstElement *encoder, const EncoderRow *row, EncoderState *state,
    const GValue *value)
{
  EncoderOwn *own = &state->own;
  g_auto (GValue) number = G_VALUE_INIT;
  gboolean first = !own->noted;

  if (first)
    *own = (EncoderOwn){ .noted = TRUE, .row = *row };
  if (!g_str_equal (own->row.property, row->property)) {
    number_set (encoder, row, value);
    return;
  }
  own_note (encoder, own, first);
  number_set (encoder, row, value);
  g_value_init (&number, G_TYPE_INT64);
  g_value_transform (value, &number);
  own->given = number_given (encoder, row, g_value_get_int64 (&number));
}

static void
own_give_back (GstElement *encoder, const EncoderOwn *own)
{
  const EncoderRow *row = &own->row;
  g_auto (GValue) value = G_VALUE_INIT;
  g_autoptr (GstStructure) s = NULL;
  gint64 along;

  g_value_init (&value, row->field ? G_TYPE_INT : G_TYPE_INT64);
  if (row->field && own->had) {
    g_value_set_int (&value, (gint) own->before);
    field_set (encoder, row, &value);
  } else if (row->field) { /* what the structure has besides stays */
    g_object_get (encoder, row->property, &s, NULL);
    if (!s)
      return;
    gst_structure_remove_field (s, row->field);
    g_object_set (encoder, row->property, s, NULL);
  } else {
    along = row->along ? property_get (encoder, row->along) : 0;
    g_value_set_int64 (&value, own->before);
    number_set (encoder, row, &value);
    if (row->along)
      property_set (
          encoder, row->along, along == own->given ? own->along : along);
  }
}

void
encoder_restore (GstElement *encoder, EncoderState *state)
{
  gint64 now;

  if (state->own.noted && number_get (encoder, &state->own.row, &now)
      && now == state->own.given)
    own_give_back (encoder, &state->own);
  *state = (EncoderState){ 0 };
}

/* Some frames at least, and not so long that a queue gets full. */
#define QUALITY_FRAMES 3
#define QUALITY_INTERVAL (200 * GST_MSECOND)

/* TRUE: what was made with the present quality is measured. */
static gboolean
quality_measure (EncoderState *state, const RaMade *made, GstClockTime now)
{
  GstClockTime passed = now > state->at ? now - state->at : 0;

  if (made->frames - state->made.frames < QUALITY_FRAMES
      || passed < QUALITY_INTERVAL)
    return FALSE;
  ra_quality_on_made (&state->quality,
      (gdouble) (made->bytes - state->made.bytes) * 8 * GST_SECOND
          / (gdouble) passed);
  state->at = now;
  state->made = *made;
  return TRUE;
}

/* A quality stays until it is measured, unless the bitrate falls to less than half. */
static GstClockTime
quality_follow (GstElement *encoder, const EncoderRow *row, EncoderState *state,
    guint64 bps, GstClockTime now)
{
  RaMade made = encoder_made (encoder);
  guint before = state->quality.quality, quality = before;

  bps = MAX (bps, row->least);
  if (quality_measure (state, &made, now) || before == 0
      || bps < state->bps / 2)
    quality = ra_quality_for (&state->quality, (gdouble) bps);
  if (quality != before) {
    g_auto (GValue) value = G_VALUE_INIT;

    value_of (encoder, row, quality, &value);
    value_set (encoder, row, state, &value);
    state->at = now;
    state->made = made;
  }
  state->bps = bps;
  return now + QUALITY_INTERVAL;
}

/* A frame at 25 Hz. */
#define LEAD_INTERVAL (40 * GST_MSECOND)

/* It is asked for another bitrate than it should make. */
static GstClockTime
lead_follow (GstElement *encoder, const EncoderRow *row, EncoderState *state,
    guint64 bps, GstClockTime now)
{
  RaMade made = encoder_made (encoder);
  g_auto (GValue) value = G_VALUE_INIT, unused = G_VALUE_INIT;
  guint64 asked = number_of (encoder, row,
      (guint64) ra_lead_for (
          &state->lead, (gdouble) bps, &made, row->lags, now),
      &value);

  if (encoder_when (row, state, asked, now) == now) {
    value_set (encoder, row, state, &value);
    state->asked = asked;
    state->at = now;
    state->bps = number_of (encoder, row, bps, &unused);
  }
  return state->lead.moves ? now + LEAD_INTERVAL : GST_CLOCK_TIME_NONE;
}

GstClockTime
encoder_follow (GstElement *encoder, const EncoderRow *row, EncoderState *state,
    guint64 bps, GstClockTime now)
{
  g_auto (GValue) value = G_VALUE_INIT;
  guint64 step, wanted;
  GstClockTime when;

  if (row->by_quality)
    return quality_follow (encoder, row, state, bps, now);
  if (row->min_interval == 0)
    return lead_follow (encoder, row, state, bps, now);
  step = moderate (row, state, bps, now);
  wanted = number_of (encoder, row, step, &value);
  when = encoder_when (row, state, wanted, now);
  if (when == now) {
    value_set (encoder, row, state, &value);
    state->bps = state->asked = wanted;
    state->at = now;
    when = GST_CLOCK_TIME_NONE;
  }
  if (step == bps)
    return when;
  /* The mean goes on. */
  return MIN (when,
      now < state->at + row->min_interval ? state->at + row->min_interval
                                          : now + row->min_interval);
}
