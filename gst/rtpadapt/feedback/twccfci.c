/* Transport-wide feedback, draft-holmer-rmcat-transport-wide-cc-extensions-01:
 * is it all there?
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/twccfci.h>

#include <gst/rtpadapt/util/bytes.h>

#define HEAD 8 /* base, count, reference time, number of the report */
/* A status of two bits is the bytes of its delta, 0 to 2 (3.1.1), but */
#define RESERVED 3

/* Takes a chunk of at most `left` statuses (3.1.3, 3.1.4).  How many; 0: one is
 * reserved. */
static guint
chunk_read (guint16 chunk, guint left, gsize *deltas)
{
  gboolean vector = chunk >> 15, two_bits = chunk >> 14 & 1;
  guint run_status = chunk >> 13 & 3, n;

  if (!vector) {
    n = MIN (chunk & 0x1fffu, left);
    *deltas += (gsize) n * run_status;
    return run_status == RESERVED ? 0 : n;
  }
  n = MIN (two_bits ? 7u : 14u, left);
  for (guint i = 0; i < n; i++) {
    guint status = two_bits ? chunk >> (12 - 2 * i) & 3 : chunk >> (13 - i) & 1;

    if (status == RESERVED)
      return 0;
    *deltas += status;
  }
  return n;
}

gboolean
ra_twcc_fci_is_whole (const guint8 *fci, gsize len)
{
  gsize at = HEAD, deltas = 0;
  guint left;

  if (len < HEAD)
    return FALSE;
  for (left = ra_get_u16 (fci + 2); left > 0; at += 2) {
    guint n;

    if (len < at + 2)
      return FALSE;
    n = chunk_read (ra_get_u16 (fci + at), left, &deltas);
    if (n == 0)
      return FALSE;
    left -= n;
  }
  return len - at >= deltas;
}
