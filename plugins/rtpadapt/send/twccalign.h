/* Which packet of ours a transport-wide number belongs to.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rtpsession numbers packets as they pass, so that our index = its number + a
 * constant (modulo 2^16).  The constant is 0 if it began with us; each row is
 * checked against the time and the size that rtpsession saw, and where they
 * disagree the constant is looked for again.
 */
#pragma once

#include "twcc.h"

#include <gst/rtpadapt/ledger.h>

G_BEGIN_DECLS

typedef struct
{
  guint16 constant; /* index - TWCC number */
  gboolean checked; /* the constant was confirmed by at least one row */
} TwccAlign;        /* zeroed at first */

/* Makes sure that the constant fits the rows of one event.  TRUE if it had
 * been confirmed before and had to be changed: rtpsession and we disagreed. */
gboolean twcc_align (TwccAlign *a, RaLedger *log, const GArray *rows);
/* The packet a row speaks of; NULL if none, or if the row contradicts it. */
const RaLedgerEntry *twcc_map (
    const TwccAlign *a, RaLedger *log, const TwccRow *row);

G_END_DECLS
