/* Which packet of ours a transport-wide number belongs to.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rtpsession numbers packets as they pass, so that our index = its number + an
 * offset (modulo 2^16).  The offset is 0 if it began with us; each row is checked
 * against the time and the size that rtpsession saw, and where they disagree the
 * offset is looked for again.
 */
#pragma once

#include <gst/rtpadapt/feedback/ear.h>
#include <gst/rtpadapt/ledger.h>

G_BEGIN_DECLS

typedef struct
{
  guint16 offset;   /* index - TWCC number */
  gboolean checked; /* the offset was confirmed by at least one row */
} RaTwccAlign;      /* zeroed at first */

/* Makes sure that the offset fits the rows of one event.  TRUE if it had been
 * confirmed before and had to be changed: rtpsession and we disagreed. */
gboolean ra_twcc_align (
    RaTwccAlign *a, RaLedger *ledger, const RaTwccRow *rows, guint n);
/* The packet a row speaks of; NULL if none, or if the row contradicts it. */
const RaLedgerEntry *ra_twcc_map (
    const RaTwccAlign *a, RaLedger *ledger, const RaTwccRow *row);

/* TRUE if GStreamer 1.22's writer may have spoilt the report the rows came in:
 * rtp_twcc_write_chunks() writes a run of losses longer than a status vector (14
 * packets) twice, which shifts the statuses and deltas of those behind it.
 * Received packets are then called lost, and arrivals are up to 100 ms off. */
gboolean ra_twcc_is_doubtful (const RaTwccRow *rows, guint n);
/* How many rows there are before number `base`, which rtpsession calls lost because
 * no report was about them. */
guint ra_twcc_rows_before (const RaTwccRow *rows, guint n, guint16 base);

G_END_DECLS
