/* A collision in an rtpbin of one's own, where rtpsession sees the addresses
 * (RFC 3550 8.2): it asks for another SSRC, and rtpadaptsend goes on.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "attack-rtcp.h"
#include "trust.h"

#include <gst/net/gstnetaddressmeta.h>
#include <gst/rtpadapt/util/bytes.h>

#define ROUNDS 40
#define PACKETS 10
#define ROUND (50 * GST_MSECOND)
#define CAPS_SSRC(ssrc) CAPS ",ssrc=(uint)" #ssrc

static const gchar *const caps[] = { CAPS_SSRC (7), CAPS_SSRC (8) };

typedef struct
{
  guint rates[ROUNDS];
  guint asked; /* for another SSRC */
  gint64 reports, losses, foreign;
} Run;

/* An RR with our SSRC, from another address each time. */
static void
collide (Pair *p, guint32 ssrc, guint16 port)
{
  Rtcp r = { 0 };
  g_autoptr (GSocketAddress) from
      = g_inet_socket_address_new_from_string ("192.0.2.7", port);
  GstBuffer *buffer;

  put_head (&r, 0, 201, 8);
  put (&r, 4, ssrc);
  buffer = gst_buffer_new_memdup (r.data, r.len);
  gst_buffer_add_net_address_meta (buffer, from);
  g_assert_cmpint (gst_pad_push (p->rtcp, buffer), ==, GST_FLOW_OK);
}

static void
play_round (Pair *p, Run *run, guint i, guint32 ssrc)
{
  Rtcp r = { 0 };

  for (guint k = 0; k < PACKETS; k++) {
    guint16 seq = (guint16) (i * PACKETS + k);

    g_assert_cmpint (
        gst_harness_push (p->send.h, packet_new (ssrc, seq, i, PAYLOAD)), ==,
        GST_FLOW_OK);
    pull_packet (&p->send);
  }
  gst_test_clock_advance_time (p->send.clock, ROUND);
  put_ccfb (&r, ssrc, i * PACKETS, PACKETS);
  ra_put_u32 (r.data + r.len - 4, 0x10000000 + i * 0xccd); /* .05 s */
  rtcp_push (p->rtcp, &r);
  run->rates[i] = get_uint (&p->send, "estimated-bitrate");
}

/* As a payloader does: other caps, and another SSRC from then on. */
static void
play (Run *run, gboolean collides)
{
  g_auto (Pair) p
      = pair_new ("feedback=ccfb lda=none controller=tfrc burst=1000000000 "
                  "start-bitrate=3000000",
          "avpf", caps[0]);
  guint32 ssrc = 7;

  *run = (Run){ 0 };
  for (guint i = 0; i < ROUNDS; i++) {
    if (collides && i == ROUNDS / 2) {
      upstream_events (&p.send, "");
      for (guint16 k = 0; k < 100; k++)
        collide (&p, ssrc, 5000);
      run->asked = upstream_events (&p.send, "GstRTPCollision");
      gst_harness_set_src_caps_str (p.send.h, caps[1]);
      ssrc = 8;
    }
    play_round (&p, run, i, ssrc);
  }
  run->reports = stat (&p.send, "reports-ok");
  run->losses = stat (&p.send, "congestion-losses");
  run->foreign = stat (&p.send, "reports-foreign");
}

static void
test_rate (void)
{
  guint differs = 0;
  Run with, without;

  play (&without, FALSE);
  play (&with, TRUE);
  for (guint i = 0; i < ROUNDS; i++)
    differs += with.rates[i] != without.rates[i];
  trust_row ("attack", "12 a collision in an rtpbin of one's own",
      "100 reports with our SSRC from elsewhere: rtpsession asks once for "
      "another, and the rate is in each round what it is without",
      with.asked == 1 && differs == 0 && with.reports == ROUNDS
          && with.losses == 0 && with.foreign == 0,
      "asked %u times, %u of %u rounds differ, %u bit/s at the end, "
      "%" G_GINT64_FORMAT " reports taken",
      with.asked, differs, ROUNDS, with.rates[ROUNDS - 1], with.reports);
}

void
tests_add (void)
{
  g_test_add_func ("/collide-session/rate", test_rate);
}
