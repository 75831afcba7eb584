/* rtpadaptmonitor: a tracer that hands our elements' statistics to a monitor.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GST_TRACERS="rtpadaptmonitor(socket=PATH)" in the environment of any program
 * that has our elements; without (...) the socket is where rtpadapt-monitor
 * --attach listens.  What the elements post goes there, nothing else; a program
 * that does not ask for statistics gets them each half second.
 */
#define GST_USE_UNSTABLE_API
#include "monitorline.h"
#include "monitorsender.h"
#include "monitorsocket.h"

#include <gst/gst.h>
#include <gst/gsttracer.h>

/* One point of a plot. */
#define INTERVAL (500 * GST_MSECOND)

typedef struct
{
  GstTracer parent;
  MonitorSender *sender;
} GstRtpAdaptMonitor;

typedef struct
{
  GstTracerClass parent_class;
} GstRtpAdaptMonitorClass;

GType gst_rtp_adapt_monitor_get_type (void);
#define parent_class gst_rtp_adapt_monitor_parent_class
G_DEFINE_TYPE (GstRtpAdaptMonitor, gst_rtp_adapt_monitor, GST_TYPE_TRACER)

static const gchar *const types[]
    = { "GstRtpAdaptSend", "GstRtpAdaptRecv", "GstRtpAdaptSrc", NULL };

/* The hook runs before the program sets a property: its own choice stays. */
static void
on_element_new (GstTracer *tracer, GstClockTime ts, GstElement *element)
{
  if (g_strv_contains (types, G_OBJECT_TYPE_NAME (element)))
    g_object_set (element, "stats-interval", INTERVAL, NULL);
}

/* rtpadaptsrc's statistics have those of the rtpadaptrecv in it, too. */
static gboolean
posted_by_bin (GstElement *element)
{
  GstObject *parent = gst_object_get_parent (GST_OBJECT (element));
  gboolean posted
      = parent && g_str_equal (G_OBJECT_TYPE_NAME (parent), "GstRtpAdaptSrc");

  gst_clear_object (&parent);
  return posted;
}

/* Our bins post their children's statistics once more, as their own. */
static gboolean
is_of_child (GstElement *element, const gchar *kind)
{
  const gchar *type = G_OBJECT_TYPE_NAME (element);

  return g_str_equal (type, "GstRtpAdaptSink")
      || (g_str_equal (type, "GstRtpAdaptSrc") && !g_str_equal (kind, "src"));
}

/* A bin posts its children's messages once more: those are not `element`'s. */
static void
on_message (GstTracer *tracer, GstClockTime ts, GstElement *element,
    GstMessage *message)
{
  GstRtpAdaptMonitor *self = (GstRtpAdaptMonitor *) tracer;
  const gchar *kind;
  gchar *path;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ELEMENT
      || GST_MESSAGE_SRC (message) != GST_OBJECT (element)
      || !(kind = monitor_line_kind (gst_message_get_structure (message)))
      || posted_by_bin (element) || is_of_child (element, kind))
    return;
  path = gst_object_get_path_string (GST_OBJECT (element));
  monitor_sender_push (self->sender, message, path, g_get_monotonic_time ());
  g_free (path);
}

/* The path of the socket in "socket=PATH", or the usual one. */
static gchar *
socket_path (GstTracer *tracer)
{
  g_autofree gchar *params = NULL, *text = NULL;
  GstStructure *s = NULL;
  gchar *path = NULL;

  g_object_get (tracer, "params", &params, NULL);
  if (params && *params) {
    text = g_strconcat ("rtpadaptmonitor,", params, NULL);
    s = gst_structure_from_string (text, NULL);
    if (!s || !gst_structure_get (s, "socket", G_TYPE_STRING, &path, NULL))
      g_warning ("rtpadaptmonitor: \"%s\" is not socket=PATH", params);
  }
  g_clear_pointer (&s, gst_structure_free);
  return path
      ? path
      : g_build_filename (g_get_user_runtime_dir (), MONITOR_SOCKET, NULL);
}

static void
monitor_constructed (GObject *object)
{
  GstRtpAdaptMonitor *self = (GstRtpAdaptMonitor *) object;
  g_autofree gchar *path = NULL;

  G_OBJECT_CLASS (parent_class)->constructed (object);
  path = socket_path (GST_TRACER (self));
  self->sender = monitor_sender_new (path);
  gst_tracing_register_hook (
      GST_TRACER (self), "element-new", G_CALLBACK (on_element_new));
  gst_tracing_register_hook (
      GST_TRACER (self), "element-post-message-pre", G_CALLBACK (on_message));
}

static void
monitor_finalize (GObject *object)
{
  monitor_sender_free (((GstRtpAdaptMonitor *) object)->sender);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_rtp_adapt_monitor_class_init (GstRtpAdaptMonitorClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->constructed = monitor_constructed;
  object_class->finalize = monitor_finalize;
}

static void
gst_rtp_adapt_monitor_init (GstRtpAdaptMonitor *self)
{
}

static gboolean
plugin_init (GstPlugin *plugin)
{
  return gst_tracer_register (
      plugin, "rtpadaptmonitor", gst_rtp_adapt_monitor_get_type ());
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, rtpadaptmonitor,
    "Statistics of rtpadapt elements for rtpadapt-monitor", plugin_init,
    PACKAGE_VERSION, "LGPL", PACKAGE_NAME, PACKAGE_ORIGIN)
