/* What was sent lately, so that feedback and truth find it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sentlog.h"

/* Constants tried when rows do not fit: in virtual time many packets leave at
 * the same moment; in real time the first one tried is the one. */
#define TRIES_MAX 64

void
sent_log_init (SentLog *log)
{
  memset (log, 0, sizeof *log);
  for (guint i = 0; i < SENT_LOG_SIZE; i++)
    log->ring[i].index = G_MAXUINT64;
}

SentPacket *
sent_log_add (SentLog *log, const SentPacket *p)
{
  SentPacket *slot = &log->ring[log->next % SENT_LOG_SIZE];

  *slot = *p;
  slot->index = log->next++;
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
  for (guint64 i = log->next; i-- > 0;) {
    SentPacket *p = sent_log_find (log, i);

    if (!p)
      return NULL;
    if (p->ssrc == ssrc && p->seq == seq)
      return p;
  }
  return NULL;
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
