/* rtpadaptsend: numbers that are left out, and receivers that say they came.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Feedback about RTP numbers can be tried so: RFC 8888's, and TFRC's where the
 * receiver counts by them.  Not transport-wide numbers: those are rtpsession's.
 */
#include "parts/enums.h"
#include "sendpriv.h"

#include <gst/rtpadapt/feedback/stamp.h>

#define GST_CAT_DEFAULT gst_rtp_adapt_send_debug

/* Before the caps went out it is not known by what the receiver counts. */
guint
send_skips_interval (const GstRtpAdaptSend *self)
{
  gint mode = self->hearing.mode;
  gboolean by_number = mode == GST_RTP_ADAPT_FEEDBACK_CCFB
      || (mode == GST_RTP_ADAPT_FEEDBACK_TFRC && self->ext.twcc == 0
          && !self->unstamped);

  return by_number && self->hearing.said.any ? self->cfg.skip_interval : 0;
}

/* What it says came that was not sent: RA_SEQ_FUTURE or RA_SEQ_SKIPPED, or else
 * RA_SEQ_UNKNOWN. */
static RaSeqFate
false_claim (GstRtpAdaptSend *self, RaCcfbReader reader)
{
  while (ra_ccfb_next (&reader)) {
    for (guint i = 0; i < reader.n; i++) {
      guint16 seq = (guint16) (reader.begin_seq + i);
      RaSeqFate fate;

      if (!ra_ccfb_get (&reader, i).received)
        continue;
      fate = ra_ledger_fate (send_ledger (self), reader.ssrc, seq);
      if (fate == RA_SEQ_FUTURE || fate == RA_SEQ_SKIPPED)
        return fate;
    }
  }
  return RA_SEQ_UNKNOWN;
}

/* Only numbers that were left out tell of a liar: one ahead may be of a packet
 * that somebody forged for the receiver, or of a report that somebody guessed. */
gboolean
send_skips_is_false (
    GstRtpAdaptSend *self, const RaCcfbReader *reader, RaTime now)
{
  RaSeqFate claim = self->skippers.renumbered ? RA_SEQ_UNKNOWN
                                              : false_claim (self, *reader);

  if (claim == RA_SEQ_SKIPPED) {
    GST_INFO_OBJECT (self, "a packet came that was never sent");
    ra_sender_on_lie (self->sender, now);
  }
  return claim != RA_SEQ_UNKNOWN;
}

/* The listener refuses such counts, but believes them again after a while, as the
 * first of them may have been somebody else's; to a user who leaves numbers out
 * they are lies.  Where packets go without send time t_i is not of the latest. */
gboolean
send_skips_on_radp (
    GstRtpAdaptSend *self, const guint8 *data, gsize len, RaTime now)
{
  RaRadp radp;

  if (!ra_radp_read (&radp, data, len)
      || !ra_sender_on_count (
          self->sender, radp.arrived, ra_stamp_us_time (radp.t_i, now))
      || self->cfg.skip_interval == 0 || self->unstamped)
    return FALSE;
  GST_INFO_OBJECT (self, "more packets came than were sent");
  ra_sender_on_lie (self->sender, now);
  return TRUE;
}
