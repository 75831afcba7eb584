/* rtpadaptsend: numbers that are left out, and receivers that say they came.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Feedback about RTP numbers can be tried so: RFC 8888's, and TFRC's where the
 * receiver counts by them.  Not transport-wide numbers: those are rtpsession's.
 */
#include "fecenc.h"
#include "sendpriv.h"

#define GST_CAT_DEFAULT gst_rtp_adapt_send_debug

/* The lock is held, and let go for the search. */
static void
skippers_search (GstRtpAdaptSend *self)
{
  GPtrArray *before = g_steal_pointer (&self->skippers), *found = NULL;
  gboolean wanted = self->cfg.skip_interval > 0;
  GstElement *fecenc;

  self->skips_stale = FALSE;
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&before, g_ptr_array_unref);
  if (wanted)
    found = skipper_find_all_upstream (self->sinkpad);
  fecenc = fecenc_find_downstream (self->srcpad);
  g_mutex_lock (&self->lock);
  /* What numbers anew behind us leaves gaps elsewhere, and fills ours. */
  self->renumbered = fecenc != NULL;
  if (self->sender)
    self->skippers = g_steal_pointer (&found);
  g_mutex_unlock (&self->lock);
  gst_clear_object (&fecenc);
  g_clear_pointer (&found, g_ptr_array_unref); /* stopped meanwhile */
  g_mutex_lock (&self->lock);
}

/* Packets between two that are left out; 0: none is.  Before the caps went out
 * nobody can tell by what the receiver counts. */
static guint
interval (const GstRtpAdaptSend *self)
{
  const RaFeedbackOps *kind = ra_feedback_at (self->hearing.mode);
  gboolean by_number = kind
      && (kind->by_number
          || (kind->by_count && self->way.out.twcc == 0
              && ra_ear_is_stamped (self->ear)));

  return by_number && self->hearing.said.any && !self->renumbered
      ? self->cfg.skip_interval
      : 0;
}

/* Once.  The lock is held, and let go. */
static void
lie_tell (GstRtpAdaptSend *self)
{
  RaSenderStats stats;

  ra_sender_get_stats (self->sender, &stats);
  if (stats.lies == 0 || !send_warn_once (self, SEND_WARNED_LIAR))
    return;
  g_mutex_unlock (&self->lock);
  GST_ELEMENT_WARNING (self, RESOURCE, NOT_AUTHORIZED,
      ("The receiver says that packets came which were never sent: it gets "
       "min-bitrate."),
      ("RFC 8888 10; for 15 s, and twice as long each time, up to 16 min; the "
       "action signal restart ends it"));
  g_mutex_lock (&self->lock);
}

void
send_skips_drive (GstRtpAdaptSend *self)
{
  if (!self->sender)
    return;
  if (self->skips_stale)
    skippers_search (self);
  for (guint i = 0; self->skippers && i < self->skippers->len; i++)
    skipper_set (self->skippers->pdata[i], interval (self));
  if (self->sender)
    lie_tell (self);
}

void
send_skips_stop (GstRtpAdaptSend *self)
{
  GPtrArray *skippers;

  g_mutex_lock (&self->lock);
  skippers = g_steal_pointer (&self->skippers);
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&skippers, g_ptr_array_unref);
}
