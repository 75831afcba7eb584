/* The few words of rtnetlink(7) that two hosts need.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Those that return gboolean set errno.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* For the network namespace the caller is in; below 0 and errno on failure. */
gint link_rtnl_open (void);
/* The kernel gives the device no IPv6 address by itself. */
gboolean link_rtnl_quiet (gint fd, guint device);
/* IPv4 or IPv6, as the text is. */
gboolean link_rtnl_address (
    gint fd, guint device, const gchar *address, guint8 prefix);
/* Sets it up; 0 leaves a number as it is. */
gboolean link_rtnl_up (gint fd, guint device, guint32 mtu, guint32 queue);
/* Packets that the device dropped on their way to us. */
guint64 link_rtnl_tx_dropped (gint fd, const gchar *name);

G_END_DECLS
