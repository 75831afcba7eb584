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
};

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
}

guint64
skip_level_skipped (const SkipLevel *level)
{
  return (guint64) g_atomic_int_get (&level->skipped);
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
gate_judge (Gate *gate)
{
  gboolean any_heard = FALSE, skips = FALSE;

  for (guint i = 0; i < gate->levels->len; i++)
    any_heard |= is_heard (gate->levels->pdata[i]);
  for (guint i = 0; i < gate->levels->len; i++)
    skips |= is_above (gate->levels->pdata[i])
        && (is_heard (gate->levels->pdata[i]) || !any_heard);
  for (guint i = 0; skips && i < gate->levels->len; i++)
    g_atomic_int_inc (&((SkipLevel *) gate->levels->pdata[i])->skipped);
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
  gboolean skips;

  if (!is_raw_video (pad))
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&gate->lock);
  skips = gate_judge (gate);
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
