/* The sender's no-feedback timer with video: packets are paced out frame by
 * frame, and the receiver answers to the last one of a frame (twcc).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TFRC's rate is held at `RATE` by its maximum; frames fill nine tenths of it.
 * Nothing is lost to congestion, so that only the timer could lower the rate.
 */
#include "../observed.h"
#include "../rows.h"
#include "sender-fixture.h"

#include <string.h>

#define RATE 4000000
#define MSS 1200

typedef struct
{
  guint rtt_us, fps;
  guint lose_marker; /* every n-th frame's last packet, to the radio */
  guint silent_from; /* no feedback comes from then on, ms, 0: always comes */
  guint idle_from;   /* the source stops, ms, 0: it never does */
  gboolean cut;      /* and does so in the middle of a frame */
  guint until;       /* ms */
  guint64 min, max;  /* of the rate at the end; until something stops it is
                        RATE */
  const gchar *why;
} Row;

/* RFC 5348 4.4: an idle sender's rate is not halved below recover_rate, which
 * is W_init / R = 4380 bytes in 50 ms = 700.8 kbit/s; so it ends between this
 * and twice as much. */
#define RECOVER 700800

static const Row rows[] = {
  { 1000, 30, 0, 0, 0, FALSE, 5000, RATE, RATE,
      "R = 1 ms, a frame takes 30 ms: 4 R pass within each" },
  { 500, 30, 0, 0, 0, FALSE, 5000, RATE, RATE, "R = 0.5 ms" },
  { 1000, 5, 0, 0, 0, FALSE, 5000, RATE, RATE, "5 fps" },
  { 50000, 30, 0, 0, 0, FALSE, 5000, RATE, RATE, "R = 50 ms" },
  { 1000, 30, 7, 0, 0, FALSE, 5000, RATE, RATE,
      "a lost marker delays feedback by one frame, not by four" },
  { 50000, 30, 7, 0, 0, FALSE, 5000, RATE, RATE, "so at 50 ms" },
  /* The timer is 4 * 33 ms, which halves five times in 0.7 s; then 2 s / X,
   * .15, .31, .61, 1.2 s: nine times in 3 s, 1/512. */
  { 1000, 30, 0, 1000, 0, FALSE, 5000, 1000, RATE / 100,
      "no feedback any more" },
  { 50000, 30, 0, 1, 0, FALSE, 1999, RATE, RATE,
      "never any feedback: 2 s (4.2)" },
  { 50000, 30, 0, 1, 0, FALSE, 3000, RATE / 2, RATE / 2, "then half" },
  { 50000, 30, 0, 0, 1000, FALSE, 10000, RECOVER, 2 * RECOVER, "idle" },
  { 50000, 30, 0, 0, 1010, TRUE, 10000, RECOVER, 2 * RECOVER,
      "idle, the last frame was cut off" },
};

#define SEQ_MAX 65536
#define PENDING_MAX 16

typedef struct
{
  const Row *row;
  Fixture f;
  RaTime next_frame;
  guint left, frames; /* packets of the frame still to send; frames so far */
  guint64 reported;
  RaTime arrival[SEQ_MAX]; /* RA_TIME_NONE: lost */
  struct
  {
    RaTime due;
    guint64 before;
  } pending[PENDING_MAX]; /* feedback on its way */
  guint n_pending;
} Run;

static gboolean
stopped (const Run *r)
{
  guint from = r->row->silent_from ? r->row->silent_from : r->row->idle_from;

  return from && r->f.now >= from * (RaTime) RA_MSECOND;
}

static void
frame_make (Run *r)
{
  r->next_frame += RA_SECOND / r->row->fps;
  if (r->row->idle_from && stopped (r))
    return;
  r->frames++;
  r->left = RATE / 8 * 9 / 10 / r->row->fps / MSS;
}

static void
packet_send (Run *r)
{
  RaSpan rtt = r->row->rtt_us * RA_USECOND;
  gboolean marker = --r->left == 0;
  gboolean lost
      = marker && r->row->lose_marker && r->frames % r->row->lose_marker == 0;
  RaSentFlags flags = marker ? RA_SENT_ASKS : RA_SENT_WAITING;

  g_assert_cmpuint (r->f.next, <, SEQ_MAX);
  ra_sender_on_sent (r->f.sender,
      &(RaOutgoing){ r->f.next, MSS, MSS, .flags = flags }, r->f.now);
  r->arrival[r->f.next++] = lost ? RA_TIME_NONE : r->f.now + rtt / 2;
  if (marker && !lost && !(r->row->silent_from && stopped (r))) {
    g_assert_cmpuint (r->n_pending, <, PENDING_MAX);
    r->pending[r->n_pending].due = r->f.now + rtt;
    r->pending[r->n_pending++].before = r->f.next;
  }
}

static void
feedback_take (Run *r)
{
  RaFeedbackPacket packets[512];
  guint n = 0;

  for (; r->reported < r->pending[0].before; r->reported++) {
    g_assert_cmpuint (n, <, G_N_ELEMENTS (packets));
    packets[n++] = (RaFeedbackPacket){ r->reported, r->arrival[r->reported] };
  }
  ra_sender_on_feedback (r->f.sender, packets, n, 0, r->f.now);
  r->n_pending--;
  memmove (r->pending, r->pending + 1, r->n_pending * sizeof *r->pending);
}

static void
run_step (Run *r)
{
  RaTime next = MIN (r->next_frame, ra_sender_next_timeout (r->f.sender));

  if (r->left > 0)
    next = MIN (next, ra_sender_next_send (r->f.sender, r->f.now));
  if (r->n_pending > 0)
    next = MIN (next, r->pending[0].due);
  r->f.now = MAX (r->f.now, next);
  if (r->row->cut && stopped (r))
    r->left = 0;
  if (r->n_pending > 0 && r->pending[0].due <= r->f.now)
    feedback_take (r);
  if (ra_sender_next_timeout (r->f.sender) <= r->f.now)
    ra_sender_on_timeout (r->f.sender, r->f.now);
  if (r->next_frame <= r->f.now)
    frame_make (r);
  if (r->left > 0 && ra_sender_next_send (r->f.sender, r->f.now) <= r->f.now)
    packet_send (r);
}

static RaCause
all_wireless (guint64 seq, gpointer data)
{
  return RA_CAUSE_WIRELESS;
}

static void
test_row (gconstpointer data)
{
  const Row *row = &rows[GPOINTER_TO_UINT (data)];
  RaSenderConfig cfg = { .controller = ra_rate_find ("tfrc"),
    .lda = ra_lda_find ("omniscient"),
    .rate = { .min = 1000, .start = RATE, .max = RATE, .mss = MSS } };
  g_autofree Run *r = g_new0 (Run, 1);
  guint64 rate;

  r->row = row;
  fixture_start (&r->f, &cfg);
  ra_sender_set_truth (r->f.sender, all_wireless, NULL);
  while (r->f.now < row->until * (RaTime) RA_MSECOND) {
    run_step (r);
    rate = ra_sender_rate (r->f.sender);
    if (!stopped (r) && rate != RATE)
      g_test_message ("%.3f s: %s", ra_seconds ((RaSpan) r->f.now), row->why);
    if (!stopped (r))
      g_assert_cmpuint (rate, ==, RATE);
  }
  rate = ra_sender_rate (r->f.sender);
  if (rate < row->min || rate > row->max)
    g_test_message ("%s", row->why);
  g_assert_cmpuint (rate, >=, row->min);
  g_assert_cmpuint (rate, <=, row->max);
  ra_sender_free (r->f.sender);
}

/* A frame of one packet, sent just before the timer of the last report would
 * expire: the answer takes R, so it may not expire before that.  Silence alone
 * halves nothing here: X is W_init / R, as 1200 bytes in 33 ms ask no more. */
static void
test_late_frame (void)
{
  RaSenderConfig cfg = { .controller = ra_rate_find ("tfrc"),
    .lda = ra_lda_find ("none"),
    .rate = { .min = 1000, .start = RATE, .max = RATE, .mss = MSS } };
  g_autoptr (RaSender) s = ra_sender_new (&cfg, 0, NULL);
  RaTime now = 0, due;
  guint64 rate;

  for (guint64 seq = 0; seq < 10; seq++) {
    RaFeedbackPacket packet = { seq, now };

    ra_sender_on_sent (
        s, &(RaOutgoing){ seq, MSS, MSS, .flags = RA_SENT_ASKS }, now);
    g_assert_true (
        ra_sender_on_feedback (s, &packet, 1, 0, now + 10 * RA_MSECOND));
    now += 33 * RA_MSECOND;
  }
  due = ra_sender_next_timeout (s);
  rate = ra_sender_rate (s);
  ra_sender_on_sent (s, &(RaOutgoing){ 10, MSS, MSS, .flags = RA_SENT_ASKS },
      due - RA_MSECOND);
  ra_sender_on_timeout (s, due);
  g_assert_cmpuint (ra_sender_next_timeout (s), >=, due + 39 * RA_MSECOND);
  g_assert_cmpuint (ra_sender_rate (s), ==, rate);
  /* But it does if no answer comes. */
  ra_sender_on_timeout (s, ra_sender_next_timeout (s));
  g_assert_cmpuint (ra_sender_rate (s), ==, rate / 2);
}

/* R = 200 ms, a packet each 40 ms.  A pause of 700 ms between two of them is no interval
 * of reports; a packet each 700 ms is. */
static void
test_pause (void)
{
  static const struct
  {
    guint apart, pause; /* ms */
    guint low, high;    /* interval after it, ms */
  } pauses[] = { { 40, 700, 40, 100 }, { 700, 700, 600, 700 } };

  for (guint i = 0; i < G_N_ELEMENTS (pauses); i++) {
    RaTime sent[50], at = RA_SECOND;
    guint64 first, heard = 0;
    g_auto (Fixture) f;

    fixture_init (&f, 0);
    first = f.next;
    for (guint n = 0; n < 50; n++) {
      sent[n] = at;
      at += (n == 48 ? pauses[i].pause : pauses[i].apart) * RA_MSECOND;
    }
    for (f.now = RA_SECOND; heard < 50; f.now += 10 * RA_MSECOND) {
      guint64 n = f.next - first;

      if (n < 50 && sent[n] <= f.now)
        fixture_send (&f, 1000, RA_SENT_ASKS);
      if (f.now >= sent[heard] + 200 * RA_MSECOND) {
        RaFeedbackPacket row = { first + heard++, f.now };

        ra_sender_on_feedback (f.sender, &row, 1, 0, f.now);
      }
    }
    g_assert_cmpint (probe_report.interval, >=, pauses[i].low * RA_MSECOND);
    g_assert_cmpint (probe_report.interval, <=, pauses[i].high * RA_MSECOND);
  }
}

/* R = 50 ms.  After 2 s with a packet each 50 ms come 6 s, and then 20 packets of which
 * each second one is lost. */
static const struct
{
  guint gap;      /* ms, from packet to packet in the 6 s; 0: none leaves */
  gboolean tail;  /* the last packet before them is lost */
  gboolean heard; /* the losses are */
  const gchar *why;
} silence_rows[] = {
  { 0, FALSE, TRUE, "the source was silent: nobody could answer" },
  { 0, TRUE, TRUE, "nor after a packet that is lost" },
  { 50, FALSE, FALSE, "packets stayed without an answer: an outage" },
};

static void
silence_feed (Fixture *f, guint64 from, guint64 half)
{
  g_autoptr (GArray) lines
      = g_array_new (FALSE, FALSE, sizeof (RaFeedbackPacket));

  for (guint64 seq = from; seq < f->next; seq++) {
    RaFeedbackPacket row
        = { seq, seq < half || seq % 2 ? RA_TIME_NONE : f->now };

    g_array_append_val (lines, row);
  }
  f->now += 50 * RA_MSECOND;
  ra_sender_on_feedback (
      f->sender, (RaFeedbackPacket *) lines->data, lines->len, 0, f->now);
}

static void
silence_send (Fixture *f, guint n, guint gap)
{
  for (guint i = 0; i < n; i++) {
    fixture_send (f, 1000, RA_SENT_ASKS);
    f->now += gap * RA_MSECOND;
    if (ra_sender_next_timeout (f->sender) <= f->now)
      ra_sender_on_timeout (f->sender, f->now);
  }
}

/* Packets from `from` on are reported, of which every second one is lost until `lost` are. */
static void
silence_answer (Fixture *f, guint64 from, guint lost)
{
  RaFeedbackPacket lines[20];
  guint n = 0;

  for (guint64 seq = from; seq < f->next; seq++, n++) {
    gboolean is_lost = n % 2 == 1 && n < 2 * lost;

    lines[n] = (RaFeedbackPacket){ seq,
      is_lost ? RA_TIME_NONE : f->now + 25 * RA_MSECOND };
  }
  f->now += 50 * RA_MSECOND;
  ra_sender_on_feedback (f->sender, lines, n, 0, f->now);
}

static void
silence_begin (Fixture *f)
{
  fixture_begin (f,
      &(RaSenderConfig){ .controller = ra_rate_find ("tfrc"),
          .lda = ra_lda_find ("none"),
          .rate = { .min = 1000, .start = RATE, .max = RATE, .mss = MSS },
          .friendliness_cap = 9,
          .floor = 10 },
      RA_SECOND);
  for (guint n = 0; n < 40; n++) {
    RaFeedbackPacket row;

    silence_send (f, 1, 50);
    row = (RaFeedbackPacket){ f->next - 1, f->now };
    ra_sender_on_feedback (f->sender, &row, 1, 0, f->now);
  }
}

static void
test_silence (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  guint64 from = 0;
  g_auto (Fixture) f = { 0 };

  g_test_message ("%s", silence_rows[i].why);
  probe_heard = g_string_new (NULL);
  silence_begin (&f);
  from = f.next;
  if (silence_rows[i].tail)
    silence_send (&f, 1, 50);
  if (silence_rows[i].gap > 0)
    silence_send (&f, 6000 / silence_rows[i].gap, silence_rows[i].gap);
  for (RaTime end = f.now + (silence_rows[i].gap ? 0 : 6) * RA_SECOND;
       f.now < end; f.now += 50 * RA_MSECOND)
    if (ra_sender_next_timeout (f.sender) <= f.now)
      ra_sender_on_timeout (f.sender, f.now);
  silence_send (&f, 20, 1);
  silence_feed (&f, from, f.next - 20);
  g_assert_true (
      (fixture_stats (&f).loss.congestion > 0) == silence_rows[i].heard);
  g_assert_true ((fixture_stats (&f).p > 0) == silence_rows[i].heard);
  g_assert_true ((observed (ra_sender_observe, f.sender, "raw_loss") > 0)
      == silence_rows[i].heard);
}

/* R = 50 ms.  Three packets are reported lost, and before three later ones confirm that
 * there are 6 s without an answer: their losses are an outage's, and are hidden.  Of 20
 * packets that leave then four are lost, and these stay lost as the three come late. */
static void
test_hidden_come (void)
{
  RaFeedbackPacket late[4];
  guint64 from;
  gdouble lost;
  g_auto (Fixture) f = { 0 };

  probe_heard = g_string_new (NULL);
  silence_begin (&f);
  silence_send (&f, 4, 1);
  for (guint i = 0; i < 4; i++)
    late[i] = (RaFeedbackPacket){ f.next - 4 + i,
      i < 3 ? RA_TIME_NONE : f.now + 25 * RA_MSECOND };
  f.now += 50 * RA_MSECOND;
  ra_sender_on_feedback (f.sender, late, 4, 0, f.now);
  silence_send (&f, 120, 50);
  from = f.next;
  silence_send (&f, 4, 1);
  silence_answer (&f, from, 0);
  g_assert_cmpuint (fixture_stats (&f).loss.congestion, ==, 3);
  g_assert_cmpfloat (observed (ra_sender_observe, f.sender, "raw_loss"), ==, 0);
  from = f.next;
  silence_send (&f, 20, 1);
  silence_answer (&f, from, 4);
  lost = observed (ra_sender_observe, f.sender, "raw_loss");
  g_assert_cmpfloat (lost, >, 0);
  late[3] = (RaFeedbackPacket){ f.next, f.now };
  late[0].arrival = late[1].arrival = late[2].arrival = f.now;
  silence_send (&f, 1, 50);
  ra_sender_on_feedback (f.sender, late, 4, 0, f.now);
  g_assert_cmpuint (fixture_stats (&f).loss.recovered, ==, 3);
  g_assert_cmpfloat (
      observed (ra_sender_observe, f.sender, "raw_loss"), >, .9 * lost);
}

void
tests_add (void)
{
  rows_add ("/sender/timer", rows, test_row);
  g_test_add_func ("/sender/timer/late-frame", test_late_frame);
  g_test_add_func ("/sender/timer/pause", test_pause);
  rows_add ("/sender/timer/silence", silence_rows, test_silence);
  g_test_add_func ("/sender/timer/hidden-come", test_hidden_come);
}
