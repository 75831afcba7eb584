/* secure's own: its struct, shared by its files.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "dtlshub.h"
#include "secure.h"
#include "securesrtp.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (rtpadaptsecure_debug);

/* What the properties are; under the lock. */
typedef struct
{
  gchar *key, *key_file;         /* NULL: none */
  gchar *pem_file, *fingerprint; /* the same */
  GstRtpAdaptCipher cipher;
  gboolean dtls, dtls_client;
  gboolean replay_guard;
} SecureConfig;

typedef struct
{
  guint64 received;
  guint64 malformed; /* neither RTP nor RTCP */
  guint64 crowded;   /* of an SSRC that was not tried, see securegate.c */
} SecureCounters;

struct _Secure
{
  GstBin *bin; /* it owns us */
  gboolean receiver;

  GMutex lock; /* guards all below; not held while anything is called that
                  may take another */
  SecureConfig cfg;
  gboolean ready; /* FALSE: with DTLS, and there is no connection */
  gchar *peer_fingerprint;
  SecureReady ready_func;
  gpointer ready_data;
  SecureCounters count;
  guint64 dropped_before; /* by srtpdecs of connections that are gone */
  GHashTable *ssrcs;      /* seen: guint32 -> whether a packet was authentic */
  guint tries;            /* SSRCs that may still be tried, at `refilled` */
  RaTime refilled;

  /* Between secure_open() and secure_close(), changed by nobody else. */
  SecureSrtp *srtp; /* with a key, else NULL; written under the lock */
  DtlsHub *hub;     /* with DTLS, else NULL */
  GstElement
      *srtpdec; /* under the lock: that of the DTLS connection, or NULL */
};

/* secure.c */
void secure_post_missing (Secure *s, const gchar *factory);

/* securedtls.c */
gboolean secure_dtls_open (Secure *s, const SecureConfig *cfg);
void secure_dtls_close (Secure *s);

/* securegate.c, with DTLS: counts what comes to srtpdec, and bounds the number of
 * SSRCs that strangers can make it keep. */
void secure_gate_open (Secure *s);
void secure_gate_close (Secure *s);

G_END_DECLS
