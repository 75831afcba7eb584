/* The sending half: the rows of a report of single packets, one by one.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/ledger.h>
#include <gst/rtpadapt/sender.h>

G_BEGIN_DECLS

typedef struct
{
  /* The caller sets these. */
  RaTime now;   /* the report came */
  RaSpan grain; /* resolution of arrivals */
  RaSpan held;  /* as in ra_sender_on_held_feedback() */
  RaTime sent;  /* of its packets that arrived: the latest send time, */
  const RaLedgerEntry *last; /* and the last in order; NULL: none arrived */
  /* The sender sets these, to zero at first. */
  gboolean contrary;         /* nothing in it is believed */
  gboolean heard;            /* there was news */
  const RaLedgerEntry *news; /* the last that arrived, and was not known to */
  RaTime arrival;            /* of that one */
} RaRows;

/* A report begins. */
void ra_sender_rows_begin (RaSender *s, RaRows *rows);
/* The next row; `ago` is how long before the newest of the report it arrived, 0 if
 * it did not. */
void ra_sender_row (
    RaSender *s, RaRows *rows, const RaFeedbackPacket *row, RaSpan ago);
/* FALSE if nothing was left. */
gboolean ra_sender_rows_end (RaSender *s, RaRows *rows);

G_END_DECLS
