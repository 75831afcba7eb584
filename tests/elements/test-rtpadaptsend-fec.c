/* rtpadaptsend: it drives an rtpulpfecenc, and an encoder's VBV, by the losses to the
 * radio.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "send-twcc.h"
#include "../rows.h"

#include <string.h>

#define LATE "rtpadaptfecenc name=fec pt=120", "late-loss"
#define VBV                                                             \
  "videotestsrc num-buffers=1 ! x264enc name=fec vbv-buf-capacity=200 " \
  "! fakesink async=false identity",                                    \
      "vbv-buf-capacity"
#define LEVEL(pt) "rtpulpfecenc name=fec " pt, "percentage"

/* 60 frames of 10 packets, of each the 6th lost, or three for the VBV, without any queue:
 * spike calls that wireless, none calls it congestion.  10 % need repair at any target.
 * Where a round fits, FEC is for what leaves too late for one. */
static const struct
{
  const gchar *fecenc, *driven, *properties;
  gboolean raised;
  const gchar *why;
} rows[] = {
  { LEVEL ("pt=122"), "lda=spike", TRUE, "the radio" },
  { LEVEL ("pt=122"), "lda=none", FALSE,
      "congestion: more packets are no remedy" },
  { LEVEL ("pt=122"), "lda=spike fec=none", FALSE, "not wanted" },
  { LEVEL ("pt=122"), "lda=spike fec=fixed fec-params=level=.3", TRUE,
      "fixed" },
  { LEVEL (""), "lda=spike", FALSE, "no pt: it makes no packets" },
  { LATE, "lda=spike", TRUE, "late ones, lost to the radio" },
  { LATE, "lda=none", FALSE, "a lower rate mends what congestion takes" },
  { LATE, "lda=spike fec=none", FALSE, "not wanted" },
  { VBV, "encoder=fec start-bitrate=8000000", TRUE,
      "key frames whose end can be sent again" },
  { VBV, "encoder=fec start-bitrate=8000000 lda=none", FALSE, "congestion" },
  { VBV, "encoder=fec start-bitrate=8000000 retransmission=false", FALSE,
      "nothing is sent again" },
};

static guint
driven (GstElement *fecenc, guint row)
{
  guint value;

  g_object_get (fecenc, rows[row].driven, &value, NULL);
  return value;
}

static void
test_fec (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autofree gchar *line = g_strdup_printf (
      "%s ! rtpadaptsend name=send stats-interval=0 fec-code=rs "
      "controller=fixed start-bitrate=2000000 %s",
      rows[row].fecenc, rows[row].properties);
  g_autoptr (GstElement) bin
      = gst_parse_bin_from_description (line, TRUE, NULL);
  g_autoptr (GstElement) fecenc = gst_bin_get_by_name (GST_BIN (bin), "fec");
  g_auto (Send) s = { .element = gst_bin_get_by_name (GST_BIN (bin), "send") };
  gboolean vbv = strcmp (rows[row].driven, "vbv-buf-capacity") == 0;
  guint frames = 0, before = driven (fecenc, row);

  g_test_message ("%s", rows[row].why);
  gst_object_ref_sink (bin);
  send_harness (&s, bin);
  if (strcmp (rows[row].driven, "percentage") != 0) /* there are rounds */
    gst_harness_push_upstream_event (s.h,
        gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
            gst_structure_new ("GstRTPRetransmissionRequest", "seqnum",
                G_TYPE_UINT, 0, "ssrc", G_TYPE_UINT, 0, NULL)));
  /* From then on there are repair packets, of which the rows know nothing. */
  while (frames < 60 && driven (fecenc, row) == before) {
    guint first = 10 * frames++;
    gint at = (gint) first + 5, lost[] = { at, vbv ? at + 1 : -1, at + 2, -1 };

    send_paced (&s, first, 10);
    gst_test_clock_advance_time (s.clock, 2 * OWD);
    feedback (&s, first, first + 10, 0, lost);
  }
  if (rows[row].raised)
    wait_until (driven (fecenc, row) != before);
  else
    g_assert_cmpuint (driven (fecenc, row), ==, before);
}

/* In a bin of its own it is somebody else's: webrtcbin's stay so where FEC is
 * not negotiated. */
static const struct
{
  const gchar *fecenc;
  guint warnings;
  const gchar *why;
} unset_rows[] = {
  { "rtpulpfecenc", 1, "the user's" },
  { "( rtpulpfecenc )", 0, "another bin's" },
  { "rtpulpfecenc pt=122", 0, "it has one" },
};

/* Those on the bus that say that `pt` is missing. */
static guint
unset_warnings (Send *s)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (s->bus, GST_MESSAGE_WARNING))) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_warning (message, &error, NULL);
    n += strstr (error->message, "has no pt") != NULL;
    gst_message_unref (message);
  }
  return n;
}

static void
test_unset (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  /* The second one tells when both were looked at. */
  g_autofree gchar *line = g_strdup_printf (
      "%s ! rtpfunnel name=f ! rtpadaptsend name=send stats-interval=0 "
      "rtpulpfecenc pt=122 ! f.",
      unset_rows[row].fecenc);
  g_autoptr (GstElement) bin
      = gst_parse_bin_from_description (line, TRUE, NULL);
  g_auto (Send) s = { .element = gst_bin_get_by_name (GST_BIN (bin), "send") };

  g_test_message ("%s", unset_rows[row].why);
  gst_object_ref_sink (bin);
  send_harness (&s, bin);
  wait_until (stat (&s, "fec-made") > 0);
  g_assert_cmpuint (unset_warnings (&s), ==, unset_rows[row].warnings);
}

/* Another rule drives the FEC encoder at once: no report may come for long. */
static void
test_exchange (void)
{
  g_autoptr (GstElement) bin = gst_parse_bin_from_description (
      "rtpulpfecenc name=fec pt=122 ! "
      "rtpadaptsend name=send stats-interval=0",
      TRUE, NULL);
  g_autoptr (GstElement) fecenc = gst_bin_get_by_name (GST_BIN (bin), "fec");
  g_auto (Send) s = { .element = gst_bin_get_by_name (GST_BIN (bin), "send") };
  guint level;

  gst_object_ref_sink (bin);
  send_harness (&s, bin);
  wait_until (stat (&s, "fec-made") > 0);
  g_usleep (50000); /* the job that found it ends */
  gst_util_set_object_arg (G_OBJECT (s.element), "fec", "fixed");
  g_object_set (s.element, "fec-params", "level=.3", NULL);
  wait_until ((g_object_get (fecenc, "percentage", &level, NULL), level == 30));
}

/* --- two receivers ------------------------------------------------------- */

static guint
uint_in (GstElement *pipeline, const gchar *name, const gchar *property)
{
  g_autoptr (GstElement) element
      = gst_bin_get_by_name (GST_BIN (pipeline), name);
  guint value;

  g_object_get (element, property, &value, NULL);
  return value;
}

/* Without packets no report makes an element look again. */
static void
look_again (GstElement *pipeline, const gchar *name)
{
  g_autoptr (GstElement) element
      = gst_bin_get_by_name (GST_BIN (pipeline), name);

  g_object_set (element, "fec-unasked", TRUE, NULL);
}

/* The slower one wants no FEC. */
static GstElement *
shared_new (void)
{
  GstElement *pipeline = gst_parse_launch (
      "x264enc name=enc ! rtph264pay ! rtpulpfecenc name=fec pt=122 ! "
      "tee name=t "
      "t. ! rtpadaptsend name=fast stats-interval=0 controller=fixed "
      "start-bitrate=1500000 fec=fixed fec-params=level=.5 ! fakesink "
      "t. ! rtpadaptsend name=slow stats-interval=0 controller=fixed "
      "start-bitrate=600000 fec=none ! fakesink",
      NULL);
  g_autoptr (GstElement) slow
      = gst_bin_get_by_name (GST_BIN (pipeline), "slow");

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  wait_until (stat (&(Send){ .element = slow }, "fec-made") > 0);
  wait_until (uint_in (pipeline, "fec", "percentage") == 50);
  return pipeline;
}

/* Before a packet was sent, a level of 50 leaves media two thirds of the rate: what one
 * receiver needs goes to the other one, too. */
static void
test_shared (void)
{
  g_autoptr (GstElement) pipeline = shared_new ();
  g_autoptr (GstElement) fast
      = gst_bin_get_by_name (GST_BIN (pipeline), "fast");

  look_again (pipeline, "slow");
  wait_until (uint_in (pipeline, "slow", "encoder-bitrate") == 400000);
  g_assert_cmpuint (uint_in (pipeline, "fec", "percentage"), ==, 50);
  g_assert_cmpuint (uint_in (pipeline, "enc", "bitrate"), ==, 400);

  gst_element_set_locked_state (fast, TRUE);
  gst_element_set_state (fast, GST_STATE_NULL);
  g_assert_cmpuint (uint_in (pipeline, "fec", "percentage"), ==, 0);
  look_again (pipeline, "slow");
  wait_until (uint_in (pipeline, "slow", "encoder-bitrate") == 600000);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* Nobody answered the faster one for more than 3 s; of the slower one that is known
 * only when it looks again. */
static void
test_silent (void)
{
  g_autoptr (GstClock) clock = gst_test_clock_new ();
  g_autoptr (GstElement) pipeline = NULL;

  gst_system_clock_set_default (clock);
  pipeline = shared_new ();
  gst_test_clock_advance_time (GST_TEST_CLOCK (clock), 3001 * GST_MSECOND);
  look_again (pipeline, "fast");
  wait_until (uint_in (pipeline, "fec", "percentage") == 0);
  look_again (pipeline, "slow");
  wait_until (uint_in (pipeline, "fec", "percentage") == 50);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_system_clock_set_default (NULL);
}

void
tests_add (void)
{
  g_test_add_func ("/rtpadaptsend/fec/exchange", test_exchange);
  g_test_add_func ("/rtpadaptsend/fec/shared", test_shared);
  g_test_add_func ("/rtpadaptsend/fec/silent", test_silent);
  rows_add ("/rtpadaptsend/fec", rows, test_fec);
  rows_add ("/rtpadaptsend/fec/unset", unset_rows, test_unset);
}
