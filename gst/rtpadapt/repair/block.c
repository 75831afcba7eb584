/* When a block of media packets ends, and how many repair packets follow it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/repair/block.h>

#include <math.h>

/* Blocks that their mean size is taken over: some seconds. */
#define MEAN 16.
/* Frames' times in the shortest span: two frames, of which one may be late by half. */
#define LEAST 5 / 2

static void
frame_note (RaFecBlock *b, RaTime now)
{
  if (b->any && now == b->frame)
    return;
  if (b->any)
    b->intervals[b->n_intervals++ % RA_BLOCK_INTERVALS]
        = MAX (ra_diff (now, b->frame), 0);
  b->frame = now;
  b->any = TRUE;
}

static RaSpan
interval (const RaFecBlock *b)
{
  RaSpan longest = 0;

  for (guint i = 0; i < MIN (b->n_intervals, RA_BLOCK_INTERVALS); i++)
    longest = MAX (longest, b->intervals[i]);
  return longest;
}

/* The next frame comes an interval after the last one, and takes another. */
static gboolean
is_full (const RaFecBlock *b, const RaFecBlockConfig *cfg)
{
  return cfg->span <= 0 || b->n_intervals == 0
      || ra_diff (b->frame, b->began) + 2 * interval (b) > cfg->span;
}

RaSpan
ra_block_span (RaSpan latency, RaSpan jitter, RaSpan wait, RaSpan frame)
{
  RaSpan all = MAX (latency - jitter, 0);
  RaSpan most = MAX (all - frame / 2, 0), least = MIN (frame * LEAST, most);

  return MIN (CLAMP (all - wait, least, most), RA_BLOCK_SPAN);
}

gboolean
ra_block_add (RaFecBlock *b, const RaFecBlockConfig *cfg, guint percentage,
    gboolean end, RaTime now)
{
  frame_note (b, now);
  if (b->n == 0)
    b->began = now;
  b->n++;
  b->budget = percentage > 0 ? b->budget + MIN (percentage, 100) : 0;
  return b->n >= cfg->most || (end && is_full (b, cfg));
}

guint
ra_block_end (RaFecBlock *b)
{
  guint n = b->n, due = MIN (b->budget / 100, n);

  b->budget = MIN (b->budget - 100 * due, 100);
  if (b->mean > 0)
    b->dev += (fabs (n - b->mean) - b->dev) / MEAN;
  b->mean += b->mean > 0 ? (n - b->mean) / MEAN : n;
  b->n = 0;
  return due;
}

guint
ra_block_packets (const RaFecBlock *b)
{
  return b->mean > 0 ? (guint) MAX (b->mean - b->dev + .5, 1) : 0;
}

void
ra_block_drop (RaFecBlock *b)
{
  b->n = 0;
  b->budget = 0;
}
