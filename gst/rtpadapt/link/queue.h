/* A line of limited rate and the buffer before it: all of a bottleneck but
 * the question who is let in.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A packet leaves when its last bit was sent; the packet in service follows
 * every change of the rate (a rate of 0 is an outage: sending goes on after
 * it).  What each limit counts, the new packet always included:
 *   queue    what is still to be sent, in time at the present rate
 *   packets  packets inside, the one in service included
 *   bytes    their bytes, the one in service in full
 * A packet that would exceed one of them does not fit, but an empty buffer
 * takes any packet.  When the rate falls, nothing inside is dropped.
 */
#pragma once

#include <gst/rtpadapt/link/fifo.h>
#include <gst/rtpadapt/link/schedule.h>

G_BEGIN_DECLS

/* What is inside of one drop precedence. */
typedef struct
{
  guint packets;
  guint64 bytes;
  RaTime left; /* when the last of them left */
} RaQueueShare;

/* The first member of a model that is a line. */
typedef struct
{
  RaNode node;
  RaSchedule rate;               /* bit/s */
  gdouble queue, packets, bytes; /* limits: s, packets, bytes; 0: none */

  RaLinkFifo fifo;
  RaQueueShare inside[RA_N_MARKS]; /* by ra_queue_mark() */
  RaTime tail;                     /* when the last bit inside is sent */
  guint64 spare; /* nanobits the line could still send before tail */
} RaQueue;

/* A set of drop precedences. */
#define RA_QUEUE_MARK(mark) (1u << (mark))
#define RA_QUEUE_ALL (RA_QUEUE_MARK (RA_N_MARKS) - 1)

/* FALSE and `error` if no rate was given. */
gboolean ra_queue_init (RaNode *n, GError **error);
/* A packet's drop precedence, whatever the caller wrote there. */
RaMark ra_queue_mark (const RaLinkPacket *p);
guint64 ra_queue_rate (const RaQueue *l, RaTime now);
gboolean ra_queue_limited (const RaQueue *l);

/* How full the buffer is of packets of those marks, 0 to 1, by the limit that
 * is nearest. */
gdouble ra_queue_fill (const RaQueue *l, guint marks, RaTime now);
gboolean ra_queue_holds (const RaQueue *l, guint marks);
/* When the last of those marks left. */
RaTime ra_queue_left (const RaQueue *l, guint marks);

gboolean ra_queue_fits (const RaQueue *l, const RaLinkPacket *p, RaTime now);
void ra_queue_take (RaQueue *l, const RaLinkPacket *p, RaTime now);
void ra_queue_observe (const RaNode *n, RaObserve emit, gpointer data);

RaTime ra_queue_next (const RaNode *n);
void ra_queue_run (RaNode *n, RaTime now);
void ra_queue_clear (RaNode *n);
guint ra_queue_held (const RaNode *n);
guint64 ra_queue_capacity (const RaNode *n, RaTime now);

#define RA_QUEUE_OPS                                                   \
  .next = ra_queue_next, .run = ra_queue_run, .clear = ra_queue_clear, \
  .held = ra_queue_held, .capacity = ra_queue_capacity

/* For a line to which no paper gives other values. */
extern const RaParam ra_queue_params[];

G_END_DECLS
