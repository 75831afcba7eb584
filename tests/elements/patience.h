/* How long a test waits for what other threads do, and elements from text.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* For slow machines. */
#define PATIENCE (60 * G_TIME_SPAN_SECOND)

/* Other threads act on what this one did.  The condition is not evaluated again once
 * it was true. */
#define wait_until(condition)                                           \
  G_STMT_START                                                          \
  {                                                                     \
    gint64 end_ = g_get_monotonic_time () + PATIENCE;                   \
    while (!(condition)) {                                              \
      if (g_get_monotonic_time () > end_)                               \
        g_error ("%s:%d: in vain: %s", __FILE__, __LINE__, #condition); \
      g_usleep (1000);                                                  \
    }                                                                   \
  }                                                                     \
  G_STMT_END

/* A field of the statistics, as that type; "a/b" is b in the structure a. */
static inline GValue
stats_value (GstElement *element, const gchar *path, GType type)
{
  g_auto (GStrv) names = g_strsplit (path, "/", -1);
  g_autoptr (GstStructure) stats = NULL;
  const GstStructure *s;
  const GValue *field;
  GValue value = G_VALUE_INIT;

  g_object_get (element, "stats", &stats, NULL);
  s = stats;
  for (guint i = 0; (field = gst_structure_get_value (s, names[i])); i++) {
    if (!names[i + 1])
      break;
    s = gst_value_get_structure (field);
  }
  if (!field)
    g_error ("no field %s in the statistics", path);
  g_value_init (&value, type);
  g_assert_true (g_value_transform (field, &value));
  return value;
}

static inline gint64
stats_number (GstElement *element, const gchar *path)
{
  GValue value = stats_value (element, path, G_TYPE_INT64);

  return g_value_get_int64 (&value);
}

/* (transfer full) */
static inline gchar *
stats_text (GstElement *element, const gchar *path)
{
  g_auto (GValue) value = stats_value (element, path, G_TYPE_STRING);

  return g_value_dup_string (&value);
}

/* Behind a flush, or a stream-start. */
static inline void
segment_send (GstPad *pad)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
}

static inline void
flush_send (GstPad *pad)
{
  gst_pad_push_event (pad, gst_event_new_flush_start ());
  gst_pad_push_event (pad, gst_event_new_flush_stop (TRUE));
  segment_send (pad);
}

/* Fails at a property that is not there, which gst_parse_launch() passes over. */
static inline GstElement *
line_new (const gchar *line)
{
  GError *error = NULL;
  GstElement *element = gst_parse_launch (line, &error);

  g_assert_no_error (error);
  return element;
}

/* Whether the machine gives its threads a core: the longest time between two looks of a
 * thread that only sleeps.  It depends on nothing that is tested.  A live source that the
 * machine held up catches up at once, which is more than the path takes, so that a test of
 * such a stream tries once more then. */
#define MACHINE_GAP_MOST (100 * G_TIME_SPAN_MILLISECOND)
#define MACHINE_TRIES 2

typedef struct
{
  GThread *thread;
  gint stop;      /* atomic */
  gint64 longest; /* us, to be read when it has ended */
} MachineGap;

static inline gpointer
machine_gap_run (gpointer data)
{
  MachineGap *gap = (MachineGap *) data;
  gint64 last = g_get_monotonic_time ();

  while (!g_atomic_int_get (&gap->stop)) {
    gint64 now;

    g_usleep (10000);
    now = g_get_monotonic_time ();
    gap->longest = MAX (gap->longest, now - last);
    last = now;
  }
  return NULL;
}

static inline void
machine_gap_start (MachineGap *gap)
{
  *gap = (MachineGap){ NULL };
  gap->thread = g_thread_new ("gap", machine_gap_run, gap);
}

/* TRUE: it stood still. */
static inline gboolean
machine_gap_end (MachineGap *gap)
{
  g_atomic_int_set (&gap->stop, TRUE);
  g_thread_join (gap->thread);
  return gap->longest > MACHINE_GAP_MOST;
}
