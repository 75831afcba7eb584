/* The bytes that leave rtpadaptsend, when, and what it counts, in each mode of
 * feedback over a path with losses, for tests/tools/golden.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "golden.h"

#include "session-fixture.h"
#include "send-twcc.h"

#include <gst/rtpadapt/feedback/ccfbfci.h>
#include <gst/rtpadapt/feedback/radp.h>
#include <gst/rtpadapt/feedback/stamp.h>

#define MS GST_MSECOND
#define TICK (5 * MS)
#define FRAME (40 * MS)
#define REPORT (100 * MS)
#define LENGTH (8 * GST_SECOND)
#define HEAD 48 /* bytes of a packet: its header with all extensions */
#define EXT EXT_TWCC EXT_SEND_TS EXT_COLOUR
#define CAPS_OF(name) \
  "application/x-rtp,media=video,clock-rate=90000,encoding-name=" name
#define SENT_MAX 8192

typedef enum
{
  TWCC,
  TFRC,
  CCFB,
  CCFB_LIES, /* what was never sent arrived, too */
  RR,        /* receiver reports alone */
} Mode;

/* The names of algorithms are GStreamer's nicks. */
static const struct
{
  const gchar *name, *properties, *caps;
  Mode mode;
} rows[] = {
  { "twcc-tfrc", "controller=tfrc lda=zbs colour=profile", CAPS_OF ("H264") EXT,
      TWCC },
  { "twcc-delay", "controller=delay lda=fused colour=none", CAPS_OF ("VP8") EXT,
      TWCC },
  { "twcc-ssvp-content", "controller=ssvp lda=ld colour=content",
      CAPS_OF ("H264") EXT, TWCC },
  { "twcc-arc-wled", "controller=arc lda=wled colour=profile",
      CAPS_OF ("H264") EXT_TWCC, TWCC },
  { "twcc-fec", "controller=gaimd lda=biaz fec=fixed max-bitrate=800000",
      CAPS_OF ("H264") EXT_TWCC, TWCC },
  { "tfrc-tfrc", "feedback=tfrc controller=tfrc lda=none colour=profile",
      CAPS_OF ("H264") EXT, TFRC },
  { "tfrc-delay", "feedback=tfrc controller=delay", CAPS_OF ("VP8") EXT, TFRC },
  { "tfrc-arc", "feedback=tfrc controller=arc", CAPS_OF ("H264") EXT, TFRC },
  { "ccfb-tfrc", "feedback=ccfb controller=tfrc lda=zbs ecn=ect-0",
      CAPS_OF ("H264") EXT_COLOUR, CCFB },
  { "ccfb-delay", "feedback=ccfb controller=delay lda=fused", CAPS_OF ("H264"),
      CCFB },
  { "ccfb-westwood", "feedback=ccfb controller=westwood lda=zigzag",
      CAPS_OF ("H264") EXT, CCFB },
  { "ccfb-lies", "feedback=ccfb controller=delay", CAPS_OF ("H264"),
      CCFB_LIES },
  { "auto-none", "controller=tfrc", CAPS_OF ("H264"), RR },
};

typedef struct
{
  guint32 ssrc;
  guint16 seq;
  guint size;
  GstClockTime sent, arrival; /* GST_CLOCK_TIME_NONE: lost */
} Out;

typedef struct
{
  Pair p;
  Mode mode;
  guint ids; /* threads that wait on the clock */
  guint16 audio;
  guint frames;
  Out out[SENT_MAX];
  guint n, told; /* packets that left, that were reported */
  RaRadp radp;
} Play;

/* --- the path ------------------------------------------------------------ */

/* Single losses, a burst, and from 4.5 to 5.5 s nothing arrives. */
static gboolean
is_lost (guint i, GstClockTime t)
{
  return i % 89 == 17 || (i >= 150 && i < 154)
      || (t >= START + 4500 * MS && t < START + 5500 * MS);
}

/* A queue that grows and falls within 2 s, and some jitter. */
static GstClockTime
delay (guint i, GstClockTime t)
{
  return OWD + t / MS % 2000 / 200 * MS + i * 37 % 5 * (MS / 4);
}

static void
take (Play *y)
{
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (y->p.send.h))) {
    GstClockTime now = time_now (&y->p.send);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
    Out *o = &y->out[y->n];

    g_assert_cmpuint (y->n, <, SENT_MAX);
    golden_buffer (buffer, now, HEAD);
    g_assert_true (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
    *o = (Out){ gst_rtp_buffer_get_ssrc (&rtp), gst_rtp_buffer_get_seq (&rtp),
      gst_rtp_buffer_get_payload_len (&rtp), now, GST_CLOCK_TIME_NONE };
    gst_rtp_buffer_unmap (&rtp);
    if (!is_lost (y->n, now))
      o->arrival = now + delay (y->n, now);
    y->n++;
    gst_buffer_unref (buffer);
  }
}

static void
advance_to (Play *y, GstClockTime t)
{
  while (golden_step (y->p.send.clock, y->ids, t))
    take (y);
  gst_test_clock_set_time (y->p.send.clock, t);
  golden_settle (y->p.send.clock, y->ids);
  take (y);
}

/* --- in ------------------------------------------------------------------ */

static void
push_one (Play *y, guint32 ssrc, guint16 seq, guint payload, gboolean marker)
{
  GstBuffer *buffer = packet_new (ssrc, seq, y->frames * 3600, payload);

  gst_buffer_memset (buffer, HEADER, 0, payload);
  gst_buffer_memset (buffer, 1, (guint8) ((marker ? 0x80 : 0) | 96), 1);
  gst_buffer_memset (buffer, HEADER, y->frames % 50 ? 0x41 : 0x65, 1);
  g_assert_cmpint (gst_harness_push (y->p.send.h, buffer), ==, GST_FLOW_OK);
  golden_settle (y->p.send.clock, y->ids);
  take (y);
}

/* Frames of 3 to 7 packets, key frames of 12, and sound beside every third. */
static void
push_pictures (Play *y)
{
  guint n = y->frames % 50 ? 3 + y->frames * 7 % 5 : 12;

  for (guint i = 0; i < n; i++)
    push_one (y, SSRC, y->p.send.seq++,
        i + 1 < n ? PAYLOAD : 200 + y->frames * 13 % 800, i + 1 == n);
  if (y->frames % 3 == 0)
    push_one (y, SSRC + 1, y->audio++, 160, FALSE);
  y->frames++;
}

/* --- the way back --------------------------------------------------------- */

static guint
reported_end (const Play *y, GstClockTime now)
{
  guint end = y->told;

  for (guint i = y->told; i < y->n; i++) {
    if (y->out[i].arrival != GST_CLOCK_TIME_NONE
        && y->out[i].arrival + OWD <= now)
      end = i + 1;
  }
  return end;
}

/* The highest number of the pictures that arrived. */
static guint
highest (const Play *y, guint end)
{
  while (--end > 0 && y->out[end].ssrc != SSRC)
    continue;
  return y->out[end].seq;
}

static void
report_twcc (Play *y, guint end)
{
  GValueArray *twcc = rows_new ();

  for (guint i = y->told; i < end; i++) {
    const Out *o = &y->out[i];

    twcc_row_add (twcc, i, o->sent, o->size,
        o->arrival == GST_CLOCK_TIME_NONE
            ? LOST
            : (o->arrival - START) / GRAIN * GRAIN);
  }
  rows_push (&y->p.send, twcc);
}

static void
report_tfrc (Play *y, Rtcp *r, guint end, GstClockTime now)
{
  const Out *last = &y->out[end - 1];
  RaRadp *radp = &y->radp;
  guint before = radp->arrived;
  gsize size;
  guint8 data[RA_RADP_SIZE_MAX];

  radp->t_i = ra_stamp_us (last->sent - START);
  radp->queue = (RaSpan) (last->arrival - last->sent - OWD);
  radp->queue_min = radp->queue / 2;
  radp->queue_max = radp->queue;
  radp->w = .4;
  radp->p_c = .02;
  radp->burst = 1.25;
  g_strlcpy (radp->lda, "wled", sizeof radp->lda);
  for (guint i = y->told; i < end; i++) {
    gboolean lost = y->out[i].arrival == GST_CLOCK_TIME_NONE;

    radp->expected++;
    radp->arrived += !lost;
    radp->lost_congestion += lost && i % 3 == 0;
    radp->n_events += lost && i % 3 == 0;
    radp->lost_wireless += lost && i % 3 != 0;
    radp->wireless_runs += lost && i % 3 != 0;
    if (lost && i % 3 == 0)
      radp->t_lost = ra_stamp_us (y->out[i].sent - START);
  }
  size = ra_radp_write (radp, data, sizeof data);
  put_head (r, RA_RADP_SUBTYPE, 204, (guint) (12 + size));
  put (r, 4, PEER);
  put (r, 4, 0x52414450);
  for (gsize i = 0; i < size; i++)
    put (r, 1, data[i]);
  put_tfrc (r, 2, SSRC, radp->t_i,
      (guint32) ((now - OWD - last->arrival) / GST_USECOND),
      (radp->arrived - before) * 12000, radp->n_events * 1000000);
}

static void
report_ccfb (Play *y, Rtcp *r, guint end, GstClockTime now)
{
  static const guint32 ssrcs[] = { SSRC, SSRC + 1 };
  RaCcfbPacket packets[2][SENT_MAX / 16];
  RaCcfbBlock blocks[2];
  guint8 fci[768];
  guint32 media;
  guint n = 0;
  gsize size;

  for (guint k = 0; k < 2; k++) {
    RaCcfbBlock b = { .ssrc = ssrcs[k], .packets = packets[k] };

    for (guint i = y->told; i < end; i++) {
      const Out *o = &y->out[i];
      if (o->ssrc != ssrcs[k])
        continue;
      if (b.n == 0)
        b.begin_seq = o->seq;
      /* The numbers of frames that were dropped are gaps. */
      while (b.n < (guint16) (o->seq - b.begin_seq))
        packets[k][b.n++] = (RaCcfbPacket){ .received = y->mode == CCFB_LIES };
      packets[k][b.n++] = o->arrival == GST_CLOCK_TIME_NONE
          ? (RaCcfbPacket){ 0 }
          : (RaCcfbPacket){ TRUE, i % 97 == 5 ? 3 : 2,
              (guint16) ((now - o->arrival) * 1024 / GST_SECOND) };
    }
    if (b.n > 0)
      blocks[n++] = b;
  }
  size = ra_ccfb_write (ra_stamp_ntp (now), blocks, n, &media, fci, sizeof fci);
  g_assert_cmpuint (size, >, 0);
  put_head (r, RA_CCFB_FMT, 205, (guint) (12 + size));
  put (r, 4, PEER);
  put (r, 4, media);
  for (gsize i = 0; i < size; i++)
    put (r, 1, fci[i]);
}

static void
report (Play *y)
{
  GstClockTime now = time_now (&y->p.send);
  guint end = reported_end (y, now);
  Rtcp r = { 0 };

  if (end == y->told)
    return;
  if (y->mode == TWCC) {
    report_twcc (y, end);
  } else {
    put_rr (&r, SSRC, end % 7, highest (y, end), 0, 0);
    if (y->mode == TFRC)
      report_tfrc (y, &r, end, now);
    else if (y->mode != RR)
      report_ccfb (y, &r, end, now);
    rtcp_push (y->p.rtcp, &r);
  }
  y->told = end;
  golden_settle (y->p.send.clock, y->ids);
  take (y);
}

/* Somebody downstream wants a packet again. */
static void
ask_again (Play *y)
{
  const Out *o = &y->out[y->n - MIN (y->n, 5)];

  gst_harness_push_upstream_event (y->p.send.h,
      gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
          gst_structure_new ("GstRTPRetransmissionRequest", "seqnum",
              G_TYPE_UINT, (guint) o->seq, "ssrc", G_TYPE_UINT, o->ssrc,
              "payload-type", G_TYPE_UINT, 96, NULL)));
}

/* What went up, but for feedback, which passes. */
static void
upstream (Play *y)
{
  GstEvent *event;

  while ((event = gst_harness_try_pull_upstream_event (y->p.send.h))) {
    const GstStructure *s = gst_event_get_structure (event);

    if (s && gst_structure_has_name (s, "GstRTPRetransmissionRequest"))
      golden_structure ("upstream", s);
    gst_event_unref (event);
  }
}

/* --- a run --------------------------------------------------------------- */

static void
play (guint row)
{
  g_autofree Play *y = g_new0 (Play, 1);

  y->mode = rows[row].mode;
  g_random_set_seed (1);
  if (y->mode == TWCC)
    y->p = pair_alone (rows[row].properties, rows[row].caps);
  else
    y->p = pair_new (rows[row].properties, "avpf", rows[row].caps);
  golden_begin (rows[row].name, y->p.send.clock);
  /* rtpadaptsend's task; rtpsession's timer from the first packet on. */
  y->ids = y->mode == TWCC ? 1 : 2;
  push_one (y, SSRC, y->p.send.seq++, PAYLOAD, TRUE);
  for (GstClockTime t = 0, begin = time_now (&y->p.send); t < LENGTH;
       t += TICK) {
    advance_to (y, begin + t);
    if (t % FRAME == 0)
      push_pictures (y);
    if (t % REPORT == TICK)
      report (y);
    if (t % (10 * REPORT) == 3 * TICK)
      ask_again (y);
    if (t % GST_SECOND == 7 * TICK) {
      upstream (y);
      golden_stats (y->p.send.element);
    }
  }
  golden_end ();
  pair_free (&y->p);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (argc < 2 || g_str_equal (argv[1], rows[i].name))
      play (i);
  }
  return 0;
}
