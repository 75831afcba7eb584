/* What the programs of tests/tools/golden print: text that another build must
 * repeat byte for byte.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Time is that of a GstTestClock.  The program has to be linked with
 * export_dynamic, so that rtpsession takes its wall clock from here.
 */
#pragma once

#include <gst/check/gsttestclock.h>
#include <gst/gst.h>

/* rtpsession makes NTP times of it; 2020-09-13. */
#define GOLDEN_EPOCH G_GUINT64_CONSTANT (1600000000000000)

static GstClock *golden_clock;

/* Replaces GLib's. */
gint64
g_get_real_time (void)
{
  GstClockTime now = golden_clock ? gst_clock_get_time (golden_clock) : 0;

  return (gint64) (GOLDEN_EPOCH + now / GST_USECOND);
}

/* A run begins, in which chance is the same each time. */
static inline void
golden_begin (const gchar *name, GstTestClock *clock)
{
  golden_clock = GST_CLOCK (clock);
  g_print ("input %s\n", name);
}

static inline void
golden_end (void)
{
  golden_clock = NULL;
}

/* Until `ids` threads wait for the time to go on: nobody has anything else to
 * do. */
static inline void
golden_settle (GstTestClock *clock, guint ids)
{
  for (guint i = 0; gst_test_clock_peek_id_count (clock) != ids; i++) {
    if (i == 120000) /* two minutes */
      g_error (
          "%u threads wait, not %u", gst_test_clock_peek_id_count (clock), ids);
    g_usleep (i < 1000 ? 10 : 1000);
  }
}

/* Time goes on to the next for which somebody waits; FALSE: it is after `t`. */
static inline gboolean
golden_step (GstTestClock *clock, guint ids, GstClockTime t)
{
  GstClockTime next;
  GstClockID id;

  golden_settle (clock, ids);
  if (!gst_test_clock_peek_next_pending_id (clock, &id))
    return FALSE;
  next = gst_clock_id_get_time (id);
  gst_clock_id_unref (id);
  if (next > t)
    return FALSE;
  if (next > gst_clock_get_time (GST_CLOCK (clock)))
    gst_test_clock_set_time (clock, next);
  id = gst_test_clock_process_next_clock_id (clock);
  gst_clock_id_unref (id);
  golden_settle (clock, ids);
  return TRUE;
}

/* Ours have one enum each. */
static gboolean
golden_meta (GstBuffer *buffer, GstMeta **meta, gpointer data)
{
  const GstMetaInfo *info = (*meta)->info;

  if (g_str_has_prefix (g_type_name (info->api), "RtpAdapt"))
    g_print (" %s %d", g_type_name (info->api), *(const gint *) (*meta + 1));
  return TRUE;
}

/* A line: when, how long, the first `n` bytes, metas. */
static inline void
golden_buffer (GstBuffer *buffer, GstClockTime now, gsize n)
{
  GstMapInfo map;

  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_print ("%" G_GUINT64_FORMAT " %" G_GSIZE_FORMAT " ", now, map.size);
  for (gsize i = 0; i < MIN (n, map.size); i++)
    g_print ("%02x", map.data[i]);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_foreach_meta (buffer, golden_meta, NULL);
  g_print ("\n");
}

static inline void
golden_structure (const gchar *what, const GstStructure *s)
{
  g_autofree gchar *text = s ? gst_structure_to_string (s) : NULL;

  g_print ("%s %s\n", what, text ? text : "");
}

static inline void
golden_stats (GstElement *element)
{
  g_autoptr (GstStructure) stats = NULL;

  g_object_get (element, "stats", &stats, NULL);
  golden_structure ("stats", stats);
}
