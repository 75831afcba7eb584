/* The transport-wide number that an RTP packet carries as it leaves.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "twccnumber.h"

#include <gst/rtpadapt/feedback/bytes.h>

#define RTP_HEADER 12 /* RFC 3550 5.1 */
#define HAS_EXT 0x10
#define EXT_HEAD 4      /* RFC 3550 5.3.1 */
#define ONE_BYTE 0xbede /* RFC 8285 4.2 */
#define STOP_ID 15      /* the same: what follows is not to be read */

/* RFC 8285 4.2: an id and a length less one in a byte each, then data; a byte
 * of 0 is padding. */
static gboolean
element_read (const guint8 *data, gsize size, guint id, guint16 *number)
{
  gsize at = 0;

  while (at < size) {
    guint its_id = data[at] >> 4;
    gsize len = (data[at] & 15u) + 1;

    if (data[at] == 0) {
      at++;
      continue;
    }
    if (its_id == STOP_ID || at + 1 + len > size)
      return FALSE;
    if (its_id == id && len == 2) {
      *number = ra_get_u16 (data + at + 1);
      return TRUE;
    }
    at += 1 + len;
  }
  return FALSE;
}

gboolean
twcc_number_read (const guint8 *data, gsize size, guint id, guint16 *number)
{
  gsize at, len;

  if (id == 0 || size < RTP_HEADER || !(data[0] & HAS_EXT))
    return FALSE;
  at = RTP_HEADER + 4u * (data[0] & 15u);
  if (size < at + EXT_HEAD || ra_get_u16 (data + at) != ONE_BYTE)
    return FALSE;
  len = 4u * ra_get_u16 (data + at + 2);
  at += EXT_HEAD;
  return element_read (data + at, MIN (len, size - at), id, number);
}
