/* SRTP and DTLS-SRTP of both bins: the table of the properties.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "parts/props.h"
#include "secure.h"

G_BEGIN_DECLS

/* What the properties are. */
typedef struct
{
  gchar *key, *key_file;         /* NULL: none */
  gchar *pem_file, *fingerprint; /* the same */
  GstRtpAdaptCipher cipher;
  gboolean dtls, dtls_client;
  gboolean replay_guard;
} SecureConfig;

extern const PropRow secure_props[];

G_END_DECLS
