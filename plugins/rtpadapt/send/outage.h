/* What rtpadaptsend does while nobody answers: probes behind an open circuit
 * breaker, and sender reports that show the receiver our address.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plain data, ready after outage_start().  The owner's lock is held for all calls.
 */
#pragma once

#include "sendwants.h"

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

typedef struct
{
  RaTime answered;    /* when feedback came last, or RA_TIME_NONE */
  RaTime heard;       /* when RTCP came last, or when we started */
  RaTime last_sent;   /* RA_TIME_NONE: nothing yet */
  RaTime ask_again;   /* when a sender report may be asked for again */
  RaTime probe_since; /* since when a probe is looked for, or RA_TIME_NONE */
  guint32 probe_ssrc; /* the latest probe */
  guint16 probe_seq;
  guint64 probes; /* packets sent while a breaker was open */
  guint64 ceased; /* packets dropped because a breaker was open */
  guint64 stale;  /* packets dropped because an outage made them useless */
  guint64 stale_frames; /* frames whose last packet is one of these */
} Outage;

/* A packet that comes to an open breaker. */
typedef struct
{
  guint32 ssrc;
  guint16 seq;
  gboolean asks; /* the receiver answers to this packet */
} OutagePacket;

void outage_start (Outage *o, RaTime now);

/* TRUE: `p`, which must not be a repair packet, leaves though a breaker is
 * open, because the breaker lets a probe go at `next_probe`.  The search for a
 * packet that the receiver answers to lasts some frames, then any packet
 * serves. */
gboolean outage_take_probe (
    Outage *o, const OutagePacket *p, RaTime next_probe, RaTime now);
/* A packet was dropped behind an open breaker: a key frame is due later. */
SendWants outage_on_ceased (Outage *o);
/* A packet that waited in an outage is of no use any more; it `ends` its frame. */
void outage_on_stale (Outage *o, gboolean ends);
/* Feedback came.  After a silence a key frame is due: a request for one may have
 * been lost in it, and no decoder asks twice. */
SendWants outage_on_answer (Outage *o, RaTime now);
/* RTCP of any kind came. */
void outage_on_rtcp (Outage *o, RaTime now);
/* A packet leaves. */
void outage_on_sent (Outage *o, RaTime now);

/* When the session is to be asked for a sender report, or RA_TIME_NONE. */
RaTime outage_next_ask (const Outage *o, gboolean is_open);
/* The session is asked for one, which it has to send within the span returned. */
RaSpan outage_ask (Outage *o, RaTime now);

G_END_DECLS
