/* rtpadaptsend: which requests for a packet go on to rtprtxsend upstream, which
 * would answer each of them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Not those for what still waits here, which comes anyway; for what was dropped
 * here, because there was no room on the path for it; for repair packets; and
 * not those that left the receiver before the packet, or its repetition, can
 * have come there.
 *
 * Whoever asks for more than was lost, or says so in our peer's name, shall not
 * stop the media: what came by its own feedback is not sent again, and one
 * packet is for SHARE others, save for a BURST.
 */
#include "sendpriv.h"

#define GST_CAT_DEFAULT gst_rtp_adapt_send_debug

/* Of the smoothed RTT, which is longer than the last one when a queue has just
 * emptied: a request refused wrongly is a packet lost. */
#define SOONEST 2
#define SHARE 2
#define BURST 64

/* The lock is held. */
static gboolean
is_wanted (GstRtpAdaptSend *self, guint ssrc, guint seqnum)
{
  RaLedgerEntry *p
      = ra_ledger_find (send_ledger (self), ssrc, (guint16) seqnum);
  RaTime now = send_now (self);
  RaSpan rtt;

  if (!p || p->is_repair || p->fate == RA_FATE_ARRIVED
      || self->repeat_credit < SHARE)
    return FALSE;
  rtt = ra_sender_rtt (self->sender);
  if (ra_diff (now, p->sent) < rtt / SOONEST
      || (p->asked_again > 0 && ra_diff (now, p->asked_again) < rtt))
    return FALSE;
  if (p->asked_again == 0)
    ra_sender_on_repeat (self->sender);
  p->asked_again = now;
  self->repeat_credit -= SHARE;
  return TRUE;
}

void
send_rtx_on_sent (GstRtpAdaptSend *self)
{
  self->repeat_credit = MIN (self->repeat_credit + 1, SHARE * BURST);
}

gboolean
send_rtx_wanted (GstRtpAdaptSend *self, const GstStructure *request)
{
  guint ssrc, seqnum;
  gboolean wanted = TRUE;

  if (!gst_structure_get_uint (request, "ssrc", &ssrc)
      || !gst_structure_get_uint (request, "seqnum", &seqnum))
    return TRUE;
  g_mutex_lock (&self->lock);
  if (self->sender) {
    wanted = is_wanted (self, ssrc, seqnum);
    self->count.repeat_asked++;
    self->count.repeat_refused += !wanted;
  }
  g_mutex_unlock (&self->lock);
  GST_LOG_OBJECT (
      self, "%08x %u again: %s", ssrc, seqnum, wanted ? "yes" : "no");
  return wanted;
}
