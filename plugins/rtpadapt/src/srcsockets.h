/* rtpadaptsrc: the sockets that it receives by.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  const gchar *address;  /* NULL: all */
  guint port, rtcp_port; /* 0: a free one, the one after port */
  gboolean mux;          /* RTCP comes by the first one */
} SrcSocketsConfig;

/* Opens one socket for RTP and, without mux, one for RTCP.  (transfer full).
 * FALSE, an error, and in `port` the port that it is about. */
gboolean src_sockets_open (const SrcSocketsConfig *cfg, GSocket *sockets[2],
    guint *port, GError **error);

G_END_DECLS
