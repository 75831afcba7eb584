/* The driver of rtpulpfecenc: where it finds one, what it sets.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encoder-fixture.h"

#include <plugins/rtpadapt/fecenc.h>

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
  GstElement *pipeline = pipeline_new (fec_rows[r].line);
  GstElement *here = gst_bin_get_by_name (GST_BIN (pipeline), "here");
  GstPad *pad = gst_element_get_static_pad (here, "sink");
  GstElement *fecenc = fecenc_find_upstream (pad);

  g_test_message ("%s", fec_rows[r].why);
  g_assert_cmpint (
      fecenc ? fecenc_payload_type (fecenc) : -2, ==, fec_rows[r].pt);
  gst_clear_object (&fecenc);
  gst_object_unref (pad);
  gst_object_unref (here);
  gst_object_unref (pipeline);
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
  GstElement *rtpbin = element_new (
      "rtpbin fec-encoders=\"fec,0=\\\"rtpulpfecenc pt=122\\\"\"");
  GstElement *here = NULL, *fecenc;
  GstPad *pad, *sinkpad;

  g_signal_connect (rtpbin, "request-aux-sender", G_CALLBACK (aux_new), &here);
  pad = gst_element_request_pad_simple (rtpbin, "send_rtp_sink_0");
  g_assert_nonnull (here);
  sinkpad = gst_element_get_static_pad (here, "sink");
  fecenc = fecenc_find_upstream (sinkpad);
  g_assert_nonnull (fecenc);
  g_assert_cmpint (fecenc_payload_type (fecenc), ==, 122);
  gst_object_unref (fecenc);
  gst_object_unref (sinkpad);
  gst_element_release_request_pad (rtpbin, pad);
  gst_object_unref (pad);
  gst_object_unref (rtpbin);
}

static void
test_fec_named (void)
{
  GstElement *pipeline = pipeline_new (
      "rtpulpfecenc name=fec pt=122 ! fakesink identity name=here");
  GstElement *here = gst_bin_get_by_name (GST_BIN (pipeline), "here");
  GstElement *fecenc = fecenc_find_named (here, "fec");

  g_assert_nonnull (fecenc);
  g_assert_null (fecenc_find_named (here, "here"));
  g_assert_null (fecenc_find_named (here, "nobody"));
  gst_object_unref (fecenc);
  gst_object_unref (here);
  gst_object_unref (pipeline);
}

static void
on_notify (GObject *object, GParamSpec *pspec, gpointer count)
{
  ++*(guint *) count;
}

static void
test_fec_set (void)
{
  GstElement *fecenc = element_new ("rtpulpfecenc pt=122");
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
  gst_object_unref (fecenc);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (fec_rows); i++)
    add_row ("fecenc/find", fec_rows[i].name, i, test_fec);
  g_test_add_func ("/fecenc/find/rtpbin", test_fec_rtpbin);
  g_test_add_func ("/fecenc/find/named", test_fec_named);
  g_test_add_func ("/fecenc/set", test_fec_set);
  return g_test_run ();
}
