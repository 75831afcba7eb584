/* rtpadaptsrc: transport-wide numbers that jump, because a sender restarted or
 * because an attacker forges them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../trust/trust.h"
#include "sink-fixture.h"
#include "src-fixture.h"
#include "../rows.h"

#include <gst/rtpadapt/util/bytes.h>

#define BRANCH "identity" RECEIVER_OUT
#define KEY "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d"
#define FIRST 0x0f0f0f0f /* SSRC of the first life */
#define FRAME 3          /* packets, the last of which has the marker */

/* --- packets by hand ---------------------------------------------------- */

/* The bytes of trust.md A2: a header, the number, and a slice of 21 bytes. */
static void
say (gint fd, gint port, gboolean marker, guint32 ssrc, guint seq, gint number)
{
  guint8 p[SRC_RTP_SIZE];
  gsize size = src_rtp (p, marker, seq, seq / FRAME * 3000, ssrc, number);

  udp_say (fd, "127.0.0.1", (guint) port, 0, p, size);
}

/* Waits until packets are read, because the kernel holds only some hundred. */
static void
wait_read (Receiver *t, guint64 n)
{
  WAIT_UNTIL (t->bus,
      stat_of (t->src, "udp/packets") + stat_of (t->src, "udp/kernel-drops")
          >= n);
}

/* `n` packets as fast as they are read. */
static void
live (gint fd, Receiver *t, guint32 ssrc, guint n, guint64 *said)
{
  for (guint i = 0; i < n; i++) {
    say (fd, t->port, i % FRAME == FRAME - 1, ssrc, i, (gint) i);
    if (++*said % 200 == 0)
      wait_read (t, *said);
  }
  wait_read (t, *said);
}

/* The transport-wide feedback that came: its newest number, or -1. */
static gint
newest_told (gint fd)
{
  gint newest = -1;
  guint8 p[1500];
  gssize size;

  while ((size = recv (fd, p, sizeof p, MSG_DONTWAIT)) > 0) {
    for (gssize at = 0; at + 20 <= size;
         at += 4 + 4 * ra_get_u16 (p + at + 2)) {
      if ((p[at] & 31) != 15 || p[at + 1] != 205)
        continue;
      newest
          = (guint16) (ra_get_u16 (p + at + 12) + ra_get_u16 (p + at + 14) - 1);
    }
  }
  return newest;
}

/* --- a sender that is started again ------------------------------------- */

static const struct
{
  guint packets; /* of the first life */
  const gchar *feedback, *key;
} restarts[] = {
  { 100, "twcc", "" },
  { 500, "twcc", "" },
  { 750, "twcc", "" },
  { 990, "twcc", "" },
  { 1010, "twcc", "" },
  { 40000, "twcc", "" },
  { 1010, "ccfb", "" },
  { 1010, "tfrc", "" },
  { 990, "twcc", "key=" KEY },
};

static GstElement *
sink_of (guint row, gint port, GstElement **sink)
{
  g_autofree gchar *options = g_strdup_printf (
      "start-bitrate=50000000 max-bitrate=100000000 fec=none feedback=%s %s",
      restarts[row].feedback, restarts[row].key);
  g_autofree gchar *line = g_strdup_printf (
      "audiotestsrc is-live=true samplesperbuffer=160 ! mulawenc ! rtppcmupay "
      "! rtpadaptsink name=s host=127.0.0.1 port=%d %s",
      port, options);
  gboolean tfrc = g_str_equal (restarts[row].feedback, "tfrc");
  GstElement *pipeline;

  if (tfrc) { /* the payloader makes room for the time that it needs */
    pipeline = gst_parse_launch (line, NULL);
    *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  } else {
    pipeline = sink_pipeline ((guint) port, options, sink);
  }
  sink_play (pipeline);
  return pipeline;
}

/* Sends ten frames.  A live source does so by itself. */
static void
second_life (GstElement *pipeline)
{
  GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "a");

  for (guint i = 0; src && i < 10; i++) {
    for (guint j = 0; j < FRAME; j++) {
      GstBuffer *buffer = sink_packet (i * FRAME + j);

      gst_buffer_memset (buffer, 1, j == FRAME - 1 ? 0xe0 : 0x60, 1);
      gst_app_src_push_buffer (GST_APP_SRC (src), buffer);
    }
    g_usleep (20000);
  }
  gst_clear_object (&src);
}

/* Ten frames of the first life, from the packet `i` on. */
static void
push_frames (GstElement *pipeline, guint *i)
{
  g_autoptr (GstElement) src = gst_bin_get_by_name (GST_BIN (pipeline), "a");

  for (guint j = 0; j < 10 * FRAME; j++, (*i)++) {
    GstBuffer *buffer = sink_packet (*i);

    gst_buffer_memset (buffer, 8, 0x0f, 4);
    gst_buffer_memset (buffer, 1, *i % FRAME == FRAME - 1 ? 0xe0 : 0x60, 1);
    gst_app_src_push_buffer (GST_APP_SRC (src), buffer);
  }
}

/* With a key the first life is a pipeline, too, with another SSRC. */
static void
first_life (guint row, Receiver *t)
{
  guint n = restarts[row].packets, port, i = 0;
  GstElement *pipeline, *sink;
  guint64 said = 0;
  gint fd;

  if (!*restarts[row].key) {
    fd = udp_socket ("127.0.0.1", &port);
    live (fd, t, FIRST, n, &said);
    close (fd);
    return;
  }
  pipeline = sink_of (row, t->port, &sink);
  /* Some may be dropped, where the sink has to wait for a core. */
  WAIT_UNTIL (
      t->bus, (push_frames (pipeline, &i), stat_of (t->src, "rtp") >= n));
  sink_stop (pipeline, sink);
}

/* The old sender is forgotten 500 ms (PEER_RESTART) after its last packet was read, which
 * a loaded machine reads late. */
static void
wait_forgotten (Receiver *t)
{
  guint64 packets;

  do {
    packets = stat_of (t->src, "udp/packets");
    g_usleep (600000);
  } while (stat_of (t->src, "udp/packets") != packets);
}

/* The new sender gets reports about its first 30 packets.  Without the map it would
 * get none until it has sent as many as the old one had. */
static void
test_restart (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree gchar *settings = g_strdup_printf (
      "pt-map=\"96=VP8/90000,0=PCMU/8000\" fec=false feedback=%s %s",
      restarts[row].feedback, restarts[row].key);
  g_autofree gchar *name
      = g_strdup_printf ("sender killed after %u, %s%s", restarts[row].packets,
          restarts[row].feedback, *restarts[row].key ? ", SRTP" : "");
  GstElement *pipeline, *sink;
  g_auto (Receiver) t;

  receiver_open (&t, settings, BRANCH);
  first_life (row, &t);
  wait_forgotten (&t);
  pipeline = sink_of (row, t.port, &sink);
  second_life (pipeline);
  sink_expect (sink, "sender/reports-ok", 1);
  g_assert_cmpuint (sink_stat (sink, "sender/reports-unsent"), ==, 0);
  g_assert_cmpuint (sink_stat (sink, "peer/flood"), ==, 0);
  trust_row ("fault", name, "a sender that comes back is reported to at once",
      TRUE, "%" G_GUINT64_FORMAT " reports",
      sink_stat (sink, "sender/reports-ok"));
  sink_stop (pipeline, sink);
}

/* --- forged numbers ------------------------------------------------------ */

/* A loaded machine has a second. */
#define TRIES 50

/* The packet `i` is reported on before another frame is sent, and none after it. */
static gboolean
is_told (gint fd, gint i, gint *told)
{
  for (guint n = 0; n < TRIES && *told < i; n++) {
    gint newest;

    g_usleep (20000);
    newest = newest_told (fd);
    *told = MAX (*told, newest);
  }
  g_assert_cmpint (*told, <=, i);
  return *told == i;
}

/* Packets that are forged with the sender's address, one after each 25th packet: `i` is the
 * sender's, and `n` have been forged. */
typedef void (*Forge) (gint fd, gint port, guint i, guint n);

/* A made-up SSRC, once. */
static void
forge_one (gint fd, gint port, guint i, guint n)
{
  if (n == 4)
    say (fd, port, TRUE, 0xbad, 4711, (gint) i + 500);
}

/* The stream's SSRC and next number. */
static void
forge_own (gint fd, gint port, guint i, guint n)
{
  if (n == 4)
    say (fd, port, TRUE, FIRST, i + 1, (gint) i + 900);
}

/* Blind: all numbers in turn. */
static void
forge_sweep (gint fd, gint port, guint i, guint n)
{
  say (fd, port, TRUE, 0xbad + i, i * 77, (gint) (n * 900));
}

static const struct
{
  Forge forge;
  const gchar *name;
} forgeries[] = {
  { forge_one, "a made-up SSRC, number + 500" },
  { forge_own, "the stream's SSRC, number + 900" },
  { forge_sweep, "blind, numbers 0, 900, 1800, ..." },
};

static void
say_frame (gint fd, gint port, guint *i)
{
  for (guint j = 0; j < FRAME; j++, (*i)++)
    say (fd, port, j == FRAME - 1, FIRST, *i, (gint) *i);
}

/* From the first report on, which a loaded machine sends late. */
static void
test_forged (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data), port, reported = 0, i = 0;
  g_autofree gchar *name
      = g_strdup_printf ("6 RTP forged, %s", forgeries[row].name);
  gint fd = udp_socket ("127.0.0.1", &port), told = -1;
  g_auto (Receiver) t;

  receiver_open (&t, "pt-map=96=VP8/90000 fec=false", BRANCH);
  WAIT_UNTIL (t.bus,
      (say_frame (fd, t.port, &i), g_usleep (20000),
          (told = newest_told (fd)) >= 0));
  for (guint end = i + 300, n = 0; i < end; i++) {
    say (fd, t.port, i % FRAME == FRAME - 1, FIRST, i, (gint) i);
    if ((end - i) % 25 == 0)
      forgeries[row].forge (fd, t.port, i, n++);
    if (i % FRAME == FRAME - 1)
      reported += is_told (fd, (gint) i, &told);
  }
  trust_row ("attack", name, "each frame is reported on: 80 of 100 and more",
      reported >= 80, "%u of 100 frames", reported);
  close (fd);
}

void
tests_add (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (restarts); i++) {
    g_autofree gchar *path
        = g_strdup_printf ("/src/numbers/restart/%u-%s%s", restarts[i].packets,
            restarts[i].feedback, *restarts[i].key ? "-key" : "");

    g_test_add_data_func (path, GUINT_TO_POINTER (i), test_restart);
  }
  rows_add ("/src/numbers/forged", forgeries, test_forged);
}
