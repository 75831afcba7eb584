/* SRTP with a key from end to end: recorded sessions, senders that restart or move,
 * and places where the key must not be seen.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../trust/trust.h"
#include "secure-fixture.h"
#include "../rows.h"

/* --- a stranger, who has a recording ------------------------------------- */

typedef struct
{
  gint fd;
  guint heard;   /* packets that were sent to it */
  gsize largest; /* bytes of one */
} Stranger;

static void
stranger_says (Stranger *s, guint port, GPtrArray *record, guint from, guint to)
{
  for (guint i = from; i < to; i++) {
    gsize size;
    gconstpointer data
        = g_bytes_get_data (g_ptr_array_index (record, i), &size);

    udp_say (s->fd, "127.0.0.1", port, 0, data, size);
    if (i % 20 == 19)
      g_usleep (10000); /* the socket's buffer is small */
  }
}

static void
stranger_hears (Stranger *s)
{
  guint8 data[2048];
  gssize size;

  while ((size = recv (s->fd, data, sizeof data, MSG_DONTWAIT)) >= 0) {
    s->heard++;
    s->largest = MAX (s->largest, (gsize) size);
  }
}

/* A session that is recorded by the path. (transfer full) */
static GPtrArray *
session_record (Receiver *t)
{
  GstElement *sender;
  Path path;

  path_open (&path, t->port);
  sender = play_sender (path.port, KEY);
  wait_frames (t, 0, 40);
  line_end (sender);
  return path_close (&path);
}

static const struct
{
  const gchar *name, *settings;
  gboolean restarted; /* between the sessions */
  gboolean guarded;
  guint pause; /* steps of 100 ms */
} rows[] = {
  { "recorded session, receiver restarted", "", TRUE, TRUE, 20 },
  { "recorded session, same receiver", "", FALSE, TRUE, 1 },
  { "recorded session, no guard", "replay-guard=false", TRUE, FALSE, 0 },
};

/* The recording comes while the true sender speaks, and then for 2 s in which the
 * sender is silent.  Then the sender goes on. */
static void
test_recorded (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  g_autoptr (GPtrArray) record = NULL;
  GstElement *sender;
  Receiver t;
  Path path;
  Stranger s = { 0 };
  gint own = (gint) udp_free_port ();
  guint port;
  gint64 began;
  guint64 moved, before, first, heard;

  receiver_start (&t, rows[r].settings, own);
  record = session_record (&t);
  if (rows[r].restarted) {
    receiver_end (&t);
    receiver_start (&t, rows[r].settings, own);
  }
  first = stat_of (t.src, "rtp");
  path_open (&path, t.port);
  sender = play_sender (path.port, KEY);
  wait_frames (&t, 0, 20);
  before = stat_of (t.src, "moved"); /* by the second path's address */
  began = g_get_monotonic_time ();
  s.fd = udp_socket ("127.0.0.1", &port);
  stranger_says (&s, (guint) t.port, record, 0, record->len / 2);
  if (rows[r].guarded) {
    g_atomic_int_set (&path.there, FALSE);
    for (guint i = 0; i < rows[r].pause; i++) {
      guint half = record->len / 2, n = record->len - half;

      stranger_says (&s, (guint) t.port, record, half + n * i / rows[r].pause,
          half + n * (i + 1) / rows[r].pause);
      g_usleep (75000);
    }
    /* What is let in came by the path. */
    heard = stat_of (t.src, "rtp") - first;
    g_assert_cmpuint (heard, <=, (guint64) g_atomic_int_get (&path.passed));
    g_atomic_int_set (&path.there, TRUE);
    wait_frames (&t, 0, 20);
  } else {
    WAIT_UNTIL (t.bus, stat_of (t.src, "moved") > before);
  }
  stranger_hears (&s);
  moved = stat_of (t.src, "moved") - before;
  if (rows[r].guarded)
    trust_row ("attack", rows[r].name,
        rows[r].restarted
            ? "played again from elsewhere under the same key, also in a pause of "
              "2 s: no picture of it, no move; the stranger gets some questions of "
              "less than 50 bytes, 20 a second at most, and no more"
            : "played again from elsewhere under the same key: no picture of it, no "
              "move, and no answer",
        moved == 0 && g_atomic_int_get (&t.pads) == 1
            && s.heard
                <= 20 * (1 + (g_get_monotonic_time () - began) / G_USEC_PER_SEC)
            && s.largest < 50 && (s.heard > 0) == rows[r].restarted,
        "%u packets of the record, moved %" G_GUINT64_FORMAT
        " times, %u packets sent to the stranger",
        record->len, moved, s.heard);
  else
    g_assert_cmpuint (moved, >, 0); /* the guard prevents this */
  close (s.fd);
  line_end (sender);
  g_ptr_array_unref (path_close (&path));
  receiver_end (&t);
}

/* --- the true sender ----------------------------------------------------- */

/* The receiver holds packets for so long until they are proven (wire/replayguard.h). */
#define HELD (3 * G_TIME_SPAN_SECOND)

static const gchar *const ports[] = { "", "rtcp-mux=false" };

/* Returns FALSE, and decides nothing, where the machine was too slow and `last` is
 * FALSE. */
static gboolean
true_once (gboolean last)
{
  gint64 from, began, again, there;
  guint64 unproven;
  gboolean slow;
  GstElement *sender;
  g_auto (Receiver) t;
  Path path;

  receiver_start (&t, "", 0);
  path_open (&path, t.port);
  from = g_get_monotonic_time ();
  sender = play_sender (path.port, KEY);
  wait_frames (&t, 0, 20);
  began = g_get_monotonic_time () - from;
  g_atomic_int_set (&path.way, 1);
  from = g_get_monotonic_time ();
  WAIT_UNTIL (t.bus, stat_of (t.src, "moved") == 1);
  there = g_get_monotonic_time () - from;
  wait_frames (&t, 0, 20);
  gst_element_set_state (sender, GST_STATE_NULL);
  gst_object_unref (sender);
  g_usleep (200000);
  from = g_get_monotonic_time ();
  sender = play_sender (path.port, KEY);
  wait_frames (&t, 0, 5);
  again = g_get_monotonic_time () - from;
  unproven = stat_of (t.src, "security/unproven");
  line_end (sender);
  g_ptr_array_unref (path_close (&path));
  slow = MAX (began, MAX (there, again)) > HELD;
  if (slow && !last && unproven > 0)
    return FALSE;
  trust_row ("fault", "sender restarted and moved, SRTP",
      "the replay guard keeps neither of them out; no packet is refused",
      unproven == 0 && g_atomic_int_get (&t.pads) == 1,
      "moved after %.2f s, restarted after %.2f s", (gdouble) there / 1e6,
      (gdouble) again / 1e6);
  return TRUE;
}

/* A sender restarts, and its address changes: it plays. */
static void
test_true (void)
{
  guint tries = 0;

  while (!true_once (++tries == 5))
    ;
}

/* Without a path between them, with one port and with two. */
static void
test_ports (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (ports); i++) {
    g_autofree gchar *line = NULL;
    GstElement *sender;
    GError *error = NULL;
    g_auto (Receiver) t;

    g_test_message ("%s", ports[i]);
    receiver_start (&t, ports[i], 0);
    line = g_strdup_printf (SENDER_VIDEO
        " ! rtpadaptsink fec=none host=127.0.0.1 port=%d key=" KEY " %s",
        t.port, ports[i]);
    sender = gst_parse_launch (line, &error);
    g_assert_no_error (error);
    gst_element_set_state (sender, GST_STATE_PLAYING);
    wait_frames (&t, 0, 20);
    line_end (sender);
  }
}

static const struct
{
  const gchar
      *host; /* of the sender at first; the receiver is in 239.255.42.9 */
  gint port; /* added to the receiver's */
  const gchar *why;
} groups[] = {
  { "239.255.42.10", 0, "the host changes" },
  { "239.255.42.9", -1, "the port changes" },
};

/* A sender turns to another group, where the receiver waits for its answers. */
static void
test_group (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autoptr (GstElement) sink = NULL;
  GstElement *sender;
  g_auto (Receiver) t;

  g_test_message ("%s", groups[row].why);
  receiver_start (&t, "address=239.255.42.9 multicast-iface=lo", 0);
  sender = line_playf (NULL,
      SENDER_VIDEO " ! rtpadaptsink name=sink fec=none multicast-iface=lo "
                   "host=%s port=%d key=" KEY,
      groups[row].host, t.port + groups[row].port);
  sink = gst_bin_get_by_name (GST_BIN (sender), "sink");
  g_object_set (sink, "host", "239.255.42.9", "port", t.port, NULL);
  wait_frames (&t, 0, 5);
  line_end (sender);
}

/* --- where the key can be seen ------------------------------------------- */

typedef struct
{
  gint all, bad;
} Lines;

static void
look_at_log (GstDebugCategory *category, GstDebugLevel level, const gchar *file,
    const gchar *function, gint line, GObject *object, GstDebugMessage *message,
    gpointer data)
{
  const gchar *text = gst_debug_message_get (message);

  if (text && strstr (text, "e1f97a0d3e018be0"))
    g_atomic_int_inc (&((Lines *) data)->bad);
  g_atomic_int_inc (&((Lines *) data)->all);
}

/* GStreamer lets go of its list of log functions when one comes or goes, but there is
 * none yet before gst_init(). */
__attribute__ ((constructor)) static void
log_nothing (void)
{
  gst_debug_remove_log_function (gst_debug_log_default);
}

static gboolean
is_in_dot (GstElement *bin)
{
  g_autofree gchar *dot
      = gst_debug_bin_to_dot_data (GST_BIN (bin), GST_DEBUG_GRAPH_SHOW_ALL);

  return strstr (dot, "e1f97a0d3e018be0") != NULL;
}

/* The key is in no log, up to GST_DEBUG=7, and in no picture of the pipeline.  It is
 * set as a program does it, because gst-launch-1.0 logs its own command line. */
static void
test_secret (void)
{
  g_autofree gchar *path
      = g_build_filename (g_get_tmp_dir (), "key-XXXXXX", NULL);
  gint fd = g_mkstemp (path);
  /* Static: a thread of an earlier test may log before it sees a write of ours. */
  static Lines seen;
  GstElement *sender, *sink;
  GError *error = NULL;
  gboolean drawn;
  gint all, bad;
  Receiver t;

  g_assert_cmpint (write (fd, KEY, strlen (KEY)), ==, (gssize) strlen (KEY));
  close (fd);
  gst_debug_add_log_function (look_at_log, &seen, NULL);
  gst_debug_set_active (TRUE);
  gst_debug_set_default_threshold (GST_LEVEL_TRACE);
  receiver_new (&t, "encoding-name=H264", RECEIVER_H264);
  g_object_set (t.src, "key-file", path, NULL);
  receiver_play (&t);
  sender = gst_parse_launch (
      SENDER_VIDEO " ! rtpadaptsink name=sink host=127.0.0.1", &error);
  g_assert_no_error (error);
  sink = gst_bin_get_by_name (GST_BIN (sender), "sink");
  g_object_set (sink, "key", KEY, "port", t.port, NULL);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  wait_frames (&t, 0, 3);
  drawn = is_in_dot (sender) || is_in_dot (t.pipeline);
  gst_debug_set_default_threshold (GST_LEVEL_NONE);
  gst_object_unref (sink);
  line_end (sender);
  receiver_end (&t);
  unlink (path);
  all = g_atomic_int_get (&seen.all);
  bad = g_atomic_int_get (&seen.bad);
  trust_row ("attack", "14 reads logs",
      "the key is in no log (GST_DEBUG=7) and no drawing of a pipeline",
      all > 1000 && bad == 0 && !drawn, "%d of %d lines", bad, all);
}

void
tests_add (void)
{
  rows_add ("/secure-replay/recorded", rows, test_recorded);
  g_test_add_func ("/secure-replay/true", test_true);
  g_test_add_func ("/secure-replay/ports", test_ports);
  rows_add ("/secure-replay/group", groups, test_group);
  g_test_add_func ("/secure-replay/secret", test_secret);
}
