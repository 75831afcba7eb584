/* rtpadaptlink: a modelled network path on the pipeline's clock.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-rtpadaptlink
 * @title: rtpadaptlink
 * @short_description: a network path with known causes of loss
 *
 * Carries packets (RTP, RTCP, anything) over a path made of models, chained
 * by text as elements are: `bottleneck` (rate, droptail queue), `red`, `rio`,
 * `policer`, `trace file=NAME` (a bottleneck whose rate is read from a file),
 * `delay`, `jitter`, and for wireless loss `bernoulli`, `gilbert`, `jakes` and
 * `arq`; docs/algorithms.md has their parameters.  A packet enters when it
 * reaches the sink pad and leaves when the models say so, both in time of the
 * clock; its size is that of the buffer plus #GstRtpAdaptLink:overhead.  The
 * same seed and the same arrivals give the same losses.
 *
 * `each MODEL` gives each SSRC a model of its own: RTP with the RTCP that its
 * sender sends; what is neither shares one.
 *
 * What leaves has arrived: its DTS is the running time at which it left the
 * path (in the stream's segment), as udpsrc sets it, because rtpsession and
 * rtpjitterbuffer take the DTS for the time of arrival.  Nothing else of a
 * buffer is changed.
 *
 * The truth about each lost RTP packet is sent upstream as the custom event
 * `RTPAdaptLoss` with the fields `ssrc` and `seqnum` (uint), `cause` (string,
 * `congestion` or `wireless`) and `time` (uint64, clock time of the loss), in
 * order with the packets that leave.  Losses of other packets are counted.
 *
 * Serialized events stay behind the packets that came before them, EOS too.
 * The path needs a running clock: until PLAYING, packets wait upstream.  In
 * PAUSED nothing leaves; what came due meanwhile leaves on the return to
 * PLAYING.  Nothing holds a source back that is faster than the path, so it
 * should be a live one.  A flush discards the packets inside.
 *
 * |[
 * gst-launch-1.0 videotestsrc is-live=true num-buffers=60 ! \
 *     x264enc tune=zerolatency ! rtph264pay ! \
 *     rtpadaptlink seed=7 \
 *     link="bottleneck rate=2M queue=100ms ! delay 25ms ! gilbert p=.01 r=.3" \
 *     ! rtpjitterbuffer ! rtph264depay ! avdec_h264 ! fakesink
 * ]|
 */
#include "gstrtpadaptlink.h"

#include "linkpriv.h"
#include "parts/props.h"

GST_DEBUG_CATEGORY (rtpadaptlink_debug);

#define DEFAULT_OVERHEAD 28 /* IPv4 and UDP */

#define parent_class gst_rtp_adapt_link_parent_class
G_DEFINE_TYPE (GstRtpAdaptLink, gst_rtp_adapt_link, GST_TYPE_ELEMENT)
GST_ELEMENT_REGISTER_DEFINE (
    rtpadaptlink, "rtpadaptlink", GST_RANK_NONE, GST_TYPE_RTP_ADAPT_LINK)

/* --- the element -------------------------------------------------------- */

/* The lock is held. */
static RaTime
link_now (GstRtpAdaptLink *self)
{
  return self->clock ? gst_clock_get_time (self->clock) : 0;
}

static void
link_post_error (GstRtpAdaptLink *self, const gchar *why)
{
  GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS,
      ("The text of the link is wrong."), ("%s", why));
}

static gboolean
link_set_clock (GstElement *element, GstClock *clock)
{
  GstRtpAdaptLink *self = GST_RTP_ADAPT_LINK (element);

  g_autoptr (GError) error = NULL;

  g_mutex_lock (&self->lock);
  if (clock != self->clock) {
    /* Times of one clock mean nothing on another. */
    if (self->path.link && self->clock)
      link_path_open (
          &self->path, self->text, self->seed, link_now (self), &error);
    if (self->wait)
      gst_clock_id_unschedule (self->wait);
    gst_object_replace ((GstObject **) &self->clock, (GstObject *) clock);
    self->path.resumed = link_now (self);
    gst_rtp_adapt_link_wake (self);
  }
  g_mutex_unlock (&self->lock);
  if (error) {
    link_post_error (self, error->message);
    return FALSE;
  }
  return GST_ELEMENT_CLASS (parent_class)->set_clock (element, clock);
}

/* NULL to READY. */
static gboolean
link_check_text (GstRtpAdaptLink *self)
{
  g_autofree gchar *why = NULL;

  g_mutex_lock (&self->lock);
  why = g_strdup (self->text_error);
  g_mutex_unlock (&self->lock);
  if (why)
    link_post_error (self, why);
  return !why;
}

/* READY to PAUSED, and back: every start begins a new path.  It may fail: a
 * file that a model reads is read again. */
static gboolean
link_start (GstRtpAdaptLink *self)
{
  g_autoptr (GError) error = NULL;

  g_mutex_lock (&self->lock);
  self->started = link_path_open (
      &self->path, self->text, self->seed, link_now (self), &error);
  link_path_reset_counts (&self->path);
  g_mutex_unlock (&self->lock);
  if (error)
    link_post_error (self, error->message);
  return !error;
}

static void
link_stop (GstRtpAdaptLink *self)
{
  g_mutex_lock (&self->lock);
  link_path_flush (&self->path, self->srcpad);
  link_path_close (&self->path);
  self->started = FALSE;
  g_mutex_unlock (&self->lock);
}

static void
link_set_playing (GstRtpAdaptLink *self, gboolean playing)
{
  g_mutex_lock (&self->lock);
  self->playing = playing;
  if (playing)
    self->path.resumed = link_now (self);
  gst_rtp_adapt_link_wake (self);
  g_mutex_unlock (&self->lock);
}

static GstStateChangeReturn
link_change_state (GstElement *element, GstStateChange transition)
{
  GstRtpAdaptLink *self = GST_RTP_ADAPT_LINK (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_NULL_TO_READY && !link_check_text (self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !link_start (self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    link_set_playing (self, FALSE);

  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);

  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    link_set_playing (self, TRUE);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED
          && ret == GST_STATE_CHANGE_FAILURE))
    link_stop (self);
  /* It needs a running clock, as rtpjitterbuffer does: no preroll. */
  if (ret != GST_STATE_CHANGE_FAILURE
      && (transition == GST_STATE_CHANGE_READY_TO_PAUSED
          || transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED))
    ret = GST_STATE_CHANGE_NO_PREROLL;
  return ret;
}

/* A bad text changes nothing of a running path, but none starts with it. */
static void
set_link (gpointer owner, const PropRow *row, const GValue *value)
{
  GstRtpAdaptLink *self = owner;
  const gchar *text = g_value_get_string (value);
  GError *error = NULL;

  g_mutex_lock (&self->lock);
  gst_rtp_adapt_link_advance (self);
  g_clear_pointer (&self->text_error, g_free);
  if (!link_path_open (
          &self->path, text, self->seed, link_now (self), &error)) {
    self->text_error = g_strdup (error->message);
  } else {
    g_free (self->text);
    self->text = g_strdup (text ? text : "");
    gst_rtp_adapt_link_wake (self);
  }
  if (!self->started)
    link_path_close (&self->path);
  g_mutex_unlock (&self->lock);

  if (error) {
    g_warning ("rtpadaptlink: %s", error->message);
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("The text of the link is wrong."), ("%s", error->message));
    g_error_free (error);
  }
}

static void
get_stats (gpointer owner, const PropRow *row, GValue *value)
{
  GstRtpAdaptLink *self = owner;
  RaTime now = RA_TIME_NONE;

  g_mutex_lock (&self->lock);
  if (gst_rtp_adapt_link_advance (self)) {
    now = gst_clock_get_time (self->clock);
    gst_rtp_adapt_link_wake (self);
  }
  g_value_take_boxed (value, link_path_stats (&self->path, now));
  g_mutex_unlock (&self->lock);
}

/* The values stand in the element itself. */
static const PropRow link_props[] = {
  { "link", "Link",
      "Models in the order a packet meets them, as \"bottleneck rate=2M "
      "queue=100ms ! delay 25ms ! gilbert p=.01 r=.3\"; empty: all passes "
      "at once. A new text replaces the path; the packets inside leave at "
      "once. A wrong one changes nothing, and the element does not start",
      PROP_PLAYING, PROP_TEXT (GstRtpAdaptLink, text, ""), .set = set_link },
  { "seed", "Seed",
      "Seed of all that is random in the path; taken when the element starts "
      "and with each new link",
      PROP_PLAYING, PROP_UINT64 (GstRtpAdaptLink, seed, 0, G_MAXUINT64, 0) },
  { "overhead", "Overhead",
      "Bytes on the wire beside each buffer's (28: IPv4 and UDP)", PROP_PLAYING,
      PROP_UINT (GstRtpAdaptLink, overhead, 0, 65535, DEFAULT_OVERHEAD) },
  { "loss-messages", "Loss messages",
      "Post each RTPAdaptLoss as an element message too, with the model's "
      "name as node",
      PROP_PLAYING, PROP_BOOLEAN (GstRtpAdaptLink, path.loss_messages, FALSE) },
  { "stats", "Statistics",
      "Structure application/x-rtpadaptlink-stats: docs/statistics.md has each field",
      PROP_READ, PROP_STATS, .get = get_stats },
  { NULL },
};

static void
link_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptLink *self = GST_RTP_ADAPT_LINK (object);
  const PropRow *row = &link_props[id - 1];

  if (row->set) {
    row->set (self, row, value);
    return;
  }
  g_mutex_lock (&self->lock);
  props_set (self, row, value, NULL, NULL);
  g_mutex_unlock (&self->lock);
}

static void
link_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRtpAdaptLink *self = GST_RTP_ADAPT_LINK (object);

  props_get (self, &self->lock, self, &link_props[id - 1], value);
}

static void
gst_rtp_adapt_link_finalize (GObject *object)
{
  GstRtpAdaptLink *self = GST_RTP_ADAPT_LINK (object);

  gst_clear_object (&self->clock);
  props_clear (self, link_props);
  g_free (self->text_error);
  link_path_clear (&self->path);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_rtp_adapt_link_class_init (GstRtpAdaptLinkClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (
      rtpadaptlink_debug, "rtpadaptlink", 0, "modelled network path");
  object_class->set_property = link_set_property;
  object_class->get_property = link_get_property;
  object_class->finalize = gst_rtp_adapt_link_finalize;
  element_class->change_state = link_change_state;
  element_class->set_clock = link_set_clock;

  props_install (object_class, 1, link_props);
  gst_rtp_adapt_link_add_templates (element_class);
  gst_element_class_set_static_metadata (element_class, "RTP link model",
      "Filter/Network/RTP",
      "Carries packets over a modelled path, with the truth about each loss",
      "The gst-rtpadapt authors");
}

static void
gst_rtp_adapt_link_init (GstRtpAdaptLink *self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  props_init (self, link_props, self);
  link_path_init (&self->path, GST_ELEMENT (self));
  self->flow = GST_FLOW_FLUSHING;

  gst_rtp_adapt_link_add_pads (self);
}
