/* rtpadaptsink: the warning that nobody answers.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sinkhints.h"

#include "wire/hint.h"

GST_DEBUG_CATEGORY_EXTERN (rtpadaptsink_debug);
#define GST_CAT_DEFAULT rtpadaptsink_debug

/* Any packet counts, even one with a wrong key: another warning is about
 * that. */
static gboolean
is_answered (GstElement *rtcpsrc)
{
  GstStructure *stats;
  guint64 packets = 0;

  g_object_get (rtcpsrc, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "packets", &packets);
  gst_structure_free (stats);
  return packets > 0;
}

void
sink_hint_silence (
    GstElement *bin, GstElement *rtcpsrc, const gchar *host, gint port)
{
  if (is_answered (rtcpsrc))
    return;
  GST_ELEMENT_WARNING (bin, RESOURCE, READ,
      ("No answer has come from %s port %d for " HINT_SECONDS
       ": check the address, the firewall, and that key, cipher, dtls and "
       "rtcp-mux are the same at the receiver.",
          host, port),
      ("rtpadaptsink goes on sending"));
}
