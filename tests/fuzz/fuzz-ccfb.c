/* Fuzz target: RFC 8888 feedback, read, and written from a log of arrivals.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The first byte: even, the rest is the SSRC before the FCI, 4 bytes, and the
 * FCI.  Odd, it is a script for the log; of each step's first byte:
 *   bit 7 clear: an arrival; 1 byte each of SSRC, number's step (signed), time
 *     in ms (signed), ECN; with bit 6 the number's step has 2 bytes;
 *   bit 7 set: a report; 2 bytes of room; bit 6 tells again what was told once.
 */
#include "fuzz.h"

#include <gst/rtpadapt/feedback/ccfbfci.h>
#include <gst/rtpadapt/feedback/ccfblog.h>

/* Reports until nothing is left to tell: each SSRC's, twice, and more than
 * once where one does not hold it. */
#define WRITES_MAX 256

/* --- reading ------------------------------------------------------------ */

/* Blocks and their packets, as writers take them. */
typedef struct
{
  GArray *blocks, *packets;
} Said;

static void
said_add (Said *said, const RaCcfbReader *r)
{
  RaCcfbBlock block = { r->ssrc, r->begin_seq, r->n, NULL };

  g_assert_cmpuint (r->n, <=, RA_CCFB_PACKETS_MAX);
  for (guint i = 0; i < r->n; i++) {
    RaCcfbPacket p = ra_ccfb_get (r, i);

    g_assert_cmpuint (p.ato, <=, RA_CCFB_ATO_NONE);
    g_assert_cmpuint (p.ecn, <=, 3);
    g_assert_true (p.received || (p.ato == 0 && p.ecn == 0));
    g_assert_cmpuint (ra_ccfb_arrival (10 * RA_SECOND, p.ato), >, 0);
    fuzz_note ("%08x %u: %d ecn %u ato %u", r->ssrc,
        (r->begin_seq + i) & 0xffff, p.received, p.ecn, p.ato);
    g_array_append_val (said->packets, p);
  }
  g_array_append_val (said->blocks, block);
}

/* Written again it has the size it had: what a reader ignores is none of it. */
static void
said_again (const Said *said, guint32 media, guint32 rts, gsize size)
{
  RaCcfbBlock *blocks = (RaCcfbBlock *) (gpointer) said->blocks->data;
  g_autofree guint8 *fci = g_malloc (size);
  guint n = said->blocks->len, at = 0;
  RaCcfbReader r;
  guint32 ssrc;

  for (guint i = 0; i < n; i++) {
    if (blocks[i].n > 0)
      blocks[i].packets = &g_array_index (said->packets, RaCcfbPacket, at);
    at += blocks[i].n;
  }
  g_assert_cmpuint (ra_ccfb_write (rts, blocks, n, &ssrc, fci, size), ==, size);
  g_assert_cmphex (ssrc, ==, media);
  g_assert_true (ra_ccfb_read (&r, ssrc, fci, size));
  g_assert_cmphex (r.rts, ==, rts);
  for (guint i = 0; i < n; i++) {
    g_assert_true (ra_ccfb_next (&r));
    g_assert_cmphex (r.ssrc, ==, blocks[i].ssrc);
    g_assert_cmpuint (r.begin_seq, ==, blocks[i].begin_seq);
    g_assert_cmpuint (r.n, ==, blocks[i].n);
  }
  g_assert_false (ra_ccfb_next (&r));
}

static void
read_bytes (FuzzBytes *b)
{
  guint32 media = (guint32) fuzz_take (b, 4);
  gsize size;
  g_autofree guint8 *fci = fuzz_copy (b, b->left, &size);
  Said said;
  RaCcfbReader r;

  fuzz_poison (&r, sizeof r);
  if (!ra_ccfb_read (&r, media, fci, size)) {
    g_assert_true (fuzz_is_poison (&r, sizeof r));
    return;
  }
  said.blocks = g_array_new (FALSE, FALSE, sizeof (RaCcfbBlock));
  said.packets = g_array_new (FALSE, FALSE, sizeof (RaCcfbPacket));
  while (ra_ccfb_next (&r))
    said_add (&said, &r);
  if (said.blocks->len > 0)
    said_again (&said, media, r.rts, size);
  g_array_unref (said.blocks);
  g_array_unref (said.packets);
}

/* --- the log ------------------------------------------------------------ */

typedef struct
{
  RaCcfbLog *log;
  GHashTable *came; /* SSRC, number */
  RaTime now;
  guint16 seq[256]; /* by SSRC */
} Log;

static gpointer
key (guint32 ssrc, guint16 seq)
{
  return GUINT_TO_POINTER (ssrc << 16 | seq);
}

static void
log_add (Log *l, guint head, FuzzBytes *b)
{
  guint32 ssrc = (guint32) fuzz_take (b, 1);
  guint step = head & 0x40 ? (guint) fuzz_take (b, 2)
                           : (guint) (gint8) fuzz_take (b, 1);

  l->seq[ssrc] = (guint16) (l->seq[ssrc] + step);
  l->now = ra_later (l->now, (gint8) fuzz_take (b, 1) * RA_MSECOND);
  ra_ccfb_log_add (
      l->log, ssrc, l->seq[ssrc], l->now, (guint) fuzz_take (b, 1));
  g_hash_table_add (l->came, key (ssrc, l->seq[ssrc]));
}

/* It is well-formed, fits, and tells of nothing that did not come. */
static gsize
log_write (Log *l, gboolean again, gsize room)
{
  g_autofree guint8 *fci = g_malloc (MAX (room, 1));
  gsize size;
  guint32 media;
  RaCcfbReader r;

  size = ra_ccfb_log_write (l->log, again, l->now, l->now, &media, fci, room);
  g_assert_cmpuint (size, <=, room);
  fuzz_note_bytes ("fci", fci, size);
  g_assert_cmpuint (size % 4, ==, 0);
  if (size == 0)
    return 0;
  g_assert_true (ra_ccfb_read (&r, media, fci, size));
  while (ra_ccfb_next (&r)) {
    for (guint i = 0; i < r.n; i++) {
      if (ra_ccfb_get (&r, i).received)
        g_assert_true (g_hash_table_contains (
            l->came, key (r.ssrc, (guint16) (r.begin_seq + i))));
    }
  }
  return size;
}

static void
play_log (FuzzBytes *b)
{
  Log l = { ra_ccfb_log_new (), g_hash_table_new (NULL, NULL), RA_SECOND };
  guint writes = 0;

  while (b->left > 0) {
    guint head = (guint) fuzz_take (b, 1);

    if (head & 0x80)
      log_write (&l, (head & 0x40) != 0, (gsize) fuzz_take (b, 2));
    else
      log_add (&l, head, b);
  }
  while (ra_ccfb_log_has (l.log) != 0) {
    log_write (&l, TRUE, RA_CCFB_SIZE_MAX);
    g_assert_cmpuint (++writes, <=, WRITES_MAX);
  }
  g_hash_table_unref (l.came);
  ra_ccfb_log_free (l.log);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzBytes b = fuzz_bytes (data, size);

  if (fuzz_take (&b, 1) % 2 == 0)
    read_bytes (&b);
  else
    play_log (&b);
  return 0;
}
