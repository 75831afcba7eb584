/* What rtpadaptudpsink and rtpadaptudpsrc share: addresses and sockets.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>
#include <sys/socket.h>

G_BEGIN_DECLS

typedef struct
{
  struct sockaddr_storage sa;
  socklen_t len;
} UdpAddress;

/* `host` is a name or a number, "fe80::1%eth0" too; a name is looked up, which
 * may take seconds.  The first of its addresses that `socket` can send to, a
 * v4-mapped one where that helps, and that has a route; NULL: any socket. */
gboolean udp_address_resolve (UdpAddress *address, const gchar *host,
    guint port, GSocket *socket, GError **error);
/* The same for a number, without a port, which takes no time.  FALSE: it is a name, or
 * the socket cannot send there. */
gboolean udp_address_read (
    UdpAddress *address, const gchar *number, GSocket *socket);
void udp_address_set_port (UdpAddress *address, guint port);
/* The same host and port. */
gboolean udp_address_equal (const UdpAddress *a, const UdpAddress *b);

/* Bytes that the kernel may hold for a socket, if it lets us (sysctl
 * net.core.rmem_max). */
#define UDP_ROOM 1048576

/* A socket bound to `host`, or for NULL to all addresses of IPv4 and IPv6;
 * `port` 0: any free one. */
GSocket *udp_socket_new (
    const gchar *host, guint port, gboolean reuse, GError **error);
/* 0 if it is not bound. */
guint udp_socket_port (GSocket *socket);

/* The address that the socket is bound to, as text, if this host has it no more; else NULL.
 * Nothing leaves by the socket then, until the host has it again.  (transfer full) */
gchar *udp_socket_lost_address (GSocket *socket);

typedef struct
{
  guint ttl, ttl_mc;  /* unicast, multicast */
  gboolean loop;      /* hear one's own multicast */
  const gchar *iface; /* for multicast, NULL: the kernel's choice */
} UdpSendOptions;

/* FALSE: no interface has that name. */
gboolean udp_socket_set_iface (
    GSocket *socket, const gchar *iface, GstElement *element);
/* The interface that the group was joined by, number `gone`, has another number, `now`: the
 * group is joined by that one.  `gone` 0: it was not there.  FALSE: the kernel refuses that. */
gboolean udp_socket_join_again (GSocket *socket, GInetAddress *group,
    guint gone, guint now, GstElement *element);
/* What the kernel refuses is logged on `element`, no more. */
void udp_socket_set_send_options (
    GSocket *socket, const UdpSendOptions *options, GstElement *element);

typedef enum
{
  UDP_ERROR_PASSES, /* it is about one packet or the path: go on */
  UDP_ERROR_WAITS,  /* the kernel lacks memory: go on after a while */
  UDP_ERROR_STAYS,  /* the socket cannot be used any more */
} UdpError;

/* What `code`, an errno of a socket, means for a stream. */
UdpError udp_error_read (gint code);
/* Takes waiting errors off the socket.  If an application set IP_RECVERR, the
 * kernel queues them, and each poll() returns at once until somebody takes them
 * (ip(7)). */
void udp_socket_take_errors (GSocket *socket);
/* What the socket itself marks its packets with: DSCP << 2 | ECN. */
gint udp_socket_tos (GSocket *socket);

/* GstBaseSink's and GstBaseSrc's unlock and unlock_stop: the one cancels what is
 * at `place`, the other puts a new one there.  `object`'s lock guards it. */
void udp_unlock (GstObject *object, GCancellable **place);
/* Interrupts a wait with the cancellable at `place`, and puts a new one there, with which
 * the thread waits on; udp_is_woken() tells this from udp_unlock().  It does nothing after
 * udp_unlock(). */
void udp_wake (GstObject *object, GCancellable **place);
gboolean udp_is_woken (GCancellable *unlock);
void udp_unlock_stop (GstObject *object, GCancellable **place);

G_END_DECLS
