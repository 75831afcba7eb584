/* rtpadaptsend, while nobody answers: probes behind an open breaker, and sender
 * reports that show the receiver our address.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sendpriv.h"

#define GST_CAT_DEFAULT gst_rtp_adapt_send_debug

/* The search for a packet with a marker lasts some frames.  Audio has no marker,
 * so any packet serves afterwards. */
#define CHOICE_MAX (250 * RA_MSECOND)
/* A peer that is silent for this long gets sender reports, and so often. */
#define SILENT RA_SECOND
#define ASK_INTERVAL (RA_SECOND / 2)

/* With twcc a stock rtpsession answers when it gets the last packet of a frame,
 * and a new receiver accepts a source after two packets in a row (RFC 3550 A.1).
 * So a packet with a marker and the packet after it are good probes. */
static gboolean
is_good_probe (GstRtpAdaptSend *self, const BacklogItem *item)
{
  return item->marker || send_hearing_always_asks (self)
      || (self->probe_ssrc == item->ssrc
          && (guint16) (self->probe_seq + 1) == item->seq);
}

gboolean
send_probe_take (GstRtpAdaptSend *self, const BacklogItem *item, RaTime now)
{
  if (item->is_repair || ra_sender_next_send (self->sender, now) > now)
    return FALSE;
  if (self->probe_since == RA_TIME_NONE)
    self->probe_since = now;
  if (!is_good_probe (self, item)
      && ABS (ra_diff (now, self->probe_since)) < CHOICE_MAX)
    return FALSE;
  self->probe_since = RA_TIME_NONE;
  self->probe_ssrc = item->ssrc;
  self->probe_seq = item->seq;
  self->count.probes++;
  return TRUE;
}

void
send_answered (GstRtpAdaptSend *self, RaTime now)
{
  if (self->answered != RA_TIME_NONE && ra_diff (now, self->answered) >= SILENT)
    self->refresh_due = TRUE;
  self->answered = now;
}

RaTime
send_ask_next (GstRtpAdaptSend *self)
{
  RaTime t = self->ask_again;

  if (!tap_is_on (&self->tap) || self->last_sent == RA_TIME_NONE)
    return RA_TIME_NONE;
  if (ra_sender_is_open (self->sender))
    return t;
  t = MAX (t, ra_later (self->heard, SILENT));
  return t <= ra_later (self->last_sent, SILENT) ? t : RA_TIME_NONE;
}

void
send_ask (GstRtpAdaptSend *self, RaTime now)
{
  GstElement *element = tap_element (&self->tap);
  gboolean in_time;

  self->ask_again = ra_later (now, ASK_INTERVAL);
  if (!element)
    return;
  g_mutex_unlock (&self->lock);
  in_time = tap_ask_rtcp (element, ASK_INTERVAL);
  GST_LOG_OBJECT (
      self, "asked for a sender report: %s", in_time ? "comes" : "refused");
  g_mutex_lock (&self->lock);
}
