/* rtpadaptsend: passes on the receiver's requests for key frames, as the gate lets
 * them go.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sendpriv.h"

static RaSpan
interval (GstRtpAdaptSend *self)
{
  return key_gate_interval (ra_sender_rtt (self->sender));
}

static guint
stream_of (GstRtpAdaptSend *self, GstEvent *event)
{
  const GstStructure *s = gst_event_get_structure (event);
  Stream *stream = NULL;
  guint ssrc;

  if (gst_structure_get_uint (s, "ssrc", &ssrc))
    stream = streams_find (&self->streams, ssrc);
  return stream ? (guint) (stream - self->streams.stream) : STREAMS_MAX;
}

gboolean
send_keys_wanted (GstRtpAdaptSend *self, GstEvent *event)
{
  KeyVerdict verdict = KEY_PASS;

  g_mutex_lock (&self->lock);
  if (self->sender) {
    verdict = key_gate_ask (&self->keys, stream_of (self, event), event,
        interval (self), send_now (self));
    self->count.keys_held += verdict != KEY_PASS;
    if (verdict == KEY_HELD_FIRST)
      send_wake (self);
  }
  g_mutex_unlock (&self->lock);
  return verdict == KEY_PASS;
}

RaTime
send_keys_next (GstRtpAdaptSend *self)
{
  return self->keys_due ? RA_TIME_NONE
                        : key_gate_next (&self->keys, interval (self));
}

void
send_keys_drive (GstRtpAdaptSend *self)
{
  GstEvent *event;

  if (!self->keys_due)
    return;
  self->keys_due = FALSE;
  send_wake (self);
  while (self->sender
      && (event
          = key_gate_take (&self->keys, interval (self), send_now (self)))) {
    g_mutex_unlock (&self->lock);
    gst_pad_push_event (self->sinkpad, event);
    g_mutex_lock (&self->lock);
  }
}

void
send_keys_start (GstRtpAdaptSend *self)
{
  self->keys_due = FALSE;
  key_gate_clear (&self->keys);
}
