/* The few words of rtnetlink(7) that two hosts need.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rtnl.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#define ROOM 1024

typedef struct
{
  struct nlmsghdr header;
  guint8 rest[ROOM];
} Message;

/* The room for a fixed part behind the header. */
static gpointer
message_init (Message *m, guint16 type, guint16 flags, gsize fixed)
{
  memset (m, 0, sizeof *m);
  m->header.nlmsg_len = (guint32) NLMSG_LENGTH (fixed);
  m->header.nlmsg_type = type;
  m->header.nlmsg_flags = (guint16) (NLM_F_REQUEST | flags);
  return NLMSG_DATA (&m->header);
}

static struct rtattr *
message_add (Message *m, guint16 type, gconstpointer data, gsize length)
{
  struct rtattr *attribute
      = (gpointer) ((guint8 *) m + NLMSG_ALIGN (m->header.nlmsg_len));

  attribute->rta_type = type;
  attribute->rta_len = (guint16) RTA_LENGTH (length);
  if (length > 0)
    memcpy (RTA_DATA (attribute), data, length);
  m->header.nlmsg_len = (guint32) (NLMSG_ALIGN (m->header.nlmsg_len)
      + RTA_ALIGN (attribute->rta_len));
  return attribute;
}

/* All that was added since then is inside of it. */
static void
message_nest (Message *m, struct rtattr *attribute)
{
  attribute->rta_len
      = (guint16) ((guint8 *) m + m->header.nlmsg_len - (guint8 *) attribute);
}

/* The answer, which fits: we ask for little. */
static gssize
exchange (gint fd, const Message *m, gpointer answer, gsize room)
{
  if (send (fd, m, m->header.nlmsg_len, 0) < 0)
    return -1;
  return recv (fd, answer, room, 0);
}

static gboolean
request (gint fd, Message *m)
{
  struct
  {
    struct nlmsghdr header;
    struct nlmsgerr error;
    guint8 rest[2 * ROOM]; /* the request comes back */
  } answer = { 0 };

  m->header.nlmsg_flags |= NLM_F_ACK;
  if (exchange (fd, m, &answer, sizeof answer) < 0)
    return FALSE;
  if (answer.header.nlmsg_type == NLMSG_ERROR && answer.error.error == 0)
    return TRUE;
  errno = answer.error.error < 0 ? -answer.error.error : EPROTO;
  return FALSE;
}

gint
link_rtnl_open (void)
{
  return socket (AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
}

gboolean
link_rtnl_quiet (gint fd, guint device)
{
  const guint8 mode = IN6_ADDR_GEN_MODE_NONE;
  Message m;
  struct ifinfomsg *info = message_init (&m, RTM_SETLINK, 0, sizeof *info);
  struct rtattr *families, *family;

  info->ifi_index = (gint) device;
  families = message_add (&m, IFLA_AF_SPEC, NULL, 0);
  family = message_add (&m, AF_INET6, NULL, 0);
  message_add (&m, IFLA_INET6_ADDR_GEN_MODE, &mode, sizeof mode);
  message_nest (&m, family);
  message_nest (&m, families);
  return request (fd, &m);
}

gboolean
link_rtnl_address (gint fd, guint device, const gchar *address, guint8 prefix)
{
  gint family = strchr (address, ':') ? AF_INET6 : AF_INET;
  gsize length = family == AF_INET6 ? 16 : 4;
  guint8 bytes[16];
  Message m;
  struct ifaddrmsg *info
      = message_init (&m, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, sizeof *info);

  if (inet_pton (family, address, bytes) != 1) {
    errno = EINVAL;
    return FALSE;
  }
  info->ifa_family = (guint8) family;
  info->ifa_prefixlen = prefix;
  info->ifa_flags = IFA_F_NODAD;
  info->ifa_index = device;
  message_add (&m, IFA_LOCAL, bytes, length);
  message_add (&m, IFA_ADDRESS, bytes, length);
  return request (fd, &m);
}

gboolean
link_rtnl_up (gint fd, guint device, guint32 mtu, guint32 queue)
{
  Message m;
  struct ifinfomsg *info = message_init (&m, RTM_NEWLINK, 0, sizeof *info);

  info->ifi_index = (gint) device;
  info->ifi_flags = info->ifi_change = IFF_UP;
  if (mtu)
    message_add (&m, IFLA_MTU, &mtu, sizeof mtu);
  if (queue)
    message_add (&m, IFLA_TXQLEN, &queue, sizeof queue);
  return request (fd, &m);
}

guint64
link_rtnl_tx_dropped (gint fd, const gchar *name)
{
  g_autofree guint8 *answer = g_malloc0 (16 * ROOM);
  const struct nlmsghdr *header = (gpointer) answer;
  struct rtnl_link_stats64 stats = { 0 };
  const struct rtattr *attribute;
  Message m;
  gssize got;
  gint left;

  message_init (&m, RTM_GETLINK, 0, sizeof (struct ifinfomsg));
  message_add (&m, IFLA_IFNAME, name, strlen (name) + 1);
  got = exchange (fd, &m, answer, 16 * ROOM);
  if (got < (gssize) sizeof *header || header->nlmsg_type != RTM_NEWLINK)
    return 0;
  attribute = IFLA_RTA (NLMSG_DATA (header));
  left = (gint) IFLA_PAYLOAD (header);
  for (; RTA_OK (attribute, left); attribute = RTA_NEXT (attribute, left)) {
    if (attribute->rta_type == IFLA_STATS64)
      memcpy (&stats, RTA_DATA (attribute),
          MIN (sizeof stats, RTA_PAYLOAD (attribute)));
  }
  return stats.tx_dropped;
}
