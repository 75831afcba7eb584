/* Keys of SRTP, from text and files, and fingerprints of certificates.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "secure.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A longer file cannot be a key. */
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

/* --- secrets ------------------------------------------------------------ */

gboolean
secure_file_is_open (const gchar *path)
{
  struct stat info;

  return stat (path, &info) == 0 && (info.st_mode & (S_IRWXG | S_IRWXO));
}

void
secure_text_forget (gchar *text)
{
  if (text)
    explicit_bzero (text, strlen (text));
  g_free (text);
}

/* Bytes that are overwritten when they are freed. */
typedef struct
{
  gsize size;
  guint8 bytes[];
} Secret;

static Secret *
secret_new (gsize size)
{
  Secret *secret = g_malloc0 (sizeof *secret + size);

  secret->size = size;
  return secret;
}

static void
secret_free (gpointer data)
{
  Secret *secret = data;

  explicit_bzero (secret->bytes, secret->size);
  g_free (secret);
}

/* --- keys --------------------------------------------------------------- */

/* Writes the bytes that the digits of `text` stand for to `bytes`, which has room
 * for length / 2 + 1 of them.  Returns how many; 0 if there is anything else in
 * the text than pairs of digits, blanks and colons. */
static gsize
hex_read (const gchar *text, gsize length, guint8 *bytes)
{
  gsize digits = 0;

  for (gsize i = 0; i < length; i++) {
    guint8 *byte = bytes + digits / 2;

    if (g_ascii_isspace (text[i]) || text[i] == ':')
      continue;
    if (!g_ascii_isxdigit (text[i]))
      return 0;
    if (digits++ % 2 == 0)
      *byte = (guint8) (g_ascii_xdigit_value (text[i]) << 4);
    else
      *byte |= (guint8) g_ascii_xdigit_value (text[i]);
  }
  return digits % 2 == 0 ? digits / 2 : 0;
}

static GBytes *
hex_key (const gchar *text, gsize length, GstRtpAdaptCipher cipher,
    const gchar *where, GError **error)
{
  guint size = secure_key_size (cipher);
  Secret *secret = secret_new (length / 2 + 1);
  gsize found = hex_read (text, length, secret->bytes);

  if (found == size)
    return g_bytes_new_with_free_func (
        secret->bytes, size, secret_free, secret);
  if (found > 0)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "%s has %" G_GSIZE_FORMAT " bytes, but %s takes %u of master key and "
        "salt, which is %u hex digits",
        where, found, secure_cipher_nick (cipher), size, 2 * size);
  else
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "%s is not %u hex digits (%u bytes of master key and salt, as %s "
        "takes)",
        where, 2 * size, size, secure_cipher_nick (cipher));
  secret_free (secret);
  return NULL;
}

GBytes *
secure_key_parse (const gchar *text, GstRtpAdaptCipher cipher, GError **error)
{
  return hex_key (text, strlen (text), cipher, "the key", error);
}

/* Reads the file, but no more than `max` bytes.  Returns how many; -1 and an error
 * if it cannot be read. */
static gssize
file_read (const gchar *path, guint8 *bytes, gsize max, GError **error)
{
  gint fd = open (path, O_RDONLY | O_CLOEXEC), problem = errno;
  gsize used = 0;
  gssize n = fd < 0 ? -1 : 1;

  while (n > 0 && used < max) {
    n = read (fd, bytes + used, max - used);
    problem = errno;
    if (n < 0 && problem == EINTR)
      n = 1;
    else if (n > 0)
      used += (gsize) n;
  }
  if (fd >= 0)
    close (fd);
  if (n >= 0)
    return (gssize) used;
  g_set_error (error, G_FILE_ERROR, (gint) g_file_error_from_errno (problem),
      "the key file \"%s\" cannot be read: %s", path, g_strerror (problem));
  return -1;
}

GBytes *
secure_key_load (const gchar *path, GstRtpAdaptCipher cipher, GError **error)
{
  g_autofree gchar *where = g_strdup_printf ("the key file \"%s\"", path);
  Secret *secret = secret_new (KEY_FILE_MAX + 1);
  gssize length = file_read (path, secret->bytes, KEY_FILE_MAX + 1, error);
  GBytes *key = NULL;

  if (length == secure_key_size (cipher))
    return g_bytes_new_with_free_func (
        secret->bytes, (gsize) length, secret_free, secret);
  if (length > KEY_FILE_MAX)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "%s is too long for a key", where);
  else if (length >= 0)
    key = hex_key (
        (const gchar *) secret->bytes, (gsize) length, cipher, where, error);
  secret_free (secret);
  return key;
}

/* --- fingerprints ------------------------------------------------------- */

gboolean
secure_fingerprint_is_valid (const gchar *text)
{
  guint digits = 0;

  for (; *text; text++) {
    if (g_ascii_isxdigit (*text))
      digits++;
    else if (*text != ':' && *text != ' ')
      return FALSE;
  }
  return digits == 2 * 32;
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
