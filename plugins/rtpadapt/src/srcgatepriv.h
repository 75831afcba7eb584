/* SrcGate's own: its struct, shared by its files.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "srcgate.h"
#include "srctwin.h"
#include "wire/answers.h"
#include "wire/encrypted.h"
#include "wire/rtpmux.h"
#include "wire/sources.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (src_gate_debug);

/* A way out. */
typedef struct
{
  GstPad *pad;
  gboolean started; /* its sticky events were pushed */
} Way;

/* Media of an SSRC with a payload type. */
typedef struct
{
  guint32 ssrc;
  guint pt;
  RaTime at; /* that the latest packet came; 0: free */
} SrcGateHeard;

struct _SrcGate
{
  GstElement parent;

  GstPad *sinks[2]; /* rtp, rtcp */
  Way rtp, rtcp;    /* .started: of the streaming thread */
  SrcGateFuncs funcs;
  gboolean mux; /* between stop and start */
  SrcPayloadKind kinds[SRC_PAYLOAD_TYPES];
  GstCaps *rtp_caps;

  GMutex lock; /* never held while anything is pushed or called */
  Peer *peer;
  Sources *sources;
  SrcOrder *order;
  Answers *answers;
  gboolean authentic;
  SrcGateStats count;
  guint32 own; /* the session's SSRC */
  gboolean own_known;
  guint8 strange[SRC_PAYLOAD_TYPES]; /* packets of unknown types, till enough */
  gboolean keyless;                  /* there is neither a key nor DTLS */
  Encrypted encrypted;
  SrcTwin twin;
  SrcGateHeard heard[PEER_STREAMS];
};

/* srcgatejudge.c: no lock is held. */
/* The way out that a packet takes, or NULL: it is dropped and counted. */
Way *src_gate_judge (
    SrcGate *gate, GstPad *sink, GstBuffer *buffer, RtpMuxHead *head);
/* Its place, or that of what was heard longest ago; the lock is held. */
SrcGateHeard *src_gate_heard (SrcGate *gate, guint32 ssrc, guint pt);
/* rtpsession sees the sender's address only of RTP that has our SSRC.  That is
 * no loop, as we send no RTP, so rtpsession takes another SSRC (RFC 3550 8.2): once
 * for an address until that has been silent for 50 s.  (transfer full) both. */
GstBuffer *src_gate_forget_sender (
    SrcGate *gate, const RtpMuxHead *head, GstBuffer *buffer);

G_END_DECLS
