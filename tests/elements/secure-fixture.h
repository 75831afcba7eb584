/* rtpadaptsink and rtpadaptsrc with a key, and a path between them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "src-fixture.h"

#include <poll.h>

/* The master key and salt of RFC 3711 B.3, and another key. */
#define KEY "e1f97a0d3e018be0d64fa32c06de41390ec675ad498afeebb6960b3aabe6"
#define OTHER "e1f97a0d3e018be0d64fa32c06de41390ec675ad498afeebb6960b3aabe7"

/* --- a path -------------------------------------------------------------- */

/* A path between a sender and a receiver, which records the sender's packets. */
typedef struct
{
  gint outer, inner[2]; /* towards the sender, and the receiver */
  guint port;           /* of `outer` */
  guint src_port, sink_port;
  gint there, back; /* atomic: packets pass */
  gint way;         /* atomic: which of `inner` */
  gint stop;        /* atomic */
  gint passed;      /* atomic: packets to the receiver */
  GMutex lock;
  GPtrArray *record; /* of GBytes */
  GThread *thread;
} Path;

static inline void
path_take (Path *p, gint fd)
{
  gboolean there = fd == p->outer;
  UdpHeard heard;

  udp_hear (fd, &heard);
  if (heard.size <= 0)
    return;
  if (there) {
    p->sink_port = heard.from_port;
    g_mutex_lock (&p->lock);
    g_ptr_array_add (p->record, g_bytes_new (heard.data, (gsize) heard.size));
    g_mutex_unlock (&p->lock);
  }
  if (!g_atomic_int_get (there ? &p->there : &p->back))
    return;
  if (there)
    g_atomic_int_inc (&p->passed);
  udp_say (there ? p->inner[g_atomic_int_get (&p->way)] : p->outer, "127.0.0.1",
      there ? p->src_port : p->sink_port, 0, heard.data, (gsize) heard.size);
}

static inline gpointer
path_run (gpointer data)
{
  Path *p = (Path *) data;

  while (!g_atomic_int_get (&p->stop)) {
    struct pollfd fds[3] = { { p->outer, POLLIN, 0 },
      { p->inner[0], POLLIN, 0 }, { p->inner[1], POLLIN, 0 } };

    poll (fds, 3, 10);
    for (guint i = 0; i < 3; i++) {
      if (fds[i].revents & POLLIN)
        path_take (p, fds[i].fd);
    }
  }
  return NULL;
}

static inline void
path_open (Path *p, gint src_port)
{
  guint port;

  *p = (Path){ .src_port = (guint) src_port, .there = TRUE, .back = TRUE };
  p->outer = udp_socket ("127.0.0.1", &p->port);
  p->inner[0] = udp_socket ("127.0.0.1", &port);
  p->inner[1] = udp_socket ("127.0.0.1", &port);
  p->record = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_mutex_init (&p->lock);
  p->thread = g_thread_new ("path", path_run, p);
}

/* The packets that it recorded.  (transfer full) */
static inline GPtrArray *
path_close (Path *p)
{
  g_atomic_int_set (&p->stop, TRUE);
  g_thread_join (p->thread);
  close (p->outer);
  close (p->inner[0]);
  close (p->inner[1]);
  g_mutex_clear (&p->lock);
  return p->record;
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Path, path_close)

/* --- a sender ------------------------------------------------------------ */

static inline GstElement *
play_sender (guint port, const gchar *key)
{
  g_autofree gchar *line = g_strdup_printf (SENDER_VIDEO
      " ! rtpadaptsink name=sink fec=none host=127.0.0.1 port=%u key=%s",
      port, key);

  return line_play (line, NULL);
}

static inline void
receiver_start (Receiver *t, const gchar *settings, gint port)
{
  g_autofree gchar *all = g_strdup_printf (
      "encoding-name=H264 key=" KEY " %s port=%d", settings, port);

  receiver_new (t, all, RECEIVER_H264);
  receiver_play (t);
}
