/* rtpadaptsend: feedback, truth, the encoder and what may change in PLAYING.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "send-twcc.h"
#include "../rows.h"

/* --- the rate follows --------------------------------------------------- */

static void
count_notify (GObject *object, GParamSpec *pspec, gpointer data)
{
  g_atomic_int_inc ((gint *) data);
}

/* RFC 5348 4.2: the first report with R = 50 ms allows initial_rate = W_init/R,
 * W_init = min (4 * 1460, max (2 * 1460, 4380)) = 4380 bytes (MSS 1460):
 * 87,600 bytes/s = 700,800 bit/s. */
static void
test_first_feedback (void)
{
  g_auto (Send) s = send_new ("controller=tfrc start-bitrate=500000");
  gint notified = 0;

  wait_until (get_uint (&s, "estimated-bitrate") == 500000);
  g_signal_connect (s.element, "notify::estimated-bitrate",
      G_CALLBACK (count_notify), &notified);
  push_packet (&s, 0);
  pull_packet (&s);
  gst_test_clock_advance_time (s.clock, 50 * GST_MSECOND);
  upstream_events (&s, "");
  feedback (&s, 0, 1, 0, NULL);
  g_assert_cmpuint (get_uint (&s, "estimated-bitrate"), ==, 700800);
  g_assert_cmpint (stat (&s, "rtt"), ==, 50 * GST_MSECOND);
  wait_until (g_atomic_int_get (&notified) > 0);
  g_assert_cmpuint (upstream_events (&s, "RTPTWCCPackets"), ==, 1);
}

/* RFC 5348 4.2 and 4.4: without feedback the rate is halved after 2 s, and,
 * before R is known, after 2 s each. */
static void
test_no_feedback (void)
{
  g_auto (Send) s
      = send_new ("controller=tfrc start-bitrate=500000 min-bitrate=1000");
  guint rate = 500000;

  for (guint i = 1; i <= 4; i++) {
    push_frame (&s, i, 1);
    pull_packet (&s);
    crank (&s);
    g_assert_cmpuint (time_now (&s), ==, START + 2 * i * GST_SECOND);
    wait_until (get_uint (&s, "estimated-bitrate") != rate);
    rate /= 2;
    g_assert_cmpuint (get_uint (&s, "estimated-bitrate"), ==, rate);
  }
}

/* Ten frames of 10 packets in 100 ms each, 960 kbit/s, and then of 2, which the
 * pacer spreads, 192 kbit/s: the encoder is at rest, or at a loss.  It may go on
 * where it was (RFC 5348 4.3, data-limited: X_recv_set keeps its maximum), while
 * 2 X_recv = 384 kbit/s would have it told less and less. */
static void
test_small_frames (void)
{
  g_auto (Send) s = send_new ("controller=tfrc start-bitrate=1000000 lda=none");
  guint first = 0;

  for (guint i = 0; i < 20; i++) {
    GstClockTime next = START + (i + 1) * 100 * GST_MSECOND;
    guint n = i < 10 ? 10 : 2;

    send_paced (&s, i, n);
    gst_test_clock_advance_time (s.clock, 2 * OWD);
    feedback (&s, first, first + n, 0, NULL);
    first += n;
    if (time_now (&s) < next)
      gst_test_clock_set_time (s.clock, next);
    g_assert_cmpuint (get_uint (&s, "estimated-bitrate"), >=, 900000);
  }
}

/* The rate after four frames of 10 packets, each reported before the next. */
static guint
rate_after (gboolean losses)
{
  g_auto (Send) s = send_new ("controller=tfrc lda=none start-bitrate=2000000");

  for (guint i = 0; i < 40; i += 10) {
    gint lost[] = { (gint) i + 5, -1 };

    send_paced (&s, i, 10);
    gst_test_clock_advance_time (s.clock, 2 * OWD);
    feedback (&s, i, i + 10, 0, losses ? lost : NULL);
  }
  g_assert_cmpint (stat (&s, "congestion-losses"), ==, losses ? 4 : 0);
  g_assert_cmpint (stat (&s, "wireless-losses"), ==, 0);
  return get_uint (&s, "estimated-bitrate");
}

static void
test_losses (void)
{
  g_assert_cmpuint (rate_after (FALSE), >=, 2000000);
  g_assert_cmpuint (rate_after (TRUE), <, 2000000);
}

/* A report that rtpsession's writer may have spoilt is as good as lost: of the
 * 15 packets it calls lost nothing is believed, and those that followed are
 * judged by themselves. */
static void
test_doubtful (void)
{
  g_auto (Send) s = send_new ("controller=tfrc lda=none start-bitrate=2000000");
  static const gint lost[]
      = { 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, -1 };
  static const gint one[] = { 32, -1 };
  guint rate;

  send_paced (&s, 0, 40);
  gst_test_clock_advance_time (s.clock, 2 * OWD);
  feedback (&s, 0, 10, 0, NULL);
  rate = get_uint (&s, "estimated-bitrate");
  upstream_events (&s, "");
  feedback (&s, 10, 30, 0, lost);
  g_assert_cmpint (stat (&s, "feedback-doubtful"), ==, 1);
  g_assert_cmpint (stat (&s, "feedback"), ==, 1);
  g_assert_cmpint (stat (&s, "congestion-losses"), ==, 0);
  g_assert_cmpuint (get_uint (&s, "estimated-bitrate"), ==, rate);
  g_assert_cmpuint (upstream_events (&s, "RTPTWCCPackets"), ==, 1);
  feedback (&s, 30, 40, 0, one);
  g_assert_cmpint (stat (&s, "feedback-doubtful"), ==, 1);
  g_assert_cmpint (stat (&s, "feedback"), ==, 2);
  g_assert_cmpint (stat (&s, "congestion-losses"), ==, 1);
  g_assert_cmpint (stat (&s, "feedback-unmapped"), ==, 0);
}

/* --- what feedback speaks of -------------------------------------------- */

static void
test_unknown (void)
{
  g_auto (Send) s = send_new ("controller=tfrc");
  GValueArray *rows;
  guint rate;

  send_paced (&s, 0, 10);
  gst_test_clock_advance_time (s.clock, 2 * OWD);
  rows = rows_new ();
  twcc_row_add (rows, 3, GST_CLOCK_TIME_NONE, 0, GRAIN);
  rows_push (&s, rows);
  g_assert_cmpint (stat (&s, "feedback-unmapped"), ==, 1);
  g_assert_cmpint (stat (&s, "feedback"), ==, 0);

  feedback (&s, 0, 10, 0, NULL);
  g_assert_cmpint (stat (&s, "feedback-unmapped"), ==, 1);
  g_assert_cmpint (stat (&s, "feedback"), ==, 1);
  rate = get_uint (&s, "estimated-bitrate");

  rows = rows_new ();
  twcc_row_add (rows, 500, GST_CLOCK_TIME_NONE, 0, GRAIN); /* never sent */
  twcc_row_add (rows, 9, START - 1, PAYLOAD, GRAIN);       /* not sent then */
  twcc_row_add (rows, 9, START, PAYLOAD - 1, GRAIN);       /* not that size */
  rows_push (&s, rows);
  rows_push (&s, rows_new ());
  gst_harness_push_upstream_event (s.h,
      gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
          gst_structure_new (
              "RTPTWCCPackets", "packets", G_TYPE_INT, 3, NULL)));
  g_assert_cmpint (stat (&s, "feedback-unmapped"), ==, 4);
  g_assert_cmpint (stat (&s, "feedback"), ==, 1);
  g_assert_cmpint (stat (&s, "realigned"), ==, 0);
  g_assert_cmpuint (get_uint (&s, "estimated-bitrate"), ==, rate);
}

/* rtpsession began before us, which is nothing to speak of; later something
 * between us and it takes or adds packets, which is warned of once. */
static void
test_realign (void)
{
  g_auto (Send) s = send_new ("controller=tfrc burst=0");

  send_paced (&s, 0, 30);
  gst_test_clock_advance_time (s.clock, 2 * OWD);
  warnings (&s);
  feedback (&s, 0, 10, 65530, NULL);
  g_assert_cmpint (stat (&s, "realigned"), ==, 0);
  feedback (&s, 10, 20, 65525, NULL);
  g_assert_cmpint (stat (&s, "realigned"), ==, 1);
  feedback (&s, 20, 30, 65526, NULL);
  g_assert_cmpint (stat (&s, "realigned"), ==, 2);
  g_assert_cmpint (stat (&s, "feedback-unmapped"), ==, 0);
  g_assert_cmpint (stat (&s, "feedback"), ==, 3);
  g_assert_cmpuint (warnings (&s), ==, 1);
}

static GstFlowReturn
refuse (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  gst_buffer_unref (buffer);
  return GST_FLOW_FLUSHING;
}

/* A packet that a flush takes on its way to rtpsession gets no number there.  The numbers
 * differ from then on, which is nothing to warn of; where they differ again, it is. */
static void
test_realign_flush (void)
{
  g_auto (Send) s = send_new ("controller=tfrc burst=0");
  GstPadChainFunction takes = GST_PAD_CHAINFUNC (s.h->sinkpad);
  GstClockTime now;

  send_paced (&s, 0, 10);
  gst_test_clock_advance_time (s.clock, 2 * OWD);
  warnings (&s);
  feedback (&s, 0, 10, 0, NULL);
  gst_pad_set_chain_function (s.h->sinkpad, refuse);
  push_frame (&s, 1, 1);
  wait_until (gst_harness_push (s.h, packet_new (SSRC, 99, 2, PAYLOAD))
      == GST_FLOW_FLUSHING);
  gst_pad_set_chain_function (s.h->sinkpad, takes);
  flush_send (s.h->srcpad);
  now = time_now (&s);
  g_array_append_val (s.times, now); /* of the one that was refused */
  push_frame (&s, 3, 20);
  for (guint i = 0; i < 20; i++) {
    while (gst_harness_buffers_in_queue (s.h) == 0) {
      wait_until (gst_harness_buffers_in_queue (s.h) > 0
          || gst_test_clock_peek_id_count (s.clock) > 0);
      if (gst_harness_buffers_in_queue (s.h) == 0) /* or it was a timer */
        crank (&s);
    }
    pull_packet (&s);
  }
  gst_test_clock_advance_time (s.clock, 2 * OWD);
  feedback (&s, 11, 21, 65535, NULL);
  g_assert_cmpint (stat (&s, "realigned"), ==, 1);
  g_assert_cmpuint (warnings (&s), ==, 0);
  feedback (&s, 21, 31, 65530, NULL);
  g_assert_cmpint (stat (&s, "realigned"), ==, 2);
  g_assert_cmpuint (warnings (&s), ==, 1);
}

/* Both numbers, RTP's and rtpsession's, wrap at 65536. */
static void
test_wrap (void)
{
  g_auto (Send) s = send_new ("controller=fixed start-bitrate=4000000000 "
                              "max-bitrate=4000000000 burst=1000000000");
  const guint batch = 100, n = 70000;
  gint lost[] = { 0, -1 };

  s.seq = 60000;
  gst_test_clock_advance_time (s.clock, GST_SECOND);
  for (guint i = 0; i < n; i += batch) {
    push_frame (&s, i, batch);
    for (guint j = 0; j < batch; j++)
      g_assert_cmpuint (pull_packet (&s), ==, (60000 + i + j) & 0xffff);
    gst_test_clock_advance_time (s.clock, 100 * GST_MSECOND);
    lost[0] = (gint) (i + batch / 2);
    feedback (&s, i, i + batch, 0, lost);
  }
  g_assert_cmpint (stat (&s, "feedback"), ==, n / batch);
  g_assert_cmpint (stat (&s, "feedback-bad"), ==, 0);
  g_assert_cmpint (stat (&s, "feedback-unmapped"), ==, 0);
  g_assert_cmpint (stat (&s, "realigned"), ==, 0);
  g_assert_cmpint (
      stat (&s, "congestion-losses") + stat (&s, "wireless-losses"), ==,
      n / batch);
}

/* --- the truth ---------------------------------------------------------- */

static const struct
{
  const gchar *lda;
  gint congestion, wireless, misread_wireless;
  const gchar *why;
} truth_rows[] = {
  { "omniscient", 2, 1, 0, "the truth; unsure (30) is congestion" },
  { "none", 3, 0, 1, "every loss is congestion" },
};

static void
test_truth (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree gchar *properties
      = g_strdup_printf ("loss-messages=true lda=%s", truth_rows[row].lda);
  g_auto (Send) s = send_new (properties);
  static const gint lost[] = { 10, 20, 30, -1 };
  static const gchar *const causes[] = { "wireless", "congestion", "none" };
  guint messages = 0;
  GstMessage *message;

  g_test_message ("%s", truth_rows[row].why);
  s.seq = 65530;
  send_paced (&s, 0, 40);
  upstream_events (&s, "");
  truth (&s, SSRC, (65530 + 10) & 0xffff, "wireless");
  truth (&s, SSRC, (65530 + 20) & 0xffff, "congestion");
  truth (&s, SSRC + 1, (65530 + 30) & 0xffff, "wireless");
  g_assert_cmpuint (upstream_events (&s, "RTPAdaptLoss"), ==, 0);
  gst_test_clock_advance_time (s.clock, 2 * OWD);
  feedback (&s, 0, 40, 0, lost);
  g_assert_cmpint (
      stat (&s, "congestion-losses"), ==, truth_rows[row].congestion);
  g_assert_cmpint (stat (&s, "wireless-losses"), ==, truth_rows[row].wireless);
  g_assert_cmpint (stat (&s, "known-congestion"), ==, 1);
  g_assert_cmpint (stat (&s, "known-wireless"), ==, 1);
  g_assert_cmpint (stat (&s, "misread-congestion"), ==, 0);
  g_assert_cmpint (
      stat (&s, "misread-wireless"), ==, truth_rows[row].misread_wireless);

  while (messages < 3) {
    const GstStructure *m;
    guint64 time;
    guint seqnum, ssrc;

    message = gst_bus_timed_pop_filtered (
        s.bus, PATIENCE * GST_USECOND, GST_MESSAGE_ELEMENT);
    g_assert_nonnull (message);
    m = gst_message_get_structure (message);
    g_assert_true (gst_structure_has_name (m, "rtpadapt-loss"));
    g_assert_true (gst_structure_get (m, "time", G_TYPE_UINT64, &time, "ssrc",
        G_TYPE_UINT, &ssrc, "seqnum", G_TYPE_UINT, &seqnum, NULL));
    g_assert_cmpuint (ssrc, ==, SSRC);
    g_assert_cmpuint (seqnum, ==, (65530 + lost[messages]) & 0xffff);
    g_assert_cmpuint (
        time, ==, g_array_index (s.times, GstClockTime, lost[messages]));
    g_assert_cmpstr (
        gst_structure_get_string (m, "truth"), ==, causes[messages]);
    g_assert_cmpstr (gst_structure_get_string (m, "verdict"), ==,
        messages == 0 && truth_rows[row].wireless ? "wireless" : "congestion");
    gst_message_unref (message);
    messages++;
  }
}

/* The other warning is that no encoder is upstream. */
static void
test_truth_lacks (void)
{
  static const gint lost[] = { 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, -1 };
  g_auto (Send) s = send_new ("lda=omniscient");
  guint n = 0;

  send_paced (&s, 0, 40);
  gst_test_clock_advance_time (s.clock, 2 * OWD);
  feedback (&s, 0, 40, 0, lost);
  wait_until ((n += warnings (&s)) == 2);
}

/* Each second packet is lost, seven more than messages may wait. */
static void
test_loss_messages_most (void)
{
  for (guint on = 0; on < 2; on++) {
    g_auto (Send) s = send_new ("controller=fixed start-bitrate=4000000000 "
                                "max-bitrate=4000000000 burst=1000000000");
    gint lost[1024 + 7 + 1];
    guint n = 2 * G_N_ELEMENTS (lost) + 2;

    for (guint i = 0; i < G_N_ELEMENTS (lost); i++)
      lost[i] = (gint) (2 * i + 1);
    lost[G_N_ELEMENTS (lost) - 1] = -1;
    g_object_set (s.element, "loss-messages", on, NULL);
    gst_test_clock_advance_time (s.clock, GST_SECOND);
    push_frame (&s, 0, n);
    for (guint i = 0; i < n; i++)
      pull_packet (&s);
    gst_test_clock_advance_time (s.clock, 2 * OWD);
    feedback (&s, 0, n, 0, lost);
    g_assert_cmpint (stat (&s, "messages-dropped"), ==, on ? 7 : 0);
  }
}

void
tests_add (void)
{
  g_test_add_func ("/rtpadaptsend/feedback/first", test_first_feedback);
  g_test_add_func ("/rtpadaptsend/feedback/none", test_no_feedback);
  g_test_add_func ("/rtpadaptsend/feedback/small-frames", test_small_frames);
  g_test_add_func ("/rtpadaptsend/feedback/losses", test_losses);
  g_test_add_func ("/rtpadaptsend/feedback/doubtful", test_doubtful);
  g_test_add_func ("/rtpadaptsend/feedback/unknown", test_unknown);
  g_test_add_func ("/rtpadaptsend/feedback/realign", test_realign);
  g_test_add_func ("/rtpadaptsend/feedback/realign-flush", test_realign_flush);
  g_test_add_func ("/rtpadaptsend/feedback/wrap", test_wrap);
  g_test_add_func (
      "/rtpadaptsend/feedback/loss-messages-most", test_loss_messages_most);
  rows_add_by ("/rtpadaptsend/truth", truth_rows, lda, test_truth);
  g_test_add_func ("/rtpadaptsend/truth/lacks", test_truth_lacks);
}
