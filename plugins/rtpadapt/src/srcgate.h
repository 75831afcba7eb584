/* The gate of rtpadaptsrc: lets in the RTP and RTCP of its peer, each by its
 * own pad.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "wire/peer.h"
#include "srcorder.h"
#include "srcpayload.h"

#include <gst/gst.h>

G_BEGIN_DECLS

#define SRC_TYPE_GATE (src_gate_get_type ())
G_DECLARE_FINAL_TYPE (SrcGate, src_gate, SRC, GATE, GstElement)

/* Pads, all of them always: sinks "rtp_sink" (RTCP too, with mux) and
 * "rtcp_sink", sources "rtp_src" and "rtcp_src". */
SrcGate *src_gate_new (void);

typedef struct
{
  /* Without a lock, from a streaming thread.  The peer is at another address
   * than before. */
  void (*moved) (gpointer data);
  /* A packet of RTP that was let in. */
  void (*heard) (gpointer data, guint32 ssrc, guint pt);
  /* RTCP came from a sender that waits for a sign of life.  moved() was called
   * before. */
  void (*called) (gpointer data);
  gpointer data;
} SrcGateFuncs;
void src_gate_set_funcs (SrcGate *gate, const SrcGateFuncs *funcs);

/* Before it starts: forgets the peer and all counts.  `kinds`: of the 128 payload
 * types.  `mux`: RTCP comes by "rtp_sink", too. */
void src_gate_open (SrcGate *gate, const PeerConfig *cfg, gboolean mux,
    const SrcPayloadKind *kinds, GstCaps *rtp_caps);

/* RTCP of rtpsession is about to leave.  The gate has to know the SSRC in it, because
 * a packet that comes with it is forged or a collision.  After our BYE the peer may
 * use that SSRC. */
void src_gate_note_own (SrcGate *gate, GstBuffer *rtcp);

/* Takes RTCP that is about to leave and returns what leaves in its place.
 * (transfer full) both; NULL: nothing may leave. */
GstBuffer *src_gate_leave (SrcGate *gate, GstBuffer *rtcp);

/* Where RTCP goes.  (transfer full), NULL: nobody known. */
GSocketAddress *src_gate_answer_to (SrcGate *gate);
/* Since when nothing has come of that SSRC, with that payload type if it is not -1;
 * RA_SPAN_NONE: the SSRC is not known, or it said BYE. */
RaSpan src_gate_silence (SrcGate *gate, guint32 ssrc, gint pt);

/* TRUE if there was a peer, and it has been silent for PEER_RESTART. */
gboolean src_gate_is_quiet (SrcGate *gate);

typedef struct
{
  PeerStats peer;
  SrcOrderStats order;
  guint64 answers_dropped; /* our RTCP that was more than may leave */
  guint64 rtp, rtcp;       /* packets let in */
  guint64 fec;             /* of these FEC */
  guint64 rtx;             /* of these, sent again */
  guint64 junk;            /* neither RTP nor RTCP */
  guint64 sr_requests;     /* RTCP with one, see rtpmux.h: dropped */
  guint64 own_ssrc;        /* with the SSRC of our reports: RTCP is dropped */
  guint64 unknown;         /* of a payload type that may not pass */
} SrcGateStats;
void src_gate_get_stats (SrcGate *gate, SrcGateStats *stats);

G_END_DECLS
