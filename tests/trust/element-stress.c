/* Started and stopped, many at a time, and changed from other threads.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../elements/src-fixture.h"
#include "trust.h"


#ifdef __SANITIZE_ADDRESS__
#define CYCLES 20 /* of .5 s and more */
#define STREAMS 10
#else
#define CYCLES 100
#define STREAMS 50
#endif

/* PCMU needs no codec worth the name; the receiver knows payload type 0. */
#define TONE(samples)                                         \
  "audiotestsrc is-live=true samplesperbuffer=" samples " ! " \
  "audio/x-raw,rate=8000,channels=1 ! mulawenc ! rtppcmupay "

/* --- one after the other -------------------------------------------------------- */

static guint
threads (void)
{
  GDir *dir = g_dir_open ("/proc/self/task", 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir))
    n++;
  g_dir_close (dir);
  return n;
}

/* Every second time with elements that were played before. */
typedef struct
{
  Receiver t;
  GstElement *sender;
} Couple;

static void
couple_new (Couple *c)
{
  receiver_new (&c->t, "latency=20", "rtppcmudepay" RECEIVER_OUT);
  c->sender = gst_parse_launch (
      TONE ("160") " ! rtpadaptsink name=s host=127.0.0.1", NULL);
  g_assert_nonnull (c->sender);
}

static void
couple_free (Couple *c)
{
  receiver_end (&c->t);
  gst_object_unref (c->sender);
}

static void
couple_cycle (Couple *c)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (c->sender), "s");

  receiver_play (&c->t);
  g_object_set (sink, "port", c->t.port, NULL);
  gst_object_unref (sink);
  g_assert_cmpint (gst_element_set_state (c->sender, GST_STATE_PLAYING), !=,
      GST_STATE_CHANGE_FAILURE);
  wait_frames (&c->t, 0, 2);
  gst_element_set_state (c->sender, GST_STATE_NULL);
  gst_element_set_state (c->t.pipeline, GST_STATE_NULL);
}

static void
test_cycles (void)
{
  guint files = 0, tasks = 0, more_files, more_tasks;
  gint64 before = 0;
  gdouble grown;

  for (guint i = 0; i < CYCLES; i += 2) {
    Couple c;

    couple_new (&c);
    couple_cycle (&c);
    couple_cycle (&c);
    couple_free (&c);
    if (i + 2 == CYCLES / 2) { /* what is made once has been made */
      files = udp_open_files ();
      tasks = threads ();
      before = trust_memory ();
    }
  }
  more_files = udp_open_files () - files;
  /* Those of GLib's pool come and go. */
  more_tasks = threads () > tasks ? threads () - tasks : 0;
  grown = before ? (gdouble) (trust_memory () - before) / 1e6 : 0;
  trust_row ("stress", G_STRINGIFY (CYCLES) " starts and stops",
      "sender and receiver, each time with packets that arrive: the second half "
      "leaves no file, no 8 threads, no MB behind",
      more_files == 0 && more_tasks < 8 && grown < 1,
      "%u files, %u threads, %.2f MB more", more_files, more_tasks, grown);
}

/* --- at the same time ------------------------------------------------------------ */

static void
test_streams (void)
{
  GstElement *sinks[STREAMS], *senders[STREAMS];
  Receiver receivers[STREAMS];
  guint fed = 0, heard = 0;

  for (guint i = 0; i < STREAMS; i++) {
    receiver_open (&receivers[i], "", "rtppcmudepay" RECEIVER_OUT);
    senders[i] = gst_parse_launch (
        TONE ("800") " ! rtpadaptsink name=s host=127.0.0.1", NULL);
    sinks[i] = gst_bin_get_by_name (GST_BIN (senders[i]), "s");
    g_object_set (sinks[i], "port", receivers[i].port, NULL);
    gst_element_set_state (senders[i], GST_STATE_PLAYING);
  }
  for (guint i = 0; i < STREAMS; i++) {
    wait_frames (&receivers[i], 0, 10);
    heard++;
    WAIT_UNTIL (receivers[i].bus, stat_of (sinks[i], "sender/reports-ok") > 0);
    fed++;
  }
  for (guint i = 0; i < STREAMS; i++) {
    gst_element_set_state (senders[i], GST_STATE_NULL);
    receiver_end (&receivers[i]);
    gst_object_unref (sinks[i]);
    gst_object_unref (senders[i]);
  }
  trust_row ("stress", G_STRINGIFY (STREAMS) " streams in one process",
      "as many senders and receivers: each hears 10 packets and gives feedback",
      fed == STREAMS && heard == STREAMS, "%u and %u", heard, fed);
}

int
main (int argc, char **argv)
{
  gint status;

  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stress/cycles", test_cycles);
  g_test_add_func ("/stress/streams", test_streams);
  status = g_test_run ();
  gst_deinit (); /* GStreamer's leaks tracer tells then (tests/trust/valgrind) */
  return status;
}
