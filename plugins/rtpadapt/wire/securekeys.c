/* Keys of SRTP, from text and files, and fingerprints of certificates.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "secure.h"

#include <string.h>

/* A longer file is no key. */
#define KEY_FILE_MAX 4096

const gchar *
secure_cipher_nick (GstRtpAdaptCipher cipher)
{
  static const gchar *const nicks[]
      = { "aes-128-icm", "aes-256-icm", "aes-128-gcm", "aes-256-gcm" };

  return nicks[cipher];
}

guint
secure_key_size (GstRtpAdaptCipher cipher)
{
  switch (cipher) {
    case GST_RTP_ADAPT_CIPHER_AES_128_ICM:
      return 16 + 14; /* RFC 3711 8.2 */
    case GST_RTP_ADAPT_CIPHER_AES_256_ICM:
      return 32 + 14; /* RFC 6188 2 */
    case GST_RTP_ADAPT_CIPHER_AES_128_GCM:
      return 16 + 12; /* RFC 7714 12 */
    case GST_RTP_ADAPT_CIPHER_AES_256_GCM:
      return 32 + 12; /* RFC 7714 12 */
  }
  g_return_val_if_reached (0);
}

/* The bytes that the digits of `text` are, or NULL if there is anything else
 * in it than pairs of digits, blanks and colons. */
static GByteArray *
hex_read (const gchar *text, gsize length)
{
  GByteArray *bytes = g_byte_array_new ();
  guint8 byte = 0;
  guint digits = 0;
  gboolean good = TRUE;

  for (gsize i = 0; i < length && good; i++) {
    if (g_ascii_isspace (text[i]) || text[i] == ':')
      continue;
    good = g_ascii_isxdigit (text[i]);
    byte = (guint8) (byte << 4 | (g_ascii_xdigit_value (text[i]) & 0xf));
    if (++digits % 2 == 0)
      g_byte_array_append (bytes, &byte, 1);
  }
  if (good && digits > 0 && digits % 2 == 0)
    return bytes;
  g_byte_array_unref (bytes);
  return NULL;
}

static GBytes *
hex_key (const gchar *text, gsize length, GstRtpAdaptCipher cipher,
    const gchar *where, GError **error)
{
  guint size = secure_key_size (cipher);
  GByteArray *bytes = hex_read (text, length);

  if (bytes && bytes->len == size)
    return g_byte_array_free_to_bytes (bytes);
  if (bytes)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "%s has %u bytes, but %s takes %u of master key and salt, "
        "which is %u hex digits",
        where, bytes->len, secure_cipher_nick (cipher), size, 2 * size);
  else
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "%s is not %u hex digits (%u bytes of master key and salt, as %s "
        "takes)",
        where, 2 * size, size, secure_cipher_nick (cipher));
  if (bytes)
    g_byte_array_unref (bytes);
  return NULL;
}

GBytes *
secure_key_parse (const gchar *text, GstRtpAdaptCipher cipher, GError **error)
{
  return hex_key (text, strlen (text), cipher, "the key", error);
}

GBytes *
secure_key_load (const gchar *path, GstRtpAdaptCipher cipher, GError **error)
{
  g_autofree gchar *where = g_strdup_printf ("the key file \"%s\"", path);
  g_autofree gchar *text = NULL;
  gsize length;

  if (!g_file_get_contents (path, &text, &length, error))
    return NULL;
  if (length == secure_key_size (cipher))
    return g_bytes_new_take (g_steal_pointer (&text), length);
  if (length > KEY_FILE_MAX) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "%s is too long for a key", where);
    return NULL;
  }
  return hex_key (text, length, cipher, where, error);
}

/* A PEM certificate is its DER form in base64 (RFC 7468 5). */
gchar *
secure_fingerprint (const gchar *pem)
{
  static const gchar begin[] = "-----BEGIN CERTIFICATE-----";
  const gchar *from = pem ? strstr (pem, begin) : NULL;
  const gchar *to = from ? strstr (from, "-----END CERTIFICATE-----") : NULL;
  g_autofree gchar *base64 = NULL, *digest = NULL;
  g_autofree guchar *der = NULL;
  gsize length;
  GString *text;

  if (!to)
    return NULL;
  from += strlen (begin);
  base64 = g_strndup (from, (gsize) (to - from));
  der = g_base64_decode (base64, &length);
  digest = g_compute_checksum_for_data (G_CHECKSUM_SHA256, der, length);
  text = g_string_new (NULL);
  for (guint i = 0; digest[i]; i += 2)
    g_string_append_printf (text, "%s%c%c", i > 0 ? ":" : "",
        g_ascii_toupper (digest[i]), g_ascii_toupper (digest[i + 1]));
  return g_string_free (text, FALSE);
}
