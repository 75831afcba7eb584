/* rtpadaptsrc: warnings that no packet comes, and that anybody may send some.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "srchints.h"

#include "wire/address.h"
#include "wire/hint.h"

GST_DEBUG_CATEGORY_EXTERN (rtpadaptsrc_debug);
#define GST_CAT_DEFAULT rtpadaptsrc_debug

static const gchar *
where (const gchar *address)
{
  return address && *address ? address : "this host";
}

/* FALSE if only programs on this machine can reach the socket. */
static gboolean
is_open_to_others (GSocket *socket)
{
  GSocketAddress *address = g_socket_get_local_address (socket, NULL);
  gboolean open = FALSE;

  if (is_inet (address))
    open = !g_inet_address_get_is_loopback (host_of (address));
  g_clear_object (&address);
  return open;
}

void
src_hint_open (
    GstElement *bin, GSocket *socket, const gchar *address, guint port)
{
  if (!is_open_to_others (socket))
    return;
  GST_ELEMENT_WARNING (bin, RESOURCE, SETTINGS,
      ("Anybody who reaches UDP port %u of %s can send pictures to it: set "
       "key-file=, or dtls=true and fingerprint=, here and at the sender.",
          port, where (address)),
      ("SECURITY.md says what somebody without the key can do"));
}

gboolean
src_hint_silence (GstElement *bin, GstElement *udpsrc)
{
  g_autofree gchar *address = NULL;
  GstStructure *stats;
  guint64 packets = 0;
  gint port;

  g_object_get (udpsrc, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "packets", &packets);
  gst_structure_free (stats);
  if (packets > 0)
    return FALSE;
  g_object_get (bin, "address", &address, "port", &port, NULL);
  GST_ELEMENT_WARNING (bin, RESOURCE, READ,
      ("No packet has come to UDP port %d of %s for " HINT_SECONDS
       ": check the sender's address and the firewall.",
          port, where (address)),
      ("rtpadaptsrc goes on waiting"));
  return TRUE;
}
