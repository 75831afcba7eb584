/* DTLS-SRTP between the network and a session, with connections that are
 * replaced while it runs.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * There are two elements, because one element would close a loop with the
 * session.  The hub has the pads sink (from the network), rtp_src and rtcp_src
 * (decrypted).  The other one (dtls_hub_get_out()) has rtp_sink and rtcp_sink (to
 * be encrypted) and src (to the network).  They never fail: packets that cannot be
 * sent or decrypted are dropped.
 *
 * The hub has the current connection, if any, and some tries (see dtlstry.h).  A
 * thread of its own begins, feeds and ends them.  Handshakes with a peer whose
 * address is known leave by the socket (dtls_hub_set_socket()), not by the pad,
 * because the current peer may be elsewhere.
 */
#pragma once

#include "dtlslink.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean client;
  gboolean calls;   /* a server that knows where its client is calls it */
  const gchar *pem; /* our certificate and key, NULL: new ones are made */
  const gchar
      *fingerprint; /* the peer's certificate has to have it; NULL: any */
} DtlsHubConfig;

/* Called from the hub's own thread, without a lock. */
typedef struct
{
  /* There is a current connection from now on.  `srtpdec` is its element, which
   * gets nothing before `ready`; `fingerprint` is that of its peer, or NULL. */
  void (*opens) (gpointer data, GstElement *srtpdec, const gchar *fingerprint);
  void (*ready) (gpointer data, GSocketAddress *peer);
  /* The current connection is gone, and its srtpdec gets nothing. */
  void (*closed) (gpointer data);
  /* A certificate came that is not the wanted one.  Called once for each. */
  void (*wrong) (gpointer data, const gchar *fingerprint);
  gpointer data;
} DtlsHubFuncs;

typedef struct
{
  guint64 refused;  /* datagrams that are no DTLS, or of no connection */
  guint64 held;     /* our datagrams that DTLS_AMPLIFY held back */
  guint64 finished; /* connections that became the current one */
} DtlsHubStats;

#define DTLS_TYPE_HUB (dtls_hub_get_type ())
G_DECLARE_FINAL_TYPE (DtlsHub, dtls_hub, DTLS, HUB, GstElement)

/* Both are copied. */
DtlsHub *dtls_hub_new (const DtlsHubConfig *cfg, const DtlsHubFuncs *funcs);
/* (transfer none).  It comes to NULL before the hub does. */
GstElement *dtls_hub_get_out (DtlsHub *self);
void dtls_hub_set_socket (DtlsHub *self, GSocket *socket);
/* The destination of a client.  It hears no other host, and another port of that
 * host only if the destination has not answered for a second.  NULL: it hears
 * anybody.  A connection with another one than a new destination ends. */
void dtls_hub_set_destination (DtlsHub *self, GSocketAddress *to);
/* The current connection hears no new SSRC any more, so it ends when its peer has been
 * silent for DTLS_FULL. */
void dtls_hub_set_full (DtlsHub *self);
void dtls_hub_get_stats (DtlsHub *self, DtlsHubStats *stats);

G_END_DECLS
