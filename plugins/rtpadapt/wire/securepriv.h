/* secure's inside: its struct, shared with what DTLS does to it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "dtlshub.h"
#include "secureprops.h"
#include "securesrtp.h"
#include "ssrcgate.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (rtpadaptsecure_debug);

/* What secure_open() took.  What is set later is for the next start. */
typedef struct
{
  gboolean open, key, dtls, client;
  gboolean checks; /* the peer's certificate has to have a fingerprint */
} SecureUse;

struct _Secure
{
  GstBin *bin; /* it owns us */
  gboolean receiver;

  GMutex lock; /* guards all below; not held while anything is called that
                  may take another */
  SecureConfig cfg;
  SecureUse use;     /* zero while it is closed */
  SecureConfig used; /* what `cfg` was then, zero as well */
  gboolean ready;    /* FALSE: with DTLS, and nobody is connected */
  gchar *peer_fingerprint;
  SecureReady ready_func;
  gpointer ready_data;
  guint64 dropped_before; /* by srtpdecs of connections that are gone */
  SsrcGate gate;          /* before srtpdec, open while there is a connection */

  /* Between secure_open() and secure_close(), changed by nobody else. */
  SecureSrtp *srtp; /* with a key, else NULL; written under the lock */
  DtlsHub *hub;     /* with DTLS, else NULL */
  /* Stopped, from the last time with a key, or NULL.  It outlives a time with DTLS, as
   * its counters keep the key stream from being used again. */
  SecureSrtp *before;
  GstElement
      *srtpdec; /* under the lock: that of the DTLS connection, or NULL */
};

/* securedtls.c */
gboolean secure_dtls_open (Secure *s, const SecureConfig *cfg);
void secure_dtls_close (Secure *s);

G_END_DECLS
