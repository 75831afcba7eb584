/* rtpadaptsrc: the sockets that it receives by.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "srcsockets.h"

#include "udp/udpsock.h"

/* For a free port whose neighbour is free, too. */
#define PAIR_TRIES 32

static gboolean
is_group (const gchar *address)
{
  g_auto (GStrv) parts = g_strsplit (address ? address : "", "%", 2);
  GInetAddress *inet
      = parts[0] ? g_inet_address_new_from_string (parts[0]) : NULL;
  gboolean group = inet && g_inet_address_get_is_multicast (inet);

  g_clear_object (&inet);
  return group;
}

static gboolean
open_pair (const SrcSocketsConfig *cfg, GSocket *sockets[2], guint *port,
    GError **error)
{
  gboolean reuse = is_group (cfg->address);

  *port = cfg->port;
  sockets[1] = NULL;
  sockets[0] = udp_socket_new (cfg->address, *port, reuse, error);
  if (sockets[0] && cfg->mux)
    return TRUE;
  if (sockets[0]) {
    *port = cfg->rtcp_port ? cfg->rtcp_port : udp_socket_port (sockets[0]) + 1;
    if (*port > 65535)
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
          "there is no port after it");
    else
      sockets[1] = udp_socket_new (cfg->address, *port, reuse, error);
  }
  if (sockets[1])
    return TRUE;
  g_clear_object (&sockets[0]);
  return FALSE;
}

gboolean
src_sockets_open (const SrcSocketsConfig *cfg, GSocket *sockets[2], guint *port,
    GError **error)
{
  gboolean any = cfg->port == 0 && cfg->rtcp_port == 0 && !cfg->mux;

  for (guint left = any ? PAIR_TRIES : 1; left > 1; left--) {
    if (open_pair (cfg, sockets, port, NULL))
      return TRUE;
  }
  return open_pair (cfg, sockets, port, error);
}
