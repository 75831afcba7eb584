/* rtpadaptrecv: the feedback that is sent where the packets do not allow the one
 * that is set.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Caps announce header extensions, but only packets show whether the sender
 * writes them.  Without them feedback=twcc and feedback=tfrc have nothing to
 * report.  Then RFC 8888 is sent, which needs no header extension, and an RTCP APP
 * packet tells the sender what is set here, so that both sides can warn.
 * (rtpsession 1.22 takes the id of transport-wide numbers only once, from the map
 * of payload types, so it cannot be made to answer in place of feedback=tfrc.)
 */
#include "recvpriv.h"

#define GST_CAT_DEFAULT gst_rtp_adapt_recv_debug

/* Audio that comes before the video may have no header extension, so packets are
 * judged only after this time and number. */
#define JUDGE_AFTER (2 * RA_SECOND)
#define JUDGE_PACKETS 30
/* The sender is told this often. */
#define WISH_INTERVAL RA_SECOND
/* After this long without the extension its sender is gone, and another sender
 * may have other settings. */
#define FORGET_AFTER (10 * RA_SECOND)

static const gchar *const nicks[] = {
  [GST_RTP_ADAPT_FEEDBACK_TWCC] = "twcc",
  [GST_RTP_ADAPT_FEEDBACK_TFRC] = "tfrc",
  [GST_RTP_ADAPT_FEEDBACK_CCFB] = "ccfb",
};

/* The lock is held for all of these. */

static RaReports
reports_for_tfrc (GstRtpAdaptRecv *self)
{
  if (self->ids.send_ts)
    return self->seen.judged && !self->seen.send_ts ? RA_REPORTS_CCFB
                                                    : RA_REPORTS_TFRC;
  recv_warn (self, RECV_WARNED_NO_SEND_TS, GST_RESOURCE_ERROR_SETTINGS,
      self->ids.number
          ? "The caps lack extmap-N=" RA_SEND_TS_URI
            ", which feedback=tfrc needs: falling back to feedback=twcc."
          : "The caps lack extmap-N=" RA_SEND_TS_URI
            ", which feedback=tfrc needs: the sender gets no feedback.",
      "the sender writes that header extension on each packet");
  return RA_REPORTS_NONE;
}

RaReports
recv_kind_choose (GstRtpAdaptRecv *self)
{
  switch (self->cfg.feedback) {
    case GST_RTP_ADAPT_FEEDBACK_CCFB:
      return RA_REPORTS_CCFB;
    case GST_RTP_ADAPT_FEEDBACK_TFRC:
      return reports_for_tfrc (self);
    default:
      return self->ids.number && self->seen.judged && !self->seen.number
          ? RA_REPORTS_CCFB
          : RA_REPORTS_NONE;
  }
}

/* The feedback that the sender is set to, to judge by its packets. */
static GstRtpAdaptFeedback
kind_of_sender (const GstRtpAdaptRecv *self)
{
  if (self->seen.send_ts)
    return GST_RTP_ADAPT_FEEDBACK_TFRC;
  return self->seen.number ? GST_RTP_ADAPT_FEEDBACK_TWCC
                           : GST_RTP_ADAPT_FEEDBACK_CCFB;
}

static void
kind_warn (GstRtpAdaptRecv *self)
{
  static const gchar *const signs[] = {
    [GST_RTP_ADAPT_FEEDBACK_TWCC] = "transport-wide numbers",
    [GST_RTP_ADAPT_FEEDBACK_TFRC] = "send times",
    [GST_RTP_ADAPT_FEEDBACK_CCFB] = "no header extension",
  };
  GstRtpAdaptFeedback theirs = kind_of_sender (self);
  g_autofree gchar *text = NULL;

  /* Where the caps name no header extension, none is looked for. */
  if ((gint) theirs == self->cfg.feedback
      || (!self->ids.number && !self->ids.send_ts))
    return;
  text = g_strdup_printf (
      "The packets carry %s, as with feedback=%s at the sender, and feedback=%s "
      "is set here: set the same on both sides.",
      signs[theirs], nicks[theirs], nicks[self->cfg.feedback]);
  recv_warn (self, RECV_WARNED_KIND, GST_RESOURCE_ERROR_SETTINGS, text,
      "the receiver sends the feedback that the packets allow");
}

static void
reports_change (GstRtpAdaptRecv *self)
{
  RaReports reports = recv_kind_choose (self);

  if (reports == self->reports)
    return;
  GST_INFO_OBJECT (self, "the packets ask for other reports");
  recv_reporter_create (self, reports);
  self->due = FALSE;
  self->tap.stale = TRUE;
  self->session_again = 0;
}

void
recv_kind_on_packet (GstRtpAdaptRecv *self, const RecvPacket *p, RaTime now)
{
  RecvSeen *seen = &self->seen, before;
  gboolean number = p->wire.number >= 0, send_ts = p->wire.send_ts != NULL;

  if (number || send_ts)
    seen->last = now;
  else if ((seen->number || seen->send_ts)
      && ra_diff (now, seen->last) > FORGET_AFTER)
    *seen = (RecvSeen){ .told = TRUE };
  if (seen->packets == 0)
    seen->since = now;
  before = *seen;
  seen->number |= number;
  seen->send_ts |= send_ts;
  seen->packets = MIN (seen->packets + 1, JUDGE_PACKETS);
  seen->judged |= seen->packets == JUDGE_PACKETS
      && ra_diff (now, seen->since) >= JUDGE_AFTER;
  if (seen->judged && !before.judged && !seen->told)
    kind_warn (self);
  if (seen->judged != before.judged || seen->number != before.number
      || seen->send_ts != before.send_ts)
    reports_change (self);
}

const gchar *
recv_kind_wish (GstRtpAdaptRecv *self, RaTime now)
{
  gboolean kept = TRUE;

  if (self->cfg.feedback == GST_RTP_ADAPT_FEEDBACK_TWCC)
    kept = self->reports == RA_REPORTS_NONE;
  else if (self->cfg.feedback == GST_RTP_ADAPT_FEEDBACK_TFRC)
    kept = self->reports == RA_REPORTS_TFRC;
  if (kept || now < self->wish_again)
    return NULL;
  self->wish_again = ra_later (now, WISH_INTERVAL);
  return nicks[self->cfg.feedback];
}
