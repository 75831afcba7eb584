/* What do we add to what a chain decides?
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each packet has the time when it was sent on it; the kernel of the receiver
 * notes when it came.
 *   late     all of that time which the chain had not decided: the packet was
 *            read late, or written late
 *   behind   after the time that the chain, in virtual time, has for packets
 *            that enter when they were sent: a bottleneck that one of them
 *            reached late is busy for longer, so that others are late, too
 *   machine  a process that does nothing but sleep, at the same time and with
 *            the same priority, wakes up late
 */
#include "selftest.h"

#include "histogram.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* A goal of this project: 50 Mb/s and 5,000 packets/s. */
#define RATE 5000
#define SIZE 1250
#define HEADERS 28 /* of IPv4 and UDP */
#define PORT 5004
#define READY_WAIT_MS 5000
#define SLEEP RA_MSECOND

typedef struct
{
  RaTime sent, ideal, received; /* CLOCK_REALTIME, as the kernel's stamps */
  RaSpan inside;                /* as the chain decided */
} Stamp;

typedef struct
{
  guint32 seq;
  RaTime sent;
} Payload;

struct _LinkSelfTest
{
  LinkConfig cfg;
  const gchar *from, *to;
  guint n;
  gsize bytes;
  /* all of it in memory that the processes share with us: */
  gint ready;            /* the receiver listens */
  LinkHistogram machine; /* who only sleeps */
  Stamp stamps[];
};

static RaTime
clock_read (clockid_t clock)
{
  struct timespec t;

  clock_gettime (clock, &t);
  return (RaTime) t.tv_sec * RA_SECOND + (RaTime) t.tv_nsec;
}

static gint
udp_socket (const gchar *address, gint port, gboolean own)
{
  struct sockaddr_in in = { .sin_family = AF_INET };
  gint fd = socket (AF_INET, SOCK_DGRAM, 0);
  gpointer any = &in;

  in.sin_port = htons ((guint16) port);
  inet_pton (AF_INET, address, &in.sin_addr);
  return (own ? bind (fd, any, sizeof in) : connect (fd, any, sizeof in)) == 0
      ? fd
      : -1;
}

static gboolean
wait_until (RaTime t)
{
  struct timespec at = { (time_t) (t / RA_SECOND), (long) (t % RA_SECOND) };

  return clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == 0;
}

static int
self_send (gpointer data)
{
  LinkSelfTest *t = data;
  guint8 bytes[SIZE - HEADERS] = { 0 };
  gint fd = udp_socket (t->to, PORT, FALSE);
  RaTime start;

  for (guint i = 0; i < READY_WAIT_MS && !g_atomic_int_get (&t->ready); i++)
    g_usleep (1000);
  link_realtime_enter (); /* nobody comes between the clock and send() */
  start = clock_read (CLOCK_MONOTONIC);
  for (guint i = 0; i < t->n; i++) {
    Payload payload = { .seq = i };

    wait_until (start + (RaTime) i * (RA_SECOND / RATE));
    payload.sent = clock_read (CLOCK_REALTIME);
    memcpy (bytes, &payload, sizeof payload);
    if (send (fd, bytes, sizeof bytes, 0) != sizeof bytes)
      return 1;
    t->stamps[i].sent = payload.sent;
  }
  g_usleep (200000); /* the last ones are on their way */
  return 0;
}

/* When the kernel got it. */
static RaTime
stamp_of (struct msghdr *message)
{
  struct timespec at;

  for (struct cmsghdr *c = CMSG_FIRSTHDR (message); c;
       c = CMSG_NXTHDR (message, c)) {
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
      memcpy (&at, CMSG_DATA (c), sizeof at);
      return (RaTime) at.tv_sec * RA_SECOND + (RaTime) at.tv_nsec;
    }
  }
  return clock_read (CLOCK_REALTIME);
}

/* Until a signal ends it. */
static int
self_receive (gpointer data)
{
  LinkSelfTest *t = data;
  gint fd = udp_socket (t->to, PORT, TRUE), yes = 1, room = 1 << 22;

  setsockopt (fd, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof yes);
  setsockopt (fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
  g_atomic_int_set (&t->ready, 1);
  for (;;) {
    guint8 control[256];
    Payload payload = { 0 };
    struct iovec part = { &payload, sizeof payload };
    struct msghdr message = { .msg_iov = &part,
      .msg_iovlen = 1,
      .msg_control = control,
      .msg_controllen = sizeof control };

    if (recvmsg (fd, &message, 0) < 0)
      return 1;
    if (payload.seq < t->n)
      t->stamps[payload.seq].received = stamp_of (&message);
  }
}

/* Until a signal ends it. */
static int
self_sleep (gpointer data)
{
  LinkSelfTest *t = data;
  RaTime at = clock_read (CLOCK_MONOTONIC);

  link_realtime_enter ();
  for (; wait_until (at); at += SLEEP)
    link_histogram_add (
        &t->machine, ra_diff (clock_read (CLOCK_MONOTONIC), at));
  return 1;
}

static void
on_delivered (const LinkPacket *p, RaTime now, gpointer data)
{
  LinkSelfTest *t = data;
  Payload payload;

  if (p->size != SIZE || p->headers.key.port != PORT)
    return;
  memcpy (&payload, p->bytes + HEADERS, sizeof payload);
  if (payload.seq < t->n)
    t->stamps[payload.seq].inside = ra_diff (now, p->in);
}

LinkSelfTest *
link_self_test_new (LinkConfig *cfg, gdouble seconds)
{
  guint n = (guint) (seconds * RATE);
  gsize bytes = sizeof (LinkSelfTest) + n * sizeof (Stamp);
  LinkSelfTest *t = mmap (
      NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

  if (t == MAP_FAILED)
    g_error ("no memory for %g s", seconds);
  cfg->delivered = on_delivered;
  cfg->data = t;
  t->cfg = *cfg;
  t->n = n;
  t->bytes = bytes;
  return t;
}

void
link_self_test_free (LinkSelfTest *t)
{
  munmap (t, t->bytes);
}

void
link_self_test_jobs (
    LinkSelfTest *t, LinkJob jobs[LINK_SELF_TEST_JOBS], const LinkHost *hosts)
{
  t->to = hosts[1].address;
  jobs[0] = (LinkJob){ .host = 0, .function = self_send, .data = t };
  jobs[1] = (LinkJob){ .host = 1, .function = self_receive, .data = t };
  jobs[2] = (LinkJob){ .host = 1, .function = self_sleep, .data = t };
}

static void
ideal_deliver (const RaLinkPacket *p, RaTime now, gpointer data)
{
  LinkSelfTest *t = data;

  t->stamps[p->seq].ideal = now;
}

static void
ideal_drop (const RaLinkPacket *p, RaCause cause, const gchar *node, RaTime now,
    gpointer data)
{
}

/* When each packet should have come, by the times when they were sent. */
static void
ideal_fill (LinkSelfTest *t)
{
  static const RaLinkSink sink
      = { ideal_deliver, ideal_drop, NULL, g_file_get_contents };
  RaLink *link = ra_link_parse (t->cfg.there, t->cfg.seed, &sink, t, NULL);

  for (guint i = 0; i < t->n && t->stamps[i].sent; i++) {
    RaLinkPacket p = { .seq = i, .size = SIZE };

    ra_link_push (link, &p, t->stamps[i].sent);
  }
  ra_link_run (link, RA_TIME_NONE - 1);
  ra_link_free (link);
}

gchar *
link_self_test_result (LinkSelfTest *t, const gchar *self)
{
  g_autofree LinkHistogram *late = g_new0 (LinkHistogram, 1);
  g_autofree LinkHistogram *behind = g_new0 (LinkHistogram, 1);
  GString *out = g_string_new (NULL);
  guint sent = 0, received = 0;

  ideal_fill (t);
  for (guint i = 0; i < t->n; i++) {
    const Stamp *s = &t->stamps[i];

    sent += s->sent != 0;
    received += s->received != 0;
    if (!s->sent || !s->received || !s->ideal)
      continue;
    link_histogram_add (late, ra_diff (s->received, s->sent) - s->inside);
    link_histogram_add (behind, ra_diff (s->received, s->ideal));
  }
  g_string_append_printf (out,
      "{\"self_test\": {\"packets_per_s\": %d, \"bps\": %d, \"sent\": %u, "
      "\"received\": %u, ",
      RATE, RATE * SIZE * 8, sent, received);
  link_histogram_append (late, "late_ms", out);
  g_string_append (out, ", ");
  link_histogram_append (behind, "behind_ms", out);
  g_string_append (out, ", ");
  link_histogram_append (&t->machine, "machine_ms", out);
  g_string_append_printf (out, "}, \"self\": %s}", self);
  return g_string_free (out, FALSE);
}
