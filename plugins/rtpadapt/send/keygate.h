/* The receiver's requests for key frames: no more often than it can use them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rtpsession makes an event of each PLI and FIR (RFC 4585 6.3.1, RFC 5104 4.3.1).
 * The receiver sees a key frame a round trip after it asked, so a request within
 * that time is about the frame that is already on its way.  Anybody may also send
 * a thousand requests.  The last request that came too early goes on when the
 * interval is over, because that key frame may have been lost.
 *
 * We ask, too, where we dropped a frame, for its stream, or where the receiver may have
 * missed one while nothing came through, for all.  What one of the two asked for serves
 * the other as well.
 *
 * Plain data; zeroed memory is not a gate, key_gate_clear() makes one.  The
 * interval is an argument because it follows the round trip.  The owner's lock is
 * held for all calls.
 */
#pragma once

#include "sendstreams.h"
#include "sendwants.h"

#include <gst/gst.h>
#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

typedef struct
{
  RaTime asked;      /* when a request went upstream, RA_TIME_NONE: never */
  RaTime dropped;    /* the same of one because of a frame that we dropped */
  GstEvent *waiting; /* a request that came too early, or NULL */
  gboolean ours;     /* that is because of a frame that we dropped */
} KeyRequest;

typedef struct
{
  /* One per stream; requests about unknown streams share the last. */
  KeyRequest of[STREAMS_MAX + 1];
  guint n_waiting;
  gboolean due; /* a thread that may block is going to take those that wait */
  gboolean
      lacking;  /* the receiver may lack a key frame, and nobody asked yet */
  guint64 held; /* requests that came too early */
} KeyGate;

typedef enum
{
  KEY_PASS,      /* the request may go upstream now */
  KEY_HELD,      /* it waits, in place of one that waited before */
  KEY_HELD_FIRST /* it waits: key_gate_next() has become earlier */
} KeyVerdict;

/* Forgets all requests. */
void key_gate_clear (KeyGate *g);
/* The time that has to pass between requests, with a round trip of `rtt`. */
RaSpan key_gate_interval (RaSpan rtt);
/* A request about the stream at `i`, STREAMS_MAX: an unknown one.  A request that
 * waits is referenced. */
KeyVerdict key_gate_ask (
    KeyGate *g, guint i, GstEvent *event, RaSpan interval, RaTime now);
/* When the next request that waits may go, or RA_TIME_NONE; that too where one is
 * due. */
RaTime key_gate_next (const KeyGate *g, RaSpan interval);
/* That time has come: key_gate_take() is called soon, by a thread that may block. */
SendWants key_gate_on_due (KeyGate *g);
/* That thread begins.  FALSE: nothing is due. */
gboolean key_gate_begin (KeyGate *g);
/* A request whose time has come, or NULL.  (transfer full) */
GstEvent *key_gate_take (KeyGate *g, RaSpan interval, RaTime now);

/* We dropped a frame of the stream at `i`, which needs a key frame now: as a request for
 * it, which key_gate_take() gives once in a second at most.  SEND_WAKE: key_gate_next()
 * has become earlier. */
SendWants key_gate_on_drop (KeyGate *g, guint i, guint32 ssrc);
/* The receiver may lack a key frame: one is asked for as soon as packets pass. */
void key_gate_lack (KeyGate *g);
/* TRUE, once: ask for key frames of all streams now. */
gboolean key_gate_refresh (KeyGate *g, RaTime now);

G_END_DECLS
