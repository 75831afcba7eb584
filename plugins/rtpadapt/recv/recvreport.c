/* rtpadaptrecv: when a report is due, and how it gets into RTCP.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The library says when.  rtpsession is asked for an RTCP packet then, and
 * decides when RFC 4585 allows one; the report is made when that packet is, so
 * that it tells of all that came meanwhile.
 */
#include "recvpriv.h"

#include "parts/weak.h"

#define GST_CAT_DEFAULT gst_rtp_adapt_recv_debug

/* The session is looked for at most so often. */
#define FIND_INTERVAL (200 * RA_MSECOND)
/* Asked at least, and at most, so often while a report is due. */
#define ASK_MIN (5 * RA_MSECOND)
#define ASK_MAX (200 * RA_MSECOND)
/* Nobody needs feedback more often than there are frames: 50 Hz. */
#define SLOW_MIN (20 * RA_MSECOND)
/* Reports in a row that were late: it is the settings, not chance. */
#define SLOW_ROW 10
/* What rtpsession counts for UDP and IP. */
#define UDP_IP 28
/* An RTCP packet with RR, SDES, RADP and TFRC-FB, if none has been seen. */
#define RTCP_SIZE 200
/* Us and the sender. */
#define MEMBERS 2
/* RFC 3550 6.2: RTCP has a twentieth of the session's bandwidth. */
#define RTCP_SHARE 20
/* A frame that takes longer is answered meanwhile, so often. */
#define FRAME_LONG (50 * RA_MSECOND)
/* A packet that comes this long after the one before it is answered at once,
 * because the sender may wait for the answer before it sends another. */
#define FRAME_LONE (200 * RA_MSECOND)
/* More than an MTU is of no use. */
#define FCI_MAX 1500
/* From 1900 to 1970: NTP's time (RFC 5905 6) and g_get_real_time(). */
#define NTP_UNIX (G_GUINT64_CONSTANT (2208988800) * GST_SECOND)

/* --- the timer (lock held) ---------------------------------------------- */

/* Reports shall not be farther apart. */
static RaSpan
spacing (GstRtpAdaptRecv *self)
{
  RaReporterStats stats;

  if (self->reports == RA_REPORTS_CCFB)
    return (RaSpan) self->cfg.interval;
  ra_reporter_get_stats (self->reporter, &stats);
  return stats.rtt > 0 ? CLAMP (stats.rtt, ASK_MIN, ASK_MAX) : ASK_MAX;
}

gboolean
recv_report_due (GstRtpAdaptRecv *self, RaTime now)
{
  if (self->due)
    return FALSE; /* asked for already, and again by the timer */
  self->due = TRUE;
  self->due_since = now;
  self->ask_again = ra_later (now, spacing (self));
  return TRUE;
}

/* The feedback timer expired.  In silence there is nothing to report, as the
 * reporter finds out (RFC 5348 6.2), and no RTCP packet to be asked for: the
 * first packet after it may need one at once. */
static gboolean
report_timer (GstRtpAdaptRecv *self, RaTime now)
{
  RaTfrcFb fb;
  RaRadp radp;
  guint32 ssrc;

  if (!self->fresh && self->reports == RA_REPORTS_TFRC) {
    ra_reporter_tfrc (self->reporter, now, &fb, &radp, &ssrc);
    return FALSE;
  }
  return recv_report_due (self, now);
}

/* TRUE: ask the session. */
static gboolean
timer_run (GstRtpAdaptRecv *self, RaTime now)
{
  gboolean ask = FALSE;

  if (herald_stats_due (&self->herald, now, self->cfg.stats_interval))
    recv_post (
        self, gst_message_new_element (GST_OBJECT (self), recv_stats (self)));
  if (self->due && self->ask_again <= now) {
    self->ask_again = ra_later (now, spacing (self));
    ask = TRUE;
  } else if (!self->due && ra_reporter_next_timeout (self->reporter) <= now) {
    ask = report_timer (self, now);
  }
  return ask;
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

/* One that would come too early is left alone: it looks again. */
void
recv_timer_set (GstRtpAdaptRecv *self)
{
  RaTime t = self->herald.next_stats;

  if (!self->reporter || self->eos)
    return;
  t = MIN (t,
      self->due ? self->ask_again : ra_reporter_next_timeout (self->reporter));
  if (t == RA_TIME_NONE || (self->wait && self->wait_until <= t))
    return;
  recv_timer_stop (self);
  self->wait = gst_clock_new_single_shot_id (
      self->clock.clock, our_clock_time (&self->clock, t));
  self->wait_until = t;
  if (gst_clock_id_wait_async (self->wait, on_timer, weak_new (self), weak_free)
      != GST_CLOCK_OK)
    GST_WARNING_OBJECT (
        self, "%" GST_PTR_FORMAT " has no timer", self->clock.clock);
}

/* --- asking for RTCP ---------------------------------------------------- */

/* The lock is held. */
static void
slow_warn (GstRtpAdaptRecv *self)
{
  RaSpan want = MAX (spacing (self), SLOW_MIN);
  guint64 need = recv_rtcp_bandwidth (
      self->rtcp_size ? self->rtcp_size : RTCP_SIZE, MEMBERS, want);
  g_autofree gchar *text = g_strdup_printf (
      "The RTP session sends feedback less often than the sender needs it: "
      "set its bandwidth to %" G_GUINT64_FORMAT " bit/s at least.",
      need * RTCP_SHARE);
  g_autofree gchar *debug = g_strdup_printf ("%" G_GUINT64_FORMAT
                                             " bit/s of RTCP for a report each "
                                             "%" G_GINT64_FORMAT " ms",
      need, want / RA_MSECOND);

  recv_warn (self, RECV_WARNED_SLOW, GST_RESOURCE_ERROR_SETTINGS, text, debug);
}

/* A report was made, or refused, so long after it was due; the lock is held. */
static void
slow_count (GstRtpAdaptRecv *self, RaSpan waited)
{
  if (waited <= MAX (spacing (self), SLOW_MIN) / 2) {
    self->n_slow = 0;
    return;
  }
  if (++self->n_slow >= SLOW_ROW)
    slow_warn (self);
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
  if (self->reporter && self->due)
    slow_count (self, MAX (delay, SLOW_MIN));
  g_mutex_unlock (&self->lock);
}

/* --- the report --------------------------------------------------------- */

/* TRUE if there was something to say. */
static gboolean
tfrc_add (GstRtpAdaptRecv *self, GstRTCPBuffer *rtcp, guint32 ssrc, RaTime now)
{
  guint32 media_ssrc;
  RaTfrcFb fb;
  RaRadp radp;

  if (!ra_reporter_tfrc (self->reporter, now, &fb, &radp, &media_ssrc))
    return FALSE;
  recv_rtcp_add_tfrc (rtcp, ssrc, media_ssrc, self->cfg.tfrc_fmt, &fb, &radp);
  return TRUE;
}

static gboolean
ccfb_add (GstRtpAdaptRecv *self, GstRTCPBuffer *rtcp, guint32 ssrc, RaTime now)
{
  gsize room = MIN (recv_rtcp_room (rtcp) - RECV_CCFB_HEADER, FCI_MAX);
  RaTime ntp = (guint64) g_get_real_time () * GST_USECOND + NTP_UNIX;
  guint8 fci[FCI_MAX];
  guint32 media_ssrc;
  gsize len
      = ra_reporter_ccfb (self->reporter, now, ntp, &media_ssrc, fci, room);

  if (len == 0)
    return FALSE;
  recv_rtcp_add_ccfb (rtcp, ssrc, media_ssrc, fci, len);
  return TRUE;
}

/* The lock is held. */
static gboolean
report_add (GstRtpAdaptRecv *self, GstRTCPBuffer *rtcp, guint32 ssrc)
{
  gboolean tfrc = self->reports == RA_REPORTS_TFRC;
  RaTime now = our_now (&self->clock);
  gboolean added;

  /* RTS and one block of two packets. */
  if (recv_rtcp_room (rtcp)
      < (tfrc ? RECV_TFRC_SIZE_MAX : RECV_CCFB_HEADER + 12)) {
    self->count.reports_no_room++;
    return FALSE;
  }
  added = tfrc ? tfrc_add (self, rtcp, ssrc, now)
               : ccfb_add (self, rtcp, ssrc, now);
  self->due = self->fresh = FALSE;
  if (added) {
    self->count.reports_sent++;
    self->rtcp_size = rtcp->map.size + UDP_IP;
    slow_count (self, ra_diff (now, self->due_since));
    GST_LOG_OBJECT (self,
        "report %" G_GUINT64_FORMAT ", %" GST_STIME_FORMAT " after it was due",
        self->count.reports_sent,
        GST_STIME_ARGS (ra_diff (now, self->due_since)));
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
    nick = recv_kind_wish (self, our_now (&self->clock));
  if (nick)
    recv_rtcp_add_wish (rtcp, ssrc, nick);
  return nick != NULL;
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
      added = self->due && report_add (self, &rtcp, ssrc);
      added |= wish_add (self, &rtcp, ssrc);
    }
    g_mutex_unlock (&self->lock);
    gst_rtcp_buffer_unmap (&rtcp);
  }
  gst_object_unref (self);
  return added;
}

/* --- the session -------------------------------------------------------- */

/* With twcc rtpsession 1.22 answers when a frame is complete: of a first frame
 * that the sender paces out for a second it would say nothing for a second.  It
 * counts the interval from the first packet: that frame is taken for long at
 * once.  So is a frame that begins after a pause, because the rest of it may not
 * come: its first packet is answered, as the interval that began before is over. */
void
recv_frame_watch (GstRtpAdaptRecv *self, gboolean marker, RaTime now)
{
  gboolean twcc = self->reports == RA_REPORTS_NONE && self->ids.number > 0
      && !self->untimely;
  gboolean lone
      = self->heard != RA_TIME_NONE && ra_diff (now, self->heard) >= FRAME_LONE;

  self->heard = now;

  if (self->frame_since == RA_TIME_NONE)
    self->frame_since = now;
  self->hurry = twcc && !marker
      && (!self->framed || lone
          || ra_diff (now, self->frame_since) >= FRAME_LONG);
  self->framed |= marker;
  if (marker)
    self->frame_since = RA_TIME_NONE;
}

/* What the application has set stays.  TRUE if it is ours now. */
static gboolean
session_set_hurry (GstElement *element, gboolean hurry)
{
  GObject *session;
  guint64 interval;

  g_object_get (element, "internal-session", &session, NULL);
  g_object_get (session, "twcc-feedback-interval", &interval, NULL);
  if (!hurry || interval == GST_CLOCK_TIME_NONE)
    g_object_set (session, "twcc-feedback-interval",
        hurry ? (guint64) FRAME_LONG : GST_CLOCK_TIME_NONE, NULL);
  g_object_unref (session);
  return hurry && interval == GST_CLOCK_TIME_NONE;
}

/* Only the streaming thread, which rtpsession's own use of it is in, changes
 * this. */
void
recv_session_hurry (GstRtpAdaptRecv *self)
{
  GstElement *element = NULL;
  gboolean hurry, hurried;

  g_mutex_lock (&self->lock);
  hurry = self->hurry;
  if (hurry != self->hurried)
    element = tap_element (&self->tap);
  g_mutex_unlock (&self->lock);
  if (!element)
    return;
  hurried = session_set_hurry (element, hurry);
  gst_object_unref (element);
  g_mutex_lock (&self->lock);
  self->hurried = hurried;
  g_mutex_unlock (&self->lock);
}

/* The session `link` is let go: what was set in it is taken back. */
static void
link_forget (TapLink *link, gboolean hurried)
{
  if (link->element && hurried)
    session_set_hurry (link->element, FALSE);
  tap_link_cut (link);
}

void
recv_session_forget (GstRtpAdaptRecv *self)
{
  gboolean hurried;
  TapLink link;

  g_mutex_lock (&self->lock);
  link = tap_drop (&self->tap);
  hurried = self->hurried;
  self->hurried = FALSE;
  g_mutex_unlock (&self->lock);
  link_forget (&link, hurried);
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
      && (self->reports != RA_REPORTS_NONE || self->ids.number > 0);
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
  if (self->reports == RA_REPORTS_NONE)
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
  gboolean hurried = FALSE;
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
  if (result == TAP_OTHER)
    GST_INFO_OBJECT (
        self, "reports go with %" GST_PTR_FORMAT, search.found.element);
  if (result == TAP_OTHER || result == TAP_NONE) {
    hurried = self->hurried;
    self->hurried = FALSE;
  }
  session_warn (self, result, &search);
  g_mutex_unlock (&self->lock);
  link_forget (&gone, hurried);
  if (hurried && result == TAP_OTHER && search.before.element)
    session_set_hurry (search.before.element, FALSE);
  tap_end (&search);
}
