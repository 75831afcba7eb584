/* DtlsHub's inside: its pads, and the thread that has the connections.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "address.h"
#include "dtlshub.h"
#include "dtlsinput.h"
#include "dtlsout.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (dtls_hub_debug);

/* Handshakes at a time, not counting the current connection. */
#define DTLS_TRIES 4

struct _DtlsHub
{
  GstElement parent;

  /* from dtls_hub_new() to the end */
  DtlsHubFuncs funcs;
  gchar *pem, *fingerprint;
  gboolean calls;
  GstElement *out; /* where the second three pads are */
  GstPad *net_sink, *rtp_src, *rtcp_src;
  GstPad *rtp_sink, *rtcp_sink, *net_src;
  gint flow; /* atomic: what the network's pad returned last */

  GMutex lock; /* never held while pads, elements or functions are called */
  GCond cond;
  GThread *manager; /* between READY and PAUSED */
  gboolean stopping;
  DtlsInput input;
  DtlsLink *current; /* or NULL */
  DtlsLink *tries[DTLS_TRIES];
  RaTime begun;  /* when the last try began */
  RaTime called; /* when a server called its client last */
  DtlsOutbox outbox;
  GSocketAddress *to;      /* a client's destination, or NULL */
  GSocketAddress *learned; /* of a client with a socket: the last sender */
  guint64 learned_bytes;
  GHashTable *warned; /* fingerprints of wrong certificates */
  DtlsHubStats count;
};

/* dtlsmanager.c: the thread. */
void dtls_manager_start (DtlsHub *self);
void dtls_manager_stop (DtlsHub *self);

G_END_DECLS
