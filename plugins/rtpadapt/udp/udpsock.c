/* What rtpadaptudpsink and rtpadaptudpsrc share: addresses and sockets.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "udpsock.h"

#include <errno.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

/* --- addresses ---------------------------------------------------------- */

static gboolean
address_is_mapped (const UdpAddress *address)
{
  const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *) &address->sa;

  return address->sa.ss_family == AF_INET6
      && IN6_IS_ADDR_V4MAPPED (&v6->sin6_addr);
}

/* From ::ffff:a.b.c.d to a.b.c.d. */
static void
address_unmap (UdpAddress *address)
{
  const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *) &address->sa;
  struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = v6->sin6_port };

  memcpy (&v4.sin_addr, v6->sin6_addr.s6_addr + 12, 4);
  memset (&address->sa, 0, sizeof address->sa);
  memcpy (&address->sa, &v4, sizeof v4);
  address->len = sizeof v4;
}

static void
address_map (UdpAddress *address)
{
  const struct sockaddr_in *v4 = (const struct sockaddr_in *) &address->sa;
  struct sockaddr_in6 v6
      = { .sin6_family = AF_INET6, .sin6_port = v4->sin_port };

  v6.sin6_addr.s6_addr[10] = v6.sin6_addr.s6_addr[11] = 0xff;
  memcpy (v6.sin6_addr.s6_addr + 12, &v4->sin_addr, 4);
  memset (&address->sa, 0, sizeof address->sa);
  memcpy (&address->sa, &v6, sizeof v6);
  address->len = sizeof v6;
}

/* Makes `address` one that `socket` can send to; FALSE if there is none. */
static gboolean
address_fit (UdpAddress *address, GSocket *socket)
{
  gint v6only = 0;

  if (!socket)
    return TRUE;
  if (g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV4) {
    if (address_is_mapped (address))
      address_unmap (address);
    return address->sa.ss_family == AF_INET;
  }
  if (g_socket_get_family (socket) != G_SOCKET_FAMILY_IPV6)
    return FALSE;
  if (address->sa.ss_family == AF_INET)
    address_map (address);
  g_socket_get_option (socket, IPPROTO_IPV6, IPV6_V6ONLY, &v6only, NULL);
  return !v6only || !address_is_mapped (address);
}

/* GInetAddress has no place for the %eth0 of a link-local address. */
static gboolean
address_parse (UdpAddress *address, const gchar *number)
{
  const struct addrinfo hints
      = { .ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_DGRAM };
  struct addrinfo *info;

  if (getaddrinfo (number, NULL, &hints, &info) != 0)
    return FALSE;
  memset (address, 0, sizeof *address);
  memcpy (&address->sa, info->ai_addr, info->ai_addrlen);
  address->len = info->ai_addrlen;
  freeaddrinfo (info);
  return TRUE;
}

static gint
open_socket (const UdpAddress *address)
{
  return socket (address->sa.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

/* The kernel has a route there; nothing is sent. */
static gboolean
address_is_routed (const UdpAddress *address)
{
  gint fd = open_socket (address);
  gboolean routed;

  if (fd < 0)
    return FALSE;
  routed
      = connect (fd, (const struct sockaddr *) &address->sa, address->len) == 0;
  close (fd);
  return routed;
}

/* On a host without IPv6 many names have an IPv6 address first. */
static gboolean
address_look_up (
    UdpAddress *address, const gchar *name, GSocket *socket, GError **error)
{
  GResolver *resolver = g_resolver_get_default ();
  GList *found = g_resolver_lookup_by_name (resolver, name, NULL, error);
  gboolean had_any = found != NULL, fits = FALSE, routed = FALSE;

  for (GList *l = found; l && !routed; l = l->next) {
    g_autofree gchar *number = g_inet_address_to_string (l->data);
    UdpAddress each;

    if (!address_parse (&each, number) || !address_fit (&each, socket))
      continue;
    udp_address_set_port (&each, 9); /* RFC 863: one that discards */
    routed = address_is_routed (&each);
    if (routed || !fits)
      *address = each;
    fits = TRUE;
  }
  g_resolver_free_addresses (found);
  g_object_unref (resolver);
  if (had_any && !fits)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
        "no address that the socket can send to");
  return fits;
}

gboolean
udp_address_resolve (UdpAddress *address, const gchar *host, guint port,
    GSocket *socket, GError **error)
{
  if (address_parse (address, host)) {
    if (!address_fit (address, socket)) {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
          "the socket cannot send to this kind of address");
      return FALSE;
    }
  } else if (!address_look_up (address, host, socket, error)) {
    return FALSE;
  }
  udp_address_set_port (address, port);
  return TRUE;
}

gboolean
udp_address_read (UdpAddress *address, const gchar *number, GSocket *socket)
{
  return address_parse (address, number) && address_fit (address, socket);
}

void
udp_address_set_port (UdpAddress *address, guint port)
{
  /* At the same place in both: RFC 3493 3.3 */
  ((struct sockaddr_in *) &address->sa)->sin_port = g_htons ((guint16) port);
}

gboolean
udp_address_equal (const UdpAddress *a, const UdpAddress *b)
{
  return a->len == b->len && memcmp (&a->sa, &b->sa, a->len) == 0;
}

/* --- sockets ------------------------------------------------------------ */

static GSocket *
socket_new (GSocketFamily family, GError **error)
{
  GSocket *socket = g_socket_new (
      family, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, error);

  if (socket && family == G_SOCKET_FAMILY_IPV6)
    g_socket_set_option (socket, IPPROTO_IPV6, IPV6_V6ONLY, 0, NULL);
  return socket;
}

/* Any address of any family; of IPv4 on a host that has no IPv6. */
static GSocket *
socket_new_any (UdpAddress *address)
{
  GSocket *socket = socket_new (G_SOCKET_FAMILY_IPV6, NULL);

  address_parse (address, socket ? "::" : "0.0.0.0");
  return socket;
}

/* The kernel's default holds 280 small packets: a flood of 10,000 a second would
 * drive the media out while a thread waits 28 ms for a core. */
static void
make_room (GSocket *socket)
{
  gint size = 0;

  g_socket_get_option (socket, SOL_SOCKET, SO_RCVBUF, &size, NULL);
  if (size < UDP_ROOM)
    g_socket_set_option (socket, SOL_SOCKET, SO_RCVBUF, UDP_ROOM, NULL);
}

GSocket *
udp_socket_new (const gchar *host, guint port, gboolean reuse, GError **error)
{
  GSocketAddress *address;
  GSocket *socket = NULL;
  UdpAddress to;
  gboolean bound;

  if (!host || !*host)
    socket = socket_new_any (&to);
  else if (!udp_address_resolve (&to, host, port, NULL, error))
    return NULL;
  else if (address_is_mapped (&to))
    address_unmap (&to); /* GSocket binds it to an IPv4 socket only */
  if (!socket)
    socket = socket_new (to.sa.ss_family == AF_INET6 ? G_SOCKET_FAMILY_IPV6
                                                     : G_SOCKET_FAMILY_IPV4,
        error);
  if (!socket)
    return NULL;

  udp_address_set_port (&to, port);
  address = g_socket_address_new_from_native (&to.sa, to.len);
  bound = g_socket_bind (socket, address, reuse, error);
  g_object_unref (address);
  if (bound)
    make_room (socket);
  else
    g_clear_object (&socket);
  return socket;
}

guint
udp_socket_port (GSocket *socket)
{
  GSocketAddress *address = g_socket_get_local_address (socket, NULL);
  guint port = 0;

  if (G_IS_INET_SOCKET_ADDRESS (address))
    port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (address));
  g_clear_object (&address);
  return port;
}

/* bind(2): of an address that is not there it says EADDRNOTAVAIL, of a zone ENODEV. */
gchar *
udp_socket_lost_address (GSocket *socket)
{
  UdpAddress at = { .len = sizeof at.sa };
  gint fd = g_socket_get_fd (socket), other;
  gchar text[INET6_ADDRSTRLEN + IF_NAMESIZE];
  gboolean lost;

  if (getsockname (fd, (struct sockaddr *) &at.sa, &at.len) != 0)
    return NULL;
  udp_address_set_port (&at, 0);
  other = open_socket (&at);
  if (other < 0)
    return NULL;
  lost = bind (other, (struct sockaddr *) &at.sa, at.len) != 0
      && (errno == EADDRNOTAVAIL || errno == ENODEV);
  close (other);
  return lost
          && getnameinfo ((struct sockaddr *) &at.sa, at.len, text, sizeof text,
                 NULL, 0, NI_NUMERICHOST)
              == 0
      ? g_strdup (text)
      : NULL;
}

static void
set_option (GSocket *socket, gint level, gint option, gint value,
    const gchar *what, GstElement *element)
{
  GError *error = NULL;

  if (!g_socket_set_option (socket, level, option, value, &error)) {
    GST_WARNING_OBJECT (element, "%s: %s", what, error->message);
    g_error_free (error);
  }
}

gboolean
udp_socket_set_iface (GSocket *socket, const gchar *iface, GstElement *element)
{
  struct ip_mreqn v4 = { .imr_ifindex = (gint) if_nametoindex (iface) };
  gint fd = g_socket_get_fd (socket);

  if (v4.imr_ifindex == 0)
    return FALSE;
  if (setsockopt (fd, IPPROTO_IP, IP_MULTICAST_IF, &v4, sizeof v4) != 0)
    GST_WARNING_OBJECT (element, "IP_MULTICAST_IF: %s", g_strerror (errno));
  if (g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6)
    set_option (socket, IPPROTO_IPV6, IPV6_MULTICAST_IF, v4.imr_ifindex,
        "IPV6_MULTICAST_IF", element);
  return TRUE;
}

/* RFC 3678 5.1.  The group goes with the interface, but keeps its place in the socket, which
 * has room for 20 (ip(7), igmp_max_memberships). */
gboolean
udp_socket_join_again (GSocket *socket, GInetAddress *group, guint gone,
    guint now, GstElement *element)
{
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new (group, 0);
  gint fd = g_socket_get_fd (socket);
  struct group_req r = { .gr_interface = gone };
  gint level = g_inet_address_get_family (group) == G_SOCKET_FAMILY_IPV6
      ? IPPROTO_IPV6
      : IPPROTO_IP;

  if (!g_socket_address_to_native (
          address, &r.gr_group, sizeof r.gr_group, NULL))
    return FALSE;
  if (gone > 0)
    setsockopt (fd, level, MCAST_LEAVE_GROUP, &r, sizeof r);
  r.gr_interface = now;
  if (setsockopt (fd, level, MCAST_JOIN_GROUP, &r, sizeof r) == 0
      || errno == EADDRINUSE)
    return TRUE;
  GST_WARNING_OBJECT (element, "MCAST_JOIN_GROUP: %s", g_strerror (errno));
  return FALSE;
}

/* An IPv6 socket has the options of IPv4 too, for v4-mapped addresses. */
void
udp_socket_set_send_options (
    GSocket *socket, const UdpSendOptions *options, GstElement *element)
{
  const struct
  {
    gint v4, v6;
    guint value;
    const gchar *what;
  } each[] = {
    { IP_TTL, IPV6_UNICAST_HOPS, options->ttl, "ttl" },
    { IP_MULTICAST_TTL, IPV6_MULTICAST_HOPS, options->ttl_mc, "ttl-mc" },
    { IP_MULTICAST_LOOP, IPV6_MULTICAST_LOOP, options->loop, "loop" },
  };
  gboolean v6 = g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6;

  for (guint i = 0; i < G_N_ELEMENTS (each); i++) {
    set_option (socket, IPPROTO_IP, each[i].v4, (gint) each[i].value,
        each[i].what, element);
    if (v6)
      set_option (socket, IPPROTO_IPV6, each[i].v6, (gint) each[i].value,
          each[i].what, element);
  }
  g_socket_set_broadcast (socket, TRUE);
  if (options->iface && *options->iface
      && !udp_socket_set_iface (socket, options->iface, element))
    GST_ELEMENT_WARNING (element, RESOURCE, SETTINGS,
        ("There is no network interface \"%s\".", options->iface), (NULL));
}

/* --- errors -------------------------------------------------------------- */

/* Everything that an ICMP message can cause passes, as anybody can forge one:
 * ip(7) and the kernel's tables of ICMP give ECONNREFUSED, EHOSTUNREACH,
 * ENETUNREACH, EHOSTDOWN, ENONET, ENOPROTOOPT, EOPNOTSUPP, EMSGSIZE, EPROTO and
 * EACCES.  An interface that is down (ENETDOWN), a firewall (EPERM) and an
 * address that moved (EADDRNOTAVAIL) pass, too.  So the errors that stay are
 * listed. */
UdpError
udp_error_read (gint code)
{
  switch (code) {
    case EBADF:
    case EFAULT:
    case EINVAL:
    case ENOSYS:
    case ENOTCONN:
    case ENOTSOCK:
      return UDP_ERROR_STAYS;
    case ENOBUFS:
    case ENOMEM:
      return UDP_ERROR_WAITS;
    default:
      return UDP_ERROR_PASSES;
  }
}

void
udp_socket_take_errors (GSocket *socket)
{
  gint fd = g_socket_get_fd (socket), pending;
  socklen_t len = sizeof pending;
  struct msghdr message = { 0 };

  /* The message is cut off, because it has no room, and is off the queue then. */
  while (recvmsg (fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0)
    message = (struct msghdr){ 0 };
  getsockopt (fd, SOL_SOCKET, SO_ERROR, &pending, &len);
}

gint
udp_socket_tos (GSocket *socket)
{
  gint tos = 0;

  if (g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6)
    g_socket_get_option (socket, IPPROTO_IPV6, IPV6_TCLASS, &tos, NULL);
  /* It counts for IPv4 in a socket of IPv6, too. */
  if (tos <= 0)
    g_socket_get_option (socket, IPPROTO_IP, IP_TOS, &tos, NULL);
  return MAX (tos, 0);
}

/* --- unlocking ----------------------------------------------------------- */

#define WOKEN "rtpadapt-woken"

/* The lock is held meanwhile, so that udp_wake() puts no other one there before it is
 * cancelled.  Nobody connects to what is cancelled, so nothing is called. */
void
udp_unlock (GstObject *object, GCancellable **place)
{
  GST_OBJECT_LOCK (object);
  g_cancellable_cancel (*place);
  GST_OBJECT_UNLOCK (object);
}

void
udp_wake (GstObject *object, GCancellable **place)
{
  GCancellable *old = NULL;

  GST_OBJECT_LOCK (object);
  if (!g_cancellable_is_cancelled (*place)) {
    old = *place;
    *place = g_cancellable_new ();
    g_object_set_data (G_OBJECT (old), WOKEN, GINT_TO_POINTER (TRUE));
    g_cancellable_cancel (old);
  }
  GST_OBJECT_UNLOCK (object);
  g_clear_object (&old);
}

gboolean
udp_is_woken (GCancellable *unlock)
{
  return g_object_get_data (G_OBJECT (unlock), WOKEN) != NULL;
}

/* A new one: g_cancellable_reset() is not for those others look at. */
void
udp_unlock_stop (GstObject *object, GCancellable **place)
{
  GCancellable *old;

  GST_OBJECT_LOCK (object);
  old = *place;
  *place = g_cancellable_new ();
  GST_OBJECT_UNLOCK (object);
  g_object_unref (old);
}
