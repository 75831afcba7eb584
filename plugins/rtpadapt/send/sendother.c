/* rtpadaptsend: feedback of another kind than the one that is set.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Then the settings of the two sides differ.  One warning says how to mend that.
 * The feedback that comes is used if no other comes, and if the packets have the
 * header extension that it needs.
 */
#include "sendpriv.h"

#define GST_CAT_DEFAULT gst_rtp_adapt_send_debug

/* So much feedback over so long a time is neither chance nor a rest from an
 * earlier receiver. */
#define OTHER_ENOUGH 5
#define OTHER_AFTER RA_SECOND
/* After this long without it, the feedback in use does not come any more. */
#define KIND_SILENT (2 * RA_SECOND)
/* Where receiver reports came for this long without feedback, none will come. */
#define REPORTS_ALONE (4 * RA_SECOND)

void
send_other_start (GstRtpAdaptSend *self)
{
  self->other
      = (SendOther){ .kind_at = RA_TIME_NONE, .alone_since = RA_TIME_NONE };
}

void
send_other_on_kind (GstRtpAdaptSend *self, RaTime now)
{
  self->other.kind_at = now;
}

void
send_other_on_feedback (
    GstRtpAdaptSend *self, const RaFeedbackOps *way, RaTime now)
{
  SendOther *o = &self->other;

  if (o->way != way) {
    o->way = way;
    o->n = 0;
    o->since = now;
  }
  if (o->n < OTHER_ENOUGH)
    o->n++;
  if (o->n < OTHER_ENOUGH || ra_diff (now, o->since) < OTHER_AFTER
      || (o->kind_at != RA_TIME_NONE
          && ra_diff (now, o->kind_at) < KIND_SILENT))
    return;
  if (o->adopted == way)
    return;
  o->adopted = way;
  send_tell (self);
}

void
send_other_on_reports (GstRtpAdaptSend *self, RaTime now)
{
  SendOther *o = &self->other;

  if (o->alone_since == RA_TIME_NONE)
    o->alone_since = now;
  if (o->alone || o->kind_at != RA_TIME_NONE || o->way || !self->hearing.mode
      || ra_diff (now, o->alone_since) < REPORTS_ALONE)
    return;
  o->alone = TRUE;
  send_tell (self);
}

void
send_other_on_wish (GstRtpAdaptSend *self, const RaFeedbackOps *way)
{
  if (self->other.wish == way)
    return;
  self->other.wish = way;
  send_tell (self);
}

/* "The receiver sends feedback=ccfb", or NULL. */
static gchar *
difference (const GstRtpAdaptSend *self)
{
  const SendOther *o = &self->other;

  if (o->wish && o->wish != send_kind (self))
    return g_strdup_printf (
        "The receiver is set to feedback=%s", o->wish->name);
  if (o->adopted && o->adopted != send_kind (self))
    return g_strdup_printf ("The receiver sends feedback=%s", o->adopted->name);
  return o->alone ? g_strdup ("The receiver sends reports, but no feedback")
                  : NULL;
}

void
send_other_drive (GstRtpAdaptSend *self)
{
  g_autofree gchar *what = self->sender ? difference (self) : NULL;
  const gchar *here = send_kind (self)->name;
  const gchar *mode = ra_feedback_name (self->hearing.mode);

  if (!what || !send_warn_once (self, SEND_WARNED_OTHER))
    return;
  g_mutex_unlock (&self->lock);
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
      ("%s, and feedback=%s is set here: set the same on both sides.", what,
          here),
      ("feedback=%s is used until then", mode));
  g_mutex_lock (&self->lock);
}
