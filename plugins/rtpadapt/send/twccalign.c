/* Which packet of ours a transport-wide number belongs to.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "twccalign.h"

/* Constants tried when rows do not fit: in virtual time many packets leave at
 * the same moment; in real time the first one tried is the one. */
#define TRIES_MAX 64

/* The youngest packet that can have this number. */
static RaLedgerEntry *
candidate (RaLedger *log, guint16 number, guint16 constant)
{
  guint64 newest = log->next - 1;
  guint16 back = (guint16) (newest - (guint16) (number + constant));

  if (log->next == 0 || back > newest)
    return NULL;
  return ra_ledger_at (log, newest - back);
}

static gboolean
row_fits (const RaLedgerEntry *p, const TwccRow *row)
{
  return p && p->payload == row->size && row->local >= p->passed
      && (row->local <= p->passed_by
          || !GST_CLOCK_TIME_IS_VALID (p->passed_by));
}

/* How many rows that can be checked fit with `constant`; *first_bad is the
 * first that does not. */
static guint
rows_fitting (RaLedger *log, const GArray *rows, guint16 constant,
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
twcc_align (TwccAlign *a, RaLedger *log, const GArray *rows)
{
  guint16 best_constant = a->constant;
  guint checkable, tries = 0;
  const TwccRow *bad, *unused;
  guint best = rows_fitting (log, rows, a->constant, &checkable, &bad);
  gboolean changed;

  for (guint64 i = log->next; bad && i-- > 0 && tries < TRIES_MAX;) {
    RaLedgerEntry *p = ra_ledger_at (log, i);
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
  changed = a->checked && best_constant != a->constant;
  a->constant = best_constant;
  a->checked |= best > 0;
  return changed;
}

const RaLedgerEntry *
twcc_map (const TwccAlign *a, RaLedger *log, const TwccRow *row)
{
  const RaLedgerEntry *p = candidate (log, row->seq, a->constant);

  if (!a->checked
      || (GST_CLOCK_TIME_IS_VALID (row->local) && !row_fits (p, row)))
    return NULL;
  return p;
}
