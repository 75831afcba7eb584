/* A path of loopback sockets between rtpadaptsink and rtpadaptsrc.  Each of its
 * directions can be cut.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each packet takes DELAY, by the fast clock.  A sender has a link of its own:
 * the port to which it sends, and the port from which its packets leave for the
 * receiver.  A sender that replaces another one, and one that roams, gets
 * another port on the receiver's side, as behind a NAT.  Each process has an
 * address of its own in 127.0.0.0/8, so that rows can run side by side.
 */
#pragma once

#define _GNU_SOURCE /* ppoll */
#include "fast-clock.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define RELAY_DELAY (20 * GST_MSECOND)
#define RELAY_PORT 5004 /* the receiver's, below the ephemeral ones */
#define RELAY_LINKS 4

typedef enum
{
  RELAY_MEDIA = 1,    /* all that goes to the receiver */
  RELAY_FEEDBACK = 2, /* all that goes to the sender */
  RELAY_BOTH = 3,
} RelayWay;

typedef struct
{
  gint outer, inner; /* sockets towards the sender and the receiver */
  guint port;        /* of `outer` */
  struct sockaddr_in sender;
} RelayLink;

typedef struct
{
  GstClockTime due;
  gint fd;
  struct sockaddr_in to;
  gboolean media;
  gsize size;
  guint8 data[2048];
} RelayPacket;

typedef struct
{
  GMutex lock;
  RelayLink links[RELAY_LINKS]; /* the last one is open, others are dead */
  guint n_links;
  guint dead;          /* (RelayWay) */
  guint64 bytes;       /* of RTP that were handed to the receiver */
  GstClockTime latest; /* lateness of the worst packet since it was cleared */
  gchar address[16];   /* of this process */
  GQueue packets;      /* (RelayPacket) in order of due */
  GThread *thread;
  gint stop; /* atomic */
} Relay;

static inline struct sockaddr_in
relay_name (const Relay *r, guint port)
{
  struct sockaddr_in name
      = { .sin_family = AF_INET, .sin_port = g_htons ((guint16) port) };

  inet_pton (AF_INET, r->address, &name.sin_addr);
  return name;
}

static inline gint
relay_socket (const Relay *r, guint *port)
{
  struct sockaddr_in name = relay_name (r, 0);
  socklen_t len = sizeof name;
  gint fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

  g_assert_cmpint (bind (fd, (gpointer) &name, sizeof name), ==, 0);
  getsockname (fd, (gpointer) &name, &len);
  *port = g_ntohs (name.sin_port);
  return fd;
}

/* RFC 7983 7, RFC 5761 4. */
static inline gboolean
relay_is_rtp (const RelayPacket *p)
{
  return p->data[0] >= 128 && p->data[0] <= 191
      && (p->data[1] < 192 || p->data[1] > 223);
}

/* The lock is held.  Packets of links that are dead are read and dropped. */
static inline void
relay_take (Relay *r, RelayLink *link, gint fd)
{
  gboolean open = link == &r->links[r->n_links - 1];
  gboolean media = fd == link->outer;
  RelayPacket *p = g_new (RelayPacket, 1);
  struct sockaddr_in from;
  socklen_t len = sizeof from;
  gssize size
      = recvfrom (fd, p->data, sizeof p->data, 0, (gpointer) &from, &len);

  if (size > 0 && media)
    link->sender = from;
  if (size < 2 || !open || (r->dead & (media ? RELAY_MEDIA : RELAY_FEEDBACK))) {
    g_free (p);
    return;
  }
  p->size = (gsize) size;
  p->due = fast_now () + RELAY_DELAY;
  p->fd = media ? link->inner : link->outer;
  p->to = media ? relay_name (r, RELAY_PORT) : link->sender;
  p->media = media && relay_is_rtp (p);
  g_queue_push_tail (&r->packets, p);
}

/* The lock is held.  Returns how long nothing is due. */
static inline GstClockTime
relay_give (Relay *r)
{
  GstClockTime now = fast_now ();
  RelayPacket *p;

  while ((p = g_queue_peek_head (&r->packets)) && p->due <= now) {
    g_queue_pop_head (&r->packets);
    /* The packet is lost where nobody listens. */
    sendto (p->fd, p->data, p->size, 0, (gpointer) &p->to, sizeof p->to);
    if (p->media)
      r->bytes += p->size;
    r->latest = MAX (r->latest, now - p->due);
    g_free (p);
  }
  return p ? p->due - now : RELAY_DELAY;
}

static inline gpointer
relay_run (gpointer data)
{
  Relay *r = data;
  struct pollfd fds[2 * RELAY_LINKS];

  while (!g_atomic_int_get (&r->stop)) {
    GstClockTime wait;
    struct timespec time;
    guint n;

    g_mutex_lock (&r->lock);
    wait = relay_give (r) / fast_speed ();
    n = r->n_links;
    for (guint i = 0; i < n; i++) {
      fds[2 * i] = (struct pollfd){ r->links[i].outer, POLLIN, 0 };
      fds[2 * i + 1] = (struct pollfd){ r->links[i].inner, POLLIN, 0 };
    }
    g_mutex_unlock (&r->lock);
    GST_TIME_TO_TIMESPEC (wait, time);
    ppoll (fds, 2 * n, &time, NULL);
    g_mutex_lock (&r->lock);
    for (guint i = 0; i < 2 * n; i++) {
      if (fds[i].revents & POLLIN)
        relay_take (r, &r->links[i / 2], fds[i].fd);
    }
    g_mutex_unlock (&r->lock);
  }
  return NULL;
}

/* --- for a test ----------------------------------------------------------- */

/* A link for a new sender, or for one that is there (`roams`) and has another
 * address from now on.  The links before are dead. */
static inline void
relay_link (Relay *r, gboolean roams)
{
  RelayLink *link;
  guint port;

  g_mutex_lock (&r->lock);
  g_assert_cmpuint (r->n_links, <, RELAY_LINKS);
  link = &r->links[r->n_links++];
  link->inner = relay_socket (r, &port);
  if (roams) {
    link->outer = link[-1].outer;
    link->port = link[-1].port;
    link->sender = link[-1].sender;
    link[-1].outer = -1;
  } else {
    link->outer = relay_socket (r, &link->port);
  }
  g_mutex_unlock (&r->lock);
}

static inline guint
relay_port (Relay *r)
{
  return r->links[r->n_links - 1].port;
}

static inline void
relay_cut (Relay *r, guint ways)
{
  g_mutex_lock (&r->lock);
  r->dead = ways;
  g_mutex_unlock (&r->lock);
}

static inline guint64
relay_bytes (Relay *r)
{
  guint64 bytes;

  g_mutex_lock (&r->lock);
  bytes = r->bytes;
  g_mutex_unlock (&r->lock);
  return bytes;
}

/* The worst lateness since the last call: how busy the machine was. */
static inline GstClockTime
relay_latest (Relay *r)
{
  GstClockTime latest;

  g_mutex_lock (&r->lock);
  latest = r->latest;
  r->latest = 0;
  g_mutex_unlock (&r->lock);
  return latest;
}

static inline void
relay_start (Relay *r)
{
  guint pid = (guint) getpid ();

  *r = (Relay){ 0 };
  g_mutex_init (&r->lock);
  g_queue_init (&r->packets);
  g_snprintf (r->address, sizeof r->address, "127.%u.%u.%u",
      1 + (pid >> 14 & 0x7f), pid >> 7 & 0x7f, 1 + (pid & 0x7f));
  relay_link (r, FALSE);
  r->thread = g_thread_new ("relay", relay_run, r);
}

static inline void
relay_end (Relay *r)
{
  g_atomic_int_set (&r->stop, TRUE);
  g_thread_join (r->thread);
  g_queue_clear_full (&r->packets, g_free);
  for (guint i = 0; i < r->n_links; i++) {
    close (r->links[i].inner);
    if (r->links[i].outer >= 0)
      close (r->links[i].outer);
  }
  g_mutex_clear (&r->lock);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Relay, relay_end)
