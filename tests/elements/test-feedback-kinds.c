/* The two sides are set to different feedback: both warn, and go on with feedback
 * that works.  All pairs run at once, over loopback.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../trust/trust.h"
#include "src-fixture.h"

static const gchar *const kinds[] = { "twcc", "tfrc", "ccfb" };
#define KINDS G_N_ELEMENTS (kinds)

/* The feedback that is used in the end.  The packets decide: twcc needs numbers and
 * tfrc needs send times, and a sender writes only what its own setting needs. */
static const struct
{
  const gchar *mode;
  const gchar *sender, *receiver; /* their warnings, or NULL */
} pairs[KINDS][KINDS] = { { { "twcc", NULL, NULL },
                              { "ccfb", "The receiver is set to feedback=tfrc",
                                  "transport-wide numbers" },
                              { "ccfb", "The receiver sends feedback=ccfb",
                                  "transport-wide numbers" } },
  { { "twcc", "The receiver sends feedback=twcc", "send times" },
      { "tfrc", NULL, NULL },
      { "ccfb", "The receiver sends feedback=ccfb", "send times" } },
  { { "ccfb", "The receiver is set to feedback=twcc", "no header extension" },
      { "ccfb", "The receiver is set to feedback=tfrc", "no header extension" },
      { "ccfb", NULL, NULL } } };

#define CURE "set the same on both sides"
/* bit/s; without feedback there is half of it after 2 s, and so on. */
#define START 400000
/* More packets than this come only after both sides have found out. */
#define REPORTS 40

typedef struct
{
  guint s, r;
  Receiver receiver;
  GstElement *pipeline, *sink;
  GstBus *bus;
  GString *said[2]; /* by sender, receiver */
  guint n_said[2];
} Pair;

static void
pair_start (Pair *p, guint s, guint r)
{
  g_autofree gchar *settings
      = g_strdup_printf ("encoding-name=H264 feedback=%s", kinds[r]);
  g_autofree gchar *line = NULL;
  GError *error = NULL;

  *p = (Pair){ .s = s, .r = r };
  receiver_new (&p->receiver, settings, RECEIVER_H264);
  receiver_play (&p->receiver);
  line = g_strdup_printf (
      "videotestsrc is-live=true pattern=ball ! "
      "video/x-raw,width=160,height=120,framerate=30/1 ! "
      "x264enc tune=zerolatency speed-preset=ultrafast bitrate=300 ! "
      "rtph264pay config-interval=-1 mtu=300 ! rtpadaptsink name=s "
      "host=127.0.0.1 port=%d feedback=%s start-bitrate=%d",
      p->receiver.port, kinds[s], START);
  p->pipeline = gst_parse_launch (line, &error);
  g_assert_no_error (error);
  p->sink = gst_bin_get_by_name (GST_BIN (p->pipeline), "s");
  p->bus = gst_element_get_bus (p->pipeline);
  for (guint i = 0; i < 2; i++)
    p->said[i] = g_string_new (NULL);
  gst_element_set_state (p->pipeline, GST_STATE_PLAYING);
}

static void
hear (Pair *p)
{
  GstBus *const buses[2] = { p->bus, p->receiver.bus };

  for (guint i = 0; i < 2; i++) {
    g_autofree gchar *text = NULL;

    text = udp_said (buses[i], GST_MESSAGE_WARNING);
    if (!text)
      continue;
    g_string_append_printf (p->said[i], "%s\n", text);
    /* A loaded machine may bring hints, too. */
    p->n_said[i] += strstr (text, "feedback=") != NULL;
  }
}

static gchar *
mode_of (GstElement *sink)
{
  return stats_text (sink, "sender/feedback-mode");
}

/* TRUE if both have posted their warnings, and feedback comes and keeps the rate. */
static gboolean
pair_is_done (Pair *p)
{
  g_autofree gchar *mode = mode_of (p->sink);
  guint wanted = p->s != p->r, rate;

  hear (p);
  g_object_get (p->sink, "estimated-bitrate", &rate, NULL);
  return p->n_said[0] >= wanted && p->n_said[1] >= wanted
      && g_str_equal (mode, pairs[p->s][p->r].mode)
      && stat_of (p->sink, "sender/reports-ok") >= REPORTS && rate > START / 4;
}

/* WAIT_UNTIL() takes messages off the bus. */
static void
wait_for (Pair *p)
{
  gint64 end = g_get_monotonic_time () + PATIENCE;

  while (!pair_is_done (p)) {
    if (g_get_monotonic_time () > end)
      g_error ("sender %s, receiver %s: said \"%s\", \"%s\"", kinds[p->s],
          kinds[p->r], p->said[0]->str, p->said[1]->str);
    g_usleep (10000);
  }
}

static void
pair_check (Pair *p)
{
  const gchar *const wanted[2]
      = { pairs[p->s][p->r].sender, pairs[p->s][p->r].receiver };
  gboolean judges = g_str_equal (pairs[p->s][p->r].mode, "tfrc");

  g_assert_cmpuint (stat_of (p->sink, "sender/receiver-judges"), ==, judges);
  g_assert_cmpuint (
      stat_of (p->receiver.src, "receiver/receiver-judges"), ==, judges);
  g_test_message ("sender %s, receiver %s:\n%s%s", kinds[p->s], kinds[p->r],
      p->said[0]->str, p->said[1]->str);
  for (guint i = 0; i < 2; i++) {
    g_assert_cmpuint (p->n_said[i], ==, wanted[i] != NULL);
    if (!wanted[i])
      continue;
    g_assert_nonnull (strstr (p->said[i]->str, wanted[i]));
    g_assert_nonnull (strstr (p->said[i]->str, CURE));
  }
}

static void
pair_end (Pair *p)
{
  gst_element_set_state (p->pipeline, GST_STATE_NULL);
  gst_object_unref (p->bus);
  gst_object_unref (p->sink);
  gst_object_unref (p->pipeline);
  receiver_end (&p->receiver);
  for (guint i = 0; i < 2; i++)
    g_string_free (p->said[i], TRUE);
}

static void
test_pairs (void)
{
  Pair all[KINDS * KINDS];

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    pair_start (&all[i], i / KINDS, i % KINDS);
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    wait_for (&all[i]);
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    hear (&all[i]);
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    pair_check (&all[i]);
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    pair_end (&all[i]);
  trust_row ("fault", "the two sides' feedback= differ",
      "both name the cure once, and feedback goes on by what the packets allow",
      TRUE, "%u pairs", (guint) G_N_ELEMENTS (all));
}

void
tests_add (void)
{
  g_test_add_func ("/feedback-kinds/pairs", test_pairs);
}
