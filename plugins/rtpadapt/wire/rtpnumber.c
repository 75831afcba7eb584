/* The transport-wide number in an RTP packet: reading it, and taking it off.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rtpnumber.h"

#include <gst/rtpadapt/util/bytes.h>
#include <string.h>

#define STOP 15 /* RFC 8285 4.2: nothing after it is read */

/* The elements of a packet's extension. */
typedef struct
{
  guint8 *at, *end;
  guint head; /* bytes before an element's data; 0: they cannot be read */
} Elements;

static Elements
elements_of (guint8 *data, gsize size)
{
  Elements e = { 0 };
  gsize at = RA_RTP_HEADER + (size > 0 ? 4u * (data[0] & 15u) : 0);
  gsize length;
  guint profile;

  if (size < at + 4 || !(data[0] & 0x10))
    return e;
  profile = ra_get_u16 (data + at);
  length = 4u * ra_get_u16 (data + at + 2);
  e.at = data + at + 4;
  e.end = e.at + MIN (length, size - at - 4);
  e.head = profile == RA_EXT_ONE_BYTE       ? 1
      : (profile & ~15u) == RA_EXT_TWO_BYTE ? 2
                                            : 0;
  return e;
}

/* The next element, whose data has `length` bytes; NULL at the end. */
static guint8 *
element_next (Elements *e, guint *id, guint *length)
{
  guint8 *element;

  while (e->head > 0 && e->at < e->end && *e->at == 0)
    e->at++; /* padding */
  if (e->head == 0 || (gsize) (e->end - e->at) < e->head)
    return NULL;
  element = e->at;
  *id = e->head == 1 ? element[0] >> 4 : element[0];
  *length = e->head == 1 ? (element[0] & 15u) + 1 : element[1];
  if (e->head == 1 && *id == STOP)
    return NULL;
  if (e->head == 1 && *id == 0) {
    /* GStreamer (1.22) takes any id of 0 for one byte of padding. */
    e->at++;
    *length = 0;
    return element;
  }
  if ((gsize) (e->end - element) < e->head + *length)
    return NULL;
  e->at = element + e->head + *length;
  return element;
}

static guint8 *
number_in (Elements e, guint id)
{
  guint8 *element;
  guint found, length;

  while (id > 0 && (element = element_next (&e, &found, &length))) {
    if (found == id)
      return length == 2 ? element + e.head : NULL;
  }
  return NULL;
}

guint8 *
rtp_number_find (guint8 *data, gsize size, guint id)
{
  return number_in (elements_of (data, size), id);
}

gboolean
rtp_number_read (const guint8 *data, gsize size, guint id, guint16 *number)
{
  Elements e = elements_of ((guint8 *) data, size); /* it is only read */
  const guint8 *at = e.head == 1 ? number_in (e, id) : NULL;

  if (at)
    *number = ra_get_u16 (at);
  return at != NULL;
}

void
rtp_number_strip (guint8 *data, gsize size, guint id)
{
  Elements e = elements_of (data, size);
  guint8 *element;
  guint found, length;

  while (id > 0 && (element = element_next (&e, &found, &length))) {
    if (found == id)
      memset (element, 0, e.head + length);
  }
}
