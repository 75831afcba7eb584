/* Plain sockets at the other end of the UDP elements: the oracle.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <gst/check/gstharness.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../plugins/rtpadapt/parts/colourmeta.h"
#include "patience.h"

/* A socket bound to a free port of `address`, which is "" for one that hears
 * IPv6 and IPv4.  -1 and port 0 if there is no such address here.  `port` may be
 * NULL. */
static inline gint
udp_socket (const gchar *address, guint *port)
{
  struct sockaddr_in v4 = { .sin_family = AF_INET };
  struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
  gboolean is_v4 = inet_pton (AF_INET, address, &v4.sin_addr) == 1;
  struct sockaddr *sa = is_v4 ? (gpointer) &v4 : (gpointer) &v6;
  socklen_t len = is_v4 ? sizeof v4 : sizeof v6;
  const struct timeval patience = { .tv_sec = PATIENCE / G_TIME_SPAN_SECOND };
  const gint on = 1, off = 0;
  gint fd = socket (sa->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  guint unused;

  port = port ? port : &unused;
  *port = 0;
  if (!is_v4 && *address)
    g_assert_cmpint (inet_pton (AF_INET6, address, &v6.sin6_addr), ==, 1);
  if (fd < 0)
    return -1;
  if (!is_v4) {
    setsockopt (fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    setsockopt (fd, IPPROTO_IPV6, IPV6_RECVTCLASS, &on, sizeof on);
    setsockopt (fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, &on, sizeof on);
  }
  setsockopt (fd, IPPROTO_IP, IP_RECVTOS, &on, sizeof on);
  setsockopt (fd, IPPROTO_IP, IP_RECVTTL, &on, sizeof on);
  setsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (bind (fd, sa, len) < 0 || getsockname (fd, sa, &len) < 0) {
    close (fd);
    return -1;
  }
  *port = g_ntohs (v4.sin_port ? v4.sin_port : v6.sin6_port);
  return fd;
}

/* A port that is bound to later, and perhaps again and again: each call gives another one,
 * and processes mostly have their own, those whose ids differ by less than 625.  The
 * kernel gives none of them to others (ip(7), ip_local_port_range: from 32768 on). */
static inline guint
udp_free_port (void)
{
  static guint n;
  struct sockaddr_in any = { .sin_family = AF_INET };
  gint fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  guint port, tries = 0;

  g_assert_cmpint (fd, >=, 0);
  do {
    g_assert_cmpuint (tries++, <, 20000);
    port = 10000 + ((guint) getpid () * 32 + n++) % 20000;
    any.sin_port = g_htons ((guint16) port);
  } while (bind (fd, (gpointer) &any, sizeof any) < 0);
  close (fd);
  return port;
}

typedef struct
{
  guint8 data[2048];
  gssize size;
  gint tos, ttl;   /* -1: unknown */
  guint from_port; /* and who sent it */
  guint seq;       /* if it is RTP */
} UdpHeard;

/* Waits for PATIENCE; the size is -1 if nothing came. */
static inline void
udp_hear (gint fd, UdpHeard *heard)
{
  struct sockaddr_in6 from;
  struct iovec part = { heard->data, sizeof heard->data };
  union
  {
    gchar space[256];
    struct cmsghdr align;
  } control;
  struct msghdr m = { .msg_name = &from,
    .msg_namelen = sizeof from,
    .msg_iov = &part,
    .msg_iovlen = 1,
    .msg_control = &control,
    .msg_controllen = sizeof control };

  heard->tos = heard->ttl = -1;
  heard->size = recvmsg (fd, &m, 0);
  if (heard->size < 0)
    return;
  heard->from_port = g_ntohs (from.sin6_port);
  heard->seq = GST_READ_UINT16_BE (heard->data + 2);
  for (struct cmsghdr *c = CMSG_FIRSTHDR (&m); c; c = CMSG_NXTHDR (&m, c)) {
    gint value = 0;

    memcpy (&value, CMSG_DATA (c), MIN (c->cmsg_len - CMSG_LEN (0), 4));
    if ((c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS)
        || (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_TCLASS))
      heard->tos = value;
    if ((c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TTL)
        || (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_HOPLIMIT))
      heard->ttl = value;
  }
}

/* To a port of `address` with the octet `tos`. */
static inline void
udp_say (gint fd, const gchar *address, guint port, gint tos,
    gconstpointer data, gsize size)
{
  struct sockaddr_in v4
      = { .sin_family = AF_INET, .sin_port = g_htons ((guint16) port) };
  struct sockaddr_in6 v6
      = { .sin6_family = AF_INET6, .sin6_port = g_htons ((guint16) port) };
  gboolean is_v4 = inet_pton (AF_INET, address, &v4.sin_addr) == 1;

  if (is_v4) {
    setsockopt (fd, IPPROTO_IP, IP_TOS, &tos, sizeof tos);
  } else {
    g_assert_cmpint (inet_pton (AF_INET6, address, &v6.sin6_addr), ==, 1);
    setsockopt (fd, IPPROTO_IPV6, IPV6_TCLASS, &tos, sizeof tos);
  }
  g_assert_cmpint (
      sendto (fd, data, size, 0, is_v4 ? (gpointer) &v4 : (gpointer) &v6,
          is_v4 ? sizeof v4 : sizeof v6),
      ==, (gssize) size);
}

/* An RTP packet in two memories, as payloaders make them, of `kind` g, y, r
 * (coloured) or - (not), or c: RTCP, no colour. */
static inline GstBuffer *
udp_packet (guint seq, gsize size, gchar kind)
{
  guint8 head[12] = { 0x80, 96, (guint8) (seq >> 8), (guint8) seq, 0, 0, 0, 0,
    0x01, 0x02, 0x03, 0x04 };
  GstBuffer *buffer;

  if (kind == 'c')
    head[1] = 200; /* SR */
  buffer = gst_buffer_new_memdup (head, sizeof head);
  gst_buffer_append_memory (
      buffer, gst_allocator_alloc (NULL, size - sizeof head, NULL));
  gst_buffer_memset (buffer, sizeof head, 0x55, size - sizeof head);
  if (kind == 'g')
    rtp_adapt_buffer_set_colour (buffer, RA_MARK_GREEN);
  else if (kind == 'y')
    rtp_adapt_buffer_set_colour (buffer, RA_MARK_YELLOW);
  else if (kind == 'r')
    rtp_adapt_buffer_set_colour (buffer, RA_MARK_RED);
  return buffer;
}

static inline guint64
udp_stat (GstElement *element, const gchar *name)
{
  g_autoptr (GstStructure) s = NULL;
  guint64 value = 0;

  g_object_get (element, "stats", &s, NULL);
  g_assert_true (gst_structure_get_uint64 (s, name, &value));
  return value;
}

/* The user's text of the message of `type` that is on the bus, or NULL. */
static inline gchar *
udp_said (GstBus *bus, GstMessageType type)
{
  GstMessage *message = gst_bus_pop_filtered (bus, type);
  GError *error = NULL;
  gchar *text;

  if (!message)
    return NULL;
  if (type == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  gst_message_unref (message);
  text = g_strdup (error->message);
  g_error_free (error);
  return text;
}

/* An element has no bus outside of a pipeline. */
static inline GstBus *
udp_bus_new (GstElement *element)
{
  GstBus *bus = gst_bus_new ();

  gst_element_set_bus (element, bus);
  return bus;
}

/* Its messages hold the element, which holds it. */
static inline void
udp_bus_free (GstBus *bus)
{
  gst_bus_set_flushing (bus, TRUE);
  gst_object_unref (bus);
}

static inline guint
udp_open_files (void)
{
  GDir *dir = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir))
    n++;
  g_dir_close (dir);
  return n;
}
