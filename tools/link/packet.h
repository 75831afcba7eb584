/* What is on an IP packet, as far as a path and its log care.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* All zeroed where there is none, so that keys can be compared as bytes. */
typedef struct
{
  guint8 version;  /* of IP, 4 or 6; 0: it is none */
  guint8 protocol; /* IANA's number */
  guint8 back;     /* from b to a */
  guint8 unused;
  guint16 source_port, port;
  guint8 source[16], address[16];
} LinkKey;

typedef enum
{
  LINK_OTHER,
  LINK_RTP,
  LINK_RTCP
} LinkPayload;

typedef struct
{
  LinkKey key;
  guint8 tos; /* DSCP and ECN */
  RaMark mark;
  LinkPayload payload;
  guint8 pt;
  guint16 seq;
  guint32 ssrc;
} LinkHeaders;

void link_headers_read (
    LinkHeaders *h, const guint8 *bytes, gsize length, gboolean back);
/* "udp", or the number.  (transfer full) */
gchar *link_key_protocol (const LinkKey *key);
/* (transfer full) */
gchar *link_key_address (const LinkKey *key, gboolean source);

G_END_DECLS
