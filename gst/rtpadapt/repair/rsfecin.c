/* Repair packets of the Reed-Solomon code: the receiver's side.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A block is decoded as soon as as many of its repair packets came as media packets
 * are missing: from each of these repair symbols the media that is there is taken
 * off, and what is left is a square Cauchy matrix times what is missing.
 */
#include <gst/rtpadapt/repair/rsfec.h>

#include "rsfecpriv.h"

#include <string.h>

/* Repair packets end: what was kept for them goes after so many media packets. */
#define IDLE (4 * RA_RSFEC_KEPT)

typedef struct
{
  guint8 *data; /* NULL: none */
  guint size;
  RaTime arrival;
  gboolean made; /* from a block, which may have lied */
} Kept;

typedef struct
{
  guint16 base;
  guint n, f;
  gsize size; /* of a symbol */
  guint came;
  guint16 first;              /* number of repair packet 0 */
  gboolean seen[RA_RS_MAX];   /* by r: it came, or was said to be lost */
  guint8 *symbols[RA_RS_MAX]; /* by r, NULL: did not come; none of a block that
                                 is whole */
  gboolean whole;
} Block;

struct _RaRsfec
{
  gboolean active;
  guint idle;     /* media packets since the last repair packet */
  guint16 newest; /* the highest number that came */
  gboolean has_newest;
  guint32 ssrc;
  Kept kept[RA_RSFEC_KEPT]; /* by number */
  /* By number, too: one that a block said to be lost, and 1; or 0. */
  guint32 lost[RA_RSFEC_KEPT];
  Block blocks[RA_RSFEC_BLOCKS];
  guint next_block;
  GQueue back; /* RaRsfecPacket */
  RaRsfecStats stats;
};

/* --- what is kept ----------------------------------------------------------- */

static void
block_clear (Block *b)
{
  for (guint r = 0; r < RA_RS_MAX; r++)
    g_clear_pointer (&b->symbols[r], g_free);
  *b = (Block){ 0 };
}

static void
forget (RaRsfec *x)
{
  for (guint i = 0; i < RA_RSFEC_KEPT; i++)
    g_clear_pointer (&x->kept[i].data, g_free);
  for (guint i = 0; i < RA_RSFEC_BLOCKS; i++)
    block_clear (&x->blocks[i]);
  memset (x->lost, 0, sizeof x->lost);
}

RaRsfec *
ra_rsfec_new (void)
{
  return g_new0 (RaRsfec, 1);
}

void
ra_rsfec_free (RaRsfec *x)
{
  RaRsfecPacket packet;

  while (ra_rsfec_take (x, &packet))
    g_free (packet.data);
  forget (x);
  g_free (x);
}

/* Takes `data` over. */
static void
keep (RaRsfec *x, guint8 *data, guint size, RaTime arrival, gboolean made)
{
  const RaRtpBytes packet = { data, size };
  guint slot = ra_rtp_seq (&packet) % RA_RSFEC_KEPT;
  Kept *kept = &x->kept[slot];

  g_free (kept->data);
  *kept = (Kept){ data, size, arrival, made };
  x->lost[slot] = 0;
}

/* The media packet of that number, or NULL. */
static const Kept *
find (const RaRsfec *x, guint16 seq)
{
  const Kept *kept = &x->kept[seq % RA_RSFEC_KEPT];

  return kept->data && ra_get_u16 (kept->data + 2) == seq ? kept : NULL;
}

/* --- a block ---------------------------------------------------------------- */

static RaTime
arrival_near (const RaRsfec *x, const Block *b, guint i)
{
  for (guint k = i; k-- > 0;) {
    const Kept *kept = find (x, (guint16) (b->base + k));

    if (kept)
      return kept->arrival;
  }
  for (guint k = i + 1; k < b->n; k++) {
    const Kept *kept = find (x, (guint16) (b->base + k));

    if (kept)
      return kept->arrival;
  }
  return RA_TIME_NONE;
}

/* From its symbol; FALSE: it is none. */
static gboolean
packet_back (RaRsfec *x, const Block *b, guint i, const guint8 *symbol)
{
  guint rest = ra_get_u16 (symbol + 2), size = RA_RTP_HEADER + rest;
  RaTime arrival = arrival_near (x, b, i);
  RaRsfecPacket *packet;
  guint8 *data;

  if (RA_RSFEC_SYMBOL + rest > b->size)
    return FALSE;
  data = g_malloc (size);
  data[0] = 0x80 | (symbol[0] & 0x3f);
  data[1] = symbol[1];
  ra_put_u16 (data + 2, b->base + i);
  memcpy (data + 4, symbol + 4, 4);
  ra_put_u32 (data + 8, x->ssrc);
  memcpy (data + RA_RTP_HEADER, symbol + RA_RSFEC_SYMBOL, rest);
  packet = g_new (RaRsfecPacket, 1);
  *packet = (RaRsfecPacket){ .data = g_memdup2 (data, size),
    .size = size,
    .seq = (guint16) (b->base + i),
    .behind = (guint16) (x->newest - b->base - i),
    .arrival = arrival };
  g_queue_push_tail (&x->back, packet);
  keep (x, data, size, arrival, TRUE);
  x->stats.recovered++;
  return TRUE;
}

/* The symbols of repair packets `rows` without the media that is there.  FALSE: a
 * media packet is longer than the block says. */
static gboolean
take_off (const RaRsfec *x, Block *b, const guint *rows, guint n_rows)
{
  for (guint i = 0; i < b->n; i++) {
    const Kept *kept = find (x, (guint16) (b->base + i));
    const RaRtpBytes packet
        = { kept ? kept->data : NULL, kept ? kept->size : 0 };

    if (!kept)
      continue;
    if (RA_RSFEC_SYMBOL + ra_rtp_rest (&packet) > b->size)
      return FALSE;
    for (guint k = 0; k < n_rows; k++)
      ra_rsfec_symbol_add (
          b->symbols[rows[k]], &packet, ra_rs_factor (rows[k], i));
  }
  return TRUE;
}

/* `m` packets `missing` from the first m repair packets. */
static gboolean
solve (RaRsfec *x, Block *b, const guint *missing, guint m)
{
  g_autofree guint8 *matrix = g_new (guint8, m * m);
  g_autofree guint8 *symbols = g_new0 (guint8, m * b->size);
  guint rows[RA_RS_MAX], n = 0;

  for (guint r = 0; n < m; r++) {
    if (b->symbols[r])
      rows[n++] = r;
  }
  if (!take_off (x, b, rows, m))
    return FALSE;
  for (guint k = 0; k < m; k++) {
    for (guint i = 0; i < m; i++)
      matrix[k * m + i] = ra_rs_factor (rows[k], missing[i]);
  }
  if (!ra_rs_invert (matrix, m))
    return FALSE;
  for (guint i = 0; i < m; i++) {
    for (guint k = 0; k < m; k++)
      ra_rs_add (symbols + i * b->size, b->symbols[rows[k]], b->size,
          matrix[i * m + k]);
  }
  for (guint i = 0; i < m; i++) {
    if (!packet_back (x, b, missing[i], symbols + i * b->size))
      return FALSE;
  }
  return TRUE;
}

static void
block_try (RaRsfec *x, Block *b)
{
  guint missing[RA_RS_MAX], m = 0;

  if (b->n == 0 || b->whole)
    return;
  for (guint i = 0; i < b->n; i++) {
    if (!find (x, (guint16) (b->base + i)))
      missing[m++] = i;
  }
  if (m > b->came)
    return;
  if (m > 0 && !solve (x, b, missing, m))
    x->stats.bad++;
  for (guint r = 0; r < RA_RS_MAX; r++)
    g_clear_pointer (&b->symbols[r], g_free);
  b->whole = TRUE;
}

/* --- repair packets that are lost ------------------------------------------- */

/* The number `seq` came at `arrival`: repair packets before it do not come any more, as
 * far as is known. */
static void
numbers_fill (RaRsfec *x, guint16 seq, RaTime arrival)
{
  for (guint i = 0; i < RA_RSFEC_BLOCKS; i++) {
    Block *b = &x->blocks[i];

    for (guint r = 0; r < b->f; r++) {
      guint16 number = (guint16) (b->first + r);
      RaRsfecPacket *packet;

      if (b->seen[r] || (gint16) (seq - number) <= 0)
        continue;
      b->seen[r] = TRUE;
      /* A block may lie, and many may name the same numbers. */
      if (find (x, number) || x->lost[number % RA_RSFEC_KEPT] == number + 1u)
        continue;
      x->lost[number % RA_RSFEC_KEPT] = number + 1u;
      packet = g_new (RaRsfecPacket, 1);
      *packet = (RaRsfecPacket){ .seq = number, .arrival = arrival };
      g_queue_push_tail (&x->back, packet);
    }
  }
}

/* --- what comes ------------------------------------------------------------- */

/* FALSE: the packet is of no use.  A repeat may come long after its time, and nobody
 * checked that its number is near; so what is far from the others ends no block. */
static gboolean
newest_move (RaRsfec *x, guint16 seq, gboolean again)
{
  gint16 ahead = (gint16) (seq - x->newest);

  if (x->has_newest && ABS (ahead) >= RA_RSFEC_KEPT) {
    if (again)
      return FALSE;
    forget (x);
  }
  if (!x->has_newest || ahead > 0 || ahead <= -RA_RSFEC_KEPT)
    x->newest = seq;
  x->has_newest = TRUE;
  return TRUE;
}

void
ra_rsfec_on_media (
    RaRsfec *x, const RaRtpBytes *packet, gboolean again, RaTime arrival)
{
  guint16 seq = ra_rtp_seq (packet);
  const Kept *kept;

  if (!newest_move (x, seq, again))
    return;
  if (x->active && x->idle++ > IDLE) {
    forget (x);
    x->active = FALSE;
  }
  kept = find (x, seq);
  if (!x->active || (kept && !kept->made))
    return;
  keep (
      x, g_memdup2 (packet->data, packet->size), packet->size, arrival, FALSE);
  numbers_fill (x, seq, arrival);
  for (guint i = 0; i < RA_RSFEC_BLOCKS; i++) {
    Block *b = &x->blocks[i];

    if ((guint16) (seq - b->base) < b->n)
      block_try (x, b);
  }
}

/* The block of that repair packet, or NULL: it says otherwise. */
static Block *
block_of (RaRsfec *x, const Block *said)
{
  Block *b;

  for (guint i = 0; i < RA_RSFEC_BLOCKS; i++) {
    b = &x->blocks[i];
    if (b->n > 0 && b->base == said->base)
      return b->n == said->n && b->f == said->f && b->size == said->size
              && b->first == said->first
          ? b
          : NULL;
  }
  b = &x->blocks[x->next_block++ % RA_RSFEC_BLOCKS];
  block_clear (b);
  *b = *said;
  return b;
}

static gboolean
repair_take (
    RaRsfec *x, guint16 seq, const guint8 *payload, gsize size, RaTime arrival)
{
  Block said = { 0 }, *b;
  guint r, ahead;

  if (size < RA_RSFEC_HEADER || size > G_MAXUINT16
      || payload[0] != RA_RSFEC_VERSION)
    return FALSE;
  said.n = payload[1] + 1u;
  said.f = payload[2] + 1u;
  said.base = ra_get_u16 (payload + 4);
  said.size = size - RA_RSFEC_FIXED;
  r = payload[3];
  ahead = (guint16) (seq - said.base);
  if (said.n > RA_RS_MAX || said.f > RA_RS_MAX || r >= said.f
      || ahead < said.n + r || ahead >= RA_RSFEC_KEPT)
    return FALSE;
  if (!newest_move (x, seq, TRUE))
    return FALSE;
  said.first = (guint16) (seq - r);
  b = block_of (x, &said);
  if (!b)
    return FALSE;
  b->seen[r] = TRUE;
  numbers_fill (x, seq, arrival);
  if (b->whole || b->symbols[r])
    return TRUE;
  b->symbols[r] = g_memdup2 (payload + RA_RSFEC_FIXED, b->size);
  b->came++;
  block_try (x, b);
  return TRUE;
}

gboolean
ra_rsfec_on_repair (RaRsfec *x, guint32 ssrc, guint16 seq,
    const guint8 *payload, gsize size, RaTime arrival)
{
  gboolean good;

  x->stats.repair++;
  x->ssrc = ssrc;
  good = repair_take (x, seq, payload, size, arrival);
  if (good) {
    x->active = TRUE;
    x->idle = 0;
  } else {
    x->stats.bad++;
  }
  return good;
}

gboolean
ra_rsfec_take (RaRsfec *x, RaRsfecPacket *out)
{
  RaRsfecPacket *packet = g_queue_pop_head (&x->back);

  if (packet)
    *out = *packet;
  g_free (packet);
  return packet != NULL;
}

RaRsfecStats
ra_rsfec_stats (const RaRsfec *x)
{
  return x->stats;
}
