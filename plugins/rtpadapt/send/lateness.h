/* Which media packets will leave so late that they cannot be sent again in time.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pacer's owner says how many bytes may still come before the next one is late.  The
 * watch in front of an FEC encoder upstream asks for each packet.  Any thread may call; no
 * lock of a caller is needed or taken.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

typedef struct _Lateness Lateness;

/* Nothing is late.  (transfer full): lateness_unref(). */
Lateness *lateness_new (void);
Lateness *lateness_ref (Lateness *l);
void lateness_unref (Lateness *l);
/* `waiting` at `rate` (bit/s); what waits for longer than `timely` is late, nothing is
 * where that is RA_SPAN_NONE. */
void lateness_set (Lateness *l, RaSpan waiting, RaSpan timely, guint64 rate);
/* TRUE: a packet with which `bytes` more come in will be late. */
gboolean lateness_is (const Lateness *l, gsize bytes);

G_END_DECLS
