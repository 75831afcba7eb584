/* The driver of rtpulpfecenc: where it finds one, what it sets.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "encoder-fixture.h"

#include <gst/check/gstharness.h>
#include <gst/rtp/rtp.h>
#include <plugins/rtpadapt/send/fecenc.h>

/* `line` has an element named "here". */
static const struct
{
  const gchar *name, *line;
  gint pt; /* of what is found upstream; -2: nothing is */
  const gchar *why;
} fec_rows[] = {
  { "direct", "rtpulpfecenc pt=122 ! identity name=here", 122, "" },
  { "behind", "rtpulpfecenc pt=122 ! queue ! identity ! identity name=here",
      122, "" },
  { "bin", "( rtpulpfecenc pt=122 ) ! identity name=here", 122, "" },
  { "no-pt", "rtpulpfecenc ! identity name=here", -1, "makes no packets" },
  { "nearest", "rtpulpfecenc pt=100 ! rtpulpfecenc pt=122 ! identity name=here",
      122, "" },
  { "none", "x264enc ! rtph264pay ! identity name=here", -2, "" },
  { "after", "identity name=here ! rtpulpfecenc pt=122", -2,
      "what follows is not paced" },
};

static GstElement *
pipeline_new (const gchar *line)
{
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);

  g_assert_no_error (error);
  return pipeline;
}

static void
test_fec (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  g_autoptr (GstElement) pipeline = pipeline_new (fec_rows[r].line);
  g_autoptr (GstElement) here
      = gst_bin_get_by_name (GST_BIN (pipeline), "here");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (here, "sink");
  g_autoptr (GPtrArray) all = fecenc_find_all_upstream (pad);

  g_test_message ("%s", fec_rows[r].why);
  g_assert_cmpuint (all->len, ==, fec_rows[r].pt == -2 ? 0 : 1);
  if (all->len > 0)
    g_assert_cmpint (
        fecenc_payload_type (g_ptr_array_index (all, 0)), ==, fec_rows[r].pt);
}

/* An aux sender with an identity for `session`; rtpbin wants its pads named
 * after the session. */
static GstElement *
aux_new (GstElement *rtpbin, guint session, gpointer here)
{
  static const gchar *const names[][2]
      = { { "sink", "sink_%u" }, { "src", "src_%u" } };
  GstElement *bin = gst_bin_new (NULL);
  GstElement *identity = gst_element_factory_make ("identity", NULL);

  gst_bin_add (GST_BIN (bin), identity);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree gchar *name = g_strdup_printf ("%s_%u", names[i][0], session);
    g_autoptr (GstPad) pad = gst_element_get_static_pad (identity, names[i][0]);

    gst_element_add_pad (bin, gst_ghost_pad_new (name, pad));
  }
  *(GstElement **) here = identity;
  return bin;
}

/* The FEC encoder that rtpbin made itself, from within its aux sender. */
static void
test_fec_rtpbin (void)
{
  g_autoptr (GstElement) rtpbin = element_new (
      "rtpbin fec-encoders=\"fec,0=\\\"rtpulpfecenc pt=122\\\"\"");
  g_autoptr (GPtrArray) all = NULL;
  GstElement *here = NULL;
  GstPad *pad, *sinkpad;

  g_signal_connect (rtpbin, "request-aux-sender", G_CALLBACK (aux_new), &here);
  pad = gst_element_request_pad_simple (rtpbin, "send_rtp_sink_0");
  g_assert_nonnull (here);
  sinkpad = gst_element_get_static_pad (here, "sink");
  all = fecenc_find_all_upstream (sinkpad);
  g_assert_cmpuint (all->len, ==, 1);
  g_assert_cmpint (fecenc_payload_type (g_ptr_array_index (all, 0)), ==, 122);
  gst_object_unref (sinkpad);
  gst_element_release_request_pad (rtpbin, pad);
  gst_object_unref (pad);
}

/* An encoder that knows no receiver leaves no choice to one. */
static void
test_fec_codes (void)
{
  static const gchar *const rows[][3] = { { "rtpadaptfecenc", "code", "xor" },
    { "rtpadaptsend", "fec-code", "auto" } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GstElement) element = element_new (rows[i][0]);
    GParamSpec *spec = g_object_class_find_property (
        G_OBJECT_GET_CLASS (element), rows[i][1]);

    g_assert_cmpstr (G_PARAM_SPEC_ENUM (spec)->enum_class->values[0].value_nick,
        ==, rows[i][2]);
  }
}

static void
on_notify (GObject *object, GParamSpec *pspec, gpointer count)
{
  ++*(guint *) count;
}

static void
test_fec_set (void)
{
  g_autoptr (GstElement) fecenc = element_new ("rtpulpfecenc pt=122");
  guint sets = 0, last;

  g_signal_connect (
      fecenc, "notify::percentage", G_CALLBACK (on_notify), &sets);
  last = fecenc_set (fecenc, 0, FECENC_UNSET);
  g_assert_cmpuint (last, ==, 0);
  g_assert_cmpuint (sets, ==, 1);
  last = fecenc_set (fecenc, 0, last);
  g_assert_cmpuint (sets, ==, 1);
  last = fecenc_set (fecenc, 35, last);
  g_assert_cmpint (number_get (fecenc, "percentage"), ==, 35);
  g_assert_cmpuint (sets, ==, 2);
  g_assert_cmpuint (fecenc_set (fecenc, 300, last), ==, 100);
  g_assert_cmpint (number_get (fecenc, "percentage"), ==, 100);
}

/* --- key frames ----------------------------------------------------------- */

/* `payload` is the beginning of a packet's. */
static const struct
{
  const gchar *name, *encoding, *payload;
  gboolean key;
  const gchar *why;
} key_rows[] = {
  { "h264-idr", "H264", "\x65\x88", TRUE, "RFC 6184 1.3: type 5" },
  { "h264-slice", "H264", "\x41\x9a", FALSE, "type 1" },
  { "h264-sps", "H264", "\x67\x42", TRUE, "type 7: no key frame without it" },
  { "h264-fu", "H264", "\x7c\x05", TRUE, "RFC 6184 5.8: part of a type 5" },
  { "h264-fu-slice", "H264", "\x5c\x01", FALSE, "part of a type 1" },
  { "h265-idr", "H265", "\x26\x01\xaf", TRUE, "RFC 7798 1.1.4: type 19" },
  { "h265-trail", "H265", "\x02\x01\xd0", FALSE, "type 1" },
  { "vp8-key", "VP8", "\x10\x02", TRUE, "RFC 7741 4.3: P is 0" },
  { "vp8-inter", "VP8", "\x10\x01", FALSE, "P is 1" },
  { "vp9-key", "VP9", "\x08\x01", TRUE, "RFC 9628 4.2: P is 0" },
  { "vp9-inter", "VP9", "\x48\x01", FALSE, "P is 1" },
  { "audio", "OPUS", "\x10\x02", FALSE, "each frame is a key frame" },
};

static GstBuffer *
packet_new (const gchar *payload, gsize len, guint16 seq, gboolean marker)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (100, 0, 0);

  gst_rtp_buffer_map (buffer, GST_MAP_WRITE, &rtp);
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  gst_rtp_buffer_set_ssrc (&rtp, 1);
  gst_rtp_buffer_set_seq (&rtp, seq);
  gst_rtp_buffer_set_marker (&rtp, marker);
  memset (gst_rtp_buffer_get_payload (&rtp), 0, 100);
  memcpy (gst_rtp_buffer_get_payload (&rtp), payload, len);
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

static GstHarness *
watched_new (const gchar *encoding, gulong *watch)
{
  g_autofree gchar *caps = g_strdup_printf ("application/x-rtp,media=video,"
                                            "clock-rate=90000,payload=96,"
                                            "ssrc=(uint)1,encoding-name=%s",
      encoding);
  GstHarness *h = gst_harness_new ("rtpulpfecenc");
  Lateness *lateness = lateness_new ();

  g_object_set (h->element, "pt", 122, NULL);
  *watch = fecenc_watch (h->element, lateness);
  lateness_unref (lateness);
  gst_harness_set_src_caps_str (h, caps);
  return h;
}

static gboolean
pull_is_marked (GstHarness *h)
{
  g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
  gboolean marked
      = GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_NON_DROPPABLE);

  return marked;
}

/* Alone, in a list, and no more when nobody watches. */
static void
test_key (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  const gchar *payload = key_rows[r].payload;
  GstBufferList *list = gst_buffer_list_new ();
  gulong watch;
  g_autoptr (GstHarness) h = watched_new (key_rows[r].encoding, &watch);

  g_test_message ("%s", key_rows[r].why);
  gst_harness_push (h, packet_new (payload, strlen (payload), 1, TRUE));
  g_assert_cmpint (pull_is_marked (h), ==, key_rows[r].key);

  for (guint16 i = 0; i < 2; i++)
    gst_buffer_list_add (
        list, packet_new (payload, strlen (payload), 2 + i, TRUE));
  g_assert_cmpint (gst_pad_push_list (h->srcpad, list), ==, GST_FLOW_OK);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpint (pull_is_marked (h), ==, key_rows[r].key);

  fecenc_unwatch (h->element, watch);
  gst_harness_push (h, packet_new (payload, strlen (payload), 4, TRUE));
  g_assert_false (pull_is_marked (h));
}

/* The repair packets behind a frame of n. */
static guint
frame_repair (GstHarness *h, const gchar *payload, guint n, guint16 *seq)
{
  guint came = 0;
  GstBuffer *buffer;

  for (guint i = 0; i < n; i++)
    gst_harness_push (
        h, packet_new (payload, strlen (payload), (*seq)++, i + 1 == n));
  while ((buffer = gst_harness_try_pull (h))) {
    came++;
    gst_buffer_unref (buffer);
  }
  return came - n;
}

static const struct
{
  guint level, key, delta; /* repair of a key frame and of the 5 behind it */
  const gchar *why;
} share_rows[] = {
  /* ceil (20 sqrt 2) = 29: 11.6 of 40, 1 of 5. */
  { 20, 11, 1, "more for key frames, and none taken from those behind" },
  /* 57: 22.8 of 40, 2 of 5. */
  { 40, 22, 2, "" },
  /* 114: 40 of 40; 4 of 5. */
  { 80, 40, 4, "no more than 100" },
  { 0, 0, 0, "none where none is wanted" },
};

static void
test_share (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  gulong watch;
  g_autoptr (GstHarness) h = watched_new ("H264", &watch);
  guint16 seq = 65530;

  g_test_message ("%s", share_rows[r].why);
  fecenc_set (h->element, share_rows[r].level, FECENC_UNSET);
  g_assert_cmpuint (
      frame_repair (h, "\x65\x88", 40, &seq), ==, share_rows[r].key);
  for (guint i = 0; i < 5; i++)
    g_assert_cmpuint (
        frame_repair (h, "\x41\x9a", 5, &seq), ==, share_rows[r].delta);
  g_assert_cmpint (
      number_get (h->element, "percentage"), ==, share_rows[r].level);
  fecenc_unwatch (h->element, watch);
}

/* A level that changes within a key frame, and a watch that ends there. */
static void
test_share_changes (void)
{
  gulong watch;
  g_autoptr (GstHarness) h = watched_new ("H264", &watch);
  guint16 seq = 0;

  fecenc_set (h->element, 20, FECENC_UNSET);
  gst_harness_push (h, packet_new ("\x65", 1, seq++, FALSE));
  g_assert_cmpint (number_get (h->element, "percentage"), ==, 29);
  fecenc_set (h->element, 40, 20);
  gst_harness_push (h, packet_new ("\x65", 1, seq++, TRUE));
  gst_harness_push (h, packet_new ("\x41", 1, seq++, TRUE));
  g_assert_cmpint (number_get (h->element, "percentage"), ==, 40);

  gst_harness_push (h, packet_new ("\x65", 1, seq++, FALSE));
  g_assert_cmpint (number_get (h->element, "percentage"), ==, 57);
  fecenc_unwatch (h->element, watch);
  g_assert_cmpint (number_get (h->element, "percentage"), ==, 40);
}

/* Whoever watches without a level leaves the user's alone. */
static void
test_share_foreign (void)
{
  gulong watch;
  g_autoptr (GstHarness) h = watched_new ("H264", &watch);
  guint16 seq = 0;

  g_object_set (h->element, "percentage", 20, NULL);
  g_assert_cmpuint (frame_repair (h, "\x65\x88", 40, &seq), ==, 8);
  g_assert_cmpuint (frame_repair (h, "\x41\x9a", 5, &seq), ==, 1);
  fecenc_unwatch (h->element, watch);
  g_assert_cmpint (number_get (h->element, "percentage"), ==, 20);
}

/* --- packets that will be late ---------------------------------------------- */

/* Of 112 bytes each, three in a list. */
static const struct
{
  guint level;
  gint waiting, timely; /* ms at 112 bytes/ms; timely -1: no packet is late */
  const gchar *marked;
  const gchar *why;
} late_rows[] = {
  { 0, 0, -1, "---", "nothing is known of rounds" },
  { 0, 10, 13, "---", "the third waits for 13 ms, with itself" },
  { 0, 10, 12, "--x", "that is late" },
  { 0, 10, 10, "xxx", "all of them" },
  { 0, 20, 10, "xxx", "so much waits already" },
  { 20, 20, 10, "---", "all get repair, and no frame is a key frame" },
};

static void
test_late (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  g_autoptr (GstHarness) h = gst_harness_new ("rtpadaptfecenc");
  GstBufferList *list = gst_buffer_list_new ();
  Lateness *lateness = lateness_new ();
  gulong watch = fecenc_watch (h->element, lateness);

  g_test_message ("%s", late_rows[r].why);
  fecenc_set (h->element, late_rows[r].level, FECENC_UNSET);
  gst_harness_set_src_caps_str (h,
      "application/x-rtp,media=video,clock-rate=90000,payload=96,encoding-name=H264");
  lateness_set (lateness, late_rows[r].waiting * RA_MSECOND,
      late_rows[r].timely < 0 ? RA_SPAN_NONE : late_rows[r].timely * RA_MSECOND,
      112 * 8 * 1000);
  for (guint16 i = 0; i < 3; i++)
    gst_buffer_list_add (list, packet_new ("\x41", 1, i, i == 2));
  g_assert_cmpint (gst_pad_push_list (h->srcpad, list), ==, GST_FLOW_OK);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (pull_is_marked (h), ==, late_rows[r].marked[i] == 'x');
  fecenc_unwatch (h->element, watch);
  lateness_unref (lateness);
}

void
tests_add (void)
{
  rows_add_by ("/fecenc/find", fec_rows, name, test_fec);
  g_test_add_func ("/fecenc/find/rtpbin", test_fec_rtpbin);
  g_test_add_func ("/fecenc/codes", test_fec_codes);
  g_test_add_func ("/fecenc/set", test_fec_set);
  rows_add_by ("/fecenc/key", key_rows, name, test_key);
  rows_add ("/fecenc/late", late_rows, test_late);
  rows_add ("/fecenc/share", share_rows, test_share);
  g_test_add_func ("/fecenc/share/changes", test_share_changes);
  g_test_add_func ("/fecenc/share/foreign", test_share_foreign);
}
