/* Feedback that is of no use to anybody, made from a report that is.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "../elements/session-fixture.h"

/* Of put_rr(). */
#define FLOOD_RR 32

/* Number `i` of a flood while `honest` is the newest report: put_rr() and one
 * packet of feedback. */
static inline void
flood_rtcp_make (const Rtcp *honest, guint i, GRand *dice, Rtcp *r)
{
  *r = *honest;
  switch (i % 6) {
    case 0: /* the same again */
      break;
    case 1: /* about another's stream */
      r->data[FLOOD_RR + 11] ^= 1;
      break;
    case 2: /* its last word is not there */
      r->len -= 4;
      r->data[FLOOD_RR + 3]--;
      break;
    case 3: /* another kind of feedback */
      r->data[FLOOD_RR] = 0x80 | (guint8) g_rand_int_range (dice, 16, 31);
      break;
    case 4: /* the RR alone */
      r->len = FLOOD_RR;
      break;
    default: /* what it says is noise, of packets that were never sent */
      for (guint at = FLOOD_RR + 12; at < r->len; at++)
        r->data[at] = (guint8) g_rand_int (dice);
      r->data[FLOOD_RR + 12] |= 0x80;
      /* Of not more than 255: rtpsession (1.22) makes a structure for each
       * packet of transport-wide feedback, which wire/sources.h bounds. */
      r->data[FLOOD_RR + 14] = 0;
      break;
  }
}
