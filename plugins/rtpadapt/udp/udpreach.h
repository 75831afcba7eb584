/* When the name of a host that cannot be reached is looked up again.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A name may have other addresses in another network: from Wi-Fi with IPv6 to a cell
 * with IPv4 alone no packet leaves, however long the sender waits.  A roam within one
 * network is over sooner than UDP_REACH_LASTS.
 *
 * Plain data; zeroed memory is ready.  No clock: times are monotonic, in us and above 0.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define UDP_REACH_LASTS (2 * G_TIME_SPAN_SECOND)
#define UDP_REACH_AGAIN (5 * G_TIME_SPAN_SECOND)

typedef struct
{
  gint64 since;   /* no packet has left since then; 0: the last one did */
  gint64 looked;  /* 0: never */
  gint64 refused; /* as `since`, whatever the error was */
} UdpReach;

/* A packet left.  TRUE: it is the first one after UDP_REACH_LASTS. */
gboolean udp_reach_on_sent (UdpReach *r, gint64 now);
/* A packet did not leave; `code` is an errno.  TRUE: the name is to be looked up now. */
gboolean udp_reach_on_error (UdpReach *r, gint code, gint64 now);

G_END_DECLS
