/* Cuts and renumbers packets of transport-wide feedback.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "twccback.h"

#include <gst/rtpadapt/util/bytes.h>
#include <string.h>

/* draft-holmer-rmcat-transport-wide-cc-extensions-01 3.1.1 */
typedef enum
{
  STATUS_LOST,
  STATUS_SMALL, /* delta of 8 bits */
  STATUS_LARGE  /* delta of 16 bits, signed */
} Status;

/* Deltas have units of 250 us, the reference time of 64 ms. */
#define UNITS 256
#define RUN_MAX 8191 /* 13 bits */
#define VECTOR 7     /* symbols of two bits */

gboolean
twcc_back_is (const guint8 *packet, gsize size)
{
  return size >= TWCC_BACK_HEAD && packet[1] == TWCC_BACK_PT
      && (packet[0] & 31) == TWCC_BACK_FMT;
}

guint16
twcc_back_base (const guint8 *packet)
{
  return ra_get_u16 (packet + 12);
}

guint16
twcc_back_count (const guint8 *packet)
{
  return ra_get_u16 (packet + 14);
}

/* A chunk reports 14 packets at most, or a run, and becomes three chunks at most. */
gsize
twcc_back_room (gsize size)
{
  return 3 * size + TWCC_BACK_HEAD;
}

/* --- reading ------------------------------------------------------------ */

typedef struct
{
  guint8 *status; /* `count` of them */
  guint count;
  const guint8 *deltas, *end;
} Report;

/* Reads a chunk (3.1.3, 3.1.4).  Returns how many packets it reports. */
static guint
chunk_read (guint chunk, guint8 *status, guint room)
{
  gboolean two = chunk >> 14 & 1;
  guint n, symbol = chunk >> 13 & 3;

  if (!(chunk & 0x8000)) {
    n = MIN (chunk & RUN_MAX, room);
    memset (status, (gint) symbol, n);
    return n;
  }
  n = MIN (two ? 7u : 14u, room);
  for (guint i = 0; i < n; i++)
    status[i]
        = (guint8) (two ? chunk >> (12 - 2 * i) & 3 : chunk >> (13 - i) & 1);
  return n;
}

static gsize
delta_size (guint status)
{
  return status == STATUS_SMALL ? 1 : status == STATUS_LARGE ? 2 : 0;
}

/* FALSE if it cannot be read. */
static gboolean
report_read (Report *r, const guint8 *packet, gsize size)
{
  const guint8 *at = packet + TWCC_BACK_HEAD;
  gsize need = 0;

  r->end = packet + size;
  for (guint n = 0; n < r->count;) {
    guint covered;

    if (r->end - at < 2)
      return FALSE;
    covered = chunk_read (ra_get_u16 (at), r->status + n, r->count - n);
    if (covered == 0)
      return FALSE;
    n += covered;
    at += 2;
  }
  for (guint i = 0; i < r->count; i++) {
    if (r->status[i] > STATUS_LARGE)
      return FALSE;
    need += delta_size (r->status[i]);
  }
  r->deltas = at;
  return (gsize) (r->end - at) >= need;
}

static gint
delta_read (const guint8 *at, guint status)
{
  if (status == STATUS_SMALL)
    return *at;
  return status == STATUS_LARGE ? (gint16) ra_get_u16 (at) : 0;
}

/* --- writing ------------------------------------------------------------ */

static guint
run_length (const guint8 *status, guint n)
{
  guint run = 0;

  while (run < n && run < RUN_MAX && status[run] == status[0])
    run++;
  return run;
}

static guint8 *
chunks_write (const guint8 *status, guint n, guint8 *at)
{
  while (n > 0) {
    guint run = run_length (status, n), covered = MIN (n, VECTOR), chunk;

    if (run >= covered) {
      covered = run;
      chunk = (guint) status[0] << 13 | run;
    } else {
      chunk = 0xc000;
      for (guint i = 0; i < covered; i++)
        chunk |= (guint) status[i] << (12 - 2 * i);
    }
    ra_put_u16 (at, chunk);
    at += 2;
    status += covered;
    n -= covered;
  }
  return at;
}

/* Writes the report about the packets [from, from + n).  The first and the last of
 * them arrived. */
static gsize
part_write (Report *r, const guint8 *packet, guint from, guint n, guint16 base,
    guint8 *out)
{
  const guint8 *deltas = r->deltas;
  gint64 units = 0, reference = ra_get_u24 (packet + 16);
  gsize rest = 0, size;
  guint8 *at;

  /* The first delta counts from the reference time (3.1.5). */
  for (guint i = 0; i <= from; i++) {
    units += delta_read (deltas, r->status[i]);
    deltas += delta_size (r->status[i]);
  }
  reference += (units - (units & (UNITS - 1))) / UNITS;
  r->status[from] = STATUS_SMALL;
  for (guint i = from + 1; i < from + n; i++)
    rest += delta_size (r->status[i]);

  memcpy (out, packet, TWCC_BACK_HEAD);
  out[0] &= (guint8) ~0x20; /* no padding */
  ra_put_u16 (out + 12, base);
  ra_put_u16 (out + 14, n);
  ra_put_u24 (out + 16, (guint32) reference & 0xffffff);
  at = chunks_write (r->status + from, n, out + TWCC_BACK_HEAD);
  *at++ = (guint8) (units & (UNITS - 1));
  memcpy (at, deltas, rest);
  at += rest;
  while ((at - out) % 4 != 0)
    *at++ = 0;
  size = (gsize) (at - out);
  ra_put_u16 (out + 2, (guint) (size / 4 - 1));
  return size;
}

gsize
twcc_back_part (const guint8 *packet, gsize size, guint from, guint n,
    guint16 base, guint8 *out)
{
  Report r = { .count = twcc_back_count (packet) };
  gsize written = 0;

  r.status = g_malloc (MAX (r.count, 1));
  if (from + n <= r.count && report_read (&r, packet, size)) {
    while (n > 0 && r.status[from] == STATUS_LOST) {
      from++;
      base++;
      n--;
    }
    while (n > 0 && r.status[from + n - 1] == STATUS_LOST)
      n--;
    if (n > 0)
      written = part_write (&r, packet, from, n, base, out);
  }
  g_free (r.status);
  return written;
}
