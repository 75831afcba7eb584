/* rtpadaptsrc: where its reports go.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "srcanswer.h"

#include "udp/udpsock.h"

GST_DEBUG_CATEGORY_EXTERN (rtpadaptsrc_debug);
#define GST_CAT_DEFAULT rtpadaptsrc_debug

/* An address without a route would be the end of the sink. */
static gboolean
can_send_to (SrcAnswer *a, const gchar *host, guint port)
{
  GError *error = NULL;
  UdpAddress address;
  gboolean good;
  GSocket *socket;

  g_object_get (a->udpsink, "used-socket", &socket, NULL);
  if (!socket)
    return FALSE;
  good = udp_address_resolve (&address, host, port, socket, &error);
  if (!good)
    GST_WARNING_OBJECT (
        a->udpsink, "no answer to %s port %u: %s", host, port, error->message);
  g_clear_error (&error);
  g_object_unref (socket);
  return good;
}

/* With the "%3" of a link-local address. */
static gchar *
host_text (GInetSocketAddress *address)
{
  GInetAddress *host = g_inet_socket_address_get_address (address);
  gchar *number = g_inet_address_to_string (host), *text;
  guint32 scope = 0;

  if (g_inet_address_get_family (host) == G_SOCKET_FAMILY_IPV6)
    scope = g_inet_socket_address_get_scope_id (address);
  if (scope == 0)
    return number;
  text = g_strdup_printf ("%s%%%u", number, scope);
  g_free (number);
  return text;
}

void
src_answer_to (SrcAnswer *a, GSocketAddress *address)
{
  GInetSocketAddress *inet = G_INET_SOCKET_ADDRESS (address);
  guint port = g_inet_socket_address_get_port (inet);
  g_autofree gchar *host = host_text (inet);

  src_answer_stop (a);
  if (port == 0 || !can_send_to (a, host, port))
    return;
  GST_INFO_OBJECT (a->udpsink, "answering to %s port %u", host, port);
  g_object_set (a->udpsink, "host", host, "port", (gint) port, NULL);
  g_atomic_int_set (&a->answering, TRUE);
}

void
src_answer_stop (SrcAnswer *a)
{
  g_atomic_int_set (&a->answering, FALSE);
}

gboolean
src_answer_is_on (SrcAnswer *a)
{
  return g_atomic_int_get (&a->answering);
}
