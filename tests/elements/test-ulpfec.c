/* tools/sim/ulpfec.h, the model of GStreamer's FEC in simulations and in the choice
 * of its level, against rtpulpfecenc, rtpstorage and rtpulpfecdec themselves.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"

#include <tools/sim/ulpfec.h>

#include <gst/check/gstharness.h>
#include <gst/rtp/rtp.h>

#define CAPS "application/x-rtp,payload=96,ssrc=(uint)1,clock-rate=90000"
#define MEDIA_TYPE 96
#define FEC_TYPE 122
#define TICKS 3600 /* a frame at 25 Hz */
#define PACKETS_MAX 90
#define OUT_MAX (2 * PACKETS_MAX + 2)

/* One packet that left the encoder, in order. */
typedef struct
{
  GstBuffer *buffer;
  gboolean is_media;
  guint16 seq;
} Out;

typedef struct
{
  GstHarness *encoder;
  GRand *rand;
  gdouble budget; /* ulpfec_spend()'s */
  guint percentage;
  gboolean important; /* mark what goes in */
  guint16 seq;
  guint32 frame;
  Out out[OUT_MAX];
  guint n_out;
} Fec;

static void
fec_new (Fec *f, guint percentage, guint16 seq)
{
  *f = (Fec){ .percentage = percentage, .seq = seq };
  f->encoder = gst_harness_new_parse ("rtpulpfecenc pt=122");
  gst_harness_set (f->encoder, "rtpulpfecenc", "percentage", percentage, NULL);
  gst_harness_set_src_caps_str (f->encoder, CAPS);
  f->rand = g_rand_new_with_seed (5);
}

static void
out_clear (Fec *f)
{
  for (guint i = 0; i < f->n_out; i++)
    gst_clear_buffer (&f->out[i].buffer);
  f->n_out = 0;
}

static void
fec_free (Fec *f)
{
  out_clear (f);
  gst_harness_teardown (f->encoder);
  g_rand_free (f->rand);
}

/* A frame of n packets goes through the encoder. */
static void
frame_encode (Fec *f, guint n)
{
  GstClockTime time = f->frame * 40 * GST_MSECOND;
  GstBuffer *buffer;

  out_clear (f);
  for (guint i = 0; i < n; i++) {
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

    buffer = gst_rtp_buffer_new_allocate (20 + i, 0, 0);
    gst_rtp_buffer_map (buffer, GST_MAP_WRITE, &rtp);
    gst_rtp_buffer_set_payload_type (&rtp, MEDIA_TYPE);
    gst_rtp_buffer_set_ssrc (&rtp, 1);
    gst_rtp_buffer_set_seq (&rtp, f->seq++);
    gst_rtp_buffer_set_timestamp (&rtp, f->frame * TICKS);
    gst_rtp_buffer_set_marker (&rtp, i + 1 == n);
    gst_rtp_buffer_unmap (&rtp);
    GST_BUFFER_PTS (buffer) = time;
    if (f->important)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_NON_DROPPABLE);
    g_assert_cmpint (gst_harness_push (f->encoder, buffer), ==, GST_FLOW_OK);
  }
  while ((buffer = gst_harness_try_pull (f->encoder))) {
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

    g_assert_cmpuint (f->n_out, <, OUT_MAX);
    gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp);
    f->out[f->n_out++] = (Out){ .buffer = buffer,
      .is_media = gst_rtp_buffer_get_payload_type (&rtp) == MEDIA_TYPE,
      .seq = gst_rtp_buffer_get_seq (&rtp) };
    gst_rtp_buffer_unmap (&rtp);
  }
  f->frame++;
}

/* The packets that repair packet `out` protects, bit i for the i-th of `n` in
 * f->out from `first` on: SN base and mask (RFC 5109 7.3, 7.4). */
static guint64
protected_by (Fec *f, const Out *out, guint first, guint n)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  const guint8 *p;
  guint64 mask, set = 0;
  guint16 base;

  g_assert_true (gst_rtp_buffer_map (out->buffer, GST_MAP_READ, &rtp));
  p = gst_rtp_buffer_get_payload (&rtp);
  base = GST_READ_UINT16_BE (p + 2);
  mask = (guint64) GST_READ_UINT16_BE (p + 12) << 32;
  if (p[0] & 0x40) /* L: 48 bits */
    mask |= (guint64) GST_READ_UINT16_BE (p + 14) << 16
        | GST_READ_UINT16_BE (p + 16);
  gst_rtp_buffer_unmap (&rtp);
  for (guint i = 0; i < n; i++) {
    guint16 d = (guint16) (f->out[first + i].seq - base);

    if (d < 48 && mask >> (47 - d) & 1) {
      set |= (guint64) 1 << i;
      mask &= ~((guint64) 1 << (47 - d));
    }
  }
  g_assert_cmpuint (mask, ==, 0); /* none that was not sent */
  return set;
}

/* Which of n packets ulpfec_missing() lets repair packet i of f bring back, if
 * it comes alone and one packet is lost. */
static guint64
said_protected (guint n, guint f, guint i)
{
  gboolean media[ULPFEC_MAX], repair[OUT_MAX] = { FALSE };
  guint64 set = 0;

  n = MIN (n, ULPFEC_MAX); /* the compiler sees no bound */
  for (guint k = 0; k < n; k++)
    media[k] = TRUE;
  repair[i] = TRUE;
  for (guint k = 0; k < n; k++) {
    media[k] = FALSE;
    set |= (guint64) (ulpfec_missing (media, n, repair, f) == 0) << k;
    media[k] = TRUE;
  }
  return set;
}

static const struct
{
  const gchar *name;
  gint from, to; /* packets of a frame; `to` is not among them */
  const gchar *why;
} sizes[] = {
  { "small", 1, 8, "the budget is saved over several frames" },
  { "usual", 1, 49, "up to what a mask holds" },
  { "large", 40, PACKETS_MAX, "only the last 48 are protected" },
};

/* How many repair packets there are, behind which frame, and what each
 * protects. */
static void
test_masks (gconstpointer data)
{
  static const guint percentages[] = { 1, 7, 20, 33, 50, 75, 97, 100 };
  guint row = GPOINTER_TO_UINT (data);
  guint repairs = 0;

  g_test_message ("%s: %s", sizes[row].name, sizes[row].why);
  for (guint p = 0; p < G_N_ELEMENTS (percentages); p++) {
    Fec f;

    fec_new (&f, percentages[p], 65000);
    for (guint i = 0; i < 25; i++) {
      guint n
          = (guint) g_rand_int_range (f.rand, sizes[row].from, sizes[row].to);
      guint bare = n > ULPFEC_MAX ? n - ULPFEC_MAX : 0;
      guint k = ulpfec_spend (&f.budget, n, f.percentage);

      frame_encode (&f, n);
      g_assert_cmpuint (f.n_out, ==, n + k);
      for (guint j = 0; j < n; j++)
        g_assert_true (f.out[j].is_media);
      for (guint j = 0; j < k; j++) {
        g_assert_false (f.out[n + j].is_media);
        g_assert_cmphex (said_protected (n - bare, k, j), ==,
            protected_by (&f, &f.out[n + j], bare, n - bare));
      }
      repairs += k;
    }
    fec_free (&f);
  }
  g_test_message ("%u repair packets", repairs);
}

/* percentage-important alone only brings repair forward: why fecenc_watch()
 * raises `percentage`, too. */
static void
test_important (void)
{
  /* 57 % of 40 are 22.8, of which `percentage` pays 16: the next three frames
   * of 5, each good for 2, pay off what is missing. */
  static const guint repairs[] = { 22, 0, 0, 0, 2, 2 };
  Fec f;

  fec_new (&f, 40, 100);
  gst_harness_set (f.encoder, "rtpulpfecenc", "percentage-important", 57, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (repairs); i++) {
    guint n = i == 0 ? 40 : 5;

    f.important = i == 0;
    frame_encode (&f, n);
    g_assert_cmpuint (f.n_out - n, ==, repairs[i]);
  }
  fec_free (&f);
}

/* --- and what they bring back ------------------------------------------- */

typedef struct
{
  GstHarness *storage, *decoder;
} Unfec;

static void
unfec_new (Unfec *u)
{
  GObject *inside;

  u->storage = gst_harness_new ("rtpstorage");
  g_object_set (u->storage->element, "size-time", GST_SECOND, NULL);
  gst_harness_set_src_caps_str (u->storage, CAPS);
  u->decoder = gst_harness_new ("rtpulpfecdec");
  g_object_get (u->storage->element, "internal-storage", &inside, NULL);
  g_object_set (u->decoder->element, "pt", FEC_TYPE, "storage", inside, NULL);
  g_object_unref (inside);
  gst_harness_set_src_caps_str (u->decoder, CAPS);
}

static void
unfec_free (Unfec *u)
{
  gst_harness_teardown (u->decoder);
  gst_harness_teardown (u->storage);
}

/* What rtpjitterbuffer says of a packet that does not come. */
static guint
recover (Unfec *u, guint16 seq, GstClockTime time)
{
  GstBuffer *buffer;
  GstEvent *event;
  guint n = 0;

  gst_harness_push_event (u->decoder,
      gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new ("GstRTPPacketLost", "seqnum", G_TYPE_UINT,
              (guint) seq, "timestamp", G_TYPE_UINT64, time, "duration",
              G_TYPE_UINT64, (guint64) 0, NULL)));
  while ((buffer = gst_harness_try_pull (u->decoder))) {
    n++;
    gst_buffer_unref (buffer);
  }
  while ((event = gst_harness_try_pull_event (u->decoder)))
    gst_event_unref (event);
  return n;
}

/* Packet by packet, each lost with probability w.  How many of the lost media
 * packets the elements bring back. */
static guint
frame_pass (Fec *f, Unfec *u, gdouble w, gboolean *came)
{
  GstClockTime time = f->frame * 40 * GST_MSECOND;
  guint recovered = 0;
  GstBuffer *buffer;

  for (guint i = 0; i < f->n_out; i++) {
    came[i] = g_rand_double (f->rand) >= w;
    if (!came[i])
      continue;
    buffer = gst_buffer_make_writable (g_steal_pointer (&f->out[i].buffer));
    GST_BUFFER_DTS (buffer) = time;
    gst_harness_push (u->storage, buffer);
    while ((buffer = gst_harness_try_pull (u->storage)))
      gst_buffer_unref (buffer);
  }
  for (guint i = 0; i < f->n_out && f->out[i].is_media; i++) {
    if (!came[i])
      recovered += recover (u, f->out[i].seq, time);
  }
  return recovered;
}

static void
test_recovered (gconstpointer data)
{
  guint percentage = GPOINTER_TO_UINT (data);
  guint all = 0, lost = 0;
  Unfec u;
  Fec f;

  fec_new (&f, percentage, 100);
  unfec_new (&u);
  for (guint i = 0; i < 200; i++) {
    guint n = (guint) g_rand_int_range (f.rand, 1, i % 3 ? 14 : ULPFEC_MAX + 1);
    guint k = ulpfec_spend (&f.budget, n, percentage);
    gdouble w = g_rand_double_range (f.rand, .02, .4);
    gboolean came[OUT_MAX];
    guint n_lost = 0, recovered;

    frame_encode (&f, n);
    g_assert_cmpuint (f.n_out, ==, n + k);
    recovered = frame_pass (&f, &u, w, came);
    for (guint j = 0; j < n; j++)
      n_lost += !came[j];
    g_assert_cmpuint (
        n_lost - ulpfec_missing (came, n, came + n, k), ==, recovered);
    lost += n_lost;
    all += recovered;
  }
  g_test_message ("%u %%: %u lost, %u recovered", percentage, lost, all);
  g_assert_cmpuint (lost, >, 300); /* or it tested nothing */
  g_assert_cmpuint (all, >, lost / 10);
  unfec_free (&u);
  fec_free (&f);
}

static gboolean
have_elements (void)
{
  static const gchar *const names[]
      = { "rtpulpfecenc", "rtpulpfecdec", "rtpstorage" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GstElementFactory *factory = gst_element_factory_find (names[i]);

    if (!factory) {
      g_print (
          "1..0 # SKIP no element %s: gstreamer1.0-plugins-good\n", names[i]);
      return FALSE;
    }
    gst_object_unref (factory);
  }
  return TRUE;
}

int
main (int argc, char **argv)
{
  static const guint percentages[] = { 20, 50, 75, 83, 90, 100 };

  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  if (!have_elements ())
    return 0;
  rows_add_by ("/ulpfec/masks", sizes, name, test_masks);
  g_test_add_func ("/ulpfec/important", test_important);
  for (guint i = 0; i < G_N_ELEMENTS (percentages); i++) {
    g_autofree gchar *path
        = g_strdup_printf ("/ulpfec/recovered/%u", percentages[i]);

    g_test_add_data_func (
        path, GUINT_TO_POINTER (percentages[i]), test_recovered);
  }
  return g_test_run ();
}
