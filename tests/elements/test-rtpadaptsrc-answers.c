/* rtpadaptsrc: which RTCP goes back, to which address, and how much of it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../trust/trust.h"
#include "src-fixture.h"
#include "../rows.h"

#include <gst/rtpadapt/util/bytes.h>

#define BRANCH "identity" RECEIVER_OUT
#define SSRC 0x0f0f0f0f
#define HEADERS 28 /* IPv4 and UDP */

/* Returns the packet's size with its headers. */
static gsize
say (gint fd, gint port, gboolean marker, guint seq)
{
  guint8 p[SRC_RTP_SIZE];
  gsize size = src_rtp (p, marker, seq, seq * 300, SSRC, (guint16) seq);

  udp_say (fd, "127.0.0.1", (guint) port, 0, p, size);
  return size + HEADERS;
}

typedef struct
{
  guint packets;
  gsize bytes;  /* with headers */
  gint number;  /* the newest that transport-wide feedback told of, or -1 */
  guint silent; /* packets without feedback */
} Heard;

static void
hear (gint fd, Heard *h)
{
  guint8 p[1500];
  gssize size;

  while ((size = recv (fd, p, sizeof p, MSG_DONTWAIT)) > 0) {
    gboolean feedback = FALSE;

    h->packets++;
    h->bytes += (gsize) size + HEADERS;
    for (gssize at = 0; at + 8 <= size; at += 4 + 4 * ra_get_u16 (p + at + 2)) {
      feedback |= p[at + 1] == 205 || p[at + 1] == 206;
      if (p[at + 1] == 205 && (p[at] & 31) == 15)
        h->number = ra_get_u16 (p + at + 12) + ra_get_u16 (p + at + 14) - 1;
    }
    h->silent += !feedback;
  }
}

static const struct
{
  const gchar *nick;
} feedbacks[] = { { "twcc" }, { "ccfb" }, { "tfrc" } };

/* Small packets come as fast as they are read, and each is the end of a frame.  100
 * answers leave in the first second and 80 in each other one, and never more bytes
 * than came. */
static void
test_budget (gconstpointer data)
{
  const gchar *feedback = feedbacks[GPOINTER_TO_UINT (data)].nick;
  g_autofree gchar *settings
      = g_strdup_printf ("pt-map=96=VP8/90000 feedback=%s", feedback);
  g_autofree gchar *name = g_strdup_printf ("9 reflects, %s", feedback);
  Heard heard = { 0 };
  gint64 began;
  gdouble seconds;
  gsize said = 0;
  g_auto (Receiver) t;
  gint fd = udp_socket ("127.0.0.1", NULL);

  receiver_open (&t, settings, BRANCH);
  began = g_get_monotonic_time ();
  for (guint i = 0; i < 4000; i++) {
    said += say (fd, t.port, TRUE, i);
    if (i % 50 == 49) {
      WAIT_UNTIL (t.bus,
          stat_of (t.src, "udp/packets") + stat_of (t.src, "udp/kernel-drops")
              >= i + 1);
      hear (fd, &heard);
    }
  }
  WAIT_UNTIL (t.bus, (hear (fd, &heard), heard.packets > 0));
  seconds = (gdouble) (g_get_monotonic_time () - began) / G_USEC_PER_SEC;
  trust_row ("attack", name,
      "at most 110 answers in a second and one for two packets, and no more bytes "
      "than came",
      heard.packets <= 30 + 80 * seconds + 1 + 4000 / 2 && heard.bytes <= said,
      "%u answers to 4000 packets in %.1f s, bytes x %.2f", heard.packets,
      seconds, (gdouble) heard.bytes / (gdouble) said);
  if (g_str_equal (feedback, "twcc"))
    g_assert_cmpuint (stat_of (t.src, "answers-dropped"), >, 0);
  close (fd);
}

/* An empty RR (RFC 3550 6.4.2) is answered, although no RTP came. */
static void
test_called (void)
{
  const guint8 rr[] = { 0x80, 201, 0, 1, 0, 0, 0, 7, 0x81, 202, 0, 3, 0, 0, 0,
    7, 1, 4, 'a', 'b', 'c', 'd', 0, 0 };
  Heard heard = { 0 };
  g_auto (Receiver) t;
  gint fd = udp_socket ("127.0.0.1", NULL);

  receiver_open (&t, "pt-map=96=VP8/90000", BRANCH);
  for (guint i = 0; i < 4; i++)
    udp_say (fd, "127.0.0.1", (guint) t.port, 0, rr, sizeof rr);
  WAIT_UNTIL (t.bus, (hear (fd, &heard), heard.packets > 0));
  WAIT_UNTIL (t.bus, stat_of (t.src, "early-rtcp") == 4);
  g_assert_cmpuint (heard.bytes, <=, 4 * (sizeof rr + HEADERS));
  g_assert_cmpuint (stat_of (t.src, "rtp"), ==, 0);
  close (fd);
}

/* After its first report rtpsession sends the next of itself in half an hour or more
 * (RFC 4585 3.5.3). */
static void
report_seldom (GstElement *src)
{
  g_autoptr (GstElement) rtpbin = gst_bin_get_by_name (GST_BIN (src), "rtpbin");
  g_autoptr (GstElement) session = NULL;

  g_signal_emit_by_name (rtpbin, "get-session", 0, &session);
  g_object_set (session, "rtcp-min-interval", 3600 * GST_SECOND, NULL);
}

/* Reports go on while the sender is silent.  A lone packet, which is no end of a frame,
 * is answered at once. */
static void
test_silence (void)
{
  Heard heard = { 0 };
  g_auto (Receiver) t;
  gint fd = udp_socket ("127.0.0.1", NULL);

  receiver_new (&t, "pt-map=96=VP8/90000 fec=false", BRANCH);
  gst_element_set_state (
      t.pipeline, GST_STATE_READY); /* now it has its session */
  report_seldom (t.src);
  receiver_play (&t);
  for (guint i = 0; i < 60; i++) {
    say (fd, t.port, i % 3 == 2, i);
    g_usleep (5000);
  }
  WAIT_UNTIL (t.bus, (hear (fd, &heard), heard.number == 59));
  heard.silent = 0;
  WAIT_UNTIL (t.bus, (hear (fd, &heard), heard.silent >= 3));
  for (guint i = 60; i < 63; i++) {
    g_usleep (500000);
    say (fd, t.port, FALSE, i);
    WAIT_UNTIL (t.bus, (hear (fd, &heard), heard.number == (gint) i));
  }
  close (fd);
}

void
tests_add (void)
{
  rows_add_by ("/src/answers/budget", feedbacks, nick, test_budget);
  g_test_add_func ("/src/answers/called", test_called);
  g_test_add_func ("/src/answers/silence", test_silence);
}
