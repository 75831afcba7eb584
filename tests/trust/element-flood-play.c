/* rtpadaptsrc on a port that gets 10,000 packets a second of what it shall not
 * play: random bytes, RTP of other sessions, packets cut short.  With -m slow
 * (tests/trust/flood) for a minute.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../elements/src-fixture.h"
#include "flood-fixture.h"
#include "trust.h"
#include "../rows.h"

#include <gst/rtpadapt/util/bytes.h>

#define FPS 30
#define RATE 10000
/* So many frames more may be on their way at the end than at the beginning. */
#define ON_WAY 15
#define KEY "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d"

/* Between a sender and the receiver, and the one who floods the latter. */
typedef struct
{
  Flood flood; /* from `back`, or from a stranger's socket */
  gint front;  /* the sender's destination */
  gint back;   /* to the receiver, which takes it for the sender */
  struct sockaddr_in sender;
  guint8 latest[FLOOD_SIZE]; /* media packet */
  gsize size;
  guint32 ssrc; /* of the media */
  GRand *dice;
  gint made; /* atomic: frames that the sender made */
} Relay;

/* --- the relay ---------------------------------------------------------------- */

static void
relay_both_ways (gpointer data)
{
  Relay *r = data;
  socklen_t len = sizeof r->sender;
  guint8 packet[FLOOD_SIZE];
  gssize size;

  while ((size = recvfrom (r->front, packet, sizeof packet, MSG_DONTWAIT,
              (gpointer) &r->sender, &len))
      > 0) {
    send (r->back, packet, (gsize) size, MSG_DONTWAIT);
    if (packet[1] >= 192 && packet[1] <= 223) /* RFC 5761 4 */
      continue;
    r->ssrc = ra_get_u32 (packet + 8);
    r->size = (gsize) size;
    memcpy (r->latest, packet, r->size);
  }
  while ((size = recv (r->back, packet, sizeof packet, MSG_DONTWAIT)) > 0)
    sendto (r->front, packet, (gsize) size, MSG_DONTWAIT, (gpointer) &r->sender,
        sizeof r->sender);
}

static gsize
make_random (Relay *r, guint8 *packet)
{
  gsize size = (gsize) g_rand_int_range (r->dice, 1, 200);

  for (gsize at = 0; at < size; at += 4)
    ra_put_u32 (packet + at, g_rand_int (r->dice));
  return size;
}

/* Of another session, with the payload type that is expected. */
static gsize
make_other (guint64 i, guint8 *packet)
{
  memset (packet, 0x55, 300);
  packet[0] = 0x80;
  packet[1] = 96;
  ra_put_u16 (packet + 2, (guint16) (i / 100));
  ra_put_u32 (packet + 4, (guint32) i);
  ra_put_u32 (packet + 8, 7000 + (guint32) i % 100);
  return 300;
}

/* The same with the marker and a transport-wide number.  No SSRC sends two packets in
 * a row. */
static gsize
make_marked (guint64 i, guint8 *packet)
{
  make_other (i, packet);
  packet[0] = 0x90;
  packet[1] |= 0x80;
  ra_put_u16 (packet + 2, (guint16) (i * 77));
  ra_put_u32 (packet + 8, 9000 + (guint32) (i % 50));
  ra_put_u32 (packet + 12, 0xbede0001);
  packet[16] = 0x11;
  ra_put_u16 (packet + 17, (guint16) (i * 500));
  packet[19] = 0;
  return 300;
}

/* The latest media packet with numbers far from its own, never two in a row. */
static gsize
make_jump (Relay *r, guint64 i, guint8 *packet)
{
  if (r->size < 20)
    return make_random (r, packet);
  memcpy (packet, r->latest, r->size);
  ra_put_u16 (packet + 2,
      (guint16) (ra_get_u16 (packet + 2) + 1000 + i * 2999 % 60000));
  if (packet[16] == 0x11)
    ra_put_u16 (packet + 17,
        (guint16) (ra_get_u16 (packet + 17) + 1000 + i * 2999 % 60000));
  return r->size;
}

/* The latest media packet, cut short: (S)RTP as far as it goes. */
static gsize
make_short (Relay *r, guint8 *packet)
{
  memcpy (packet, r->latest, r->size);
  return r->size > 14 ? (gsize) g_rand_int_range (r->dice, 1, (gint) r->size)
                      : make_random (r, packet);
}

static gsize
relay_make (gpointer data, guint64 i, guint8 *packet)
{
  Relay *r = data;

  switch (i % 5) {
    case 0:
      return make_random (r, packet);
    case 1:
      return make_other (i, packet);
    case 2:
      return make_marked (i, packet);
    case 3:
      return make_jump (r, i, packet);
    default:
      return make_short (r, packet);
  }
}

/* A socket that loses nothing while its thread waits for a core, connected to
 * `to_port` if that is none. */
static gint
relay_socket (guint *port, gint to_port)
{
  struct sockaddr_in to
      = { .sin_family = AF_INET, .sin_port = g_htons ((guint16) to_port) };
  gint fd = udp_socket ("127.0.0.1", port), size = 4000000;

  inet_pton (AF_INET, "127.0.0.1", &to.sin_addr);
  if (setsockopt (fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) < 0)
    setsockopt (fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  if (to_port)
    g_assert_cmpint (connect (fd, (gpointer) &to, sizeof to), ==, 0);
  return fd;
}

/* --- a run -------------------------------------------------------------------- */

static GstPadProbeReturn
count_frame (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  g_atomic_int_inc ((gint *) data);
  return GST_PAD_PROBE_OK;
}

static GstElement *
sender_start (guint port, const gchar *options, gint *made)
{
  g_autofree gchar *line = g_strdup_printf (
      "videotestsrc is-live=true pattern=ball ! "
      "video/x-raw,width=320,height=240,framerate=%u/1 ! "
      "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=%u ! "
      "rtph264pay name=pay config-interval=-1 mtu=1200 pt=96 ! "
      "rtpadaptsink name=s "
      "host=127.0.0.1 port=%u max-bitrate=1000000 %s",
      FPS, FPS, port, options);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error), *pay;
  g_autoptr (GstPad) pad = NULL;

  g_assert_no_error (error);
  pay = gst_bin_get_by_name (GST_BIN (pipeline), "pay");
  pad = gst_element_get_static_pad (pay, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_frame, made, NULL);
  gst_object_unref (pay);
  g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_PLAYING), !=,
      GST_STATE_CHANGE_FAILURE);
  return pipeline;
}

/* The stream on the first pad. */
static guint32
first_ssrc (GstElement *src)
{
  const GValue *streams, *first;
  g_autoptr (GstStructure) stats = NULL;
  guint ssrc = 0;

  g_object_get (src, "stats", &stats, NULL);
  streams = gst_structure_get_value (stats, "streams");
  g_assert_cmpuint (gst_value_array_get_size (streams), >, 0);
  first = gst_value_array_get_value (streams, 0);
  gst_structure_get_uint (gst_value_get_structure (first), "ssrc", &ssrc);
  return ssrc;
}

static const struct
{
  const gchar *name, *options;
  gboolean from_peer;
  gboolean first; /* the flood is there before the stream */
  gint pads;      /* at most */
} rows[] = {
  { "from a stranger", "", FALSE, FALSE, 1 },
  /* Other sessions' SSRCs are streams of the peer's for all that one can see. */
  { "from the sender's address", "", TRUE, FALSE, 16 },
  { "SRTP, from the sender's address", "key=" KEY, TRUE, TRUE, 1 },
};

static void
report (guint row, Receiver *t, const Relay *r, gint frames, gint made,
    gint64 cpu, gdouble rss)
{
  g_autofree gchar *name = g_strdup_printf ("5 plays on, %s", rows[row].name);
  gdouble seconds = (gdouble) r->flood.elapsed / G_USEC_PER_SEC;
  guint64 lost = stat_of (t->src, "lost");
  guint64 drops = stat_of (t->src, "udp/kernel-drops");
  gint pads = g_atomic_int_get (&t->pads);
  guint32 ssrc = first_ssrc (t->src);

  trust_row ("flood", name,
      "under 10,000 packets/s of junk the right stream plays, 28 of 30 frames "
      "that were sent, and lacks only what the kernel dropped",
      ssrc == r->ssrc && lost <= drops && pads <= rows[row].pads
          && ((guint64) (frames + ON_WAY) + drops) * 30 >= (guint64) made * 28,
      "%.0f packets/s for %.0f s, %.1f of %u frames/s, %" G_GUINT64_FORMAT
      " packets lost, %" G_GUINT64_FORMAT
      " dropped by the kernel, %d pads; CPU %.0f %%, RSS %+.1f MB",
      (gdouble) r->flood.sent / seconds, seconds, frames / seconds, FPS, lost,
      drops, pads, (gdouble) cpu / 1e7 / seconds, flood_rss () - rss);
}

static void
test_play (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data), front;
  g_autofree gchar *settings
      = g_strconcat ("pt-map=96=H264/90000 ", rows[row].options, NULL);
  gint64 us = g_test_slow () ? G_TIME_SPAN_MINUTE : G_USEC_PER_SEC, cpu;
  Relay r = { .dice = g_rand_new_with_seed (4),
    .flood = { .rate = RATE, .make = relay_make, .also = relay_both_ways } };
  GstElement *sender;
  gdouble rss;
  guint unused;
  gint frames, made;
  g_auto (Receiver) t;

  receiver_open (&t, settings, RECEIVER_H264);
  r.flood.data = &r;
  r.front = relay_socket (&front, 0);
  r.back = relay_socket (&unused, t.port);
  r.flood.fd
      = rows[row].from_peer ? dup (r.back) : relay_socket (&unused, t.port);
  if (rows[row].first)
    flood_start (&r.flood);
  sender = sender_start (front, rows[row].options, &r.made);
  if (rows[row].first)
    wait_frames (&t, 0, FPS);
  else /* without a key the first sender is the peer */
    WAIT_UNTIL (
        t.bus, (relay_both_ways (&r), g_atomic_int_get (&t.frames[0]) >= FPS));

  rss = flood_rss ();
  cpu = flood_cpu (CLOCK_PROCESS_CPUTIME_ID);
  frames = g_atomic_int_get (&t.frames[0]);
  made = g_atomic_int_get (&r.made);
  if (!rows[row].first)
    flood_start (&r.flood);
  g_usleep ((gulong) us);
  wait_frames (&t, 0, FPS);
  flood_stop (&r.flood);
  cpu = flood_cpu (CLOCK_PROCESS_CPUTIME_ID) - cpu - r.flood.cpu;
  report (row, &t, &r, g_atomic_int_get (&t.frames[0]) - frames,
      g_atomic_int_get (&r.made) - made, cpu, rss);

  gst_element_set_state (sender, GST_STATE_NULL);
  gst_object_unref (sender);
  close (r.flood.fd);
  close (r.back);
  close (r.front);
  g_rand_free (r.dice);
}

void
tests_add (void)
{
  rows_add ("/flood/play", rows, test_play);
}
