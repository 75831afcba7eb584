/* What is on an IP packet, as far as a path and its log care.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "packet.h"

#include <gst/rtpadapt/colour.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

static guint16
read16 (const guint8 *bytes)
{
  return (guint16) (bytes[0] << 8 | bytes[1]);
}

/* The drop precedence of an Assured Forwarding class, RFC 2597 6. */
static RaMark
mark_of (guint dscp)
{
  for (RaMark mark = RA_MARK_GREEN; mark <= RA_MARK_RED; mark++) {
    if (dscp && dscp == ra_colour_dscp (dscp >> 3, mark))
      return mark;
  }
  return RA_MARK_NONE;
}

/* RFC 3550 5.1; RTCP is recognised as in RFC 5761 4. */
static void
read_rtp (LinkHeaders *h, const guint8 *bytes, gsize length)
{
  if (length < 8 || bytes[0] >> 6 != 2)
    return;
  h->pt = bytes[1] & 127;
  if (h->pt >= 64 && h->pt < 96) {
    h->payload = LINK_RTCP;
  } else if (length >= 12) {
    h->payload = LINK_RTP;
    h->seq = read16 (bytes + 2);
    h->ssrc = (guint32) read16 (bytes + 8) << 16 | read16 (bytes + 10);
  }
}

/* What the IP header carries. */
static void
read_transport (LinkHeaders *h, const guint8 *bytes, gsize length)
{
  gboolean has_ports = h->key.protocol == IPPROTO_UDP
      || h->key.protocol == IPPROTO_TCP || h->key.protocol == IPPROTO_SCTP;

  if (!has_ports || length < 8)
    return;
  h->key.source_port = read16 (bytes);
  h->key.port = read16 (bytes + 2);
  if (h->key.protocol == IPPROTO_UDP)
    read_rtp (h, bytes + 8, length - 8);
}

/* RFC 791 3.1 */
static void
read_ip4 (LinkHeaders *h, const guint8 *bytes, gsize length)
{
  gsize header = (gsize) (bytes[0] & 15) * 4;
  gboolean later_fragment = (read16 (bytes + 6) & 0x1fff) != 0;

  h->tos = bytes[1];
  h->key.protocol = bytes[9];
  memcpy (h->key.source, bytes + 12, 4);
  memcpy (h->key.address, bytes + 16, 4);
  if (!later_fragment && header >= 20 && header <= length)
    read_transport (h, bytes + header, length - header);
}

/* RFC 8200 3; behind extension headers we do not look. */
static void
read_ip6 (LinkHeaders *h, const guint8 *bytes, gsize length)
{
  h->tos = (guint8) (bytes[0] << 4 | bytes[1] >> 4);
  h->key.protocol = bytes[6];
  memcpy (h->key.source, bytes + 8, 16);
  memcpy (h->key.address, bytes + 24, 16);
  read_transport (h, bytes + 40, length - 40);
}

void
link_headers_read (
    LinkHeaders *h, const guint8 *bytes, gsize length, gboolean back)
{
  memset (h, 0, sizeof *h);
  h->key.back = back != FALSE;
  if (length >= 20 && bytes[0] >> 4 == 4) {
    h->key.version = 4;
    read_ip4 (h, bytes, length);
  } else if (length >= 40 && bytes[0] >> 4 == 6) {
    h->key.version = 6;
    read_ip6 (h, bytes, length);
  }
  h->mark = mark_of (h->tos >> 2);
}

gchar *
link_key_protocol (const LinkKey *key)
{
  switch (key->protocol) {
    case IPPROTO_ICMP:
      return g_strdup ("icmp");
    case IPPROTO_TCP:
      return g_strdup ("tcp");
    case IPPROTO_UDP:
      return g_strdup ("udp");
    case IPPROTO_ICMPV6:
      return g_strdup ("icmp6");
    default:
      return g_strdup_printf ("%u", key->protocol);
  }
}

gchar *
link_key_address (const LinkKey *key, gboolean source)
{
  gchar text[INET6_ADDRSTRLEN] = "";

  inet_ntop (key->version == 6 ? AF_INET6 : AF_INET,
      source ? key->source : key->address, text, sizeof text);
  return g_strdup (text);
}
