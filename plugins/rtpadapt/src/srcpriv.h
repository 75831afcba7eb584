/* rtpadaptsrc's own: the element's struct, shared by its files.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "parts/enums.h"
#include "gstrtpadaptsrc.h"
#include "parts/props.h"
#include "wire/secure.h"
#include "srcgate.h"
#include "srcpayload.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (rtpadaptsrc_debug);

typedef struct
{
  gchar *address, *iface; /* or NULL */
  guint port, rtcp_port;  /* 0: a free one, the one after port */
  gboolean mux;
  guint latency; /* ms */
  gboolean drop_on_latency, fec, retransmission;
  gint feedback; /* place in ra_feedbacks[] */
  gchar *encoding, *pt_map; /* or NULL */
  GstCaps *caps;            /* or NULL */
  GstClockTime stats_interval;
} SrcConfig;

/* A source pad, and what feeds it: one SSRC with one payload type, and after
 * its end another with the same. */
typedef struct _SrcStream
{
  GstRtpAdaptSrc *self;
  GstPad *ghost;
  GstElement *fecdec; /* behind rtpbin, or NULL */
  guint pt;
  guint32 ssrc;
  GstPad *pad; /* of rtpbin, or NULL: it is gone */
  guint64 fec; /* repair packets that came, of this SSRC */
} SrcStream;

/* A pad of rtpbin about which it has to be decided, or one that lost its place
 * and is mute, should its SSRC be heard again. */
typedef struct
{
  GstPad *pad;
  GstPad *loser;           /* whose place it takes, or NULL */
  struct _SrcStream *home; /* the place that it lost, or NULL */
  gulong block;            /* probe */
  guint pt;
  guint32 ssrc;
  RaTime since;
} SrcPending;

struct _GstRtpAdaptSrc
{
  GstBin parent;

  /* from init to the end */
  GstElement *udpsrc, *rtcpsrc, *recv, *rtpbin, *udpsink;
  SrcGate *gate;
  Secure *secure;

  /* under the object lock */
  SrcConfig cfg;
  GError *problem;     /* a bad URI */
  GSocket *sockets[2]; /* RTP, RTCP; between NULL and READY */

  /* between NULL and READY */
  SrcPayloads payloads;
  GPtrArray *requested; /* (GstPad) of rtpbin */
  gboolean open;
  gint answering; /* atomic: where RTCP goes is known */

  GMutex lock;        /* never held while pads or elements are touched */
  GPtrArray *streams; /* (SrcStream) */
  GList *pending;     /* (SrcPending) */
  gint n_pending;     /* atomic: its length, to be looked at without the lock */
  GList *losers;      /* (SrcPending) */
  gint n_losers;      /* atomic: the same */
  guint next_name;
  GMutex feeding; /* taken before the lock, while a stream changes its pad */
  GHashTable *jitterbuffers; /* SSRC to GstElement */
  gboolean repeats;          /* rtprtxreceive is there */

  GstClockID sign_timer;  /* under the object lock, or NULL */
  GstClockID stats_timer; /* under the object lock, or NULL */
  GstClockID hint;        /* the same */
  gboolean hinted;        /* it warned since it was opened */
};

/* srcprops.c */
extern const PropRow src_props[];
void src_props_install (GObjectClass *klass);
void src_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec);
void src_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec);

/* srcnet.c: sockets, the gate and the way back. */
void src_net_init (GstRtpAdaptSrc *self);
gboolean src_net_open (GstRtpAdaptSrc *self, const SrcConfig *cfg);
void src_net_close (GstRtpAdaptSrc *self);
/* Drops what leaves by a pad as long as nobody is there to get it. */
void src_net_guard (GstRtpAdaptSrc *self, GstPad *pad);

/* srcsession.c: rtpbin. */
void src_session_init (GstRtpAdaptSrc *self);
gboolean src_session_open (GstRtpAdaptSrc *self, const SrcConfig *cfg);
void src_session_close (GstRtpAdaptSrc *self);
/* Takes the streams away, while they are in PAUSED. */
void src_session_clear (GstRtpAdaptSrc *self);

/* Has rtpsession send a report. */
void src_session_ask (GstRtpAdaptSrc *self);

/* srcrtx.c */
/* Sees to what an rtpjitterbuffer asks for again. */
void src_rtx_watch (GstElement *jitterbuffer);

/* srcrtxpt.c */
/* An rtprtxreceive that gives back to each packet the payload type that its
 * stream has. */
GstElement *src_rtx_receiver (void);

/* srcpads.c: our source pads. */
/* Feeds the stream from a pad of rtpbin, or from none. */
void src_stream_feed (SrcStream *stream, GstPad *pad);
/* A pad of ours for a pad of rtpbin. */
void src_stream_show (
    GstRtpAdaptSrc *self, guint32 ssrc, guint pt, GstPad *pad);
/* Takes the pad away, and frees `stream`. */
void src_stream_remove (SrcStream *stream);

/* srcstreams.c: which of rtpbin's pads feeds which of ours. */
void src_streams_init (GstRtpAdaptSrc *self);
/* A packet of RTP was let in. */
void src_streams_heard (gpointer self, guint32 ssrc, guint pt);
/* Lets go of pads that wait for a decision, and of what waits downstream. */
void src_streams_stop (GstRtpAdaptSrc *self);
/* Removes all source pads. */
void src_streams_clear (GstRtpAdaptSrc *self);

/* srchints.c */
/* The sockets are open.  Warns if anybody on the network can send to them. */
void src_hints_open (GstRtpAdaptSrc *self, const SrcConfig *cfg);
/* From start to stop packets should come. */
void src_hints_start (GstRtpAdaptSrc *self);
void src_hints_stop (GstRtpAdaptSrc *self);
/* srcsign.c: signs of life for a sender that is silent. */
void src_sign_start (GstRtpAdaptSrc *self);
void src_sign_stop (GstRtpAdaptSrc *self);

/* srcstats.c */
GstStructure *src_stats (GstRtpAdaptSrc *self);
void src_stats_start (GstRtpAdaptSrc *self);
void src_stats_stop (GstRtpAdaptSrc *self);

G_END_DECLS
