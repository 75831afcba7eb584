/* DTLS-SRTP between the network and a session, with connections that are made
 * anew while it runs.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two elements, as one would close a loop with the session: the hub with the
 * pads sink (from the network), rtp_src and rtcp_src (decrypted), and another
 * (dtls_hub_get_out()) with rtp_sink and rtcp_sink (to be encrypted) and src (to
 * the network).  They never fail: what cannot be sent or decrypted is dropped.
 *
 * Behind the pads are the current connection, if any, and some tries (see
 * dtlstry.h).  They are begun, fed and ended by a thread of its own.  Handshakes
 * of a peer whose address is known leave by the socket (dtls_hub_set_socket()),
 * not by the pad: the current peer may be elsewhere.
 */
#pragma once

#include "dtlslink.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean client;
  const gchar *pem;         /* NULL: one is made up */
  const gchar *fingerprint; /* wanted, NULL: any */
} DtlsHubConfig;

/* Called from the hub's own thread, without a lock. */
typedef struct
{
  /* There is a current connection from now on: its srtpdec, which gets nothing
   * before `ready`.  `fingerprint`: its peer's, or NULL. */
  void (*opens) (gpointer data, GstElement *srtpdec, const gchar *fingerprint);
  void (*ready) (gpointer data, GSocketAddress *peer);
  /* There is none: its srtpdec gets nothing any more. */
  void (*closed) (gpointer data);
  /* A certificate that is not the wanted one came, once for each. */
  void (*wrong) (gpointer data, const gchar *fingerprint);
  gpointer data;
} DtlsHubFuncs;

typedef struct
{
  guint64 refused;  /* datagrams that are no DTLS, or nobody's */
  guint64 held;     /* ours that would have been too much for the peer */
  guint64 finished; /* handshakes, of connections that became the current one */
} DtlsHubStats;

#define DTLS_TYPE_HUB (dtls_hub_get_type ())
G_DECLARE_FINAL_TYPE (DtlsHub, dtls_hub, DTLS, HUB, GstElement)

/* Both are copied. */
DtlsHub *dtls_hub_new (const DtlsHubConfig *cfg, const DtlsHubFuncs *funcs);
/* (transfer none).  It comes to NULL before the hub does. */
GstElement *dtls_hub_get_out (DtlsHub *self);
void dtls_hub_set_socket (DtlsHub *self, GSocket *socket);
/* A client's: hears no other host, and another port only if that one has not
 * answered for a second.  NULL: hears anybody. */
void dtls_hub_set_destination (DtlsHub *self, GSocketAddress *to);
void dtls_hub_get_stats (DtlsHub *self, DtlsHubStats *stats);

G_END_DECLS
