/* rtpadaptlink between two pads, in virtual time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "patience.h"

#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>

/* 1,250 bytes are 10,000 bits: 10 ms at 1 Mbit/s. */
#define PATH_SIZE 1250
#define PATH_SSRC 0x01020304

/* An element between two pads of the harness, and what left it as text: "+SEQ
 * MS", "-SEQ MS CAUSE" for a loss that was told, "EVENT MS". */
typedef struct
{
  GstHarness *h;
  GstTestClock *clock;
  gboolean timeless; /* do not say when packets and events leave */
  GMutex lock;
  GString *log;
  guint packets; /* in the log */
} Path;

static inline void
path_log (Path *t, const gchar *what)
{
  GstClockTime now = gst_clock_get_time (GST_CLOCK (t->clock));

  g_mutex_lock (&t->lock);
  t->packets += *what == '+';
  if (t->timeless)
    g_string_append_printf (t->log, "%s, ", what);
  else
    g_string_append_printf (t->log, "%s %.9g, ", what, (gdouble) now / 1e6);
  g_mutex_unlock (&t->lock);
}

static inline guint
path_buffer_seq (GstBuffer *buffer)
{
  guint8 seq[2] = { 0 };

  gst_buffer_extract (buffer, 2, seq, 2);
  return GST_READ_UINT16_BE (seq);
}

static inline GstPadProbeReturn
path_on_src (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  g_autofree gchar *seq = NULL;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    seq = g_strdup_printf (
        "+%u", path_buffer_seq (GST_PAD_PROBE_INFO_BUFFER (info)));
    path_log (data, seq);
  } else {
    GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

    if (GST_EVENT_TYPE (event) == GST_EVENT_EOS
        || GST_EVENT_TYPE (event) == GST_EVENT_CAPS)
      path_log (data, GST_EVENT_TYPE_NAME (event));
  }
  return GST_PAD_PROBE_OK;
}

static inline GstPadProbeReturn
path_on_loss (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  const GstStructure *s
      = gst_event_get_structure (GST_PAD_PROBE_INFO_EVENT (info));
  Path *t = data;
  const gchar *cause;
  guint ssrc, seqnum;
  guint64 time;

  if (!s || !gst_structure_has_name (s, "RTPAdaptLoss"))
    return GST_PAD_PROBE_OK;
  g_assert_true (gst_structure_get (s, "ssrc", G_TYPE_UINT, &ssrc, "seqnum",
      G_TYPE_UINT, &seqnum, "time", G_TYPE_UINT64, &time, NULL));
  cause = gst_structure_get_string (s, "cause");
  g_assert_cmpuint (ssrc, ==, PATH_SSRC);
  g_mutex_lock (&t->lock);
  t->packets++;
  g_string_append_printf (
      t->log, "-%u %.9g %s, ", seqnum, (gdouble) time / 1e6, cause);
  g_mutex_unlock (&t->lock);
  return GST_PAD_PROBE_OK;
}

static inline void
path_new (Path *t, const gchar *link, guint64 seed)
{
  GstPad *pad;

  g_mutex_init (&t->lock);
  t->timeless = FALSE;
  t->packets = 0;
  t->log = g_string_new (NULL);
  t->h = gst_harness_new ("rtpadaptlink");
  gst_harness_use_testclock (t->h);
  t->clock = gst_harness_get_testclock (t->h);
  pad = gst_element_get_static_pad (t->h->element, "src");
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      path_on_src, t, NULL);
  gst_object_unref (pad);
  pad = gst_element_get_static_pad (t->h->element, "sink");
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, path_on_loss, t, NULL);
  gst_object_unref (pad);
  g_object_set (t->h->element, "seed", seed, "overhead", 0, "link", link, NULL);
  gst_harness_set_src_caps_str (t->h, "application/x-rtp");
}

static inline void
path_end (Path *t)
{
  gst_harness_teardown (t->h);
  gst_object_unref (t->clock);
  g_string_free (t->log, TRUE);
  g_mutex_clear (&t->lock);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Path, path_end)

static inline GstBuffer *
path_rtp (guint seq, gsize size)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  guint8 header[12] = { 0x80, 96, (guint8) (seq >> 8), (guint8) seq, 0, 0, 0, 0,
    0x01, 0x02, 0x03, 0x04 };

  gst_buffer_memset (buffer, 0, 0, size);
  gst_buffer_fill (buffer, 0, header, sizeof header);
  return buffer;
}

static inline guint64
path_stat (Path *t, const gchar *name)
{
  g_autoptr (GstStructure) s = NULL;
  guint64 value;

  g_object_get (t->h->element, "stats", &s, NULL);
  g_assert_true (
      gst_structure_has_name (s, "application/x-rtpadaptlink-stats"));
  g_assert_true (gst_structure_get_uint64 (s, name, &value));
  return value;
}

/* Until the task has pushed all that has left the models by now. */
static inline void
path_settle (Path *t)
{
  guint64 left = path_stat (t, "out") + path_stat (t, "congestion-losses")
      + path_stat (t, "wireless-losses");
  guint packets;

  do {
    g_thread_yield ();
    g_mutex_lock (&t->lock);
    packets = t->packets;
    g_mutex_unlock (&t->lock);
  } while (packets < left);
}

/* Pushes `seq` when the clock says `ms`. */
static inline void
path_push (Path *t, guint seq, gdouble ms)
{
  path_settle (t);
  gst_test_clock_set_time (t->clock, (GstClockTime) (ms * 1e6 + 0.5));
  g_assert_cmpint (
      gst_harness_push (t->h, path_rtp (seq, PATH_SIZE)), ==, GST_FLOW_OK);
}

/* Time runs from one thing due to the next until the log says `want`; a log
 * that is not a beginning of it fails. */
static inline void
path_expect (Path *t, const gchar *want)
{
  gint64 end = g_get_monotonic_time () + PATIENCE;
  g_autofree gchar *log = NULL;

  do {
    if (gst_test_clock_peek_id_count (t->clock) > 0)
      gst_test_clock_crank (t->clock);
    else
      g_thread_yield ();
    g_clear_pointer (&log, g_free);
    g_mutex_lock (&t->lock);
    log = g_strdup (t->log->str);
    g_mutex_unlock (&t->lock);
  } while (g_str_has_prefix (want, log) && !g_str_equal (want, log)
      && g_get_monotonic_time () < end);
  g_assert_cmpstr (log, ==, want);
}

static inline void
path_check_sum (Path *t)
{
  g_assert_cmpuint (path_stat (t, "in"), ==,
      path_stat (t, "out") + path_stat (t, "congestion-losses")
          + path_stat (t, "wireless-losses") + path_stat (t, "discarded")
          + path_stat (t, "held"));
}
