/* rtpadaptsink's own: the element's struct, shared by its files.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "gstrtpadaptsink.h"
#include "parts/props.h"
#include "wire/encrypted.h"
#include "wire/peer.h"
#include "wire/secure.h"
#include "wire/sources.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (rtpadaptsink_debug);

/* Payload types of what we add. */
#define SINK_PT_FEC 122
#define SINK_PT_RTX 121
/* Ids of header extensions where nothing else is told. */
#define SINK_EXT_TWCC 1
#define SINK_EXT_SEND_TS 2
#define SINK_EXT_COLOUR 3
/* More than the streams of one sender with their repair streams. */
#define SINK_SSRCS 32

#define SINK_COLOUR "content"
#define SINK_RTX_TIME GST_SECOND

typedef struct
{
  gchar *host; /* never NULL */
  gint port, rtcp_port;
  gboolean rtcp_mux;
  gboolean retransmission;
  GstClockTime rtx_time;
} SinkConfig;

/* What is behind one request pad. */
typedef struct
{
  GstPad *ghost, *funnel_pad;
  GstElement *fec, *rtx; /* NULL: none */
  gboolean built;        /* ghost has a target */
  gint payload;          /* as in the caps, or -1 */
  gint rtx_payload;      /* what is sent again, or -1 */
  gboolean ssrc_known;
  guint32 ssrc;
  GstCaps *caps; /* or NULL */
} SinkStream;

/* Who answers us. */
typedef struct
{
  GMutex lock;
  Peer *peer;       /* between NULL and READY */
  Sources *sources; /* the same */
  guint ext_twcc;   /* the session's id of transport-wide numbers, or 0 */
  guint sent;       /* 1 more than the last of these numbers that left, or 0 */
  guint32 ssrcs[SINK_SSRCS];
  guint n_ssrcs, next_ssrc; /* the ring */
  guint64 junk;             /* packets that are no RTCP */
  guint64 sr_requests;      /* RTCP with one, see rtpmux.h: dropped */
  guint64 own_ssrc;         /* RTCP that uses an SSRC of ours: dropped */
  gboolean authentic;       /* what comes was encrypted */
  Encrypted encrypted;
  gboolean encrypted_news; /* a warning about that is due */
} SinkPeer;

struct _GstRtpAdaptSink
{
  GstBin parent;

  /* Children for ever, or NULL where `missing` names the first that is not
   * there. */
  GstElement *funnel, *send, *rtpbin, *rtpsink, *rtcpsink, *rtcpsrc;
  const gchar *missing;
  /* rtpbin's: RTP out, RTCP out, RTCP in */
  GstPad *rtp_out, *rtcp_out, *rtcp_in;
  Secure *secure;
  gulong gate; /* probe of funnel's source pad: DTLS is not ready */
  gulong end;  /* probe of rtp_out, for DTLS */

  /* under the object lock */
  SinkConfig cfg;
  GError *uri_problem;
  GstClockID hint;    /* or NULL */
  GPtrArray *streams; /* SinkStream */
  guint ext_twcc;     /* the id of the first stream */

  gint hinted; /* atomic: the timer `hint` was started */

  SinkPeer who;
};

/* sinkprops.c */
extern const PropRow sink_props[];
void sink_props_install (GObjectClass *klass);
void sink_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec);
void sink_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec);
/* Hands the children what the properties are at the beginning. */
void sink_props_init (GstRtpAdaptSink *self);

/* sinkstreams.c */
GstPad *sink_request_pad (GstElement *element, GstPadTemplate *templ,
    const gchar *name, const GstCaps *caps);
void sink_release_pad (GstElement *element, GstPad *pad);
void sink_streams_init (GstRtpAdaptSink *self);

/* sinkcaps.c */
/* What a stream may be: with our header extensions, or else as it is.
 * (transfer full) */
GstCaps *sink_caps_offer (GstRtpAdaptSink *self, const GstCaps *filter);

/* sinkwire.c */
/* In NULL to READY: sockets, security, the links to them.  FALSE after an
 * error. */
gboolean sink_wire_open (GstRtpAdaptSink *self);
/* In READY to NULL, or after a failure. */
void sink_wire_close (GstRtpAdaptSink *self);
/* The destination changed. */
void sink_wire_destination (GstRtpAdaptSink *self);
/* TRUE if the packets get colours. */
gboolean sink_is_coloured (GstRtpAdaptSink *self);
/* The DSCP of RTCP follows those of RTP. */
void sink_wire_dscp (GstRtpAdaptSink *self);

/* sinkhints.c */
/* From here on somebody should answer; any thread may call. */
void sink_hints_start (GstRtpAdaptSink *self);
/* Called from PAUSED to READY. */
void sink_hints_stop (GstRtpAdaptSink *self);

/* sinkpeer.c */
void sink_peer_init (GstRtpAdaptSink *self);
void sink_peer_finalize (GstRtpAdaptSink *self);
/* Begins anew with the destination as it is; closed: with nobody. */
void sink_peer_reset (GstRtpAdaptSink *self, gboolean open);
/* (transfer full) */
GstStructure *sink_peer_stats (GstRtpAdaptSink *self);

G_END_DECLS
