/* rtpadaptsrc: how an rtpjitterbuffer is made to hold less, without a step, and what
 * leaves it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../../plugins/rtpadapt/src/srcframe.h"
#include "../../plugins/rtpadapt/src/srcgap.h"
#include "../../plugins/rtpadapt/src/srchold.h"
#include "../rows.h"

#include <gst/check/gstharness.h>
#include <gst/rtp/rtp.h>

GST_DEBUG_CATEGORY (rtpadaptsrc_debug);

#define MS GST_MSECOND
#define FRAME (40 * MS)
#define SSRC 0x63
#define CAPS                                                           \
  "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264," \
  "payload=96"
#define OTHER                                                          \
  "application/x-rtp,media=audio,clock-rate=48000,encoding-name=OPUS," \
  "payload=97"
#define FEC "application/x-rtp,media=video,clock-rate=90000,payload=122"

typedef struct
{
  GstHarness *harness;
  SrcPayloads payloads;
  SrcHold hold;
  guint n;         /* frames so far */
  guint pt, ticks; /* of the next frame, and of RTP time in a frame */
  RaSpan said;     /* to the sender */
  gint64 lag;      /* of the last frame's PTS behind its media time */
  gint64 up, down; /* the largest changes of that at a frame */
} Fixture;

static void
changed (gpointer data, RaSpan hold)
{
  ((Fixture *) data)->said = hold;
}

static gint64
offset (GstElement *jitterbuffer)
{
  gint64 value;

  g_object_get (jitterbuffer, "ts-offset", &value, NULL);
  return value;
}

static GstCaps *
request_pt_map (GstElement *jitterbuffer, guint pt, gpointer data)
{
  return gst_caps_ref (((Fixture *) data)->payloads.caps[pt]);
}

static void
fixture_init (Fixture *f, gboolean adaptive)
{
  const SrcHoldConfig cfg
      = { adaptive, { 20 * RA_MSECOND, 200 * RA_MSECOND, .repeats = TRUE } };

  *f = (Fixture){
    .harness = gst_harness_new ("rtpjitterbuffer"), .pt = 96, .ticks = 3600
  };
  gst_harness_set_src_caps_str (f->harness, CAPS);
  g_object_set (f->harness->element, "latency", 200, NULL);
  f->payloads.caps[96] = gst_caps_from_string (CAPS);
  f->payloads.caps[97] = gst_caps_from_string (OTHER);
  f->payloads.caps[PT_FEC] = gst_caps_from_string (FEC);
  g_signal_connect (
      f->harness->element, "request-pt-map", G_CALLBACK (request_pt_map), f);
  src_hold_init (&f->hold, &f->payloads, changed, f);
  src_hold_set (&f->hold, &cfg);
  src_hold_add (&f->hold, f->harness->element, SSRC);
}

static void
fixture_clear (Fixture *f)
{
  gst_harness_teardown (f->harness);
  src_hold_remove_all (&f->hold);
  src_hold_clear (&f->hold);
  gst_caps_unref (f->payloads.caps[96]);
  gst_caps_unref (f->payloads.caps[97]);
  gst_caps_unref (f->payloads.caps[PT_FEC]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fixture, fixture_clear)

/* Frame `n`, of one packet, as late as that. */
static void
push (Fixture *f, guint n, GstClockTime late, guint flags)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (100, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_WRITE, &rtp);
  gst_rtp_buffer_set_payload_type (&rtp, (guint8) f->pt);
  gst_rtp_buffer_set_ssrc (&rtp, SSRC);
  gst_rtp_buffer_set_seq (&rtp, (guint16) n);
  gst_rtp_buffer_set_timestamp (&rtp, n * f->ticks);
  gst_rtp_buffer_set_marker (&rtp, TRUE);
  gst_rtp_buffer_unmap (&rtp);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_MARKER | flags);
  GST_BUFFER_DTS (buffer) = n * FRAME + late;
  g_assert_cmpint (gst_harness_push (f->harness, buffer), ==, GST_FLOW_OK);
}

static void
frames (Fixture *f, guint n, GstClockTime late)
{
  for (guint i = 0; i < n; i++, f->n++) {
    g_autoptr (GstBuffer) buffer = NULL;
    gint64 lag;

    push (f, f->n, late, 0);
    if (f->n == 0) /* what came first may not be the first */
      g_assert_true (gst_harness_crank_single_clock_wait (f->harness));
    buffer = gst_harness_pull (f->harness);
    lag = (gint64) GST_BUFFER_PTS (buffer) - (gint64) (f->n * FRAME);
    if (f->n > 0) {
      f->up = MAX (f->up, lag - f->lag);
      f->down = MAX (f->down, f->lag - lag);
    }
    f->lag = lag;
  }
}

static void
hold_set (Fixture *f, guint most)
{
  const SrcHoldConfig cfg
      = { TRUE, { 20 * RA_MSECOND, most * RA_MSECOND, .repeats = TRUE } };

  src_hold_set (&f->hold, &cfg);
}

/* 25 frames of the first second and 25 that it learns from; then 2 ms each, from
 * 200 ms to 20.  The sender hears of another latency, too, where those 20 stay; and
 * the next session begins with nothing. */
static void
test_down (void)
{
  SrcHoldStats stats;
  g_auto (Fixture) f;

  fixture_init (&f, TRUE);
  g_assert_cmpint (f.said, ==, 200 * MS);
  frames (&f, 49, 0);
  g_assert_cmpint (offset (f.harness->element), ==, 0);
  frames (&f, 200, 0);
  g_assert_cmpint (offset (f.harness->element), ==, -180 * (gint64) MS);
  g_assert_cmpint (f.said, ==, 20 * MS);
  g_assert_cmpint (f.down, <=, 2 * MS);
  g_assert_cmpint (f.up, ==, 0);
  src_hold_get_stats (&f.hold, &stats);
  g_assert_cmpint (stats.now, ==, 20 * MS);
  g_assert_cmpint (stats.late, ==, 0);
  g_assert_cmpint (stats.hurried, ==, 2 * MS);
  g_assert_cmpint (stats.moved, ==, 0);
  f.said = 0;
  hold_set (&f, 300);
  g_assert_cmpint (f.said, ==, 20 * MS);
  src_hold_remove_all (&f.hold);
  src_hold_get_stats (&f.hold, &stats);
  g_assert_cmpint (stats.wanted, ==, 0);
  g_assert_cmpint (stats.hurried, ==, 0);
}

/* Nothing is touched where nobody asks for it, but what would be wanted is known. */
static void
test_off (void)
{
  SrcHoldStats stats;
  g_auto (Fixture) f;

  fixture_init (&f, FALSE);
  frames (&f, 100, 0);
  g_assert_cmpint (offset (f.harness->element), ==, 0);
  src_hold_get_stats (&f.hold, &stats);
  g_assert_cmpint (stats.now, ==, 200 * MS);
  g_assert_cmpint (stats.wanted, ==, 20 * MS);
}

/* Another payload type has another clock. */
static void
test_clock (void)
{
  SrcHoldStats stats;
  g_auto (Fixture) f;

  fixture_init (&f, FALSE);
  frames (&f, 50, 0);
  f.pt = 97;
  f.ticks = 1920;
  frames (&f, 50, 0);
  src_hold_get_stats (&f.hold, &stats);
  g_assert_cmpint (stats.moved, ==, 0);
  g_assert_cmpint (stats.hurried, ==, 0);
}

/* Packet 0 did not come, but 1 did.  Then these come, so many ms late; L is what repeats
 * take, as a later one is waited for, or the least where nothing is lost. */
#define REPEAT GST_RTP_BUFFER_FLAG_RETRANSMISSION
static const struct
{
  struct
  {
    gint no;
    guint late, flags;
  } came[3];
  RaSpan wanted;
  const gchar *why;
} copy_rows[] = {
  { { { 0, 60, REPEAT }, { 0, 120, REPEAT } }, 60, "a second repeat" },
  { { { -5, 240, 0 }, { 0, 60, REPEAT } }, 60, "a copy of what is out" },
  { { { 1, 120, 0 }, { 0, 60, REPEAT } }, 60, "a copy of what waits" },
  { { { 0, 60, REPEAT }, { 0, 80, 0 } }, 20, "the path did not lose it" },
};

static void
test_copies (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  SrcHoldStats stats;
  g_auto (Fixture) f;

  fixture_init (&f, FALSE);
  g_object_set (f.harness->element, "do-retransmission", TRUE, NULL);
  for (guint i = 0; i < 10; i++, f.n += 2) {
    frames (&f, 10, 0);
    push (&f, f.n + 1, 0, 0);
    for (guint k = 0; copy_rows[row].came[k].late; k++)
      push (&f, f.n + (guint) copy_rows[row].came[k].no,
          copy_rows[row].came[k].late * MS, copy_rows[row].came[k].flags);
    for (guint k = 0; k < 2; k++)
      gst_buffer_unref (gst_harness_pull (f.harness));
  }
  frames (&f, 1, 0);
  src_hold_get_stats (&f.hold, &stats);
  g_assert_cmpint (stats.wanted, ==, copy_rows[row].wanted * RA_MSECOND);
}

/* rtpbin sets the offset for the lips: ours is taken off that. */
static void
test_lips (void)
{
  g_auto (Fixture) f;

  fixture_init (&f, TRUE);
  frames (&f, 99, 0);
  g_assert_cmpint (offset (f.harness->element), ==, -100 * (gint64) MS);
  g_object_set (f.harness->element, "ts-offset", 30 * (gint64) MS, NULL);
  g_assert_cmpint (offset (f.harness->element), ==, -70 * (gint64) MS);
  frames (&f, 1, 0);
  g_assert_cmpint (offset (f.harness->element), ==, -72 * (gint64) MS);
}

/* A second stream holds what the first does, from its first packet on. */
static void
test_second (void)
{
  g_autoptr (GstElement) second
      = gst_element_factory_make ("rtpjitterbuffer", NULL);
  g_auto (Fixture) f;

  gst_object_ref_sink (second);
  fixture_init (&f, TRUE);
  frames (&f, 99, 0);
  src_hold_add (&f.hold, second, SSRC + 1);
  g_assert_cmpint (offset (second), ==, -100 * (gint64) MS);
  frames (&f, 1, 0);
  g_assert_cmpint (offset (second), ==, -102 * (gint64) MS);
  src_hold_remove (&f.hold, SSRC + 1);
  frames (&f, 1, 0);
  g_assert_cmpint (offset (second), ==, -102 * (gint64) MS);
}

/* Half the frames of a stream are 30 ms late, so that it wants 30.  At the next one's
 * frame it still does, though the latency is 25 by then. */
static void
test_lowered (void)
{
  SrcHoldStats stats;
  g_auto (Fixture) f, second;

  fixture_init (&f, TRUE);
  fixture_init (&second, FALSE);
  src_hold_add (&f.hold, second.harness->element, SSRC + 1);
  for (guint i = 0; i < 60; i++)
    frames (&second, 1, i % 2 * 30 * MS);
  src_hold_get_stats (&f.hold, &stats);
  g_assert_cmpint (stats.wanted, ==, 30 * MS);
  hold_set (&f, 25);
  frames (&f, 1, 0);
  src_hold_get_stats (&f.hold, &stats);
  g_assert_cmpint (stats.now, ==, 25 * MS);
  g_assert_cmpint (stats.wanted, ==, 25 * MS);
}

/* Three frames waited for a radio, 300 ms the first: L is 200, and nothing is due later for
 * that, neither these nor what follows. */
static void
test_lull (void)
{
  g_auto (Fixture) f;

  fixture_init (&f, FALSE);
  frames (&f, 50, 0);
  for (gint late = 300; late >= 0; late -= 100)
    frames (&f, 1, (GstClockTime) late * MS);
  frames (&f, 10, 0);
  g_assert_cmpint (f.up, <, (gint64) MS);
  g_assert_cmpint (f.lag, <, (gint64) MS);
}

/* A frame is 500 ms late, 300 more than may be: it is due when it comes, but for 2 ms, and so
 * are those after it.  The third one is not out before it is 30 ms late (its 500, the 200
 * that 194 are left of, and 30): what follows is shown 70 later.  With
 * adaptive latency L has come down by 2 ms, which the offset takes instead. */
static void
test_catch_up (gconstpointer data)
{
  gboolean adaptive = GPOINTER_TO_INT (data);
  g_auto (Fixture) f;

  fixture_init (&f, adaptive);
  frames (&f, 50, 0);
  frames (&f, 1, 500 * MS);
  g_assert_cmpint (f.lag, ==, 302 * (gint64) MS);
  if (adaptive)
    return;
  frames (&f, 1, 500 * MS);
  g_assert_cmpint (f.lag, ==, 304 * (gint64) MS);
  gst_harness_set_time (f.harness, f.n * FRAME + 536 * MS);
  frames (&f, 1, 500 * MS);
  g_assert_cmpint (f.lag, ==, 376 * (gint64) MS);
}

static guint
latency (const Fixture *f)
{
  guint value;

  g_object_get (f->harness->element, "latency", &value, NULL);
  return value;
}

/* Frame n is lost, and the next one comes. */
static void
hole (Fixture *f)
{
  f->n++;
  push (f, f->n++, 0, 0);
}

/* A video packet is repeated and comes 240 ms after its media time, where L is 200.  It has
 * its time, and so has what follows.  Nobody hears of a longer latency. */
static void
test_grace (void)
{
  g_auto (Fixture) f;

  fixture_init (&f, FALSE);
  g_assert_cmpuint (latency (&f), ==, 200);
  frames (&f, 50, 0);
  g_assert_cmpuint (latency (&f), ==, 260);
  g_assert_cmpuint (gst_harness_query_latency (f.harness), ==, 200 * MS);
  g_object_set (f.harness->element, "do-retransmission", TRUE, NULL);
  hole (&f);
  gst_harness_set_time (f.harness, (f.n - 2) * FRAME + 239 * MS);
  push (&f, f.n - 2, 240 * MS, REPEAT);
  for (guint i = 2; i > 0; i--) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (f.harness);

    g_assert_cmpuint (GST_BUFFER_PTS (buffer), ==, (f.n - i) * FRAME);
    g_assert_false (GST_BUFFER_IS_DISCONT (buffer));
  }
}

/* The last packets of two frames are repeated, the later one first, before the next frame
 * shows that they are missing.  They do not make frames late: 2 of 28 are more than a 20th. */
static void
test_unmissed (void)
{
  SrcHoldStats stats;
  g_auto (Fixture) f;

  fixture_init (&f, FALSE);
  frames (&f, 50, 0);
  g_object_set (f.harness->element, "do-retransmission", TRUE, NULL);
  push (&f, f.n + 1, 20 * MS, REPEAT);
  push (&f, f.n, 60 * MS, REPEAT);
  push (&f, f.n + 2, 0, 0);
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (f.harness);

    g_assert_cmpuint (GST_BUFFER_PTS (buffer), ==, (f.n + i) * FRAME);
    g_assert_false (GST_BUFFER_IS_DISCONT (buffer));
  }
  src_hold_get_stats (&f.hold, &stats);
  g_assert_cmpint (stats.late, <, 20 * MS);
}

/* After a fourth wait in vain there is none, until a repeat comes for which it would have
 * paid.  The fifth hole is given up after 200 ms. */
static void
test_grace_in_vain (void)
{
  g_auto (Fixture) f;

  fixture_init (&f, FALSE);
  frames (&f, 50, 0);
  for (guint i = 0; i < 5; i++) {
    g_assert_cmpuint (latency (&f), ==, i < 4 ? 260 : 200);
    hole (&f);
    g_assert_true (gst_harness_crank_single_clock_wait (f.harness));
    gst_buffer_unref (gst_harness_pull (f.harness));
    g_assert_cmpuint (
        gst_clock_get_time (GST_ELEMENT_CLOCK (f.harness->element)), >=,
        (f.n - 2) * FRAME + (i < 4 ? 260 : 200) * MS);
    frames (&f, 1, 0);
  }
  push (&f, f.n - 3, 230 * MS, REPEAT);
  g_assert_cmpuint (latency (&f), ==, 260);
}

/* Sound cannot be late, rtpulpfecdec mends what was given up, without repeats nothing comes,
 * and on a longer path a jitterbuffer with a longer latency would not find its new clock. */
static void
test_no_grace (void)
{
  const SrcHoldConfig alone = { .limits.most = 200 * RA_MSECOND };
  g_auto (Fixture) audio, fec, fixed, longer;

  fixture_init (&audio, FALSE);
  audio.pt = 97;
  audio.ticks = 1920;
  frames (&audio, 50, 0);
  g_assert_cmpuint (latency (&audio), ==, 200);

  fixture_init (&fec, FALSE);
  frames (&fec, 50, 0);
  fec.pt = PT_FEC;
  frames (&fec, 1, 0);
  g_assert_cmpuint (latency (&fec), ==, 200);
  fixture_init (&fixed, FALSE);
  src_hold_set (&fixed.hold, &alone);
  frames (&fixed, 50, 0);
  g_assert_cmpuint (latency (&fixed), ==, 200);

  fixture_init (&longer, FALSE);
  frames (&longer, 50, 0);
  frames (&longer, 13, 230 * MS);
  g_assert_cmpuint (latency (&longer), ==, 260);
  frames (&longer, 1, 230 * MS);
  g_assert_cmpuint (latency (&longer), ==, 200);
  g_assert_cmpint (longer.lag, ==, 32 * (gint64) MS); /* see catch-up */
  frames (&longer, 30, 230 * MS);
  g_assert_cmpuint (latency (&longer), ==, 260);
}

/* Of a stream that goes while it catches up, the jitterbuffer is not listened to. */
static void
test_removed (void)
{
  g_auto (Fixture) f;

  fixture_init (&f, FALSE);
  frames (&f, 50, 0);
  frames (&f, 1, 500 * MS);
  src_hold_remove (&f.hold, SSRC);
  frames (&f, 1, 500 * MS);
  g_assert_cmpint (f.lag, ==, 500 * (gint64) MS);
  g_assert_false (g_signal_has_handler_pending (f.harness->element,
      g_signal_lookup ("notify", G_OBJECT_TYPE (f.harness->element)),
      g_quark_from_static_string ("ts-offset"), TRUE));
}

/* m: media, f and r: repair packets of both codes; upper case: behind a hole. */
static const struct
{
  const gchar *in, *out, *why;
} holes[] = {
  { "mfMm", "mfMm", "nothing is hidden" },
  { "mFmm", "mFMm", "the next media packet shows it" },
  { "mRrmm", "mRrMm", "whatever repair packets come between" },
  { "mFMm", "mFMm", "two holes" },
  { "mFmRmm", "mFMRMm", "each" },
};

static void
test_hole (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  GstHarness *h = gst_harness_new ("identity");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (h->element, "src");
  g_autoptr (GString) out = g_string_new (NULL);

  g_test_message ("%s", holes[row].why);
  gst_harness_set_src_caps_str (h, CAPS);
  src_gap_watch (pad);
  for (const gchar *c = holes[row].in; *c; c++) {
    gchar kind = g_ascii_tolower (*c);
    guint8 packet[12] = { 0x80,
      kind == 'm'       ? 0x80 | 96
          : kind == 'f' ? PT_FEC
                        : PT_RS };
    GstBuffer *buffer = gst_buffer_new_memdup (packet, sizeof packet);

    if (g_ascii_isupper (*c))
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    gst_harness_push (h, buffer);
    buffer = gst_harness_pull (h);
    g_string_append_c (
        out, GST_BUFFER_IS_DISCONT (buffer) ? g_ascii_toupper (kind) : kind);
    gst_buffer_unref (buffer);
  }
  g_assert_cmpstr (out->str, ==, holes[row].out);
  gst_harness_teardown (h);
}

/* m: a packet of video, M: with the marker, a: of sound, f: FEC, a space: the next frame,
 * e: an event, x: a flush. out: what has gone on after each of them. */
static const struct
{
  const gchar *in, *out, *why;
} frame_rows[] = {
  { "mm mM", "12234", "nobody knows yet that frames end with the marker" },
  { "M mmM mM", "11114446", "then a frame waits for its own" },
  { "M mmfMf", "1111156", "FEC keeps its place" },
  { "M mm mM", "1111145", "the marker is lost: the next frame shows the end" },
  { "M mm mM mM", "1111145557",
      "that frame waits for nothing, and the next one does" },
  { "M mem", "11122", "what comes in order stays so, as the news of a loss" },
  { "M mmxM", "111112", "what waited is flushed" },
  { "aaa", "123", "sound waits for nothing" },
};

static GstBuffer *
frame_packet (gchar kind, guint frame)
{
  guint8 packet[12] = { 0x80, kind == 'f' ? PT_FEC : kind == 'a' ? 97 : 96 };
  GstBuffer *buffer;

  packet[1] |= kind == 'M' ? 0x80 : 0;
  packet[7] = (guint8) frame;
  buffer = gst_buffer_new_memdup (packet, sizeof packet);
  GST_BUFFER_PTS (buffer) = frame * FRAME;
  return buffer;
}

/* `h` is an identity whose latency is 200 ms. */
static void
frame_init (GstHarness *h)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (h->element, "src");
  SrcPayloads payloads = { 0 };

  payloads.caps[96] = gst_caps_from_string (CAPS);
  payloads.caps[97] = gst_caps_from_string (OTHER);
  payloads.caps[PT_FEC] = gst_caps_from_string (FEC);
  src_frame_watch (pad, &payloads);
  src_payloads_clear (&payloads);
  gst_harness_set_src_caps_str (h, CAPS);
  gst_harness_set_upstream_latency (h, 200 * MS);
}

static void
test_frame (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data), frame = 0;
  GstHarness *h = gst_harness_new ("identity");
  g_autoptr (GString) out = g_string_new (NULL);
  GstSegment segment;

  g_test_message ("%s", frame_rows[row].why);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  frame_init (h);
  for (const gchar *c = frame_rows[row].in; *c; c++) {
    if (*c == ' ')
      frame++;
    else if (*c == 'e')
      gst_harness_push_event (h, gst_event_new_gap (0, FRAME));
    else if (*c == 'x') {
      gst_harness_push_event (h, gst_event_new_flush_stop (FALSE));
      gst_harness_push_event (h, gst_event_new_segment (&segment));
    } else {
      gst_harness_push (h, frame_packet (*c, frame));
    }
    g_string_append_printf (out, "%u", gst_harness_buffers_received (h));
  }
  g_assert_cmpstr (out->str, ==, frame_rows[row].out);
  gst_harness_teardown (h);
}

/* Frame 1, at 40 ms, is whole at `whole`, and frame 2, at 80 ms, 5 ms later.  The pad's
 * latency is 200 ms, and a frame may be 15 ms late.  What is left of the pipeline's latency
 * without the 20 ms of a sink (processing-deadline of GstBaseSink), or without what a sink
 * and its decoder say, counts where it is more. */
static const struct
{
  guint latency; /* ms, of the event; 0: none */
  guint decoder; /* ms; 0: there is no sink */
  guint whole;
  guint pts[2];
  const gchar *why;
} late_rows[] = {
  { 0, 0, 280, { 65, 80 }, "280 - 215 = 65; 285 - 215 < 80" },
  { 220, 0, 280, { 65, 80 }, "the same: no sink has more" },
  { 100, 0, 280, { 65, 80 }, "less than the pad's is not believed" },
  { 400, 0, 300, { 40, 80 }, "sound has 400 ms: 260 ms is in time" },
  { 400, 0, 455, { 60, 80 }, "400 - 20 + 15: 455 - 395 = 60" },
  { 400, 30, 425, { 60, 80 }, "400 - 50 + 15: 425 - 365 = 60" },
};

static GstPadProbeReturn
decoder_latency (GstPad *pad, GstPadProbeInfo *info, gpointer ms)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  GstClockTime min;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return GST_PAD_PROBE_OK;
  gst_query_parse_latency (query, NULL, &min, NULL);
  gst_query_set_latency (query, TRUE, min + GPOINTER_TO_UINT (ms) * MS, -1);
  return GST_PAD_PROBE_OK;
}

static void
note_pts (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  const guint **next = data;

  g_assert_cmpuint (GST_BUFFER_PTS (buffer), ==, *(*next)++ * MS);
}

/* Behind `pad`, which has no sink of the harness; without a clock it does not wait. */
static GstElement *
sink_add (GstPad *pad, guint decoder, const guint **pts)
{
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  g_autoptr (GstPad) peer = gst_element_get_static_pad (sink, "sink");

  g_object_set (
      sink, "sync", TRUE, "async", FALSE, "signal-handoffs", TRUE, NULL);
  g_signal_connect (sink, "handoff", G_CALLBACK (note_pts), pts);
  gst_pad_add_probe (peer,
      GST_PAD_PROBE_TYPE_QUERY_UPSTREAM | GST_PAD_PROBE_TYPE_PULL,
      decoder_latency, GUINT_TO_POINTER (decoder), NULL);
  gst_element_set_state (sink, GST_STATE_PLAYING);
  g_assert_cmpint (gst_pad_link (pad, peer), ==, GST_PAD_LINK_OK);
  return gst_object_ref_sink (sink);
}

static void
test_frame_late (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data), decoder = late_rows[row].decoder;
  const guint *own = late_rows[row].pts;
  const guint pts[] = { 0, own[0], own[0], own[1], own[1] }, *next = pts;
  GstHarness *h = gst_harness_new_with_padnames (
      "identity", "sink", decoder > 0 ? NULL : "src");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (h->element, "src");
  GstElement *sink = decoder > 0 ? sink_add (pad, decoder, &next) : NULL;

  g_test_message ("%s", late_rows[row].why);
  frame_init (h);
  gst_harness_push (h, frame_packet ('M', 0));
  if (late_rows[row].latency > 0)
    gst_pad_send_event (
        pad, gst_event_new_latency (late_rows[row].latency * MS));
  for (guint frame = 1; frame <= 2; frame++) {
    gst_harness_push (h, frame_packet ('m', frame));
    gst_harness_set_time (h, (late_rows[row].whole + 5 * frame - 5) * MS);
    gst_harness_push (h, frame_packet ('M', frame));
  }
  for (guint i = 0; !sink && i < G_N_ELEMENTS (pts); i++) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);

    note_pts (NULL, buffer, NULL, &next);
  }
  g_assert_true (next == pts + G_N_ELEMENTS (pts));
  gst_harness_teardown (h);
  if (sink)
    gst_element_set_state (sink, GST_STATE_NULL);
  gst_clear_object (&sink);
}

/* A frame without an end does not fill the memory. */
static void
test_frame_endless (void)
{
  GstHarness *h = gst_harness_new ("identity");

  frame_init (h);
  gst_harness_push (h, frame_packet ('M', 0));
  for (guint i = 0; i < 3000; i++)
    gst_harness_push (h, frame_packet ('m', 1));
  g_assert_cmpuint (gst_harness_buffers_received (h), ==, 3001);
  gst_harness_teardown (h);
}

/* What a codec of pt-map is; of pictures alone rtpsession makes PLIs. */
static const struct
{
  const gchar *map, *media, *why;
} media_rows[] = {
  { "96=NOBODY/90000", "video", "the clock of video" },
  { "96=NOBODY/8000", "audio", "another clock" },
  { "96=SMPTE336M/90000", "application", "rtpklvdepay takes no other" },
  { "96=smpte336m/1000", "application", "RFC 6597 6.1: any clock" },
  { "96=X-GST/90000", "application", "rtpgstdepay takes no other" },
};

static void
test_media (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  const SrcPayloadSettings settings = { .pt_map = media_rows[row].map };
  const gchar *media = media_rows[row].media;
  const GstStructure *s;
  SrcPayloads table;

  g_test_message ("%s", media_rows[row].why);
  g_assert_true (src_payloads_fill (&table, &settings, NULL));
  s = gst_caps_get_structure (table.caps[96], 0);
  g_assert_cmpstr (gst_structure_get_string (s, "media"), ==, media);
  g_assert_cmpint (gst_structure_has_field (s, "rtcp-fb-nack-pli"), ==,
      g_str_equal (media, "video"));
  src_payloads_clear (&table);
}

void
tests_add (void)
{
  GST_DEBUG_CATEGORY_INIT (rtpadaptsrc_debug, "rtpadaptsrc", 0, "test");
  g_test_add_func ("/src-hold/down", test_down);
  g_test_add_func ("/src-hold/off", test_off);
  g_test_add_func ("/src-hold/clock", test_clock);
  rows_add ("/src-hold/copies", copy_rows, test_copies);
  g_test_add_func ("/src-hold/lips", test_lips);
  g_test_add_func ("/src-hold/second", test_second);
  g_test_add_func ("/src-hold/lowered", test_lowered);
  g_test_add_func ("/src-hold/lull", test_lull);
  g_test_add_data_func ("/src-hold/catch-up", NULL, test_catch_up);
  g_test_add_data_func (
      "/src-hold/catch-up/adaptive", GINT_TO_POINTER (TRUE), test_catch_up);
  g_test_add_func ("/src-hold/grace", test_grace);
  g_test_add_func ("/src-hold/unmissed", test_unmissed);
  g_test_add_func ("/src-hold/grace/in-vain", test_grace_in_vain);
  g_test_add_func ("/src-hold/grace/none", test_no_grace);
  g_test_add_func ("/src-hold/removed", test_removed);
  rows_add ("/src-hold/hole", holes, test_hole);
  rows_add ("/src-hold/media", media_rows, test_media);
  rows_add ("/src-hold/frame", frame_rows, test_frame);
  rows_add ("/src-hold/frame/late", late_rows, test_frame_late);
  g_test_add_func ("/src-hold/frame/endless", test_frame_endless);
}
