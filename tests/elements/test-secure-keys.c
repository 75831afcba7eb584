/* Keys of SRTP: lengths, texts, files; fingerprints of certificates.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../main.h"
#include "sink-fixture.h"

#include "../../plugins/rtpadapt/wire/secure.h"
#include "../trust/stranger-pem.h"

#include <glib/gstdio.h>

/* RFC 3711 8.2: 128 + 112 bits; RFC 6188 2: 256 + 112; RFC 7714 12: 128 + 96
 * and 256 + 96. */
static const struct
{
  GstRtpAdaptCipher cipher;
  const gchar *nick;
  guint size;
} ciphers[] = {
  { GST_RTP_ADAPT_CIPHER_AES_128_ICM, "aes-128-icm", 30 },
  { GST_RTP_ADAPT_CIPHER_AES_256_ICM, "aes-256-icm", 46 },
  { GST_RTP_ADAPT_CIPHER_AES_128_GCM, "aes-128-gcm", 28 },
  { GST_RTP_ADAPT_CIPHER_AES_256_GCM, "aes-256-gcm", 44 },
};

static void
test_sizes (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (ciphers); i++) {
    for (guint size = 0; size < 64; size++) {
      g_autofree gchar *text = hex_key (size, 1);
      GError *error = NULL;
      GBytes *key = secure_key_parse (text, ciphers[i].cipher, &error);

      g_test_message ("%s, %u bytes", ciphers[i].nick, size);
      g_assert_cmpint (key != NULL, ==, size == ciphers[i].size);
      if (key) {
        g_assert_cmpuint (g_bytes_get_size (key), ==, size);
        g_bytes_unref (key);
      } else {
        g_autofree gchar *wanted = g_strdup_printf ("%u", ciphers[i].size);

        g_assert_nonnull (strstr (error->message, wanted));
        g_assert_nonnull (strstr (error->message, ciphers[i].nick));
        g_error_free (error);
      }
    }
  }
}

/* Of aes-128-gcm: 28 bytes. */
static const struct
{
  const gchar *text;
  gboolean good;
  const gchar *why;
} texts[] = {
  { "000102030405060708090a0b0c0d0e0f101112131415161718191a1b", TRUE, "hex" },
  { "000102030405060708090A0B0C0D0E0F101112131415161718191A1B", TRUE,
      "capitals" },
  { "00:01:02:03:04:05:06:07:08:09:0a:0b:0c:0d:0e:0f:10:11:12:13:14:15:16:17:"
    "18:19:1a:1b",
      TRUE, "colons" },
  { " 000102030405060708090a0b0c0d0e0f 101112131415161718191a1b\n", TRUE,
      "blanks, a line's end" },
  { "000102030405060708090a0b0c0d0e0f101112131415161718191a1", FALSE,
      "an odd digit" },
  { "0x000102030405060708090a0b0c0d0e0f101112131415161718191a1b", FALSE,
      "an x" },
  { "000102030405060708090a0b0c0d0e0f101112131415161718191a1g", FALSE,
      "no digit" },
  { "secret", FALSE, "a password" },
  { "", FALSE, "nothing" },
  { "::", FALSE, "colons alone" },
};

static void
test_texts (void)
{
  guint8 wanted[28];

  for (guint8 i = 0; i < sizeof wanted; i++)
    wanted[i] = i;
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    GError *error = NULL;
    GBytes *key = secure_key_parse (
        texts[i].text, GST_RTP_ADAPT_CIPHER_AES_128_GCM, &error);
    gsize size;

    g_test_message ("\"%s\": %s", texts[i].text, texts[i].why);
    g_assert_cmpint (key != NULL, ==, texts[i].good);
    if (key) {
      gconstpointer data = g_bytes_get_data (key, &size);

      g_assert_cmpuint (size, ==, sizeof wanted);
      g_assert_cmpint (memcmp (data, wanted, size), ==, 0);
      g_bytes_unref (key);
    } else {
      /* Secrets do not get into logs. */
      if (*texts[i].text)
        g_assert_null (strstr (error->message, texts[i].text));
      g_error_free (error);
    }
  }
}

static gchar *
temp_file (gconstpointer data, gsize size)
{
  gchar *path;
  gint fd = g_file_open_tmp ("rtpadapt-XXXXXX", &path, NULL);

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (write (fd, data, size), ==, (gssize) size);
  close (fd);
  return path;
}

static void
test_files (void)
{
  const GstRtpAdaptCipher gcm = GST_RTP_ADAPT_CIPHER_AES_128_GCM;
  guint8 data[8192] = { 0 };
  const gsize sizes[] = { 28, 27, 0, 56, sizeof data };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    GError *error = NULL;
    g_autofree gchar *path = temp_file (data, sizes[i]);
    GBytes *key = secure_key_load (path, gcm, &error);

    g_test_message ("%" G_GSIZE_FORMAT " bytes", sizes[i]);
    g_assert_cmpint (key != NULL, ==, sizes[i] == 28);
    if (!key)
      g_assert_nonnull (strstr (error->message, path));
    g_clear_error (&error);
    g_clear_pointer (&key, g_bytes_unref);
    g_remove (path);
  }
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autofree gchar *path = temp_file (texts[i].text, strlen (texts[i].text));
    GBytes *key = secure_key_load (path, gcm, NULL);

    g_test_message ("\"%s\"", texts[i].text);
    g_assert_cmpint (key != NULL, ==, texts[i].good);
    g_clear_pointer (&key, g_bytes_unref);
    g_remove (path);
  }
}

/* What others can read is warned of. */
static void
test_file_mode (gconstpointer option)
{
  static const gint modes[] = { 0600, 0400, 0640, 0604 };
  gboolean pem = strstr (option, "pem") != NULL;
  g_autofree gchar *text = pem ? g_strdup (STRANGER_PEM) : hex_key (30, 7);

  if (pem
      && !gst_registry_check_feature_version (
          gst_registry_get (), "dtlssrtpdec", 1, 0, 0)) {
    g_test_skip ("no dtlssrtpdec");
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++) {
    g_autofree gchar *path = temp_file (text, strlen (text));
    g_autofree gchar *options = g_strconcat (option, path, NULL);
    GstElement *sink, *pipeline = sink_pipeline (9, options, &sink);
    g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
    g_autofree gchar *said = NULL;

    g_test_message ("%o", (guint) modes[i]);
    g_chmod (path, (guint) modes[i]);
    g_assert_cmpint (gst_element_set_state (pipeline, GST_STATE_READY), ==,
        GST_STATE_CHANGE_SUCCESS);
    said = udp_said (bus, GST_MESSAGE_WARNING);
    g_assert_cmpint (said != NULL, ==, (modes[i] & 077) != 0);
    g_remove (path);
    sink_stop (pipeline, sink);
  }
}

/* openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes
 *     -subj /CN=t -days 36500 */
static const gchar certificate[]
    = "-----BEGIN CERTIFICATE-----\n"
      "MIIBbzCCARWgAwIBAgIUJwEO+2IhRCTjg5bSdJK12WrT5e0wCgYIKoZIzj0EAwIw\n"
      "DDEKMAgGA1UEAwwBdDAgFw0yNjExMjEwOTU0MTdaGA8yMTI2MTAyODA5NTQxN1ow\n"
      "DDEKMAgGA1UEAwwBdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABEmDCCZaJBm+\n"
      "cdWXtSiB6iYHbvqL9umeDrj7MHriRO7vtfFKa20Q9GX7IjVjugh7VQEhFg9ZgZFv\n"
      "ed7d6OBl7BOjUzBRMB0GA1UdDgQWBBRaBr2G1RwulxU4gc6Qe7VcEOZDCjAfBgNV\n"
      "HSMEGDAWgBRaBr2G1RwulxU4gc6Qe7VcEOZDCjAPBgNVHRMBAf8EBTADAQH/MAoG\n"
      "CCqGSM49BAMCA0gAMEUCIQDBdqcyaIovjMe2BybRKN5mBMyGhVOCTiGem92voJ35\n"
      "pQIgAZDQt0QW3OzjjFVRFR9HM2Yy/ncp1dIFUrgBC6Vd810=\n"
      "-----END CERTIFICATE-----\n";
/* openssl x509 -noout -fingerprint -sha256 */
static const gchar fingerprint[]
    = "04:F0:2A:6D:F6:CE:43:DE:CB:D8:E4:4F:5E:55:CF:B1:"
      "D2:0F:FF:12:06:31:89:78:E3:50:0E:86:A3:E6:E7:C0";

static void
test_fingerprint (void)
{
  g_autofree gchar *found = secure_fingerprint (certificate);

  g_assert_cmpstr (found, ==, fingerprint);
  g_assert_null (secure_fingerprint ("no certificate"));
  g_assert_null (secure_fingerprint ("-----BEGIN CERTIFICATE-----\nMIIB"));
  g_assert_null (secure_fingerprint (NULL));
  g_assert_true (secure_fingerprint_is_valid (found));
  g_assert_true (
      secure_fingerprint_is_valid ("04 f02A"
                                   "6df6ce43decbd8e44f5e55"
                                   "cfb1d20fff1206318978e3500e86a3e6e7c0"));
  g_assert_false (secure_fingerprint_is_valid ("04:F0"));
}

void
tests_add (void)
{
  g_test_add_func ("/secure-keys/sizes", test_sizes);
  g_test_add_func ("/secure-keys/texts", test_texts);
  g_test_add_func ("/secure-keys/files", test_files);
  g_test_add_data_func (
      "/secure-keys/file-mode/key", "key-file=", test_file_mode);
  g_test_add_data_func (
      "/secure-keys/file-mode/pem", "dtls=true pem-file=", test_file_mode);
  g_test_add_func ("/secure-keys/fingerprint", test_fingerprint);
}
