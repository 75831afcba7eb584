/* A pipeline that plays until a signal ends it or it breaks.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "play.h"

#include <glib-unix.h>
#include <gst/rtp/rtp.h>
#include <sys/resource.h>

/* Where we may: what else the machine has to do is not to be measured. */
#define NICENESS (-10)

struct _Play
{
  const gchar *name;
  Log *log;
  GstElement *pipeline;
  GMainLoop *loop;
  PlayMessage on_message;
  gpointer data;
  GError *problem;
  guint signals[2];
  /* Of the packets counted, in the one thread they come in. */
  guint32 rtptime;
  guint packets;
  GstClockTime pts;
};

static gboolean
on_signal (gpointer data)
{
  play_stop (data);
  return G_SOURCE_CONTINUE;
}

Play *
play_new (const gchar *name, const gchar *line, Log *log, GError **error)
{
  GError *problem = NULL;
  GstElement *pipeline = gst_parse_launch (line, &problem);
  g_autoptr (GstClock) clock = NULL;
  Play *p;

  if (problem) { /* there may be a pipeline all the same */
    gst_clear_object (&pipeline);
    g_propagate_prefixed_error (error, problem, "%s: ", name);
    return NULL;
  }
  if (!GST_IS_PIPELINE (pipeline)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "%s: its line is a single element", name);
    gst_object_unref (pipeline);
    return NULL;
  }
  setpriority (PRIO_PROCESS, 0, NICENESS); /* threads to come have it, too */
  p = g_new0 (Play, 1);
  p->name = name;
  p->log = log;
  p->pipeline = pipeline;
  p->loop = g_main_loop_new (NULL, FALSE);
  clock = g_object_new (
      GST_TYPE_SYSTEM_CLOCK, "clock-type", GST_CLOCK_TYPE_MONOTONIC, NULL);
  gst_pipeline_use_clock (GST_PIPELINE (pipeline), clock);
  p->signals[0] = g_unix_signal_add (SIGINT, on_signal, p);
  p->signals[1] = g_unix_signal_add (SIGTERM, on_signal, p);
  return p;
}

static void
rtp_flush (Play *p)
{
  if (p->packets > 0)
    log_line (p->log,
        "{\"rtp\":{\"ts\":%u,\"n\":%u,\"mono\":%" G_GINT64_FORMAT
        ",\"pts\":%" G_GUINT64_FORMAT "}}",
        p->rtptime, p->packets, log_monotonic (), p->pts);
  p->packets = 0;
}

void
play_halt (Play *p)
{
  gst_element_set_state (p->pipeline, GST_STATE_NULL);
  rtp_flush (p);
}

void
play_free (Play *p)
{
  play_halt (p);
  for (guint i = 0; i < G_N_ELEMENTS (p->signals); i++)
    g_source_remove (p->signals[i]);
  gst_object_unref (p->pipeline);
  g_main_loop_unref (p->loop);
  g_clear_error (&p->problem);
  g_free (p);
}

GstElement *
play_get (Play *p, const gchar *name)
{
  return gst_bin_get_by_name (GST_BIN (p->pipeline), name);
}

GstElement *
play_need (Play *p, const gchar *name, GError **error)
{
  GstElement *element = play_get (p, name);

  if (!element)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "%s: its line has no element named %s", p->name, name);
  return element;
}

GstStructure *
play_stats (Play *p, const gchar *name)
{
  g_autoptr (GstElement) element = play_get (p, name);
  GstStructure *stats = NULL;

  if (element
      && g_object_class_find_property (G_OBJECT_GET_CLASS (element), "stats"))
    g_object_get (element, "stats", &stats, NULL);
  return stats;
}

void
play_on_message (Play *p, PlayMessage callback, gpointer data)
{
  p->on_message = callback;
  p->data = data;
}

GstClockTime
play_running_time (GstPad *pad, GstClockTime pts)
{
  g_autoptr (GstEvent) event
      = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;

  if (!event)
    return 0;
  gst_event_parse_segment (event, &segment);
  pts = gst_segment_to_running_time (segment, GST_FORMAT_TIME, pts);
  return GST_CLOCK_TIME_IS_VALID (pts) ? pts : 0;
}

static void
rtp_count (Play *p, GstPad *pad, GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint32 rtptime;

  if (!gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp))
    return;
  rtptime = gst_rtp_buffer_get_timestamp (&rtp);
  gst_rtp_buffer_unmap (&rtp);
  if (rtptime != p->rtptime)
    rtp_flush (p);
  if (p->packets++ == 0)
    p->pts = play_running_time (pad, GST_BUFFER_PTS (buffer));
  p->rtptime = rtptime;
}

static GstPadProbeReturn
on_rtp (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER_LIST) {
    GstBufferList *list = GST_PAD_PROBE_INFO_BUFFER_LIST (info);

    for (guint i = 0; i < gst_buffer_list_length (list); i++)
      rtp_count (data, pad, gst_buffer_list_get (list, i));
  } else {
    rtp_count (data, pad, GST_PAD_PROBE_INFO_BUFFER (info));
  }
  return GST_PAD_PROBE_OK;
}

void
play_count_rtp (Play *p, const gchar *element, const gchar *pad_name)
{
  g_autoptr (GstElement) e = play_get (p, element);
  g_autoptr (GstPad) pad = e ? gst_element_get_static_pad (e, pad_name) : NULL;

  if (pad)
    gst_pad_add_probe (pad,
        GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_rtp, p,
        NULL);
}

static gboolean
on_bus (GstBus *bus, GstMessage *message, gpointer data)
{
  Play *p = data;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ELEMENT:
      if (p->on_message && gst_message_get_structure (message))
        p->on_message (gst_message_get_structure (message), p->data);
      break;
    case GST_MESSAGE_LATENCY:
      gst_bin_recalculate_latency (GST_BIN (p->pipeline));
      break;
    case GST_MESSAGE_ERROR:
      if (!p->problem)
        gst_message_parse_error (message, &p->problem, NULL);
      play_stop (p);
      break;
    case GST_MESSAGE_EOS:
      play_stop (p);
      break;
    default:
      break;
  }
  return G_SOURCE_CONTINUE;
}

void
play_stop (Play *p)
{
  g_main_loop_quit (p->loop);
}

static gboolean
take_problem (Play *p, GError **error)
{
  if (!p->problem)
    return TRUE;
  g_propagate_prefixed_error (
      error, g_steal_pointer (&p->problem), "%s: ", p->name);
  return FALSE;
}

gboolean
play_start (Play *p, GError **error)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (p->pipeline);
  g_autoptr (GstMessage) message = NULL;

  if (gst_element_set_state (p->pipeline, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE)
    return TRUE;
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  if (message)
    gst_message_parse_error (message, &p->problem, NULL);
  else
    p->problem = g_error_new (GST_CORE_ERROR, GST_CORE_ERROR_STATE_CHANGE,
        "the pipeline does not start");
  return take_problem (p, error);
}

static gboolean
on_time_up (gpointer data)
{
  play_stop (data);
  return G_SOURCE_CONTINUE;
}

gboolean
play_run (Play *p, gdouble seconds, GError **error)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (p->pipeline);
  guint time_up = 0;

  if (seconds > 0)
    time_up = g_timeout_add ((guint) (seconds * 1e3), on_time_up, p);
  gst_bus_add_watch (bus, on_bus, p);
  g_main_loop_run (p->loop);
  gst_bus_remove_watch (bus);
  if (time_up)
    g_source_remove (time_up);
  return take_problem (p, error);
}
