/* rtpadaptsrc: warnings that no packet comes, and that anybody may send some.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "srcpriv.h"

#include "wire/address.h"
#include "wire/hint.h"
#include "parts/elementtimer.h"

#define GST_CAT_DEFAULT rtpadaptsrc_debug

static void
look (GstElement *element, gpointer data)
{
  GstRtpAdaptSrc *self = GST_RTP_ADAPT_SRC (element);
  g_autofree gchar *address = NULL;
  GstStructure *stats;
  guint64 packets = 0;
  gint port;

  if (!element_timer_stop (element, &self->hint))
    return;
  g_object_get (self->udpsrc, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "packets", &packets);
  gst_structure_free (stats);
  if (packets > 0 || self->hinted)
    return;
  self->hinted = TRUE;
  g_object_get (self, "address", &address, "port", &port, NULL);
  GST_ELEMENT_WARNING (self, RESOURCE, READ,
      ("No packet has come to UDP port %d of %s for " HINT_SECONDS
       ": check the sender's address and the firewall.",
          port, address && *address ? address : "this host"),
      ("rtpadaptsrc goes on waiting"));
}

static void
look_due (GstElement *element)
{
  gst_element_call_async (element, look, NULL, NULL);
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
src_hints_open (GstRtpAdaptSrc *self, const SrcConfig *cfg)
{
  const gchar *address = cfg->address;

  self->hinted = FALSE;
  if (secure_wanted (self->secure) || !is_open_to_others (self->sockets[0]))
    return;
  GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
      ("Anybody who reaches UDP port %u of %s can send pictures to it: set key= "
       "or dtls=true here and at the sender.",
          cfg->port, address && *address ? address : "this host"),
      ("SECURITY.md says what somebody without the key can do"));
}

void
src_hints_start (GstRtpAdaptSrc *self)
{
  element_timer_start (
      GST_ELEMENT (self), &self->hint, HINT_AFTER, FALSE, look_due);
}

void
src_hints_stop (GstRtpAdaptSrc *self)
{
  element_timer_stop (GST_ELEMENT (self), &self->hint);
}
