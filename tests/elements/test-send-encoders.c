/* The encoders of rtpadaptsend, as a part that needs no element.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <plugins/rtpadapt/send/encoders.h>

#include <gst/rtpadapt/types.h>

#include <string.h>

#include "../rows.h"

#define PLACES 3

/* --- shares ------------------------------------------------------------------ */

/* Of 1 Mbit/s 800,000 bit/s are the encoders' media, and none is RTCP's. */
static const struct
{
  const gchar *name;
  guint streams[PLACES]; /* that each encoder feeds */
  guint n;               /* encoders */
  guint64 other, each;   /* bit/s */
  const gchar *why;
} shares[] = {
  { "none", { 0 }, 0, 0, 800000, "as if there were one" },
  { "one", { 1 }, 1, 0, 800000, "all of it" },
  { "two", { 1, 1 }, 2, 0, 400000, "half each" },
  { "twice", { 2, 1 }, 2, 0, 266666, "what feeds two payloaders leaves twice" },
  { "unknown", { 0, 1 }, 2, 0, 400000, "it feeds at least one" },
  { "audio", { 1 }, 1, 250000, 600000, "a quarter of the rate is gone" },
  { "both", { 1, 1 }, 2, 500000, 200000, "half of the rate is gone" },
  { "all", { 1 }, 1, 1000000, 0, "nothing is left" },
  { "more", { 1 }, 1, 3000000, 0, "nothing is left" },
};

static void
test_share (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  const RaSplit split = { .media = 800000, .header = 200000 };
  Encoders e;

  g_test_message ("%s", shares[i].why);
  encoders_init (&e);
  e.n = shares[i].n;
  for (guint j = 0; j < e.n; j++)
    e.places[j].about.streams = shares[i].streams[j];
  g_assert_cmpuint (encoders_share (&e, &split, 1000000, shares[i].other), ==,
      shares[i].each);
  encoders_clear (&e);
}

/* --- streams of others ------------------------------------------------------- */

/* At a rate of 1 Mbit/s, after a share without 100 kbit/s for others. */
static const struct
{
  const gchar *name;
  guint64 other; /* bit/s */
  SendWants wants;
  const gchar *why;
} others[] = {
  { "same", 100000, SEND_WANTS_NOTHING, "nothing changed" },
  { "little-more", 110000, SEND_WANTS_NOTHING, "1 % of the rate" },
  { "more", 110001, SEND_JOB, "above 1 % of it" },
  { "little-less", 90000, SEND_WANTS_NOTHING, "1 % of the rate" },
  { "less", 89999, SEND_JOB, "above 1 % of it" },
};

static void
test_watch (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  const RaSplit split = { .media = 1000000 };
  Encoders e;

  g_test_message ("%s", others[i].why);
  encoders_init (&e);
  encoders_share (&e, &split, 1000000, 100000);
  encoders_on_stream_start (&e); /* the job looks for the encoders, once */
  g_assert_cmpint (encoders_watch (&e, 100000, 1000000), ==, SEND_JOB);
  g_assert_cmpint (
      encoders_watch (&e, others[i].other, 1000000), ==, others[i].wants);
  encoders_clear (&e);
}

/* Packets leave at these times, in ms. */
static const struct
{
  guint at;
  gboolean due;
  const gchar *why;
} times[] = {
  { 5000, TRUE, "the first" },
  { 5099, FALSE, "within 100 ms" },
  { 5100, TRUE, "100 ms later" },
  { 9000, TRUE, "long after" },
  { 9050, FALSE, "within 100 ms" },
  { 1000, TRUE, "the clock was set back" },
  { 1099, FALSE, "within 100 ms" },
};

static void
test_times (void)
{
  Encoders e;

  encoders_init (&e);
  encoders_start (&e);
  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    g_test_message ("%s", times[i].why);
    g_assert_cmpint (encoders_watch_due (&e, times[i].at * (RaTime) RA_MSECOND),
        ==, times[i].due);
  }
  encoders_clear (&e);
}

/* --- searches and jobs ------------------------------------------------------- */

/* vp8enc ! rtpvp8pay ! identity: the identity stands for rtpadaptsend. */
typedef struct
{
  GstElement *pipeline, *encoder, *owner;
  GstPad *sinkpad;
  Encoders e;
} World;

static gboolean
world_setup (World *w)
{
  memset (w, 0, sizeof *w);
  w->pipeline = gst_parse_launch (
      "fakesrc ! vp8enc name=enc ! rtpvp8pay name=pay ! identity name=owner",
      NULL);
  if (!GST_IS_BIN (w->pipeline)
      || !(w->encoder = gst_bin_get_by_name (GST_BIN (w->pipeline), "enc"))) {
    gst_clear_object (&w->pipeline);
    g_test_skip ("no vp8enc is installed");
    return FALSE;
  }
  w->owner = gst_bin_get_by_name (GST_BIN (w->pipeline), "owner");
  w->sinkpad = gst_element_get_static_pad (w->owner, "sink");
  encoders_init (&w->e);
  encoders_start (&w->e);
  return TRUE;
}

static void
world_teardown (World *w)
{
  encoders_stop (&w->e);
  encoders_clear (&w->e);
  gst_object_unref (w->sinkpad);
  gst_object_unref (w->owner);
  gst_clear_object (&w->encoder);
  gst_object_unref (w->pipeline);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (World, world_teardown)

static SendWants
search (World *w, const gchar *names, gboolean stop, guint *notices)
{
  const EncodersConfig config = { names, "", 1 };
  EncodersSearch s;
  SendWants wants;

  g_assert_true (encoders_search_plan (&w->e, &config, &s));
  encoders_search_do (&s, w->sinkpad);
  if (stop)
    encoders_stop (&w->e);
  wants = encoders_search_take (&w->e, &s);
  *notices = s.notices.list ? s.notices.list->len : 0;
  encoders_search_end (&s);
  return wants;
}

static gint
bitrate_of (const World *w)
{
  gint bps;

  g_object_get (w->encoder, "target-bitrate", &bps, NULL);
  return bps;
}

/* What a search finds, and how often it says that something is missing. */
static const struct
{
  const gchar *name, *names;
  gboolean expected, stop;
  guint n, first,
      second; /* encoders; notices of a search and of the next one */
  const gchar *why;
} searches[] = {
  { "found", "", TRUE, FALSE, 1, 0, 0, "it is upstream" },
  { "named", "enc", TRUE, FALSE, 1, 0, 0, "it is named" },
  { "twice", "enc, enc", TRUE, FALSE, 1, 1, 0, "one of the two is missing" },
  { "missing", "nobody", TRUE, FALSE, 0, 1, 0, "said once" },
  { "early", "nobody", FALSE, FALSE, 0, 0, 0, "no video came yet" },
  { "late", "", TRUE, TRUE, 0, 0, 0, "a stop came before take" },
  { "late-missing", "nobody", TRUE, TRUE, 0, 0, 0, "nothing is said then" },
};

static void
test_search (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data), notices;
  World w;

  g_test_message ("%s", searches[i].why);
  if (!world_setup (&w))
    return;
  if (searches[i].expected)
    encoders_on_video (&w.e);
  search (&w, searches[i].names, searches[i].stop, &notices);
  g_assert_cmpuint (notices, ==, searches[i].first);
  g_assert_cmpuint (w.e.n, ==, searches[i].n);
  w.e.stale = TRUE;
  search (&w, searches[i].names, searches[i].stop, &notices);
  g_assert_cmpuint (notices, ==, searches[i].second);
  g_assert_cmpuint (w.e.n, ==, searches[i].n);
  world_teardown (&w);
}

/* One search at a time, and none of encoders that the user drives. */
static void
test_due (void)
{
  const EncodersConfig ours = { "", "", 1 }, none = { "none", "", 1 };
  EncodersSearch s;
  Encoders e;

  encoders_init (&e);
  encoders_start (&e);
  g_assert_true (encoders_search_plan (&e, &none, &s));
  encoders_search_end (&s);
  g_assert_false (encoders_search_plan (&e, &none, &s));
  g_assert_true (encoders_search_plan (&e, &ours, &s)); /* none was found yet */
  encoders_search_end (&s);
  encoders_clear (&e);
}

/* A bitrate reaches the encoder.  After a stop it counts no more, and another
 * sender is alone with the encoder. */
static void
test_job (gconstpointer data)
{
  gboolean stop = GPOINTER_TO_INT (data);
  guint notices;
  EncodersJob job;
  World w;

  if (!world_setup (&w))
    return;
  search (&w, "", FALSE, &notices);
  g_assert_cmpint (encoders_set_largest (&w.e, 1), ==, SEND_JOB);
  g_assert_cmpint (encoders_set_largest (&w.e, 1), ==, SEND_WANTS_NOTHING);
  encoders_plan (&w.e, 300000, FALSE, 0, &job);
  g_assert_cmpfloat (job.largest, ==, 1);
  encoders_do (&job, w.sinkpad);
  g_assert_cmpint (bitrate_of (&w), ==, 300000);
  g_assert_cmpuint (job.n_done, ==, 1);
  g_assert_true (job.tasks[0].changed);
  if (stop)
    g_assert_cmpint (encoders_stop (&w.e), ==, SEND_JOB);
  g_assert_cmpint (encoders_take (&w.e, &job), ==, SEND_WANTS_NOTHING);
  encoders_end (&job);
  g_assert_cmpuint (encoders_bitrate (&w.e), ==, stop ? 0 : 300000);
  g_assert_cmpuint (
      encoder_share_join (w.encoder, &job, FALSE), ==, stop ? 0 : 1);
  encoder_share_leave (w.encoder, &job);
  world_teardown (&w);
}

/* An encoder that left the pipeline, or leads here no longer, is looked for again, and
 * gets no bitrate.  One search may come before the next encoder. */
static void
test_removed (gconstpointer unlinked)
{
  EncodersJob job;
  guint notices;
  gint before;
  World w;

  if (!world_setup (&w))
    return;
  search (&w, "", FALSE, &notices);
  before = bitrate_of (&w);
  encoders_plan (&w.e, 300000, FALSE, 0, &job);
  if (unlinked) {
    g_autoptr (GstElement) pay
        = gst_bin_get_by_name (GST_BIN (w.pipeline), "pay");

    gst_element_unlink (w.encoder, pay);
  } else {
    gst_bin_remove (GST_BIN (w.pipeline), w.encoder);
  }
  encoders_do (&job, w.sinkpad);
  g_assert_cmpint (bitrate_of (&w), ==, before);
  g_assert_cmpint (encoders_take (&w.e, &job), ==, SEND_SEARCH);
  g_assert_true (w.e.stale);
  encoders_end (&job);
  encoders_on_video (&w.e);
  for (guint i = 0; i < 3; i++) { /* the third is 2 s later */
    w.e.left -= i == 2 ? 2 * RA_SECOND : 0;
    search (&w, "", FALSE, &notices);
    g_assert_cmpuint (notices, ==, i == 2);
  }
  world_teardown (&w);
}

void
tests_add (void)
{
  rows_add_by ("/encoders/share", shares, name, test_share);
  rows_add_by ("/encoders/watch", others, name, test_watch);
  g_test_add_func ("/encoders/watch/times", test_times);
  rows_add_by ("/encoders/search", searches, name, test_search);
  g_test_add_func ("/encoders/search/due", test_due);
  g_test_add_data_func ("/encoders/job/taken", NULL, test_job);
  g_test_add_data_func ("/encoders/job/late", GINT_TO_POINTER (1), test_job);
  g_test_add_data_func ("/encoders/job/removed", NULL, test_removed);
  g_test_add_data_func (
      "/encoders/job/unlinked", GINT_TO_POINTER (1), test_removed);
}
