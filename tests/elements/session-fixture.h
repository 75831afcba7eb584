/* rtpadaptsend in front of a real rtpsession, and RTCP made by hand that comes
 * in there.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "send-fixture.h"

#include <string.h>

#define PEER 0xa0b0c0d0
#define EXT_TWCC                      \
  ",extmap-1=http://www.ietf.org/id/" \
  "draft-holmer-rmcat-transport-wide-cc-extensions-01"
#define EXT_SEND_TS ",extmap-2=urn:ietf:params:rtp-hdrext:rtt-sendts"
#define EXT_COLOUR ",extmap-3=urn:x-rtpadapt:rtp-hdrext:colour"

#define PAIR_START (100 * GST_SECOND)

typedef struct
{
  Send send;
  GstElement *bin, *session;
  GObject *internal; /* its RTPSession */
  GstPad *rtcp;      /* feeds it */
} Pair;

static inline GObject *
session_internal (GstElement *session)
{
  GObject *internal;

  g_object_get (session, "internal-session", &internal, NULL);
  g_assert_nonnull (internal);
  return internal;
}

/* TRUE if somebody listens to what it receives. */
static inline gboolean
session_is_heard (GObject *internal)
{
  return g_signal_has_handler_pending (internal,
      g_signal_lookup ("on-receiving-rtcp", G_OBJECT_TYPE (internal)), 0, TRUE);
}

/* A pad that feeds RTCP to `sink`, which it takes. */
static inline GstPad *
rtcp_feed (GstPad *sink)
{
  GstPad *rtcp = gst_pad_new ("rtcp", GST_PAD_SRC);
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple ("application/x-rtcp");

  gst_pad_set_active (rtcp, TRUE);
  g_assert_cmpint (gst_pad_link_full (rtcp, sink, GST_PAD_LINK_CHECK_NOTHING),
      ==, GST_PAD_LINK_OK);
  gst_pad_push_event (rtcp, gst_event_new_stream_start ("rtcp"));
  gst_pad_push_event (rtcp, gst_event_new_caps (caps));
  segment_send (rtcp);
  gst_object_unref (sink);
  return rtcp;
}

/* An rtpsession in the bin behind rtpadaptsend. */
static inline GstElement *
session_add (GstElement *bin, GstElement *send, const gchar *profile)
{
  GstElement *session = gst_element_factory_make ("rtpsession", NULL);

  g_assert_nonnull (session);
  gst_util_set_object_arg (G_OBJECT (session), "rtp-profile", profile);
  gst_bin_add (GST_BIN (bin), session);
  gst_element_sync_state_with_parent (session);
  g_assert_true (gst_element_link_pads (send, "src", session, "send_rtp_sink"));
  return session;
}

/* `profile` avp or avpf. */
static inline Pair
pair_new (const gchar *properties, const gchar *profile, const gchar *caps)
{
  g_autofree gchar *line
      = g_strdup_printf ("rtpadaptsend stats-interval=0 %s", properties);
  Pair p = { .bin = gst_bin_new ("pair") };
  GstPad *sink, *src;

  gst_object_ref_sink (p.bin);
  send_clock (&p.send);
  p.send.element = line_new (line);
  gst_bin_add (GST_BIN (p.bin), gst_object_ref_sink (p.send.element));
  p.session = session_add (p.bin, p.send.element, profile);
  p.internal = session_internal (p.session);
  sink = gst_element_get_static_pad (p.send.element, "sink");
  src = gst_element_get_static_pad (p.session, "send_rtp_src");
  gst_element_add_pad (p.bin, gst_ghost_pad_new ("sink", sink));
  gst_element_add_pad (p.bin, gst_ghost_pad_new ("src", src));
  gst_object_unref (sink);
  gst_object_unref (src);
  send_harness_caps (&p.send, p.bin, caps);
  /* The bin had set its own. */
  gst_element_set_bus (p.send.element, p.send.bus);
  p.rtcp = rtcp_feed (
      gst_element_request_pad_simple (p.session, "recv_rtcp_sink"));
  wait_until (session_is_heard (p.internal));
  /* rtpadaptsend's time began with the harness; now it is PAIR_START. */
  gst_test_clock_advance_time (p.send.clock, PAIR_START);
  return p;
}

/* Without a session. */
static inline Pair
pair_alone (const gchar *properties, const gchar *caps)
{
  g_autofree gchar *line
      = g_strdup_printf ("rtpadaptsend stats-interval=0 %s", properties);
  Pair p = { 0 };

  p.send.element = gst_object_ref_sink (line_new (line));
  send_harness_caps (&p.send, p.send.element, caps);
  return p;
}

static inline void
pair_free (Pair *p)
{
  if (p->rtcp)
    gst_pad_set_active (p->rtcp, FALSE);
  gst_clear_object (&p->rtcp);
  g_clear_object (&p->internal);
  send_free (&p->send);
  gst_clear_object (&p->bin);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pair, pair_free)

/* --- RTCP ---------------------------------------------------------------- */

typedef struct
{
  guint8 data[1024];
  guint len;
} Rtcp;

static inline void
put (Rtcp *r, guint bytes, guint64 value)
{
  while (bytes-- > 0)
    r->data[r->len++] = (guint8) (value >> 8 * bytes);
}

/* The first four bytes (RFC 3550 6.4); `size` is the whole packet's. */
static inline void
put_head (Rtcp *r, guint count, guint type, guint size)
{
  g_assert_cmpuint (size % 4, ==, 0);
  put (r, 1, 0x80 | count);
  put (r, 1, type);
  put (r, 2, size / 4 - 1);
}

/* A receiver report with one block, RFC 3550 6.4.2. */
static inline void
put_rr (Rtcp *r, guint32 about, guint fraction, guint32 highest, guint32 lsr,
    guint32 dlsr)
{
  put_head (r, 1, 201, 32);
  put (r, 4, PEER);
  put (r, 4, about);
  put (r, 1, fraction);
  put (r, 3, 0);
  put (r, 4, highest);
  put (r, 4, 0);
  put (r, 4, lsr);
  put (r, 4, dlsr);
}

/* draft-ietf-avt-tfrc-profile-10, 6.  `size` of the FCI, 16 if it is right. */
static inline void
put_tfrc (Rtcp *r, guint fmt, guint32 about, guint32 t_i, guint32 t_delay,
    guint32 x_recv, guint32 p)
{
  put_head (r, fmt, 205, 28);
  put (r, 4, PEER);
  put (r, 4, about);
  put (r, 4, t_i);
  put (r, 4, t_delay);
  put (r, 4, x_recv);
  put (r, 4, p);
}

/* RADP of the LDA "zbs" (feedback/radp.h). */
static inline void
put_radp (Rtcp *r, guint32 sender, guint32 t_i, guint32 arrived)
{
  put_head (r, 0, 204, 12 + 52 + 4);
  put (r, 4, sender);
  put (r, 4, 0x52414450); /* "RADP" */
  put (r, 4, 0x01030180); /* version 1, 3 letters, burst 1.5 packets */
  put (r, 4, t_i);
  put (r, 4, arrived); /* expected */
  put (r, 4, arrived);
  put (r, 4, 0);          /* lost to congestion */
  put (r, 4, 0);          /* lost to the radio */
  put (r, 4, 0);          /* runs */
  put (r, 4, 0);          /* loss events */
  put (r, 4, 0);          /* t_lost */
  put (r, 4, 20000);      /* queue, us */
  put (r, 4, 0x80000000); /* w .5 */
  put (r, 4, 0x40000000); /* p_c .25 */
  put (r, 4, 0x20000000); /* delayed .125 */
  put (r, 4, 0x7a627300); /* "zbs" */
}

static inline void
rtcp_push (GstPad *pad, const Rtcp *r)
{
  GstBuffer *buffer = gst_buffer_new_memdup (r->data, r->len);

  g_assert_cmpint (gst_pad_push (pad, buffer), ==, GST_FLOW_OK);
}
