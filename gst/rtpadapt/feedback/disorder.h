/* How far packets overtake each other on the path, as a receiver sees it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Transport-wide feedback calls a packet lost that comes after the report about
 * later ones (rtpsession 1.22), so that the sender cannot know this.
 */
#pragma once

#include <gst/rtpadapt/util/winmin.h>

G_BEGIN_DECLS

#define RA_DISORDER_RING 256 /* numbers */

typedef struct
{
  gboolean begun;
  guint16 highest;
  guint known; /* numbers up to it whose time below is theirs */
  RaTime passed[RA_DISORDER_RING]; /* when a number was overtaken; RA_TIME_NONE:
                                      it came */
  RaWinMin extent;                 /* ns, negated */
} RaDisorder;

void ra_disorder_init (RaDisorder *d);
/* The packet with the transport-wide `number` came.  TRUE: ra_disorder_get() is
 * longer than before. */
gboolean ra_disorder_on_packet (RaDisorder *d, guint16 number, RaTime now);
/* The longest time that a packet came behind one that overtook it, in the last 30 s;
 * 0: all came in order. */
RaSpan ra_disorder_get (const RaDisorder *d, RaTime now);

G_END_DECLS
