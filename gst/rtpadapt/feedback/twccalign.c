/* Which packet of ours a transport-wide number belongs to.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/twccalign.h>

/* Offsets tried when rows do not fit: in virtual time many packets leave at the
 * same moment; in real time the first one tried is the one. */
#define TRIES_MAX 64
/* Losses in a row of which a status vector holds one less
 * (draft-holmer-rmcat-...-01, 3.1.4). */
#define DOUBTFUL_RUN 15

/* The youngest packet that can have this number. */
static RaLedgerEntry *
candidate (RaLedger *ledger, guint16 number, guint16 offset)
{
  guint64 newest = ledger->next - 1;
  guint16 back = (guint16) (newest - (guint16) (number + offset));

  if (ledger->next == 0 || back > newest)
    return NULL;
  return ra_ledger_at (ledger, newest - back);
}

static gboolean
row_fits (const RaLedgerEntry *p, const RaTwccRow *row)
{
  return p && p->payload == row->size && row->local >= p->passed
      && (row->local <= p->passed_by || p->passed_by == RA_TIME_NONE);
}

/* How many rows that can be checked fit with `offset`; *first_bad is the first
 * that does not. */
static guint
rows_fitting (RaLedger *ledger, const RaTwccRow *rows, guint n, guint16 offset,
    const RaTwccRow **first_bad)
{
  guint fitting = 0;

  *first_bad = NULL;
  for (guint i = 0; i < n; i++) {
    const RaTwccRow *row = &rows[i];

    if (row->local == RA_TIME_NONE)
      continue;
    if (row_fits (candidate (ledger, row->seq, offset), row))
      fitting++;
    else if (!*first_bad)
      *first_bad = row;
  }
  return fitting;
}

gboolean
ra_twcc_align (RaTwccAlign *a, RaLedger *ledger, const RaTwccRow *rows, guint n)
{
  guint16 best_offset = a->offset;
  const RaTwccRow *bad, *unused;
  guint best = rows_fitting (ledger, rows, n, a->offset, &bad), tries = 0;
  gboolean changed;

  for (guint64 i = ledger->next; bad && i-- > 0 && tries < TRIES_MAX;) {
    RaLedgerEntry *p = ra_ledger_at (ledger, i);
    guint16 offset = (guint16) (i - bad->seq);
    guint fitting;

    if (!p)
      break;
    if (!row_fits (p, bad))
      continue;
    tries++;
    fitting = rows_fitting (ledger, rows, n, offset, &unused);
    if (fitting > best) {
      best = fitting;
      best_offset = offset;
    }
  }
  changed = a->checked && best_offset != a->offset;
  a->offset = best_offset;
  a->checked |= best > 0;
  return changed;
}

const RaLedgerEntry *
ra_twcc_map (const RaTwccAlign *a, RaLedger *ledger, const RaTwccRow *row)
{
  const RaLedgerEntry *p = candidate (ledger, row->seq, a->offset);

  if (!a->checked || (row->local != RA_TIME_NONE && !row_fits (p, row)))
    return NULL;
  return p;
}

gboolean
ra_twcc_is_doubtful (const RaTwccRow *rows, guint n)
{
  guint run = 0;

  for (guint i = 0; i < n && run < DOUBTFUL_RUN; i++)
    run = rows[i].lost ? run + 1 : 0;
  return run >= DOUBTFUL_RUN;
}

guint
ra_twcc_rows_before (const RaTwccRow *rows, guint n, guint16 base)
{
  guint before = 0;

  while (before < n && (gint16) (rows[before].seq - base) < 0)
    before++;
  return before;
}
