/* The RTPSession inside the rtpsession or rtpbin that one of our pads feeds.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session.h"

#include "walk.h"

#include <gst/rtp/rtp.h>

static gboolean
is_session (GstElement *element)
{
  return g_str_equal (walk_factory (element), "rtpsession");
}

GObject *
session_find_downstream (GstPad *srcpad)
{
  GstElement *element = walk_find (srcpad, is_session);
  GObject *session = NULL;

  if (!element)
    return NULL;
  g_object_get (element, "internal-session", &session, NULL);
  gst_object_unref (element);
  return session;
}

gboolean
session_is_avpf (GObject *session)
{
  GstRTPProfile profile;

  g_object_get (session, "rtp-profile", &profile, NULL);
  return profile == GST_RTP_PROFILE_AVPF || profile == GST_RTP_PROFILE_SAVPF;
}
