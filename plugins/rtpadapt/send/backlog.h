/* The packets and events that wait for the pacer, bounded in time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Policy: a frame (packets of one SSRC with one RTP timestamp, up to the marker if it
 * is video) that begins while more than `limit` of sending time is queued is dropped as
 * a whole; a frame that began is not cut, unless the queue grows beyond four times the
 * limit, where the rest of the frame goes.  A frame that finds the queue empty
 * always begins.  The RTP numbers of dropped packets are not reused: the
 * receiver sees a gap and its decoder conceals a missing frame, where closed
 * ranks would hide the damage from it.
 *
 * Packets that have priority pass those that have not, and only what of them
 * waits counts against theirs; retransmissions are between the two, since a burst of
 * them may take longer than audio can wait.  Packets of one SSRC keep their order,
 * also when they get or lose priority.  Stream-start, caps and segment belong to the
 * packets that follow them: whatever passes whatever, each packet leaves after
 * the latest of each that came before it, which are repeated where another
 * stream's were sent meanwhile.  An event about a key frame, a gap or tags is of one
 * stream: it leaves after all that came before it, and what has priority passes it.  Any
 * other event leaves before all that came after it, too, but for retransmissions, which
 * come from another thread.
 */
#pragma once

#include "sendext.h"

#include <gst/gst.h>
#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

typedef struct _BacklogContext BacklogContext;

typedef struct
{
  GstMiniObject *object; /* a buffer or a serialized event */
  gboolean is_packet;
  gboolean marker;    /* the frame's last, which the receiver answers to */
  gboolean is_repeat; /* retransmission: neither media nor part of a frame */
  gboolean priority;
  guint8 payload_type;
  guint size;    /* bytes of the RTP packet */
  guint header;  /* of these come before the payload */
  guint payload; /* are the payload */
  guint media;   /* of these the encoder's */
  guint32 ssrc, timestamp;
  guint32 ssrc_out; /* that it leaves with: another one after way_unwrap() */
  guint16 seq;
  guint16 original;        /* of a retransmission: the number that it repeats */
  RaTime taken;            /* it came in */
  guint stream;            /* place in the table of streams */
  SendExtPlan plan;        /* for the header extensions */
  BacklogContext *context; /* the backlog's own */
} BacklogItem;

typedef struct _Backlog Backlog;

/* (transfer full): backlog_free(). */
Backlog *backlog_new (void);
void backlog_free (Backlog *b);
/* Empties it; counters stay, and so do the events that have to leave before the
 * next packet. */
void backlog_clear (Backlog *b);
/* Empties it and forgets the segment, as a flush does. */
void backlog_flush (Backlog *b);

/* Events are always taken.  Takes `event` over. */
void backlog_push_event (Backlog *b, GstEvent *event);
/* Takes item->object over and returns TRUE; or returns FALSE: dropped, and the
 * object stays the caller's.  `limit` is time at `rate`. */
gboolean backlog_push_packet (
    Backlog *b, const BacklogItem *item, RaSpan limit, guint64 rate);
gboolean backlog_is_empty (Backlog *b);
/* NULL if empty.  Valid until the next call. */
const BacklogItem *backlog_peek (Backlog *b);
/* Only if not empty; (transfer full) of out->object. */
void backlog_pop (Backlog *b, BacklogItem *out);

guint backlog_packets (const Backlog *b);
/* No later frame of its SSRC has come in, to be queued or dropped. */
gboolean backlog_is_latest (Backlog *b, const BacklogItem *item);
/* The time the queued bytes take at `rate`. */
RaSpan backlog_span (const Backlog *b, guint64 rate);
/* The most frames in a row of one SSRC that had the RTP timestamp of the one before. */
guint backlog_alike (const Backlog *b);
guint64 backlog_dropped (const Backlog *b);
guint64 backlog_dropped_frames (const Backlog *b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Backlog, backlog_free)

G_END_DECLS
