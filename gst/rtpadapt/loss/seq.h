/* Sequence numbers, 16 bit to 64 bit (RFC 3550 A.1).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define RA_MAX_DROPOUT 3000 /* RFC 3550 A.1 */
#define RA_MAX_MISORDER 100

typedef enum
{
  RA_SEQ_OK,      /* *out is the unwrapped number */
  RA_SEQ_BAD,     /* a jump seen once, or a late packet from before a restart's
                     first: ignore this packet; *out is left alone */
  RA_SEQ_RESTART, /* a second packet followed the jump: the source restarted;
                     *out continues right after the highest seen, so that no
                     loss is reported for the jump */
} RaSeqResult;

typedef struct
{
  gboolean started;
  guint64 highest; /* unwrapped */
  guint64 offset;  /* unwrapped = extended 16 bit + offset after restarts */
  guint64 base;    /* the last restart's first number, 0: none */
  guint32 bad_seq; /* the number a restart would bring next; > 65535: none */
} RaSeq;

void ra_seq_init (RaSeq *s);
/* The first number is taken as it is plus 65536, so that packets that were
 * sent before it can still be numbered. */
RaSeqResult ra_seq_unwrap (RaSeq *s, guint16 seq, guint64 *out);

G_END_DECLS
