/* The RTPSession inside the rtpsession or rtpbin that one of our pads feeds.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session.h"

#include "walk.h"
#include "weak.h"

#include <gst/net/gstnetaddressmeta.h>
#include <gst/rtp/rtp.h>

static gboolean
is_session (GstElement *element)
{
  return g_str_equal (walk_factory (element), "rtpsession");
}

GstElement *
session_element_downstream (GstPad *srcpad)
{
  return walk_find (srcpad, is_session);
}

gboolean
session_is_avpf (GObject *session)
{
  GstRTPProfile profile;

  g_object_get (session, "rtp-profile", &profile, NULL);
  return profile == GST_RTP_PROFILE_AVPF || profile == GST_RTP_PROFILE_SAVPF;
}

GstBuffer *
session_forget_sender (GstBuffer *buffer)
{
  GstNetAddressMeta *meta;

  buffer = gst_buffer_make_writable (buffer);
  meta = gst_buffer_get_net_address_meta (buffer);
  if (meta)
    gst_buffer_remove_meta (buffer, &meta->meta);
  return buffer;
}

void
session_keep_no_feedback (GObject *session)
{
  g_object_set (
      session, "rtcp-feedback-retention-window", GST_CLOCK_TIME_NONE, NULL);
}

static void
closure_free (gpointer weak, GClosure *closure)
{
  weak_free (weak);
}

gulong
session_connect (
    GObject *session, const gchar *signal, GCallback f, gpointer owner)
{
  return g_signal_connect_data (
      session, signal, f, weak_new (owner), closure_free, 0);
}
