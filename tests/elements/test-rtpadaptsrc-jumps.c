/* rtpadaptsrc: RTP sequence numbers that jump.  The attacker forges the peer's
 * address and knows the SSRC.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../trust/trust.h"
#include "src-fixture.h"
#include "../rows.h"

#define BRANCH "identity" RECEIVER_OUT
#define SSRC 0x0f0f0f0f
#define AFTER 100 /* packets of the stream, 10 ms apart, after the attack */
/* The same after an attack that confirms its jumps, two of which count per second. */
#define AFTER_PAIRS 1000

typedef struct
{
  Receiver receiver;
  gint fd;
  guint seq;    /* of the stream */
  guint64 said; /* packets, of the attacker, too */
} World;

/* The bytes of trust.md A7: a header, with or without a number, and a slice. */
static void
say (World *w, guint seq, gboolean numbered)
{
  guint8 p[SRC_RTP_SIZE];
  guint32 timestamp = w->seq * 3000 + (seq != w->seq) * 3000;
  gsize size
      = src_rtp (p, TRUE, seq, timestamp, SSRC, numbered ? (guint16) seq : -1);

  udp_say (w->fd, "127.0.0.1", (guint) w->receiver.port, 0, p, size);
  w->said++;
}

static void
stream (World *w, guint n)
{
  for (guint i = 0; i < n; i++) {
    say (w, w->seq++, TRUE);
    g_usleep (10000);
  }
}

/* The receiver has read all but the last few packets. */
static gboolean
is_read (World *w)
{
  GstElement *src = w->receiver.src;

  return stat_of (src, "udp/packets") + stat_of (src, "udp/kernel-drops") + 5
      >= w->said;
}

/* --- the attacks -------------------------------------------------------- */

static void
one_ahead (World *w)
{
  say (w, w->seq + 2500, FALSE);
}

static void
burst (World *w)
{
  for (guint i = 1; i <= 47; i++)
    say (w, w->seq + i * 2999, FALSE);
}

/* As many as 3 s of 1,000 a second, beside the stream. */
static void
sweep (World *w)
{
  for (guint i = 1; i <= 3000; i++) {
    say (w, w->seq + i * 2999, TRUE);
    if (i % 20 == 0)
      stream (w, 1);
  }
}

/* Each jump is confirmed. */
static void
pairs (World *w)
{
  for (guint i = 1; i <= 200; i++) {
    say (w, w->seq + i * 2999, TRUE);
    say (w, w->seq + i * 2999 + 1, TRUE);
    stream (w, 1);
  }
}

/* As far as is believed at once. */
static void
steps (World *w)
{
  for (guint i = 1; i <= 3000; i++) {
    say (w, w->seq + i * 100, TRUE);
    if (i % 50 == 0)
      g_usleep (1000);
  }
}

/* RFC 4588 4: the payload of `pt` begins with the number of what is sent again. */
static void
repeat (World *w, guint pt, guint n, guint number)
{
  guint8 p[SRC_RTP_SIZE];
  gsize size = src_rtp (p, FALSE, n, w->seq * 3000, 0x0e0e0e0e, -1);

  p[1] = (guint8) pt;
  ra_put_u16 (p + 12, number);
  memset (p + 14, 0, size - 14);
  p[14]
      = 1; /* of a repair packet: the version; one media packet, one of repair */
  ra_put_u16 (p + 18, number - 1); /* and that media packet */
  udp_say (w->fd, "127.0.0.1", (guint) w->receiver.port, 0, p, size);
  w->said++;
}

#define REPEATS 150

/* One packet is missing, so that the receiver asks for it.  rtprtxreceive then believes the
 * SSRC that sends it. */
static void
repeats (World *w, guint pt)
{
  guint missing = w->seq++;

  stream (w, 15);
  repeat (w, 121, 0, missing);
  for (guint i = 1; i <= REPEATS; i++) {
    repeat (w, pt, i, w->seq + 2500);
    stream (w, 1);
  }
}

static void
repeats_of_media (World *w)
{
  repeats (w, 121);
}

static void
repeats_of_repair (World *w)
{
  repeats (w, 119);
}

static const struct
{
  const gchar *name;
  void (*attack) (World *w);
  guint after; /* packets of the stream, of which AFTER / 4 come out */
  gint
      during; /* that come out before, and of the attack's are dropped, at least */
} rows[] = {
  { "one packet, + 2,500", one_ahead, AFTER, 0 },
  { "47 packets, + 2,999 each", burst, AFTER, 0 },
  { "3,000 packets, + 2,999 each", sweep, AFTER, 0 },
  { "200 pairs, + 2,999 each", pairs, AFTER_PAIRS, 0 },
  { "3,000 packets, + 100 each", steps, AFTER, 0 },
  { "150 repeats, + 2,500 each", repeats_of_media, AFTER, REPEATS / 2 },
  { "150 repeats of repair packets, + 2,500 each", repeats_of_repair, AFTER,
      REPEATS / 2 },
};

/* --- the test ----------------------------------------------------------- */

typedef struct
{
  GThread *thread;
  gint done; /* atomic */
  GstElement *pipeline;
} Stop;

static gpointer
stop_run (gpointer data)
{
  Stop *s = data;

  gst_element_set_state (s->pipeline, GST_STATE_NULL);
  g_atomic_int_set (&s->done, TRUE);
  return NULL;
}

/* The packets of the second after the attack come out, a quarter at least, and the
 * change to NULL returns. */
static void
test_jump (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data), port, began_at;
  g_autofree gchar *name = g_strdup_printf ("7 seq jumps, %s", rows[row].name);
  World w = { .fd = udp_socket ("127.0.0.1", &port), .seq = 1000 };
  Receiver *t = &w.receiver;
  Stop s = { 0 };
  gint64 began;
  gint before, first;

  receiver_open (t, "pt-map=96=VP8/90000", BRANCH);
  stream (&w, 50);
  WAIT_UNTIL (t->bus, g_atomic_int_get (&t->frames[0]) >= 30);
  first = g_atomic_int_get (&t->frames[0]);
  rows[row].attack (&w);
  /* A loaded machine reads them late; until then the kernel drops the stream.  A packet
   * that is read says how many were dropped before it. */
  WAIT_UNTIL (t->bus, (stream (&w, 1), is_read (&w)));
  before = g_atomic_int_get (&t->frames[0]);
  began_at = w.seq;
  g_assert_cmpint (before - first, >=, rows[row].during);
  g_assert_cmpuint (stat_of (t->src, "jumped"), >=, (guint64) rows[row].during);
  for (guint i = 0; i < rows[row].after
       && g_atomic_int_get (&t->frames[0]) < before + AFTER / 4;
       i += 10)
    stream (&w, 10);
  WAIT_UNTIL (t->bus, g_atomic_int_get (&t->frames[0]) >= before + AFTER / 4);

  s.pipeline = t->pipeline;
  began = g_get_monotonic_time ();
  s.thread = g_thread_new ("stop", stop_run, &s);
  WAIT_UNTIL (t->bus, g_atomic_int_get (&s.done));
  g_thread_join (s.thread);
  trust_row ("attack", name,
      "the picture goes on in the second after it, and NULL returns", TRUE,
      "%d packets came out, %u were sent, NULL took %.1f s",
      g_atomic_int_get (&t->frames[0]) - before, w.seq - began_at,
      (gdouble) (g_get_monotonic_time () - began) / G_USEC_PER_SEC);
  receiver_end (t);
  close (w.fd);
}

void
tests_add (void)
{
  rows_add_by ("/src/jumps", rows, name, test_jump);
}
