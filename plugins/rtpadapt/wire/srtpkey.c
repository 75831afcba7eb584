/* Hands a key and a cipher to libsrtp.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "srtpkey.h"

static void
policy_set (srtp_crypto_policy_t *policy, GstRtpAdaptCipher cipher)
{
  switch (cipher) {
    case GST_RTP_ADAPT_CIPHER_AES_128_ICM:
      srtp_crypto_policy_set_rtp_default (policy);
      break;
    case GST_RTP_ADAPT_CIPHER_AES_256_ICM:
      srtp_crypto_policy_set_aes_cm_256_hmac_sha1_80 (policy);
      break;
    case GST_RTP_ADAPT_CIPHER_AES_128_GCM:
      srtp_crypto_policy_set_aes_gcm_128_16_auth (policy);
      break;
    case GST_RTP_ADAPT_CIPHER_AES_256_GCM:
      srtp_crypto_policy_set_aes_gcm_256_16_auth (policy);
      break;
  }
}

srtp_t
srtp_key_session (
    GBytes *key, GstRtpAdaptCipher cipher, srtp_ssrc_type_t type, guint32 ssrc)
{
  static gsize once = 0;
  srtp_policy_t policy = { .ssrc = { type, ssrc },
    /* libsrtp only reads it, although its type is not const. */
    .key = (guint8 *) g_bytes_get_data (key, NULL),
    .window_size = SRTP_KEY_WINDOW };
  srtp_t session;

  /* GStreamer's srtp plugin may have called this before.  The second call fails
   * and does no harm; srtp_create() shows whether libsrtp works. */
  if (g_once_init_enter (&once)) {
    srtp_init ();
    g_once_init_leave (&once, 1);
  }
  policy_set (&policy.rtp, cipher);
  policy_set (&policy.rtcp, cipher);
  if (srtp_create (&session, &policy) != srtp_err_status_ok)
    return NULL;
  return session;
}

gsize
srtp_key_tag (GstRtpAdaptCipher cipher)
{
  return cipher == GST_RTP_ADAPT_CIPHER_AES_128_ICM
          || cipher == GST_RTP_ADAPT_CIPHER_AES_256_ICM
      ? 10
      : 16;
}
