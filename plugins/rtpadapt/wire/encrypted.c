/* Finds out that the other side encrypts, where no key is set here.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encrypted.h"

#include "rtpmux.h"

#include <gst/rtpadapt/util/bytes.h>

/* RFC 3711 3.4: the header and the SSRC are not encrypted. */
#define CLEAR 8
#define INDEX_SIZE 4
#define FLAG_E 0x80000000u
/* The index of the next packet that arrives is at most so far ahead, even with
 * losses. */
#define STEP_MAX 100

/* RFC 6347 4.1: a handshake, and DTLS 1.0 or 1.2. */
static gboolean
is_handshake (const guint8 *data, gsize size)
{
  return size > 13 && data[0] == 22 && data[1] == 0xfe
      && (data[2] == 0xff || data[2] == 0xfd);
}

/* Notes the index at place `i`, which is `trailer` bytes before the end. */
static void
number_note (
    Encrypted *e, guint i, const guint8 *data, gsize size, guint trailer)
{
  guint32 ssrc = ra_get_u32 (data + 4), word, index;
  EncryptedSource *last = e->place[i], s = last[0];
  gboolean goes_on;

  if (s.n == 0 || s.ssrc != ssrc)
    s = last[1];

  word = size >= CLEAR + trailer ? ra_get_u32 (data + size - trailer) : 0;
  index = word & ~FLAG_E;
  goes_on = s.n > 0 && s.ssrc == ssrc && index > s.index
      && index - s.index <= STEP_MAX;
  if (last[0].ssrc != ssrc)
    last[1] = last[0];
  last[0] = (EncryptedSource){ ssrc, index,
    !(word & FLAG_E) ? 0
        : goes_on    ? s.n + 1
                     : 1 };
}

gboolean
encrypted_on_junk (Encrypted *e, const guint8 *data, gsize size)
{
  /* The tag after the index has 80 bits with HMAC-SHA1 (RFC 3711 4.2), and is
   * missing with GCM (RFC 7714 9.2). */
  static const guint trailers[ENCRYPTED_PLACES]
      = { INDEX_SIZE + 10, INDEX_SIZE };

  if (e->reported)
    return FALSE;
  e->reported = is_handshake (data, size);
  if (size >= CLEAR && data[0] >> 6 == 2 && rtp_mux_has_rtcp_type (data)) {
    for (guint i = 0; i < ENCRYPTED_PLACES; i++) {
      number_note (e, i, data, size, trailers[i]);
      e->reported |= e->place[i][0].n >= ENCRYPTED_ENOUGH;
    }
  }
  return e->reported;
}
