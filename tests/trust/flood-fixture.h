/* A thread that sends so many packets a second, and what it does to the rest of
 * the process.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "../elements/udp-fixture.h"

#include <time.h>

#define FLOOD_BATCH 32
#define FLOOD_SIZE 1500

/* Number `i` of the flood into `packet`, FLOOD_SIZE bytes.  Its size. */
typedef gsize (*FloodMake) (gpointer data, guint64 i, guint8 *packet);

typedef struct
{
  gint fd; /* connected; nobody else's while it runs */
  guint rate;
  FloodMake make;
  gpointer data;
  /* Each ms, or NULL: what the thread shall do besides. */
  void (*also) (gpointer data);

  GThread *thread;
  gint stop;      /* atomic */
  guint64 sent;   /* from here on to be read when it has ended */
  gint64 cpu;     /* ns, of the thread */
  gint64 elapsed; /* us */
} Flood;

static inline gint64
flood_cpu (clockid_t clock)
{
  struct timespec t;

  clock_gettime (clock, &t);
  return (gint64) t.tv_sec * GST_SECOND + t.tv_nsec;
}

/* What a full socket refuses is lost, as on any path. */
static inline void
flood_batch (Flood *f, guint n)
{
  guint8 packets[FLOOD_BATCH][FLOOD_SIZE];
  struct iovec parts[FLOOD_BATCH];
  struct mmsghdr messages[FLOOD_BATCH] = { 0 };

  for (guint i = 0; i < n; i++) {
    parts[i] = (struct iovec){ packets[i],
      f->make (f->data, f->sent + i, packets[i]) };
    messages[i].msg_hdr.msg_iov = &parts[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  sendmmsg (f->fd, messages, n, MSG_DONTWAIT);
  f->sent += n;
}

static inline gpointer
flood_run (gpointer data)
{
  Flood *f = (Flood *) data;
  gint64 start = g_get_monotonic_time ();
  const guint64 most = f->rate / 50; /* at once */
  guint64 missed = 0;

  while (!g_atomic_int_get (&f->stop)) {
    guint64 due;

    f->elapsed = g_get_monotonic_time () - start;
    due = (guint64) f->elapsed * f->rate / G_USEC_PER_SEC - missed;
    if (due > f->sent + most) {
      missed += due - f->sent - most;
      due = f->sent + most;
    }
    while (f->sent < due)
      flood_batch (f, (guint) MIN (due - f->sent, FLOOD_BATCH));
    if (f->also)
      f->also (f->data);
    g_usleep (500);
  }
  f->cpu = flood_cpu (CLOCK_THREAD_CPUTIME_ID);
  return NULL;
}

static inline void
flood_start (Flood *f)
{
  f->thread = g_thread_new ("flood", flood_run, f);
}

static inline void
flood_stop (Flood *f)
{
  g_atomic_int_set (&f->stop, TRUE);
  g_thread_join (f->thread);
}

/* What the process holds, MB, of what it may share, too. */
static inline gdouble
flood_rss (void)
{
  g_autofree gchar *text = NULL;
  guint64 pages = 0;
  gchar *at;

  if (!g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    return 0;
  g_ascii_strtoull (text, &at, 10);
  pages = g_ascii_strtoull (at, NULL, 10);
  return (gdouble) pages * (gdouble) sysconf (_SC_PAGESIZE) / 1e6;
}
