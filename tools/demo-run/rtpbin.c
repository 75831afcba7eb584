/* The settings that a stock rtpbin needs in order to receive from us.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rtpbin.h"

#define RTCP_BANDWIDTH 5e6 /* bit/s, of which RTCP gets its share */

/* rtpsession reads extmap-1 only where there is a payload type.  is-fec:
 * rtpptdemux drops those packets, which rtpstorage has seen. */
static GstCaps *
on_pt_map (GstElement *rtpbin, guint session, guint pt, gpointer data)
{
  return gst_caps_from_string (pt == PT_FEC
          ? "application/x-rtp,media=video,clock-rate=90000,"
            "encoding-name=ULPFEC,payload=122,is-fec=(boolean)true"
          : MEDIA_CAPS);
}

void
rtpbin_setup (GstElement *rtpbin)
{
  GstElement *storage = NULL;
  GObject *session = NULL;
  guint latency;

  g_signal_connect (rtpbin, "request-pt-map", G_CALLBACK (on_pt_map), NULL);
  /* Another payload type makes rtpjitterbuffer forget how many packets come per
   * second, and take some 120 missing ones for a reason to drop all it has;
   * without a time it is 3,000. */
  g_object_set (rtpbin, "max-dropout-time", 0, NULL);
  /* Enough for feedback about every frame at once (RFC 4585 3.5.3). */
  g_signal_emit_by_name (rtpbin, "get-session", 0, &session);
  g_object_set (session, "bandwidth", RTCP_BANDWIDTH, NULL);
  g_object_unref (session);
  /* As long as the jitterbuffer waits for what rtpulpfecdec then repairs. */
  g_object_get (rtpbin, "latency", &latency, NULL);
  g_signal_emit_by_name (rtpbin, "get-storage", 0, &storage);
  g_object_set (storage, "size-time", latency * GST_MSECOND + GST_SECOND, NULL);
  gst_object_unref (storage);
}
