/* Receivers that lie to rtpadaptsend.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "send-twcc.h"
#include "session-fixture.h"
#include "trust.h"
#include "../rows.h"

#include <gst/rtpadapt/feedback/stamp.h>

#define MIN_RATE 100000

/* --- RFC 8888, by hand -------------------------------------------------------- */

/* Packets first .. first + strlen (said) - 1: 'y' came, just now, 'n' did not. */
static void
ccfb_push (Pair *p, guint first, const gchar *said)
{
  guint n = (guint) strlen (said), even = (n + 1) / 2 * 2;
  GstClockTime now = time_now (&p->send);
  Rtcp r = { 0 };

  put_head (&r, 11, 205, 20 + 2 * even);
  put (&r, 4, PEER);
  put (&r, 4, SSRC);
  put (&r, 2, first & 0xffff);
  put (&r, 2, n);
  for (guint i = 0; i < even; i++)
    put (&r, 2, i < n && said[i] == 'y' ? 0x8000 : 0);
  put (&r, 4, (now << 16) / GST_SECOND);
  rtcp_push (p->rtcp, &r);
}

/* The pacer's task and the session's RTCP thread wait. */
static gboolean
all_wait (Pair *p)
{
  return gst_test_clock_peek_id_count (p->send.clock) >= 2;
}

/* A step of time, and all that waits for it wakes up: rtpsession, too, so that
 * nobody can tell what the next to wait for is. */
static void
time_step (Pair *p, GstClockTime step)
{
  GstClockID id;

  gst_test_clock_advance_time (p->send.clock, (GstClockTimeDiff) step);
  while ((id = gst_test_clock_process_next_clock_id (p->send.clock)))
    gst_clock_id_unref (id);
}

/* A frame of `n` packets goes out, while time goes on. */
static void
pair_paced (Pair *p, guint32 timestamp, guint n)
{
  push_frame (&p->send, timestamp, n);
  while (n > 0) {
    GstBuffer *buffer;

    wait_until (gst_harness_buffers_in_queue (p->send.h) > 0 || all_wait (p));
    buffer = gst_harness_try_pull (p->send.h);
    if (buffer) {
      gst_buffer_unref (buffer);
      n--;
    } else {
      time_step (p, GST_MSECOND);
    }
  }
}

/* Frames of four packets; 50 ms later an honest report has come. */
static void
ccfb_begin (Pair *p)
{
  pair_paced (p, 0, 4);
  gst_test_clock_advance_time (p->send.clock, 50 * GST_MSECOND);
  ccfb_push (p, 0, "yyyy");
  g_assert_cmpint (stat (&p->send, "reports-ok"), ==, 1);
}

#define CCFB "feedback=ccfb start-bitrate=500000 min-bitrate=100000 lda=none"

/* --- before it was sent --------------------------------------------------------- */

static void
early_ccfb (gchar **figure, gboolean *pass)
{
  g_auto (Pair) p = pair_new (CCFB, "avpf", CAPS);
  guint rate;

  ccfb_begin (&p);
  rate = get_uint (&p.send, "estimated-bitrate");
  pair_paced (&p, 1, 4);
  gst_test_clock_advance_time (p.send.clock, 50 * GST_MSECOND);
  ccfb_push (&p, 4, "yyyyy"); /* the last one was not */
  ccfb_push (&p, 1000, "y");
  *figure = g_strdup_printf ("%" G_GINT64_FORMAT " of 2 refused; %.2f x",
      stat (&p.send, "reports-unsent"),
      get_uint (&p.send, "estimated-bitrate") / (gdouble) rate);
  *pass = stat (&p.send, "reports-unsent") == 2 && stat (&p.send, "lies") == 0
      && get_uint (&p.send, "estimated-bitrate") == rate;
  ccfb_push (&p, 4, "yyyy");
  *pass &= stat (&p.send, "reports-ok") == 2;
}

/* t_i of the packet that leaves at `time`, draft-ietf-avt-tfrc-profile-10 6;
 * rtpadaptsend's own time began at START. */
static void
tfrc_push (Pair *p, GstClockTime time)
{
  Rtcp r = { 0 };

  put_tfrc (&r, 2, SSRC, ra_stamp_us (time - START), 0, 24000, 0);
  rtcp_push (p->rtcp, &r);
}

static void
early_tfrc (gchar **figure, gboolean *pass)
{
  g_auto (Pair) p = pair_new (
      "feedback=tfrc start-bitrate=500000 lda=none", "avpf", CAPS EXT_SEND_TS);
  GstClockTime sent;
  guint rate;

  push_packet (&p.send, 0);
  pull_packet (&p.send);
  sent = time_now (&p.send);
  gst_test_clock_advance_time (p.send.clock, 50 * GST_MSECOND);
  tfrc_push (&p, sent);
  rate = get_uint (&p.send, "estimated-bitrate");
  *pass = stat (&p.send, "reports-ok") == 1;
  tfrc_push (&p, time_now (&p.send) + GST_MSECOND);
  tfrc_push (&p, time_now (&p.send) - GST_MSECOND);
  *figure = g_strdup_printf ("%" G_GINT64_FORMAT " of 2 refused; %.2f x",
      stat (&p.send, "reports-unsent"),
      get_uint (&p.send, "estimated-bitrate") / (gdouble) rate);
  *pass &= stat (&p.send, "reports-unsent") == 2
      && get_uint (&p.send, "estimated-bitrate") == rate;
}

static void
early_twcc (gchar **figure, gboolean *pass)
{
  g_auto (Send) s = send_new ("start-bitrate=500000 lda=none");
  GValueArray *rows = rows_new ();
  guint rate;

  send_paced (&s, 0, 4);
  gst_test_clock_advance_time (s.clock, 2 * OWD);
  feedback (&s, 0, 4, 0, NULL);
  rate = get_uint (&s, "estimated-bitrate");
  for (guint i = 4; i < 8; i++)
    twcc_row_add (rows, i, GST_CLOCK_TIME_NONE, 0, GRAIN);
  rows_push (&s, rows);
  *figure = g_strdup_printf ("%" G_GINT64_FORMAT " of 4 ignored; %.2f x",
      stat (&s, "feedback-unmapped"),
      get_uint (&s, "estimated-bitrate") / (gdouble) rate);
  *pass = stat (&s, "feedback-unmapped") == 4 && stat (&s, "feedback") == 1
      && get_uint (&s, "estimated-bitrate") == rate;
}

static const struct
{
  const gchar *name;
  void (*test) (gchar **figure, gboolean *pass);
} early_rows[] = {
  { "ccfb", early_ccfb },
  { "tfrc", early_tfrc },
  { "twcc", early_twcc },
};

static void
test_early (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree gchar *name = g_strdup_printf (
      "3 acknowledges before it was sent, %s element", early_rows[row].name);
  g_autofree gchar *figure = NULL;
  gboolean pass;

  early_rows[row].test (&figure, &pass);
  trust_row ("attack", name, "counted, and the rate stays", pass, "%s", figure);
}

/* --- what was left out -------------------------------------------------------- */

/* Warnings of a liar so far. */
static guint
liar_warnings (Send *s)
{
  GstMessage *m;
  guint n = 0;

  while ((m = gst_bus_pop_filtered (s->bus, GST_MESSAGE_WARNING))) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_warning (m, &error, NULL);
    n += strstr (error->message, "never sent") != NULL;
    gst_message_unref (m);
  }
  return n;
}

/* 4, 5 and 6 were sent, 7 was not, 8 and 9 were. */
static void
send_with_gap (Pair *p)
{
  pair_paced (p, 1, 3);
  p->send.seq++;
  pair_paced (p, 2, 2);
  gst_test_clock_advance_time (p->send.clock, 50 * GST_MSECOND);
}

static void
test_honest (void)
{
  g_auto (Pair) p = pair_new (CCFB, "avpf", CAPS);
  guint rate;

  ccfb_begin (&p);
  rate = get_uint (&p.send, "estimated-bitrate");
  send_with_gap (&p);
  g_assert_cmpint (stat (&p.send, "skipped"), ==, 1);
  ccfb_push (&p, 4, "yyynyy");
  ccfb_push (&p, 4, "yyynyy");
  trust_row ("attack", "3 honest about a number never sent, element",
      "no lie, no loss, no lower rate",
      stat (&p.send, "lies") == 0 && stat (&p.send, "congestion-losses") == 0
          && stat (&p.send, "wireless-losses") == 0
          && stat (&p.send, "feedback-unmapped") == 0
          && stat (&p.send, "reports-ok") == 2
          && get_uint (&p.send, "estimated-bitrate") >= rate,
      "%" G_GINT64_FORMAT " losses of 1 number; %.2f x",
      stat (&p.send, "congestion-losses"),
      get_uint (&p.send, "estimated-bitrate") / (gdouble) rate);
  g_assert_cmpuint (liar_warnings (&p.send), ==, 0);
}

/* A count above what was sent: where the user has numbers left out, and all
 * packets have their send time, it is a lie; else only the report is refused. */
static void
test_count (gconstpointer data)
{
  gboolean tried = GPOINTER_TO_UINT (data);
  g_auto (Pair) p
      = pair_new (tried ? "feedback=tfrc min-bitrate=100000 lda=none "
                          "skip-interval=1000"
                        : "feedback=tfrc min-bitrate=100000 lda=none",
          "avpf", CAPS EXT_SEND_TS);

  for (guint i = 0; i < 2; i++) {
    Rtcp r = { 0 };
    GstClockTime sent;

    push_packet (&p.send, i);
    pull_packet (&p.send);
    sent = time_now (&p.send) - START;
    gst_test_clock_advance_time (p.send.clock, 50 * GST_MSECOND);
    put_rr (&r, SSRC, 0, i, 0, 0);
    put_radp (&r, PEER, ra_stamp_us (sent), i == 0 ? 1 : 4);
    put_tfrc (&r, 2, SSRC, ra_stamp_us (sent), 0, 0, 0);
    rtcp_push (p.rtcp, &r);
  }
  trust_row ("attack",
      tried ? "3 counts what was never sent, TFRC element"
            : "3 counts what was never sent, nothing left out",
      tried ? "found out: min-bitrate" : "the report is refused, no more",
      stat (&p.send, "lies") == tried
          && (get_uint (&p.send, "estimated-bitrate") == MIN_RATE) == tried,
      "%u bit/s", get_uint (&p.send, "estimated-bitrate"));
}

/* As time goes on in steps, the no-feedback timer and the end of the penalty come
 * when they are due. */
static void
time_pass (Pair *p, guint seconds)
{
  for (guint i = 0; i < 10 * seconds; i++) {
    wait_until (all_wait (p));
    time_step (p, 100 * GST_MSECOND);
  }
}

static void
test_liar (void)
{
  g_auto (Pair) p = pair_new (CCFB " circuit-breakers=false", "avpf", CAPS);
  guint rate;

  ccfb_begin (&p);
  rate = get_uint (&p.send, "estimated-bitrate");
  g_assert_cmpuint (rate, >=, 500000);
  send_with_gap (&p);
  ccfb_push (&p, 4, "yyyyyy");
  ccfb_push (&p, 4, "yyyyyy");
  wait_until (stat (&p.send, "lies") == 1);
  trust_row ("attack", "3 says that a number never sent came, element",
      "min-bitrate at once, whatever it says then",
      get_uint (&p.send, "estimated-bitrate") == MIN_RATE
          && stat (&p.send, "liar") == TRUE
          && stat (&p.send, "reports-unsent") == 2
          && stat (&p.send, "reports-ok") == 1,
      "%u of %u bit/s", get_uint (&p.send, "estimated-bitrate"), rate);
  ccfb_push (&p, 4, "yyynyy"); /* too late */
  g_assert_cmpuint (get_uint (&p.send, "estimated-bitrate"), ==, MIN_RATE);
  wait_until (liar_warnings (&p.send) == 1);
  time_pass (&p, 14);
  g_assert_cmpint (stat (&p.send, "liar"), ==, TRUE);
  time_pass (&p, 2);
  wait_until (stat (&p.send, "liar") == FALSE);
  /* Once more: counted, and told no more. */
  ccfb_push (&p, 4, "yyyyyy");
  g_assert_cmpint (stat (&p.send, "lies"), ==, 2);
  g_assert_cmpint (stat (&p.send, "liar"), ==, TRUE);
  g_signal_emit_by_name (p.send.element, "restart");
  g_assert_cmpint (stat (&p.send, "liar"), ==, FALSE);
  g_assert_cmpuint (liar_warnings (&p.send), ==, 0);
}

void
tests_add (void)
{
  rows_add_by ("/lies-element/early", early_rows, name, test_early);
  g_test_add_func ("/lies-element/honest", test_honest);
  g_test_add_func ("/lies-element/liar", test_liar);
  g_test_add_data_func (
      "/lies-element/count/tried", GUINT_TO_POINTER (TRUE), test_count);
  g_test_add_data_func (
      "/lies-element/count/not-tried", GUINT_TO_POINTER (FALSE), test_count);
}
