/* rtpadaptsend: passes on the receiver's requests for key frames, no more often
 * than it can use them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rtpsession makes an event of each PLI and FIR (RFC 4585 6.3.1, RFC 5104 4.3.1).
 * The receiver sees a key frame a round trip after it asked, so a request within
 * that time is about the frame that is already on its way.  Anybody may also send
 * a thousand requests.  The last request that came too early goes on when the
 * interval is over, because that key frame may have been lost.
 */
#include "sendpriv.h"

/* The interval is no shorter, because a round trip may be shorter than a frame. */
#define INTERVAL_MIN (200 * RA_MSECOND)

static RaSpan
interval (GstRtpAdaptSend *self)
{
  return MAX (ra_sender_rtt (self->sender), INTERVAL_MIN);
}

/* Requests about streams that we do not know share one place. */
static SendKeys *
keys_of (GstRtpAdaptSend *self, GstEvent *event)
{
  const GstStructure *s = gst_event_get_structure (event);
  Stream *stream = NULL;
  guint ssrc;

  if (gst_structure_get_uint (s, "ssrc", &ssrc))
    stream = streams_find (&self->streams, ssrc);
  return &self->keys[stream ? stream - self->streams.stream : STREAMS_MAX];
}

gboolean
send_keys_wanted (GstRtpAdaptSend *self, GstEvent *event)
{
  gboolean wanted = TRUE;

  g_mutex_lock (&self->lock);
  if (self->sender) {
    SendKeys *keys = keys_of (self, event);
    RaTime now = send_now (self);

    if (keys->asked == RA_TIME_NONE
        || ra_diff (now, keys->asked) >= interval (self)
        || now < keys->asked) { /* the clock went back */
      keys->asked = now;
      gst_clear_event (&keys->waiting);
    } else {
      wanted = FALSE;
      self->count.keys_held++;
      if (!keys->waiting)
        send_wake (self);
      gst_event_replace (&keys->waiting, event);
    }
  }
  g_mutex_unlock (&self->lock);
  return wanted;
}

RaTime
send_keys_next (GstRtpAdaptSend *self)
{
  RaTime next = RA_TIME_NONE;

  for (guint i = 0; !self->keys_due && i <= STREAMS_MAX; i++) {
    if (self->keys[i].waiting)
      next = MIN (next, ra_later (self->keys[i].asked, interval (self)));
  }
  return next;
}

void
send_keys_drive (GstRtpAdaptSend *self)
{
  if (!self->keys_due)
    return;
  self->keys_due = FALSE;
  send_wake (self);
  for (guint i = 0; self->sender && i <= STREAMS_MAX; i++) {
    SendKeys *keys = &self->keys[i];
    RaTime now = send_now (self);
    GstEvent *event;

    if (!keys->waiting || ra_diff (now, keys->asked) < interval (self))
      continue;
    event = g_steal_pointer (&keys->waiting);
    keys->asked = now;
    g_mutex_unlock (&self->lock);
    gst_pad_push_event (self->sinkpad, event);
    g_mutex_lock (&self->lock);
  }
}

void
send_keys_start (GstRtpAdaptSend *self)
{
  self->keys_due = FALSE;
  for (guint i = 0; i <= STREAMS_MAX; i++) {
    gst_clear_event (&self->keys[i].waiting);
    self->keys[i].asked = RA_TIME_NONE;
  }
}
