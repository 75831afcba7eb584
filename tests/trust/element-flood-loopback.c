/* rtpadaptsink over loopback while its receiver sends 100,000 feedback packets a
 * second: the media keep their pace.  With -m slow (tests/trust/flood) it takes
 * its time, and tells of CPU and memory.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../elements/sink-fixture.h"
#include "flood-fixture.h"
#include "flood-rtcp.h"
#include "trust.h"
#include "../rows.h"

#include <gst/rtpadapt/feedback/ccfbfci.h>
#include <gst/rtpadapt/feedback/stamp.h>

#define FPS 30
#define RATE 100000
#define REPORT_EVERY (50 * G_TIME_SPAN_MILLISECOND)
#define ROWS 64   /* packets told of in a report */
#define ON_WAY 10 /* frames: 250 ms may wait in the sender */

/* The other end: hears the media, and reports on them. */
typedef struct
{
  Flood flood;
  GRand *dice;
  guint mode;
  guint32 ssrc;
  guint16 next; /* behind the newest that came */
  gint64 arrival[ROWS];
  gint64 reported; /* us */
  Rtcp honest;
  gint made;          /* atomic: frames of the camera */
  gint frames, bytes; /* atomic: that came */
  gint longest;       /* us between two frames */
  gint64 last_frame;
} Ear;

/* --- what it hears ----------------------------------------------------------- */

static void
ear_note (Ear *ear, const guint8 *data, gsize size, gint64 now)
{
  guint16 seq = GST_READ_UINT16_BE (data + 2);

  if (ear->ssrc == 0)
    ear->next = seq;
  ear->ssrc = GST_READ_UINT32_BE (data + 8);
  for (; ear->next != (guint16) (seq + 1); ear->next++)
    ear->arrival[ear->next % ROWS] = ear->next == seq ? now : 0;
  g_atomic_int_add (&ear->bytes, (gint) size);
  if (!(data[1] & 0x80))
    return;
  if (ear->last_frame)
    ear->longest = MAX (ear->longest, (gint) (now - ear->last_frame));
  ear->last_frame = now;
  g_atomic_int_inc (&ear->frames);
}

/* RFC 8888: the latest packets, of which those before were told of, too. */
static void
ear_report (Ear *ear, gint64 now)
{
  RaTime rts = (RaTime) now * RA_USECOND;
  RaCcfbPacket rows[ROWS];
  const RaCcfbBlock block
      = { ear->ssrc, (guint16) (ear->next - ROWS), ROWS, rows };
  guint8 fci[200];
  guint32 media;
  gsize size;

  for (guint i = 0; i < ROWS; i++) {
    gint64 at = ear->arrival[(guint16) (ear->next - ROWS + i) % ROWS];

    rows[i] = (RaCcfbPacket){ 0 };
    if (at)
      rows[i] = (RaCcfbPacket){ .received = TRUE,
        .ato = ra_ccfb_ato (rts, (RaTime) at * RA_USECOND) };
  }
  size = ra_ccfb_write (ra_stamp_ntp (rts), &block, 1, &media, fci, sizeof fci);
  ear->honest.len = 0;
  put_rr (&ear->honest, ear->ssrc, 0, ear->next - 1u, 0, 0);
  put_head (&ear->honest, RA_CCFB_FMT, 205, 12 + (guint) size);
  put (&ear->honest, 4, PEER);
  put (&ear->honest, 4, ear->ssrc);
  memcpy (ear->honest.data + ear->honest.len, fci, size);
  ear->honest.len += (guint) size;
  send (ear->flood.fd, ear->honest.data, ear->honest.len, MSG_DONTWAIT);
  ear->reported = now;
}

/* Each ms. */
static void
ear_listen (gpointer data)
{
  Ear *ear = data;
  gint64 now = g_get_monotonic_time ();
  guint8 packet[2048];
  gssize size;

  while ((size = recv (ear->flood.fd, packet, sizeof packet, MSG_DONTWAIT))
      >= 12) {
    if (packet[1] < 192 || packet[1] > 223) /* RFC 5761 4 */
      ear_note (ear, packet, (gsize) size, now);
  }
  if (ear->ssrc && now - ear->reported >= REPORT_EVERY)
    ear_report (ear, now);
}

/* --- what it sends ------------------------------------------------------------ */

static const gchar *const kinds[]
    = { "nothing", "its newest report", "reports of no use", "random bytes" };

static gsize
ear_make (gpointer data, guint64 i, guint8 *packet)
{
  Ear *ear = data;
  Rtcp r = ear->honest;

  if (ear->mode == 3 || r.len == 0) {
    for (guint at = 0; at < 100; at += 4)
      GST_WRITE_UINT32_BE (packet + at, g_rand_int (ear->dice));
    return 100;
  }
  if (ear->mode == 2)
    flood_rtcp_make (&ear->honest, (guint) i % 6, ear->dice, &r);
  memcpy (packet, r.data, r.len);
  return r.len;
}

/* --- runs ---------------------------------------------------------------------- */

static GstPadProbeReturn
count_frame (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  g_atomic_int_inc ((gint *) data);
  return GST_PAD_PROBE_OK;
}

/* Counts what the camera made, of which the element may skip some. */
static GstElement *
sender_start (guint port, GstElement **sink, gint *made)
{
  g_autofree gchar *line = g_strdup_printf (
      "videotestsrc name=camera is-live=true pattern=ball ! "
      "video/x-raw,width=320,height=240,framerate=%u/1 ! "
      "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=%u ! "
      "rtph264pay config-interval=-1 mtu=1200 ! rtpadaptsink name=s "
      "host=127.0.0.1 port=%u feedback=ccfb max-bitrate=2000000",
      FPS, FPS, port);
  GstElement *pipeline = line_new (line);
  g_autoptr (GstElement) camera
      = gst_bin_get_by_name (GST_BIN (pipeline), "camera");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (camera, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_frame, made, NULL);
  *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  sink_play (pipeline);
  return pipeline;
}

static gboolean
frames_came (gpointer data)
{
  Ear *ear = data;

  return g_atomic_int_get (&ear->frames) >= 3 * FPS;
}

static guint64
kernel_drops (GstElement *sink)
{
  g_autoptr (GstElement) src = gst_bin_get_by_name (GST_BIN (sink), "rtcpsrc");
  guint64 n = udp_stat (src, "kernel-drops");

  return n;
}

/* A flood of kind `mode`, and the line about it: `us` at least, and till three
 * seconds' frames came.  FALSE, and no line, where it failed while the machine stood still
 * and `last` is FALSE. */
static gboolean
run (guint mode, gint64 us, gboolean last)
{
  guint port = 0;
  Ear ear = { .mode = mode,
    .dice = g_rand_new_with_seed (8),
    .flood
    = { .rate = mode ? RATE : 1, .make = ear_make, .also = ear_listen } };
  GstElement *sink, *pipeline;
  g_autofree gchar *name = g_strdup_printf ("5 over loopback, %s", kinds[mode]);
  gdouble rss, seconds;
  gint64 cpu;
  gboolean came, pass, decides;
  gint made;
  guint64 dropped;
  UdpHeard heard;
  MachineGap gap;
  struct sockaddr_in to = { .sin_family = AF_INET };

  machine_gap_start (&gap);
  ear.flood.data = &ear;
  ear.flood.fd = udp_socket ("127.0.0.1", &port);
  pipeline = sender_start (port, &sink, &ear.made);
  udp_hear (ear.flood.fd, &heard);
  inet_pton (AF_INET, "127.0.0.1", &to.sin_addr);
  to.sin_port = g_htons ((guint16) heard.from_port);
  g_assert_cmpint (connect (ear.flood.fd, (gpointer) &to, sizeof to), ==, 0);
  rss = flood_rss ();
  cpu = flood_cpu (CLOCK_PROCESS_CPUTIME_ID);
  flood_start (&ear.flood);
  g_usleep ((gulong) us);
  came = sink_wait (frames_came, &ear);
  made = g_atomic_int_get (&ear.made);
  flood_stop (&ear.flood);
  cpu = flood_cpu (CLOCK_PROCESS_CPUTIME_ID) - cpu - ear.flood.cpu;
  seconds = (gdouble) ear.flood.elapsed / G_USEC_PER_SEC;
  dropped = sink_stat (sink, "peer/flood") + sink_stat (sink, "peer/junk");
  pass = came && (ear.frames + ON_WAY) * 30 >= made * 28
      && sink_stat (sink, "sender/reports-ok") > 0
      && (mode == 0 || (ear.flood.sent > 0 && dropped > 0));
  decides = !machine_gap_end (&gap) || pass || last;
  if (decides)
    trust_row ("flood", name,
        "28 of 30 frames of the camera come, and the flood ends at the gate",
        pass,
        "%.0f packets/s sent, %.1f frames/s and %.2f Mbit/s came, longest gap %.0f "
        "ms; sender's CPU %.0f %%, RSS %+.1f MB; %" G_GUINT64_FORMAT
        " dropped at the gate, %" G_GUINT64_FORMAT " by the kernel",
        (gdouble) ear.flood.sent / seconds, ear.frames / seconds,
        ear.bytes * 8e-6 / seconds, ear.longest * 1e-3,
        (gdouble) cpu / 1e7 / seconds, flood_rss () - rss, dropped,
        kernel_drops (sink));
  sink_stop (pipeline, sink);
  close (ear.flood.fd);
  g_rand_free (ear.dice);
  return decides;
}

static void
test_kind (gconstpointer data)
{
  gint64 us = g_test_slow () ? 20 * G_USEC_PER_SEC : G_USEC_PER_SEC / 2;
  guint tries = 0;

  while (!run (GPOINTER_TO_UINT (data), us, ++tries == MACHINE_TRIES))
    ;
}

void
tests_add (void)
{
  rows_add ("/flood/loopback", kinds, test_kind);
}
