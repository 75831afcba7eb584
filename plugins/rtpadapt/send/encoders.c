/* The encoders that get their bitrate from rtpadaptsend, and whose stream is whose.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encoders.h"

#include "parts/systime.h"
#include "parts/walk.h"

/* How often to look at the streams of others.  A change by less than this part of
 * the rate is left for the next report. */
#define OTHER_INTERVAL (100 * RA_MSECOND)
#define OTHER_CHANGE 100
/* An application that exchanges encoders may take so long. */
#define EXCHANGED (2 * RA_SECOND)

/* The names that leave all encoders alone. */
#define HANDS_OFF "none"

static void
weak_free (gpointer ref)
{
  g_weak_ref_clear (ref);
  g_free (ref);
}

void
encoders_init (Encoders *e)
{
  *e = (Encoders){ .again = RA_TIME_NONE,
    .level = skip_level_new (),
    .dropped = g_ptr_array_new_with_free_func (gst_object_unref),
    .driven = g_ptr_array_new_with_free_func (weak_free) };
  for (guint i = 0; i < ENCODERS_MAX; i++)
    g_weak_ref_init (&e->places[i].element, NULL);
}

void
encoders_clear (Encoders *e)
{
  for (guint i = 0; i < ENCODERS_MAX; i++)
    g_weak_ref_clear (&e->places[i].element);
  g_clear_pointer (&e->level, skip_level_unref);
  g_clear_pointer (&e->dropped, g_ptr_array_unref);
  g_clear_pointer (&e->driven, g_ptr_array_unref);
}

void
encoders_start (Encoders *e)
{
  e->stale = TRUE;
  e->expected = e->missing_said = e->shared_said = e->size_said = FALSE;
  e->largest = 0;
  e->other_bitrate = 0;
  e->other_again = 0;
  e->again = RA_TIME_NONE;
  skip_level_start (e->level);
}

/* Stops driving the encoders that are not in `kept`; NULL: all of them.  They keep what
 * they have until encoders_stop(). */
static void
places_leave (Encoders *e, GPtrArray *kept)
{
  for (guint i = 0; i < e->n; i++) {
    g_autoptr (GstElement) encoder = g_weak_ref_get (&e->places[i].element);

    if (!encoder || (kept && g_ptr_array_find (kept, encoder, NULL)))
      continue;
    encoder_share_leave (encoder, e);
    frame_skip_leave (encoder, e->level);
  }
}

/* The encoder gets back what it had only at the stop, also if it leads here no longer: one
 * that a selector switches away, which looks like one whose pad was released, would else make
 * too much when it is back. */
static void
driven_note (Encoders *e, GstElement *encoder)
{
  GWeakRef *ref;

  for (guint i = e->driven->len; i-- > 0;) {
    g_autoptr (GstElement) known = g_weak_ref_get (e->driven->pdata[i]);

    if (known == encoder)
      return;
    if (!known)
      g_ptr_array_remove_index_fast (e->driven, i);
  }
  ref = g_new (GWeakRef, 1);
  g_weak_ref_init (ref, encoder);
  g_ptr_array_add (e->driven, ref);
}

SendWants
encoders_stop (Encoders *e)
{
  places_leave (e, NULL);
  skip_level_set (e->level, 0, RA_SPAN_NONE);
  for (guint i = 0; i < e->n; i++)
    g_weak_ref_set (&e->places[i].element, NULL);
  for (guint i = 0; i < e->driven->len; i++) {
    GstElement *encoder = g_weak_ref_get (e->driven->pdata[i]);

    if (encoder)
      g_ptr_array_add (e->dropped, encoder);
  }
  g_ptr_array_set_size (e->driven, 0);
  e->n = 0;
  e->n_stops++;
  return e->dropped->len > 0 ? SEND_JOB : SEND_WANTS_NOTHING;
}

void
encoders_pause (Encoders *e)
{
  for (guint i = 0; i < e->n; i++) {
    g_autoptr (GstElement) encoder = g_weak_ref_get (&e->places[i].element);

    if (encoder)
      encoder_share_pause (encoder, e);
  }
}

GPtrArray *
encoders_take_dropped (Encoders *e)
{
  GPtrArray *dropped = e->dropped;

  if (dropped->len == 0)
    return NULL;
  e->dropped = g_ptr_array_new_with_free_func (gst_object_unref);
  return dropped;
}

void
encoders_restore (GPtrArray *dropped)
{
  for (guint i = 0; i < dropped->len; i++)
    encoder_share_restore (dropped->pdata[i]);
}

void
encoders_on_upstream_changed (Encoders *e)
{
  e->stale = TRUE;
}

void
encoders_on_config (Encoders *e, gboolean restart)
{
  e->stale = TRUE;
  e->missing_said = FALSE;
  e->other_config |= restart;
}

void
encoders_set_waiting (Encoders *e, RaSpan waiting, RaSpan above)
{
  skip_level_set (e->level, waiting, above);
}

guint64
encoders_skipped (const Encoders *e)
{
  return skip_level_skipped (e->level);
}

gboolean
encoders_early (const Encoders *e)
{
  return skip_level_early (e->level);
}

SendWants
encoders_set_largest (Encoders *e, gdouble largest)
{
  gboolean other = largest != e->largest;

  e->largest = largest;
  return other ? SEND_JOB : SEND_WANTS_NOTHING;
}

void
encoders_on_stream_start (Encoders *e)
{
  e->doubtful = TRUE;
}

void
encoders_on_video (Encoders *e)
{
  e->expected = TRUE;
}

/* --- search ------------------------------------------------------------------ */

gboolean
encoders_search_plan (
    Encoders *e, const EncodersConfig *config, EncodersSearch *s)
{
  gboolean hands_off = g_str_equal (config->names, HANDS_OFF);

  if (!e->stale && (e->n > 0 || hands_off))
    return FALSE;
  e->stale = FALSE;
  *s = (EncodersSearch){
    .names = *config->names && !hands_off ? g_strsplit (config->names, ",", -1)
                                          : g_new0 (gchar *, 1),
    .property = g_strdup (config->property),
    .unit = config->unit,
    .hands_off = hands_off,
    .expected = e->expected,
    .known = g_ptr_array_new_with_free_func (gst_object_unref),
    .n_stops = e->n_stops,
    .found = g_ptr_array_new_with_free_func (gst_object_unref),
  };
  for (guint i = 0; i < e->n; i++) {
    GstElement *encoder = g_weak_ref_get (&e->places[i].element);

    if (encoder)
      g_ptr_array_add (s->known, encoder);
  }
  return TRUE;
}

/* Makes those found our encoders.  Returns one that another rtpadaptsend drives,
 * too, or NULL. */
static GstElement *
places_take (Encoders *e, const EncodersSearch *s)
{
  GstElement *shared = NULL;

  for (guint i = 0; i < s->found->len; i++) {
    EncodersPlace *place = &e->places[i];
    GstElement *encoder = s->found->pdata[i];
    g_autoptr (GstElement) before = g_weak_ref_get (&place->element);

    if (encoder != before)
      place->size = (SizeFit){ 0 };
    g_weak_ref_set (&place->element, encoder);
    place->about = s->about[i];
    place->state = (EncoderState){ 0 };
    if (encoder_share_join (encoder, e, e->other_config) > 0)
      shared = encoder;
    frame_skip_join (encoder, e->level);
    driven_note (e, encoder);
  }
  for (guint i = s->found->len; i < e->n; i++)
    g_weak_ref_set (&e->places[i].element, NULL);
  e->n = s->found->len;
  e->other_config = FALSE;
  return shared;
}

static void
shared_say (Encoders *e, EncodersSearch *s, GstElement *encoder)
{
  if (e->shared_said)
    return;
  e->shared_said = TRUE;
  notices_add (&s->notices, GST_MESSAGE_INFO, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_BUSY,
      g_strdup ("the property encoder names the encoders that are driven; "
                "encoder=none drives none"),
      "%s feeds another rtpadaptsend, too: the smallest of their bitrates "
      "holds.",
      GST_OBJECT_NAME (encoder));
}

static gchar *
missing_text (const EncodersSearch *s)
{
  const gchar *names = s->missing, *property = s->property;

  if (*names && *property)
    return g_strdup_printf (
        "No element named '%s' has a number '%s' to set.", names, property);
  if (*property)
    return g_strdup_printf (
        "No element upstream has a number '%s' to set.", property);
  if (*names)
    return g_strdup_printf (
        "No encoder that can be driven is named '%s'.", names);
  return g_strdup ("No encoder that can be driven is upstream.");
}

/* An encoder that could be driven is missing: all, or one that is named. */
static SendWants
missing_say (Encoders *e, EncodersSearch *s)
{
  const gchar *names = s->missing;
  g_autofree gchar *text = NULL;

  if (s->hands_off || (*names == '\0' && e->n > 0))
    return SEND_WANTS_NOTHING;
  e->stale = TRUE; /* an encoder that is missing may come */
  /* Video was linked during the search, or only the caps of its payloader show
   * that it is there.  The next search finds all of it. */
  if (!s->expected) {
    gboolean again = s->video && !e->expected;

    e->expected |= s->video;
    return again ? SEND_JOB : SEND_WANTS_NOTHING;
  }
  if (s->known->len > s->found->len)
    e->left = system_now ();
  if (e->missing_said
      || (e->left > 0 && ra_diff (system_now (), e->left) < EXCHANGED))
    return SEND_WANTS_NOTHING;
  e->missing_said = TRUE;
  text = missing_text (s);
  notices_add (&s->notices, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_NOT_FOUND,
      g_strdup (
          "encoder-property names what to set of an element that is not "
          "known; notify::estimated-bitrate has the bitrate all the same"),
      "%s", text);
  return SEND_WANTS_NOTHING;
}

SendWants
encoders_search_take (Encoders *e, EncodersSearch *s)
{
  GstElement *shared;

  if (s->n_stops != e->n_stops) {
    g_clear_pointer (&s->origins, g_array_unref);
    notices_clear (&s->notices);
    return SEND_WANTS_NOTHING;
  }
  places_leave (e, s->found);
  shared = places_take (e, s);
  e->again = RA_TIME_NONE;
  if (shared)
    shared_say (e, s, shared);
  return missing_say (e, s);
}

/* --- bitrates ---------------------------------------------------------------- */

guint64
encoders_share (
    Encoders *e, const RaSplit *split, guint64 rate, guint64 other_bitrate)
{
  RaSplit ours = *split;
  guint streams = 0;

  for (guint i = 0; i < e->n; i++)
    streams += MAX (e->places[i].about.streams, 1);
  e->other_bitrate = other_bitrate;
  ra_split_other (&ours, rate, other_bitrate);
  return ours.media / MAX (streams, 1);
}

void
encoders_plan (
    Encoders *e, guint64 bps, gboolean quiet, RaTime now, EncodersJob *job)
{
  *job = (EncodersJob){ .who = e,
    .bps = bps,
    .quiet = quiet,
    .largest = e->largest,
    .now = now,
    .n_stops = e->n_stops };
  e->again = RA_TIME_NONE;
  skip_level_set_quiet (e->level, quiet);
  for (guint i = 0; i < e->n && !job->gone; i++) {
    GstElement *encoder = g_weak_ref_get (&e->places[i].element);

    job->gone = encoder == NULL;
    if (encoder)
      job->tasks[job->n++] = (EncodersTask){ .element = encoder,
        .about = e->places[i].about,
        .size = e->places[i].size };
  }
}

/* The application, or a message on the bus, may hold one that was removed; and one that
 * stays in the pipeline may feed another element now, or none. */
static gboolean
is_removed (const EncodersTask *task, GstElement *owner, GstPad *sinkpad)
{
  return (task->about.in_our_pipeline && !walk_same_top (owner, task->element))
      || (task->about.leads && !walk_leads (sinkpad, task->element));
}

void
encoders_do (EncodersJob *job, GstPad *sinkpad)
{
  g_autoptr (GstElement) owner = gst_pad_get_parent_element (sinkpad);

  for (guint i = 0; i < job->n; i++) {
    EncodersTask *task = &job->tasks[i];
    /* Others that drive it may have another clock than ours. */
    EncoderWish wish = { .bps = job->bps,
      .quiet = job->quiet,
      .largest = job->largest,
      .now = system_now () };

    if (is_removed (task, owner, sinkpad)) {
      job->gone = TRUE;
      return;
    }
    task->now = wish.now;
    task->again = encoder_share_follow (
        task->element, &task->about.row, job->who, &wish, &task->state);
    task->changed = task->state.at == wish.now;
    task->size.others
        = encoder_share_adapts (task->element, job->who, job->adapt_size);
    task->proposal = size_fit_do (
        &task->size, task->element, task->state.bps, job->adapt_size, job->now);
    job->n_done++;
  }
}

SendWants
encoders_take (Encoders *e, EncodersJob *job)
{
  gboolean late = job->n_stops != e->n_stops;

  for (guint i = 0; i < job->n_done; i++) {
    const EncodersTask *task = &job->tasks[i];

    if (late) {
      encoder_share_leave (task->element, job->who);
      continue;
    }
    e->places[i].state = task->state;
    e->places[i].size = task->size;
    if (job->adapt_size && task->proposal && !task->size.adapts
        && !e->size_said) {
      e->size_said = TRUE;
      job->too_large = task->element;
    }
    if (task->again != GST_CLOCK_TIME_NONE)
      e->again = MIN (
          e->again, ra_later (job->now, ra_diff (task->again, task->now)));
  }
  e->stale |= job->gone && !late;
  return (job->gone && !late ? SEND_SEARCH : 0)
      | (e->again != RA_TIME_NONE ? SEND_WAKE : 0);
}

void
encoders_end (EncodersJob *job)
{
  for (guint i = 0; i < job->n; i++) {
    g_clear_pointer (&job->tasks[i].proposal, gst_structure_free);
    gst_object_unref (job->tasks[i].element);
  }
}

RaTime
encoders_next (const Encoders *e)
{
  return e->again;
}

SendWants
encoders_timeout (Encoders *e)
{
  e->again = RA_TIME_NONE;
  return SEND_JOB;
}

gboolean
encoders_watch_due (Encoders *e, RaTime now)
{
  if (now < e->other_again && e->other_again - now <= OTHER_INTERVAL)
    return FALSE;
  e->other_again = ra_later (now, OTHER_INTERVAL);
  return TRUE;
}

SendWants
encoders_watch (Encoders *e, guint64 other_bitrate, guint64 rate)
{
  gboolean doubtful = e->doubtful;
  guint64 change = other_bitrate > e->other_bitrate
      ? other_bitrate - e->other_bitrate
      : e->other_bitrate - other_bitrate;

  e->doubtful = FALSE;
  return doubtful || change > rate / OTHER_CHANGE ? SEND_JOB
                                                  : SEND_WANTS_NOTHING;
}

guint64
encoders_bitrate (const Encoders *e)
{
  guint64 sum = 0;

  for (guint i = 0; i < e->n; i++)
    sum += e->places[i].state.bps;
  return sum;
}
