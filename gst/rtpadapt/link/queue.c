/* A line of limited rate and the buffer before it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Work is counted in nanobits (1e-9 bit), whole numbers, so that departures
 * are exact to the nanosecond however long the line stays busy.
 */
#include <gst/rtpadapt/link/queue.h>

#define NANOBITS_PER_BYTE G_GUINT64_CONSTANT (8000000000)

gboolean
ra_queue_init (RaNode *n, GError **error)
{
  return ra_node_is_set (&((RaQueue *) n)->rate, "rate", error);
}

RaMark
ra_queue_mark (const RaLinkPacket *p)
{
  return p->mark < RA_N_MARKS ? p->mark : RA_MARK_NONE;
}

guint64
ra_queue_rate (const RaQueue *l, RaTime t)
{
  return (guint64) (ra_node_value (&l->node, &l->rate, t) + 0.5);
}

gboolean
ra_queue_limited (const RaQueue *l)
{
  return l->queue > 0 || l->packets > 0 || l->bytes > 0;
}

static RaTime
rate_change (const RaQueue *l, RaTime t)
{
  return ra_node_change (&l->node, &l->rate, t);
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
finish (const RaQueue *l, RaTime t, guint64 work, guint64 *spare)
{
  for (;;) {
    guint64 rate = ra_queue_rate (l, t);
    RaTime change = rate_change (l, t);
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
work_between (const RaQueue *l, RaTime from, RaTime to)
{
  guint64 work = 0;

  while (from < to) {
    RaTime end = MIN (rate_change (l, from), to);

    work += ra_queue_rate (l, from) * (end - from);
    from = end;
  }
  return work;
}

/* All that is inside of those marks. */
static RaQueueShare
share (const RaQueue *l, guint marks)
{
  RaQueueShare sum = { 0 };

  for (guint i = 0; i < RA_N_MARKS; i++) {
    if (marks & RA_QUEUE_MARK (i)) {
      sum.packets += l->inside[i].packets;
      sum.bytes += l->inside[i].bytes;
      sum.left = MAX (sum.left, l->inside[i].left);
    }
  }
  return sum;
}

/* Bits still to be sent of those marks. */
static gdouble
backlog (const RaQueue *l, guint marks, RaTime now)
{
  const RaLinkItem *head = ra_link_fifo_peek (&l->fifo);
  guint64 bytes = share (l, marks).bytes, rest;

  if (!head || !(marks & RA_QUEUE_MARK (ra_queue_mark (&head->p))))
    return (gdouble) bytes * 8.0;
  rest = packet_work (&head->p);
  if (head->at != RA_TIME_NONE)
    rest = MIN (rest, work_between (l, now, head->at));
  return (gdouble) (bytes - head->p.size) * 8.0 + (gdouble) rest * 1e-9;
}

gboolean
ra_queue_fits (const RaQueue *l, const RaLinkPacket *p, RaTime now)
{
  gdouble bits = backlog (l, RA_QUEUE_ALL, now) + p->size * 8.0;
  guint64 bytes = share (l, RA_QUEUE_ALL).bytes + p->size;

  if (l->fifo.n == 0)
    return TRUE;
  /* half a bit for the rounding of the two sides */
  return (l->queue <= 0
             || bits <= l->queue * (gdouble) ra_queue_rate (l, now) + 0.5)
      && (l->packets <= 0 || l->fifo.n + 1 <= l->packets)
      && (l->bytes <= 0 || (gdouble) bytes <= l->bytes);
}

gdouble
ra_queue_fill (const RaQueue *l, guint marks, RaTime now)
{
  RaQueueShare inside = share (l, marks);
  gdouble room = l->queue * (gdouble) ra_queue_rate (l, now), fill = 0;

  if (inside.packets == 0)
    return 0;
  if (l->queue > 0) /* in an outage any queue is too long */
    fill = room > 0 ? backlog (l, marks, now) / room : 1;
  if (l->packets > 0)
    fill = MAX (fill, inside.packets / l->packets);
  if (l->bytes > 0)
    fill = MAX (fill, (gdouble) inside.bytes / l->bytes);
  return MIN (fill, 1); /* more when the rate fell, or of one big packet */
}

gboolean
ra_queue_holds (const RaQueue *l, guint marks)
{
  return share (l, marks).packets > 0;
}

RaTime
ra_queue_left (const RaQueue *l, guint marks)
{
  return share (l, marks).left;
}

void
ra_queue_take (RaQueue *l, const RaLinkPacket *p, RaTime now)
{
  guint64 work = packet_work (p);
  RaLinkPacket entering = *p;
  RaQueueShare *inside = &l->inside[ra_queue_mark (p)];

  if (l->fifo.n == 0) {
    l->tail = now;
    l->spare = 0;
  }
  if (l->tail != RA_TIME_NONE) {
    guint64 used = MIN (l->spare, work);

    l->spare -= used;
    if (work > used)
      l->tail = finish (l, l->tail, work - used, &l->spare);
  }
  if (l->tail != RA_TIME_NONE)
    entering.queued += ra_diff (l->tail, now);
  inside->packets++;
  inside->bytes += p->size;
  ra_link_fifo_push (&l->fifo, &entering, l->tail);
}

RaTime
ra_queue_next (const RaNode *n)
{
  return ra_link_fifo_next (&((const RaQueue *) n)->fifo);
}

void
ra_queue_run (RaNode *n, RaTime now)
{
  RaQueue *l = (RaQueue *) n;

  while (ra_link_fifo_next (&l->fifo) <= now && l->fifo.n) {
    RaLinkItem item = ra_link_fifo_pop (&l->fifo);
    RaQueueShare *inside = &l->inside[ra_queue_mark (&item.p)];

    inside->packets--;
    inside->bytes -= item.p.size;
    inside->left = now;
    ra_node_forward (n, &item.p, now);
  }
}

void
ra_queue_clear (RaNode *n)
{
  RaQueue *l = (RaQueue *) n;

  ra_link_fifo_clear (&l->fifo, n);
  for (guint i = 0; i < RA_N_MARKS; i++) {
    if (l->inside[i].packets)
      l->inside[i] = (RaQueueShare){ .left = ra_node_now (n) };
  }
}

guint
ra_queue_held (const RaNode *n)
{
  return ((const RaQueue *) n)->fifo.n;
}

void
ra_queue_observe (const RaNode *n, RaObserve emit, gpointer data)
{
  const RaQueue *l = (const RaQueue *) n;
  RaTime now = ra_node_now (n);
  RaSpan wait = 0;

  if (l->fifo.n)
    wait = l->tail == RA_TIME_NONE ? G_MAXINT64 : ra_diff (l->tail, now);
  /* s a packet entering now would wait; 9.2e9: for ever */
  emit ("queue", ra_seconds (wait), data);
  emit ("packets", l->fifo.n, data);
  emit ("bytes", (gdouble) share (l, RA_QUEUE_ALL).bytes, data);
  emit ("rate", (gdouble) ra_queue_rate (l, now), data);
}

guint64
ra_queue_capacity (const RaNode *n, RaTime now)
{
  return ra_queue_rate ((const RaQueue *) n, now);
}

const RaParam ra_queue_params[] = {
  { "rate", RA_AT (RaQueue, rate), .def = RA_NODE_NOT_SET, .max = 100e9,
      .unit = "bit/s",
      .text = "of the line" RA_NODE_SCHEDULE_TEXT ("3M,20s:1.5M"),
      .example = "1M" },
  { "queue", RA_AT (RaQueue, queue), .def = 0.1, .max = 3600, .unit = "s",
      .text = "longest queue in time at the "
              "present rate; 0: not limited by this" },
  { "packets", RA_AT (RaQueue, packets), .def = 0, .max = 1e9,
      .unit = "packets",
      .text = "most packets inside; 0: not limited by this" },
  { "bytes", RA_AT (RaQueue, bytes), .def = 0, .max = 1e12, .unit = "bytes",
      .text = "most bytes inside; 0: not limited by this" },
  { NULL },
};
