/* rtpadaptsend: the level of rtpulpfecenc, where there is one upstream.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Without one the rule is `none`: nobody would make the repair packets that
 * it sets a share of the rate aside for.
 */
#include "fecenc.h"
#include "sendpriv.h"

#define GST_CAT_DEFAULT gst_rtp_adapt_send_debug

gchar *
send_fec_rule (GstRtpAdaptSend *self, gint fec, const gchar *params)
{
  const RaFecOps *ops = ra_fecs[fec];
  g_autoptr (GError) error = NULL;
  RaFec *probe;

  if (!self->sender)
    return NULL; /* before the start, in any order */
  probe = ra_fec_new (ops, params, &error);
  if (!probe)
    return g_strdup_printf (
        "fec %s goes on as it was: %s", ops->name, error->message);
  ra_fec_free (probe);
  if (self->fecenc_usable)
    ra_sender_set_fec (self->sender, ops, params, NULL);
  else
    ra_sender_set_fec (self->sender, ra_fec_find ("none"), NULL, NULL);
  return NULL;
}

/* The lock is held, and let go for the warning. */
static void
rule_start (GstRtpAdaptSend *self)
{
  g_autofree gchar *warning
      = send_fec_rule (self, self->cfg.fec, self->cfg.fec_params);

  if (!warning)
    return;
  ra_sender_set_fec (self->sender, ra_fecs[self->cfg.fec], NULL, NULL);
  g_free (self->cfg.fec_params);
  self->cfg.fec_params = g_strdup ("");
  g_mutex_unlock (&self->lock);
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
      ("default parameters are used: %s", warning), (NULL));
  g_mutex_lock (&self->lock);
}

/* The lock is held, and let go for the search. */
static void
fecenc_search (GstRtpAdaptSend *self)
{
  GstElement *fecenc, *before = g_weak_ref_get (&self->fecenc);
  gboolean usable;

  self->fecenc_stale = FALSE;
  g_mutex_unlock (&self->lock);
  fecenc = fecenc_find_upstream (self->sinkpad);
  usable = fecenc && fecenc_payload_type (fecenc) >= 0;
  if (fecenc && fecenc != before && !usable)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("%s has no pt: it makes no repair packets.", GST_OBJECT_NAME (fecenc)),
        (NULL));
  g_mutex_lock (&self->lock);
  if (fecenc != before)
    self->fec_level = FECENC_UNSET;
  g_weak_ref_set (&self->fecenc, fecenc);
  if (usable != self->fecenc_usable && self->sender) {
    self->fecenc_usable = usable;
    rule_start (self);
  }
  gst_clear_object (&before);
  gst_clear_object (&fecenc);
}

void
send_fec_drive (GstRtpAdaptSend *self)
{
  GstElement *fecenc;
  guint level, last;

  if (self->fecenc_stale)
    fecenc_search (self);
  fecenc = g_weak_ref_get (&self->fecenc);
  if (fecenc && self->sender && self->fecenc_usable) {
    level = ra_sender_fec (self->sender);
    last = self->fec_level;
    g_mutex_unlock (&self->lock);
    if (level != last)
      GST_DEBUG_OBJECT (self, "%" GST_PTR_FORMAT ": %u %%", fecenc, level);
    last = fecenc_set (fecenc, level, last);
    g_mutex_lock (&self->lock);
    self->fec_level = last;
  }
  gst_clear_object (&fecenc);
}
