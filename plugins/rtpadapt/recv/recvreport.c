/* rtpadaptrecv: reports into RTCP, the session that carries them, messages.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The library says when a report is due.  rtpsession is asked for an RTCP packet
 * then, and decides when RFC 4585 allows one; the report is made when that packet
 * is, so that it covers all packets that came meanwhile.
 */
#include "parts/weak.h"
#include "recvpriv.h"

#define GST_CAT_DEFAULT gst_rtp_adapt_recv_debug

/* The session is looked for at most so often. */
#define FIND_INTERVAL (200 * RA_MSECOND)
/* Between two packets that say what this receiver is. */
#define TAKES_INTERVAL RA_SECOND

/* Only for LDAs that draw lots about a known truth: repeatable. */
#define SEED 1

/* What is posted where it changes. */
typedef enum
{
  RECV_NEWS_DSCP, /* RaDscpFate */
} RecvNews;

/* --- messages ----------------------------------------------------------- */

/* A handler on the bus may block, and neither RTCP nor the clock's thread may wait
 * for it. */
static void
job (GstElement *element, gpointer user_data)
{
  GstRtpAdaptRecv *self = GST_RTP_ADAPT_RECV (element);

  herald_job (&self->herald, &self->lock, element);
}

/* The lock is held. */
static void
job_start (GstRtpAdaptRecv *self)
{
  if (herald_wake (&self->herald))
    gst_element_call_async (GST_ELEMENT (self), job, NULL, NULL);
}

/* Has the job post what is said once, and takes it. */
static void
post (GstRtpAdaptRecv *self, GstMessage *message)
{
  herald_post_always (&self->herald, message);
  job_start (self);
}

void
recv_warn (GstRtpAdaptRecv *self, RecvWarned what, gint code, const gchar *text,
    const gchar *debug)
{
  g_autoptr (GError) error = NULL;

  if (!herald_warn_once (&self->herald, what))
    return;
  GST_WARNING_OBJECT (self, "%s (%s)", text, debug);
  error = g_error_new_literal (GST_RESOURCE_ERROR, code, text);
  post (self, gst_message_new_warning (GST_OBJECT (self), error, debug));
}

void
recv_lda_check (GstRtpAdaptRecv *self, const RaLdaOps *lda)
{
  g_autofree gchar *lack = recv_kind_lda_lack (lda, self->reports, &self->ids);

  if (lack)
    recv_warn (self, RECV_WARNED_LDA, GST_RESOURCE_ERROR_SETTINGS, lack,
        "the receiver says which losses are congestion");
}

void
recv_dscp_post (GstRtpAdaptRecv *self)
{
  RaReporterStats stats;

  ra_reporter_get_stats (self->reporter, &stats);
  if (!herald_is_news (&self->herald, RECV_NEWS_DSCP, stats.dscp))
    return;
  GST_INFO_OBJECT (self, "DSCP: %s", ra_dscp_fate_nick (stats.dscp));
  if (stats.dscp == RA_DSCP_BLEACHED || stats.dscp == RA_DSCP_REMARKED)
    post (self,
        gst_message_new_element (
            GST_OBJECT (self), recv_dscp_news (stats.dscp)));
}

void
recv_losses_post (GstRtpAdaptRecv *self)
{
  guint64 over = ra_reporter_take_left_out (self->reporter);
  RaMissing m;

  if (self->cfg.loss_messages)
    self->count.unposted += over;
  while (ra_reporter_next_loss (self->reporter, &m)) {
    if (!self->cfg.loss_messages)
      continue;
    if (herald_post (&self->herald,
            gst_message_new_element (GST_OBJECT (self),
                recv_loss_news (&m, our_clock_time (&self->clock, m.t_loss)))))
      job_start (self);
    else
      self->count.unposted++;
  }
}

/* --- the reporter ------------------------------------------------------- */

void
recv_reporter_create (GstRtpAdaptRecv *self, const RaFeedbackOps *reports)
{
  RecvConfig *cfg = &self->cfg;
  RaReporterConfig config = {
    .reports = reports,
    .lda = ra_ldas[cfg->lda],
    .lda_params = cfg->lda_params,
    .seed = SEED,
    .interval = (RaSpan) cfg->interval,
    .late = (RaSpan) cfg->late,
  };
  g_autoptr (GError) error = NULL;
  RaReporterStats before = { 0 };

  if (self->reporter)
    ra_reporter_get_stats (self->reporter, &before);
  g_clear_pointer (&self->reporter, ra_reporter_free);
  self->reports = reports;
  recv_lda_check (self, ra_ldas[cfg->lda]);
  self->reporter = ra_reporter_new (&config, &error);
  if (!self->reporter) {
    recv_warn (self, RECV_WARNED_PARAMS, GST_RESOURCE_ERROR_SETTINGS,
        "Default parameters are used for the loss differentiation.",
        error->message);
    g_free (cfg->lda_params);
    cfg->lda_params = g_strdup ("");
    config.lda_params = NULL;
    self->reporter = ra_reporter_new (&config, NULL);
  }
  ra_reporter_follow (self->reporter, &before);
}

GstStructure *
recv_stats (GstRtpAdaptRecv *self)
{
  GstStructure *s = recv_stats_new (self->reporter, &self->count,
      recv_kind_nick (self->reports, &self->ids),
      ra_feedback_judges (self->reports), ra_ldas[self->cfg.lda]->name);

  if (self->reporter)
    gst_structure_set (s, "time", G_TYPE_UINT64,
        our_clock_time (&self->clock, our_now (&self->clock)), NULL);
  return s;
}

/* --- the timer (lock held) ---------------------------------------------- */

static RaSpan
spacing (const GstRtpAdaptRecv *self)
{
  RaReporterStats stats;

  ra_reporter_get_stats (self->reporter, &stats);
  return report_spacing (
      recv_kind_interval (self->reports, (RaSpan) self->cfg.interval),
      stats.rtt);
}

gboolean
recv_report_due (GstRtpAdaptRecv *self, RaTime now)
{
  return !self->report.due && report_due (&self->report, spacing (self), now);
}

/* TRUE: ask the session. */
static gboolean
timer_run (GstRtpAdaptRecv *self, RaTime now)
{
  RaTime timeout = ra_reporter_next_timeout (self->reporter);
  ReportStep step;
  RaReportBytes nothing;

  if (herald_stats_due (&self->herald, now, self->cfg.stats_interval))
    post (self, gst_message_new_element (GST_OBJECT (self), recv_stats (self)));
  step = report_step (&self->report, recv_kind_is_silent (self->reports),
      timeout, spacing (self), now);
  if (step == REPORT_SILENT)
    self->reports->write (
        self->reporter, now, now, self->reports->room, &nothing);
  recv_losses_post (self);
  return step == REPORT_ASK;
}

/* In the clock's thread. */
static gboolean
on_timer (GstClock *clock, GstClockTime time, GstClockID id, gpointer weak)
{
  GstRtpAdaptRecv *self = g_weak_ref_get (weak);
  gboolean ask = FALSE;

  if (!self)
    return TRUE;
  g_mutex_lock (&self->lock);
  if (self->wait == id) {
    gst_clock_id_unref (g_steal_pointer (&self->wait));
    ask = timer_run (self, our_now (&self->clock));
    recv_timer_set (self);
  }
  g_mutex_unlock (&self->lock);
  if (ask)
    recv_session_ask (self);
  gst_object_unref (self);
  return TRUE;
}

void
recv_timer_stop (GstRtpAdaptRecv *self)
{
  if (!self->wait)
    return;
  gst_clock_id_unschedule (self->wait);
  gst_clock_id_unref (g_steal_pointer (&self->wait));
}

/* Not every clock has timers; the system's has. */
static GstClockID
timer_new (GstRtpAdaptRecv *self, RaTime t)
{
  const OurClock *c = &self->clock;
  RaSpan after = MAX (ra_diff (t, our_now (c)), 0);

  if (GST_CLOCK_GET_CLASS (c->clock)->wait_async)
    return gst_clock_new_single_shot_id (c->clock, our_clock_time (c, t));
  return gst_clock_new_single_shot_id (
      c->system, our_system_now (c) + (guint64) after);
}

/* One that would come too early is left alone: it looks again. */
void
recv_timer_set (GstRtpAdaptRecv *self)
{
  RaTime t = self->herald.next_stats;

  if (!self->reporter || self->eos)
    return;
  t = MIN (t,
      report_next (&self->report, ra_reporter_next_timeout (self->reporter)));
  if (t == RA_TIME_NONE || (self->wait && self->wait_until <= t))
    return;
  recv_timer_stop (self);
  self->wait = timer_new (self, t);
  self->wait_until = t;
  if (gst_clock_id_wait_async (self->wait, on_timer, weak_new (self), weak_free)
      == GST_CLOCK_OK)
    return;
  GST_WARNING_OBJECT (
      self, "%" GST_PTR_FORMAT " gave no timer", self->clock.clock);
  recv_timer_stop (self);
}

void
recv_stats_restart (GstRtpAdaptRecv *self)
{
  herald_stats_restart (&self->herald,
      self->reporter ? our_now (&self->clock) : RA_TIME_NONE,
      self->cfg.stats_interval);
  recv_timer_set (self);
}

/* --- asking for RTCP ---------------------------------------------------- */

/* The lock is held. */
static void
slow_warn (GstRtpAdaptRecv *self)
{
  g_autofree gchar *debug = NULL;
  g_autofree gchar *text
      = report_slow_text (&self->report, spacing (self), &debug);

  recv_warn (self, RECV_WARNED_SLOW, GST_RESOURCE_ERROR_SETTINGS, text, debug);
}

void
recv_session_ask (GstRtpAdaptRecv *self)
{
  GstElement *element;
  gboolean in_time;
  RaSpan delay;

  g_mutex_lock (&self->lock);
  element = tap_element (&self->tap);
  if (!element || !self->reporter) {
    self->tap.stale |= element == NULL;
    g_mutex_unlock (&self->lock);
    gst_clear_object (&element);
    return;
  }
  /* Not longer than until we ask again: rtpsession waits if RFC 4585 3.5.2 does
   * not allow a packet now. */
  delay = spacing (self);
  g_mutex_unlock (&self->lock);

  in_time = tap_ask_rtcp (element, delay);
  if (in_time)
    return;

  g_mutex_lock (&self->lock);
  self->count.reports_refused++;
  if (self->reporter && self->report.due
      && report_is_refused (&self->report, delay, spacing (self)))
    slow_warn (self);
  g_mutex_unlock (&self->lock);
}

/* --- the report --------------------------------------------------------- */

/* The lock is held.  TRUE: the packet got a report. */
static gboolean
report_add (GstRtpAdaptRecv *self, GstRTCPBuffer *rtcp, guint32 ssrc)
{
  RaTime now = our_now (&self->clock);
  RaSpan waited = ra_diff (now, self->report.due_since);
  gboolean added;

  if (!recv_rtcp_has_room (rtcp, self->reports)) {
    self->count.reports_no_room++;
    return FALSE;
  }
  added = recv_rtcp_add_report (
      rtcp, self->reporter, self->reports, self->cfg.tfrc_fmt, ssrc, now);
  recv_losses_post (self);
  report_done (&self->report, added ? rtcp->map.size : 0);
  if (added) {
    self->count.reports_sent++;
    if (report_is_slow (&self->report, waited, spacing (self)))
      slow_warn (self);
    GST_LOG_OBJECT (self,
        "report %" G_GUINT64_FORMAT ", %" GST_STIME_FORMAT " after it was due",
        self->count.reports_sent, GST_STIME_ARGS (waited));
  }
  recv_timer_set (self);
  return added;
}

/* The lock is held.  TRUE if the packet got it. */
static gboolean
wish_add (GstRtpAdaptRecv *self, GstRTCPBuffer *rtcp, guint32 ssrc)
{
  const gchar *nick = NULL;

  if (recv_rtcp_room (rtcp) >= RECV_WISH_SIZE)
    nick = recv_kind_wish (
        &self->seen, self->cfg.feedback, self->reports, our_now (&self->clock));
  if (nick)
    recv_rtcp_add_wish (rtcp, ssrc, nick);
  return nick != NULL;
}

/* The lock is held. */
static void
takes_add (GstRtpAdaptRecv *self, GstRTCPBuffer *rtcp, guint32 ssrc)
{
  const RecvConfig *cfg = &self->cfg;
  RaTime now = our_now (&self->clock);
  RaTakes takes = { .disorder = ra_disorder_get (&self->disorder, now),
    .flags = (cfg->takes_rtx ? RA_TAKES_RTX : 0)
        | (cfg->takes_fec ? RA_TAKES_FEC : 0)
        | (cfg->takes_rs ? RA_TAKES_RS : 0) };

  /* A receiver that never took anything leaves it to its NACKs; what it said before
   * it has to take back. */
  if ((takes.flags == 0 && !self->takes_said && !self->says_takes)
      || now < self->takes_again || recv_rtcp_room (rtcp) < RECV_TAKES_SIZE)
    return;
  recv_rtcp_add_takes (rtcp, ssrc, &takes);
  self->takes_again = ra_later (now, TAKES_INTERVAL);
  self->takes_said = TRUE;
}

/* The lock is held. */
static void
hold_add (GstRtpAdaptRecv *self, GstRTCPBuffer *rtcp, guint32 ssrc)
{
  const RecvConfig *cfg = &self->cfg;
  const RaRadpHold hold
      = recv_hold_of (cfg->latency, cfg->max_latency, cfg->min_latency);

  if (recv_rtcp_room (rtcp) >= RECV_HOLD_SIZE
      && recv_hold_due (&self->hold, &hold, our_now (&self->clock)))
    recv_rtcp_add_hold (rtcp, ssrc, &hold);
}

/* In rtpsession's RTCP thread, for each RTCP packet it makes: one per SSRC of
 * its own.  TRUE: it may not be suppressed. */
static gboolean
on_sending_rtcp (
    GObject *session, GstBuffer *buffer, gboolean early, gpointer weak)
{
  GstRtpAdaptRecv *self = g_weak_ref_get (weak);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  gboolean added = FALSE;
  guint32 ssrc;

  if (!self)
    return FALSE;
  if (gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &rtcp)) {
    ssrc = recv_rtcp_ssrc (&rtcp);
    if (ssrc == 0) /* nothing else to be said, RFC 5506 */
      g_object_get (session, "internal-ssrc", &ssrc, NULL);
    g_mutex_lock (&self->lock);
    if (self->reporter && !recv_rtcp_is_bye (&rtcp)) {
      added = self->report.due && report_add (self, &rtcp, ssrc);
      added |= wish_add (self, &rtcp, ssrc);
      takes_add (self, &rtcp, ssrc); /* no reason to send the packet, */
      hold_add (self, &rtcp, ssrc);  /* nor is this */
    }
    g_mutex_unlock (&self->lock);
    gst_rtcp_buffer_unmap (&rtcp);
  }
  gst_object_unref (self);
  return added;
}

/* --- the session -------------------------------------------------------- */

/* Only the streaming thread, which rtpsession's own use of it is in, changes
 * this. */
void
recv_session_hurry (GstRtpAdaptRecv *self)
{
  GstElement *element = NULL;
  RaSpan wanted, set;

  g_mutex_lock (&self->lock);
  wanted = self->frame.wanted;
  set = self->frame.set;
  if (wanted != set)
    element = tap_element (&self->tap);
  g_mutex_unlock (&self->lock);
  if (!element)
    return;
  set = tap_set_twcc_interval (element, wanted, set);
  gst_object_unref (element);
  g_mutex_lock (&self->lock);
  self->frame.set = set;
  g_mutex_unlock (&self->lock);
}

/* The session `link` is let go: what was set in it is taken back. */
static void
link_forget (TapLink *link, RaSpan set)
{
  if (link->element && set != RA_SPAN_NONE)
    tap_set_twcc_interval (link->element, RA_SPAN_NONE, set);
  tap_link_cut (link);
}

void
recv_session_forget (GstRtpAdaptRecv *self)
{
  TapLink link;
  RaSpan set;

  g_mutex_lock (&self->lock);
  link = tap_drop (&self->tap);
  set = frame_let_go (&self->frame);
  g_mutex_unlock (&self->lock);
  link_forget (&link, set);
}

static const TapHandler handlers[] = {
  { "on-sending-rtcp", G_CALLBACK (on_sending_rtcp) },
};

/* TRUE: the session has to be looked for now. */
static gboolean
search_plan (GstRtpAdaptRecv *self, TapSearch *search)
{
  gboolean look;
  RaTime now;

  g_mutex_lock (&self->lock);
  now = our_now (&self->clock);
  look = self->tap.stale && self->session_again <= now
      && (recv_kind_is_ours (self->reports) || self->ids.number > 0);
  if (look) {
    self->session_again = ra_later (now, FIND_INTERVAL);
    *search = tap_plan (&self->tap);
  }
  g_mutex_unlock (&self->lock);
  return look;
}

/* The lock is held. */
static void
session_warn (GstRtpAdaptRecv *self, TapResult result, const TapSearch *search)
{
  if (!recv_kind_is_ours (self->reports))
    return;
  if (result == TAP_NONE)
    recv_warn (self, RECV_WARNED_NO_SESSION, GST_RESOURCE_ERROR_NOT_FOUND,
        "There is no rtpsession or rtpbin downstream to send feedback.",
        "feedback=tfrc and feedback=ccfb need one");
  if (result == TAP_OTHER && !search->avpf)
    recv_warn (self, RECV_WARNED_NO_AVPF, GST_RESOURCE_ERROR_SETTINGS,
        "The RTP session is not meant to send feedback in time: set "
        "rtp-profile=avpf.",
        "RFC 4585");
}

void
recv_session_find (GstRtpAdaptRecv *self)
{
  RaSpan set = RA_SPAN_NONE;
  TapLink gone = { NULL };
  TapSearch search;
  TapResult result;

  if (!search_plan (self, &search))
    return;
  tap_find (&search, self->srcpad, handlers, G_N_ELEMENTS (handlers), self);
  g_mutex_lock (&self->lock);
  result = tap_take (&self->tap, &search);
  if (result == TAP_NONE)
    gone = tap_drop (&self->tap);
  if (result == TAP_OTHER) {
    GST_INFO_OBJECT (
        self, "reports go with %" GST_PTR_FORMAT, search.found.element);
    gone = search.before;
    search.before = (TapLink){ NULL };
  }
  if (result == TAP_OTHER || result == TAP_NONE)
    set = frame_let_go (&self->frame);
  session_warn (self, result, &search);
  g_mutex_unlock (&self->lock);
  link_forget (&gone, set);
  tap_end (&search);
}
