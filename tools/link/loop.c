/* Both directions of a path, in real time: one thread that sleeps until a
 * packet comes or a model has something to do.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "loop.h"

#include "end.h"
#include "histogram.h"

#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define BATCH 64 /* packets of one direction before the other has its turn */
#define PACKET_MAX 65535

typedef struct
{
  LinkLoop *loop;
  RaLink *link;
  gboolean back;
  gboolean limited; /* some model has a rate */
  gint from, to;
} Path;

struct _LinkLoop
{
  LinkConfig cfg;
  Path paths[2];
  LinkHistogram late;
  LinkLog *log;
  RaTime start, tick;
  guint64 missed; /* packets, not the models' doing */
  gboolean realtime;
  guint8 bytes[PACKET_MAX];
};

static RaTime
clock_now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (RaTime) t.tv_sec * RA_SECOND + (RaTime) t.tv_nsec;
}

static void
on_deliver (const RaLinkPacket *p, RaTime now, gpointer data)
{
  Path *path = data;
  const LinkConfig *cfg = &path->loop->cfg;
  LinkPacket *packet = p->data;
  gssize written = write (path->to, packet->bytes, packet->size);
  gboolean taken = written == (gssize) packet->size;

  if (taken)
    link_histogram_add (&path->loop->late, ra_diff (clock_now (), now));
  else
    path->loop->missed++;
  if (cfg->delivered)
    cfg->delivered (packet, now, cfg->data);
  link_log_left (path->loop->log, packet,
      taken ? LINK_FATE_OUT : LINK_FATE_DISCARDED, NULL,
      taken ? now : RA_TIME_NONE, p->queued);
  g_free (packet);
}

static void
on_drop (const RaLinkPacket *p, RaCause cause, const gchar *node, RaTime now,
    gpointer data)
{
  Path *path = data;

  link_log_left (path->loop->log, p->data,
      cause == RA_CAUSE_CONGESTION ? LINK_FATE_CONGESTION : LINK_FATE_WIRELESS,
      node, RA_TIME_NONE, p->queued);
  g_free (p->data);
}

static void
on_discard (const RaLinkPacket *p, gpointer data)
{
  Path *path = data;

  link_log_left (path->loop->log, p->data, LINK_FATE_DISCARDED, NULL,
      RA_TIME_NONE, p->queued);
  g_free (p->data);
}

static void
on_observe (const gchar *name, gdouble value, gpointer data)
{
  gboolean *limited = data;

  *limited = *limited || g_str_has_suffix (name, ".rate");
}

static gboolean
path_init (Path *path, LinkLoop *l, gboolean back, GError **error)
{
  static const RaLinkSink sink
      = { on_deliver, on_drop, on_discard, g_file_get_contents };

  path->loop = l;
  path->back = back;
  /* The two directions' losses know nothing of each other. */
  path->link = ra_link_parse (back ? l->cfg.back : l->cfg.there,
      back ? ~l->cfg.seed : l->cfg.seed, &sink, path, error);
  if (!path->link) {
    g_prefix_error (error, "--%s: ", back ? "back" : "there");
    return FALSE;
  }
  ra_link_observe (path->link, on_observe, &path->limited);
  return TRUE;
}

LinkLoop *
link_loop_new (const LinkConfig *cfg, GError **error)
{
  LinkLoop *l = g_new0 (LinkLoop, 1);

  l->cfg = *cfg;
  for (guint i = 0; i < G_N_ELEMENTS (l->paths); i++) {
    if (!path_init (&l->paths[i], l, i == 1, error)) {
      link_loop_free (l);
      return NULL;
    }
  }
  return l;
}

void
link_loop_free (LinkLoop *l)
{
  for (guint i = 0; i < G_N_ELEMENTS (l->paths); i++)
    ra_link_free (l->paths[i].link);
  g_free (l);
}

static void
packet_enter (Path *path, gsize size)
{
  LinkLoop *l = path->loop;
  LinkPacket *p = g_malloc (sizeof *p + size);
  RaLinkPacket entering = { 0 };

  memcpy (p->bytes, l->bytes, size);
  link_headers_read (&p->headers, p->bytes, size, path->back);
  p->flow = link_log_flow (l->log, &p->headers.key);
  p->in = clock_now ();
  p->size = (guint) size;
  link_log_entered (l->log, p);
  entering.seq = l->log->entered;
  entering.flow = p->flow->id;
  entering.size = p->size;
  entering.mark = p->headers.mark;
  entering.data = p;
  ra_link_push (path->link, &entering, p->in);
}

/* What waits; not all of it if it is more than `most` packets. */
static void
path_read (Path *path, guint most)
{
  LinkLoop *l = path->loop;

  for (guint i = 0; i < most; i++) {
    gssize size = read (path->from, l->bytes, sizeof l->bytes);

    if (size <= 0)
      return;
    packet_enter (path, (gsize) size);
  }
}

static void
interval_end (LinkLoop *l, RaTime now)
{
  for (guint i = 0; i < G_N_ELEMENTS (l->paths); i++) {
    Path *path = &l->paths[i];
    gdouble capacity = -1;

    ra_link_run (path->link, now);
    if (path->limited)
      capacity = (gdouble) ra_link_capacity (path->link, now);
    link_log_interval (
        l->log, ra_seconds (ra_diff (now, l->start)), path->back, capacity);
  }
}

/* All that is due. */
static void
loop_turn (LinkLoop *l, RaTime now)
{
  for (; l->tick <= now; l->tick += (RaTime) l->cfg.interval)
    interval_end (l, l->tick);
  for (guint i = 0; i < G_N_ELEMENTS (l->paths); i++)
    ra_link_run (l->paths[i].link, now);
}

/* Sleeps until a packet comes, something is due, or somebody says something;
 * reads what came.  TRUE: link_end_reached() may have changed its mind. */
static gboolean
loop_wait (LinkLoop *l, const LinkEnd *end)
{
  struct pollfd fds[] = {
    { l->paths[0].from, POLLIN, 0 },
    { l->paths[1].from, POLLIN, 0 },
    { end->signals, POLLIN, 0 },
    { end->jobs->control, POLLIN, 0 },
  };
  RaTime next = MIN (l->tick, end->until), now = clock_now ();
  struct timespec span;

  for (guint i = 0; i < G_N_ELEMENTS (l->paths); i++)
    next = MIN (next, ra_link_next (l->paths[i].link));
  next = next > now ? next - now : 0;
  span.tv_sec = (time_t) (next / RA_SECOND);
  span.tv_nsec = (long) (next % RA_SECOND);
  if (ppoll (fds, G_N_ELEMENTS (fds), &span, NULL) < 0)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (l->paths); i++) {
    if (fds[i].revents)
      path_read (&l->paths[i], BATCH);
  }
  return fds[2].revents || fds[3].revents || clock_now () >= end->until;
}

/* As far as we may.  Only what is in memory now is locked: with all that will
 * be, an allocation above RLIMIT_MEMLOCK would fail. */
gboolean
link_realtime_enter (void)
{
  struct sched_param param = { .sched_priority = 10 };
  gboolean first
      = sched_setscheduler (0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) == 0;

  prctl (PR_SET_TIMERSLACK, 1);
  return mlockall (MCL_CURRENT) == 0 && first;
}

gint
link_loop_run (
    LinkLoop *l, const LinkHost hosts[LINK_HOSTS], LinkJobs *jobs, LinkLog *log)
{
  LinkEnd end;

  l->log = log;
  l->paths[0].from = l->paths[1].to = hosts[0].tun;
  l->paths[0].to = l->paths[1].from = hosts[1].tun;
  l->realtime = link_realtime_enter ();
  l->start = clock_now ();
  l->tick = l->start + (RaTime) l->cfg.interval;
  link_log_header (log, l->cfg.there, l->cfg.back, l->cfg.seed,
      ra_seconds (l->cfg.interval), l->start);
  link_end_init (&end, jobs, l->start, l->cfg.seconds);
  link_jobs_start (jobs);
  while (!loop_wait (l, &end) || !link_end_reached (&end, clock_now ()))
    loop_turn (l, clock_now ());
  for (guint i = 0; i < G_N_ELEMENTS (l->paths); i++)
    path_read (&l->paths[i], LINK_HOST_QUEUE); /* was sent before the end */
  interval_end (l, clock_now ());
  for (guint i = 0; i < G_N_ELEMENTS (l->paths); i++)
    ra_link_clear (l->paths[i].link);
  for (guint i = 0; i < LINK_HOSTS; i++)
    l->missed += link_host_missed (&hosts[i]);
  link_end_clear (&end);
  return link_end_status (&end);
}

gchar *
link_loop_self (const LinkLoop *l)
{
  const guint64 *fates = l->log->fates;
  struct rusage used;
  GString *out = g_string_new (NULL);

  getrusage (RUSAGE_SELF, &used);
  g_string_append_printf (out,
      "{\"packets\": %" G_GUINT64_FORMAT ", \"out\": %" G_GUINT64_FORMAT
      ", \"congestion\": %" G_GUINT64_FORMAT
      ", \"wireless\": %" G_GUINT64_FORMAT ", \"discarded\": %" G_GUINT64_FORMAT
      ", \"missed\": %" G_GUINT64_FORMAT ", ",
      l->log->entered, fates[LINK_FATE_OUT], fates[LINK_FATE_CONGESTION],
      fates[LINK_FATE_WIRELESS], fates[LINK_FATE_DISCARDED], l->missed);
  link_histogram_append (&l->late, "late_ms", out);
  g_string_append_printf (out, ", \"cpu_s\": %.3f, \"realtime\": %s}",
      (gdouble) (used.ru_utime.tv_sec + used.ru_stime.tv_sec)
          + 1e-6 * (gdouble) (used.ru_utime.tv_usec + used.ru_stime.tv_usec),
      l->realtime ? "true" : "false");
  return g_string_free (out, FALSE);
}
