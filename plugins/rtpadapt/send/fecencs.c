/* The FEC encoders upstream of rtpadaptsend: all of them are to make the same level.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Without one the rule still says in the statistics what it would want, but nothing
 * of the rate is set aside for it.
 */
#include "fecencs.h"

#include "fecenc.h"

/* One that is driven.  Only the job uses it. */
typedef struct
{
  GWeakRef element;
  guint level;  /* that it made last, or FECENC_UNSET */
  gulong watch; /* of fecenc_watch() */
} Fecenc;

void
fecencs_init (FecEncoders *f)
{
  *f = (FecEncoders){ .lateness = lateness_new () };
}

void
fecencs_clear (FecEncoders *f)
{
  g_clear_pointer (&f->lateness, lateness_unref);
}

void
fecencs_start (FecEncoders *f)
{
  f->stale = TRUE;
  f->usable = f->off = f->numbered = FALSE;
  f->others = 0;
}

GPtrArray *
fecencs_stop (FecEncoders *f)
{
  f->n_stops++;
  return g_steal_pointer (&f->driven);
}

void
fecencs_on_upstream_changed (FecEncoders *f)
{
  f->stale = TRUE;
  f->numbered = FALSE; /* that stream may be gone */
}

SendWants
fecencs_on_numbered (FecEncoders *f)
{
  gboolean was_off = f->off;

  f->numbered = TRUE;
  f->off = FALSE;
  return was_off ? SEND_JOB : SEND_WANTS_NOTHING;
}

void
fecencs_give_way (FecEncoders *f)
{
  f->off |= !f->numbered;
}

void
fecencs_set_waiting (
    FecEncoders *f, RaSpan waiting, RaSpan timely, guint64 rate)
{
  lateness_set (f->lateness, waiting, timely, rate);
}

gboolean
fecencs_plan (FecEncoders *f, const FecWants *wants, FecEncodersJob *job)
{
  *job = (FecEncodersJob){ .search = f->stale,
    .usable = f->usable,
    .wants = *wants,
    .lateness = f->lateness,
    .n_stops = f->n_stops };
  if (!job->search && !(f->driven && f->usable))
    return FALSE;
  f->stale = FALSE;
  job->driven = job->search ? g_steal_pointer (&f->driven)
                            : g_ptr_array_ref (f->driven);
  return TRUE;
}

static void
fecenc_free (gpointer data)
{
  Fecenc *fecenc = data;
  g_autoptr (GstElement) element = g_weak_ref_get (&fecenc->element);

  if (element) {
    fecenc_unwatch (element, fecenc->watch);
    fec_share_leave (element, fecenc);
  }
  g_weak_ref_clear (&fecenc->element);
  g_free (fecenc);
}

/* An encoder that another bin made (webrtcbin makes its own) may have no payload
 * type, where FEC is not negotiated.  The user cannot mend that. */
static gboolean
is_of_another_bin (GstPad *sinkpad, GstElement *element)
{
  g_autoptr (GstElement) owner = gst_pad_get_parent_element (sinkpad);
  g_autoptr (GstObject) ours = gst_object_get_parent (GST_OBJECT (owner));
  g_autoptr (GstObject) its = gst_object_get_parent (GST_OBJECT (element));

  return ours != its;
}

static Fecenc *
fecenc_new (FecEncodersJob *job, GstPad *sinkpad, GstElement *element)
{
  Fecenc *fecenc = g_new0 (Fecenc, 1);

  g_weak_ref_init (&fecenc->element, element);
  fecenc->level = FECENC_UNSET;
  fecenc->watch = fecenc_watch (element, job->lateness);
  if (fecenc_payload_type (element) >= 0)
    return fecenc;
  if (is_of_another_bin (sinkpad, element))
    GST_INFO_OBJECT (element, "it has no pt");
  else
    notices_add (&job->notices, GST_MESSAGE_WARNING, GST_LIBRARY_ERROR,
        GST_LIBRARY_ERROR_SETTINGS, NULL,
        "%s has no pt: it makes no repair packets.", GST_OBJECT_NAME (element));
  return fecenc;
}

/* Takes the one of `element` out of those driven before; NULL if it is new. */
static Fecenc *
fecenc_take (GPtrArray *before, GstElement *element)
{
  for (guint i = 0; before && i < before->len; i++) {
    Fecenc *fecenc = before->pdata[i];
    g_autoptr (GstElement) known = g_weak_ref_get (&fecenc->element);

    if (known == element)
      return g_ptr_array_steal_index_fast (before, i);
  }
  return NULL;
}

static void
search (FecEncodersJob *job, GstPad *sinkpad)
{
  g_autoptr (GPtrArray) found = fecenc_find_all_upstream (sinkpad);
  GPtrArray *before = job->driven;

  job->driven = g_ptr_array_new_with_free_func (fecenc_free);
  job->usable = FALSE;
  for (guint i = 0; i < found->len; i++) {
    GstElement *element = found->pdata[i];

    g_ptr_array_add (job->driven,
        fecenc_take (before, element) ?: fecenc_new (job, sinkpad, element));
    job->usable |= fecenc_payload_type (element) >= 0;
  }
  g_clear_pointer (&before, g_ptr_array_unref);
}

/* The level is that which the smallest blocks need. */
static void
block_note (FecEncodersJob *job, GstElement *element, gboolean *first)
{
  RaFecCode code;
  guint packets = fecenc_block (element, &code);

  if (*first || packets < job->block) {
    *first = FALSE;
    job->block = packets;
    job->code = code;
  }
}

void
fecencs_do (FecEncodersJob *job, GstPad *sinkpad)
{
  gboolean first = TRUE;

  if (job->search)
    search (job, sinkpad);
  for (guint i = 0; job->usable && i < job->driven->len; i++) {
    Fecenc *fecenc = job->driven->pdata[i];
    g_autoptr (GstElement) element = g_weak_ref_get (&fecenc->element);
    FecMade made;

    if (!element)
      continue;
    made = fec_share_follow (element, fecenc, &job->wants);
    block_note (job, element, &first);
    job->changed |= fecenc->level != made.level;
    fecenc->level = job->level = made.level;
    job->others = MAX (job->others, made.others);
  }
}

SendWants
fecencs_take (FecEncoders *f, FecEncodersJob *job)
{
  gboolean changed = f->usable != job->usable || f->others != job->others;

  if (job->n_stops != f->n_stops) {
    notices_clear (&job->notices);
    return SEND_WANTS_NOTHING;
  }
  f->code = job->code;
  f->block = job->block;
  f->others = job->others;
  f->usable = job->usable;
  if (job->search)
    f->driven = g_steal_pointer (&job->driven);
  return changed ? SEND_JOB : SEND_WANTS_NOTHING; /* the encoders' share */
}

void
fecencs_end (FecEncodersJob *job)
{
  notices_clear (&job->notices);
  g_clear_pointer (&job->driven, g_ptr_array_unref);
}
