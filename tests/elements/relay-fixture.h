/* A path of loopback sockets between rtpadaptsink and rtpadaptsrc, which delays,
 * loses and reorders by count, and counts by payload type.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "udp-fixture.h"

#include <poll.h>

#define RELAY_TYPES 128

/* Each nth packet of a payload type of RTP, 0: none. */
typedef struct
{
  guint lost[RELAY_TYPES], delayed[RELAY_TYPES];
  gint64 delay;   /* us, each way */
  gint64 extra;   /* us more for those delayed */
  gboolean queue; /* nothing passes them */
} RelayRule;

typedef struct
{
  gint64 due;
  gint fd;
  guint port;
  gsize size;
  guint8 data[2048];
} RelayPacket;

typedef struct
{
  RelayRule rule;
  gint outer, inner;      /* sockets towards the sink and the source */
  guint port, inner_port; /* of `outer`, `inner` */
  guint sink_port, src_port;
  GQueue packets; /* (RelayPacket) in order of due */
  GThread *thread;
  gint64 last;            /* us, when the last one to the source is due */
  gint stop;              /* atomic */
  gint waiting;           /* atomic: packets on their way to the source */
  gint came[RELAY_TYPES]; /* atomic */
  gint lost[RELAY_TYPES]; /* atomic */
} Relay;

static inline gint
relay_compare (gconstpointer a, gconstpointer b, gpointer data)
{
  const RelayPacket *x = (const RelayPacket *) a;
  const RelayPacket *y = (const RelayPacket *) b;

  return x->due <= y->due ? -1 : 1; /* behind those that are due then */
}

static inline gboolean
relay_nth (guint n, gint count)
{
  return n > 0 && count % (gint) n == 0;
}

/* FALSE: it is lost. */
static inline gboolean
relay_judge (Relay *r, RelayPacket *p)
{
  guint pt = p->data[1] & 0x7f;
  gint count;

  p->due = g_get_monotonic_time () + r->rule.delay;
  if (p->fd == r->outer || (p->data[1] >= 192 && p->data[1] <= 223))
    return TRUE;
  count = g_atomic_int_add (&r->came[pt], 1) + 1;
  if (relay_nth (r->rule.delayed[pt], count))
    p->due += r->rule.extra;
  if (r->rule.queue)
    p->due = MAX (p->due, r->last);
  r->last = p->due;
  if (!relay_nth (r->rule.lost[pt], count))
    return TRUE;
  g_atomic_int_inc (&r->lost[pt]);
  return FALSE;
}

static inline void
relay_take (Relay *r, gint fd)
{
  struct sockaddr_in from = { 0 };
  socklen_t len = sizeof from;
  RelayPacket *p = g_new (RelayPacket, 1);
  gssize size
      = recvfrom (fd, p->data, sizeof p->data, 0, (gpointer) &from, &len);

  if (size < 2) {
    g_free (p);
    return;
  }
  p->size = (gsize) size;
  if (fd == r->outer)
    r->sink_port = g_ntohs (from.sin_port);
  p->fd = fd == r->outer ? r->inner : r->outer;
  p->port = fd == r->outer ? r->src_port : r->sink_port;
  if (!relay_judge (r, p)) {
    g_free (p);
    return;
  }
  if (p->fd == r->inner)
    g_atomic_int_inc (&r->waiting);
  g_queue_insert_sorted (&r->packets, p, relay_compare, NULL);
}

static inline gpointer
relay_run (gpointer data)
{
  Relay *r = (Relay *) data;

  while (!g_atomic_int_get (&r->stop)) {
    RelayPacket *p = (RelayPacket *) g_queue_peek_head (&r->packets);
    gint64 wait = p ? p->due - g_get_monotonic_time () : 10000;
    struct timespec time = { 0, MIN (MAX (wait, 0), 10000) * 1000 };
    struct pollfd fds[2] = { { r->outer, POLLIN, 0 }, { r->inner, POLLIN, 0 } };

    if (wait <= 0) {
      g_queue_pop_head (&r->packets);
      udp_say (p->fd, "127.0.0.1", p->port, 0, p->data, p->size);
      if (p->fd == r->inner)
        g_atomic_int_add (&r->waiting, -1);
      g_free (p);
      continue;
    }
    ppoll (fds, 2, &time, NULL);
    for (guint i = 0; i < 2; i++) {
      if (fds[i].revents & POLLIN)
        relay_take (r, fds[i].fd);
    }
  }
  return NULL;
}

/* What is sent to r->port goes to `src_port`, and back. */
static inline void
relay_start (Relay *r, const RelayRule *rule, guint src_port)
{

  *r = (Relay){ .rule = *rule, .src_port = src_port };
  g_queue_init (&r->packets);
  r->outer = udp_socket ("127.0.0.1", &r->port);
  r->inner = udp_socket ("127.0.0.1", &r->inner_port);
  r->thread = g_thread_new ("relay", relay_run, r);
}

static inline void
relay_end (Relay *r)
{
  g_atomic_int_set (&r->stop, TRUE);
  g_thread_join (r->thread);
  g_queue_clear_full (&r->packets, g_free);
  close (r->outer);
  close (r->inner);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Relay, relay_end)
