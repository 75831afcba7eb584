/* Raw frames that an encoder does not get while too much waits for the pacer.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "frameskip.h"

/* All are atomic; microseconds, as GLib has no atomic of 64 bits. */
struct _SkipLevel
{
  gint waiting, above;
  gint quiet;
  gint skipped;
  gint early;
};

/* Live sources have latencies below it. */
#define EARLY GST_SECOND

/* The encoder has one, and so has the probe on its pad. */
typedef struct
{
  GMutex lock;
  GPtrArray *levels; /* of SkipLevel: who drives the encoder */
  gulong probe;      /* 0: none */
} Gate;

/* --- levels ----------------------------------------------------------------- */

SkipLevel *
skip_level_new (void)
{
  SkipLevel *level = g_atomic_rc_box_new0 (SkipLevel);

  level->above = G_MAXINT;
  return level;
}

void
skip_level_unref (SkipLevel *level)
{
  g_atomic_rc_box_release (level);
}

static gint
microseconds (RaSpan span)
{
  return span == RA_SPAN_NONE
      ? G_MAXINT
      : (gint) CLAMP (span / (RA_MSECOND / 1000), 0, G_MAXINT);
}

void
skip_level_set (SkipLevel *level, RaSpan waiting, RaSpan above)
{
  g_atomic_int_set (&level->waiting, microseconds (waiting));
  g_atomic_int_set (&level->above, microseconds (above));
}

void
skip_level_set_quiet (SkipLevel *level, gboolean quiet)
{
  g_atomic_int_set (&level->quiet, quiet);
}

void
skip_level_start (SkipLevel *level)
{
  g_atomic_int_set (&level->skipped, 0);
  g_atomic_int_set (&level->early, FALSE);
}

guint64
skip_level_skipped (const SkipLevel *level)
{
  return (guint64) g_atomic_int_get (&level->skipped);
}

gboolean
skip_level_early (const SkipLevel *level)
{
  return g_atomic_int_get (&level->early);
}

gboolean
frame_is_early (GstPad *sinkpad, GstBuffer *buffer)
{
  g_autoptr (GstElement) element = gst_pad_get_parent_element (sinkpad);
  g_autoptr (GstEvent) event = NULL;
  g_autoptr (GstClock) clock = NULL;
  const GstSegment *segment;
  GstClockTime running;

  if (!element || GST_STATE (element) != GST_STATE_PLAYING
      || !GST_BUFFER_PTS_IS_VALID (buffer))
    return FALSE;
  event = gst_pad_get_sticky_event (sinkpad, GST_EVENT_SEGMENT, 0);
  clock = gst_element_get_clock (element);
  if (!event || !clock)
    return FALSE;
  gst_event_parse_segment (event, &segment);
  if (segment->format != GST_FORMAT_TIME)
    return FALSE;
  running = gst_segment_to_running_time (
      segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
  return GST_CLOCK_TIME_IS_VALID (running)
      && running + gst_element_get_base_time (element)
      > gst_clock_get_time (clock) + EARLY;
}

/* --- the gate --------------------------------------------------------------- */

static gboolean
is_heard (const SkipLevel *level)
{
  return !g_atomic_int_get (&level->quiet);
}

static gboolean
is_above (const SkipLevel *level)
{
  return g_atomic_int_get (&level->waiting) > g_atomic_int_get (&level->above);
}

/* The lock is held. */
static gboolean
gate_judge (Gate *gate, gboolean early)
{
  gboolean any_heard = FALSE, skips = FALSE;

  for (guint i = 0; i < gate->levels->len; i++)
    any_heard |= is_heard (gate->levels->pdata[i]);
  for (guint i = 0; i < gate->levels->len; i++)
    skips |= is_above (gate->levels->pdata[i])
        && (is_heard (gate->levels->pdata[i]) || !any_heard);
  for (guint i = 0; skips && i < gate->levels->len; i++) {
    SkipLevel *level = gate->levels->pdata[i];

    g_atomic_int_inc (&level->skipped);
    if (early)
      g_atomic_int_set (&level->early, TRUE);
  }
  return skips;
}

static gboolean
is_raw_video (GstPad *pad)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);

  return caps
      && gst_structure_has_name (
          gst_caps_get_structure (caps, 0), "video/x-raw");
}

static GstPadProbeReturn
on_frame (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Gate *gate = data;
  gboolean skips, early;

  if (!is_raw_video (pad))
    return GST_PAD_PROBE_OK;
  early = frame_is_early (pad, GST_PAD_PROBE_INFO_BUFFER (info));
  g_mutex_lock (&gate->lock);
  skips = gate_judge (gate, early);
  g_mutex_unlock (&gate->lock);
  return skips ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

static void
gate_clear (gpointer data)
{
  Gate *gate = data;

  g_ptr_array_unref (gate->levels);
  g_mutex_clear (&gate->lock);
}

static void
gate_unref (gpointer data)
{
  g_atomic_rc_box_release_full (data, gate_clear);
}

/* It lives as long as `encoder`. */
static Gate *
gate_of (GstElement *encoder)
{
  static GMutex lock;
  GQuark quark = g_quark_from_static_string ("rtpadapt-frame-skip");
  Gate *gate;

  g_mutex_lock (&lock);
  gate = g_object_get_qdata (G_OBJECT (encoder), quark);
  if (!gate) {
    gate = g_atomic_rc_box_new0 (Gate);
    g_mutex_init (&gate->lock);
    gate->levels
        = g_ptr_array_new_with_free_func ((GDestroyNotify) skip_level_unref);
    g_object_set_qdata_full (G_OBJECT (encoder), quark, gate, gate_unref);
  }
  g_mutex_unlock (&lock);
  return gate;
}

gboolean
frame_skip_join (GstElement *encoder, SkipLevel *level)
{
  Gate *gate = gate_of (encoder);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (encoder, "sink");
  gboolean joins;

  g_mutex_lock (&gate->lock);
  joins = pad && !g_ptr_array_find (gate->levels, level, NULL);
  if (joins)
    g_ptr_array_add (gate->levels, g_atomic_rc_box_acquire (level));
  if (joins && gate->probe == 0)
    gate->probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame,
        g_atomic_rc_box_acquire (gate), gate_unref);
  g_mutex_unlock (&gate->lock);
  return joins;
}

void
frame_skip_leave (GstElement *encoder, const SkipLevel *level)
{
  Gate *gate = gate_of (encoder);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (encoder, "sink");
  gulong probe = 0;

  g_mutex_lock (&gate->lock);
  g_ptr_array_remove_fast (gate->levels, (gpointer) level);
  if (gate->levels->len == 0) {
    probe = gate->probe;
    gate->probe = 0;
  }
  g_mutex_unlock (&gate->lock);
  if (pad && probe > 0)
    gst_pad_remove_probe (pad, probe);
}
