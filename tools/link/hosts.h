/* Two hosts: network namespaces without a name, each with a TUN device whose
 * other end is ours.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * They end with the last process in them and with what holds their
 * descriptors: nothing is to be removed, whatever happens.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define LINK_HOSTS 2
/* Packets that wait for us in the kernel: 0.2 s at 40,000 packets/s. */
#define LINK_HOST_QUEUE 8192

typedef struct
{
  const gchar *name, *address, *address6;
  gint ns;     /* the namespace */
  gint tun;    /* what the host sends can be read, what is written it gets */
  gint kernel; /* rtnetlink, in the namespace */
  gboolean has_address6;
} LinkHost;

/* Leaves the caller in the namespace of the last one, and in a user namespace
 * of its own if it may make no other.  To be called before any thread is. */
gboolean link_hosts_init (LinkHost hosts[LINK_HOSTS], GError **error);
void link_hosts_clear (LinkHost hosts[LINK_HOSTS]);
/* Packets that the kernel dropped before we could read them, which no link
 * model knows of. */
guint64 link_host_missed (const LinkHost *host);

G_END_DECLS
