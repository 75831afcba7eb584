/* rtpadaptsend: the RTPSession it feeds, and which feedback may come from it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The caps that go out say what both sides agreed upon: `extmap-N` the header
 * extensions, `rtcp-fb-*`, which caps from SDP have, the feedback.  Where the
 * way that was asked for lacks something, it is named once, and what is left is
 * used: transport-wide feedback, or receiver reports alone.
 */
#include "parts/enums.h"
#include "parts/extmap.h"
#include "sendpriv.h"

#include <gst/rtp/rtp.h>
#include <gst/rtpadapt/feedback/tfrcfb.h>

#define GST_CAT_DEFAULT gst_rtp_adapt_send_debug

/* `fb` as gst_sdp_media_add_rtcp_fb_attributes_from_media() spells it. */
static const struct
{
  const gchar *nick, *fb;
} ways[] = {
  [GST_RTP_ADAPT_FEEDBACK_TWCC] = { "twcc", "transport-cc" },
  [GST_RTP_ADAPT_FEEDBACK_TFRC] = { "tfrc", "tfrc" },
  [GST_RTP_ADAPT_FEEDBACK_CCFB] = { "ccfb", "ack-ccfb" },
};

#define FB "rtcp-fb-"

const gchar *
send_feedback_nick (gint mode)
{
  return mode == SEND_FEEDBACK_NONE ? "none" : ways[mode].nick;
}

/* --- the session -------------------------------------------------------- */

static void
on_receiving_rtcp (GObject *session, GstBuffer *buffer, gpointer data)
{
  GstRtpAdaptSend *self = g_weak_ref_get (data);

  if (!self)
    return;
  send_on_rtcp (self, buffer);
  gst_object_unref (self);
}

static gboolean
on_sending_rtcp (
    GObject *session, GstBuffer *buffer, gboolean early, gpointer data)
{
  GstRtpAdaptSend *self = g_weak_ref_get (data);

  if (!self)
    return FALSE;
  send_on_rtcp_sent (self, buffer);
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
    if (self->ear)
      ra_ear_forget_rtcp_sent (self->ear);
  }
  if (result == TAP_OTHER || result == TAP_SAME)
    self->hearing.avpf = search.avpf;
  g_mutex_unlock (&self->lock);
  tap_end (&search);
  g_mutex_lock (&self->lock);
}

/* --- what it may be heard by -------------------------------------------- */

static SendLacks
lacks_of (const GstRtpAdaptSend *self, gint way)
{
  const SendHearing *h = &self->hearing;
  gboolean twcc = way == GST_RTP_ADAPT_FEEDBACK_TWCC;
  gboolean on = tap_is_on (&self->tap);
  SendLacks lacks = 0;

  /* rtpsession itself hears transport-wide feedback, whatever its profile, and
   * tells it in an event, which others may send, too. */
  if (!twcc && !on && h->pushed)
    lacks |= SEND_LACKS_SESSION;
  if (!twcc && on && !h->avpf)
    lacks |= SEND_LACKS_AVPF;
  if (!h->said.any)
    return lacks;
  if (twcc ? on : way == GST_RTP_ADAPT_FEEDBACK_TFRC)
    lacks |= h->said.extensions & 1u << way ? 0 : SEND_LACKS_EXTMAP;
  if (h->said.limited && !(h->said.ways & 1u << way))
    lacks |= SEND_LACKS_PEER;
  return lacks;
}

static gint
mode_choose (const GstRtpAdaptSend *self)
{
  const gint twcc = GST_RTP_ADAPT_FEEDBACK_TWCC;

  if (self->other.adopted != SEND_FEEDBACK_NONE
      && !lacks_of (self, self->other.adopted))
    return self->other.adopted;
  if (!lacks_of (self, self->cfg.feedback))
    return self->cfg.feedback;
  if (self->hearing.said.extensions & 1u << twcc && !lacks_of (self, twcc))
    return twcc;
  return SEND_FEEDBACK_NONE;
}

/* What to do about the first of `lacks`. */
static gchar *
lacks_text (SendLacks lacks, gint way)
{
  if (lacks & SEND_LACKS_SESSION)
    return g_strdup ("there is no rtpsession downstream");
  if (lacks & SEND_LACKS_AVPF)
    return g_strdup ("the RTP session does not use it: set rtp-profile=avpf");
  if (lacks & SEND_LACKS_EXTMAP)
    return g_strdup_printf ("the caps lack %s",
        way == GST_RTP_ADAPT_FEEDBACK_TFRC ? "extmap-2=" RA_SEND_TS_URI
                                           : "extmap-1=" EXTMAP_TWCC_URI);
  return g_strdup_printf ("the peer does not offer it: the caps lack " FB
                          "%s=(boolean)true",
      ways[way].fb);
}

/* The lock is not held. */
static void
lacks_warn (GstRtpAdaptSend *self, SendLacks lacks, gint way, gint mode)
{
  for (guint bit = 1; bit < SEND_LACKS_ROOM; bit <<= 1) {
    g_autofree gchar *text = lacks & bit ? lacks_text (bit, way) : NULL;

    if (text)
      GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
          ("No feedback=%s: %s.", ways[way].nick, text),
          ("%s serves instead",
              mode == SEND_FEEDBACK_NONE ? "nothing but receiver reports"
                                         : ways[mode].nick));
  }
  if (lacks & SEND_LACKS_ROOM)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("Packets lack header extensions that were announced behind the FEC "
         "encoder, and cannot get them any more."),
        ("put the caps with extmap-N between payloader and rtpulpfecenc"));
}

void
send_hearing_drive (GstRtpAdaptSend *self)
{
  SendHearing *h = &self->hearing;
  gint way = self->cfg.feedback;
  SendLacks lacks;
  gint mode;

  if (self->sender && self->tap.stale)
    session_search (self);
  if (!self->sender)
    return;
  lacks = lacks_of (self, way) | (h->no_room ? SEND_LACKS_ROOM : 0);
  lacks &= ~h->told;
  h->told |= lacks;
  mode = mode_choose (self);
  if (mode != h->mode)
    GST_INFO_OBJECT (self, "feedback: %s", send_feedback_nick (mode));
  h->mode = mode;
  send_other_drive (self);
  if (!lacks || !self->sender)
    return;
  g_mutex_unlock (&self->lock);
  lacks_warn (self, lacks, way, mode);
  g_mutex_lock (&self->lock);
}

void
send_hearing_on_caps (GstRtpAdaptSend *self, GstEvent *event)
{
  SendSaid *said = &self->hearing.said, before = *said;
  const GstStructure *s;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  s = gst_caps_get_structure (caps, 0);
  way_on_caps_out (&self->way, caps);
  /* Sound beside video may do without. */
  said->any |= g_strcmp0 (gst_structure_get_string (s, "media"), "audio") != 0;
  if (self->way.out.twcc)
    said->extensions |= 1u << GST_RTP_ADAPT_FEEDBACK_TWCC;
  if (self->way.out.send_ts)
    said->extensions |= 1u << GST_RTP_ADAPT_FEEDBACK_TFRC;
  for (gint i = 0; i < gst_structure_n_fields (s); i++)
    said->limited
        |= g_str_has_prefix (gst_structure_nth_field_name (s, (guint) i), FB);
  for (guint way = 0; way < G_N_ELEMENTS (ways); way++) {
    g_autofree gchar *field = g_strconcat (FB, ways[way].fb, NULL);
    gboolean offered = FALSE;

    gst_structure_get_boolean (s, field, &offered);
    said->ways |= offered ? 1u << way : 0;
  }
  if (memcmp (said, &before, sizeof before) != 0)
    send_tell (self);
}

/* The receiver's own words. */
static GstStructure *
peer_describe (const RaRadp *x)
{
  return gst_structure_new ("peer", "lda", G_TYPE_STRING, x->lda, "w",
      G_TYPE_DOUBLE, x->w, "p-c", G_TYPE_DOUBLE, x->p_c, "delayed",
      G_TYPE_DOUBLE, x->delayed, "burst", G_TYPE_DOUBLE, x->burst, "queue",
      G_TYPE_INT64, x->queue == RA_SPAN_NONE ? -1 : x->queue, "expected",
      G_TYPE_UINT, x->expected, "arrived", G_TYPE_UINT, x->arrived,
      "congestion-losses", G_TYPE_UINT, x->lost_congestion, "wireless-losses",
      G_TYPE_UINT, x->lost_wireless, "wireless-runs", G_TYPE_UINT,
      x->wireless_runs, "loss-events", G_TYPE_UINT, x->n_events, NULL);
}

void
send_hearing_describe (const GstRtpAdaptSend *self, GstStructure *s)
{
  const RaRadp *radp = self->ear ? ra_ear_radp (self->ear) : NULL;
  RaEarStats heard = send_ear_stats (self);

  gst_structure_set (s, "feedback-mode", G_TYPE_STRING,
      send_feedback_nick (
          self->sender ? self->hearing.mode : self->cfg.feedback),
      "feedback-wanted", G_TYPE_STRING, send_feedback_nick (self->cfg.feedback),
      "reports-foreign", G_TYPE_UINT64, heard.foreign, "reports-unasked",
      G_TYPE_UINT64, heard.unasked, "extensions-malformed", G_TYPE_UINT64,
      self->way.malformed, NULL);
  for (guint i = 0; i < RA_N_HEARD; i++) {
    g_autofree gchar *field
        = g_strconcat ("reports-", ra_heard_nick ((RaHeard) i), NULL);

    gst_structure_set (s, field, G_TYPE_UINT64, heard.heard[i], NULL);
  }
  if (radp) {
    g_autoptr (GstStructure) peer = peer_describe (radp);

    gst_structure_set (s, "peer", GST_TYPE_STRUCTURE, peer, NULL);
  }
}

void
send_hearing_pushed (GstRtpAdaptSend *self, GstFlowReturn flow)
{
  if (flow != GST_FLOW_OK || self->hearing.pushed)
    return;
  self->hearing.pushed = TRUE;
  send_tell (self);
}

void
send_hearing_stamped (GstRtpAdaptSend *self, SendExtResult result)
{
  SendHearing *h = &self->hearing;

  if (result == SEND_EXT_NO_ROOM && !h->no_room) {
    h->no_room = TRUE;
    send_tell (self);
  }
}

gboolean
send_hearing_always_asks (const GstRtpAdaptSend *self)
{
  return self->hearing.mode == GST_RTP_ADAPT_FEEDBACK_TFRC
      || self->hearing.mode == GST_RTP_ADAPT_FEEDBACK_CCFB;
}

void
send_hearing_changed (GstRtpAdaptSend *self)
{
  self->tap.stale = TRUE;
  if (self->sender)
    send_tell (self);
}

void
send_hearing_start (GstRtpAdaptSend *self)
{
  SendHearing *h = &self->hearing;

  h->mode = self->cfg.feedback;
  send_other_start (self);
  h->told = 0;
  h->said = (SendSaid){ 0 };
  h->pushed = h->avpf = h->no_room = FALSE;
  self->tap.stale = TRUE;
}

TapLink
send_hearing_stop (GstRtpAdaptSend *self)
{
  return tap_drop (&self->tap);
}
