/* Comparing the addresses that packets come from.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gio/gio.h>
#include <string.h>

G_BEGIN_DECLS

/* The bytes of a host.  A socket of both families gives an IPv4 address as a
 * v4-mapped one (RFC 4291 2.5.5.2), so both forms have the same four bytes. */
static inline const guint8 *
host_bytes (GInetAddress *host, gsize *size)
{
  static const guint8 mapped[12] = { [10] = 0xff, [11] = 0xff };
  const guint8 *bytes = g_inet_address_to_bytes (host);

  *size = g_inet_address_get_native_size (host);
  if (*size == 16 && memcmp (bytes, mapped, sizeof mapped) == 0) {
    *size = 4;
    return bytes + 12;
  }
  return bytes;
}

static inline gboolean
same_host (GInetAddress *a, GInetAddress *b)
{
  gsize na, nb;
  const guint8 *ba = host_bytes (a, &na), *bb = host_bytes (b, &nb);

  return na == nb && memcmp (ba, bb, na) == 0;
}

static inline GInetAddress *
host_of (GSocketAddress *address)
{
  return g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (address));
}

static inline guint16
port_of (GSocketAddress *address)
{
  return g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (address));
}

/* The number of the interface that a link-local host is at (RFC 4007 6), or 0. */
static inline guint32
zone_of (GSocketAddress *address)
{
  return g_socket_address_get_family (address) == G_SOCKET_FAMILY_IPV6
      ? g_inet_socket_address_get_scope_id (G_INET_SOCKET_ADDRESS (address))
      : 0;
}

/* An interface that is taken away and comes back has another number, and packets to
 * the old one go nowhere. */
static inline gboolean
same_zone (GSocketAddress *a, GSocketAddress *b)
{
  guint32 za = zone_of (a), zb = zone_of (b);

  return za == zb || za == 0 || zb == 0;
}

/* For an address that was looked up, perhaps before its interface got another number.
 * NULL is the same as NULL. */
static inline gboolean
same_host_and_port (GSocketAddress *a, GSocketAddress *b)
{
  if (a == b || !a || !b)
    return a == b;
  return port_of (a) == port_of (b) && same_host (host_of (a), host_of (b));
}

/* NULL is the same as NULL. */
static inline gboolean
same_address (GSocketAddress *a, GSocketAddress *b)
{
  return same_host_and_port (a, b) && (!a || same_zone (a, b));
}

static inline gboolean
is_inet (GSocketAddress *address)
{
  return address && G_IS_INET_SOCKET_ADDRESS (address);
}

/* The same host at another port.  A link-local host is one only with its zone (RFC
 * 4007 6).  (transfer full) */
static inline GSocketAddress *
address_at_port (GSocketAddress *address, guint16 port)
{
  GInetSocketAddress *inet = G_INET_SOCKET_ADDRESS (address);
  gboolean v6 = g_socket_address_get_family (address) == G_SOCKET_FAMILY_IPV6;

  return g_object_new (G_TYPE_INET_SOCKET_ADDRESS, "address", host_of (address),
      "port", (guint) port, "flowinfo",
      v6 ? g_inet_socket_address_get_flowinfo (inet) : 0, "scope-id",
      zone_of (address), NULL);
}

G_END_DECLS
