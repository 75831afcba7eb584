/* SRTP with a key from end to end: recorded sessions, senders that start again
 * or move, wrong keys, and where the key can be seen.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../trust/trust.h"
#include "src-fixture.h"

#include <poll.h>
#include <srtp2/srtp.h>

/* RFC 3711 B.3's master key and salt; and another one. */
#define KEY "e1f97a0d3e018be0d64fa32c06de41390ec675ad498afeebb6960b3aabe6"
#define OTHER "e1f97a0d3e018be0d64fa32c06de41390ec675ad498afeebb6960b3aabe7"

/* --- a path -------------------------------------------------------------- */

/* Between a sender and a receiver: it records what the sender says. */
typedef struct
{
  gint outer, inner[2]; /* towards the sender, and the receiver */
  guint port;           /* of `outer` */
  guint src_port, sink_port;
  gint there, back; /* atomic: packets pass */
  gint way;         /* atomic: which of `inner` */
  gint stop;        /* atomic */
  GMutex lock;
  GPtrArray *record; /* of GBytes */
  GThread *thread;
} Path;

static void
path_take (Path *p, gint fd)
{
  gboolean there = fd == p->outer;
  UdpHeard heard;

  udp_hear (fd, &heard);
  if (heard.size <= 0)
    return;
  if (there) {
    p->sink_port = heard.from_port;
    g_mutex_lock (&p->lock);
    g_ptr_array_add (p->record, g_bytes_new (heard.data, (gsize) heard.size));
    g_mutex_unlock (&p->lock);
  }
  if (g_atomic_int_get (there ? &p->there : &p->back))
    udp_say (there ? p->inner[g_atomic_int_get (&p->way)] : p->outer,
        "127.0.0.1", there ? p->src_port : p->sink_port, 0, heard.data,
        (gsize) heard.size);
}

static gpointer
path_run (gpointer data)
{
  Path *p = data;

  while (!g_atomic_int_get (&p->stop)) {
    struct pollfd fds[3] = { { p->outer, POLLIN, 0 },
      { p->inner[0], POLLIN, 0 }, { p->inner[1], POLLIN, 0 } };

    poll (fds, 3, 10);
    for (guint i = 0; i < 3; i++) {
      if (fds[i].revents & POLLIN)
        path_take (p, fds[i].fd);
    }
  }
  return NULL;
}

static void
path_open (Path *p, gint src_port)
{
  guint port;

  *p = (Path){ .src_port = (guint) src_port, .there = TRUE, .back = TRUE };
  p->outer = udp_socket ("127.0.0.1", &p->port);
  p->inner[0] = udp_socket ("127.0.0.1", &port);
  p->inner[1] = udp_socket ("127.0.0.1", &port);
  p->record = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_mutex_init (&p->lock);
  p->thread = g_thread_new ("path", path_run, p);
}

/* What it recorded. (transfer full) */
static GPtrArray *
path_close (Path *p)
{
  g_atomic_int_set (&p->stop, TRUE);
  g_thread_join (p->thread);
  close (p->outer);
  close (p->inner[0]);
  close (p->inner[1]);
  g_mutex_clear (&p->lock);
  return p->record;
}

/* --- a sender ------------------------------------------------------------ */

static GstElement *
play_sender (guint port, const gchar *key)
{
  g_autofree gchar *line = g_strdup_printf (SENDER_VIDEO
      " ! rtpadaptsink name=sink fec=none host=127.0.0.1 port=%u key=%s",
      port, key);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);

  g_assert_no_error (error);
  g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_PLAYING), !=,
      GST_STATE_CHANGE_FAILURE);
  return pipeline;
}

static void
stop (GstElement *sender)
{
  gst_element_set_state (sender, GST_STATE_NULL);
  gst_object_unref (sender);
}

/* --- a stranger, who has a recording ------------------------------------- */

typedef struct
{
  gint fd;
  guint heard; /* packets that were sent to it */
  guint bytes;
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
    s->bytes += (guint) size;
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
  stop (sender);
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

static void
receiver_start (Receiver *t, const gchar *settings, gint port)
{
  g_autofree gchar *all = g_strdup_printf (
      "encoding-name=H264 key=" KEY " %s port=%d", settings, port);

  receiver_new (t, all, RECEIVER_H264);
  receiver_play (t);
}

/* The record comes while the true sender speaks, then for 2 s in which it does
 * not, then the sender goes on. */
static void
test_recorded (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  GPtrArray *record;
  GstElement *sender;
  Receiver t;
  Path path;
  Stranger s = { 0 };
  guint port;
  gint silent;
  guint64 moved, before;

  receiver_start (&t, rows[r].settings, 0);
  record = session_record (&t);
  if (rows[r].restarted) {
    gint same = t.port;

    receiver_end (&t);
    receiver_start (&t, rows[r].settings, same);
  }
  path_open (&path, t.port);
  sender = play_sender (path.port, KEY);
  wait_frames (&t, 0, 20);
  before = stat_of (t.src, "moved"); /* by the second path's address */
  s.fd = udp_socket ("127.0.0.1", &port);
  stranger_says (&s, (guint) t.port, record, 0, record->len / 2);
  if (rows[r].guarded) {
    g_atomic_int_set (&path.there, FALSE);
    g_usleep (500000); /* what was on its way has been shown */
    silent = g_atomic_int_get (&t.frames[0]);
    for (guint i = 0; i < rows[r].pause; i++) {
      guint half = record->len / 2, n = record->len - half;

      stranger_says (&s, (guint) t.port, record, half + n * i / rows[r].pause,
          half + n * (i + 1) / rows[r].pause);
      g_usleep (75000);
    }
    g_assert_cmpint (g_atomic_int_get (&t.frames[0]), ==, silent);
    g_atomic_int_set (&path.there, TRUE);
    wait_frames (&t, 0, 20);
  } else {
    WAIT_UNTIL (t.bus, stat_of (t.src, "moved") > before);
  }
  stranger_hears (&s);
  moved = stat_of (t.src, "moved") - before;
  if (rows[r].guarded)
    trust_row ("attack", rows[r].name,
        "played again from elsewhere under the same key, also in a pause of "
        "2 s: no picture of it, no move; the stranger gets some questions of "
        "less than 50 bytes, 10 a second at most, and no more",
        moved == 0 && g_atomic_int_get (&t.pads) == 1 && s.heard <= 40
            && s.bytes <= 50 * s.heard,
        "%u packets of the record, moved %" G_GUINT64_FORMAT
        " times, %u packets sent to the stranger",
        record->len, moved, s.heard);
  else
    g_assert_cmpuint (moved, >, 0); /* what the guard is there for */
  close (s.fd);
  stop (sender);
  g_ptr_array_unref (path_close (&path));
  g_ptr_array_unref (record);
  receiver_end (&t);
}

/* --- the true sender ----------------------------------------------------- */

static const gchar *const ports[] = { "", "rtcp-mux=false" };

/* It starts again, and its address changes: it plays. */
static void
test_true (void)
{
  gint64 from, again, there;
  GstElement *sender;
  Receiver t;
  Path path;

  receiver_start (&t, "", 0);
  path_open (&path, t.port);
  sender = play_sender (path.port, KEY);
  wait_frames (&t, 0, 20);
  g_assert_cmpuint (stat_of (t.src, "security/unproven"), ==, 0);
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
  trust_row ("fault", "sender restarted and moved, SRTP",
      "the replay guard keeps neither of them out; no packet is refused",
      stat_of (t.src, "security/unproven") == 0
          && g_atomic_int_get (&t.pads) == 1,
      "moved after %.2f s, restarted after %.2f s", (gdouble) there / 1e6,
      (gdouble) again / 1e6);
  stop (sender);
  g_ptr_array_unref (path_close (&path));
  receiver_end (&t);
}

/* Without a path between them, with one port and with two. */
static void
test_ports (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (ports); i++) {
    g_autofree gchar *line = NULL;
    GstElement *sender;
    GError *error = NULL;
    Receiver t;

    g_test_message ("%s", ports[i]);
    receiver_start (&t, ports[i], 0);
    line = g_strdup_printf (SENDER_VIDEO
        " ! rtpadaptsink fec=none host=127.0.0.1 port=%d key=" KEY " %s",
        t.port, ports[i]);
    sender = gst_parse_launch (line, &error);
    g_assert_no_error (error);
    gst_element_set_state (sender, GST_STATE_PLAYING);
    wait_frames (&t, 0, 20);
    stop (sender);
    receiver_end (&t);
  }
}

/* --- who does not answer ------------------------------------------------- */

/* Till there is a warning with these words. */
static void
wait_warning (GstBus *bus, const gchar *words)
{
  g_autofree gchar *said = NULL;

  do {
    g_clear_pointer (&said, g_free);
    WAIT_UNTIL (bus, (said = udp_said (bus, GST_MESSAGE_WARNING)) != NULL);
    g_test_message ("%s", said);
  } while (!strstr (said, words));
}

/* As a recording, or another program: its packets are held, then refused, and a
 * warning says what to do.  When the way back is there, it plays.  And a pair with
 * two keys meanwhile: both sides say so. */
static void
test_silent (void)
{
  GstElement *sender, *other;
  GstBus *bus;
  Receiver t, wrong;
  Path path;

  receiver_start (&wrong, "", 0);
  other = play_sender ((guint) wrong.port, OTHER);
  receiver_start (&t, "", 0);
  path_open (&path, t.port);
  g_atomic_int_set (&path.back, FALSE);
  sender = play_sender (path.port, KEY);
  wait_warning (t.bus, "replay-guard=false");
  g_assert_cmpint (g_atomic_int_get (&t.frames[0]), ==, 0);
  g_assert_cmpuint (stat_of (t.src, "rtp"), ==, 0);
  g_assert_cmpuint (stat_of (t.src, "security/unproven"), >, 0);
  g_atomic_int_set (&path.back, TRUE);
  wait_frames (&t, 0, 5);
  stop (sender);
  g_ptr_array_unref (path_close (&path));
  receiver_end (&t);

  bus = gst_element_get_bus (other);
  wait_warning (
      wrong.bus, "127.0.0.1 do not authenticate: is the key the same");
  wait_warning (bus, "127.0.0.1 do not authenticate: is the key the same");
  gst_object_unref (bus);
  stop (other);
  receiver_end (&wrong);
}

/* --- late joiners, and floods before them -------------------------------- */

/* A sender by hand, whose session began long ago. */
typedef struct
{
  srtp_t session;
  gint fd;
  guint64 sent;
} Hand;

static void
hand_new (Hand *h)
{
  guint8 key[30];
  guint port;
  srtp_policy_t policy = { .ssrc = { ssrc_any_outbound, 0 }, .key = key };

  for (guint i = 0; i < sizeof key; i++)
    key[i] = (guint8) (g_ascii_xdigit_value (KEY[2 * i]) << 4
        | g_ascii_xdigit_value (KEY[2 * i + 1]));
  srtp_crypto_policy_set_rtp_default (&policy.rtp);
  srtp_crypto_policy_set_rtp_default (&policy.rtcp);
  *h = (Hand){ .fd = udp_socket ("127.0.0.1", &port) };
  g_assert_cmpint (srtp_create (&h->session, &policy), ==, srtp_err_status_ok);
}

/* Its next packet, with an SSRC; `say`: it is sent, else made for nobody. */
static void
hand_next (Hand *h, guint port, guint32 ssrc, gboolean say)
{
  guint8 data[128] = { 0x80, 96, (guint8) (h->sent >> 8), (guint8) h->sent };
  gint len = 60;

  h->sent++;
  GST_WRITE_UINT32_BE (data + 8, ssrc);
  g_assert_cmpint (
      srtp_protect (h->session, data, &len), ==, srtp_err_status_ok);
  if (say)
    udp_say (h->fd, "127.0.0.1", port, 0, data, (gsize) len);
}

static void
hand_skip (Hand *h, guint32 ssrc, guint64 n)
{
  for (guint64 to = h->sent + n; h->sent < to;) {
    h->sent = MIN (h->sent + 30000, to - 1);
    hand_next (h, 0, ssrc, FALSE);
  }
}

#define FAKES 2000

/* Made-up SSRCs, each once. */
static void
flood (Receiver *t, guint32 first)
{
  guint64 dropped = stat_of (t->src, "security/dropped");
  guint8 data[70] = { 0x80, 96 };
  guint port;
  gint fd = udp_socket ("127.0.0.1", &port);

  for (guint i = 1; i <= FAKES; i++) {
    GST_WRITE_UINT32_BE (data + 8, first + i);
    udp_say (fd, "127.0.0.1", (guint) t->port, 0, data, sizeof data);
    if (i % 50 == 0) /* the socket's buffer is small */
      WAIT_UNTIL (t->bus, stat_of (t->src, "security/dropped") >= dropped + i);
  }
  close (fd);
}

static const struct
{
  const gchar *name;
  guint64 before;
} late[] = {
  { "12 SSRCs, receiver starts", 0 },
  { "12 SSRCs, receiver starts after a wrap", 65536 + 100 },
  { "12 SSRCs, receiver starts after three wraps", 3 * 65536 + 100 },
};

static guint64
stat_uint (GstElement *element, const gchar *name)
{
  GstStructure *stats, *inner = NULL;
  guint value = 0;

  g_object_get (element, "stats", &stats, NULL);
  gst_structure_get (stats, "security", GST_TYPE_STRUCTURE, &inner, NULL);
  g_assert_true (gst_structure_get_uint (inner, name, &value));
  gst_structure_free (inner);
  gst_structure_free (stats);
  return value;
}

static void
test_late (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  guint64 streams;
  Receiver t;
  Hand h;

  hand_new (&h);
  hand_skip (&h, 1, late[r].before);
  receiver_new (&t, "encoding-name=RAW replay-guard=false key=" KEY, "");
  receiver_play (&t);
  flood (&t, 0x1000);
  hand_next (&h, (guint) t.port, 1, TRUE);
  WAIT_UNTIL (t.bus, stat_of (t.src, "rtp") == 1);
  /* 1.1 s in which 40,000 packets are lost */
  hand_skip (&h, 1, 40000);
  g_usleep (1100000);
  hand_next (&h, (guint) t.port, 1, TRUE);
  WAIT_UNTIL (t.bus, stat_of (t.src, "rtp") == 2);
  /* a restart in another flood */
  flood (&t, 0x10000);
  h.sent = 7;
  hand_next (&h, (guint) t.port, 2, TRUE);
  WAIT_UNTIL (t.bus, stat_of (t.src, "rtp") == 3);
  streams = stat_uint (t.src, "streams");
  trust_row ("flood", late[r].name,
      "behind 2,000 made-up SSRCs the first packet passes, and the first after a "
      "gap of 40,000 and after a restart; none of 4,000 is kept",
      streams == 2, "%" G_GUINT64_FORMAT " streams", streams);
  srtp_dealloc (h.session);
  close (h.fd);
  receiver_end (&t);
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

static gboolean
is_in_dot (GstElement *bin)
{
  g_autofree gchar *dot
      = gst_debug_bin_to_dot_data (GST_BIN (bin), GST_DEBUG_GRAPH_SHOW_ALL);

  return strstr (dot, "e1f97a0d3e018be0") != NULL;
}

/* In no log, up to GST_DEBUG=7, and in no picture of the pipeline.  The key is
 * set as a program does it: gst-launch-1.0 logs its own command line. */
static void
test_secret (void)
{
  g_autofree gchar *path
      = g_build_filename (g_get_tmp_dir (), "key-XXXXXX", NULL);
  gint fd = g_mkstemp (path);
  Lines seen = { 0 };
  GstElement *sender, *sink;
  GError *error = NULL;
  gboolean drawn;
  Receiver t;

  g_assert_cmpint (write (fd, KEY, strlen (KEY)), ==, (gssize) strlen (KEY));
  close (fd);
  gst_debug_add_log_function (look_at_log, &seen, NULL);
  gst_debug_set_active (TRUE);
  gst_debug_set_default_threshold (GST_LEVEL_TRACE);
  gst_debug_remove_log_function (gst_debug_log_default);
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
  gst_debug_remove_log_function (look_at_log);
  gst_object_unref (sink);
  stop (sender);
  receiver_end (&t);
  unlink (path);
  trust_row ("attack", "14 reads logs",
      "the key is in no log (GST_DEBUG=7) and no drawing of a pipeline",
      seen.all > 1000 && seen.bad == 0 && !drawn, "%d of %d lines", seen.bad,
      seen.all);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree gchar *path = g_strdup_printf ("/secure-replay/recorded/%u", i);

    g_test_add_data_func (path, GUINT_TO_POINTER (i), test_recorded);
  }
  g_test_add_func ("/secure-replay/true", test_true);
  g_test_add_func ("/secure-replay/ports", test_ports);
  g_test_add_func ("/secure-replay/silent", test_silent);
  for (guint i = 0; i < G_N_ELEMENTS (late); i++) {
    g_autofree gchar *path = g_strdup_printf ("/secure-replay/late/%u", i);

    g_test_add_data_func (path, GUINT_TO_POINTER (i), test_late);
  }
  g_test_add_func ("/secure-replay/secret", test_secret);
  return g_test_run ();
}
