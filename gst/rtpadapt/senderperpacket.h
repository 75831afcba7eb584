/* The sending half: the rows of a report of single packets, one by one.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/perpacket.h>

G_BEGIN_DECLS

/* A report begins.  FALSE: it contradicts itself, so that no row of it is taken. */
gboolean ra_sender_rows_begin (RaSender *s, RaRows *rows);
/* The next row, as in ra_per_packet_row(). */
void ra_sender_row (
    RaSender *s, RaRows *rows, const RaFeedbackPacket *row, RaSpan ago);
/* FALSE if nothing was left. */
gboolean ra_sender_rows_end (RaSender *s, RaRows *rows);

G_END_DECLS
