/* Sequence numbers, 16 bit to 64 bit (RFC 3550 A.1, update_seq).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Without A.1's probation: the first packet counts, because whoever hands us
 * packets (rtpsession, a feedback report) has validated the source.
 */
#include <gst/rtpadapt/loss/seq.h>

#define RTP_SEQ_MOD 65536

void
ra_seq_init (RaSeq *s)
{
  *s = (RaSeq){ .bad_seq = RTP_SEQ_MOD + 1 };
}

static RaSeqResult
seq_start (RaSeq *s, guint16 seq, guint64 *out)
{
  s->started = TRUE;
  s->highest = RTP_SEQ_MOD + (guint64) seq;
  *out = s->highest;
  return RA_SEQ_OK;
}

/* Two sequential packets after a jump: the source restarted. */
static RaSeqResult
seq_restart (RaSeq *s, guint16 seq, guint64 *out)
{
  s->highest++;
  s->base = s->highest;
  s->offset = s->highest - seq; /* modulo 2^64 */
  s->bad_seq = RTP_SEQ_MOD + 1;
  *out = s->highest;
  return RA_SEQ_RESTART;
}

RaSeqResult
ra_seq_unwrap (RaSeq *s, guint16 seq, guint64 *out)
{
  guint16 udelta = (guint16) (seq - (guint16) (s->highest - s->offset));
  guint64 behind;

  if (!s->started)
    return seq_start (s, seq, out);
  if (udelta < RA_MAX_DROPOUT) { /* in order, with permissible gap */
    s->highest += udelta;
    *out = s->highest;
    return RA_SEQ_OK;
  }
  if (udelta <= RTP_SEQ_MOD - RA_MAX_MISORDER) { /* a very large jump */
    if (seq == s->bad_seq)
      return seq_restart (s, seq, out);
    s->bad_seq = (seq + 1u) % RTP_SEQ_MOD;
    return RA_SEQ_BAD;
  }
  /* Reordered.  What was sent before a restart's first packet would get the
   * number of another packet. */
  behind = RTP_SEQ_MOD - (guint64) udelta;
  if (s->highest - s->base < behind)
    return RA_SEQ_BAD;
  *out = s->highest - behind;
  return RA_SEQ_OK;
}
