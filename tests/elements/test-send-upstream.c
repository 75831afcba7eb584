/* The FEC encoders and payloaders upstream of rtpadaptsend, as parts that need no
 * element.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../rows.h"

#include <plugins/rtpadapt/send/fecencs.h>
#include <plugins/rtpadapt/send/skippers.h>

/* An identity stands for rtpadaptsend. */
typedef struct
{
  GstElement *pipeline, *fecenc, *owner;
  GstPad *sinkpad, *srcpad;
} World;

static World
world_new (const gchar *line)
{
  World w = { gst_parse_launch (line, NULL) };

  g_assert_nonnull (w.pipeline);
  w.fecenc = gst_bin_get_by_name (GST_BIN (w.pipeline), "fec");
  w.owner = gst_bin_get_by_name (GST_BIN (w.pipeline), "owner");
  w.sinkpad = gst_element_get_static_pad (w.owner, "sink");
  w.srcpad = gst_element_get_static_pad (w.owner, "src");
  return w;
}

static void
world_free (World *w)
{
  gst_object_unref (w->sinkpad);
  gst_object_unref (w->srcpad);
  gst_object_unref (w->owner);
  gst_clear_object (&w->fecenc);
  gst_object_unref (w->pipeline);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (World, world_free)

static void
drop (GPtrArray *list)
{
  g_clear_pointer (&list, g_ptr_array_unref);
}

/* --- FEC encoders ------------------------------------------------------------ */

#define SPAN (160 * RA_MSECOND)
#define FEC(pt) \
  "fakesrc ! rtpvrawpay ! rtpulpfecenc name=fec " pt " ! identity name=owner"

static SendWants
fec_run (
    FecEncoders *f, const World *w, guint level, gboolean stop, guint *notices)
{
  FecEncodersJob job;
  SendWants wants;

  *notices = 0;
  if (!fecencs_plan (f, &(FecWants){ level, SPAN, RA_FEC_CODE_XOR }, &job))
    return SEND_WANTS_NOTHING;
  fecencs_do (&job, w->sinkpad);
  if (stop)
    drop (fecencs_stop (f));
  wants = fecencs_take (f, &job);
  *notices = job.notices.list ? job.notices.list->len : 0;
  fecencs_end (&job);
  return wants;
}

static guint
percentage_of (const World *w)
{
  guint percentage;

  g_object_get (w->fecenc, "percentage", &percentage, NULL);
  return percentage;
}

static const struct
{
  const gchar *name, *line;
  gboolean stop, usable;
  guint level, notices; /* set; messages */
  SendWants wants;
  const gchar *why;
} fec_rows[] = {
  { "found", FEC ("pt=122"), FALSE, TRUE, 30, 0, SEND_JOB,
      "the encoders' share is another now" },
  { "no-pt", FEC (""), FALSE, FALSE, 0, 1, SEND_WANTS_NOTHING,
      "it makes no packets, and the user can mend that" },
  { "late", FEC ("pt=122"), TRUE, FALSE, 30, 0, SEND_WANTS_NOTHING,
      "a stop came before take" },
  { "late-no-pt", FEC (""), TRUE, FALSE, 0, 0, SEND_WANTS_NOTHING,
      "nothing is said then" },
};

static void
test_fec (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data), notices;
  g_auto (World) w = world_new (fec_rows[i].line);
  FecEncoders f;
  SendWants wants;

  g_test_message ("%s", fec_rows[i].why);
  fecencs_init (&f);
  fecencs_start (&f);
  wants = fec_run (&f, &w, 30, fec_rows[i].stop, &notices);
  g_assert_cmpint (wants, ==, fec_rows[i].wants);
  g_assert_cmpuint (notices, ==, fec_rows[i].notices);
  g_assert_cmpint (f.usable, ==, fec_rows[i].usable);
  g_assert_cmpint (f.driven != NULL, ==, !fec_rows[i].stop);
  g_assert_cmpuint (percentage_of (&w), ==, fec_rows[i].level);
  drop (fecencs_stop (&f));
  fecencs_clear (&f);
}

/* Without a search another level is all that is done; one that lost its payload
 * type is found to be of no use. */
static void
test_fec_again (void)
{
  g_auto (World) w = world_new (FEC ("pt=122"));
  FecEncoders f;
  FecEncodersJob job;
  guint notices;

  fecencs_init (&f);
  fecencs_start (&f);
  fec_run (&f, &w, 30, FALSE, &notices);
  g_assert_cmpint (
      fec_run (&f, &w, 40, FALSE, &notices), ==, SEND_WANTS_NOTHING);
  g_assert_cmpuint (percentage_of (&w), ==, 40);
  g_object_set (w.fecenc, "pt", 255, NULL);
  f.stale = TRUE;
  g_assert_cmpint (fec_run (&f, &w, 50, FALSE, &notices), ==, SEND_JOB);
  g_assert_cmpuint (notices, ==, 0); /* it was known */
  g_assert_false (f.usable);
  g_assert_cmpuint (percentage_of (&w), ==, 40);
  g_assert_false (
      fecencs_plan (&f, &(FecWants){ 60, SPAN, RA_FEC_CODE_XOR }, &job));
  drop (fecencs_stop (&f));
  fecencs_clear (&f);
}

/* --- numbers that are left out ----------------------------------------------- */

#define PLAIN "fakesrc ! rtpvrawpay ! identity name=owner"

static const struct
{
  const gchar *name, *line;
  gboolean wanted, stop;
  gint found; /* payloaders; -1: no list */
  gboolean renumbered;
  const gchar *why;
} skip_rows[] = {
  { "found", PLAIN, TRUE, FALSE, 1, FALSE, "a payloader is upstream" },
  { "unwanted", PLAIN, FALSE, FALSE, -1, FALSE, "nobody looks for it" },
  { "behind", PLAIN " ! rtpulpfecenc pt=122", TRUE, FALSE, 1, TRUE,
      "FEC behind us gives packets other numbers" },
  { "late", PLAIN " ! rtpulpfecenc pt=122", TRUE, TRUE, -1, FALSE,
      "a stop came before take" },
};

static void
test_skippers (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_auto (World) w = world_new (skip_rows[i].line);
  Skippers s = { .stale = TRUE };
  SkippersJob job;

  g_test_message ("%s", skip_rows[i].why);
  g_assert_true (skippers_plan (&s, skip_rows[i].wanted, &job));
  skippers_do (&job, w.sinkpad, w.srcpad);
  if (skip_rows[i].stop)
    g_assert_null (skippers_stop (&s));
  skippers_take (&s, &job);
  skippers_end (&job);
  g_assert_cmpint (
      s.driven ? (gint) s.driven->len : -1, ==, skip_rows[i].found);
  g_assert_cmpint (s.renumbered, ==, skip_rows[i].renumbered);
  g_assert_false (skippers_plan (&s, TRUE, &job)); /* none is due */
  skippers_set (&s, 100);
  drop (skippers_stop (&s));
}

/* An encoder that spans frames gets all three; one without rs-pt keeps to XOR. */
static void
test_fec_spans (void)
{
  static const struct
  {
    const gchar *set;
    RaFecCode code, used;
  } rows[] = {
    { "pt=122 rs-pt=120", RA_FEC_CODE_RS, RA_FEC_CODE_RS },
    { "pt=122 rs-pt=120", RA_FEC_CODE_XOR, RA_FEC_CODE_XOR },
    { "pt=122", RA_FEC_CODE_RS, RA_FEC_CODE_XOR },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree gchar *line = g_strdup_printf (
        "fakesrc ! rtpvrawpay ! rtpadaptfecenc name=fec %s ! "
        "identity name=owner",
        rows[i].set);
    const FecWants wants = { 15, 120 * RA_MSECOND, rows[i].code };
    g_auto (World) w = world_new (line);
    guint level, span;
    FecEncoders f;
    FecEncodersJob job;

    fecencs_init (&f);
    fecencs_start (&f);
    g_assert_true (fecencs_plan (&f, &wants, &job));
    fecencs_do (&job, w.sinkpad);
    fecencs_take (&f, &job);
    fecencs_end (&job);
    g_object_get (w.fecenc, "percentage", &level, "span", &span, NULL);
    g_assert_cmpuint (level, ==, 15);
    g_assert_cmpuint (span, ==, 120);
    g_assert_true (f.usable);
    g_assert_cmpint (f.code, ==, rows[i].used);
    g_assert_cmpuint (f.block, ==, 0); /* no block yet */
    drop (fecencs_stop (&f));
    fecencs_clear (&f);
  }
}

/* --- several senders behind one FEC encoder ---------------------------------- */

#define MADE(level, ms, code, late)                            \
  {                                                            \
    level, ms *RA_MSECOND, RA_FEC_CODE_##code, late, late / 10 \
  }
#define WANTS(level, ms, code, late, rank)                      \
  {                                                             \
    level, ms *RA_MSECOND, RA_FEC_CODE_##code, late, late / 10, \
        FEC_RANK_##rank                                         \
  }

typedef enum
{
  WANTS_IT,
  STOPS,
  LOSES_IT, /* a search does not find the encoder any more */
} Step;

/* What each of three does, one after the other, and what is made then. */
static const struct
{
  guint who;
  Step step;
  FecWants wants, made;
  guint others; /* the level that `who` gets for others, too */
  const gchar *why;
} shared_rows[] = {
  { 0, WANTS_IT, WANTS (30, 120, RS, .02, USED), MADE (30, 120, RS, .02), 0,
      "alone" },
  { 1, WANTS_IT, WANTS (10, 80, XOR, 0, USED), MADE (30, 80, XOR, 0), 30,
      "the code that both know, and it makes nothing for late packets" },
  { 1, WANTS_IT, WANTS (40, 80, RS, .01, USED), MADE (40, 80, RS, .02), 30,
      "both know the better one" },
  { 0, WANTS_IT, WANTS (20, 0, RS, .03, USED), MADE (40, 80, RS, .03), 40,
      "one that has no time for any block shortens none" },
  { 1, WANTS_IT, WANTS (40, 150, XOR, 0, USED), MADE (40, 150, XOR, 0), 20,
      "one that does not say what it knows" },
  { 0, WANTS_IT, WANTS (60, 60, RS, .03, SILENT), MADE (40, 150, XOR, 0), 40,
      "nobody answers it" },
  { 1, WANTS_IT, WANTS (10, 150, RS, .01, USED), MADE (10, 150, RS, .01), 0,
      "the silent one takes nothing of the other one's rate" },
  { 1, WANTS_IT, WANTS (0, 150, XOR, 0, UNUSED), MADE (0, 150, XOR, 0), 0,
      "not even of one that uses no FEC" },
  { 0, WANTS_IT, WANTS (60, 60, RS, .03, USED), MADE (60, 60, RS, .03), 0,
      "one that uses no FEC need not know its code" },
  { 1, WANTS_IT, WANTS (0, 150, XOR, 0, UNUSED), MADE (60, 60, RS, .03), 60,
      "but gets its packets" },
  { 1, WANTS_IT, WANTS (10, 150, XOR, 0, SILENT), MADE (60, 60, RS, .03), 60,
      "so it does where nobody answers" },
  { 0, WANTS_IT, WANTS (50, 60, RS, .03, SILENT), MADE (50, 60, XOR, 0), 10,
      "nobody answers either: both count" },
  { 2, WANTS_IT, WANTS (20, 160, RS, 0, USED), MADE (20, 160, RS, 0), 0,
      "somebody answers a third" },
  { 2, STOPS, { 0 }, MADE (50, 60, XOR, 0), 0, "the others are left" },
  { 2, WANTS_IT, WANTS (70, 160, RS, 0, SILENT), MADE (70, 60, XOR, 0), 50,
      "it starts again, and nobody answers it" },
  { 0, LOSES_IT, { 0 }, MADE (70, 150, XOR, 0), 0,
      "another encoder is its own" },
  { 2, LOSES_IT, { 0 }, MADE (10, 150, XOR, 0), 0, "one is left" },
  { 1, STOPS, { 0 }, MADE (10, 150, XOR, 0), 0, "nobody is left: it stays" },
  { 2, WANTS_IT, WANTS (5, 160, RS, 0, USED), MADE (5, 160, RS, 0), 0,
      "nothing is left of what they wanted" },
};

static void
shared_step (FecEncoders *f, const World *w, guint row)
{
  g_autoptr (GstElement) alone = gst_element_factory_make ("identity", NULL);
  g_autoptr (GstPad) nowhere = gst_element_get_static_pad (alone, "sink");
  Step step = shared_rows[row].step;
  gboolean other = !f->usable || f->others != shared_rows[row].others;
  FecEncodersJob job;
  SendWants wants;

  if (step == STOPS) {
    drop (fecencs_stop (f));
    fecencs_start (f);
    return;
  }
  f->stale |= step == LOSES_IT;
  g_assert_true (fecencs_plan (f, &shared_rows[row].wants, &job));
  fecencs_do (&job, step == LOSES_IT ? nowhere : w->sinkpad);
  wants = fecencs_take (f, &job);
  fecencs_end (&job);
  if (step == WANTS_IT) /* the encoders' share is another now */
    g_assert_cmpint (wants, ==, other ? SEND_JOB : SEND_WANTS_NOTHING);
  f->stale |= step == LOSES_IT;
}

static void
assert_made (GstElement *fecenc, const FecWants *made)
{
  guint level, span, late, rest;
  gint code;

  g_object_get (fecenc, "percentage", &level, "span", &span, "code", &code,
      "late-loss", &late, "rest-loss", &rest, NULL);
  g_assert_cmpuint (level, ==, made->level);
  g_assert_cmpuint (span, ==, made->span / RA_MSECOND);
  g_assert_cmpint (code, ==, (gint) made->code);
  g_assert_cmpfloat_with_epsilon (late, 1000 * made->late, 1e-6);
  g_assert_cmpfloat_with_epsilon (rest, 10000 * made->rest, 1e-6);
}

#define SPANNING                                                       \
  "fakesrc ! rtpvrawpay ! rtpadaptfecenc name=fec pt=122 rs-pt=120 ! " \
  "identity name=owner"

static void
test_fec_shared (void)
{
  g_auto (World) w = world_new (SPANNING);
  FecEncoders f[3];

  for (guint i = 0; i < G_N_ELEMENTS (f); i++) {
    fecencs_init (&f[i]);
    fecencs_start (&f[i]);
  }
  for (guint i = 0; i < G_N_ELEMENTS (shared_rows); i++) {
    g_test_message ("%s", shared_rows[i].why);
    shared_step (&f[shared_rows[i].who], &w, i);
    assert_made (w.fecenc, &shared_rows[i].made);
    g_assert_cmpuint (f[shared_rows[i].who].others, ==, shared_rows[i].others);
  }
  for (guint i = 0; i < G_N_ELEMENTS (f); i++) {
    drop (fecencs_stop (&f[i]));
    fecencs_clear (&f[i]);
  }
}

#define TURNS 2000

static gpointer
turns_run (gpointer data)
{
  GstElement *fecenc = data;
  gint who; /* its address */

  for (guint i = 0; i < TURNS; i++) {
    const FecWants wants = WANTS (i % 100, 100, RS, 0, USED);

    fec_share_follow (fecenc, &who, &wants);
    if (i % 10 == 0)
      fec_share_leave (fecenc, &who);
  }
  fec_share_leave (fecenc, &who);
  return NULL;
}

/* Two threads come and go while a third one stays: what that wants is kept. */
static void
test_fec_threads (void)
{
  g_auto (World) w = world_new (SPANNING);
  const FecWants wants = WANTS (44, 70, XOR, 0, USED);
  GThread *threads[2];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new (NULL, turns_run, w.fecenc);
  fec_share_follow (w.fecenc, &wants, &wants);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  /* What nobody drove any more may have become another one's. */
  fec_share_leave (w.fecenc, &wants);
  g_object_set (w.fecenc, "percentage", 7, NULL);
  fec_share_follow (w.fecenc, &wants, &wants);
  assert_made (w.fecenc, &wants);
}

void
tests_add (void)
{
  rows_add_by ("/upstream/fec", fec_rows, name, test_fec);
  g_test_add_func ("/upstream/fec/again", test_fec_again);
  rows_add_by ("/upstream/skippers", skip_rows, name, test_skippers);
  g_test_add_func ("/upstream/fec/spans", test_fec_spans);
  g_test_add_func ("/upstream/fec/shared", test_fec_shared);
  g_test_add_func ("/upstream/fec/threads", test_fec_threads);
}
