/* When the name of a host that cannot be reached is looked up again, and when a failure is
 * over that was worth a warning.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "udpreach.h"

#include <errno.h>

gboolean
udp_reach_on_sent (UdpReach *r)
{
  gboolean lasted = r->refused_last - r->refused >= UDP_REACH_LASTS;

  r->since = r->refused = r->refused_last = 0;
  return lasted;
}

/* ip(7): no route to the network or the host; EADDRNOTAVAIL: this host has no address of
 * that kind. */
gboolean
udp_reach_on_error (UdpReach *r, gint code, gint64 now)
{
  if (code != EMSGSIZE) {
    r->refused = r->refused > 0 ? r->refused : now;
    r->refused_last = now;
  }
  if (code != ENETUNREACH && code != EHOSTUNREACH && code != EADDRNOTAVAIL)
    return FALSE;
  if (r->since == 0)
    r->since = now;
  if (now - r->since < UDP_REACH_LASTS
      || (r->looked > 0 && now - r->looked < UDP_REACH_AGAIN))
    return FALSE;
  r->looked = now;
  return TRUE;
}
