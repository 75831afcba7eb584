/* Addresses of datagrams, compared.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "dtlshubpriv.h"

#include <string.h>

/* The bytes of a host, an IPv4 one also of a v4-mapped address, as a socket of
 * both families gives them (RFC 4291 2.5.5.2). */
static const guint8 *
host_bytes (GSocketAddress *address, gsize *size)
{
  static const guint8 mapped[12] = { [10] = 0xff, [11] = 0xff };
  GInetAddress *host
      = g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (address));
  const guint8 *bytes = g_inet_address_to_bytes (host);

  *size = g_inet_address_get_native_size (host);
  if (*size == 16 && memcmp (bytes, mapped, sizeof mapped) == 0) {
    *size = 4;
    return bytes + 12;
  }
  return bytes;
}

gboolean
dtls_same_host (GSocketAddress *a, GSocketAddress *b)
{
  gsize na, nb;
  const guint8 *ba = host_bytes (a, &na), *bb = host_bytes (b, &nb);

  return na == nb && memcmp (ba, bb, na) == 0;
}

gboolean
dtls_same_address (GSocketAddress *a, GSocketAddress *b)
{
  if (a == b || !a || !b)
    return a == b;
  return g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (a))
      == g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (b))
      && dtls_same_host (a, b);
}
