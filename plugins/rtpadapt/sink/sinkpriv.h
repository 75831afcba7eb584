/* rtpadaptsink's inside: the element, and what is before the network.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "gstrtpadaptsink.h"
#include "sinkpeer.h"
#include "sinkprops.h"
#include "sinkstreams.h"
#include "wire/secure.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (rtpadaptsink_debug);

/* When somebody should answer. */
typedef enum
{
  SINK_HINTED_OFF,  /* not in PLAYING: packets do not leave */
  SINK_HINTED_NEXT, /* from the next packet on */
  SINK_HINTED_ON,   /* the timer was started */
} SinkHinted;

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
  gboolean mux;     /* rtcp_mux as sink_wire_open() took it */
  gboolean repeats; /* retransmission and rtx_time, as they were at the start */
  GstClockTime keep;
  gint feedback;       /* of `send`, the same; index of the registry */
  gboolean in_uri;     /* the parts of a URI are set now, */
  guint then;          /* and this of THEN_MOVES follows */
  GstStructure *taken; /* what the sockets were opened with, NULL: closed */
  GError *uri_problem;
  GstClockID hint; /* or NULL */
  SinkStreams streams;

  gulong host_moved; /* handler of rtpsink's notify::host */
  gint released;     /* atomic: a pad was, and a new one may replace it */
  gint hinted;       /* atomic: a SinkHinted */
  gint answered;     /* atomic: something came from where packets go now */
  gint ended;        /* atomic: BYE was said, and no RTP has left since */

  GMutex lock; /* never held while anything is called that may take another */
  SinkPeer who;
  GSocketAddress *to;   /* where RTP goes, or NULL */
  GInetAddress *before; /* the host before, until `moved_at`, or NULL */
  RaTime moved_at;
  guint64 unkeyed; /* packets dropped before there were keys, since the start */
};

/* sinkwire.c */
/* Once, when the children are there. */
void sink_wire_init (GstRtpAdaptSink *self);
/* In NULL to READY: sockets, security, the links to them.  FALSE after an
 * error. */
gboolean sink_wire_open (GstRtpAdaptSink *self);
/* In READY to NULL, or after a failure. */
void sink_wire_close (GstRtpAdaptSink *self);
/* The destination changed; the host is to be looked up (`look`). */
void sink_wire_destination (GstRtpAdaptSink *self, gboolean look);
/* rtpsink may have found another address for its host, or have been set by itself. */
void sink_wire_moved (GstRtpAdaptSink *self);
/* TRUE if the packets get colours. */
gboolean sink_is_coloured (GstRtpAdaptSink *self);
/* The DSCP of RTCP follows those of RTP. */
void sink_wire_dscp (GstRtpAdaptSink *self);

/* The destination or its host changed: nobody is known who answers. */
void sink_wire_peer (GstRtpAdaptSink *self);
/* Before it goes to PLAYING, and when it leaves it. */
void sink_hints_play (GstRtpAdaptSink *self);
void sink_hints_stop (GstRtpAdaptSink *self);
/* From here on somebody should answer, in PLAYING; any thread may call. */
void sink_hints_start (GstRtpAdaptSink *self);

G_END_DECLS
