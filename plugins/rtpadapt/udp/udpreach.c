/* When the name of a host that cannot be reached is looked up again.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "udpreach.h"

#include <errno.h>

gboolean
udp_reach_on_sent (UdpReach *r, gint64 now)
{
  gboolean lasted = r->refused > 0 && now - r->refused >= UDP_REACH_LASTS;

  r->since = r->refused = 0;
  return lasted;
}

/* ip(7): no route to the network or the host; EADDRNOTAVAIL: this host has no address of
 * that kind. */
gboolean
udp_reach_on_error (UdpReach *r, gint code, gint64 now)
{
  if (r->refused == 0 && code != EMSGSIZE)
    r->refused = now;
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
