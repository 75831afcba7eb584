/* rtpadaptsend: the level of each rtpulpfecenc that is upstream.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All get the same.  Without one the rule still says what it would want, in the
 * statistics, but nothing of the rate is set aside for it.
 */
#include "fecenc.h"
#include "sendpriv.h"

#define GST_CAT_DEFAULT gst_rtp_adapt_send_debug

/* One that is driven. */
typedef struct
{
  GWeakRef element;
  guint level;  /* as set last, or FECENC_UNSET */
  gulong watch; /* of fecenc_watch() */
} Fecenc;

gchar *
send_fec_rule (GstRtpAdaptSend *self, gint fec, const gchar *params)
{
  const RaFecOps *ops = ra_fecs[fec];
  g_autoptr (GError) error = NULL;

  if (self->sender && !ra_sender_set_fec (self->sender, ops, params, &error))
    return g_strdup_printf (
        "fec %s goes on as it was: %s", ops->name, error->message);
  return NULL; /* before the start, in any order */
}

static void
fecenc_free (gpointer data)
{
  Fecenc *f = data;
  g_autoptr (GstElement) element = g_weak_ref_get (&f->element);

  if (element)
    fecenc_unwatch (element, f->watch);
  g_weak_ref_clear (&f->element);
  g_free (f);
}

/* The one that made it is not there to be told: webrtcbin makes its own, which
 * stay without a payload type where FEC is not negotiated. */
static gboolean
is_of_another_bin (GstRtpAdaptSend *self, GstElement *element)
{
  g_autoptr (GstObject) ours = gst_object_get_parent (GST_OBJECT (self));
  g_autoptr (GstObject) its = gst_object_get_parent (GST_OBJECT (element));

  return ours != its;
}

/* The lock is not held. */
static Fecenc *
fecenc_new (GstRtpAdaptSend *self, GstElement *element)
{
  Fecenc *f = g_new0 (Fecenc, 1);

  g_weak_ref_init (&f->element, element);
  f->level = FECENC_UNSET;
  f->watch = fecenc_watch (element);
  if (fecenc_payload_type (element) >= 0)
    return f;
  if (is_of_another_bin (self, element))
    GST_INFO_OBJECT (self, "%" GST_PTR_FORMAT " has no pt", element);
  else
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("%s has no pt: it makes no repair packets.",
            GST_OBJECT_NAME (element)),
        (NULL));
  return f;
}

/* Takes the one of `element` out of those driven before; NULL if it is new. */
static Fecenc *
fecenc_take (GPtrArray *before, GstElement *element)
{
  for (guint i = 0; before && i < before->len; i++) {
    Fecenc *f = before->pdata[i];
    g_autoptr (GstElement) known = g_weak_ref_get (&f->element);

    if (known == element)
      return g_ptr_array_steal_index_fast (before, i);
  }
  return NULL;
}

/* The lock is held, and let go for the search. */
static void
fecencs_search (GstRtpAdaptSend *self)
{
  GPtrArray *before = g_steal_pointer (&self->fecencs);
  GPtrArray *fresh = g_ptr_array_new_with_free_func (fecenc_free);
  g_autoptr (GPtrArray) found = NULL;
  gboolean usable = FALSE;

  self->fecenc_stale = FALSE;
  g_mutex_unlock (&self->lock);
  found = fecenc_find_all_upstream (self->sinkpad);
  for (guint i = 0; i < found->len; i++) {
    GstElement *element = found->pdata[i];

    g_ptr_array_add (
        fresh, fecenc_take (before, element) ?: fecenc_new (self, element));
    usable |= fecenc_payload_type (element) >= 0;
  }
  g_clear_pointer (&before, g_ptr_array_unref);
  g_mutex_lock (&self->lock);
  if (!self->sender) { /* stopped meanwhile */
    g_mutex_unlock (&self->lock);
    g_ptr_array_unref (fresh);
    g_mutex_lock (&self->lock);
    return;
  }
  self->fecencs = fresh;
  if (self->fecenc_usable != usable)
    self->herald.again = TRUE; /* the encoders' share is another */
  self->fecenc_usable = usable;
  ra_sender_set_fec_made (self->sender, usable);
}

/* The lock is held, and let go. */
static void
fecenc_drive (GstRtpAdaptSend *self, Fecenc *f, guint level)
{
  GstElement *element = g_weak_ref_get (&f->element);

  if (!element)
    return;
  g_mutex_unlock (&self->lock);
  if (level != f->level)
    GST_DEBUG_OBJECT (self, "%" GST_PTR_FORMAT ": %u %%", element, level);
  f->level = fecenc_set (element, level, f->level);
  gst_object_unref (element);
  g_mutex_lock (&self->lock);
}

void
send_fec_drive (GstRtpAdaptSend *self)
{
  GPtrArray *fecencs;

  if (!self->sender)
    return;
  if (self->fecenc_stale)
    fecencs_search (self);
  if (!self->fecencs || !self->fecenc_usable)
    return;
  fecencs = g_ptr_array_ref (self->fecencs);
  for (guint i = 0; self->sender && i < fecencs->len; i++)
    fecenc_drive (self, fecencs->pdata[i], ra_sender_fec (self->sender));
  g_mutex_unlock (&self->lock);
  g_ptr_array_unref (fecencs);
  g_mutex_lock (&self->lock);
}

void
send_fec_stop (GstRtpAdaptSend *self)
{
  GPtrArray *fecencs;

  g_mutex_lock (&self->lock);
  fecencs = g_steal_pointer (&self->fecencs);
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&fecencs, g_ptr_array_unref);
}
