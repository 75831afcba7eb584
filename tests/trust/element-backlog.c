/* rtpadaptsend behind an encoder that ignores its bitrate: what the pacer lets
 * go, how long a packet waits, what is dropped, and what is left when the
 * encoder obeys again.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * At 960 kbit/s a packet of 1,200 bytes takes 10 ms: a frame of 4 packets each
 * 40 ms is what the encoder is told, whatever it does.
 */
#include "send-fixture.h"

#include "trust.h"
#include "../rows.h"

#include <string.h>

#define RATE 960000
#define CONFIG "controller=fixed start-bitrate=960000 circuit-breakers=false"
#define SIZE (HEADER + PAYLOAD)
#define PACKET (10 * GST_MSECOND)
#define FRAME (40 * GST_MSECOND)
#define BACKLOG (250 * GST_MSECOND) /* max-backlog's default */
#define BURST (1 * GST_MSECOND)     /* burst's */
#define FRAMES 125                  /* 5 s */

/* A stream of frames. */
typedef struct
{
  Send s;
  guint n;                 /* packets of each frame */
  GstClockTime in[65536];  /* when a packet came in */
  guint left[FRAMES * 4];  /* packets of a frame that came out */
  guint frame;             /* so far */
  guint first[FRAMES * 4]; /* number of its first packet */
  guint out;               /* packets that left */
  GstClockTime longest;    /* from in to out */
  gint64 backlog;          /* the longest, in time */
} Stream;

static void
take_out (Stream *x)
{
  GstClockTime now = time_now (&x->s);
  guint16 seq = pull_packet (&x->s);
  guint frame = x->frame;

  while (x->first[frame] > seq)
    frame--;
  x->left[frame]++;
  x->longest = MAX (x->longest, now - x->in[seq]);
  x->out++;
}

/* Came in, were not dropped, and did not come out. */
static guint
pending (Stream *x)
{
  return x->s.seq - (guint) stat (&x->s, "dropped") - x->out;
}

/* The task has pushed a packet, or waits for the time of the next: no later than
 * one takes, where that of a timer is. */
static gboolean
is_settled (Stream *x)
{
  GstTestClock *clock = x->s.clock;

  if (gst_harness_buffers_in_queue (x->s.h) > 0)
    return TRUE;
  return gst_test_clock_peek_id_count (clock) > 0
      && gst_test_clock_get_next_entry_time (clock)
      <= time_now (&x->s) + PACKET + GST_USECOND;
}

/* Until `end` whatever is due leaves. */
static void
flow (Stream *x, GstClockTime end)
{
  while (pending (x) > 0) {
    wait_until (is_settled (x));
    if (gst_harness_buffers_in_queue (x->s.h) > 0)
      take_out (x);
    else if (gst_test_clock_get_next_entry_time (x->s.clock) <= end)
      crank (&x->s);
    else
      break;
  }
  gst_test_clock_set_time (x->s.clock, end);
}

static void
play (Stream *x, guint n, guint frames)
{
  for (guint i = 0; i < frames; i++) {
    GstClockTime end = time_now (&x->s) + FRAME;

    x->frame++;
    x->first[x->frame] = x->s.seq;
    for (guint k = 0; k < n; k++)
      x->in[(guint16) (x->s.seq + k)] = time_now (&x->s);
    push_frame (&x->s, 3000 * x->frame, n);
    x->backlog = MAX (x->backlog, stat (&x->s, "backlog"));
    flow (x, end);
  }
}

/* Frames of which some packets left, and not all. */
static guint
partial (const Stream *x, guint n)
{
  guint sum = 0;

  for (guint i = 1; i <= x->frame; i++)
    sum += x->left[i] > 0 && x->left[i] < n;
  return sum;
}

/* `bound`: a frame that begins while 250 ms wait is taken as a whole, up to
 * four times as much, and one packet (backlog.h). */
static const struct
{
  const gchar *name;
  guint n; /* packets in a frame */
  GstClockTime bound;
  gboolean whole; /* no frame is cut */
  const gchar *why;
} rows[] = {
  { "encoder keeps 1.25 x its bitrate: backlog", 5, BACKLOG + 5 * PACKET, TRUE,
      "250 + 50 ms" },
  { "encoder keeps 2 x its bitrate: backlog", 8, BACKLOG + 8 * PACKET, TRUE,
      "250 + 80 ms" },
  { "encoder keeps 10 x its bitrate: backlog", 40, BACKLOG + 40 * PACKET, TRUE,
      "250 + 400 ms" },
  { "encoder keeps 50 x its bitrate: backlog", 200, 4 * BACKLOG + PACKET, FALSE,
      "cut beyond 1 s" },
};

static void
test_excess (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data), n = rows[row].n, kept = 0;
  g_autofree Stream *x = g_new0 (Stream, 1);
  g_autofree gchar *promise = NULL;
  gdouble most, rate;
  guint cut;

  g_test_message ("%s", rows[row].why);
  x->s = send_new (CONFIG);
  play (x, n, FRAMES);
  /* What leaves in t: rate * (t + burst) + one packet (pacer.h). */
  most = (RATE / 8. * (FRAMES * FRAME + BURST) / GST_SECOND + SIZE) / SIZE;
  rate = (gdouble) x->out * SIZE * 8 / (FRAMES * .04);
  flow (x, time_now (&x->s) + rows[row].bound + PACKET);
  g_assert_cmpuint (pending (x), ==, 0);
  cut = partial (x, n);
  for (guint i = 1; i <= x->frame; i++)
    kept += x->left[i] > 0;
  promise = g_strdup_printf ("never above the rate and a packet; no packet "
                             "waits longer than %" G_GUINT64_FORMAT " ms%s",
      rows[row].bound / GST_MSECOND,
      rows[row].whole ? "; frames leave whole or not at all" : "");
  trust_row ("fault", rows[row].name, promise,
      rate * FRAMES * .04 / 8 / SIZE <= most
          && x->longest <= rows[row].bound + BURST
          && (GstClockTime) x->backlog <= rows[row].bound
          && (cut == 0 || !rows[row].whole),
      "%.3f x the rate, at most %" G_GUINT64_FORMAT
      " ms, %u of %u frames, %u cut",
      rate / RATE, x->longest / GST_MSECOND, kept, FRAMES, cut);
  send_free (&x->s);
}

/* 330 ms wait at most.  Frames of 3 packets each 40 ms leave 10 ms of each for
 * what waits: 33 frames, 1.32 s, and then nothing waits that is not of the frame
 * itself. */
static void
test_obeys (void)
{
  g_autofree Stream *x = g_new0 (Stream, 1);
  gint64 dropped, backlog;

  x->s = send_new (CONFIG);
  play (x, 8, FRAMES);
  play (x, 3, 34);
  dropped = stat (&x->s, "dropped");
  backlog = stat (&x->s, "backlog");
  play (x, 3, FRAMES);
  trust_row ("fault", "encoder obeys again: backlog",
      "empty 1.4 s after it makes 3/4 of its bitrate, nothing dropped after",
      backlog == 0 && stat (&x->s, "dropped") == dropped,
      "%.0f ms wait; %.0f packets dropped", (gdouble) backlog / GST_MSECOND,
      (gdouble) (stat (&x->s, "dropped") - dropped));
  send_free (&x->s);
}

void
tests_add (void)
{
  rows_add ("/backlog/excess", rows, test_excess);
  g_test_add_func ("/backlog/obeys", test_obeys);
}
