/* What was sent lately, so that feedback and truth find it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sentlog.h"

#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/sender.h>

/* Constants tried when rows do not fit: in virtual time many packets leave at
 * the same moment; in real time the first one tried is the one. */
#define TRIES_MAX 64

void
sent_log_init (SentLog *log)
{
  memset (log, 0, sizeof *log);
  for (guint i = 0; i < SENT_LOG_SIZE; i++)
    log->ring[i].index = log->heads[i] = G_MAXUINT64;
  log->noted = G_MAXUINT64;
}

static guint
hash (guint32 ssrc, guint16 seq)
{
  return (ssrc * 2654435761u + seq) % SENT_LOG_SIZE;
}

static SentStream *
stream_find (SentLog *log, guint32 ssrc)
{
  for (guint i = 0; i < log->n_streams; i++) {
    if (log->streams[i].ssrc == ssrc)
      return &log->streams[i];
  }
  return NULL;
}

/* The one that was silent longest gives way. */
static SentStream *
stream_add (SentLog *log, guint32 ssrc)
{
  SentStream *s = &log->streams[0];

  if (log->n_streams < SENT_SSRCS_MAX) {
    s = &log->streams[log->n_streams++];
  } else {
    for (guint i = 1; i < SENT_SSRCS_MAX; i++) {
      if (log->streams[i].last < s->last)
        s = &log->streams[i];
    }
  }
  *s = (SentStream){ .ssrc = ssrc };
  return s;
}

SentPacket *
sent_log_add (SentLog *log, const SentPacket *p)
{
  SentPacket *slot = &log->ring[log->next % SENT_LOG_SIZE];
  guint64 *head = &log->heads[hash (p->ssrc, p->seq)];
  SentStream *stream = stream_find (log, p->ssrc);

  *slot = *p;
  slot->index = log->next++;
  slot->next = *head;
  *head = slot->index;
  if (!stream)
    stream = stream_add (log, p->ssrc);
  stream->last = slot->index;
  return slot;
}

SentPacket *
sent_log_find (SentLog *log, guint64 index)
{
  SentPacket *slot = &log->ring[index % SENT_LOG_SIZE];

  return slot->index == index && index < log->next ? slot : NULL;
}

SentPacket *
sent_log_find_rtp (SentLog *log, guint32 ssrc, guint16 seq)
{
  SentPacket *p = sent_log_find (log, log->heads[hash (ssrc, seq)]);

  /* What comes behind one that left the log is older still. */
  while (p && (p->ssrc != ssrc || p->seq != seq))
    p = sent_log_find (log, p->next);
  return p;
}

gboolean
sent_log_has_ssrc (SentLog *log, guint32 ssrc)
{
  const SentStream *stream = stream_find (log, ssrc);

  return stream && sent_log_find (log, stream->last);
}

/* The youngest packet that can have this number. */
static SentPacket *
candidate (SentLog *log, guint16 number, guint16 constant)
{
  guint64 newest = log->next - 1;
  guint16 back = (guint16) (newest - (guint16) (number + constant));

  if (log->next == 0 || back > newest)
    return NULL;
  return sent_log_find (log, newest - back);
}

static gboolean
row_fits (const SentPacket *p, const TwccRow *row)
{
  return p && p->payload == row->size && row->local >= p->before
      && (row->local <= p->after || !GST_CLOCK_TIME_IS_VALID (p->after));
}

/* How many rows that can be checked fit with `constant`; *first_bad is the
 * first that does not. */
static guint
rows_fitting (SentLog *log, const GArray *rows, guint16 constant,
    guint *checkable, const TwccRow **first_bad)
{
  guint fitting = 0;

  *checkable = 0;
  *first_bad = NULL;
  for (guint i = 0; i < rows->len; i++) {
    const TwccRow *row = &g_array_index (rows, TwccRow, i);

    if (!GST_CLOCK_TIME_IS_VALID (row->local))
      continue;
    (*checkable)++;
    if (row_fits (candidate (log, row->seq, constant), row))
      fitting++;
    else if (!*first_bad)
      *first_bad = row;
  }
  return fitting;
}

gboolean
sent_log_align (SentLog *log, const GArray *rows)
{
  guint16 best_constant = log->constant;
  guint checkable, tries = 0;
  const TwccRow *bad, *unused;
  guint best = rows_fitting (log, rows, log->constant, &checkable, &bad);
  gboolean changed;

  for (guint64 i = log->next; bad && i-- > 0 && tries < TRIES_MAX;) {
    SentPacket *p = sent_log_find (log, i);
    guint16 constant = (guint16) (i - bad->seq);
    guint fitting;

    if (!p)
      break;
    if (!row_fits (p, bad))
      continue;
    tries++;
    fitting = rows_fitting (log, rows, constant, &checkable, &unused);
    if (fitting > best) {
      best = fitting;
      best_constant = constant;
    }
  }
  changed = log->checked && best_constant != log->constant;
  log->constant = best_constant;
  log->checked |= best > 0;
  return changed;
}

const SentPacket *
sent_log_map (SentLog *log, const TwccRow *row)
{
  const SentPacket *p = candidate (log, row->seq, log->constant);

  if (!log->checked
      || (GST_CLOCK_TIME_IS_VALID (row->local) && !row_fits (p, row)))
    return NULL;
  return p;
}

gboolean
sent_log_note (SentLog *log, const CcfbRow *row)
{
  SentPacket *p = sent_log_find_rtp (log, row->ssrc, row->seq);
  SentNews news = row->received ? SENT_ARRIVED : SENT_LOST;
  SentStream *stream = stream_find (log, row->ssrc);

  if (!p || !stream)
    return FALSE;
  stream->reported = MAX (stream->reported, p->index + 1);
  /* Of several copies the first counts (RFC 8888 3.1). */
  if (news <= p->told || news <= p->noted)
    return TRUE;
  if (row->received && !GST_CLOCK_TIME_IS_VALID (row->remote)) {
    p->told = SENT_ARRIVED; /* of no use, but not lost either */
    p->noted = SENT_NOTHING;
    return TRUE;
  }
  p->noted = news;
  p->remote = row->remote;
  p->came = row->ecn;
  log->noted = MIN (log->noted, p->index);
  log->noted_end = MAX (log->noted_end, p->index + 1);
  return TRUE;
}

/* RFC 8888 ends a stream's rows with the highest that arrived: what is missing
 * behind it shows when a later packet of another stream did arrive.  A stream
 * that was never reported may be none of the receiver's. */
static gboolean
missing_unsaid (SentLog *log, const SentPacket *p)
{
  const SentStream *stream = stream_find (log, p->ssrc);

  return p->told == SENT_NOTHING && stream && stream->reported > 0
      && p->index >= stream->reported;
}

GArray *
sent_log_take (SentLog *log, RemoteClock *clock)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (RaFeedbackPacket));
  guint64 oldest = log->next - MIN (log->next, SENT_LOG_SIZE);

  for (guint64 i = MAX (MIN (log->noted, log->told_end), oldest);
       i < log->noted_end; i++) {
    SentPacket *p = sent_log_find (log, i);
    RaFeedbackPacket row = { .seq = i, .arrival = RA_TIME_NONE };

    if (p->noted == SENT_NOTHING && !missing_unsaid (log, p))
      continue;
    p->told = p->noted == SENT_ARRIVED ? SENT_ARRIVED : SENT_LOST;
    p->noted = SENT_NOTHING;
    row.ce = p->told == SENT_ARRIVED && p->came == RA_ECN_CE;
    if (p->told == SENT_ARRIVED)
      row.arrival
          = remote_clock_unwrap (clock, p->remote, RA_STAMP_NTP_WRAP, p->sent);
    g_array_append_val (out, row);
  }
  log->told_end = MAX (log->told_end, log->noted_end);
  log->noted = G_MAXUINT64;
  log->noted_end = 0;
  return out;
}
