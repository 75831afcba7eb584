/* rtpadaptsrc: holds packets no longer than the path needs.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element reports its highest latency, `most`, always, so that no sink has to be
 * configured again.  Where less is enough, each jitterbuffer's ts-offset is less than
 * 0: it puts buffers that much earlier on the player's clock, and gives packets up
 * that much earlier.  rtpjitterbuffer (1.22) could hold less by its property latency,
 * too, but then begins its timestamps again when a packet is later than that, so
 * that each large frame would move the picture; and sinks wait for what the LATENCY
 * query said once, unless the application asks again, and then jump.
 *
 * Missing video is waited for a little longer than that, where it pays (RaGrace).  The
 * jitterbuffer's property latency includes this wait, and the answer to the LATENCY query
 * leaves it out, so that nothing else is shown later.
 *
 * rtpbin sets ts-offset for lip synchronisation, when there are two streams or more.
 * What it sets is kept, and ours is taken off it.
 */
#pragma once

#include "srcpayload.h"

#include <gst/rtpadapt/repair/playout.h>

G_BEGIN_DECLS

typedef struct
{
  gboolean adaptive; /* FALSE: only measure */
  RaPlayoutLimits limits;
} SrcHoldConfig;

/* What the streams of a session share. */
typedef struct
{
  GMutex lock; /* not held while a property is set */
  SrcHoldConfig cfg;
  GPtrArray *streams; /* (HoldStream) */
  RaHold hold;
  RaSpan wanted;
  RaSpan said;           /* what `changed` was called with */
  RaSpan said_most;      /* the most at that time */
  RaSpan moved, hurried; /* largest changes of the playout at a frame: later,
                                   earlier; of rtpjitterbuffer's clock, too */
  GMutex telling;        /* taken before the lock, while properties are set */
  GThread *teller;       /* atomic: who has it, or NULL */
  /* It, or the most, is another one.  No lock is held but `telling`; the thread is a
   * jitterbuffer's. */
  void (*changed) (gpointer data, RaSpan hold);
  gpointer data;
  const SrcPayloads *payloads; /* not owned */
} SrcHold;

typedef struct
{
  RaSpan now, wanted, late; /* late: RA_SPAN_NONE if nothing came */
  RaSpan more;              /* a wait for missing video, RA_GRACE or 0 */
  RaSpan moved, hurried;
} SrcHoldStats;

void src_hold_init (SrcHold *h, const SrcPayloads *payloads,
    void (*changed) (gpointer data, RaSpan hold), gpointer data);
void src_hold_clear (SrcHold *h);
/* Also while it runs. */
void src_hold_set (SrcHold *h, const SrcHoldConfig *cfg);
/* rtpbin made a jitterbuffer for `ssrc`. */
void src_hold_add (SrcHold *h, GstElement *jitterbuffer, guint32 ssrc);
/* It is gone. */
void src_hold_remove (SrcHold *h, guint32 ssrc);
void src_hold_remove_all (SrcHold *h);
void src_hold_get_stats (SrcHold *h, SrcHoldStats *stats);

G_END_DECLS
