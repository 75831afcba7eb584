/* rtpadaptrecv in front of a real rtpsession, both on a test clock.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "../../plugins/rtpadapt/parts/extmap.h"
#include "../../plugins/rtpadapt/parts/tosmeta.h"
#include "patience.h"

#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>
#include <gst/rtp/rtp.h>
#include <gst/rtpadapt/feedback/ccfbfci.h>
#include <gst/rtpadapt/feedback/colourext.h>
#include <gst/rtpadapt/feedback/radp.h>
#include <gst/rtpadapt/feedback/tfrcfb.h>

#define SSRC 0x12345678
#define START (100 * GST_SECOND)
#define SIZE 1000 /* of a packet, with its header */
#define MS GST_MSECOND
/* RTCP's interval is about 2 ms then, no bound to anything here. */
#define SESSION "rtp-profile=avpf bandwidth=10000000"
/* The RTT and the one-way delay that packets tell of. */
#define R (50 * MS)
#define STAMPED .rtt = R, .owd = 20 * MS
#define CAPS_PLAIN \
  "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96"
#define CAPS_TWCC CAPS_PLAIN ",extmap-1=" EXTMAP_TWCC_URI
#define CAPS_TFRC CAPS_TWCC ",extmap-2=" RA_SEND_TS_URI
#define CAPS_ALL CAPS_TFRC ",extmap-3=" RA_COLOUR_EXT_URI

typedef struct
{
  GstTestClock *clock;
  GstElement *element, *session;
  GObject *internal; /* the RTPSession */
  GstHarness *in, *out, *rtcp;
  GstBus *bus;
  guint timers; /* ids that wait on the clock when all is done */
} Recv;

/* What a test puts into one packet. */
typedef struct
{
  guint16 seq;
  guint32 ssrc; /* 0: SSRC */
  RaSpan rtt;   /* 0: no rtt-sendts */
  RaSpan owd;   /* one-way delay: the send time lies so long ago */
  gboolean numbered;
  guint16 number;
  RaMark mark; /* RA_MARK_NONE: no colour */
  guint16 n;
  gboolean has_tos;
  guint8 tos;
  gboolean has_dts;
  RaSpan late; /* since it arrived, says its DTS */
} Packet;

static inline GstClockTime
time_now (Recv *r)
{
  return gst_clock_get_time (GST_CLOCK (r->clock));
}

static inline guint32
stamp_us (GstClockTime t)
{
  return (guint32) (t / GST_USECOND);
}

/* A session behind the element; `properties` as in gst-launch. */
static inline void
session_new (Recv *r, const gchar *properties)
{
  g_autofree gchar *line = g_strdup_printf ("rtpsession %s", properties);
  GstPad *src = gst_element_get_static_pad (r->element, "src"), *sink;

  r->session = gst_object_ref_sink (line_new (line));
  sink = gst_element_request_pad_simple (r->session, "recv_rtp_sink");
  g_assert_cmpint (gst_pad_link (src, sink), ==, GST_PAD_LINK_OK);
  gst_object_unref (src);
  gst_object_unref (sink);
  g_object_get (r->session, "internal-session", &r->internal, NULL);
  r->out = gst_harness_new_with_element (r->session, NULL, "recv_rtp_src");
  gst_harness_use_systemclock (r->out);
  r->rtcp = gst_harness_new_with_element (r->session, NULL, "send_rtcp_src");
  gst_harness_use_systemclock (r->rtcp);
}

/* `properties` of rtpadaptrecv; `session`: those of rtpsession, or NULL for
 * none.  No statistics messages, so that only reports set the timer. */
static inline Recv
recv_new (const gchar *properties, const gchar *session, const gchar *caps)
{
  g_autofree gchar *line
      = g_strdup_printf ("rtpadaptrecv stats-interval=0 %s", properties);
  Recv r = { .timers = 2 };

  r.clock = GST_TEST_CLOCK (gst_test_clock_new_with_start_time (START));
  gst_system_clock_set_default (GST_CLOCK (r.clock));
  r.element = gst_object_ref_sink (line_new (line));
  r.bus = gst_bus_new ();
  gst_element_set_bus (r.element, r.bus);
  if (session)
    session_new (&r, session);
  r.in = gst_harness_new_with_element (
      r.element, "sink", session ? NULL : "src");
  gst_harness_use_systemclock (r.in);
  gst_harness_set_src_caps_str (r.in, caps);
  return r;
}

/* The session and what watches it. */
static inline void
session_free (Recv *r)
{
  if (!r->session)
    return;
  gst_element_set_state (r->session, GST_STATE_NULL);
  g_clear_pointer (&r->out, gst_harness_teardown);
  g_clear_pointer (&r->rtcp, gst_harness_teardown);
  g_clear_object (&r->internal);
  gst_clear_object (&r->session);
}

static inline void
recv_free (Recv *r)
{
  gst_harness_teardown (r->in);
  gst_element_set_state (r->element, GST_STATE_NULL);
  session_free (r);
  gst_element_set_bus (r->element, NULL);
  gst_object_unref (r->element);
  gst_object_unref (r->bus);
  gst_system_clock_set_default (NULL);
  gst_object_unref (r->clock);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Recv, recv_free)

static inline void
extensions_write (GstRTPBuffer *rtp, const Packet *p, GstClockTime sent)
{
  guint8 data[RA_SEND_TS_SIZE];

  if (p->numbered) {
    GST_WRITE_UINT16_BE (data, p->number);
    g_assert_true (
        gst_rtp_buffer_add_extension_onebyte_header (rtp, 1, data, 2));
  }
  if (p->rtt > 0) {
    ra_send_ts_write (&(RaSendTs){ .rtt = p->rtt, .t_i = stamp_us (sent) },
        data, sizeof data);
    g_assert_true (gst_rtp_buffer_add_extension_onebyte_header (
        rtp, 2, data, RA_SEND_TS_SIZE));
  }
  if (p->mark != RA_MARK_NONE) {
    ra_colour_ext_write (
        &(RaColourExt){ .mark = p->mark, .n = p->n }, data, sizeof data);
    g_assert_true (gst_rtp_buffer_add_extension_onebyte_header (
        rtp, 3, data, RA_COLOUR_EXT_SIZE));
  }
}

static inline GstBuffer *
packet_new (Recv *r, Packet p)
{
  GstClockTime arrival = time_now (r) - (guint64) p.late;
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (SIZE - 12, 0, 0);

  g_assert_true (gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp));
  gst_rtp_buffer_set_ssrc (&rtp, p.ssrc ? p.ssrc : SSRC);
  gst_rtp_buffer_set_seq (&rtp, p.seq);
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  extensions_write (&rtp, &p, arrival - (guint64) p.owd);
  gst_rtp_buffer_unmap (&rtp);
  gst_buffer_set_size (buffer, SIZE);
  if (p.has_tos)
    rtp_adapt_buffer_add_tos (buffer, p.tos);
  if (p.has_dts)
    GST_BUFFER_DTS (buffer) = arrival - gst_element_get_base_time (r->element);
  return buffer;
}

/* Until everyone waits for the time to go on. */
static inline void
settle (Recv *r)
{
  wait_until (gst_test_clock_peek_id_count (r->clock) == r->timers);
}

static inline void
push (Recv *r, Packet p)
{
  g_assert_cmpint (
      gst_harness_push (r->in, packet_new (r, p)), ==, GST_FLOW_OK);
  settle (r);
}

/* Time goes on to what is next, if that is not after `t`. */
static inline gboolean
step (Recv *r, GstClockTime t)
{
  GstClockID id;
  GstClockTime next;

  if (!gst_test_clock_peek_next_pending_id (r->clock, &id))
    return FALSE;
  next = gst_clock_id_get_time (id);
  gst_clock_id_unref (id);
  if (next > t)
    return FALSE;
  if (next > time_now (r))
    gst_test_clock_set_time (r->clock, next);
  id = gst_test_clock_process_next_clock_id (r->clock);
  g_assert_nonnull (id);
  gst_clock_id_unref (id);
  settle (r);
  return TRUE;
}

static inline void
advance_to (Recv *r, GstClockTime t)
{
  while (step (r, t))
    continue;
  gst_test_clock_set_time (r->clock, t);
}

/* The RTCP packet that is there, or NULL. */
static inline GstBuffer *
rtcp_try (Recv *r)
{
  return gst_harness_try_pull (r->rtcp);
}

/* A packet of this type in it, and with this FMT if it is feedback.  Unmap
 * `rtcp` even if FALSE. */
static inline gboolean
rtcp_find (GstBuffer *buffer, GstRTCPBuffer *rtcp, GstRTCPPacket *packet,
    GstRTCPType type, guint fmt)
{
  gboolean more;

  g_assert_true (gst_rtcp_buffer_validate_reduced (buffer));
  g_assert_true (gst_rtcp_buffer_map (buffer, GST_MAP_READ, rtcp));
  for (more = gst_rtcp_buffer_get_first_packet (rtcp, packet); more;
       more = gst_rtcp_packet_move_to_next (packet)) {
    if (gst_rtcp_packet_get_type (packet) == type
        && (type != GST_RTCP_TYPE_RTPFB
            || (guint) gst_rtcp_packet_fb_get_type (packet) == fmt))
      return TRUE;
  }
  return FALSE;
}

static inline gboolean
rtcp_has (GstBuffer *buffer, GstRTCPType type, guint fmt)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  gboolean has = rtcp_find (buffer, &rtcp, &packet, type, fmt);

  gst_rtcp_buffer_unmap (&rtcp);
  return has;
}

/* The RTCP packet that is there and has feedback of this FMT, or NULL.  Others,
 * regular ones, are dropped. */
static inline GstBuffer *
report_try (Recv *r, guint fmt)
{
  GstBuffer *buffer;

  while (
      (buffer = rtcp_try (r)) && !rtcp_has (buffer, GST_RTCP_TYPE_RTPFB, fmt))
    gst_buffer_unref (buffer);
  return buffer;
}

/* Pushes one packet and lets time go on until its report went with a regular
 * RTCP packet.  From then on rtpsession allows early ones. */
static inline void
first_report (Recv *r, Packet p, guint fmt)
{
  g_autoptr (GstBuffer) buffer = NULL;

  push (r, p);
  while (!(buffer = report_try (r, fmt)))
    g_assert_true (step (r, GST_CLOCK_TIME_NONE));
}

static inline guint32
internal_ssrc (Recv *r)
{
  guint32 ssrc;

  g_object_get (r->internal, "internal-ssrc", &ssrc, NULL);
  return ssrc;
}

static inline gint64
stat (Recv *r, const gchar *field)
{
  return stats_number (r->element, field);
}

/* (transfer full) */
static inline gchar *
stat_text (Recv *r, const gchar *field)
{
  return stats_text (r->element, field);
}

/* The next warning, for which it waits; it has to have `part` in it. */
static inline void
warning_expect (Recv *r, const gchar *part)
{
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
      r->bus, PATIENCE * GST_USECOND, GST_MESSAGE_WARNING);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (message);
  gst_message_parse_warning (message, &error, NULL);
  if (!strstr (error->message, part))
    g_error ("no '%s' in '%s'", part, error->message);
}

/* The element message of that name comes, and no other before it.
 * (transfer full) */
static inline GstMessage *
message_expect (Recv *r, const gchar *name)
{
  GstMessage *message = gst_bus_timed_pop_filtered (
      r->bus, PATIENCE * GST_USECOND, GST_MESSAGE_ELEMENT);

  g_assert_nonnull (message);
  g_assert_true (gst_message_has_name (message, name));
  return message;
}

/* No warning and no element message is there. */
static inline void
nothing_said (Recv *r)
{
  GstMessage *message = gst_bus_pop_filtered (
      r->bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR | GST_MESSAGE_ELEMENT);

  if (message)
    g_error ("a message: %s", GST_MESSAGE_TYPE_NAME (message));
}
