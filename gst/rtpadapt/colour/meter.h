/* The meter behind the colours: what share of the allowed rate may be green.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * After the two-rate three-colour marker, RFC 2698 (CIR: green, PIR: green +
 * yellow), with shares of the allowed rate in place of rates.  For any span of
 * time in which the rate allowed A bytes, S were sent, and packets of at most M
 * bytes came in n importances (n is 1 where they are not looked at), with b =
 * burst * rate (two packets at least) and r = reserve * rate at their greatest:
 *
 *   green bytes <= green * min (S, A + b) + r + n M
 *   green bytes >= min-green * S - n M          if S stays below A + b
 *   the same for the bytes of one importance, n = 1
 *   and nearly green * S in the long run, the same for yellow and red.
 * (S without repair, which is never green; A as ra_colour_set_rate() counts.)
 *
 * Two differences from RFC 2698:
 * - Tokens are earned by bytes that are sent within the rate, not by time: an
 *   encoder below its rate, all green, would hide every congestion from WLED
 *   (no yellow packet, so l_yellow is 0).
 * - A packet passes if half of it is paid for, and the rest is owed.  That
 *   spreads greens evenly whatever the sizes, and no run of packets is more
 *   than M away from its share.
 * As long as no rate is known, 0, the shares are of what is sent.
 */
#pragma once

#include <gst/rtpadapt/colour.h>

G_BEGIN_DECLS

/* Of a colour, among the packets that did not get a better one. */
typedef struct
{
  gdouble share, least;             /* of bytes; of each importance's bytes */
  gdouble credit[RA_N_IMPORTANCES]; /* bytes, -M/2 to M/2 */
  gdouble reserve;                  /* bytes, for what is important */
} RaGrade;

typedef struct
{
  RaColour base;
  gdouble green, min_green, yellow, burst, reserve, key; /* parameters */
  gboolean filled; /* buckets are full at first (RFC 2698 3) */
  gdouble tokens;  /* bytes that may be sent at once within the rate */
  RaGrade grade[2];
} RaMeter;

/* Every colouring with a meter has these; only content has a reserve. */
extern const RaParam ra_meter_params[];

void ra_meter_init (RaColour *c);
/* UNKNOWN never touches the reserve. */
RaMark ra_meter_mark (
    RaMeter *m, const RaColourPacket *p, RaImportance importance);
void ra_meter_observe (const RaColour *c, RaObserve emit, gpointer data);

G_END_DECLS
