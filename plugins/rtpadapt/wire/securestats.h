/* SRTP and DTLS-SRTP of both bins: statistics, field by field.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "dtlshub.h"
#include "securesrtp.h"
#include "parts/fields.h"

G_BEGIN_DECLS

typedef struct
{
  const gchar *mode;
  gboolean ready;
  guint64 received, dropped;
  DtlsHubStats hub;
  SecureSrtpStats srtp;
  const gchar *peer_fingerprint; /* NULL: unknown */
} SecureStats;

/* (transfer full).  `dtls`, `keyed`: what there is only with them is set, too. */
GstStructure *secure_stats_new (
    const SecureStats *x, gboolean dtls, gboolean keyed);

/* Of "application/x-rtpadapt-security-stats": always; with DTLS; with a key; of a
 * peer whose certificate came. */
extern const Field secure_stats_fields[];
extern const Field secure_stats_dtls_fields[];
extern const Field secure_stats_keyed_fields[];
extern const Field secure_stats_peer_fields[];

G_END_DECLS
