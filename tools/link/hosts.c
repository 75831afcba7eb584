/* Two hosts: network namespaces without a name.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "hosts.h"

#include "rtnl.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/if_tun.h>

#define TUN "/dev/net/tun"
#define DEVICE "path"
#define MTU 1500

static void
set_error (GError **error, gint code, const gchar *what, const gchar *help)
{
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code), "%s: %s: %s",
      what, g_strerror (code), help);
}

static gboolean
file_write (const gchar *name, const gchar *text)
{
  gint fd = open (name, O_WRONLY | O_CLOEXEC);
  gssize length = (gssize) strlen (text), written = -1;

  if (fd >= 0) {
    written = write (fd, text, (gsize) length);
    close (fd);
  }
  return written == length;
}

/* What unshare -Ur does: we are root in there, and nowhere else. */
static gboolean
user_namespace_enter (GError **error)
{
  const gchar *help = "run it as root, or let users make namespaces (sysctl "
                      "kernel.unprivileged_userns_clone=1 "
                      "user.max_user_namespaces=1000 "
                      "kernel.apparmor_restrict_unprivileged_userns=0)";
  g_autofree gchar *uids = g_strdup_printf ("0 %u 1", (guint) geteuid ());
  g_autofree gchar *gids = g_strdup_printf ("0 %u 1", (guint) getegid ());

  if (unshare (CLONE_NEWUSER) != 0) {
    set_error (error, errno, "no user namespace", help);
    return FALSE;
  }
  /* user_namespaces(7): gid_map only after that */
  file_write ("/proc/self/setgroups", "deny");
  if (!file_write ("/proc/self/uid_map", uids)
      || !file_write ("/proc/self/gid_map", gids)) {
    set_error (error, errno, "no rights in a user namespace", help);
    return FALSE;
  }
  return TRUE;
}

static gint
tun_open (GError **error)
{
  struct ifreq request = { .ifr_flags = IFF_TUN | IFF_NO_PI };
  gint fd = open (TUN, O_RDWR | O_NONBLOCK | O_CLOEXEC);

  if (fd < 0) {
    set_error (error, errno, "no TUN device: " TUN,
        errno == EACCES || errno == EPERM
            ? "as root, chmod 666 " TUN
            : "as root, modprobe tun (a container needs --device " TUN ")");
    return -1;
  }
  g_strlcpy (request.ifr_name, DEVICE, sizeof request.ifr_name);
  if (ioctl (fd, TUNSETIFF, &request) != 0) {
    set_error (error, errno, "no TUN device", "it needs CAP_NET_ADMIN");
    close (fd);
    return -1;
  }
  return fd;
}

/* In the namespace that the caller is in. */
static gboolean
host_configure (LinkHost *h, GError **error)
{
  guint device = if_nametoindex (DEVICE), lo = if_nametoindex ("lo");
  gboolean ok;

  h->kernel = link_rtnl_open ();
  if (h->kernel < 0) {
    set_error (error, errno, "no rtnetlink", "the kernel's network is unusual");
    return FALSE;
  }
  /* No link-local address, so no router solicitations either: what goes over
   * the path is what the programs send. */
  link_rtnl_quiet (h->kernel, device);
  ok = link_rtnl_address (h->kernel, device, h->address, 24)
      && link_rtnl_up (h->kernel, lo, 0, 0)
      && link_rtnl_up (h->kernel, device, MTU, LINK_HOST_QUEUE);
  if (!ok)
    set_error (error, errno, "the device of host", h->name);
  h->has_address6
      = ok && link_rtnl_address (h->kernel, device, h->address6, 64);
  return ok;
}

static gboolean
host_init (LinkHost *h, GError **error)
{
  if (unshare (CLONE_NEWNET) != 0) {
    set_error (error, errno, "no network namespace",
        "run it as root, or where users may make namespaces");
    return FALSE;
  }
  h->ns = open ("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
  if (h->ns < 0) {
    set_error (error, errno, "/proc/self/ns/net", "it needs a /proc");
    return FALSE;
  }
  h->tun = tun_open (error);
  return h->tun >= 0 && host_configure (h, error);
}

gboolean
link_hosts_init (LinkHost hosts[LINK_HOSTS], GError **error)
{
  hosts[0] = (LinkHost){ "a", "10.78.0.1", "fd78::1", -1, -1, -1, FALSE };
  hosts[1] = (LinkHost){ "b", "10.78.0.2", "fd78::2", -1, -1, -1, FALSE };
  if (unshare (CLONE_NEWNET) != 0 && !user_namespace_enter (error))
    return FALSE;
  for (guint i = 0; i < LINK_HOSTS; i++) {
    if (!host_init (&hosts[i], error))
      return FALSE;
  }
  return TRUE;
}

void
link_hosts_clear (LinkHost hosts[LINK_HOSTS])
{
  for (guint i = 0; i < LINK_HOSTS; i++) {
    gint fds[] = { hosts[i].ns, hosts[i].tun, hosts[i].kernel };

    for (guint n = 0; n < G_N_ELEMENTS (fds); n++) {
      if (fds[n] >= 0)
        close (fds[n]);
    }
  }
}

guint64
link_host_missed (const LinkHost *host)
{
  return link_rtnl_tx_dropped (host->kernel, DEVICE);
}
