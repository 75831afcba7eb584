/* rtpadaptsink: the warning that nobody answers.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sinkpriv.h"

#include "wire/hint.h"
#include "parts/elementtimer.h"

#define GST_CAT_DEFAULT rtpadaptsink_debug

/* Any packet counts, even one with a wrong key: another warning tells of that. */
static gboolean
is_answered (GstRtpAdaptSink *self)
{
  GstStructure *stats;
  guint64 packets = 0;

  g_object_get (self->rtcpsrc, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "packets", &packets);
  gst_structure_free (stats);
  return packets > 0;
}

static void
look (GstElement *element, gpointer data)
{
  GstRtpAdaptSink *self = GST_RTP_ADAPT_SINK (element);
  g_autofree gchar *host = NULL;
  gint port;

  if (!element_timer_stop (element, &self->hint) || is_answered (self))
    return;
  GST_OBJECT_LOCK (self);
  host = g_strdup (self->cfg.host);
  port = self->cfg.port;
  GST_OBJECT_UNLOCK (self);
  GST_ELEMENT_WARNING (self, RESOURCE, READ,
      ("No answer has come from %s port %d for " HINT_SECONDS
       ": check the address, the firewall, and that key, cipher and dtls are "
       "the same at the receiver.",
          host, port),
      ("rtpadaptsink goes on sending"));
}

static void
look_due (GstElement *element)
{
  gst_element_call_async (element, look, NULL, NULL);
}

void
sink_hints_start (GstRtpAdaptSink *self)
{
  if (g_atomic_int_compare_and_exchange (&self->hinted, FALSE, TRUE))
    element_timer_start (
        GST_ELEMENT (self), &self->hint, HINT_AFTER, FALSE, look_due);
}

void
sink_hints_stop (GstRtpAdaptSink *self)
{
  element_timer_stop (GST_ELEMENT (self), &self->hint);
  g_atomic_int_set (&self->hinted, FALSE);
}
