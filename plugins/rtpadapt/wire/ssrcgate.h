/* Bounds the SSRCs that strangers can make srtpdec keep, with DTLS, and counts what
 * comes to it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * srtpdec (1.22) makes a stream with keys of its own for each SSRC before it
 * knows whether a packet is authentic, and libsrtp searches its streams one
 * after the other: a flood of forged SSRCs would take memory and time without
 * end.  It cannot take one out again (it gives libsrtp the SSRC in the wrong
 * byte order).  So not more than SSRC_GATE_TRIES new ones are tried at once, one
 * more each second, and SSRC_GATE_MAX in all.
 *
 * No clock, no lock: the caller has both.
 */
#pragma once

#include <gst/gst.h>
#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* Streams of a peer that starts, with repair streams and some restarts. */
#define SSRC_GATE_TRIES 32
#define SSRC_GATE_MAX 4096

/* Zeroed memory is a closed gate. */
typedef struct
{
  GHashTable *ssrcs; /* seen: guint32 -> whether a packet was authentic; NULL:
                         closed */
  guint tries;       /* SSRCs that may still be tried, at `refilled` */
  RaTime refilled;
  guint64 received;
  guint64 malformed; /* neither RTP nor RTCP */
  guint64 crowded;   /* of an SSRC that was not tried */
} SsrcGate;

/* Begins with no SSRC known.  The counts go on. */
void ssrc_gate_open (SsrcGate *g, RaTime now);
void ssrc_gate_close (SsrcGate *g);

/* The SSRC that srtpdec finds, too.  FALSE: it finds none, and drops the packet
 * without counting it. */
gboolean ssrc_gate_find (GstBuffer *buffer, guint32 *ssrc);

/* A packet comes to srtpdec.  `ssrc` NULL: it has none.  FALSE: drop it. */
gboolean ssrc_gate_before (SsrcGate *g, const guint32 *ssrc, RaTime now);
/* TRUE if no SSRC will be tried any more. */
gboolean ssrc_gate_is_full (const SsrcGate *g);
/* An authentic packet leaves srtpdec. */
void ssrc_gate_after (SsrcGate *g, guint32 ssrc);

G_END_DECLS
