/* The pacing task of rtpadaptsend, without an element or a thread: what it does
 * next, and when.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../rows.h"

#include <plugins/rtpadapt/send/pacetask.h>

#define MS RA_MSECOND
#define NEVER RA_TIME_NONE
#define LIMIT (250 * MS)

static void
push_packet (PaceTask *p, guint32 timestamp, guint64 rate, SendWants *wants)
{
  BacklogItem item = {
    .object = GST_MINI_OBJECT_CAST (gst_buffer_new ()),
    .is_packet = TRUE,
    .size = 1000,
    .ssrc = 1,
    .timestamp = timestamp,
  };

  pace_push (p, &item, LIMIT, rate, wants);
}

static void
take (PaceTask *p)
{
  BacklogItem item;

  pace_take (p, &item);
  gst_mini_object_unref (item.object);
}

/* `waits`: v a packet, E EOS, which came at 1000 ms and may wait for 250 ms, T an
 * event of another kind.  All times in ms. */
static const struct
{
  const gchar *name, *waits;
  RaTime now, timer, next_send;
  PaceStep step;
  RaTime until;
  const gchar *why;
} rows[] = {
  { "nothing", "", 1000, NEVER, 0, PACE_WAIT, NEVER, "until it is woken" },
  { "timer-later", "", 1000, 1100, 0, PACE_WAIT, 1100,
      "the pacer has nothing" },
  { "timer", "", 1000, 1000, 0, PACE_TIMER, 0, "it has expired" },
  { "timer-first", "v", 1000, 1000, 900, PACE_TIMER, 0, "before any packet" },
  { "packet", "v", 1000, 1100, 1000, PACE_ITEM, 0, "it may leave" },
  { "paced", "v", 1000, 1100, 1010, PACE_WAIT, 1010, "in 10 ms" },
  { "paced-timer", "v", 1000, 1005, 1010, PACE_WAIT, 1005, "the timer first" },
  { "event", "T", 1000, 1100, 1010, PACE_ITEM, 0,
      "the pacer holds packets only" },
  { "behind", "vT", 1000, 1100, 1010, PACE_WAIT, 1010,
      "an event keeps its place" },
  { "eos", "E", 1000, 1100, 1010, PACE_ITEM, 0, "EOS goes at once" },
  { "eos-waits", "vE", 1000, NEVER, 2000, PACE_WAIT, 1250,
      "for 250 ms behind a packet" },
  { "eos-overdue", "vE", 1250, NEVER, 2000, PACE_ITEM, 0,
      "then packets make way for it" },
};

static void
test_step (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  RaTime timer = rows[row].timer, until = rows[row].until;
  SendWants wants;
  PaceTask p = { 0 };

  g_test_message ("%s", rows[row].why);
  pace_init (&p);
  pace_start (&p);
  pace_run (&p);
  for (const gchar *c = rows[row].waits; *c; c++) {
    if (*c == 'v')
      push_packet (&p, 0, 1000000, &wants);
    else
      g_assert_true (pace_push_event (&p,
          *c == 'E' ? gst_event_new_eos ()
                    : gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
                        gst_structure_new_empty ("T")),
          LIMIT, 1000 * MS));
  }
  g_assert_cmpint (
      pace_step (&p, rows[row].now * MS, timer == NEVER ? NEVER : timer * MS,
          rows[row].next_send * MS),
      ==, rows[row].step);
  if (rows[row].step == PACE_WAIT)
    g_assert_cmpuint (p.until, ==, until == NEVER ? NEVER : until * MS);
  pace_stop (&p);
  pace_clear (&p);
}

/* Once EOS is out no timer runs, nothing comes in, and a new stream begins again. */
static void
test_eos (void)
{
  GstFlowReturn flow;
  PaceTask p = { 0 };

  pace_init (&p);
  pace_start (&p);
  pace_run (&p);
  pace_push_event (&p, gst_event_new_eos (), LIMIT, 1000 * MS);
  flow = pace_flow (&p);
  g_assert_cmpint (flow, ==, GST_FLOW_EOS);
  g_assert_false (pace_push_event (&p,
      gst_event_new_custom (
          GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty ("T")),
      LIMIT, 1000 * MS));
  take (&p);
  g_assert_cmpint (pace_step (&p, 2000 * MS, 1000 * MS, 0), ==, PACE_WAIT);
  g_assert_cmpuint (p.until, ==, NEVER);
  g_assert_true (
      pace_push_event (&p, gst_event_new_stream_start ("s"), LIMIT, 0));
  flow = pace_flow (&p);
  g_assert_cmpint (flow, ==, GST_FLOW_OK);
  pace_stop (&p);
  pace_clear (&p);
}

/* The first packet wakes the task.  At 80 kbit/s 1,000 bytes take 100 ms: the frame
 * that begins behind 300 ms is dropped, and a key frame is due. */
static void
test_push (void)
{
  SendWants wants;
  PaceTask p = { 0 };

  pace_init (&p);
  pace_start (&p);
  pace_run (&p);
  push_packet (&p, 0, 80000, &wants);
  g_assert_cmpint (wants, ==, SEND_WAKE);
  push_packet (&p, 0, 80000, &wants);
  g_assert_cmpint (wants, ==, SEND_WANTS_NOTHING);
  push_packet (&p, 0, 80000, &wants);
  push_packet (&p, 1, 80000, &wants);
  g_assert_cmpint (wants, ==, SEND_REFRESH);
  push_packet (&p, 1, 80000, &wants); /* the rest of that frame */
  g_assert_cmpint (wants, ==, SEND_WANTS_NOTHING);
  g_assert_true (pace_packet_is_due (&p, 1000 * MS, 1000 * MS));
  g_assert_false (pace_packet_is_due (&p, 1000 * MS, 1001 * MS));
  for (guint i = 0; i < 3; i++)
    take (&p);
  g_assert_false (pace_packet_is_due (&p, 1000 * MS, 0));
  pace_stop (&p);
  pace_clear (&p);
}

/* What downstream says is passed on upstream, and ends the task.  After EOS nobody
 * upstream asks any more, so the stream ends in error. */
static void
test_flow (void)
{
  static const struct
  {
    GstFlowReturn flow;
    gboolean eos, error;
  } flows[] = {
    { GST_FLOW_OK, TRUE, FALSE },
    { GST_FLOW_NOT_LINKED, FALSE, FALSE },
    { GST_FLOW_NOT_LINKED, TRUE, TRUE },
    { GST_FLOW_FLUSHING, TRUE, FALSE },
    { GST_FLOW_EOS, TRUE, FALSE },
    { GST_FLOW_ERROR, TRUE, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (flows); i++) {
    SendWants wants;
    PaceTask p = { 0 };

    pace_init (&p);
    pace_start (&p);
    pace_run (&p);
    push_packet (&p, 0, 80000, &wants);
    if (flows[i].eos)
      pace_push_event (&p, gst_event_new_eos (), LIMIT, 1000 * MS);
    g_assert_cmpint (pace_on_flow (&p, flows[i].flow), ==, flows[i].error);
    g_assert_cmpuint (
        backlog_packets (p.backlog), ==, flows[i].flow == GST_FLOW_OK);
    g_assert_cmpuint (p.ended, ==,
        flows[i].flow != GST_FLOW_OK && flows[i].flow != GST_FLOW_FLUSHING);
    g_assert_cmpint (
        pace_relink (&p), ==, flows[i].flow == GST_FLOW_NOT_LINKED);
    pace_stop (&p);
    pace_clear (&p);
  }
}

typedef struct
{
  PaceTask task;
  GMutex lock;
  gboolean inside, left, drained, drained_late;
} Drain;

static gpointer
drain_run (gpointer data)
{
  Drain *d = data;

  g_mutex_lock (&d->lock);
  d->inside = TRUE; /* it waits when another thread has the lock */
  d->drained = pace_drain (&d->task, &d->lock);
  d->drained_late = d->left;
  g_mutex_unlock (&d->lock);
  return NULL;
}

/* pace_drain() waits for a packet that was taken and has not gone downstream yet, or until
 * a pad goes. */
static void
test_drain (gconstpointer goes)
{
  Drain d = { 0 };
  SendWants wants;
  GThread *thread;

  g_mutex_init (&d.lock);
  pace_init (&d.task);
  pace_start (&d.task);
  pace_run (&d.task);
  push_packet (&d.task, 0, 80000, &wants);
  take (&d.task);
  thread = g_thread_new ("drain", drain_run, &d);
  g_mutex_lock (&d.lock);
  while (!d.inside) {
    g_mutex_unlock (&d.lock);
    g_usleep (1000);
    g_mutex_lock (&d.lock);
  }
  d.left = TRUE;
  if (goes)
    pace_pad_goes (&d.task, TRUE);
  else
    pace_on_left (&d.task);
  g_mutex_unlock (&d.lock);
  g_thread_join (thread);
  g_assert_true (d.drained_late);
  g_assert_true (d.drained == !goes);
  pace_stop (&d.task);
  pace_clear (&d.task);
  g_mutex_clear (&d.lock);
}

void
tests_add (void)
{
  rows_add_by ("/send-pace/step", rows, name, test_step);
  g_test_add_func ("/send-pace/eos", test_eos);
  g_test_add_func ("/send-pace/push", test_push);
  g_test_add_func ("/send-pace/flow", test_flow);
  g_test_add_data_func ("/send-pace/drain", NULL, test_drain);
  g_test_add_data_func ("/send-pace/drain/goes", "", test_drain);
}
