/* Packets inside a link model, first in first out: a ring that grows.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/link.h>

G_BEGIN_DECLS

typedef struct
{
  RaLinkPacket p;
  RaTime at; /* when it leaves */
} RaLinkItem;

/* All zero is empty. */
typedef struct
{
  RaLinkItem *items;
  guint room; /* a power of two, or 0 */
  guint head, n;
} RaLinkFifo;

static inline void
ra_link_fifo_push (RaLinkFifo *f, const RaLinkPacket *p, RaTime at)
{
  if (f->n == f->room) {
    guint room = MAX (2 * f->room, 16);
    RaLinkItem *items = g_new (RaLinkItem, room);

    for (guint i = 0; i < f->n; i++)
      items[i] = f->items[(f->head + i) & (f->room - 1)];
    g_free (f->items);
    f->items = items;
    f->room = room;
    f->head = 0;
  }
  f->items[(f->head + f->n++) & (f->room - 1)] = (RaLinkItem){ *p, at };
}

/* The oldest; NULL if there is none. */
static inline const RaLinkItem *
ra_link_fifo_peek (const RaLinkFifo *f)
{
  return f->n ? &f->items[f->head] : NULL;
}

/* Must not be empty. */
static inline RaLinkItem
ra_link_fifo_pop (RaLinkFifo *f)
{
  RaLinkItem item = f->items[f->head];

  f->head = (f->head + 1) & (f->room - 1);
  f->n--;
  return item;
}

/* When the oldest leaves; RA_TIME_NONE if there is none. */
static inline RaTime
ra_link_fifo_next (const RaLinkFifo *f)
{
  const RaLinkItem *item = ra_link_fifo_peek (f);

  return item ? item->at : RA_TIME_NONE;
}

/* Discards all, frees the ring; it may be used again. */
static inline void
ra_link_fifo_clear (RaLinkFifo *f, RaNode *n)
{
  while (f->n) {
    RaLinkItem item = ra_link_fifo_pop (f);

    ra_node_discard (n, &item.p);
  }
  g_clear_pointer (&f->items, g_free);
  f->room = 0;
}

G_END_DECLS
