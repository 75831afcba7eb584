/* Which of rtpbin's pads feeds which of rtpadaptsrc's, and what share of the media is
 * missing, without elements, in virtual time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../../plugins/rtpadapt/src/srcstats.h"
#include "../../plugins/rtpadapt/src/srcstreams.h"
#include "../rows.h"

#include <string.h>

#define T0 (1000 * RA_SECOND)
#define SSRCS 4 /* A to D */

/* --- pads ----------------------------------------------------------------- */

/* A story is words in ms.  "pad B LATER" and "next A AGAIN" say what is decided; a
 * "slow" pad is being shown until it is "done".  "heard", "bye", "gone" (rtpbin's pad) and
 * "left" are about an SSRC; "leave" and "stop" let go of what waits, so many pads.
 * "mute A 0" has no use for the probe.  "news A SILENT" is what the application hears. */
static const gchar *const decisions[] = {
  [SRC_STREAMS_SHOW] = "SHOW",
  [SRC_STREAMS_AGAIN] = "AGAIN",
  [SRC_STREAMS_LATER] = "LATER",
  [SRC_STREAMS_IGNORE] = "IGNORE",
};
static const gchar *const states[] = {
  [SRC_STREAM_BEGINS] = "BEGINS",
  [SRC_STREAM_SILENT] = "SILENT",
  [SRC_STREAM_GOES_ON] = "GOES-ON",
  [SRC_STREAM_ENDS] = "ENDS",
};

static const struct
{
  const gchar *story, *why;
} rows[] = {
  { "0 pad A SHOW, 0 heard A, 500 pad B LATER, 550 next - -", "in doubt" },
  { "0 pad A SHOW, 0 heard A, 500 pad B LATER, 599 heard A, 700 next - -",
      "the old one's packet was overtaken by 99 ms" },
  { "0 pad A SHOW, 0 heard A, 500 pad B LATER, 600 heard A, 600 next B SHOW",
      "the old one goes on: two streams" },
  { "0 pad A SHOW, 0 heard A, 500 pad B LATER, 999 next - -, "
    "1000 next B AGAIN, 1000 next - -",
      "the old one is silent for a second" },
  { "0 pad A SHOW, 0 heard A, 1000 pad B AGAIN", "it was silent before" },
  { "0 pad A SHOW, 0 heard A, 10 bye A, 10 pad B AGAIN",
      "the old one said BYE" },
  { "0 pad A SHOW, 0 heard A, 10 gone A, 10 pad B AGAIN", "its pad is gone" },
  { "0 pad A SHOW, 0 heard A, 10 pad A AGAIN", "the same SSRC" },
  { "0 pad A SHOW, 0 heard A, 500 pad B LATER, 510 gone B, 2000 next - -",
      "what waited is gone" },
  { "0 pad A SHOW, 0 heard A, 1000 pad B AGAIN, 1000 heard B, 1999 heard A, "
    "1999 next - -",
      "a late packet of the one that lost its place" },
  { "0 pad A SHOW, 0 heard A, 1000 pad B AGAIN, 2500 heard B, 2500 heard A, "
    "2500 next - -, 2600 heard B, 2600 next A SHOW",
      "it is back, and both go on" },
  { "0 pad A SHOW, 0 heard A, 1000 pad B AGAIN, 1000 heard B, 2500 heard A, "
    "2500 next A AGAIN",
      "it is back, and the other one is silent" },
  { "0 pad A SHOW, 0 heard A, 500 pad B LATER, 510 stop 1, 600 next - -",
      "a pad that waits is let go" },
  { "0 pad A SHOW, 0 heard A, 10 stop 0, 10 pad B IGNORE, 10 pad A IGNORE",
      "a pad that is blocked after the stop would wait for ever" },
  { "0 pad A SHOW, 0 heard A, 500 pad B LATER, 510 leave B 1, 600 heard A, "
    "600 next - -, 600 pad B IGNORE, 610 left B, 610 left -, "
    "610 pad B LATER",
      "its jitterbuffer goes, and may come again" },
  { "0 pad A SHOW, 0 heard A, 1000 pad B AGAIN, 1000 heard B, 2000 leave A 1, "
    "2500 heard A, 2500 next - -",
      "one that lost its place goes: its pad is never heard again" },
  { "0 pad A SHOW, 0 heard A, 10 leave A 0, 1100 pad B AGAIN, 1100 heard B, "
    "2500 heard A, 2500 next - -",
      "it goes, but is held: it takes no place back" },
  { "0 slow A SHOW, 0 heard A, 10 leave A 0, 10 left -, 20 done A, 20 left A",
      "it goes when its pad has been shown" },
  { "0 slow A SHOW, 0 heard A, 0 pad B LATER, 50 done A, 99 heard A, "
    "99 next - -, 100 heard A, 100 next B SHOW",
      "two at once: the first is shown, then it is heard" },
  { "0 slow A SHOW, 0 pad B LATER, 99 next - -, 100 next B SHOW, 100 done A",
      "what holds the first up does not hold the second" },
  { "0 pad A SHOW, 0 heard A, 1000 pad B AGAIN, 1000 mute A 1, 1000 mute A 0",
      "one probe is enough" },
  { "0 pad A SHOW, 0 heard A, 1000 pad B AGAIN, 2500 heard A, 2500 mute A 1",
      "it waits before its probe is known" },
  { "0 pad A SHOW, 0 heard A, 1000 slow B AGAIN, 1000 done B, 2500 heard A, "
    "2500 next A AGAIN, 2500 mute A 1, 2500 done A, 2500 mute A 0",
      "it is back before its probe is known" },
  { "0 pad A SHOW, 0 heard A, 0 news A BEGINS, 1999 news - -, "
    "2000 news A SILENT, 2000 news - -, 2500 heard A, 2500 news A GOES-ON, "
    "2600 news - -, 4500 news A SILENT, 4600 bye A, 4600 news A ENDS, "
    "4600 news - -, 9000 heard A, 9000 news A GOES-ON",
      "each change is said once" },
  { "0 pad A SHOW, 0 heard A, 0 news A BEGINS, 10 bye A, 10 pad B AGAIN, "
    "20 heard B, 20 news B GOES-ON, 20 news - -, 30 gone B, 30 news B ENDS",
      "another SSRC goes on, and rtpbin's pad of that one is gone" },
  { "0 pad A SHOW, 0 heard A, 0 news A BEGINS, 10 bye A, 10 news A ENDS, "
    "20 heard A, 2020 news - -",
      "a packet that BYE overtook, and the silence after the end" },
  { "0 pad A SHOW, 0 heard A, 10 stop 0, 20 news - -",
      "what the application stops does not end" },
};

typedef struct
{
  SrcStreams streams;
  GstPad *pads[SSRCS];
  RaTime heard[SSRCS]; /* RA_TIME_NONE: never, or it said BYE */
  RaTime now;
  gboolean slow;
  SrcStreamsJob job; /* a slow one */
} World;

static RaSpan
silence (gpointer data, guint32 ssrc, gint pt)
{
  const World *w = data;

  return w->heard[ssrc] == RA_TIME_NONE ? RA_SPAN_NONE
                                        : ra_diff (w->now, w->heard[ssrc]);
}

static void
job_end (World *w, SrcStreamsJob *job)
{
  if (job->what == SRC_STREAMS_SHOW) {
    SrcStream *stream = g_new0 (SrcStream, 1);

    *stream = (SrcStream){
      .pt = job->p->pt, .ssrc = job->p->ssrc, .pad = job->p->pad
    };
    src_streams_add (&w->streams, stream);
    src_streams_shown (&w->streams, stream);
  }
  src_streams_done (&w->streams, job->p);
  src_pending_free (job->p);
}

/* Does what the element does about it.  Returns whether it is as expected. */
static gboolean
carry_out (World *w, SrcStreamsJob *job, const gchar *expected)
{
  if (job->what == SRC_STREAMS_LATER)
    g_assert_true (src_streams_wait (&w->streams, job->p));
  else if (w->slow)
    w->job = *job;
  else
    job_end (w, job);
  return g_str_equal (decisions[job->what], expected);
}

static gboolean
step (World *w, gchar **word)
{
  guint ssrc = (guint) (word[2][0] - 'A');
  const gchar *op = word[1];
  const SrcStream *stream;
  SrcStreamsJob job;
  SrcPending *p;
  GList *waited;
  guint n, at = 0;
  guint32 leaver;

  w->now = T0 + (RaTime) (atoi (word[0]) * RA_MSECOND);
  if (g_str_equal (op, "pad") || g_str_equal (op, "slow")) {
    w->slow = op[0] == 's';
    job = src_streams_on_pad (&w->streams, w->pads[ssrc], ssrc, 96, w->now);
    return carry_out (w, &job, word[3]);
  }
  if (g_str_equal (op, "next")) {
    if (!src_streams_next (&w->streams, w->now, &job))
      return g_str_equal (word[3], "-");
    n = job.p->ssrc;
    return carry_out (w, &job, word[3]) && n == ssrc;
  }
  if (g_str_equal (op, "news")) {
    stream = src_streams_news (&w->streams);
    return stream
        ? stream->ssrc == ssrc && g_str_equal (states[stream->said], word[3])
        : g_str_equal (word[3], "-");
  }
  if (g_str_equal (op, "heard")) {
    src_streams_on_packet (&w->streams, ssrc, 96, FALSE, w->now);
    w->heard[ssrc] = w->now;
  } else if (g_str_equal (op, "bye")) {
    w->heard[ssrc] = RA_TIME_NONE;
  } else if (g_str_equal (op, "gone")) {
    p = src_streams_forget (&w->streams, w->pads[ssrc]);
    g_clear_pointer (&p, src_pending_free);
  } else if (g_str_equal (op, "left")) {
    if (!src_streams_next_leaver (&w->streams, &at, &leaver))
      return g_str_equal (word[2], "-");
    src_streams_leaver_done (&w->streams, leaver, TRUE);
    return leaver == ssrc;
  } else if (g_str_equal (op, "done")) {
    job_end (w, &w->job);
  } else if (g_str_equal (op, "mute")) {
    return src_streams_muted (&w->streams, w->pads[ssrc], 1) == atoi (word[3]);
  } else {
    if (g_str_equal (op, "stop")) {
      waited = src_streams_stop (&w->streams);
    } else {
      g_assert_true (src_streams_leave (&w->streams, ssrc, &waited));
      g_assert_false (src_streams_leave (&w->streams, ssrc, &waited));
      src_streams_leaver_done (&w->streams, ssrc, FALSE);
    }
    n = g_list_length (waited);
    g_list_free_full (waited, (GDestroyNotify) src_pending_free);
    return n == (guint) atoi (word[word[3] ? 3 : 2]);
  }
  return TRUE;
}

static void
test_story (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_auto (GStrv) steps = g_strsplit (rows[row].story, ", ", -1);
  World w = { .now = T0 };
  g_autoptr (GPtrArray) streams = NULL;

  src_streams_init (&w.streams, silence, &w);
  for (guint i = 0; i < SSRCS; i++) {
    w.pads[i] = gst_object_ref_sink (gst_pad_new (NULL, GST_PAD_SRC));
    w.heard[i] = RA_TIME_NONE;
  }
  for (guint i = 0; steps[i]; i++) {
    g_auto (GStrv) words = g_strsplit (steps[i], " ", -1);

    if (!step (&w, words))
      g_test_fail_printf ("%s: '%s'", rows[row].why, steps[i]);
  }
  streams = src_streams_take (&w.streams);
  g_ptr_array_set_free_func (streams, (GDestroyNotify) src_stream_free);
  src_streams_clear (&w.streams);
  for (guint i = 0; i < SSRCS; i++) {
    g_assert_cmpint (GST_OBJECT_REFCOUNT_VALUE (w.pads[i]), ==, 1);
    gst_object_unref (w.pads[i]);
  }
}

/* The element blocks a pad without the lock; the stop may come before it waits. */
static void
test_stop_between (void)
{
  g_autoptr (GstPad) pad
      = gst_object_ref_sink (gst_pad_new (NULL, GST_PAD_SRC));
  World w = { .now = T0 };
  SrcPending *p = g_new0 (SrcPending, 1);

  src_streams_init (&w.streams, silence, &w);
  p->pad = gst_object_ref (pad);
  g_assert_null (src_streams_stop (&w.streams));
  g_assert_false (src_streams_wait (&w.streams, p));
  src_pending_free (p);
  src_streams_clear (&w.streams);
}

/* --- statistics ------------------------------------------------------------- */

static void
test_residual (void)
{
  static const struct
  {
    guint64 pushed, lost, fec, recovered;
    gdouble residual;
  } loss[] = {
    { 0, 0, 0, 0, 0 }, { 90, 10, 0, 0, .1 },
    /* A fifth is repair packets, so 80 of 100 were media: 8 of them were lost. */
    { 90, 10, 18, 8, 0 }, { 90, 10, 18, 4, .05 },
    { 90, 10, 18, 20, 0 }, /* more than were missing */
    { 5, 5, 5, 0, 0 },     /* no media */
  };

  for (guint i = 0; i < G_N_ELEMENTS (loss); i++)
    g_assert_cmpfloat_with_epsilon (
        src_stats_residual (
            loss[i].pushed, loss[i].lost, loss[i].fec, loss[i].recovered),
        loss[i].residual, 1e-9);
}

/* In place of a jitterbuffer that missed 10 of 100 packets, and of a decoder. */
typedef struct
{
  GstElement parent;
  guint recovered;
} Fake;
typedef GstElementClass FakeClass;
static GType fake_get_type (void);
G_DEFINE_TYPE (Fake, fake, GST_TYPE_ELEMENT)

static void
fake_get (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (pspec->value_type == GST_TYPE_STRUCTURE)
    g_value_take_boxed (value,
        gst_structure_new ("stats", "num-pushed", G_TYPE_UINT64, (guint64) 90,
            "num-lost", G_TYPE_UINT64, (guint64) 10, NULL));
  else
    g_value_set_uint (value, ((Fake *) object)->recovered);
}

static void
fake_class_init (FakeClass *klass)
{
  static const gchar *const counts[] = { "recovered", "unrecovered" };
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = fake_get;
  g_object_class_install_property (object_class, 1,
      g_param_spec_boxed (
          "stats", "", "", GST_TYPE_STRUCTURE, G_PARAM_READABLE));
  for (guint i = 0; i < 2; i++)
    g_object_class_install_property (object_class, 2 + i,
        g_param_spec_uint (
            counts[i], "", "", 0, G_MAXUINT, 0, G_PARAM_READABLE));
}

static void
fake_init (Fake *fake)
{
}

/* What the statistics say of all streams, and of each pad. */
typedef struct
{
  guint64 lost, recovered;
  gdouble residual;
  guint64 pads_lost[2];
} Totals;

static void
check_totals (World *w, GHashTable *jitterbuffers, const Totals *wanted)
{
  g_autoptr (GArray) sources = src_stats_sources (&w->streams, jitterbuffers);
  g_autoptr (GstStructure) stats = gst_structure_new_empty ("stats");
  const GValue *pads;
  guint64 lost, back, not_back;
  gdouble left;

  src_stats_set_streams (stats, sources, &w->streams.before);
  g_assert_true (gst_structure_get (stats, "lost", G_TYPE_UINT64, &lost,
      "recovered", G_TYPE_UINT64, &back, "unrecovered", G_TYPE_UINT64,
      &not_back, "residual-loss", G_TYPE_DOUBLE, &left, NULL));
  g_assert_cmpuint (lost, ==, wanted->lost);
  g_assert_cmpuint (back, ==, wanted->recovered);
  g_assert_cmpuint (not_back, ==, wanted->recovered);
  g_assert_cmpfloat_with_epsilon (left, wanted->residual, 1e-9);
  pads = gst_structure_get_value (stats, "streams");
  for (guint i = 0; i < 2; i++) {
    const GValue *pad = gst_value_array_get_value (pads, i);

    g_assert_true (gst_structure_get (
        gst_value_get_structure (pad), "lost", G_TYPE_UINT64, &lost, NULL));
    g_assert_cmpuint (lost, ==, wanted->pads_lost[i]);
  }
}

static void
claim_pad (World *w, GstPad *pad, guint32 ssrc, guint pt)
{
  SrcStreamsJob job = src_streams_on_pad (&w->streams, pad, ssrc, pt, T0);

  job_end (w, &job);
}

static void
jitterbuffer_gone (World *w, GHashTable *jitterbuffers, guint32 ssrc)
{
  const SrcCounts counts = { .pushed = 90, .lost = 10 };

  g_hash_table_remove (jitterbuffers, GUINT_TO_POINTER (ssrc));
  src_streams_on_gone (&w->streams, ssrc, &counts);
}

/* A sender changes its payload type, so that its SSRC has two pads, and one jitterbuffer:
 * its 10 losses are both pads'.  Four fifths of what was sent are media, and the decoders
 * brought 4 and 2 packets back: .1 - 6 / 80 is missing after all.
 *
 * Then the sender starts again on the first pad.  Its decoder brings 4 more back, without a
 * repair packet: 18 of 180 that came on that pad were repair packets, so of its 200 packets
 * .1 - 8 / (.9 * 200) is missing, and on the other one, with 8 of 90 and 2 back,
 * .1 - 2 / (82/90 * 100).  Weighted, 200 to 100.
 *
 * It goes to the second pad, too: both share .1 - 10 / 180.  No counter falls when the
 * jitterbuffers go.  The SSRC comes back to the first pad, and has a new one: of the 300
 * packets 18 of 270 that came were repair packets, so .1 - 10 / (252 / 270 * 300). */
static void
test_totals (void)
{
  const gdouble one = .1 - 8 / 180., other = .1 - 2 / (8200 / 90.);
  const Totals first = { 10, 6, .025, { 10, 10 } },
               apart = { 20, 10, (2 * one + other) / 3, { 20, 10 } },
               both = { 20, 10, .1 - 10 / 180., { 20, 20 } },
               back = { 30, 10, .1 - 10 / 280., { 30, 20 } };
  World w = { .heard = { RA_TIME_NONE, RA_TIME_NONE } };
  g_autoptr (GHashTable) jitterbuffers = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) sources = NULL;
  GstObject *ghost = gst_object_ref_sink (gst_pad_new (NULL, GST_PAD_SRC));
  Fake *fakes[3];
  SrcStream streams[2];

  src_streams_init (&w.streams, silence, &w);
  for (guint i = 0; i < 3; i++)
    fakes[i] = gst_object_ref_sink (g_object_new (fake_get_type (), NULL));
  for (guint i = 0; i < 2; i++) {
    streams[i] = (SrcStream){ .ghost = GST_PAD (ghost),
      .fecdec = GST_ELEMENT (fakes[i]),
      .pt = 96 + i,
      .fec = 18 - 10 * i };
    fakes[i]->recovered = 4 - 2 * i;
    src_streams_add (&w.streams, &streams[i]);
    g_hash_table_insert (jitterbuffers, GUINT_TO_POINTER (i), fakes[2]);
  }
  check_totals (&w, jitterbuffers, &first);
  claim_pad (&w, GST_PAD (ghost), 1, 96);
  fakes[0]->recovered += 4;
  check_totals (&w, jitterbuffers, &apart);
  claim_pad (&w, GST_PAD (ghost), 1, 97);
  check_totals (&w, jitterbuffers, &both);
  for (guint ssrc = 0; ssrc < 2; ssrc++) {
    jitterbuffer_gone (&w, jitterbuffers, ssrc);
    check_totals (&w, jitterbuffers, &both);
  }
  claim_pad (&w, GST_PAD (ghost), 1, 96);
  g_hash_table_insert (jitterbuffers, GUINT_TO_POINTER (1), fakes[2]);
  check_totals (&w, jitterbuffers, &back);
  w.now = T0 + 3;
  w.heard[1] = T0;
  sources = src_stats_sources (&w.streams, jitterbuffers);
  g_assert_cmpint (g_array_index (sources, SrcStatsSource, 0).silence, ==, 3);
  /* The pads go, as in READY; what they counted stays. */
  jitterbuffer_gone (&w, jitterbuffers, 1);
  g_ptr_array_unref (src_streams_take (&w.streams));
  g_assert_cmpuint (w.streams.before.lost, ==, back.lost);
  g_assert_cmpuint (w.streams.before.recovered, ==, back.recovered);
  src_streams_clear (&w.streams);
  for (guint i = 0; i < 2; i++)
    g_slist_free (streams[i].feeders);
  for (guint i = 0; i < 3; i++)
    gst_object_unref (fakes[i]);
  gst_object_unref (ghost);
}

void
tests_add (void)
{
  rows_add ("/src-parts/streams", rows, test_story);
  g_test_add_func ("/src-parts/streams/stop-between", test_stop_between);
  g_test_add_func ("/src-parts/residual", test_residual);
  g_test_add_func ("/src-parts/totals", test_totals);
}
