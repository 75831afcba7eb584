/* SRTP and DTLS-SRTP of both bins: keys, encryption, decryption, counters.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum
{
  GST_RTP_ADAPT_CIPHER_AES_128_ICM,
  GST_RTP_ADAPT_CIPHER_AES_256_ICM,
  GST_RTP_ADAPT_CIPHER_AES_128_GCM,
  GST_RTP_ADAPT_CIPHER_AES_256_GCM
} GstRtpAdaptCipher;

#define GST_TYPE_RTP_ADAPT_CIPHER (gst_rtp_adapt_cipher_get_type ())
GType gst_rtp_adapt_cipher_get_type (void);

const gchar *secure_cipher_nick (GstRtpAdaptCipher cipher);
/* Bytes of master key and salt. */
guint secure_key_size (GstRtpAdaptCipher cipher);
/* TRUE: others than its owner can read the file. */
gboolean secure_file_is_open (const gchar *path);
/* Overwrites a text that is secret, and frees it. */
void secure_text_forget (gchar *text);
/* Reads hex digits (blanks and colons between them do not count).  NULL and an
 * error, which does not repeat the key, if it is not `cipher`'s length.  The key's
 * bytes are overwritten when they are freed. */
GBytes *secure_key_parse (
    const gchar *text, GstRtpAdaptCipher cipher, GError **error);
/* The same from a file: hex digits, or the bytes themselves.  It reads no more of
 * the file than a key can have. */
GBytes *secure_key_load (
    const gchar *path, GstRtpAdaptCipher cipher, GError **error);
/* "SHA-256 of a certificate", 32 pairs of hex digits with colons, as in SDP
 * (RFC 8122 5); NULL if it is not a certificate. */
gchar *secure_fingerprint (const gchar *pem);
/* It has the digits of SHA-256; colons and blanks do not count. */
gboolean secure_fingerprint_is_valid (const gchar *text);

typedef struct _Secure Secure;
/* `peer`: the address of the other end of the DTLS handshake, NULL: not known. */
typedef void (*SecureReady) (gpointer data, GSocketAddress *peer);

/* One per bin, from its init; `dtls_client`: by default the one that begins a
 * handshake (the sending bin, which knows where to). */
Secure *secure_new (GstBin *bin, gboolean dtls_client);
void secure_free (Secure *s);

/* Installs key, key-file, cipher, dtls, dtls-client, pem-file, fingerprint and, for
 * a receiver (not dtls_client), replay-guard, with the ids from `first` on.  The
 * bin's set_property and get_property call secure_set_property() and
 * secure_get_property(), which return TRUE for these properties.  What is set after
 * secure_open() is for the next one, and a warning on the bin says so. */
void secure_props_install (
    GObjectClass *klass, guint first, gboolean dtls_client);
gboolean secure_set_property (
    Secure *s, GParamSpec *pspec, const GValue *value);
gboolean secure_get_property (Secure *s, GParamSpec *pspec, GValue *value);

/* A key, a key file or dtls is in use, and before secure_open() is set: rtp-profile
 * savpf in place of avpf. */
gboolean secure_wanted (Secure *s);
gboolean secure_wants_dtls (Secure *s);

/* In NULL to READY, before anything is linked: makes the elements and adds them
 * to the bin, or FALSE, having posted an error (or missing-plugin message) on
 * the bin.  Does nothing if it is not wanted.  `mux`: RTP and RTCP share a port, which
 * DTLS needs. */
gboolean secure_open (Secure *s, gboolean mux);
/* In READY to NULL, or after a failure of it: takes them out again, with their
 * links. */
void secure_close (Secure *s);

typedef enum
{
  SECURE_RTP,
  SECURE_RTCP,
  SECURE_N_KINDS
} SecureKind;

/* Between secure_open() and secure_close().  What leaves: `src` (rtpbin's
 * send_rtp_src, send_rtcp_src) to `sink` (a UDP sink's), directly if there is
 * no security.  With DTLS all leaves by the `sink` of the first call; the
 * others are left unlinked, so call for SECURE_RTP first.  A receiver with
 * DTLS calls for SECURE_RTCP only. */
gboolean secure_link_out (
    Secure *s, SecureKind kind, GstPad *src, GstPad *sink);
/* What comes in: `src` is a UDP source's.  Where RTP and RTCP share a port, one
 * call of any kind does: decryption separates them (RFC 5761 4). */
gboolean secure_link_in (Secure *s, SecureKind kind, GstPad *src);
/* What came in, decrypted: the decoder's source pads.  (transfer full), NULL
 * without security: then link to the UDP source's pad. */
GstPad *secure_in_pad (Secure *s, SecureKind kind);

/* With DTLS, between secure_open() and secure_close(); else it does nothing.  A
 * client hears no other host than its destination `to`, and another port of that
 * host only if `to` does not answer.  NULL: it hears all addresses. */
void secure_dtls_from (Secure *s, GSocketAddress *to);
/* Handshakes leave by this socket to the address that the peer's come from, not by
 * the pad that was linked. */
void secure_dtls_socket (Secure *s, GSocket *socket);
gboolean secure_is_dtls_client (Secure *s);

/* With a key, between secure_open() and secure_close(): the questions and answers
 * of replayguard.h leave by this socket.  `rtcp_port_next`: RTCP goes to the port
 * after the one that RTP came from.  `group`: answers go to this multicast group,
 * where all receivers hear them; NULL: each receiver gets an answer of its own. */
void secure_answer_by (
    Secure *s, GSocket *socket, gboolean rtcp_port_next, GSocketAddress *group);

/* FALSE while DTLS has no connection, so that nothing can be sent. */
gboolean secure_is_ready (Secure *s);
/* Sets a function that any thread may call, when there is a new connection. */
void secure_set_ready (Secure *s, SecureReady func, gpointer data);

/* Structure "application/x-rtpadapt-security-stats": "mode" (string: none,
 * srtp, dtls), "ready" (boolean), "received" (guint64), "dropped" (guint64:
 * forged, replayed, malformed or without a key).  With a key also "unproven"
 * (guint64: packets dropped because their sender does not answer), "streams" (uint:
 * SSRCs that were authentic) and "unsent" (guint64: packets of ours that could
 * not be encrypted).  With dtls also "peer-fingerprint" (string), "handshakes"
 * (guint64: connections so far), "dtls-refused" (guint64: datagrams that were no
 * DTLS, or from nobody who may speak) and "dtls-held" (guint64: datagrams that
 * were too much for an address that had not proved itself).  (transfer full).
 * Call it without locks. */
GstStructure *secure_stats (Secure *s);

G_END_DECLS
