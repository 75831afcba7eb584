/* rtpadaptfecenc, and behind it GStreamer's rtpstorage and rtpulpfecdec, or
 * rtpadaptfecdec.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <gst/check/gstharness.h>
#include <gst/rtp/rtp.h>
#include <gst/rtpadapt/repair/masks.h>
#include <plugins/rtpadapt/fec/fecblock.h>

#define CAPS "application/x-rtp,payload=96,ssrc=(uint)1,clock-rate=90000"
#define MEDIA 96
#define FEC 122
#define RS 120
#define TICKS 3600 /* a frame at 25 Hz */
#define FRAME (40 * GST_MSECOND)

/* --- what goes in ------------------------------------------------------------ */

typedef struct
{
  GstHarness *h;
  guint32 ssrc, frame;
  guint16 seq;
  GRand *rand;
  GPtrArray *out; /* GstBuffer */
} World;

static void
world_new (World *w, const gchar *line)
{
  *w = (World){ .ssrc = 1, .seq = 65500, .rand = g_rand_new_with_seed (7) };
  w->h = gst_harness_new_parse (line);
  gst_harness_set_src_caps_str (w->h, CAPS);
  w->out = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
}

static void
world_free (World *w)
{
  gst_harness_teardown (w->h);
  g_ptr_array_unref (w->out);
  g_rand_free (w->rand);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (World, world_free)

/* Of all kinds: padding, a header extension, contributing sources. */
static GstBuffer *
packet_new (World *w, gboolean marker)
{
  guint csrc = (guint) g_rand_int_range (w->rand, 0, 3);
  guint padding = (guint) g_rand_int_range (w->rand, 0, 4);
  guint payload = (guint) g_rand_int_range (w->rand, 1, 300);
  GstBuffer *buffer
      = gst_rtp_buffer_new_allocate (payload, (guint8) padding, (guint8) csrc);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint8 *data;

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  data = gst_rtp_buffer_get_payload (&rtp);
  for (guint i = 0; i < payload; i++)
    data[i] = (guint8) g_rand_int (w->rand);
  for (guint i = 0; i < csrc; i++)
    gst_rtp_buffer_set_csrc (&rtp, (guint8) i, g_rand_int (w->rand));
  if (g_rand_boolean (w->rand))
    gst_rtp_buffer_add_extension_onebyte_header (&rtp, 3, "\1\2\3", 3);
  gst_rtp_buffer_set_payload_type (&rtp, MEDIA);
  gst_rtp_buffer_set_ssrc (&rtp, w->ssrc);
  gst_rtp_buffer_set_seq (&rtp, w->seq++);
  gst_rtp_buffer_set_timestamp (&rtp, w->frame * TICKS);
  gst_rtp_buffer_set_marker (&rtp, marker);
  gst_rtp_buffer_unmap (&rtp);
  GST_BUFFER_PTS (buffer) = w->frame * FRAME;
  return buffer;
}

static void
take_all (World *w)
{
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (w->h)))
    g_ptr_array_add (w->out, buffer);
}

static void
push_frame (World *w, guint packets, gboolean important)
{
  for (guint i = 0; i < packets; i++) {
    GstBuffer *buffer = packet_new (w, i + 1 == packets);

    if (important)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_NON_DROPPABLE);
    g_assert_cmpint (gst_harness_push (w->h, buffer), ==, GST_FLOW_OK);
  }
  w->frame++;
  take_all (w);
}

static guint8
type_of (GstBuffer *buffer)
{
  guint8 byte;

  gst_buffer_extract (buffer, 1, &byte, 1);
  return byte & 0x7f;
}

static guint16
seq_of (GstBuffer *buffer)
{
  guint8 bytes[2];

  gst_buffer_extract (buffer, 2, bytes, 2);
  return GST_READ_UINT16_BE (bytes);
}

static guint64
count_of (GstHarness *h, const gchar *element, const gchar *field)
{
  g_autoptr (GstStructure) stats = NULL;
  guint64 n;

  gst_harness_get (h, element, "stats", &stats, NULL);
  g_assert_true (gst_structure_get_uint64 (stats, field, &n));
  return n;
}

/* --- how many, and where -------------------------------------------------------- */

static const struct
{
  const gchar *name, *settings;
  guint frames, packets; /* that go in, and of each frame */
  const gchar *out;      /* m: ten media packets, r: a repair packet */
  const gchar *why;
} places[] = {
  { "none", "percentage=20", 3, 10, "mmm", "without a payload type" },
  { "off", "pt=122", 3, 10, "mmm", "nothing is wanted" },
  { "span", "pt=122 percentage=20", 9, 10, "mrrmmmmrrrrrrrrmmmmrrrrrrrr",
      "no interval is known behind the first frame, then 4 frames span 160 ms" },
  { "short", "pt=122 percentage=20 span=100", 5, 10, "mrrmmrrrrmmrrrr",
      "two frames" },
  { "frame", "pt=122 percentage=20 span=0", 3, 10, "mrrmrrmrr", "one frame" },
  { "important", "pt=122 percentage=10 percentage-important=30", 1, 10, "mrrr",
      "a key frame" },
  { "late", "pt=122 rs-pt=120 code=rs late-loss=50", 2, 10, "mrrrmrrr",
      "3 for 10 packets at 5 %: test-repair.c" },
  { "late-span", "pt=122 rs-pt=120 code=rs percentage=20 late-loss=50", 1, 10,
      "mrr", "all packets get repair" },
  { "late-off", "pt=122 rs-pt=120 code=rs", 2, 10, "mm", "nothing is lost" },
  { "eos", "pt=122 percentage=20", 3, 10, "mrrmmrrrr",
      "the end of the stream ends a block" },
};

static void
test_places (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  g_autofree gchar *line
      = g_strdup_printf ("rtpadaptfecenc %s", places[r].settings);
  g_autoptr (GString) out = g_string_new (NULL);
  guint16 seq = 65500;
  guint media = 0;
  g_auto (World) w;

  g_test_message ("%s", places[r].why);
  world_new (&w, line);
  for (guint i = 0; i < places[r].frames; i++)
    push_frame (&w, places[r].packets,
        g_str_equal (places[r].name, "important")
            || g_str_has_prefix (places[r].name, "late"));
  if (g_str_equal (places[r].name, "eos")) {
    gst_harness_push_event (w.h, gst_event_new_eos ());
    take_all (&w);
  }
  for (guint i = 0; i < w.out->len; i++) {
    GstBuffer *buffer = w.out->pdata[i];

    g_assert_cmpuint (seq_of (buffer), ==, seq++);
    if (type_of (buffer) != MEDIA)
      g_string_append_c (out, 'r');
    else if (++media % 10 == 0)
      g_string_append_c (out, 'm');
  }
  g_assert_cmpstr (out->str, ==, places[r].out);
}

/* Another SSRC, or a number that is left out: the block ends before it. */
static void
test_breaks (void)
{
  g_auto (World) w;

  world_new (&w, "rtpadaptfecenc pt=122 percentage=20");
  push_frame (&w, 10, FALSE);
  push_frame (&w, 10, FALSE);
  w.seq += 3;
  push_frame (&w, 10, FALSE); /* 10 2 10 2 10 */
  g_assert_cmpuint (w.out->len, ==, 34);
  g_assert_cmpuint (type_of (w.out->pdata[23]), ==, FEC);
  g_assert_cmpuint (
      seq_of (w.out->pdata[24]), ==, (guint16) (seq_of (w.out->pdata[23]) + 4));
  w.ssrc = 2;
  w.seq = 100;
  push_frame (&w, 10, FALSE);
  g_assert_cmpuint (type_of (w.out->pdata[34]), ==, FEC);
  g_assert_cmpuint (type_of (w.out->pdata[35]), ==, FEC);
  g_assert_cmpuint (seq_of (w.out->pdata[36]), ==, 100);
}

/* Every seventh packet is overtaken by the next one.  No number leaves twice, and those of the
 * media stay in the order that they came with, which is 65500 and what they wrap to. */
static void
test_overtaken (void)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  guint16 number[200];
  g_auto (World) w;

  world_new (&w, "rtpadaptfecenc pt=122 percentage=20");
  for (guint i = 0; i < G_N_ELEMENTS (number); i++) {
    guint at = i % 7 == 5 ? i + 1 : i % 7 == 6 ? i - 1 : i;

    w.seq = (guint16) (65500 + at);
    w.frame = at / 5;
    g_assert_cmpint (
        gst_harness_push (w.h, packet_new (&w, at % 5 == 4)), ==, GST_FLOW_OK);
    number[at] = 0;
    for (GstBuffer *buffer; (buffer = gst_harness_try_pull (w.h));) {
      guint16 seq = seq_of (buffer);

      g_assert_true (g_hash_table_add (seen, GUINT_TO_POINTER (seq)));
      if (type_of (buffer) == MEDIA)
        number[at] = (guint16) (seq - 65500);
      gst_buffer_unref (buffer);
    }
  }
  for (guint i = 1; i < G_N_ELEMENTS (number); i++)
    g_assert_cmpuint (number[i], >, number[i - 1]);
  g_assert_cmpuint (number[199], >, 199);
}

/* An application switches to another payloader and back: 10 2 10 2 of the first one, 10 2
 * of the other, and 10 of the first.  RFC 3711 9.1: no number of an SSRC may leave twice.
 * `off`: repair packets were taken away meanwhile. */
static void
test_back (gconstpointer off)
{
  g_auto (World) w;
  guint16 last;
  guint n;

  world_new (&w, "rtpadaptfecenc pt=122 percentage=20");
  push_frame (&w, 10, FALSE);
  push_frame (&w, 10, FALSE);
  w.ssrc = 2;
  w.seq = 100;
  push_frame (&w, 10, FALSE);
  g_assert_cmpuint (w.out->len, ==, 36);
  last = seq_of (w.out->pdata[23]);
  g_assert_cmpuint (last, ==, (guint16) (65500 + 23));
  if (off)
    gst_harness_set (w.h, "rtpadaptfecenc", "pt", 255, NULL);
  n = w.out->len;
  w.ssrc = 1;
  w.seq = (guint16) (65500 + 20);
  push_frame (&w, 10, FALSE);
  g_assert_cmpuint (w.out->len, ==, n + (off ? 10 : 12));
  for (guint i = n; i < w.out->len; i++)
    g_assert_cmpuint (seq_of (w.out->pdata[i]), ==, ++last);
}

/* Without a payload type no repair packet leaves, not even of the block that had begun,
 * and numbers go on: 10 2 10, then 10 10 without, then 10 and what follows. */
static void
test_taken_away (void)
{
  guint16 seq = 65500;
  g_auto (World) w;

  world_new (&w, "rtpadaptfecenc pt=122 percentage=20");
  push_frame (&w, 10, FALSE);
  push_frame (&w, 10, FALSE);
  gst_harness_set (w.h, "rtpadaptfecenc", "pt", 255, NULL);
  push_frame (&w, 10, FALSE);
  gst_harness_set (w.h, "rtpadaptfecenc", "pt", 200, NULL);
  push_frame (&w, 10, FALSE);
  gst_harness_push_event (w.h, gst_event_new_eos ());
  take_all (&w);
  g_assert_cmpuint (w.out->len, ==, 42);
  g_assert_cmpuint (count_of (w.h, "rtpadaptfecenc", "repair"), ==, 2);
  for (guint i = 0; i < w.out->len; i++)
    g_assert_cmpuint (seq_of (w.out->pdata[i]), ==, seq++);
}

/* Of a frame of 200 packets that nobody takes nothing is kept, though a block of 128 and
 * a frame would have ended in it.  What comes out of the next one is of that alone: 2 of
 * 10 at 20 %, or 3 (test_rs_late). */
static void
test_refused (gconstpointer late)
{
  g_auto (World) w;
  g_autoptr (GstPad) pad = NULL;

  world_new (&w,
      late ? "rtpadaptfecenc pt=122 rs-pt=120 code=rs late-loss=50"
           : "rtpadaptfecenc pt=122 rs-pt=120 code=rs span=0 "
             "percentage=20");
  pad = gst_pad_get_peer (w.h->sinkpad);
  push_frame (&w, 1, FALSE); /* events go first */
  gst_pad_unlink (pad, w.h->sinkpad);
  for (guint i = 0; i < 200; i++) {
    GstBuffer *buffer = packet_new (&w, FALSE);

    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_NON_DROPPABLE); /* late */
    g_assert_cmpint (gst_harness_push (w.h, buffer), ==, GST_FLOW_NOT_LINKED);
  }
  gst_pad_link (pad, w.h->sinkpad);
  push_frame (&w, 10, TRUE);
  g_assert_cmpuint (w.out->len, ==, late ? 1 + 13 : 1 + 12);
}

/* A block that nobody ends is forgotten where there is no room for more. */
static void
test_full (void)
{
  FecBlock b = { 0 };

  for (guint i = 0; i <= RA_RS_MAX; i++)
    fec_block_keep (&b, (const guint8 *) "12", 2);
  g_assert_cmpuint (b.n, ==, 1);
  fec_block_clear (&b);
}

/* --- GStreamer's decoder ---------------------------------------------------------- */

typedef struct
{
  GstHarness *storage, *decoder;
} Unfec;

static void
unfec_new (Unfec *u)
{
  GObject *inside;

  u->storage = gst_harness_new ("rtpstorage");
  g_object_set (u->storage->element, "size-time", 2 * GST_SECOND, NULL);
  gst_harness_set_src_caps_str (u->storage, CAPS);
  u->decoder = gst_harness_new ("rtpulpfecdec");
  g_object_get (u->storage->element, "internal-storage", &inside, NULL);
  g_object_set (u->decoder->element, "pt", FEC, "storage", inside, NULL);
  g_object_unref (inside);
  gst_harness_set_src_caps_str (u->decoder, CAPS);
}

static void
unfec_free (Unfec *u)
{
  gst_harness_teardown (u->decoder);
  gst_harness_teardown (u->storage);
}

/* What comes back for a packet that rtpjitterbuffer calls lost, or NULL. */
static GstBuffer *
recover (Unfec *u, guint16 seq)
{
  GstBuffer *buffer;
  GstEvent *event;

  gst_harness_push_event (u->decoder,
      gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new ("GstRTPPacketLost", "seqnum", G_TYPE_UINT,
              (guint) seq, "timestamp", G_TYPE_UINT64, (guint64) 0, "duration",
              G_TYPE_UINT64, (guint64) 0, NULL)));
  buffer = gst_harness_try_pull (u->decoder);
  while ((event = gst_harness_try_pull_event (u->decoder)))
    gst_event_unref (event);
  return buffer;
}

/* All but the number, which rtpulpfecdec changes, and padding, whose bytes other
 * than the last RFC 3550 leaves open. */
static void
assert_same (GstBuffer *came, GstBuffer *sent)
{
  GstMapInfo a, b;

  gst_buffer_map (came, &a, GST_MAP_READ);
  gst_buffer_map (sent, &b, GST_MAP_READ);
  g_assert_cmpmem (a.data, 2, b.data, 2);
  g_assert_cmpmem (
      a.data + 4, (gint) a.size - 4, b.data + 4, (gint) b.size - 4);
  gst_buffer_unmap (came, &a);
  gst_buffer_unmap (sent, &b);
}

/* From packet `from` to `to` of what left: n media packets, then repair packets;
 * each is lost with probability p.  Returns how many came back. */
static guint
block_pass (World *w, Unfec *u, guint from, guint to, guint n, gdouble p)
{
  guint64 rows[RA_MASKS_MAX], missing = 0, came = 0;
  guint back = 0;

  for (guint i = from; i < to; i++) {
    GstBuffer *buffer = w->out->pdata[i];
    gboolean lost = g_rand_double (w->rand) < p;

    if (lost && i < from + n)
      missing |= 1ull << (i - from);
    if (!lost && i >= from + n)
      came |= 1ull << (i - from - n);
    if (lost)
      continue;
    buffer = gst_buffer_copy_deep (buffer);
    GST_BUFFER_DTS (buffer) = w->frame * FRAME;
    gst_harness_push (u->storage, buffer);
    gst_buffer_unref (gst_harness_pull (u->storage));
  }
  for (guint i = 0; i < n; i++) {
    GstBuffer *sent = w->out->pdata[from + i], *buffer;

    if (!(missing >> i & 1))
      continue;
    buffer = recover (u, seq_of (sent));
    if (!buffer)
      continue;
    back++;
    assert_same (buffer, sent);
    gst_buffer_unref (buffer);
  }
  ra_masks_make (n, to - from - n, rows);
  g_assert_cmpuint (back, ==,
      (guint) __builtin_popcountll (missing)
          - (guint) __builtin_popcountll (
              ra_masks_missing (rows, to - from - n, came, missing)));
  return back;
}

/* What comes back is what was sent, as often as the masks let it. */
static void
test_decoder (void)
{
  guint from = 0, n = 0, back = 0;
  Unfec u;
  g_auto (World) w;

  world_new (&w, "rtpadaptfecenc pt=122 percentage=25");
  unfec_new (&u);
  for (guint i = 0; i < 200; i++)
    push_frame (&w, (guint) g_rand_int_range (w.rand, 2, 16), FALSE);
  for (guint i = 0; i < w.out->len; i++) {
    gboolean repair = type_of (w.out->pdata[i]) == FEC;
    gboolean last = repair && i + 1 < w.out->len
        && type_of (w.out->pdata[i + 1]) == MEDIA;

    n += !repair;
    if (!last)
      continue;
    back += block_pass (
        &w, &u, from, i + 1, n, g_rand_double_range (w.rand, .02, .25));
    from = i + 1;
    n = 0;
  }
  g_test_message ("%u came back", back);
  g_assert_cmpuint (back, >, 80); /* or it tested nothing */
  unfec_free (&u);
}

/* --- our decoder --------------------------------------------------------------- */

/* Packets `from` to `to` of what left, of which n are media, of which those in `lost`
 * are lost. */
static void
rs_pass (World *w, GstHarness *h, guint from, guint to, const gboolean *lost)
{
  for (guint i = from; i < to; i++) {
    GstBuffer *buffer = gst_buffer_copy_deep (w->out->pdata[i]);

    GST_BUFFER_DTS (buffer) = i * GST_MSECOND;
    if (lost[i - from])
      gst_buffer_unref (buffer);
    else
      g_assert_cmpint (gst_harness_push (h, buffer), ==, GST_FLOW_OK);
  }
}

/* What stands for a repair packet that is lost has a header alone. */
static gboolean
is_filler (GstBuffer *buffer)
{
  return type_of (buffer) == RS && gst_buffer_get_size (buffer) == 12;
}

/* What comes out: all that came, and with `back` all media.  A filler may stand for a lost
 * repair packet, as soon as another one of its block came. */
static void
rs_check (World *w, GstHarness *h, guint from, guint n, guint f,
    const gboolean *lost, gboolean back)
{
  gboolean seen[64] = { FALSE };
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (h))) {
    guint i = (guint16) (seq_of (buffer) - seq_of (w->out->pdata[from]));

    if (is_filler (buffer)) {
      g_assert_true (i >= n && (i >= n + f || lost[i]));
      gst_buffer_unref (buffer);
      continue;
    }
    g_assert_cmpuint (i, <, n + f);
    g_assert_false (seen[i]);
    seen[i] = TRUE;
    assert_same (buffer, w->out->pdata[from + i]);
    g_assert_true (GST_BUFFER_DTS_IS_VALID (buffer));
    gst_buffer_unref (buffer);
  }
  for (guint i = 0; i < n + f; i++)
    g_assert_cmpint (seen[i], ==, !lost[i] || (back && i < n));
}

static void
test_rs (void)
{
  GstHarness *h = gst_harness_new_parse ("rtpadaptfecdec pt=120");
  guint from, blocks = 0, back = 0;
  World w;

  gst_harness_set_src_caps_str (h, CAPS);
  world_new (&w, "rtpadaptfecenc pt=122 rs-pt=120 code=rs percentage=20");
  for (guint i = 0; i < 101; i++) /* 1 frame, and blocks of 4 frames of 10 */
    push_frame (&w, 10, FALSE);
  g_assert_cmpuint (w.out->len, ==, 12 + 25 * 48);
  for (guint i = 0; i < 12; i++)
    g_assert_cmpuint (type_of (w.out->pdata[i]), ==, i < 10 ? MEDIA : RS);
  rs_pass (&w, h, 0, 12, (gboolean[12]){ FALSE });
  rs_check (&w, h, 0, 10, 2, (gboolean[12]){ FALSE }, TRUE);
  for (from = 12; from < w.out->len; from += 48, blocks++) {
    gboolean lost[48] = { FALSE };
    guint n = 0, want = blocks % 2 ? 8 : 9, media = 0;

    while (n < want) {
      guint i = (guint) g_rand_int_range (w.rand, 0, 48);

      n += !lost[i];
      media += !lost[i] && i < 40;
      lost[i] = TRUE;
    }
    rs_pass (&w, h, from, from + 48, lost);
    rs_check (&w, h, from, 40, 8, lost, want == 8);
    back += want == 8 ? media : 0;
  }
  g_assert_cmpuint (count_of (h, "rtpadaptfecdec", "recovered"), ==, back);
  g_assert_cmpuint (count_of (h, "rtpadaptfecdec", "bad"), ==, 0);
  g_assert_cmpuint (count_of (w.h, "rtpadaptfecenc", "packets"), ==, 1010);
  g_assert_cmpuint (count_of (w.h, "rtpadaptfecenc", "repair"), ==, 202);
  world_free (&w);
  gst_harness_teardown (h);
}

/* Of a frame of 10 packets the last 4 are late.  They need 2 at 5 %: P (X > f) of 4 + f
 * packets is .186, .0226, .0022, .0002, so 72 times and f 13.4, 2.6, 2.2, 3.0.  Those bring
 * back one of the others, too. */
static void
test_rs_late (void)
{
  gboolean lost[12] = { [3] = TRUE, [8] = TRUE };
  GstHarness *h = gst_harness_new_parse ("rtpadaptfecdec pt=120");
  World w;

  gst_harness_set_src_caps_str (h, CAPS);
  world_new (&w, "rtpadaptfecenc pt=122 rs-pt=120 code=rs late-loss=50");
  push_frame (
      &w, 10, TRUE); /* the decoder keeps nothing before the first repair */
  for (guint i = 0; i < 10; i++) {
    GstBuffer *buffer = packet_new (&w, i == 9);

    if (i >= 6)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_NON_DROPPABLE);
    gst_harness_push (w.h, buffer);
  }
  take_all (&w);
  g_assert_cmpuint (w.out->len, ==, 25);
  rs_pass (&w, h, 0, 13, (gboolean[13]){ FALSE });
  rs_check (&w, h, 0, 10, 3, (gboolean[13]){ FALSE }, TRUE);
  rs_pass (&w, h, 13, 25, lost);
  rs_check (&w, h, 13, 10, 2, lost, TRUE);
  world_free (&w);
  gst_harness_teardown (h);
}

/* Where .2 % stay missing, a frame of 12 packets without a repair packet costs 200 times
 * .0237 packets on the mean, 4.7, and with one it costs 1 + 200 .0003.  A frame of 2 costs
 * .8 without. */
static const struct
{
  guint packets, repair;
} rests[] = { { 12, 1 }, { 2, 0 }, { 12, 1 } };

static void
test_rs_rest (void)
{
  guint all = 0;
  World w;

  world_new (&w, "rtpadaptfecenc pt=122 rs-pt=120 code=rs rest-loss=20");
  for (guint i = 0; i < G_N_ELEMENTS (rests); i++) {
    push_frame (&w, rests[i].packets, FALSE);
    take_all (&w);
    all += rests[i].packets + rests[i].repair;
    g_assert_cmpuint (w.out->len, ==, all);
  }
  world_free (&w);
}

/* 6 of 12 packets are late, a fifth of which is lost: P (X > f) of 6 + f is .0117, .0039,
 * .0012 for f = 5, 6, 7, so 200 times and f 7.3, 6.8, 7.2.  A tenth of all 12 would be
 * mended by 5: .0047 of 17, .0012 of 18, so 5.9, 6.2. */
static void
test_rs_half (void)
{
  World w;

  world_new (&w, "rtpadaptfecenc pt=122 rs-pt=120 code=rs late-loss=200");
  for (guint i = 0; i < 12; i++) {
    GstBuffer *buffer = packet_new (&w, i == 11);

    if (i >= 6)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_NON_DROPPABLE);
    gst_harness_push (w.h, buffer);
  }
  take_all (&w);
  g_assert_cmpuint (w.out->len, ==, 12 + 6);
  world_free (&w);
}

/* Of 3 repair packets one is lost: what comes behind the decoder has all numbers. */
static void
test_rs_numbers (void)
{
  gboolean lost[14] = { [11] = TRUE };
  GstHarness *h = gst_harness_new_parse ("rtpadaptfecdec pt=120");
  guint16 next;
  World w;

  gst_harness_set_src_caps_str (h, CAPS);
  world_new (&w, "rtpadaptfecenc pt=122 rs-pt=120 code=rs late-loss=50");
  push_frame (&w, 10, TRUE);
  push_frame (&w, 1, FALSE);
  take_all (&w);
  g_assert_cmpuint (w.out->len, ==, 14);
  rs_pass (&w, h, 0, 14, lost);
  next = seq_of (w.out->pdata[0]);
  for (guint i = 0; i < 14; i++) {
    /* Packet 12 shows that 11 is lost, and the filler leaves behind it. */
    static const guint order[]
        = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 11, 13 };
    guint ahead = order[i];
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);

    g_assert_cmpuint (seq_of (buffer), ==, (guint16) (next + ahead));
    if (ahead == 11)
      g_assert_cmpuint (gst_buffer_get_size (buffer), ==, 12);
  }
  g_assert_cmpuint (count_of (h, "rtpadaptfecdec", "recovered"), ==, 0);
  world_free (&w);
  gst_harness_teardown (h);
}

/* Lets the next wait end, if there is one.  gst_harness_crank_single_clock_wait() would wait
 * for one for ever when the last packet has left meanwhile. */
static void
clock_step (GstHarness *h)
{
  g_autoptr (GstTestClock) clock = gst_harness_get_testclock (h);
  GstClockID id;

  if (!gst_test_clock_peek_next_pending_id (clock, &id)) {
    g_usleep (1000);
    return;
  }
  if (gst_clock_id_get_time (id) > gst_clock_get_time (GST_CLOCK (clock)))
    gst_test_clock_set_time (clock, gst_clock_id_get_time (id));
  gst_clock_id_unref (id);
  id = gst_test_clock_process_next_clock_id (clock);
  if (id)
    gst_clock_id_unref (id);
}

/* Six packets are lost, one behind the other, and brought back when rtpjitterbuffer is more
 * than 100 packets ahead.  If they came as they are, five would make it begin again. */
static void
test_rs_far (void)
{
  gboolean lost[144] = { FALSE };
  GstHarness *h = gst_harness_new_parse ("rtpadaptfecdec pt=120 ! "
                                         "rtpjitterbuffer latency=200 "
                                         "do-retransmission=true "
                                         "max-misorder-time=0 "
                                         "max-dropout-time=0");
  guint16 next;
  World w;

  for (guint i = 2; i < 8; i++)
    lost[i] = TRUE;
  gst_harness_set_src_caps_str (h, "application/x-rtp,clock-rate=90000");
  world_new (&w, "rtpadaptfecenc pt=122 rs-pt=120 code=rs percentage=20");
  for (guint i = 0; i < 5; i++) /* 1 frame, and a block of 4 */
    push_frame (&w, i ? 30 : 10, FALSE);
  g_assert_cmpuint (w.out->len, ==, 12 + 144);
  rs_pass (&w, h, 0, 12, lost + 100);
  rs_pass (&w, h, 12, 12 + 144, lost);
  while (gst_harness_buffers_in_queue (h) < w.out->len)
    clock_step (h);
  next = seq_of (w.out->pdata[0]);
  for (guint i = 0; i < w.out->len; i++) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);

    g_assert_cmpuint (seq_of (buffer), ==, next++);
  }
  g_assert_cmpuint (count_of (h, "rtpadaptfecdec", "recovered"), ==, 6);
  world_free (&w);
  gst_harness_teardown (h);
}

/* What says that it is a repair packet, and is not, is counted and passes. */
static void
test_rs_bad (void)
{
  GstHarness *h = gst_harness_new_parse ("rtpadaptfecdec pt=96");
  World w;

  gst_harness_set_src_caps_str (h, CAPS);
  world_new (&w, "rtpadaptfecenc");
  push_frame (&w, 10, FALSE);
  rs_pass (&w, h, 0, 10, (gboolean[10]){ FALSE });
  g_assert_cmpuint (gst_harness_buffers_received (h), ==, 10);
  g_assert_cmpuint (count_of (h, "rtpadaptfecdec", "repair"), ==, 10);
  g_assert_cmpuint (count_of (h, "rtpadaptfecdec", "bad"), ==, 10);
  world_free (&w);
  gst_harness_teardown (h);
}

void
tests_add (void)
{
  rows_add_by ("/fecenc/places", places, name, test_places);
  g_test_add_func ("/fecenc/breaks", test_breaks);
  g_test_add_func ("/fecenc/overtaken", test_overtaken);
  g_test_add_data_func ("/fecenc/back", NULL, test_back);
  g_test_add_data_func ("/fecenc/back/off", "", test_back);
  g_test_add_func ("/fecenc/taken-away", test_taken_away);
  rows_add_n ("/fecenc/refused", 2, test_refused);
  g_test_add_func ("/fecenc/full", test_full);
  g_test_add_func ("/fecenc/decoder", test_decoder);
  g_test_add_func ("/fecenc/rs", test_rs);
  g_test_add_func ("/fecenc/rs-late", test_rs_late);
  g_test_add_func ("/fecenc/rs-rest", test_rs_rest);
  g_test_add_func ("/fecenc/rs-half", test_rs_half);
  g_test_add_func ("/fecenc/rs-numbers", test_rs_numbers);
  g_test_add_func ("/fecenc/rs-far", test_rs_far);
  g_test_add_func ("/fecenc/rs-bad", test_rs_bad);
}
