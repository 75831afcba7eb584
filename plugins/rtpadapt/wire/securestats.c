/* SRTP and DTLS-SRTP of both bins: statistics, field by field.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "securestats.h"

const Field secure_stats_fields[] = {
  { "mode", "", "in use: none, srtp (key or key-file) or dtls", "element",
      FIELD_TEXT (SecureStats, mode) },
  { "ready", "", "packets can pass: there is a key, or DTLS has agreed on one",
      "element", FIELD_BOOLEAN (SecureStats, ready) },
  { "received", "packets", "that came to be decrypted", "element",
      FIELD_UINT64 (SecureStats, received) },
  { "dropped", "packets",
      "of these forged, replayed, malformed or of another key; all of them: the "
      "keys or ciphers of the two sides differ",
      "RFC 3711 3.3", FIELD_UINT64 (SecureStats, dropped) },
  { NULL },
};

const Field secure_stats_dtls_fields[] = {
  { "handshakes", "connections", "that were made", "RFC 5764",
      FIELD_UINT64 (SecureStats, hub.finished) },
  { "dtls-refused", "datagrams", "not DTLS, or of nobody who may speak",
      "RFC 7983", FIELD_UINT64 (SecureStats, hub.refused) },
  { "dtls-held", "datagrams",
      "of ours, too many for an address that has not proved itself", "element",
      FIELD_UINT64 (SecureStats, hub.held) },
  { NULL },
};

const Field secure_stats_keyed_fields[] = {
  { "unproven", "packets",
      "of dropped: authentic, but perhaps a recording, see replay-guard",
      "RFC 3611 4.5", FIELD_UINT64 (SecureStats, srtp.unproven) },
  { "unsent", "packets", "of ours that could not be encrypted", "libsrtp2",
      FIELD_UINT64 (SecureStats, srtp.unsent) },
  { "streams", "SSRCs", "that were authentic", "element",
      FIELD_UINT (SecureStats, srtp.streams) },
  { NULL },
};

const Field secure_stats_peer_fields[] = {
  { "peer-fingerprint", "", "of the certificate that came, SHA-256",
      "RFC 8122 5", FIELD_TEXT (SecureStats, peer_fingerprint) },
  { NULL },
};

GstStructure *
secure_stats_new (const SecureStats *x, gboolean dtls, gboolean keyed)
{
  GstStructure *s = fields_new (
      "application/x-rtpadapt-security-stats", secure_stats_fields, x);

  if (dtls)
    fields_set (s, secure_stats_dtls_fields, x);
  if (keyed)
    fields_set (s, secure_stats_keyed_fields, x);
  if (x->peer_fingerprint)
    fields_set (s, secure_stats_peer_fields, x);
  return s;
}
