/* rtpadaptsend: does what the parts want: the job, messages, statistics.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One job at a time in GStreamer's thread pool, where it may block: an encoder
 * takes a new bitrate between two frames, an application does as it likes in a
 * notify handler.  Of the values that came meanwhile the job uses the latest.
 */
#include "parts/enums.h"
#include "sendpriv.h"
#include "sendstats.h"
#include "sendwarnings.h"

#include <gst/rtpadapt/lda.h>

#define GST_CAT_DEFAULT gst_rtp_adapt_send_debug

/* A sender that nobody answered for this long decides nothing for an encoder that others
 * have too. */
#define QUIET (3 * RA_SECOND)
/* The truth about a loss may come after the report of it. */
#define TRUTH_LOSSES 10

static void job (GstElement *element, gpointer user_data);

void
send_job_start (GstRtpAdaptSend *self)
{
  send_assert_locked (self);
  if (herald_wake (&self->herald))
    gst_element_call_async (GST_ELEMENT (self), job, NULL, NULL);
}

void
send_wake (GstRtpAdaptSend *self)
{
  send_assert_locked (self);
  pace_wake (&self->pace);
}

void
send_apply (GstRtpAdaptSend *self, SendWants wants)
{
  if (wants & SEND_REFRESH)
    key_gate_lack (&self->keys);
  if (wants & SEND_SEARCH)
    send_upstream_changed (self);
  if (wants & (SEND_JOB | SEND_SEARCH))
    send_job_start (self);
  if (wants & SEND_WAKE)
    send_wake (self);
}

/* Posts these.  The lock is held, and let go if there are any. */
static void
notices_give (GstRtpAdaptSend *self, Notices *notices)
{
  if (!notices->list)
    return;
  g_mutex_unlock (&self->lock);
  notices_post (notices, GST_ELEMENT (self));
  g_mutex_lock (&self->lock);
}

/* --- what is heard ------------------------------------------------------------ */

RaEar *
send_ear_configured (GstRtpAdaptSend *self)
{
  ra_ear_set (self->ear.ear,
      &(RaEarConfig){ .kind = self->mode.kind,
          .tfrc_fmt = self->cfg.tfrc_fmt,
          .ecn = self->cfg.ecn,
          .skips = self->cfg.skip_interval > 0,
          .renumbered = self->skippers.renumbered });
  return self->ear.ear;
}

static void
losses_take (GstRtpAdaptSend *self)
{
  guint64 unposted = ra_ear_take_left_out (self->ear.ear);
  RaEarLoss loss;

  while (ra_ear_next_loss (self->ear.ear, &loss)) {
    if (herald_is_full (&self->herald))
      unposted++;
    else if (self->cfg.loss_messages)
      herald_post (&self->herald,
          gst_message_new_element (
              GST_OBJECT (self), send_ear_loss (&loss, &self->clock)));
  }
  if (self->cfg.loss_messages)
    herald_leave_out (&self->herald, unposted);
}

static void
news_log (GstRtpAdaptSend *self, RaEarNews news)
{
  RaEarStats stats;

  if (news & RA_EAR_LIE)
    GST_INFO_OBJECT (self, "packets came that were never sent");
  if (news & RA_EAR_DOUBTFUL)
    GST_INFO_OBJECT (self, "a report that may be spoilt is ignored");
  if (news & RA_EAR_REALIGNED)
    GST_WARNING_OBJECT (self, "rtpsession's numbers moved against ours");
  if (!(news & RA_EAR_ECN))
    return;
  stats = send_ear_stats (&self->ear);
  GST_INFO_OBJECT (self, "ECN: %s, fault: %s",
      ra_ecn_state_nick (stats.ecn_state), ra_ecn_fault_nick (stats.ecn_fault));
}

static gboolean
is_quiet (const GstRtpAdaptSend *self, RaTime now)
{
  return ra_diff (now, self->ear.heard_at) > QUIET;
}

/* TRUE: the receiver uses FEC, or it is sent without its word. */
static gboolean
fec_goes (const GstRtpAdaptSend *self)
{
  return !self->fecencs.off
      && rtx_gate_fec (self->cfg.fec_unasked,
          self->ear.ear ? ra_ear_takes (self->ear.ear) : NULL);
}

/* RTP that was made elsewhere has no number, without which the receiver has nothing to
 * report; FEC protects packets as they are (RFC 5109 7.3).  While no FEC has gone yet, it
 * gives way where no stream has numbers.  Numbers of one stream are enough for the receiver
 * to report, and FEC of that stream is of use. */
SendWants
send_on_no_room (GstRtpAdaptSend *self)
{
  const RaFeedbackOps *kind = self->mode.wanted;

  if (kind->extension && !kind->by_number && !fec_goes (self)
      && self->fecencs.others == 0)
    fecencs_give_way (&self->fecencs);
  return mode_on_no_room (&self->mode);
}

/* TRUE: somebody makes FEC, and it goes to the receiver. */
static gboolean
fec_is_made (const GstRtpAdaptSend *self)
{
  return self->fecencs.usable && fec_goes (self);
}

/* What is wanted for this receiver, or made for another one. */
static guint
fec_level (const GstRtpAdaptSend *self)
{
  return MAX (ra_sender_fec (self->sender), self->fecencs.others);
}

/* What the reports show to be lost is to be sent again; the rate has heard of it by
 * now. */
static void
losses_mend (GstRtpAdaptSend *self, RaTime now)
{
  const RaRepairConfig config
      = rtx_gate_config (&self->rtx, self->cfg.retransmission,
          self->cfg.plain_repeats && ra_ear_is_stranger (self->ear.ear),
          self->mode.kind, ra_ear_takes (self->ear.ear),
          ra_ear_hold (self->ear.ear), (RaSpan) self->cfg.receiver_latency);
  RaRepair *repair = ra_sender_repair (self->sender);
  gboolean one_size;

  ra_repair_set (repair, &config);
  /* Where the receiver holds packets for FEC, frames of one size save nothing. */
  one_size = config.follows && (fec_level (self) == 0 || !fec_is_made (self));
  send_apply (self,
      encoders_set_largest (
          &self->encoders, one_size ? 1 : ra_repair_largest (repair)));
  ra_repair_look (repair, ra_sender_ledger (self->sender), now);
  if (ra_repair_due (repair) <= now)
    send_wake (self);
}

void
send_on_news (GstRtpAdaptSend *self, RaEarNews news, RaTime now)
{
  losses_take (self);
  news_log (self, news);
  send_apply (
      self, send_ear_take (&self->ear, news, &self->mode, &self->outage, now));
  losses_mend (self, now);
}

/* The new one may be none of ours: repair packets that it does not know would stand in its
 * jitterbuffer as losses. */
void
rtp_adapt_send_new_receiver (GstRtpAdaptSend *self)
{
  g_mutex_lock (&self->lock);
  if (self->sender) {
    ra_ear_forget_peer (self->ear.ear, send_now (self));
    mode_on_receiver (&self->mode);
    rtx_gate_on_receiver (&self->rtx);
    losses_mend (self, send_now (self));
    send_apply (self, SEND_REFRESH | SEND_JOB);
  }
  g_mutex_unlock (&self->lock);
}

/* --- the session -------------------------------------------------------- */

/* A compound from the peer; the lock is held. */
static void
rtcp_take (GstRtpAdaptSend *self, const guint8 *bytes, gsize len)
{
  RaTime now;

  if (!self->sender)
    return;
  now = send_now (self);
  outage_on_rtcp (&self->outage, now);
  send_on_news (
      self, ra_ear_on_rtcp (send_ear_configured (self), bytes, len, now), now);
}

static void
on_receiving_rtcp (GObject *session, GstBuffer *buffer, gpointer data)
{
  GstRtpAdaptSend *self = g_weak_ref_get (data);
  GstMapInfo map;

  if (!self)
    return;
  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    g_mutex_lock (&self->lock);
    rtcp_take (self, map.data, map.size);
    g_mutex_unlock (&self->lock);
    gst_buffer_unmap (buffer, &map);
  }
  gst_object_unref (self);
}

static gboolean
on_sending_rtcp (
    GObject *session, GstBuffer *buffer, gboolean early, gpointer data)
{
  GstRtpAdaptSend *self = g_weak_ref_get (data);
  GstMapInfo map;

  if (!self)
    return FALSE;
  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    g_mutex_lock (&self->lock);
    if (self->sender)
      ra_ear_on_rtcp_sent (self->ear.ear, map.data, map.size, send_now (self));
    g_mutex_unlock (&self->lock);
    gst_buffer_unmap (buffer, &map);
  }
  gst_object_unref (self);
  return FALSE;
}

static const TapHandler handlers[] = {
  { "on-receiving-rtcp", G_CALLBACK (on_receiving_rtcp) },
  { "on-sending-rtcp", G_CALLBACK (on_sending_rtcp) },
};

/* The lock is held, and let go for the search. */
static void
session_search (GstRtpAdaptSend *self)
{
  TapSearch search = tap_plan (&self->tap);
  TapResult result;

  g_mutex_unlock (&self->lock);
  tap_find (&search, self->srcpad, handlers, G_N_ELEMENTS (handlers), self);
  g_mutex_lock (&self->lock);
  result = tap_take (&self->tap, &search);
  if (result == TAP_OTHER) {
    GST_INFO_OBJECT (self, "it feeds %" GST_PTR_FORMAT, search.found.element);
    if (self->ear.ear)
      ra_ear_forget_rtcp_sent (self->ear.ear);
  }
  if (result != TAP_LATE)
    mode_on_session (&self->mode, tap_is_on (&self->tap),
        search.found.element ? search.avpf : self->mode.avpf);
  g_mutex_unlock (&self->lock);
  tap_end (&search);
  g_mutex_lock (&self->lock);
}

/* --- the kind of feedback ------------------------------------------------ */

/* Finds the session and settles how the receiver is heard.  The lock is held, and
 * let go. */
static void
mode_drive (GstRtpAdaptSend *self)
{
  const RaFeedbackOps *wanted = self->mode.wanted, *kind;
  g_autofree gchar *difference = NULL;
  Notices notices = { NULL };
  ModeNews news;

  if (self->sender && self->tap.stale)
    session_search (self);
  if (!self->sender)
    return;
  news = mode_choose (&self->mode, wanted);
  kind = self->mode.kind;
  if (news.changed)
    GST_INFO_OBJECT (self, "feedback: %s", ra_feedback_name (kind));
  difference = mode_difference (&self->mode, wanted);
  if (difference && send_warn_once (self, SEND_WARNED_OTHER))
    warn_of_difference (&notices, difference, wanted, kind);
  warn_of_lacks (&notices, news.lacks, wanted, kind);
  notices_give (self, &notices);
}

/* --- messages ------------------------------------------------------------ */

/* The lock is held, and let go. */
static void
messages_post (GstRtpAdaptSend *self)
{
  GstMessage *message;

  while ((message = herald_next (&self->herald))) {
    g_mutex_unlock (&self->lock);
    gst_element_post_message (GST_ELEMENT (self), message);
    g_mutex_lock (&self->lock);
  }
}

/* The lock is held, and let go. */
static void
breaker_post (GstRtpAdaptSend *self)
{
  Notices notices = { NULL };
  RaSenderStats stats;

  if (!self->sender)
    return;
  ra_sender_get_stats (self->sender, &stats);
  if (!herald_is_news (&self->herald, SEND_NEWS_BREAKER, stats.breaker))
    return;
  herald_post_always (&self->herald,
      gst_message_new_element (GST_OBJECT (self), send_breaker_news (&stats)));
  warn_of_breaker (&notices, stats.breaker, stats.trip, self->mode.kind);
  notices_give (self, &notices);
}

/* --- encoders ----------------------------------------------------------- */

/* Does what encoders_search_plan() has planned.  The lock is held, and let go. */
static void
encoders_search (GstRtpAdaptSend *self, EncodersSearch *search)
{
  SendWants wants;

  g_mutex_unlock (&self->lock);
  encoders_search_do (search, self->sinkpad);
  g_mutex_lock (&self->lock);
  wants = encoders_search_take (&self->encoders, search);
  if (search->origins)
    streams_on_search (&self->way.streams, g_steal_pointer (&search->origins),
        search->others_driven);
  send_apply (self, wants);
  g_mutex_unlock (&self->lock);
  notices_post (&search->notices, GST_ELEMENT (self));
  encoders_search_end (search);
  g_mutex_lock (&self->lock);
}

/* Gives each encoder its share.  The lock is held, and let go. */
static void
encoders_set (GstRtpAdaptSend *self)
{
  RaTime now = send_now (self);
  guint64 rate = ra_sender_rate (self->sender);
  Notices notices = { NULL };
  RaSplit split;
  EncodersJob job;

  ra_sender_split (self->sender, pace_waiting (&self->pace, rate), &split);
  encoders_plan (&self->encoders,
      encoders_share (&self->encoders, &split, rate,
          streams_other_bitrate (&self->way.streams, now)),
      is_quiet (self, now), now, &job);
  job.adapt_size = self->cfg.adapt_size;
  g_mutex_unlock (&self->lock);
  encoders_do (&job, self->sinkpad);
  for (guint i = 0; i < job.n_done; i++) {
    if (job.tasks[i].changed)
      GST_DEBUG_OBJECT (self,
          "%" GST_PTR_FORMAT ": %" G_GUINT64_FORMAT " bit/s, %s",
          job.tasks[i].element, job.tasks[i].state.bps,
          job.tasks[i].about.row.change);
  }
  g_mutex_lock (&self->lock);
  send_apply (self, encoders_take (&self->encoders, &job));
  g_mutex_unlock (&self->lock);
  if (job.too_large)
    warn_of_too_large (&notices, GST_OBJECT_NAME (job.too_large));
  notices_post (&notices, GST_ELEMENT (self));
  for (guint i = 0; i < job.n; i++) {
    if (job.tasks[i].proposal)
      gst_element_post_message (GST_ELEMENT (self),
          gst_message_new_element (
              GST_OBJECT (self), g_steal_pointer (&job.tasks[i].proposal)));
  }
  encoders_end (&job);
  g_mutex_lock (&self->lock);
}

/* The lock is held, and let go. */
static void
encoders_drive (GstRtpAdaptSend *self)
{
  const EncodersConfig config = { self->cfg.encoder, self->cfg.encoder_property,
    self->cfg.encoder_unit };
  EncodersSearch search;

  if (self->sender && encoders_search_plan (&self->encoders, &config, &search))
    encoders_search (self, &search);
  if (!self->sender)
    return;
  /* No encoder takes a bitrate of 0, and the breakers of others that drive it may
   * be closed. */
  if (ra_sender_is_open (self->sender)
      || pace_is_unlinked (&self->pace)) /* nothing leaves */
    encoders_pause (&self->encoders);
  else
    encoders_set (self);
}

/* After a stop the encoders get back what they had.  One may block until a
 * sink that is about to stop lets its stream go on, so the thread that changes the state
 * cannot do it.  The lock is held, and let go. */
static void
encoders_give_back (GstRtpAdaptSend *self)
{
  g_autoptr (GPtrArray) dropped = encoders_take_dropped (&self->encoders);

  if (!dropped)
    return;
  g_mutex_unlock (&self->lock);
  encoders_restore (dropped);
  g_clear_pointer (&dropped, g_ptr_array_unref);
  g_mutex_lock (&self->lock);
}

/* --- FEC and numbers that are left out ---------------------------------- */

/* Losses to congestion end with the lower rate, of which FEC would take a part.  Only of a
 * code of maximum distance so few repair packets are of use. */
static gdouble
late_loss (const GstRtpAdaptSend *self, RaFecCode code)
{
  return code == RA_FEC_CODE_RS && fec_goes (self)
          && !ra_fecs[self->cfg.fec]->none
      ? ra_repair_late_radio (ra_sender_repair (self->sender))
      : 0;
}

/* Behind an open breaker nobody is reached. */
static FecRank
fec_rank (GstRtpAdaptSend *self)
{
  if (is_quiet (self, send_now (self)) || ra_sender_is_open (self->sender)
      || pace_is_unlinked (&self->pace))
    return FEC_RANK_SILENT;
  return fec_goes (self) ? FEC_RANK_USED : FEC_RANK_UNUSED;
}

/* The receiver says which codes it knows. */
static FecWants
fec_wants (GstRtpAdaptSend *self)
{
  const RaRepair *repair = ra_sender_repair (self->sender);
  const RaTakes *takes = self->ear.ear ? ra_ear_takes (self->ear.ear) : NULL;
  gboolean rs = takes && takes->flags & RA_TAKES_RS;
  RaFecCode code = self->cfg.fec_code != GST_RTP_ADAPT_FEC_AUTO
      ? (RaFecCode) self->cfg.fec_code
      : (rs ? RA_FEC_CODE_RS : RA_FEC_CODE_XOR);

  return (
      FecWants){ .level = fec_goes (self) ? ra_sender_fec (self->sender) : 0,
    .span = ra_repair_block_span (repair),
    .code = code,
    .late = late_loss (self, code),
    .rest = late_loss (self, code) * ra_repair_surprised (repair),
    .rank = fec_rank (self) };
}

/* The lock is held, and let go. */
static void
fecencs_drive (GstRtpAdaptSend *self)
{
  FecEncodersJob job;
  FecWants wants;

  if (!self->sender)
    return;
  wants = fec_wants (self);
  if (!fecencs_plan (&self->fecencs, &wants, &job))
    return;
  g_mutex_unlock (&self->lock);
  fecencs_do (&job, self->sinkpad);
  if (job.changed)
    GST_DEBUG_OBJECT (self, "FEC encoders: %u %%", job.level);
  g_mutex_lock (&self->lock);
  send_apply (self, fecencs_take (&self->fecencs, &job));
  if (self->sender) {
    ra_sender_set_fec_made (self->sender, fec_is_made (self));
    ra_sender_set_fec_others (self->sender, self->fecencs.others);
    ra_sender_set_fec_code (
        self->sender, self->fecencs.code, self->fecencs.block);
  }
  g_mutex_unlock (&self->lock);
  notices_post (&job.notices, GST_ELEMENT (self));
  fecencs_end (&job);
  g_mutex_lock (&self->lock);
}

/* Packets between two numbers that are left out; 0: none is.  That tries feedback
 * about RTP numbers: RFC 8888's, and TFRC's where the receiver counts by them.
 * Transport-wide numbers are rtpsession's.  Before the caps went out it is not known
 * by what the receiver counts. */
static guint
skip_interval (const GstRtpAdaptSend *self)
{
  const RaFeedbackOps *kind = self->mode.kind;
  gboolean by_number = kind
      && (kind->by_number
          || (kind->by_count && self->way.out.twcc == 0
              && ra_ear_is_stamped (self->ear.ear)));

  return by_number && self->mode.said.any ? self->cfg.skip_interval : 0;
}

/* The lock is held, and let go. */
static void
skippers_drive (GstRtpAdaptSend *self)
{
  SkippersJob job;

  if (self->sender
      && skippers_plan (&self->skippers, self->cfg.skip_interval > 0, &job)) {
    g_mutex_unlock (&self->lock);
    skippers_do (&job, self->sinkpad, self->srcpad);
    g_mutex_lock (&self->lock);
    skippers_take (&self->skippers, &job);
    g_mutex_unlock (&self->lock);
    skippers_end (&job);
    g_mutex_lock (&self->lock);
  }
  if (self->sender)
    skippers_set (&self->skippers, skip_interval (self));
}

/* Warns once of a receiver that lies, of ECN that is not used, and of causes of losses
 * that nobody knows.  The lock is held, and let go. */
static void
peer_judge (GstRtpAdaptSend *self)
{
  const RaFeedbackOps *wanted = self->mode.wanted;
  Notices notices = { NULL };
  RaSenderStats stats;
  RaEarStats heard;

  if (!self->sender)
    return;
  ra_sender_get_stats (self->sender, &stats);
  heard = send_ear_stats (&self->ear);
  if (stats.lies > 0 && send_warn_once (self, SEND_WARNED_LIAR))
    warn_of_lies (&notices);
  if (self->cfg.ecn != RA_ECN_NOT_ECT && !wanted->per_packet_ecn
      && send_warn_once (self, SEND_WARNED_ECN_UNHEARD))
    warn_of_ecn_unheard (&notices, wanted);
  if (self->cfg.ecn != RA_ECN_NOT_ECT && heard.ecn_state == RA_ECN_FAILED
      && send_warn_once (self, SEND_WARNED_ECN_FAILED))
    warn_of_ecn_failed (&notices, heard.ecn_fault);
  if (ra_ldas[self->cfg.lda]->truth
      && stats.loss.congestion + stats.loss.wireless >= TRUTH_LOSSES
      && heard.known_congestion + heard.known_wireless == 0
      && send_warn_once (self, SEND_WARNED_TRUTH))
    warn_of_no_truth (&notices, ra_ldas[self->cfg.lda]);
  notices_give (self, &notices);
}

RaSpan
send_keys_interval (const GstRtpAdaptSend *self)
{
  return key_gate_interval (ra_sender_rtt (self->sender));
}

void
send_keys_pass (GstRtpAdaptSend *self)
{
  GstEvent *event;

  while (self->sender
      && (event = key_gate_take (
              &self->keys, send_keys_interval (self), send_now (self)))) {
    g_mutex_unlock (&self->lock);
    gst_pad_push_event (self->sinkpad, event);
    g_mutex_lock (&self->lock);
  }
}

/* Where the timer found that the time of a request has come.  The lock is held, and let
 * go. */
static void
keys_look (GstRtpAdaptSend *self)
{
  if (!key_gate_begin (&self->keys))
    return;
  send_wake (self);
  send_keys_pass (self);
}

/* --- the job ------------------------------------------------------------ */

/* The log says why the rate is what it is.  The lock is held, and let go if the rate
 * changed. */
static void
rate_notify (GstRtpAdaptSend *self)
{
  RaSenderStats stats;
  guint64 rate;

  if (!self->sender)
    return;
  rate = ra_sender_rate (self->sender);
  ra_sender_get_stats (self->sender, &stats);
  if (herald_is_news (&self->herald, SEND_NEWS_LIMIT, stats.limit))
    GST_DEBUG_OBJECT (self, "%" G_GUINT64_FORMAT " bit/s, limit: %s", rate,
        ra_rate_limit_nick (stats.limit));
  if (!herald_is_news (&self->herald, SEND_NEWS_RATE, rate))
    return;
  g_mutex_unlock (&self->lock);
  g_object_notify (G_OBJECT (self), "estimated-bitrate");
  g_mutex_lock (&self->lock);
}

/* What the picture waits for comes first, since an application may block in what
 * follows: in a notify, or in a handler of a message. */
static void
job (GstElement *element, gpointer user_data)
{
  GstRtpAdaptSend *self = GST_RTP_ADAPT_SEND (element);

  g_mutex_lock (&self->lock);
  do {
    herald_round (&self->herald);
    encoders_drive (self);
    encoders_give_back (self);
    keys_look (self);
    mode_drive (self);
    fecencs_drive (self);
    skippers_drive (self);
    rate_notify (self);
    peer_judge (self);
    breaker_post (self);
    messages_post (self);
  } while (herald_goes_on (&self->herald));
  g_mutex_unlock (&self->lock);
}

/* --- statistics --------------------------------------------------------- */

void
send_stats_restart (GstRtpAdaptSend *self)
{
  herald_stats_restart (&self->herald,
      self->sender ? send_now (self) : RA_TIME_NONE, self->cfg.stats_interval);
  send_wake (self);
}

/* What there is only while the element runs. */
static void
stats_running (GstRtpAdaptSend *self, SendStats *x, guint64 rate)
{
  x->repair = ra_sender_repair (self->sender)->stats;
  x->time = our_clock_time (&self->clock, send_now (self));
  x->heard_ago = send_ear_heard_ago (&self->ear, send_now (self));
  x->backlog = pace_waiting (&self->pace, rate);
  x->dropped = pace_dropped (&self->pace) + self->outage.stale;
  x->dropped_frames
      = pace_dropped_frames (&self->pace) + self->outage.stale_frames;
  x->frames_skipped = encoders_skipped (&self->encoders);
  x->skipped = ra_sender_ledger (self->sender)->skipped;
}

GstStructure *
send_stats (GstRtpAdaptSend *self)
{
  const SendConfig *cfg = &self->cfg;
  const RaFeedbackOps *wanted
      = self->sender ? self->mode.wanted : ra_feedback_at (cfg->feedback);
  guint64 rate = send_rate (self);
  SendStats x = {
    .controller = ra_rates[cfg->controller]->name,
    .lda = ra_ldas[cfg->lda]->name,
    .fec = ra_fecs[cfg->fec]->name,
    .colour = ra_colours[cfg->colour]->name,
    .mode = ra_feedback_name (self->sender ? self->mode.kind : wanted),
    .wanted = ra_feedback_name (wanted),
    .receiver_judges = self->sender && ra_feedback_judges (self->mode.kind),
    .rate = (guint) MIN (rate, G_MAXUINT),
    .encoder_rate = (guint) MIN (encoders_bitrate (&self->encoders), G_MAXUINT),
    .not_rtp = self->way.not_rtp,
    .plain = self->way.plain,
    .late = self->rtx.late,
    .unposted = self->herald.unposted,
    .malformed = self->way.malformed,
    .ceased = self->outage.ceased,
    .probes = self->outage.probes,
    .keys_held = self->keys.held,
    .heard = send_ear_stats (&self->ear),
    .encoders = self->encoders.n,
    .fec_made = fecencs_see (&self->fecencs),
  };

  for (guint i = 0; i < RA_N_MARKS; i++) {
    x.mark_packets[i] = self->way.mark_packets[i];
    x.mark_bytes[i] = self->way.mark_bytes[i];
  }
  if (self->sender)
    stats_running (self, &x, rate);
  return send_stats_new (&x, self->sender, self->ear.ear, &self->way.streams,
      self->sender ? send_now (self) : RA_TIME_NONE);
}
