/* Feedback of a receiver that runs the LDA: TFRC-FB, and RADP in front of it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/hearing.h>

#include <gst/rtpadapt/feedback/reporter.h>
#include <gst/rtpadapt/feedback/stamp.h>

#define HEAD \
  12 /* of an APP packet (RFC 3550 6.7), of an RTPFB one (RFC 4585 6.1) */

/* The ear refuses such counts, but believes them again after a while, as the
 * first of them may have been somebody else's; to a user who leaves numbers out
 * they are lies.  Where packets go without send time t_i is not of the latest. */
static gboolean
radp_lies (const RaHearing *h, RaTime now)
{
  RaRadp radp;

  return ra_radp_read (&radp, h->radp, h->radp_size)
      && ra_sender_on_count (
          h->sender, radp.arrived, ra_stamp_us_time (radp.t_i, now))
      && h->cfg->skips && h->stamped;
}

/* The RADP in front. */
static void
radp_hear (RaTfrcEar *e, RaHearing *h, RaTime now)
{
  RaHeard heard = ra_tfrc_ear_on_radp (e, h->radp, h->radp_size, now);

  if (heard != RA_HEARD_OK) {
    h->stats->heard[heard]++;
  } else if (radp_lies (h, now)) {
    ra_sender_on_lie (h->sender, now);
    h->news |= RA_EAR_LIE | RA_EAR_CHANGED;
  }
  h->radp = NULL;
}

static gpointer
own_new (RaLedger *ledger)
{
  return ra_tfrc_ear_new (ledger);
}

static void
own_free (gpointer own)
{
  ra_tfrc_ear_free (own);
}

static const RaRadp *
said (gconstpointer own)
{
  return ra_tfrc_ear_radp (own);
}

static void
hear (gpointer own, RaHearing *h, const RaFeedbackFci *f, RaTime now)
{
  RaReport report;
  RaSpan t_delay;
  RaHeard heard;

  if (!ra_ledger_has_ssrc (h->ledger, f->media)) {
    h->stats->foreign++;
    return;
  }
  if (h->radp)
    radp_hear (own, h, now);
  heard = ra_tfrc_ear_on_tfrc (own, f->fci, f->len, now, &report, &t_delay);
  h->stats->heard[heard]++;
  if (heard == RA_HEARD_OK) {
    ra_sender_on_report (h->sender, &report, t_delay, now);
    h->news |= RA_EAR_ANSWERED | RA_EAR_CHANGED;
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
  .own_new = own_new,
  .own_free = own_free,
  .hear = hear,
  .said = said,
  .due = ra_reporter_tfrc_due,
  .write = report_write,
  .silent = TRUE,
  .room = 2 * HEAD + RA_RADP_SIZE_MAX + RA_TFRC_FB_SIZE,
};
