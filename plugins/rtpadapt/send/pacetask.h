/* When the task of rtpadaptsend takes what from the backlog, and for how long it
 * waits.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The owner's lock is held for all calls; pace_wait() and pace_drain() let it go
 * while they wait.
 */
#pragma once

#include "backlog.h"
#include "sendwants.h"

#include "parts/ourclock.h"

#include <gst/rtpadapt/sender.h>

G_BEGIN_DECLS

typedef struct
{
  GstFlowReturn flow; /* of downstream; FLUSHING: the task does not run */
  gboolean eos;       /* EOS came in */
  RaTime eos_at;      /* when the packets that still wait are dropped */
  Backlog *backlog;   /* NULL while the element is stopped */
  GstClockID wait;    /* what the task waits for, or NULL */
  RaTime until;       /* what it waits for after PACE_WAIT, or RA_TIME_NONE */
  gboolean in_flight; /* an item was taken, and is not downstream yet */
  guint going;        /* pads upstream that are about to go */
  GCond wakeup;  /* the task has something to do, or all items are downstream */
  guint64 ended; /* packets dropped: EOS was overdue, or nobody took them */
  gboolean fed;  /* a packet came in since the last flush */
  gboolean lost; /* see pace_take_lost() */
} PaceTask;

/* Once, when the element is made, and when it goes. */
void pace_init (PaceTask *p);
void pace_clear (PaceTask *p);
/* The element starts, with an empty backlog, and stops. */
void pace_start (PaceTask *p);
void pace_stop (PaceTask *p);

/* The task runs from now on; what waited, and the segment, are forgotten. */
void pace_run (PaceTask *p);
/* It ends, and so does whoever waits for it. */
void pace_end (PaceTask *p);
/* TRUE, once: a flush came after packets, and took those that waited, here or upstream, or
 * nobody downstream took one.  The receiver lacks a key frame. */
gboolean pace_take_lost (PaceTask *p);
/* What waits is dropped; the task has ended. */
void pace_flush (PaceTask *p);
/* Downstream is there again.  TRUE: the task has to be started. */
gboolean pace_relink (PaceTask *p);

/* TRUE: the task runs, also once EOS came in. */
gboolean pace_runs (const PaceTask *p);
/* TRUE: nobody is downstream, so nothing leaves. */
gboolean pace_is_unlinked (const PaceTask *p);
/* How long what waits takes at `rate` (bit/s). */
RaSpan pace_waiting (const PaceTask *p, guint64 rate);
/* Packets that were dropped: of frames beyond the limit, when EOS was overdue, or as nobody
 * took them; and those frames. */
guint64 pace_dropped (const PaceTask *p);
guint64 pace_dropped_frames (const PaceTask *p);

/* What a packet that comes in is answered: EOS, or what downstream says. */
GstFlowReturn pace_flow (const PaceTask *p);
/* Takes `event`, which leaves behind the packets that wait.  EOS leaves `limit`
 * from `now` at the latest.  FALSE: the task has ended, so the event is dropped. */
gboolean pace_push_event (
    PaceTask *p, GstEvent *event, RaSpan limit, RaTime now);
/* Takes item->object.  A frame that begins while more than `limit` waits at `rate`
 * (bit/s) is dropped: FALSE.  *wants has SEND_WAKE if the packet is the first that
 * waits, SEND_REFRESH where a frame was cut. */
gboolean pace_push (PaceTask *p, const BacklogItem *item, RaSpan limit,
    guint64 rate, SendWants *wants);

/* What the task has to do. */
typedef enum
{
  PACE_TIMER, /* the timer has expired */
  PACE_ITEM,  /* an event or a packet leaves: pace_take() */
  PACE_WAIT,  /* nothing: pace_wait() */
} PaceStep;

/* `timer`: when the owner's next timer expires, or RA_TIME_NONE; no timer runs once
 * EOS is out.  `next_send`: when the next packet may leave. */
PaceStep pace_step (PaceTask *p, RaTime now, RaTime timer, RaTime next_send);
/* TRUE if a packet, no event, leaves next, and may do so at `now`. */
gboolean pace_packet_is_due (PaceTask *p, RaTime now, RaTime next_send);
/* The item that leaves (transfer full).  There is one. */
void pace_take (PaceTask *p, BacklogItem *item);
/* The items that were taken are downstream. */
void pace_on_left (PaceTask *p);
/* TRUE: a packet that was taken is dropped, because EOS came so long ago; the
 * application waits for it to reach the sink. */
gboolean pace_drops (PaceTask *p, RaTime now);
/* What waits behind a packet that was taken: RA_SENT_WAITING, RA_SENT_SPREAD. */
RaSentFlags pace_flags (PaceTask *p, const BacklogItem *item);
/* Waits until what pace_step() found, or until pace_wake(). */
void pace_wait (PaceTask *p, const OurClock *clock, GMutex *lock);
/* The task looks again. */
void pace_wake (PaceTask *p);
/* A pad upstream goes, or has gone.  Its thread may be the one that waits below, with the
 * lock that the pad needs to go: until then nobody waits. */
void pace_pad_goes (PaceTask *p, gboolean goes);
/* Waits until all that came in is downstream.  FALSE: it is not, and the task has ended or
 * a pad goes. */
gboolean pace_drain (PaceTask *p, GMutex *lock);

/* Downstream said `flow` to a packet.  TRUE if the stream has to end in error,
 * because after EOS nobody upstream will hear of it. */
gboolean pace_on_flow (PaceTask *p, GstFlowReturn flow);

G_END_DECLS
