/* A droptail queue before a line of limited rate.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A packet leaves when its last bit was sent; the packet in service follows
 * every change of the rate (a rate of 0 is an outage: sending goes on after
 * it).  What each limit counts, the new packet always included:
 *   queue    what is still to be sent, in time at the present rate
 *   packets  packets inside, the one in service included
 *   bytes    their bytes, the one in service in full
 * A packet that would exceed one of them is dropped, but an empty bottleneck
 * takes any packet.  When the rate falls, nothing inside is dropped.
 *
 * Work is counted in nanobits (1e-9 bit), whole numbers, so that departures
 * are exact to the nanosecond however long the line stays busy.
 */
#include <gst/rtpadapt/link/fifo.h>

#include <math.h>

#define NANOBITS_PER_BYTE G_GUINT64_CONSTANT (8000000000)

typedef struct
{
  RaNode node;
  RaSchedule rate; /* bit/s */
  gdouble queue;   /* s */
  gdouble packets, bytes;

  RaLinkFifo fifo;
  guint64 inside; /* bytes in fifo */
  RaTime tail;    /* when the last bit inside is sent */
  guint64 spare;  /* nanobits the line could still send before tail */
} Bottleneck;

static gboolean
bottleneck_init (RaNode *n, GError **error)
{
  if (isnan (((Bottleneck *) n)->rate.value[0])) {
    g_set_error (error, RA_LINK_ERROR, RA_LINK_ERROR_PARAM, "rate= is missing");
    return FALSE;
  }
  return TRUE;
}

static guint64
rate_at (const Bottleneck *b, RaTime t)
{
  RaSpan since = t > b->node.start ? ra_diff (t, b->node.start) : 0;

  return (guint64) (ra_schedule_at (&b->rate, since) + 0.5);
}

/* When the rate changes next after t, or RA_TIME_NONE. */
static RaTime
rate_change (const Bottleneck *b, RaTime t)
{
  RaSpan next = ra_schedule_next (&b->rate, ra_diff (t, b->node.start));

  return next == RA_SPAN_NONE ? RA_TIME_NONE : ra_later (b->node.start, next);
}

/* Nanobits of a packet; sizes from 2 GiB on count as that. */
static guint64
packet_work (const RaLinkPacket *p)
{
  return MIN (p->size, G_MAXINT32) * NANOBITS_PER_BYTE;
}

/* When `work` nanobits are sent that start at t; *spare is what is left of
 * the last nanosecond.  RA_TIME_NONE: never. */
static RaTime
finish (const Bottleneck *b, RaTime t, guint64 work, guint64 *spare)
{
  for (;;) {
    guint64 rate = rate_at (b, t);
    RaTime change = rate_change (b, t);
    guint64 span = rate ? work / rate + (work % rate != 0) : RA_TIME_NONE;

    if (span != RA_TIME_NONE
        && (change == RA_TIME_NONE || span <= change - t)) {
      *spare = span * rate - work;
      return span < RA_TIME_NONE - t ? t + span : RA_TIME_NONE;
    }
    if (change == RA_TIME_NONE)
      return RA_TIME_NONE;
    work -= rate * (change - t);
    t = change;
  }
}

/* Nanobits sent from a to b. */
static guint64
work_between (const Bottleneck *b, RaTime from, RaTime to)
{
  guint64 work = 0;

  while (from < to) {
    RaTime end = MIN (rate_change (b, from), to);

    work += rate_at (b, from) * (end - from);
    from = end;
  }
  return work;
}

/* Bits still to be sent. */
static gdouble
backlog (const Bottleneck *b, RaTime now)
{
  const RaLinkItem *head = ra_link_fifo_peek (&b->fifo);
  guint64 rest;

  if (!head)
    return 0;
  rest = packet_work (&head->p);
  if (head->at != RA_TIME_NONE)
    rest = MIN (rest, work_between (b, now, head->at));
  return (gdouble) (b->inside - head->p.size) * 8.0 + (gdouble) rest * 1e-9;
}

static gboolean
fits (const Bottleneck *b, guint size, RaTime now)
{
  gdouble bits = backlog (b, now) + size * 8.0;

  if (b->fifo.n == 0)
    return TRUE;
  /* half a bit for the rounding of the two sides */
  return (b->queue <= 0 || bits <= b->queue * (gdouble) rate_at (b, now) + 0.5)
      && (b->packets <= 0 || b->fifo.n + 1 <= b->packets)
      && (b->bytes <= 0 || (gdouble) (b->inside + size) <= b->bytes);
}

static void
bottleneck_push (RaNode *n, const RaLinkPacket *p, RaTime now)
{
  Bottleneck *b = (Bottleneck *) n;
  guint64 work = packet_work (p);
  RaLinkPacket inside = *p;

  if (!fits (b, p->size, now)) {
    ra_node_drop (n, p, RA_CAUSE_CONGESTION, now);
    return;
  }
  if (b->fifo.n == 0) {
    b->tail = now;
    b->spare = 0;
  }
  if (b->tail != RA_TIME_NONE) {
    guint64 used = MIN (b->spare, work);

    b->spare -= used;
    if (work > used)
      b->tail = finish (b, b->tail, work - used, &b->spare);
  }
  if (b->tail != RA_TIME_NONE)
    inside.queued += ra_diff (b->tail, now);
  b->inside += p->size;
  ra_link_fifo_push (&b->fifo, &inside, b->tail);
}

static RaTime
bottleneck_next (const RaNode *n)
{
  return ra_link_fifo_next (&((const Bottleneck *) n)->fifo);
}

static void
bottleneck_run (RaNode *n, RaTime now)
{
  Bottleneck *b = (Bottleneck *) n;

  while (ra_link_fifo_next (&b->fifo) <= now && b->fifo.n) {
    RaLinkItem item = ra_link_fifo_pop (&b->fifo);

    b->inside -= item.p.size;
    ra_node_forward (n, &item.p, now);
  }
}

static void
bottleneck_clear (RaNode *n)
{
  Bottleneck *b = (Bottleneck *) n;

  ra_link_fifo_clear (&b->fifo, n);
  b->inside = 0;
}

static guint
bottleneck_held (const RaNode *n)
{
  return ((const Bottleneck *) n)->fifo.n;
}

static void
bottleneck_observe (const RaNode *n, RaObserve emit, gpointer data)
{
  const Bottleneck *b = (const Bottleneck *) n;
  RaTime now = ra_node_now (n);
  gdouble wait = 0;

  if (b->fifo.n)
    wait = b->tail == RA_TIME_NONE ? (gdouble) INFINITY
                                   : ra_seconds (ra_diff (b->tail, now));
  emit ("queue", wait, data); /* s a packet entering now would wait */
  emit ("packets", b->fifo.n, data);
  emit ("bytes", (gdouble) b->inside, data);
  emit ("rate", (gdouble) rate_at (b, now), data);
}

static guint64
bottleneck_capacity (const RaNode *n, RaTime now)
{
  return rate_at ((const Bottleneck *) n, now);
}

#define FIELD(field) #field, G_STRUCT_OFFSET(Bottleneck, field)
#define NOT_SET ((gdouble) NAN)

static const RaParam bottleneck_params[] = {
  { FIELD (rate), NOT_SET, NOT_SET, 0, 100e9, "bit/s",
      "of the line, with changes counted from the first packet; must be given",
      TRUE },
  { FIELD (queue), 0.1, 0.1, 0, 3600, "s",
      "longest queue in time at the present rate; 0: not limited by this" },
  { FIELD (packets), 0, 0, 0, 1e9, "packets",
      "most packets inside; 0: not limited by this" },
  { FIELD (bytes), 0, 0, 0, 1e12, "bytes",
      "most bytes inside; 0: not limited by this" },
  { NULL },
};

const RaNodeOps ra_link_bottleneck = {
  .name = "bottleneck",
  .cite = "-",
  .needs = "rate=",
  .use = "the slowest line of the path, with its queue",
  .size = sizeof (Bottleneck),
  .params = bottleneck_params,
  .init = bottleneck_init,
  .push = bottleneck_push,
  .next = bottleneck_next,
  .run = bottleneck_run,
  .clear = bottleneck_clear,
  .held = bottleneck_held,
  .observe = bottleneck_observe,
  .capacity = bottleneck_capacity,
};
