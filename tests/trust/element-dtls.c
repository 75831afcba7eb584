/* DTLS of both bins: strangers, and peers that are replaced.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "src-fixture.h"
#include "stranger-pem.h"
#include "trust.h"

#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>

#define SEED 20261122
/* Seconds, for slow machines.  A call that hangs takes for ever. */
#define NULL_MOST 20
#define READY_MOST 60

/* --- the two bins -------------------------------------------------------- */

/* SHA-256 of the certificate that the elements of this process share. */
static gchar *
our_fingerprint (void)
{
  GstElement *dec = gst_element_factory_make ("dtlssrtpdec", NULL);
  g_autofree gchar *pem = NULL;
  g_autofree guint8 *der = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  g_auto (GStrv) lines = NULL;
  gsize size;

  g_object_get (dec, "pem", &pem, NULL);
  gst_object_unref (dec);
  lines = g_strsplit (pem, "\n", -1);
  for (guint i = 1; lines[i] && !g_str_has_prefix (lines[i], "-----END"); i++)
    g_string_append (text, lines[i]);
  der = g_base64_decode (text->str, &size);
  return g_compute_checksum_for_data (G_CHECKSUM_SHA256, der, size);
}

/* `port` 0: any. */
static void
receiver_begin (Receiver *t, guint port, const gchar *settings)
{
  g_autofree gchar *all = g_strdup_printf (
      "encoding-name=H264 dtls=true port=%u %s", port, settings);

  receiver_open (t, all, RECEIVER_H264);
}

typedef struct
{
  GstElement *pipeline, *sink;
  GstBus *bus;
} Sending;

static void
sender_begin (Sending *s, guint port, const gchar *settings)
{
  g_autofree gchar *line = g_strdup_printf (
      "videotestsrc is-live=true ! "
      "video/x-raw,width=160,height=120,framerate=30/1 ! x264enc "
      "tune=zerolatency speed-preset=ultrafast key-int-max=300 bitrate=300 ! "
      "rtph264pay mtu=600 config-interval=-1 ! rtpadaptsink name=sink "
      "host=127.0.0.1 dtls=true controller=fixed port=%u %s",
      port, settings);
  GError *error = NULL;

  s->pipeline = gst_parse_launch (line, &error);
  g_assert_no_error (error);
  s->sink = gst_bin_get_by_name (GST_BIN (s->pipeline), "sink");
  s->bus = gst_element_get_bus (s->pipeline);
  g_assert_cmpint (gst_element_set_state (s->pipeline, GST_STATE_PLAYING), !=,
      GST_STATE_CHANGE_FAILURE);
}

/* The most seconds that a change to NULL took in a test. */
static gdouble
to_null (GstElement *pipeline)
{
  gint64 from = g_get_monotonic_time ();

  gst_element_set_state (pipeline, GST_STATE_NULL);
  return (gdouble) (g_get_monotonic_time () - from) / G_USEC_PER_SEC;
}

static gdouble
sender_stop (Sending *s)
{
  gdouble took;

  check_bus (s->bus);
  took = to_null (s->pipeline);
  gst_object_unref (s->bus);
  gst_object_unref (s->sink);
  gst_object_unref (s->pipeline);
  return took;
}

static gdouble
receiver_stop (Receiver *t)
{
  gdouble took;

  check_bus (t->bus);
  took = to_null (t->pipeline);
  receiver_end (t);
  return took;
}

static gboolean
is_ready (GstElement *element)
{
  return stats_number (element, "security/ready") != 0;
}

/* Seconds from now until both are ready. */
static gdouble
until_ready (Receiver *t, Sending *s)
{
  gint64 from = g_get_monotonic_time ();

  WAIT_UNTIL (s->bus, is_ready (s->sink));
  WAIT_UNTIL (t->bus, is_ready (t->src));
  return (gdouble) (g_get_monotonic_time () - from) / G_USEC_PER_SEC;
}

static gchar *stranger_settings; /* with a certificate of its own */

/* --- strangers ----------------------------------------------------------- */

static const guint8 junk[]
    = { 0x19, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0 };
/* Fatal: handshake failure. */
static const guint8 alert[]
    = { 0x15, 0xfe, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 40 };

/* Random datagrams: some only begin like DTLS, and some have all its forms. */
static gsize
random_record (GRand *rand, guint8 data[256])
{
  guint form = (guint) g_rand_int_range (rand, 0, 3);
  gsize size = (gsize) g_rand_int_range (rand, 26, 256);

  for (gsize i = 0; i < size; i++)
    data[i] = (guint8) g_rand_int (rand);
  data[0] = (guint8) g_rand_int_range (rand, 20, 64);
  if (form == 0)
    return size;
  data[0] = (guint8) g_rand_int_range (rand, 20, 24);
  data[1] = 0xfe;
  data[2] = g_rand_boolean (rand) ? 0xfd : 0xff;
  data[3] = 0;
  data[4] = (guint8) g_rand_int_range (rand, 0, 2);
  data[11] = 0;
  data[12] = (guint8) (size - 13);
  if (form == 1)
    return size;
  /* A whole handshake message, or the first part of one. */
  data[0] = 22;
  data[4] = 0;
  data[13] = (guint8) g_rand_int_range (rand, 0, 21);
  GST_WRITE_UINT24_BE (
      data + 14, (guint) size - 25 + (guint) g_rand_int_range (rand, 0, 2));
  data[17] = 0;
  data[18] = (guint8) g_rand_int_range (rand, 0, 4);
  GST_WRITE_UINT24_BE (data + 19, 0);
  GST_WRITE_UINT24_BE (data + 22, (guint) size - 25);
  return size;
}

static void
attack (gint fd, guint port, GRand *rand, guint records)
{
  guint8 data[256];

  udp_say (fd, "127.0.0.1", port, 0, junk, sizeof junk);
  udp_say (fd, "127.0.0.1", port, 0, alert, sizeof alert);
  for (guint i = 0; i < records; i++) {
    udp_say (fd, "127.0.0.1", port, 0, data, random_record (rand, data));
    if (i % 20 == 0)
      g_usleep (1000); /* the socket's queue is finite */
  }
}

typedef struct
{
  guint port;
  gint stop;
} Attacker;

static gpointer
attack_on (gpointer data)
{
  Attacker *a = data;
  g_autoptr (GRand) rand = g_rand_new_with_seed (SEED);
  gint fd = udp_socket ("127.0.0.1", NULL);

  /* 1100 a second. */
  while (!g_atomic_int_get (&a->stop)) {
    attack (fd, a->port, rand, 20);
    g_usleep (19000);
  }
  close (fd);
  return NULL;
}

/* A handshake with the stranger's certificate, until a warning tells of it. */
static void
wrong_certificate (Receiver *t)
{
  GstMessage *message = NULL;
  Sending stranger;

  sender_begin (&stranger, (guint) t->port, stranger_settings);
  while (!message) {
    g_autoptr (GError) error = NULL;

    message = gst_bus_timed_pop_filtered (
        t->bus, 60 * GST_SECOND, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
    g_assert_nonnull (message);
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      g_error ("an error of the receiver");
    gst_message_parse_warning (message, &error, NULL);
    if (!strstr (error->message, "was refused"))
      gst_clear_message (&message);
  }
  gst_message_unref (message);
  sender_stop (&stranger);
}

/* The same by openssl, if it is there, without a certificate.  No alert comes, but its
 * last flight, which says that there is none, is refused when it comes again. */
static gboolean
no_certificate (Receiver *t)
{
  g_autofree gchar *to = g_strdup_printf ("127.0.0.1:%d", t->port);
  g_autofree gchar *openssl = g_find_program_in_path ("openssl");
  guint64 handshakes = stat_of (t->src, "security/handshakes"), refused;
  g_autoptr (GSubprocess) client = NULL;
  g_autoptr (GDataInputStream) states = NULL;
  gboolean finished = FALSE;
  GError *error = NULL;

  if (!openssl)
    return FALSE;
  client = g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE
          | G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_PIPE,
      &error, "timeout", "60", openssl, "s_client", "-dtls1_2", "-state",
      "-use_srtp", "SRTP_AES128_CM_SHA1_80", "-connect", to, NULL);
  g_assert_no_error (error);
  states = g_data_input_stream_new (g_subprocess_get_stderr_pipe (client));
  while (!finished) {
    g_autofree gchar *line
        = g_data_input_stream_read_line (states, NULL, NULL, NULL);

    g_assert_nonnull (line);
    finished = strstr (line, "write finished") != NULL;
  }
  refused = stat_of (t->src, "security/dtls-refused");
  WAIT_UNTIL (t->bus,
      stat_of (t->src, "security/dtls-refused") > refused
          || stat_of (t->src, "security/handshakes") > handshakes);
  g_subprocess_send_signal (client, SIGTERM); /* also to openssl */
  g_subprocess_wait (client, NULL, NULL);
  return TRUE;
}

static void
test_receiver (void)
{
  g_autofree gchar *fp = our_fingerprint ();
  g_autofree gchar *settings = g_strdup_printf ("fingerprint=%s", fp);
  g_autoptr (GRand) rand = g_rand_new_with_seed (SEED);
  Attacker attacker = { 0 };
  GThread *thread;
  Sending s;
  Receiver t;
  gint fd = udp_socket ("127.0.0.1", NULL);
  gdouble ready, null;
  guint64 finished;
  gboolean tried;

  receiver_begin (&t, 0, settings);
  attack (fd, (guint) t.port, rand, 1000);
  tried = no_certificate (&t);
  wrong_certificate (&t);
  attacker.port = (guint) t.port;
  thread = g_thread_new ("stranger", attack_on, &attacker);
  sender_begin (&s, (guint) t.port, settings);
  ready = until_ready (&t, &s);
  g_atomic_int_set (&attacker.stop, 1);
  g_thread_join (thread);
  wait_frames (&t, 0, 10);
  attack (fd, (guint) t.port, rand, 1000);
  no_certificate (&t);
  wait_frames (&t, 0, 20);
  finished = stat_of (t.src, "security/handshakes");
  null = sender_stop (&s);
  null = fmax (null, receiver_stop (&t));
  close (fd);
  trust_row ("attack", "1 DTLS: strangers at the receiver",
      "the true peer is soon ready (5 s if idle) and plays; NULL within 20 s",
      ready < READY_MOST && finished == 1 && null < NULL_MOST,
      "ready after %.1f s, %" G_GUINT64_FORMAT " handshake, NULL %.1f s%s",
      ready, finished, null,
      tried ? "" : "; without openssl, so each had a certificate");
}

static void
test_sender (void)
{
  g_autofree gchar *fp = our_fingerprint ();
  guint own = udp_free_port (), theirs = udp_free_port ();
  g_autofree gchar *settings = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (SEED + 1);
  Attacker attacker = { 0 };
  gint fd = udp_socket ("127.0.0.1", NULL);
  gdouble ready, null;
  GThread *thread;
  Sending s;
  Receiver t;

  attacker.port = own;
  settings = g_strdup_printf ("fingerprint=%s bind-port=%u", fp, own);
  sender_begin (&s, theirs, settings);
  attack (fd, own, rand, 1000);
  g_assert_false (is_ready (s.sink));
  thread = g_thread_new ("stranger", attack_on, &attacker);
  receiver_begin (&t, theirs, "");
  ready = until_ready (&t, &s);
  g_atomic_int_set (&attacker.stop, 1);
  g_thread_join (thread);
  attack (fd, own, rand, 1000);
  wait_frames (&t, 0, 20);
  null = sender_stop (&s);
  null = fmax (null, receiver_stop (&t));
  close (fd);
  trust_row ("attack", "1 DTLS: strangers at the sender",
      "the true peer is soon ready (5 s if idle) and plays; NULL within 20 s",
      ready < READY_MOST && null < NULL_MOST, "ready after %.1f s, NULL %.1f s",
      ready, null);
}

/* Watches until the stranger is ready and 45 frames came, which is longer than a
 * silence, or until it has the peer's place.  Returns the longest time without a frame
 * before, us. */
static gint64
watch_peer (Receiver *t, Sending *stranger)
{
  gint64 now, last = g_get_monotonic_time (), longest = 0;
  gint frames = g_atomic_int_get (&t->frames[0]), end = G_MAXINT;

  while (frames < end && stat_of (t->src, "security/handshakes") == 1) {
    gint n = g_atomic_int_get (&t->frames[0]);

    check_bus (t->bus);
    check_bus (stranger->bus);
    now = g_get_monotonic_time ();
    longest = MAX (longest, now - last);
    g_assert_cmpint (longest, <, PATIENCE);
    if (n > frames)
      last = now;
    frames = n;
    if (end == G_MAXINT && is_ready (stranger->sink))
      end = frames + 45;
    g_usleep (10000);
  }
  return MAX (longest, g_get_monotonic_time () - last);
}

/* Without a fingerprint a handshake with anybody succeeds, but the peer that speaks
 * keeps its place.  A slow machine may silence that one for 1 s, less what the
 * jitterbuffer has: then another try decides. */
static void
test_takeover (void)
{
  guint64 finished = 0;
  gint64 longest = G_MAXINT64;
  guint tries = 0;

  while (
      finished != 1 && longest > 700 * G_TIME_SPAN_MILLISECOND && tries++ < 5) {
    Sending s, stranger;
    Receiver t;

    receiver_begin (&t, 0, "");
    sender_begin (&s, (guint) t.port, "");
    until_ready (&t, &s);
    wait_frames (&t, 0, 5);
    sender_begin (&stranger, (guint) t.port, stranger_settings);
    longest = watch_peer (&t, &stranger);
    finished = stat_of (t.src, "security/handshakes");
    sender_stop (&stranger);
    sender_stop (&s);
    receiver_stop (&t);
  }
  trust_row ("attack", "1 DTLS: takeover without fingerprint",
      "a stranger's handshake does not replace a peer that speaks",
      finished == 1, "%" G_GUINT64_FORMAT " handshake; longest gap %.2f s",
      finished, (gdouble) longest / G_USEC_PER_SEC);
}

/* --- replaced peers ------------------------------------------------------ */

static void
test_receiver_replaced (void)
{
  guint port = udp_free_port ();
  gdouble null, ready;
  Sending s;
  Receiver t;

  sender_begin (&s, port, "");
  g_assert_false (is_ready (s.sink)); /* and it is no error */
  receiver_begin (&t, port, "");
  until_ready (&t, &s);
  wait_frames (&t, 0, 10);
  null = receiver_stop (&t);
  receiver_begin (&t, port, "");
  ready = until_ready (&t, &s);
  wait_frames (&t, 0, 10);
  g_assert_cmpuint (stat_of (s.sink, "security/handshakes"), ==, 2);
  null = fmax (null, sender_stop (&s));
  null = fmax (null, receiver_stop (&t));
  trust_row ("fault", "receiver restarted, DTLS",
      "a new handshake, and it plays; NULL within 20 s",
      null < NULL_MOST && ready < READY_MOST, "ready after %.1f s, NULL %.1f s",
      ready, null);
}

/* The old receiver still runs, and speaks. */
static void
test_destination (void)
{
  Receiver old, new;
  Sending s;

  receiver_begin (&old, 0, "");
  receiver_begin (&new, 0, "");
  sender_begin (&s, (guint) old.port, "");
  until_ready (&old, &s);
  wait_frames (&old, 0, 5);
  g_object_set (s.sink, "port", new.port, NULL);
  until_ready (&new, &s);
  wait_frames (&new, 0, 5);
  sender_stop (&s);
  receiver_stop (&old);
  receiver_stop (&new);
}

/* `settings` with "%u" for its own port. */
static void
replace_sender (const gchar *name, const gchar *other, gboolean same_port)
{
  g_autofree gchar *bind = g_strdup_printf ("bind-port=%u", udp_free_port ());
  g_autofree gchar *again = g_strdup_printf ("%s %s", bind, other);
  gint64 from;
  gdouble took;
  Sending s;
  Receiver t;

  receiver_begin (&t, 0, "");
  sender_begin (&s, (guint) t.port, bind);
  until_ready (&t, &s);
  wait_frames (&t, 0, 10);
  sender_stop (&s);
  from = g_get_monotonic_time ();
  sender_begin (&s, (guint) t.port, same_port ? again : other);
  WAIT_UNTIL (t.bus, stat_of (t.src, "security/handshakes") == 2);
  took = (gdouble) (g_get_monotonic_time () - from) / G_USEC_PER_SEC;
  wait_frames (&t, 0, 10);
  sender_stop (&s);
  receiver_stop (&t);
  trust_row ("fault", name, "a new handshake, and it plays", TRUE,
      "ready after %.1f s", took);
}

static void
test_sender_replaced (void)
{
  replace_sender ("sender restarted, DTLS, same port", stranger_settings, TRUE);
  replace_sender (
      "sender restarted, DTLS, other port", stranger_settings, FALSE);
}

/* --- amplification ------------------------------------------------------- */

/* The datagrams of a client's hello, which are fragments of one message (RFC 6347
 * 4.2.2). */
static guint
hear_hello (UdpHeard hello[4])
{
  guint port, n = 0, length, end = 0;
  gint ear = udp_socket ("127.0.0.1", &port);
  Sending s;

  sender_begin (&s, port, "");
  do {
    g_assert_cmpuint (n, <, 4);
    udp_hear (ear, &hello[n]);
    g_assert_cmpint (hello[n].size, >=, 25);
    length = GST_READ_UINT24_BE (hello[n].data + 14);
    end = GST_READ_UINT24_BE (hello[n].data + 19)
        + GST_READ_UINT24_BE (hello[n].data + 22);
    n++;
  } while (end < length);
  sender_stop (&s);
  close (ear);
  return n;
}

/* Sends one hello and then nothing.  Returns what comes back until a repetition of
 * the flight would have come, too. */
static void
test_amplification (void)
{
  const struct timeval wait = { .tv_sec = 1, .tv_usec = 600000 };
  guint port, datagrams = 0;
  gint fd = udp_socket ("127.0.0.1", &port);
  UdpHeard hello[4], heard;
  guint n = hear_hello (hello);
  gsize in = 0, out = 0;
  Receiver t;

  receiver_begin (&t, 0, "");
  setsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  for (guint i = 0; i < n; i++) {
    udp_say (fd, "127.0.0.1", (guint) t.port, 0, hello[i].data,
        (gsize) hello[i].size);
    in += (gsize) hello[i].size;
  }
  WAIT_UNTIL (t.bus, stat_of (t.src, "security/dtls-held") > 0);
  for (udp_hear (fd, &heard); heard.size >= 0; udp_hear (fd, &heard)) {
    out += (gsize) heard.size;
    datagrams++;
  }
  receiver_stop (&t);
  close (fd);
  trust_row ("attack", "9 DTLS: reflection",
      "at most 3 bytes for each that came", out > 0 && out <= 3 * in,
      "%" G_GSIZE_FORMAT " bytes in %u datagrams for %" G_GSIZE_FORMAT, out,
      datagrams, in);
}

/* A client that does not know its peer begins with a stranger who says one datagram
 * and then nothing, and goes on with the next one that speaks. */
static void
test_learned (void)
{
  const struct timeval wait = { .tv_usec = 100000 };
  static const guint8 said[400] = { 0x80 };
  guint port, n = 0;
  gint fds[]
      = { udp_socket ("127.0.0.1", &port), udp_socket ("127.0.0.1", &port) };
  UdpHeard heard;
  Receiver t;

  receiver_begin (&t, 0, "dtls-client=true");
  for (guint i = 0; i < 2; i++) {
    setsockopt (fds[i], SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    for (heard.size = -1; heard.size < 0 && n < 300; n++) {
      if (i > 0 || n == 0)
        udp_say (fds[i], "127.0.0.1", (guint) t.port, 0, said, sizeof said);
      udp_hear (fds[i], &heard);
    }
  }
  receiver_stop (&t);
  close (fds[0]);
  close (fds[1]);
  trust_row ("attack", "1 DTLS: one datagram at a client that learns its peer",
      "the next who speaks gets its hello, while the stranger has not answered",
      heard.size > 0 && heard.data[0] == 22, "after %.1f s", n / 10.);
}

/* A sender that is the server calls a client that has to learn its address.  So does
 * the next one at that address, of which the client hears nothing else. */
static void
test_called (void)
{
  g_autofree gchar *settings
      = g_strdup_printf ("dtls-client=false bind-port=%u", udp_free_port ());
  Sending s;
  Receiver t;

  receiver_begin (&t, 0, "dtls-client=true");
  for (guint i = 1; i < 3; i++) {
    sender_begin (&s, (guint) t.port, settings);
    WAIT_UNTIL (t.bus, stat_of (t.src, "security/handshakes") == i);
    until_ready (&t, &s);
    wait_frames (&t, 0, 10);
    sender_stop (&s);
    g_usleep (250000); /* so that it does not call as the client begins */
  }
  receiver_stop (&t);
}

int
main (int argc, char **argv)
{
  GstElementFactory *factory;
  g_autofree gchar *file = NULL;
  gint fd, status;

  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  factory = gst_element_factory_find ("dtlssrtpdec");
  if (!factory)
    return 77;
  gst_object_unref (factory);
  fd = g_file_open_tmp ("dtls-XXXXXX.pem", &file, NULL);
  close (fd);
  g_assert_true (g_file_set_contents (file, STRANGER_PEM, -1, NULL));
  stranger_settings = g_strdup_printf ("pem-file=%s", file);
  g_test_add_func ("/dtls/strangers/receiver", test_receiver);
  g_test_add_func ("/dtls/strangers/sender", test_sender);
  g_test_add_func ("/dtls/strangers/takeover", test_takeover);
  g_test_add_func ("/dtls/replaced/receiver", test_receiver_replaced);
  g_test_add_func ("/dtls/replaced/sender", test_sender_replaced);
  g_test_add_func ("/dtls/replaced/destination", test_destination);
  g_test_add_func ("/dtls/amplification", test_amplification);
  g_test_add_func ("/dtls/learned", test_learned);
  g_test_add_func ("/dtls/called", test_called);
  status = g_test_run ();
  g_remove (file);
  g_free (stranger_settings);
  return status;
}
