/* rtpadaptsrc: holds packets no longer than the path needs.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "srchold.h"

#include "wire/seqcheck.h"

#include <gst/rtp/rtp.h>

GST_DEBUG_CATEGORY_EXTERN (rtpadaptsrc_debug);
#define GST_CAT_DEFAULT rtpadaptsrc_debug

/* Packets whose arrival is remembered until rtpjitterbuffer lets them go. */
#define ARRIVALS 8192
/* A number so far away is of another beginning, and nothing between was lost. */
#define JUMP 1024
/* A stream without a frame for so long has no say. */
#define SILENT (2 * RA_SECOND)
/* A stream without FEC for so long is repaired by none. */
#define UNREPAIRED (5 * RA_SECOND)
/* Media times further from an arrival than this are of another clock. */
#define FAR (10 * RA_SECOND)
/* Changes below this wait for the next frame. */
#define GRAIN (RA_MSECOND / 10)

typedef struct
{
  guint pt;
  guint16 seq;
  guint32 rtp;
  gboolean again;
  GstClockTime at; /* when it arrived */
} Packet;          /* but for `at` packet_parse() fills it */

typedef struct
{
  SrcHold *hold;
  guint32 ssrc;
  gulong in, out, query, offset; /* the probes and the handler */

  /* all under the hold's lock */
  GstElement *jitterbuffer; /* NULL: it is out of the list */
  RaPlayout playout;
  RaSpan wanted;        /* RA_SPAN_NONE: it does not know yet */
  RaTime heard;         /* its last frame */
  RaTime repair;        /* its last FEC packet, or 0 */
  RaTime ulpfec;        /* of these the last of RFC 5109, or 0 */
  RaSpan frame;         /* between two */
  gint64 rtpbin_offset; /* rtpbin's part of ts-offset */
  gint64 set_offset;    /* ts-offset */
  gboolean video;
  RaGrace grace;
  RaSpan more;     /* RA_GRACE, or 0 */
  RaSpan set_more; /* the jitterbuffer's latency has that in it */

  /* what arrives */
  Packet arrival[ARRIVALS]; /* at: GST_CLOCK_TIME_NONE: there was none */
  gboolean started;
  guint16 highest;
  RaLull lull;

  /* the jitterbuffer's media clock: that RTP time is due then */
  guint pt;         /* of the last media packet */
  guint clock_rate; /* its; 0: not known */
  gboolean mapped;
  guint32 rtp;
  gint64 due;

  /* the frame at hand */
  gboolean in_frame;
  guint32 frame_rtp;
  RaSpan late;

  RaCatchUp catch_up;

  /* the last frame's first packet, as it went out */
  guint32 out_rtp;
  GstClockTime out_pts; /* GST_CLOCK_TIME_NONE: there was none */
} HoldStream;

static void
stream_unref (gpointer stream)
{
  g_atomic_rc_box_release (stream);
}

static void
stream_closed (gpointer stream, GClosure *closure)
{
  stream_unref (stream);
}

static gboolean
packet_parse (GstBuffer *buffer, Packet *p)
{
  guint8 head[8];

  if (gst_buffer_extract (buffer, 0, head, sizeof head) != sizeof head)
    return FALSE;
  p->pt = head[1] & 0x7f;
  p->seq = GST_READ_UINT16_BE (head + 2);
  p->rtp = GST_READ_UINT32_BE (head + 4);
  p->again
      = GST_BUFFER_FLAG_IS_SET (buffer, GST_RTP_BUFFER_FLAG_RETRANSMISSION);
  return TRUE;
}

/* From RTP time `from` to `to`; the clock rate is known. */
static gint64
media_span (const HoldStream *s, guint32 from, guint32 to)
{
  return (gint64) (gint32) (to - from) * RA_SECOND / s->clock_rate;
}

/* Decides again whether missing packets are waited for.  rtpulpfecdec mends a hole when the
 * jitterbuffer gives it up, and not before, so a wait makes that late.  The lock is held.
 * TRUE: the jitterbuffer has to be set. */
static gboolean
grace_update (HoldStream *s, RaTime now)
{
  const RaPlayoutLimits *limits = &s->hold->cfg.limits;
  gboolean waits = s->video && limits->repeats
      && !(s->ulpfec > 0 && ra_diff (now, s->ulpfec) < UNREPAIRED)
      && ra_grace_is_worth (&s->grace, now);

  s->more = waits ? MIN (RA_GRACE, limits->most) : 0;
  return s->jitterbuffer && s->more != s->set_more;
}

/* --- what a jitterbuffer is set to --------------------------------------------- */

/* Those of which a setting has changed. */
typedef struct
{
  GstElement *jitterbuffer;
  gint64 offset;
  guint latency; /* ms */
  /* ms: packets are asked for again as long.  rtpjitterbuffer alone would stop 2 x jitter
   * earlier than feedback/rtxrequests.c. */
  gint period;
} Order;

static guint
whole_ms (RaSpan span)
{
  return (guint) ((span + RA_MSECOND - 1) / RA_MSECOND);
}

static void
order_clear (gpointer data)
{
  gst_object_unref (((Order *) data)->jitterbuffer);
}

/* The lock is held. */
static GArray *
orders_make (SrcHold *h)
{
  GArray *orders = g_array_new (FALSE, FALSE, sizeof (Order));
  gint64 less = h->cfg.limits.most - h->hold.now;

  g_array_set_clear_func (orders, order_clear);
  for (guint i = 0; i < h->streams->len; i++) {
    HoldStream *s = g_ptr_array_index (h->streams, i);
    Order order = { .offset = s->rtpbin_offset - less };

    if (ABS (order.offset - s->set_offset) < GRAIN && s->more == s->set_more)
      continue;
    order.jitterbuffer = gst_object_ref (s->jitterbuffer);
    order.latency = whole_ms (h->cfg.limits.most + s->more);
    order.period = (gint) MIN (whole_ms (h->hold.now + s->more), G_MAXINT);
    s->set_offset = order.offset;
    s->set_more = s->more;
    g_array_append_val (orders, order);
  }
  return orders;
}

/* `telling` is held, the lock is not. */
static void
orders_tell (SrcHold *h, GArray *orders)
{
  g_atomic_pointer_set (&h->teller, g_thread_self ());
  for (guint i = 0; i < orders->len; i++) {
    const Order *o = &g_array_index (orders, Order, i);

    g_object_set (o->jitterbuffer, "latency", o->latency, "ts-offset",
        o->offset, "rtx-retry-period", o->period, NULL);
  }
  g_atomic_pointer_set (&h->teller, NULL);
}

/* Neither lock is held. */
static void
orders_follow (SrcHold *h)
{
  RaSpan hold = RA_SPAN_NONE;
  GArray *orders;

  g_mutex_lock (&h->telling);
  g_mutex_lock (&h->lock);
  orders = orders_make (h);
  if (ABS (h->hold.now - h->said) >= RA_MSECOND
      || h->cfg.limits.most != h->said_most) {
    h->said = hold = h->hold.now;
    h->said_most = h->cfg.limits.most;
  }
  g_mutex_unlock (&h->lock);
  orders_tell (h, orders);
  g_array_unref (orders);
  if (hold != RA_SPAN_NONE && h->changed)
    h->changed (h->data, hold);
  g_mutex_unlock (&h->telling);
}

/* Somebody set it, and if it was not us it was rtpbin. */
static void
offset_set (GObject *jitterbuffer, GParamSpec *pspec, gpointer data)
{
  HoldStream *s = data;
  SrcHold *h = s->hold;
  gboolean by_rtpbin;
  gint64 offset;

  if (g_atomic_pointer_get (&h->teller) == g_thread_self ())
    return;
  g_mutex_lock (&h->telling);
  g_object_get (jitterbuffer, "ts-offset", &offset, NULL);
  g_mutex_lock (&h->lock);
  by_rtpbin = offset != s->set_offset;
  if (by_rtpbin)
    s->rtpbin_offset = s->set_offset = offset;
  g_mutex_unlock (&h->lock);
  g_mutex_unlock (&h->telling);
  if (by_rtpbin)
    orders_follow (h);
}

/* --- what arrives ----------------------------------------------------------- */

static void
count (HoldStream *s, const Packet *p)
{
  gint16 ahead = (gint16) (p->seq - s->highest);

  if (!s->started || ABS (ahead) >= JUMP) {
    s->started = TRUE;
    s->highest = p->seq;
    ra_playout_on_packets (&s->playout, 1, 0, p->at);
  } else if (ahead > 0) {
    s->highest = p->seq;
    ra_playout_on_packets (&s->playout, 1, ahead - 1, p->at);
  } else if (ahead < 0) {
    ra_playout_on_packets (&s->playout, 1, -1, p->at);
  }
}

/* Notes when the packet came.  FALSE: it is a copy, by the path or by the sender.  A
 * packet that comes behind its repeat counts, because the path did not lose it.  A
 * sender may begin its numbers again, so a copy has the same RTP time, and comes
 * soon. */
static gboolean
arrive (HoldStream *s, const Packet *p)
{
  Packet *first = &s->arrival[p->seq % ARRIVALS];

  if (GST_CLOCK_TIME_IS_VALID (first->at) && first->seq == p->seq
      && first->rtp == p->rtp && (p->again || !first->again)
      && GST_CLOCK_DIFF (first->at, p->at) < SILENT)
    return FALSE;
  *first = *p;
  return TRUE;
}

/* A sender hears of a loss from later packets of any kind, and may repeat the last packet of
 * a frame before the next frame begins.  rtpjitterbuffer (1.22) misses nothing by then, and
 * would drop the repeat as one that nobody asked for. */
static gboolean
is_ahead (const HoldStream *s, const Packet *p)
{
  gint16 ahead = (gint16) (p->seq - s->highest);

  return s->started && ahead > 0 && ahead <= SEQ_NEAR;
}

static GstPadProbeReturn
on_arrival (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  HoldStream *s = data;
  gint64 late, less = 0;
  gboolean fresh, other, unmissed;
  Packet p;

  if (!packet_parse (buffer, &p) || !GST_BUFFER_DTS_IS_VALID (buffer))
    return GST_PAD_PROBE_OK;
  p.at = GST_BUFFER_DTS (buffer);
  g_mutex_lock (&s->hold->lock);
  if (pt_is_fec (p.pt))
    s->repair = p.at;
  if (p.pt == PT_FEC)
    s->ulpfec = p.at;
  fresh = arrive (s, &p);
  unmissed = fresh && p.again && is_ahead (s, &p);
  if (fresh && !p.again)
    count (s, &p);
  late = s->mapped ? (gint64) p.at - s->due - media_span (s, s->rtp, p.rtp)
                   : FAR;
  if (fresh && p.again && ABS (late) < FAR) {
    GST_LOG ("%08x: repeat %" GST_STIME_FORMAT " late", s->ssrc,
        GST_STIME_ARGS (late));
    ra_playout_on_repair (&s->playout, late, p.at);
    ra_grace_on_repeat (&s->grace, late - s->hold->hold.now, p.at);
    less = unmissed ? late : 0;
  } else if (!p.again && ABS (late) < FAR) {
    less = late
        - ra_lull_on_packet (&s->lull, late, s->hold->cfg.limits.most, p.at);
    if (ra_lull_is_longer (&s->lull, p.at))
      ra_grace_on_longer (&s->grace, p.at);
  }
  other = grace_update (s, p.at);
  g_mutex_unlock (&s->hold->lock);
  if (other)
    orders_follow (s->hold);
  if (less > 0 || unmissed) {
    buffer = gst_buffer_make_writable (buffer);
    /* The due time may be before the stream's first packet. */
    GST_BUFFER_DTS (buffer) -= CLAMP (less, 0, (gint64) p.at);
    if (unmissed)
      GST_BUFFER_FLAG_UNSET (buffer, GST_RTP_BUFFER_FLAG_RETRANSMISSION);
    GST_PAD_PROBE_INFO_DATA (info) = buffer;
  }
  return GST_PAD_PROBE_OK;
}

/* --- what goes to the decoder --------------------------------------------------- */

static gboolean
is_live (const HoldStream *s, RaTime now)
{
  return s->heard > 0 && ra_diff (now, s->heard) < SILENT;
}

/* The sender spans as much by a block of FEC as the receiver may hold. */
static RaSpan
wanted_by (const SrcHold *h, const HoldStream *s, RaTime now)
{
  return s->repair > 0 && ra_diff (now, s->repair) < UNREPAIRED
      ? h->cfg.limits.most
      : s->wanted;
}

/* Of the streams that know what they want; the most if none does.  A stream keeps to
 * old limits until its own next frame. */
static RaSpan
wanted_by_all (const SrcHold *h, RaTime now)
{
  const RaPlayoutLimits *limits = &h->cfg.limits;
  RaSpan wanted = RA_SPAN_NONE;

  for (guint i = 0; i < h->streams->len; i++) {
    const HoldStream *s = g_ptr_array_index (h->streams, i);

    if (is_live (s, now))
      wanted = MAX (wanted, wanted_by (h, s, now));
  }
  return wanted == RA_SPAN_NONE ? limits->most
                                : CLAMP (wanted, limits->least, limits->most);
}

/* TRUE: L falls by this one's frames, as no other has fewer. */
static gboolean
is_slowest (const SrcHold *h, const HoldStream *stream, RaTime now)
{
  for (guint i = 0; i < h->streams->len; i++) {
    const HoldStream *s = g_ptr_array_index (h->streams, i);

    if (s != stream && is_live (s, now) && s->frame > stream->frame)
      return FALSE;
  }
  return TRUE;
}

/* A frame of `s` is complete. */
static void
frame_end (HoldStream *s, RaTime now)
{
  SrcHold *h = s->hold;
  RaPlayoutLimits limits = h->cfg.limits;
  RaSpan late;

  limits.grace = s->more;
  s->in_frame = FALSE;
  s->heard = now;
  if (s->late == RA_SPAN_NONE)
    return;
  ra_playout_on_frame (&s->playout, s->late, now);
  s->wanted = ra_playout_knows (&s->playout, &limits, now)
      ? ra_playout_wanted (&s->playout, &limits, now)
      : RA_SPAN_NONE;
  h->wanted = wanted_by_all (h, now);
  late = ra_playout_streak (&s->playout, h->hold.now, limits.most);
  if (h->cfg.adaptive
      && (late != RA_SPAN_NONE || h->wanted > h->hold.now
          || is_slowest (h, s, now)))
    ra_hold_on_frame (&h->hold, h->wanted, late, now);
  GST_LOG ("%08x: frame %" GST_STIME_FORMAT " late, wanted %" GST_STIME_FORMAT
           ", held %" GST_STIME_FORMAT ", lost %g",
      s->ssrc, GST_STIME_ARGS (s->late), GST_STIME_ARGS (h->wanted),
      GST_STIME_ARGS (h->hold.now), ra_playout_loss (&s->playout, now));
}

/* How far the playout moves from one frame to the next; `pts`, as it goes out. */
static void
move_note (HoldStream *s, const Packet *p, GstClockTime pts)
{
  SrcHold *h = s->hold;
  gint64 media, moved;

  if (s->out_pts != GST_CLOCK_TIME_NONE && s->out_rtp != p->rtp) {
    media = media_span (s, s->out_rtp, p->rtp);
    moved = GST_CLOCK_DIFF (s->out_pts, pts) - media;
    if (media > 0 && media < SILENT) {
      s->frame = s->frame > 0 ? s->frame + (media - s->frame) / 8 : media;
      h->moved = MAX (h->moved, moved);
      h->hurried = MAX (h->hurried, -moved);
    }
  }
  if (s->out_pts == GST_CLOCK_TIME_NONE || s->out_rtp != p->rtp) {
    s->out_rtp = p->rtp;
    s->out_pts = pts;
  }
}

/* 0: nobody knows it. */
static guint
clock_rate (const SrcHold *h, guint pt)
{
  gint rate = 0;

  if (h->payloads->caps[pt])
    gst_structure_get_int (
        gst_caps_get_structure (h->payloads->caps[pt], 0), "clock-rate", &rate);
  return (guint) MAX (rate, 0);
}

/* A packet of the media, whose payload type may be another one: nothing is known of
 * its clock. */
static void
media_note (HoldStream *s, guint pt)
{
  guint rate;

  if (s->clock_rate > 0 && pt == s->pt)
    return;
  s->pt = pt;
  s->video = src_payloads_is_video (s->hold->payloads, pt);
  rate = clock_rate (s->hold, pt);
  if (rate == s->clock_rate)
    return;
  s->clock_rate = rate;
  s->mapped = FALSE;
  s->out_pts = GST_CLOCK_TIME_NONE;
}

/* A packet goes out, and the jitterbuffer's clock says when it is `due`.  Returns how much
 * earlier it is to be shown. */
static gint64
catch_up (HoldStream *s, const Packet *p, gint64 due)
{
  const SrcHold *h = s->hold;
  RaSpan most = h->cfg.limits.most;
  gint64 media = s->mapped ? media_span (s, s->rtp, p->rtp) : FAR;
  GstClockTime now;

  if (ABS (media) >= FAR)
    s->catch_up = (RaCatchUp){ 0 };
  else if (!p->again)
    ra_catch_up_on_packet (
        &s->catch_up, media, due - s->due - media, h->hold.now, most);
  if (s->catch_up.ahead == 0 || !s->jitterbuffer)
    return 0;
  now = gst_element_get_current_running_time (s->jitterbuffer);
  if (GST_CLOCK_TIME_IS_VALID (now))
    ra_catch_up_on_late (&s->catch_up,
        (gint64) now - (due + s->set_offset + most - s->catch_up.ahead),
        s->frame);
  return MIN (s->catch_up.ahead, due + s->set_offset);
}

/* The lock is held, and `p` arrived when it says.  `due`: its media time; `marked`:
 * it is the frame's last.  TRUE: a frame ended. */
static gboolean
packet_out (HoldStream *s, const Packet *p, gint64 due, gboolean marked)
{
  gboolean ended = s->in_frame && p->rtp != s->frame_rtp;

  if (ended)
    frame_end (s, p->at);
  if (p->rtp != s->frame_rtp || !s->mapped) {
    s->frame_rtp = p->rtp;
    s->late = RA_SPAN_NONE;
    s->in_frame = TRUE;
  }
  s->mapped = TRUE;
  s->rtp = p->rtp;
  s->due = due;
  s->late = MAX (s->late, (gint64) p->at - due);
  if (marked && s->in_frame) {
    frame_end (s, p->at);
    return TRUE;
  }
  return ended;
}

static GstPadProbeReturn
on_departure (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  HoldStream *s = data;
  gboolean ended = FALSE;
  gint64 due, ahead = 0;
  Packet p;
  guint at;

  if (!packet_parse (buffer, &p) || !GST_BUFFER_PTS_IS_VALID (buffer))
    return GST_PAD_PROBE_OK;
  at = p.seq % ARRIVALS;
  g_mutex_lock (&s->hold->lock);
  if (!pt_is_fec (p.pt)) {
    media_note (s, p.pt);
    if (s->mapped && GST_BUFFER_IS_DISCONT (buffer))
      ra_grace_on_hole (&s->grace, s->heard);
  }
  if (s->clock_rate > 0) {
    due = (gint64) GST_BUFFER_PTS (buffer) - s->set_offset;
    /* on_arrival() may have taken the flag off. */
    p.again |= s->arrival[at].seq == p.seq && s->arrival[at].again;
    ahead = catch_up (s, &p, due);
    move_note (s, &p, GST_BUFFER_PTS (buffer) - (GstClockTime) ahead);
    p.at = s->arrival[at].at;
    if (!p.again && s->arrival[at].seq == p.seq
        && GST_CLOCK_TIME_IS_VALID (p.at))
      ended = packet_out (
          s, &p, due, GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_MARKER));
  }
  g_mutex_unlock (&s->hold->lock);
  if (ahead > 0) {
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_PTS (buffer) -= (GstClockTime) ahead;
    GST_PAD_PROBE_INFO_DATA (info) = buffer;
  }
  if (ended)
    orders_follow (s->hold);
  return GST_PAD_PROBE_OK;
}

/* The wait for missing video is taken off the latency that the jitterbuffer reports.  It may
 * be about to be set, and less than the most is never reported. */
static GstPadProbeReturn
on_query (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  HoldStream *s = data;
  GstClockTime min, max, more, most;
  gboolean live;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return GST_PAD_PROBE_OK;
  gst_query_parse_latency (query, &live, &min, &max);
  g_mutex_lock (&s->hold->lock);
  more = (GstClockTime) MAX (s->set_more, 0);
  most = (GstClockTime) s->hold->cfg.limits.most;
  g_mutex_unlock (&s->hold->lock);
  gst_query_set_latency (
      query, live, MIN (min, MAX (min - MIN (more, min), most)), max);
  return GST_PAD_PROBE_OK;
}

/* --- from outside ---------------------------------------------------------------- */

static void
pad_unwatch (GstElement *jitterbuffer, const gchar *name, gulong probe)
{
  GstPad *pad = gst_element_get_static_pad (jitterbuffer, name);

  gst_pad_remove_probe (pad, probe);
  gst_object_unref (pad);
}

/* The jitterbuffer may live longer than the hold. */
static void
listed_free (gpointer stream)
{
  HoldStream *s = stream;
  GstElement *jitterbuffer;

  g_mutex_lock (&s->hold->lock);
  jitterbuffer = g_steal_pointer (&s->jitterbuffer);
  g_mutex_unlock (&s->hold->lock);
  g_signal_handler_disconnect (jitterbuffer, s->offset);
  pad_unwatch (jitterbuffer, "sink", s->in);
  pad_unwatch (jitterbuffer, "src", s->out);
  pad_unwatch (jitterbuffer, "src", s->query);
  gst_object_unref (jitterbuffer);
  stream_unref (s);
}

void
src_hold_init (SrcHold *h, const SrcPayloads *payloads,
    void (*changed) (gpointer data, RaSpan hold), gpointer data)
{
  /* The first hold is said whatever it is, 0 as well. */
  *h = (SrcHold){
    .payloads = payloads, .changed = changed, .data = data, .said = -RA_SECOND
  };
  g_mutex_init (&h->lock);
  g_mutex_init (&h->telling);
  h->streams = g_ptr_array_new_with_free_func (listed_free);
}

void
src_hold_clear (SrcHold *h)
{
  g_ptr_array_unref (h->streams);
  g_mutex_clear (&h->telling);
  g_mutex_clear (&h->lock);
}

void
src_hold_set (SrcHold *h, const SrcHoldConfig *cfg)
{
  g_mutex_lock (&h->lock);
  if (h->streams->len == 0 || !cfg->adaptive)
    ra_hold_init (&h->hold, cfg->limits.most);
  h->hold.now = CLAMP (h->hold.now, cfg->limits.least, cfg->limits.most);
  if (cfg->limits.most != h->cfg.limits.most) /* rtpbin has set it, too */
    for (guint i = 0; i < h->streams->len; i++)
      ((HoldStream *) g_ptr_array_index (h->streams, i))->set_more
          = RA_SPAN_NONE;
  h->cfg = *cfg;
  g_mutex_unlock (&h->lock);
  orders_follow (h);
}

void
src_hold_add (SrcHold *h, GstElement *jitterbuffer, guint32 ssrc)
{
  GstPad *sink = gst_element_get_static_pad (jitterbuffer, "sink");
  GstPad *src = gst_element_get_static_pad (jitterbuffer, "src");
  HoldStream *s = g_atomic_rc_box_new0 (HoldStream);

  src_hold_remove (h, ssrc);
  s->hold = h;
  s->ssrc = ssrc;
  s->jitterbuffer = gst_object_ref (jitterbuffer);
  s->wanted = s->set_more = RA_SPAN_NONE;
  s->out_pts = GST_CLOCK_TIME_NONE;
  for (guint i = 0; i < ARRIVALS; i++)
    s->arrival[i].at = GST_CLOCK_TIME_NONE;
  ra_playout_init (&s->playout);
  s->in = gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER, on_arrival,
      g_atomic_rc_box_acquire (s), stream_unref);
  s->out = gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BUFFER, on_departure,
      g_atomic_rc_box_acquire (s), stream_unref);
  s->query = gst_pad_add_probe (src,
      GST_PAD_PROBE_TYPE_QUERY_UPSTREAM | GST_PAD_PROBE_TYPE_PULL, on_query,
      g_atomic_rc_box_acquire (s), stream_unref);
  s->offset = g_signal_connect_data (jitterbuffer, "notify::ts-offset",
      G_CALLBACK (offset_set), g_atomic_rc_box_acquire (s), stream_closed, 0);
  gst_object_unref (sink);
  gst_object_unref (src);
  g_mutex_lock (&h->lock);
  if (h->streams->len == 0)
    ra_hold_init (&h->hold, h->cfg.limits.most);
  g_ptr_array_add (h->streams, s);
  g_mutex_unlock (&h->lock);
  orders_follow (h);
}

void
src_hold_remove (SrcHold *h, guint32 ssrc)
{
  HoldStream *gone = NULL;

  g_mutex_lock (&h->lock);
  for (guint i = 0; !gone && i < h->streams->len; i++) {
    HoldStream *s = g_ptr_array_index (h->streams, i);

    if (s->ssrc == ssrc)
      gone = g_ptr_array_steal_index (h->streams, i);
  }
  g_mutex_unlock (&h->lock);
  if (gone)
    listed_free (gone);
}

void
src_hold_remove_all (SrcHold *h)
{
  GPtrArray *gone;

  g_mutex_lock (&h->lock);
  gone = h->streams;
  h->streams = g_ptr_array_new_with_free_func (listed_free);
  h->wanted = h->moved = h->hurried = 0;
  g_mutex_unlock (&h->lock);
  g_ptr_array_unref (gone);
}

void
src_hold_get_stats (SrcHold *h, SrcHoldStats *stats)
{
  *stats = (SrcHoldStats){ .late = RA_SPAN_NONE };
  g_mutex_lock (&h->lock);
  stats->now = h->hold.now;
  stats->wanted = h->wanted;
  stats->moved = h->moved;
  stats->hurried = h->hurried;
  for (guint i = 0; i < h->streams->len; i++) {
    const HoldStream *s = g_ptr_array_index (h->streams, i);

    stats->more = MAX (stats->more, s->more);
    stats->late
        = MAX (stats->late, ra_playout_late (&s->playout, .95, s->heard));
  }
  g_mutex_unlock (&h->lock);
}
