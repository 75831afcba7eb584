/* Feedback of a receiver that runs the LDA: TFRC-FB, and RADP in front of it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/earpriv.h>

#include <gst/rtpadapt/feedback/reporter.h>
#include <gst/rtpadapt/feedback/stamp.h>

#define HEAD \
  12 /* of an APP packet (RFC 3550 6.7), of an RTPFB one (RFC 4585 6.1) */

/* The listener refuses such counts, but believes them again after a while, as the
 * first of them may have been somebody else's; to a user who leaves numbers out
 * they are lies.  Where packets go without send time t_i is not of the latest. */
static gboolean
radp_lies (RaEar *e, const RaEarCompound *c, RaTime now)
{
  RaRadp radp;

  return ra_radp_read (&radp, c->radp, c->radp_size)
      && ra_sender_on_count (
          e->sender, radp.arrived, ra_stamp_us_time (radp.t_i, now))
      && e->cfg.skips && !e->unstamped;
}

/* The RADP in front, if it is of the same peer. */
static void
radp_hear (RaEar *e, RaTime now)
{
  RaEarCompound *c = &e->compound;
  RaHeard heard = ra_listener_on_radp (e->listener, c->radp, c->radp_size, now);

  if (heard != RA_HEARD_OK) {
    e->stats.heard[heard]++;
  } else if (radp_lies (e, c, now)) {
    ra_sender_on_lie (e->sender, now);
    e->news |= RA_EAR_LIE | RA_EAR_CHANGED;
  }
  c->radp = NULL;
}

static void
hear (RaEar *e, const RaFeedbackFci *f, RaTime now)
{
  RaReport report;
  RaSpan t_delay;
  RaHeard heard;

  if (!ra_ledger_has_ssrc (e->ledger, f->media)) {
    e->stats.foreign++;
    return;
  }
  if (e->compound.radp && e->compound.radp_ssrc == f->sender)
    radp_hear (e, now);
  heard = ra_listener_on_tfrc (
      e->listener, f->fci, f->len, now, &report, &t_delay);
  e->stats.heard[heard]++;
  if (heard == RA_HEARD_OK) {
    ra_sender_on_report (e->sender, &report, t_delay, now);
    e->news |= RA_EAR_ANSWERED | RA_EAR_CHANGED;
  }
}

static gboolean
report_write (RaReporter *reporter, RaTime now, RaTime ntp, gsize room,
    RaReportBytes *out)
{
  RaTfrcFb fb;
  RaRadp radp;

  if (!ra_reporter_tfrc (reporter, now, &fb, &radp, &out->media))
    return FALSE;
  out->app_size = ra_radp_write (&radp, out->app, sizeof out->app);
  out->fci_size = ra_tfrc_fb_write (&fb, out->fci, sizeof out->fci);
  return TRUE;
}

const RaFeedbackOps ra_feedback_tfrc = {
  .name = "tfrc",
  .cite = "RTP with TFRC, draft-ietf-avt-tfrc-profile-10, and RTCP APP RADP",
  .use = "a sender that should not judge the losses: rtpadaptsrc does",
  .sign = "send times",
  .sdp = "tfrc",
  .extension = RA_SEND_TS_URI,
  .fmt = RA_TFRC_FB_FMT,
  .fmt_varies = TRUE,
  .asks = RA_ASKS_ALWAYS,
  .by_count = TRUE,
  .needs_session = TRUE,
  .needs_avpf = TRUE,
  .hear = hear,
  .due = ra_reporter_tfrc_due,
  .write = report_write,
  .silent = TRUE,
  .room = 2 * HEAD + RA_RADP_SIZE_MAX + RA_TFRC_FB_SIZE,
};
