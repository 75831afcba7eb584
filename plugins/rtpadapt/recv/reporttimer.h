/* When a report of rtpadaptrecv is due, and whether RTCP keeps up.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The library says when a report is due.  rtpsession is asked for an RTCP packet
 * then, and again until it makes one, because RFC 4585 3.5.2 decides when it may.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

typedef struct
{
  gboolean fresh; /* packets came since the last report */
  gboolean due;
  RaTime due_since;
  RaTime ask_again; /* while it is due */
  guint n_slow;     /* reports in a row that were later than they should be */
  gsize rtcp_size;  /* of the last RTCP packet with a report, bytes; or 0 */
} ReportTimer;

typedef enum
{
  REPORT_NOTHING,
  REPORT_ASK,    /* ask rtpsession for an RTCP packet */
  REPORT_SILENT, /* nothing came: the reporter has to notice, and no more */
} ReportStep;

/* Reports must not be farther apart: `interval` where they come at intervals, else
 * (RA_SPAN_NONE) the round trip time `rtt` within bounds; RA_SPAN_NONE: not
 * known. */
RaSpan report_spacing (RaSpan interval, RaSpan rtt);

/* A packet came. */
void report_on_packet (ReportTimer *t);
/* A report is due.  TRUE: ask for it; it was not due before. */
gboolean report_due (ReportTimer *t, RaSpan spacing, RaTime now);
/* The timer expired; `timeout` is the reporter's.  `silent`: no report leaves
 * without packets. */
ReportStep report_step (ReportTimer *t, gboolean silent, RaTime timeout,
    RaSpan spacing, RaTime now);
/* When report_step() has something to do. */
RaTime report_next (const ReportTimer *t, RaTime timeout);
/* The RTCP packet was made.  It is `size` bytes long if it got a report, else 0
 * because there was nothing to say. */
void report_done (ReportTimer *t, gsize size);
/* A report was made so long after it was due, or rtpsession refused one within
 * `delay`.  TRUE: reports are late again and again. */
gboolean report_is_slow (ReportTimer *t, RaSpan waited, RaSpan spacing);
gboolean report_is_refused (ReportTimer *t, RaSpan delay, RaSpan spacing);
/* What to warn of then, and `debug` details; both (transfer full). */
gchar *report_slow_text (const ReportTimer *t, RaSpan spacing, gchar **debug);

G_END_DECLS
