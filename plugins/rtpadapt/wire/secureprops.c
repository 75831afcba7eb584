/* SRTP and DTLS-SRTP of both bins: the table of the properties.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "secureprops.h"

GType
gst_rtp_adapt_cipher_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_RTP_ADAPT_CIPHER_AES_128_ICM,
        "any receiver knows it: AES-128 counter mode, HMAC-SHA1-80 (RFC 3711)",
        "aes-128-icm" },
    { GST_RTP_ADAPT_CIPHER_AES_256_ICM,
        "a longer key: AES-256 counter mode, HMAC-SHA1-80 (RFC 6188)",
        "aes-256-icm" },
    { GST_RTP_ADAPT_CIPHER_AES_128_GCM,
        "faster where the CPU has AES: AES-128 Galois/counter mode (RFC 7714)",
        "aes-128-gcm" },
    { GST_RTP_ADAPT_CIPHER_AES_256_GCM,
        "the same with a longer key: AES-256 Galois/counter mode (RFC 7714)",
        "aes-256-gcm" },
    { 0 },
  };

  if (g_once_init_enter (&type)) {
    GType registered = g_enum_register_static ("GstRtpAdaptCipher", values);

    gst_type_mark_as_plugin_api (registered, 0);
    g_once_init_leave (&type, registered);
  }
  return type;
}

const PropRow secure_props[] = {
  { "key", "Key",
      "SRTP master key and salt, hex digits: 60 of them for aes-128-icm, "
      "92 for aes-256-icm, 56 for aes-128-gcm, 88 for aes-256-gcm (none: "
      "no SRTP); in a command line ps shows it, so take key-file there",
      PROP_ANY & ~G_PARAM_READABLE, PROP_TEXT (SecureConfig, key, NULL),
      .empty_is_none = TRUE, .forget = secure_text_forget },
  { "key-file", "Key file",
      "File with the SRTP master key and salt, as bytes or as hex digits",
      PROP_ANY, PROP_TEXT (SecureConfig, key_file, NULL),
      .empty_is_none = TRUE },
  { "cipher", "Cipher", "Cipher of SRTP with key or key-file", PROP_ANY,
      PROP_ENUM (
          SecureConfig, cipher, gst_rtp_adapt_cipher_get_type, "aes-128-icm") },
  { "dtls", "DTLS", "Agree on the SRTP key by DTLS (RFC 5764); needs rtcp-mux",
      PROP_ANY, PROP_BOOLEAN (SecureConfig, dtls, FALSE) },
  { "dtls-client", "DTLS client",
      "Begin the DTLS handshake; the peer must have it otherwise", PROP_ANY,
      PROP_BOOLEAN (SecureConfig, dtls_client, FALSE) },
  { "pem-file", "PEM file",
      "File with our certificate and RSA key for DTLS in PEM form (none: "
      "one is made up)",
      PROP_ANY, PROP_TEXT (SecureConfig, pem_file, NULL),
      .empty_is_none = TRUE },
  { "fingerprint", "Fingerprint",
      "SHA-256 of the peer's certificate for DTLS, 32 pairs of hex digits "
      "(none: any certificate will do, with a warning)",
      PROP_ANY, PROP_TEXT (SecureConfig, fingerprint, NULL),
      .empty_is_none = TRUE },
  { "replay-guard", "Replay guard",
      "With key or key-file: refuse a sender that does not answer (RFC 3611 "
      "4.5), as it may be the recording of an earlier session; rtpadaptsink "
      "answers",
      PROP_ANY, PROP_BOOLEAN (SecureConfig, replay_guard, TRUE) },
  { NULL },
};

void
secure_props_install (GObjectClass *klass, guint first, gboolean dtls_client)
{
  for (const PropRow *r = secure_props; r->name; r++) {
    PropRow row = *r;

    if (g_str_equal (row.name, "dtls-client"))
      row.def.i = dtls_client;
    if (!dtls_client || !g_str_equal (row.name, "replay-guard"))
      props_install_row (klass, first++, &row);
  }
}
