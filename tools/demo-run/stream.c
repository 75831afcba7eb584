/* Sender and receiver of one run.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stream.h"

#include "rtpbin.h"

#include <gio/gio.h>
#include <gst/app/gstappsrc.h>
#include <gst/rtp/rtp.h>
#include <gst/rtpadapt/fec.h>

#define UDP_OVERHEAD 28   /* what rtpadaptlink counts on top: IPv4 + UDP */
#define BACK_DELAY "25ms" /* of RTCP in both directions */
#define SAMPLE_MS 100
/* Longer than the jitterbuffer and the link hold a packet. */
#define DRAIN_MS 700

struct _Stream
{
  const Options *options;
  const Clip *clip;
  Frames *frames;
  Record *record;
  GstClock *clock;
  GstElement *sender, *receiver, *cc, *link, *fec; /* fec: or NULL */
  GstVideoInfo shown_info;
  GThread *feeder;
  gint stopping;
  GMainLoop *loop;
  GError *error;
  RaTime end;
};

static RaTime
stream_now (Stream *s)
{
  return gst_clock_get_time (s->clock);
}

/* --- probes --------------------------------------------------------------- */

typedef struct
{
  guint16 seqnum;
  guint32 rtptime;
  guint media; /* bytes of the encoder's */
} Rtp;

static gboolean
rtp_read (GstBuffer *packet, Rtp *rtp)
{
  GstRTPBuffer buffer = GST_RTP_BUFFER_INIT;

  if (!gst_rtp_buffer_map (packet, GST_MAP_READ, &buffer))
    return FALSE;
  rtp->seqnum = gst_rtp_buffer_get_seq (&buffer);
  rtp->rtptime = gst_rtp_buffer_get_timestamp (&buffer);
  rtp->media = gst_rtp_buffer_get_payload_type (&buffer) == PT_MEDIA
      ? gst_rtp_buffer_get_payload_len (&buffer)
      : 0;
  gst_rtp_buffer_unmap (&buffer);
  return TRUE;
}

/* Which frame of the source a buffer belongs to.  By running time, as x264enc
 * moves the timestamps and the segment with them. */
static guint64
frame_index (Stream *s, GstPad *pad, GstPadProbeInfo *info)
{
  g_autoptr (GstEvent) event
      = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  GstClockTime pts = GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info));
  const GstSegment *segment;

  gst_event_parse_segment (event, &segment);
  pts = gst_segment_to_running_time (segment, GST_FORMAT_TIME, pts);
  return gst_util_uint64_scale_round (pts, (guint64) s->clip->info.fps_n,
      GST_SECOND * (guint64) s->clip->info.fps_d);
}

static GstPadProbeReturn
on_encode (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Stream *s = data;

  frames_sent (s->frames, frame_index (s, pad, info));
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_packetised (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Stream *s = data;
  Rtp rtp;

  if (rtp_read (GST_PAD_PROBE_INFO_BUFFER (info), &rtp) && rtp.media > 0)
    frames_rtptime (s->frames, rtp.rtptime, frame_index (s, pad, info));
  return GST_PAD_PROBE_OK;
}

static gboolean
sent_note (GstBuffer **packet, guint i, gpointer data)
{
  Stream *s = data;
  guint size = (guint) gst_buffer_get_size (*packet) + UDP_OVERHEAD;
  Rtp rtp;

  if (rtp_read (*packet, &rtp))
    record_sent (
        s->record, rtp.seqnum, rtp.rtptime, size, rtp.media, stream_now (s));
  return TRUE;
}

/* rtpadaptsend sends packets that are due together as a list. */
static GstPadProbeReturn
on_link_in (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *packet;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER_LIST) {
    gst_buffer_list_foreach (
        GST_PAD_PROBE_INFO_BUFFER_LIST (info), sent_note, data);
  } else {
    packet = GST_PAD_PROBE_INFO_BUFFER (info);
    sent_note (&packet, 0, data);
  }
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_link_out (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Stream *s = data;
  gsize size = gst_buffer_get_size (GST_PAD_PROBE_INFO_BUFFER (info));
  Rtp rtp;

  if (rtp_read (GST_PAD_PROBE_INFO_BUFFER (info), &rtp))
    record_arrived (
        s->record, rtp.seqnum, (guint) size + UDP_OVERHEAD, stream_now (s));
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_depayload (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Stream *s = data;
  Rtp rtp;

  if (rtp_read (GST_PAD_PROBE_INFO_BUFFER (info), &rtp) && rtp.media > 0) {
    frames_pts (s->frames, GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info)),
        rtp.rtptime);
    record_came (s->record, rtp.rtptime);
  }
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_shown (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Stream *s = data;
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);

  if (caps && gst_video_info_from_caps (&s->shown_info, caps))
    frames_decoded (
        s->frames, GST_PAD_PROBE_INFO_BUFFER (info), &s->shown_info);
  return GST_PAD_PROBE_OK;
}

static void
probe (Stream *s, GstElement *bin, const gchar *element, const gchar *pad_name,
    GstPadProbeType type, GstPadProbeCallback callback)
{
  g_autoptr (GstElement) e = gst_bin_get_by_name (GST_BIN (bin), element);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (e, pad_name);

  gst_pad_add_probe (pad, type, callback, s, NULL);
}

/* --- building ------------------------------------------------------------- */

static GstElement *
parse (const gchar *text, GstClock *clock, GError **error)
{
  GError *problem = NULL;
  GstElement *pipeline = gst_parse_launch (text, &problem);

  if (problem) { /* there may be a pipeline all the same */
    gst_clear_object (&pipeline);
    g_propagate_error (error, problem);
    return NULL;
  }
  gst_pipeline_use_clock (GST_PIPELINE (pipeline), clock);
  return pipeline;
}

/* The port that an udpsrc got, which it gets on the way to READY. */
static gint
udp_port (GstElement *pipeline, const gchar *name)
{
  g_autoptr (GstElement) src = gst_bin_get_by_name (GST_BIN (pipeline), name);
  gint port;

  g_object_get (src, "port", &port, NULL);
  return port;
}

static gboolean
with_fec (const Options *o)
{
  const RaFecOps *fec = o->fec ? ra_fec_find (o->fec) : NULL;

  return fec && !fec->none;
}

static gboolean
receiver_build (Stream *s, GError **error)
{
  g_autofree gchar *text = g_strdup_printf (
      "rtpbin name=rtp rtp-profile=avpf latency=200 do-lost=true "
      "buffer-mode=synced "
      "udpsrc name=rtpsrc address=127.0.0.1 port=%d reuse=false "
      "socket-timestamp=realtime buffer-size=2000000 caps=\"" RTP_CAPS
      "\" ! rtp.recv_rtp_sink_0 "
      "udpsrc name=rtcpsrc address=127.0.0.1 port=0 reuse=false ! "
      "rtp.recv_rtcp_sink_0 "
      "rtp. ! %s rtph264depay name=depay request-keyframe=true ! "
      "avdec_h264 max-threads=1 ! videoconvert ! video/x-raw,format=I420 ! "
      "fakesink name=shown sync=false async=false "
      "rtp.send_rtcp_src_0 ! rtpadaptlink link=\"delay " BACK_DELAY "\" ! "
      "udpsink name=rtcpsink host=127.0.0.1 sync=false async=false",
      s->options->port, with_fec (s->options) ? "rtpulpfecdec pt=122 !" : "");
  g_autoptr (GstElement) rtpbin = NULL;

  s->receiver = parse (text, s->clock, error);
  if (!s->receiver)
    return FALSE;
  rtpbin = gst_bin_get_by_name (GST_BIN (s->receiver), "rtp");
  rtpbin_setup (rtpbin);
  probe (
      s, s->receiver, "depay", "sink", GST_PAD_PROBE_TYPE_BUFFER, on_depayload);
  probe (s, s->receiver, "shown", "sink", GST_PAD_PROBE_TYPE_BUFFER, on_shown);
  if (gst_element_set_state (s->receiver, GST_STATE_READY)
      == GST_STATE_CHANGE_FAILURE) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE,
        "UDP port %d on 127.0.0.1 cannot be had", s->options->port);
    return FALSE;
  }
  return TRUE;
}

static gboolean
sender_build (Stream *s, GError **error)
{
  const Options *o = s->options;
  g_autofree gchar *text = g_strdup_printf (
      "rtpbin name=rtp rtp-profile=avpf "
      "appsrc name=src format=time is-live=true block=true max-buffers=2 ! "
      "clocksync ! x264enc name=enc tune=zerolatency speed-preset=superfast "
      "threads=1 key-int-max=50 intra-refresh=true vbv-buf-capacity=150 "
      "option-string=slice-max-size=1150 ! " /* a lost packet costs a slice */
      "video/x-h264,stream-format=byte-stream ! rtph264pay pt=96 mtu=1200 "
      "aggregate-mode=zero-latency config-interval=-1 ! " MEDIA_CAPS
      " ! %s rtpadaptsend name=cc loss-messages=true max-bitrate=%d ! "
      "rtp.send_rtp_sink_0 rtp.send_rtp_src_0 ! rtpadaptlink name=link "
      "loss-messages=true ! udpsink host=127.0.0.1 port=%d sync=false "
      "async=false "
      "rtp.send_rtcp_src_0 ! rtpadaptlink link=\"delay " BACK_DELAY "\" ! "
      "udpsink host=127.0.0.1 port=%d sync=false async=false "
      "udpsrc name=rtcpsrc address=127.0.0.1 port=0 reuse=false ! "
      "rtp.recv_rtcp_sink_0",
      with_fec (o) ? "rtpulpfecenc name=fec pt=122 !" : "", o->max_bitrate,
      udp_port (s->receiver, "rtpsrc"), udp_port (s->receiver, "rtcpsrc"));

  s->sender = parse (text, s->clock, error);
  if (!s->sender)
    return FALSE;
  s->cc = gst_bin_get_by_name (GST_BIN (s->sender), "cc");
  s->link = gst_bin_get_by_name (GST_BIN (s->sender), "link");
  s->fec = gst_bin_get_by_name (GST_BIN (s->sender), "fec");
  gst_util_set_object_arg (G_OBJECT (s->cc), "controller", o->controller);
  gst_util_set_object_arg (G_OBJECT (s->cc), "lda", o->lda);
  if (s->fec)
    gst_util_set_object_arg (G_OBJECT (s->cc), "fec", o->fec);
  g_object_set (s->cc, "controller-params", o->controller_params, "lda-params",
      o->lda_params, NULL);
  g_object_set (s->link, "seed", (guint64) o->seed, "link", o->link, NULL);
  probe (s, s->sender, "enc", "sink", GST_PAD_PROBE_TYPE_BUFFER, on_encode);
  probe (s, s->sender, "cc", "sink", GST_PAD_PROBE_TYPE_BUFFER, on_packetised);
  probe (s, s->sender, "link", "sink",
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_link_in);
  probe (s, s->sender, "link", "src", GST_PAD_PROBE_TYPE_BUFFER, on_link_out);
  return gst_element_set_state (s->sender, GST_STATE_READY)
      != GST_STATE_CHANGE_FAILURE;
}

Stream *
stream_new (const Options *o, const Clip *clip, Frames *frames, Record *record,
    GError **error)
{
  Stream *s = g_new0 (Stream, 1);
  g_autoptr (GstElement) rtcpsink = NULL;

  s->options = o;
  s->clip = clip;
  s->frames = frames;
  s->record = record;
  s->clock = gst_system_clock_obtain ();
  s->end = RA_TIME_NONE;
  if (!receiver_build (s, error) || !sender_build (s, error)) {
    g_clear_pointer (&s, stream_free);
    return NULL;
  }
  rtcpsink = gst_bin_get_by_name (GST_BIN (s->receiver), "rtcpsink");
  g_object_set (rtcpsink, "port", udp_port (s->sender, "rtcpsrc"), NULL);
  return s;
}

void
stream_free (Stream *s)
{
  g_atomic_int_set (&s->stopping, TRUE);
  if (s->sender)
    gst_element_set_state (s->sender, GST_STATE_NULL);
  if (s->receiver)
    gst_element_set_state (s->receiver, GST_STATE_NULL);
  g_clear_pointer (&s->feeder, g_thread_join);
  gst_clear_object (&s->cc);
  gst_clear_object (&s->link);
  gst_clear_object (&s->fec);
  gst_clear_object (&s->sender);
  gst_clear_object (&s->receiver);
  gst_clear_object (&s->clock);
  g_clear_error (&s->error);
  g_free (s);
}

/* --- running -------------------------------------------------------------- */

/* The clip over and over; clocksync behind the appsrc holds us to its pace. */
static gpointer
feed (gpointer data)
{
  Stream *s = data;
  g_autoptr (GstElement) src = gst_bin_get_by_name (GST_BIN (s->sender), "src");
  g_autoptr (GstCaps) caps = gst_video_info_to_caps (&s->clip->info);
  guint64 fps_n = (guint64) s->clip->info.fps_n;
  guint64 fps_d = (guint64) s->clip->info.fps_d;
  guint64 n
      = (guint64) (s->options->seconds * (gdouble) fps_n / (gdouble) fps_d);

  gst_app_src_set_caps (GST_APP_SRC (src), caps);
  for (guint64 i = 0; i < n && !g_atomic_int_get (&s->stopping); i++) {
    GstBuffer *frame
        = gst_buffer_copy (s->clip->frames->pdata[i % s->clip->frames->len]);

    GST_BUFFER_PTS (frame)
        = gst_util_uint64_scale (i, GST_SECOND * fps_d, fps_n);
    GST_BUFFER_DURATION (frame)
        = gst_util_uint64_scale (1, GST_SECOND * fps_d, fps_n);
    if (gst_app_src_push_buffer (GST_APP_SRC (src), frame) != GST_FLOW_OK)
      break;
  }
  return NULL;
}

static gboolean
on_drained (gpointer data)
{
  Stream *s = data;

  g_main_loop_quit (s->loop);
  return G_SOURCE_REMOVE;
}

void
stream_finish (Stream *s)
{
  if (s->end != RA_TIME_NONE)
    return;
  s->end = stream_now (s);
  g_atomic_int_set (&s->stopping, TRUE);
  g_timeout_add (DRAIN_MS, on_drained, s);
}

RaTime
stream_end (Stream *s)
{
  return s->end;
}

static gboolean
on_time_up (gpointer data)
{
  stream_finish (data);
  return G_SOURCE_REMOVE;
}

static gboolean
on_sample (gpointer data)
{
  Stream *s = data;
  g_autoptr (GstStructure) stats = NULL;
  guint64 capacity = 0;
  guint estimated, encoder, fec = 0;

  g_object_get (s->cc, "estimated-bitrate", &estimated, "encoder-bitrate",
      &encoder, NULL);
  g_object_get (s->link, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "capacity", &capacity);
  if (s->fec)
    g_object_get (s->fec, "percentage", &fec, NULL);
  record_rates (s->record, capacity, estimated, encoder, fec, stream_now (s));
  return G_SOURCE_CONTINUE;
}

static RaCause
cause_from_nick (const gchar *nick)
{
  for (RaCause c = RA_CAUSE_CONGESTION; c <= RA_CAUSE_WIRELESS; c++) {
    if (g_strcmp0 (nick, ra_cause_nick (c)) == 0)
      return c;
  }
  return RA_CAUSE_NONE;
}

static void
on_element_message (Stream *s, const GstStructure *m)
{
  guint seqnum;
  guint64 time;

  if (!m || !gst_structure_get_uint (m, "seqnum", &seqnum)
      || !gst_structure_get_uint64 (m, "time", &time))
    return;
  if (gst_structure_has_name (m, "RTPAdaptLoss"))
    record_lost (s->record, (guint16) seqnum,
        cause_from_nick (gst_structure_get_string (m, "cause")), time);
  else if (gst_structure_has_name (m, "rtpadapt-loss"))
    record_verdict (s->record, (guint16) seqnum,
        cause_from_nick (gst_structure_get_string (m, "verdict")),
        cause_from_nick (gst_structure_get_string (m, "truth")), time);
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  Stream *s = data;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT) {
    on_element_message (s, gst_message_get_structure (message));
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR && !s->error) {
    gst_message_parse_error (message, &s->error, NULL);
    g_main_loop_quit (s->loop);
  }
  return G_SOURCE_CONTINUE;
}

gboolean
stream_play (Stream *s, GMainLoop *loop, GError **error)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (s->sender);
  g_autoptr (GstBus) receiver_bus = gst_element_get_bus (s->receiver);
  guint sample;

  s->loop = loop;
  gst_bus_add_watch (bus, on_message, s);
  gst_bus_add_watch (receiver_bus, on_message, s);
  gst_element_set_state (s->receiver, GST_STATE_PLAYING);
  gst_element_set_state (s->sender, GST_STATE_PLAYING);
  s->feeder = g_thread_new ("feed", feed, s);
  sample = g_timeout_add (SAMPLE_MS, on_sample, s);
  g_timeout_add ((guint) (s->options->seconds * 1e3), on_time_up, s);
  g_main_loop_run (loop);
  g_source_remove (sample);
  gst_bus_remove_watch (bus);
  gst_bus_remove_watch (receiver_bus);
  if (s->error) {
    g_propagate_error (error, g_steal_pointer (&s->error));
    return FALSE;
  }
  return TRUE;
}
