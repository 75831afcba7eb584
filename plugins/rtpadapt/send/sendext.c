/* rtpadaptsend: the header extensions of RFC 8285 that it writes as a packet
 * leaves.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A packet that has the element, from a payloader that reserves it, gets its
 * bytes; one that lacks it gets the element, too, unless FEC made before speaks
 * of what follows: RFC 5109 protects the extension as if it were payload, so
 * that its bytes may change, but not its length.  That
 * of transport-wide-cc is rtpsession's to write, which numbers only packets
 * that have it.
 */
#include "sendext.h"

#include "parts/extmap.h"

#include <gst/rtpadapt/feedback/bytes.h>
#include <gst/rtpadapt/feedback/colourext.h>
#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/feedback/tfrcfb.h>

#include <string.h>

#define FIXED 12        /* RFC 3550 5.1 */
#define HAS_EXT 0x10    /* bit X in the first byte */
#define HEAD 4          /* profile, length in words */
#define ONE_BYTE 0xbede /* RFC 8285 4.2 */
#define TWO_BYTE 0x1000 /* RFC 8285 4.3; the low 4 bits are the application's */
#define ONE_BYTE_ID_MAX 14
#define TWCC_SIZE 2

#define ELEMENTS_MAX 3
/* All of them, in the longer form, and padding. */
#define GROWTH_MAX (ELEMENTS_MAX * (2 + RA_SEND_TS_SIZE) + HEAD + 3)
/* A packet whose header and extension are longer is let alone. */
#define HEADER_MAX 1024

typedef struct
{
  guint id, size;
  gboolean keep; /* what is there already */
  guint at;      /* where its data are, 0: nowhere */
  guint8 data[RA_SEND_TS_SIZE];
} Element;

/* The header of a packet, with its extension. */
typedef struct
{
  guint8 bytes[HEADER_MAX + GROWTH_MAX];
  guint base;      /* its size without extension */
  guint size;      /* with it */
  guint end;       /* behind the last element */
  guint next_size; /* with the elements that are missing */
  gboolean missing, no_room;
  gboolean two; /* two-byte form */
  Element e[ELEMENTS_MAX];
  guint n;
} Header;

void
send_ext_set_caps (SendExt *ext, const GstStructure *s)
{
  ext->twcc = extmap_id (s, EXTMAP_TWCC_URI);
  ext->send_ts = extmap_send_ts_id (s);
  ext->colour = extmap_id (s, RA_COLOUR_EXT_URI);
}

static Element *
element_want (Header *h, guint id, guint size)
{
  if (id == 0)
    return NULL;
  h->e[h->n] = (Element){ .id = id, .size = size };
  return &h->e[h->n++];
}

/* FALSE if an element does not fit, nothing can be added behind the last one,
 * or one of ours has not its size. */
static gboolean
elements_find (Header *h)
{
  guint at = h->base + HEAD;

  h->end = at;
  while (at < h->size) {
    guint first = h->bytes[at], id = first, size;

    if (first == 0) { /* padding */
      at++;
      continue;
    }
    if (h->two) {
      if (at + 1 >= h->size)
        return FALSE;
      size = h->bytes[at + 1];
      at += 2;
    } else {
      id = first >> 4;
      size = (first & 15) + 1;
      at++;
      if (id == 0 || id > ONE_BYTE_ID_MAX) /* RFC 8285 4.2: stop here */
        return FALSE;
    }
    if (at + size > h->size)
      return FALSE;
    for (guint i = 0; i < h->n; i++) {
      if (h->e[i].id != id || h->e[i].at > 0)
        continue;
      if (h->e[i].size != size)
        return FALSE;
      h->e[i].at = at;
    }
    at += size;
    h->end = at;
  }
  return TRUE;
}

/* Reads the first bytes of the packet, and finds its extension.  FALSE if that
 * is none of RFC 8285. */
static gboolean
header_read (Header *h, GstBuffer *buffer)
{
  gsize n = gst_buffer_extract (buffer, 0, h->bytes, FIXED + 15 * 4 + HEAD);
  guint profile;

  h->base = FIXED + (h->bytes[0] & 15u) * 4;
  if (n < FIXED || n < h->base)
    return FALSE;
  h->size = h->end = h->base;
  h->two = FALSE;
  if (!(h->bytes[0] & HAS_EXT)) {
    for (guint i = 0; i < h->n; i++)
      h->two |= h->e[i].id > ONE_BYTE_ID_MAX;
    return TRUE;
  }
  if (n < h->base + HEAD)
    return FALSE;
  profile = ra_get_u16 (h->bytes + h->base);
  h->size += HEAD + ra_get_u16 (h->bytes + h->base + 2) * 4u;
  h->two = (profile & ~15u) == TWO_BYTE;
  return (h->two || profile == ONE_BYTE) && h->size <= HEADER_MAX
      && gst_buffer_extract (buffer, 0, h->bytes, h->size) == h->size
      && elements_find (h);
}

/* FALSE: the packet goes as it is. */
static gboolean
header_plan (
    Header *h, const SendExt *ext, GstBuffer *buffer, gboolean may_grow)
{
  guint added = 0, begin;

  if (!header_read (h, buffer))
    return FALSE;
  for (guint i = 0; i < h->n; i++) {
    Element *e = &h->e[i];

    /* rtpsession numbers the one-byte form only; 0 would be a lie. */
    e->keep = e->id == ext->twcc && (e->at > 0 || h->two);
    if (e->at == 0 && !e->keep && !may_grow)
      e->keep = h->no_room = TRUE;
    if (e->at > 0 || e->keep)
      continue;
    if (e->id > ONE_BYTE_ID_MAX && !h->two)
      return FALSE;
    added += (h->two ? 2 : 1) + e->size;
  }
  h->missing = added > 0;
  h->next_size = h->size;
  if (h->missing) {
    begin = h->base + HEAD;
    h->end = MAX (h->end, begin);
    h->next_size = begin + (h->end - begin + added + 3) / 4 * 4;
  }
  return TRUE;
}

static void
header_init (Header *h)
{
  h->n = 0;
  h->bytes[0] = 0;
  h->no_room = FALSE;
}

guint
send_ext_growth (const SendExt *ext, GstBuffer *buffer)
{
  Header h;

  header_init (&h);
  element_want (&h, ext->twcc, TWCC_SIZE);
  element_want (&h, ext->send_ts, RA_SEND_TS_SIZE);
  element_want (&h, ext->colour, RA_COLOUR_EXT_SIZE);
  if (h.n == 0 || !header_plan (&h, ext, buffer, TRUE) || h.next_size < h.size)
    return 0;
  return h.next_size - h.size;
}

/* What is missing goes behind the last element, and over the padding there. */
static void
elements_append (Header *h)
{
  guint words = (h->next_size - h->base) / 4 - 1;
  guint at = h->end;

  if (!(h->bytes[0] & HAS_EXT)) /* else the application's bits stay */
    ra_put_u16 (h->bytes + h->base, h->two ? TWO_BYTE : ONE_BYTE);
  ra_put_u16 (h->bytes + h->base + 2, words);
  memset (h->bytes + at, 0, h->next_size - at);
  for (guint i = 0; i < h->n; i++) {
    Element *e = &h->e[i];

    if (e->at > 0 || e->keep)
      continue;
    if (h->two) {
      h->bytes[at++] = (guint8) e->id;
      h->bytes[at++] = (guint8) e->size;
    } else {
      h->bytes[at++] = (guint8) (e->id << 4 | (e->size - 1));
    }
    e->at = at;
    at += e->size;
  }
  h->bytes[0] |= HAS_EXT;
}

/* The new header takes the old one's place; all else of the buffer stays. */
static void
header_replace (const Header *h, GstBuffer *buffer)
{
  guint8 *bytes = g_memdup2 (h->bytes, h->next_size);

  gst_buffer_resize (buffer, h->size, -1);
  gst_buffer_prepend_memory (buffer,
      gst_memory_new_wrapped (
          0, bytes, h->next_size, 0, h->next_size, bytes, g_free));
}

static void
values_write (
    Element *send_ts, Element *colour, SendExt *ext, const SendExtValues *v)
{
  RaSendTs x = { .rtt = v->rtt, .t_i = ra_stamp_us (v->now) };
  RaColourExt c = { .mark = v->mark };

  if (send_ts)
    ra_send_ts_write (&x, send_ts->data, sizeof send_ts->data);
  if (!colour || (colour->keep && colour->at == 0))
    return;
  c.n = ra_mark_number (&ext->numbers, v->mark);
  ra_colour_ext_write (&c, colour->data, sizeof colour->data);
}

SendExtResult
send_ext_write (SendExt *ext, GstBuffer **buffer, gboolean may_grow,
    const SendExtValues *values)
{
  Element *send_ts, *colour;
  Header h;

  header_init (&h);
  element_want (&h, ext->twcc, TWCC_SIZE);
  send_ts = element_want (&h, ext->send_ts, RA_SEND_TS_SIZE);
  colour = element_want (&h, ext->colour, RA_COLOUR_EXT_SIZE);
  if (h.n == 0)
    return SEND_EXT_DONE;
  if (!header_plan (&h, ext, *buffer, may_grow))
    return SEND_EXT_MALFORMED;
  values_write (send_ts, colour, ext, values);
  *buffer = gst_buffer_make_writable (*buffer);
  if (h.missing)
    elements_append (&h);
  for (guint i = 0; i < h.n; i++) {
    const Element *e = &h.e[i];

    if (e->keep)
      continue;
    memcpy (h.bytes + e->at, e->data, e->size);
    if (!h.missing)
      gst_buffer_fill (*buffer, e->at, e->data, e->size);
  }
  if (h.missing)
    header_replace (&h, *buffer);
  return h.no_room ? SEND_EXT_NO_ROOM : SEND_EXT_DONE;
}
