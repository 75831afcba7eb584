/* rtpadaptsend under 100,000 feedback packets a second, in virtual time: the
 * media leave when they would have left, and each report is taken once.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../elements/send-twcc.h"
#include "../rows.h"
#include "flood-rtcp.h"
#include "trust.h"

#include <gst/rtpadapt/feedback/ccfbfci.h>
#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/feedback/tfrcfb.h>
#include <time.h>

#define MS GST_MSECOND
#define FRAME (40 * MS)
#define FRAMES 10
#define PER_FRAME 6
/* Behind each frame of 40 ms. */
#ifdef __SANITIZE_ADDRESS__ /* which unwinds the stack for each allocation */
#define PER_FLOOD 200
#define A_SECOND "5,000"
#else
#define PER_FLOOD 4000
#define A_SECOND "100,000"
#endif

/* The way of feedback. */
typedef enum
{
  TFRC,
  CCFB,
  TWCC,
  N_MODES
} Mode;

static const struct
{
  const gchar *nick, *caps;
} modes[N_MODES] = {
  [TFRC] = { "tfrc", CAPS EXT_SEND_TS },
  [CCFB] = { "ccfb", CAPS },
  [TWCC] = { "twcc", CAPS EXT_TWCC },
};

/* --- reports -------------------------------------------------------------- */

static GstClockTime
sent_at (const Pair *p, guint i)
{
  return g_array_index (p->send.times, GstClockTime, i);
}

/* As rtpadaptsend wrote it on packet i: its time began with the harness. */
static guint32
stamp (const Pair *p, guint i)
{
  return ra_stamp_us (sent_at (p, i) - START);
}

static void
put_feedback (Rtcp *r, guint fmt, guint32 about, const guint8 *fci, gsize size)
{
  put_head (r, fmt, 205, 12 + (guint) size);
  put (r, 4, PEER);
  put (r, 4, about);
  memcpy (r->data + r->len, fci, size);
  r->len += (guint) size;
}

static void
put_mode_tfrc (const Pair *p, Rtcp *r, guint last)
{
  guint8 fci[RA_TFRC_FB_SIZE];
  const RaTfrcFb fb = { .t_i = stamp (p, last), .x_recv = 1000000 };

  ra_tfrc_fb_write (&fb, fci, sizeof fci);
  put_feedback (r, RA_TFRC_FB_FMT, SSRC, fci, sizeof fci);
}

/* The frame that ends with packet `last`; all of it arrived. */
static void
put_mode_ccfb (const Pair *p, Rtcp *r, guint last)
{
  RaTime rts = sent_at (p, last) + OWD;
  RaCcfbPacket rows[PER_FRAME];
  const RaCcfbBlock block = { .ssrc = SSRC,
    .begin_seq = (guint16) (last + 1 - PER_FRAME),
    .n = PER_FRAME,
    .packets = rows };
  guint32 media;
  guint8 fci[100];
  gsize size;

  for (guint i = 0; i < PER_FRAME; i++)
    rows[i] = (RaCcfbPacket){ .received = TRUE,
      .ato = ra_ccfb_ato (rts, sent_at (p, last + 1 - PER_FRAME + i) + OWD) };
  size = ra_ccfb_write (ra_stamp_ntp (rts), &block, 1, &media, fci, sizeof fci);
  g_assert_cmpuint (size, >, 0);
  put_feedback (r, RA_CCFB_FMT, SSRC, fci, size);
}

/* rtpsession's own work on transport-wide feedback is not bounded, but by
 * rtpadaptsink's gate before it (wire/sources.h): here are the events that it
 * makes of it. */
static void
tell_twcc (Pair *p, guint last)
{
  feedback (&p->send, last + 1 - PER_FRAME, last + 1, 0, NULL);
}

static void
tell_twcc_bad (Pair *p, guint last, guint i, GRand *dice)
{
  GValueArray *rows = rows_new ();

  switch (i % 4) {
    case 0: /* the same again */
      tell_twcc (p, last);
      break;
    case 1: /* of numbers that were never sent */
      feedback (&p->send, last + 1 - PER_FRAME, last + 1, 1000, NULL);
      break;
    case 2: /* all was lost */
      for (guint k = 0; k < 20; k++)
        twcc_row_add (rows, k, GST_CLOCK_TIME_NONE, 0, LOST);
      break;
    default: /* noise */
      for (guint k = 0; k < PER_FRAME; k++)
        twcc_row_add (rows, 0x8000 | g_rand_int (dice), GST_CLOCK_TIME_NONE,
            g_rand_int (dice) & 0xffff, g_rand_int (dice));
      break;
  }
  rows_push (&p->send, rows);
}

/* What an honest receiver says of the frame that ends with packet `last`. */
static void
put_report (const Pair *p, Mode mode, Rtcp *r, guint last)
{
  static void (*const put_mode[]) (const Pair *, Rtcp *, guint)
      = { put_mode_tfrc, put_mode_ccfb };

  put_rr (r, SSRC, 0, last, 0, 0);
  put_mode[mode](p, r, last);
}

/* --- a run ------------------------------------------------------------------ */

/* rtpadaptsend before a session that is set as rtpadaptsink sets it, or else that
 * is the one which takes the longer the more comes. */
static Pair
pair_bin (Mode mode)
{
  g_autofree gchar *properties = g_strdup_printf (
      "feedback=%s controller=tfrc lda=none start-bitrate=1500000",
      modes[mode].nick);
  Pair p = pair_new (properties, "avpf", modes[mode].caps);

  g_object_set (
      p.internal, "rtcp-feedback-retention-window", GST_CLOCK_TIME_NONE, NULL);
  return p;
}

static gint64
cpu_ns (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (gint64) t.tv_sec * RA_SECOND + t.tv_nsec;
}

typedef struct
{
  GArray *times; /* when the packets left */
  guint rate;
  gint64 taken;       /* reports */
  guint flood;        /* packets */
  gint64 cpu[FRAMES]; /* of each frame's flood, ns */
} Outcome;

/* The pacer's task and the session's RTCP thread wait. */
static gboolean
all_wait (Pair *p)
{
  return gst_test_clock_peek_id_count (p->send.clock) == 2;
}

static void
send_frame (Pair *p, guint frame)
{
  push_frame (&p->send, frame * 3600, PER_FRAME);
  for (guint i = 0; i < PER_FRAME; i++) {
    for (;;) {
      wait_until (gst_harness_buffers_in_queue (p->send.h) > 0 || all_wait (p));
      if (gst_harness_buffers_in_queue (p->send.h) > 0)
        break;
      crank (&p->send);
    }
    pull_packet (&p->send);
  }
  wait_until (all_wait (p));
}

/* The report on the frame that ends with packet `last`. */
static void
report (Pair *p, Mode mode, guint last, Rtcp *honest)
{
  if (mode == TWCC) {
    tell_twcc (p, last);
    return;
  }
  put_report (p, mode, honest, last);
  rtcp_push (p->rtcp, honest);
}

static void
flood (Pair *p, Mode mode, guint last, const Rtcp *honest, GRand *dice, guint n)
{
  Rtcp r;

  for (guint i = 0; i < n; i++) {
    if (mode == TWCC) {
      tell_twcc_bad (p, last, i, dice);
      continue;
    }
    flood_rtcp_make (honest, i, dice, &r);
    rtcp_push (p->rtcp, &r);
  }
}

static Outcome
run (Mode mode, guint per_flood)
{
  g_auto (Pair) p = pair_bin (mode);
  g_autoptr (GRand) dice = g_rand_new_with_seed (5);
  Outcome o = { .flood = FRAMES * per_flood };
  GstClockTime start = time_now (&p.send);

  for (guint frame = 0; frame < FRAMES; frame++) {
    GstClockTime end = start + (frame + 1) * FRAME;
    guint last = (frame + 1) * PER_FRAME - 1;
    Rtcp honest = { 0 };
    gint64 before;

    send_frame (&p, frame);
    if (time_now (&p.send) < end)
      gst_test_clock_set_time (p.send.clock, end);
    report (&p, mode, last, &honest);
    before = cpu_ns ();
    flood (&p, mode, last, &honest, dice, per_flood);
    o.cpu[frame] = cpu_ns () - before;
  }
  o.times = g_array_ref (p.send.times);
  o.rate = get_uint (&p.send, "estimated-bitrate");
  o.taken = stat (&p.send, "feedback");
  return o;
}

static gboolean
same_times (const Outcome *a, const Outcome *b)
{
  return a->times->len == b->times->len
      && memcmp (a->times->data, b->times->data,
             a->times->len * sizeof (GstClockTime))
      == 0;
}

/* From the second fifth to the last. */
static gdouble
growth (const Outcome *o)
{
  return (gdouble) (o->cpu[FRAMES - 2] + o->cpu[FRAMES - 1])
      / (gdouble) (o->cpu[1] + o->cpu[2]);
}

static void
test_feedback (gconstpointer data)
{
  Mode mode = (Mode) GPOINTER_TO_UINT (data);
  g_autofree gchar *name = g_strdup_printf ("5 feedback, %s", modes[mode].nick);
  Outcome honest = run (mode, 0), flooded = run (mode, PER_FLOOD);
  gdouble least = growth (&flooded);

  g_assert_cmpint (honest.taken, ==, FRAMES);
  trust_row ("flood", name,
      "under " A_SECOND
      " a second, media leave at the times they left without; the "
      "rate is the same, each report is taken once",
      same_times (&honest, &flooded) && honest.rate == flooded.rate
          && honest.taken == flooded.taken,
      "%u media and %u feedback packets; %" G_GINT64_FORMAT
      " reports taken; %u and %u bit/s",
      flooded.times->len, flooded.flood, flooded.taken, honest.rate,
      flooded.rate);
  g_free (name);
  name = g_strdup_printf ("5 work, %s", modes[mode].nick);
  /* Work that grew with what came before would be 8 times as much after 8 times as many, in
   * each run.  A busy machine adds to one run or another, so the best of three counts. */
  for (guint i = 1; i < 3 && least > 4; i++) {
    Outcome again = run (mode, PER_FLOOD);

    least = MIN (least, growth (&again));
    g_array_unref (again.times);
  }
  trust_row ("flood", name,
      "the last fifth costs no more than 4 x the second, CPU time", least <= 4,
      "%.2f x; %.1f us each, rtpsession's share included", least,
      (gdouble) flooded.cpu[FRAMES - 1] / (PER_FLOOD * GST_USECOND));
  g_array_unref (honest.times);
  g_array_unref (flooded.times);
}

/* --- many reports that may be true ------------------------------------------ */

/* Each packet is reported 50 times in any order, each time with another time of
 * report: the rate is judged at most once per packet. */
static void
test_updates (gconstpointer data)
{
  Mode mode = (Mode) GPOINTER_TO_UINT (data);
  g_autofree gchar *name = g_strdup_printf ("5 updates, %s", modes[mode].nick);
  g_auto (Pair) p = pair_bin (mode);
  g_autoptr (GRand) dice = g_rand_new_with_seed (6);
  const guint n = FRAMES * PER_FRAME;
  gint64 taken;

  for (guint frame = 0; frame < FRAMES; frame++)
    send_frame (&p, frame);
  gst_test_clock_advance_time (p.send.clock, 100 * MS);
  for (guint i = 0; i < 50 * n; i++) {
    Rtcp r = { 0 };

    report (
        &p, mode, (guint) g_rand_int_range (dice, PER_FRAME - 1, (gint) n), &r);
  }
  taken = stat (&p.send, "feedback");
  trust_row ("flood", name,
      "reports that may be true change the rate at most once per packet sent",
      taken > 0 && taken <= (gint64) n,
      "%" G_GINT64_FORMAT " of %u reports taken, %u packets", taken, 50 * n, n);
}

void
tests_add (void)
{
  rows_add_by ("/flood/feedback", modes, nick, test_feedback);
  rows_add_by ("/flood/updates", modes, nick, test_updates);
}
