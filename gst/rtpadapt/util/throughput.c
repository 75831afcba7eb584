/* How much passed in the last second.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/util/throughput.h>

#include <string.h>

#define TENTH ((guint64) RA_SECOND / 10)
#define SLOTS RA_THROUGHPUT_SLOTS

/* Neither is more than the memory away from the other. */
static gboolean
near (guint64 a, guint64 b)
{
  return a > b ? a - b < SLOTS : b - a < SLOTS;
}

void
ra_throughput_add (RaThroughput *t, guint bytes, RaTime now)
{
  guint64 slot = now / TENTH;

  if (!near (slot, t->slot)) {
    memset (t->bytes, 0, sizeof t->bytes);
    t->slot = slot;
  }
  while (t->slot < slot)
    t->bytes[++t->slot % SLOTS] = 0;
  t->bytes[t->slot % SLOTS] += bytes;
}

guint64
ra_throughput_rate (const RaThroughput *t, RaTime now)
{
  guint64 slot = now / TENTH;
  gdouble oldest = 1 - (gdouble) (now % TENTH) / (gdouble) TENTH;
  gdouble bytes = 0;

  if (!near (slot, t->slot))
    return 0;
  if (slot < t->slot) {
    slot = t->slot; /* at its end */
    oldest = 0;
  }
  /* The tenths from `slot` back that are still remembered. */
  for (guint64 age = slot - t->slot; age < SLOTS && age <= slot; age++) {
    gdouble n = (gdouble) t->bytes[(slot - age) % SLOTS];

    bytes += age == SLOTS - 1 ? n * oldest : n;
  }
  return ra_bits (bytes);
}
