/* rtpadaptsend: the header extensions of RFC 8285 that it writes as a packet
 * leaves.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A packet that has the element, from a payloader that reserves it, gets its
 * bytes.  One that lacks the element gets it, too, unless FEC was made upstream:
 * RFC 5109 protects the extension as if it were payload, so that its bytes may
 * change, but not its length.  The element of transport-wide-cc is rtpsession's to
 * write, which numbers only packets that have it.
 */
#include "sendext.h"

#include "parts/extmap.h"

#include <gst/rtpadapt/feedback/colourext.h>
#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/feedback/tfrcfb.h>
#include <gst/rtpadapt/util/bytes.h>

#include <string.h>

#define HAS_EXT 0x10 /* bit X in the first byte */
#define HEAD 4u      /* profile, length in words */
#define ONE_BYTE_ID_MAX 14

enum
{
  TWCC,
  SEND_TS,
  COLOUR,
};

/* Bytes of data; 2 of transport-wide-cc. */
static const guint sizes[SEND_EXT_KINDS]
    = { 2, RA_SEND_TS_SIZE, RA_COLOUR_EXT_SIZE };

void
send_ext_set_caps (SendExt *ext, const GstStructure *s)
{
  ext->twcc = extmap_id (s, EXTMAP_TWCC_URI);
  ext->send_ts = extmap_send_ts_id (s);
  ext->colour = extmap_id (s, RA_COLOUR_EXT_URI);
}

/* --- reading -------------------------------------------------------------- */

/* FALSE if an element does not fit, nothing can be added behind the last one,
 * or one of ours has not its size. */
static gboolean
elements_find (SendExtPlan *plan, const guint8 *bytes)
{
  guint at = plan->base + HEAD;

  plan->end = (guint16) at;
  while (at < plan->size) {
    guint first = bytes[at], id = first, size;

    if (first == 0) { /* padding */
      at++;
      continue;
    }
    if (plan->two) {
      if (at + 1 >= plan->size)
        return FALSE;
      size = bytes[at + 1];
      at += 2;
    } else {
      id = first >> 4;
      size = (first & 15) + 1;
      at++;
      if (id == 0 || id > ONE_BYTE_ID_MAX) /* RFC 8285 4.2: stop here */
        return FALSE;
    }
    if (at + size > plan->size)
      return FALSE;
    for (guint i = 0; i < SEND_EXT_KINDS; i++) {
      if (plan->id[i] != id || plan->at[i] > 0)
        continue;
      if (sizes[i] != size)
        return FALSE;
      plan->at[i] = (guint16) at;
    }
    at += size;
    plan->end = (guint16) at;
  }
  return TRUE;
}

/* FALSE if the extension is none of RFC 8285. */
static gboolean
extension_read (SendExtPlan *plan, const guint8 *bytes, gsize n)
{
  guint profile;
  gsize size;

  if (!(bytes[0] & HAS_EXT)) {
    for (guint i = 0; i < SEND_EXT_KINDS; i++)
      plan->two |= plan->id[i] > ONE_BYTE_ID_MAX;
    return TRUE;
  }
  if (n < plan->base + HEAD)
    return FALSE;
  profile = ra_get_u16 (bytes + plan->base);
  size = plan->base + HEAD + ra_get_u16 (bytes + plan->base + 2) * 4u;
  plan->two = (profile & ~15u) == RA_EXT_TWO_BYTE;
  if ((!plan->two && profile != RA_EXT_ONE_BYTE) || size > SEND_EXT_HEADER_MAX
      || size > n)
    return FALSE;
  plan->size = (guint16) size;
  return elements_find (plan, bytes);
}

static gboolean
is_needless (const SendExtPlan *plan)
{
  return !plan->id[TWCC] && !plan->id[SEND_TS] && !plan->id[COLOUR];
}

void
send_ext_read (
    const SendExt *ext, const guint8 *header, gsize n, SendExtPlan *plan)
{
  *plan = (SendExtPlan){
    .id = { (guint8) ext->twcc, (guint8) ext->send_ts, (guint8) ext->colour },
  };
  if (is_needless (plan))
    return;
  plan->base = plan->size = plan->end = n < RA_RTP_HEADER
      ? RA_RTP_HEADER
      : (guint16) (RA_RTP_HEADER + (header[0] & 15u) * 4);
  plan->malformed = n < plan->base || !extension_read (plan, header, n);
}

gboolean
send_ext_fits (const SendExt *ext, const SendExtPlan *plan)
{
  return plan->id[TWCC] == ext->twcc && plan->id[SEND_TS] == ext->send_ts
      && plan->id[COLOUR] == ext->colour;
}

gboolean
send_ext_is_numbered (const SendExtPlan *plan)
{
  return (plan->id[TWCC] || plan->id[SEND_TS]) && !plan->malformed
      && (!plan->id[TWCC] || plan->at[TWCC] > 0)
      && (!plan->id[SEND_TS] || plan->at[SEND_TS] > 0);
}

/* --- writing -------------------------------------------------------------- */

/* The element is to be added.  rtpsession numbers the one-byte form only, so in
 * the other form a number would stay 0, which is false. */
static gboolean
is_missing (const SendExtPlan *plan, guint i)
{
  return plan->id[i] > 0 && plan->at[i] == 0 && !(i == TWCC && plan->two);
}

/* The size of the header with what is missing, 0 if nothing is.  FALSE: it cannot
 * be added, since the forms do not mix. */
static gboolean
size_with_missing (const SendExtPlan *plan, guint *size)
{
  guint added = 0, begin = plan->base + HEAD;
  guint end = MAX (plan->end, begin);

  *size = 0;
  for (guint i = 0; i < SEND_EXT_KINDS; i++) {
    if (!is_missing (plan, i))
      continue;
    if (plan->id[i] > ONE_BYTE_ID_MAX && !plan->two)
      return FALSE;
    added += (plan->two ? 2 : 1) + sizes[i];
  }
  if (added > 0)
    *size = begin + (end - begin + added + 3) / 4 * 4;
  return TRUE;
}

guint
send_ext_growth (const SendExtPlan *plan)
{
  guint size;

  if (is_needless (plan) || plan->malformed || !size_with_missing (plan, &size))
    return 0;
  return size > plan->size ? size - plan->size : 0;
}

typedef struct
{
  guint8 bytes[RA_SEND_TS_SIZE]; /* the longest */
} Data;

/* `colour`: a packet that does not say its colour takes no number of it. */
static void
data_write (Data data[SEND_EXT_KINDS], SendExt *ext, const SendExtPlan *plan,
    gboolean colour, const SendExtValues *v)
{
  RaSendTs x = { .rtt = v->rtt, .t_i = ra_stamp_us (v->now) };
  RaColourExt c = { .mark = v->mark };

  memset (data, 0, SEND_EXT_KINDS * sizeof *data);
  if (plan->id[SEND_TS])
    ra_send_ts_write (&x, data[SEND_TS].bytes, RA_SEND_TS_SIZE);
  if (!plan->id[COLOUR] || !colour)
    return;
  c.n = ra_mark_number (&ext->numbers, v->mark);
  ra_colour_ext_write (&c, data[COLOUR].bytes, RA_COLOUR_EXT_SIZE);
}

/* The data of what is there take the place of what was reserved. */
static void
data_fill (GstBuffer *buffer, const SendExtPlan *plan, const Data *data)
{
  for (guint i = TWCC + 1; i < SEND_EXT_KINDS; i++) {
    if (plan->at[i] > 0)
      gst_buffer_fill (buffer, plan->at[i], data[i].bytes, sizes[i]);
  }
}

/* The header with all elements: what is missing goes behind the last element, and
 * over the padding there. */
static void
header_write (
    guint8 *bytes, guint size, const SendExtPlan *plan, const Data *data)
{
  guint at = MAX (plan->end, plan->base + HEAD);

  if (!(bytes[0] & HAS_EXT)) /* else the application's bits stay */
    ra_put_u16 (
        bytes + plan->base, plan->two ? RA_EXT_TWO_BYTE : RA_EXT_ONE_BYTE);
  ra_put_u16 (bytes + plan->base + 2, (size - plan->base) / 4 - 1);
  memset (bytes + at, 0, size - at);
  for (guint i = 0; i < SEND_EXT_KINDS; i++) {
    if (plan->at[i] > 0 && i != TWCC)
      memcpy (bytes + plan->at[i], data[i].bytes, sizes[i]);
    if (!is_missing (plan, i))
      continue;
    if (plan->two) {
      bytes[at++] = plan->id[i];
      bytes[at++] = (guint8) sizes[i];
    } else {
      bytes[at++] = (guint8) (plan->id[i] << 4 | (sizes[i] - 1));
    }
    memcpy (bytes + at, data[i].bytes, sizes[i]);
    at += sizes[i];
  }
  bytes[0] |= HAS_EXT;
}

/* A new header takes the old one's place; all else of the buffer stays. */
static void
header_replace (
    GstBuffer *buffer, guint size, const SendExtPlan *plan, const Data *data)
{
  guint8 *bytes = g_malloc (MAX (size, plan->size));

  gst_buffer_extract (buffer, 0, bytes, plan->size);
  header_write (bytes, size, plan, data);
  gst_buffer_resize (buffer, plan->size, -1);
  gst_buffer_prepend_memory (
      buffer, gst_memory_new_wrapped (0, bytes, size, 0, size, bytes, g_free));
}

SendExtResult
send_ext_write (SendExt *ext, const SendExtPlan *plan, GstBuffer **buffer,
    gboolean may_grow, const SendExtValues *values)
{
  Data data[SEND_EXT_KINDS];
  gboolean no_room = FALSE;
  guint size = 0;

  if (is_needless (plan))
    return SEND_EXT_DONE;
  if (plan->malformed || (may_grow && !size_with_missing (plan, &size)))
    return SEND_EXT_MALFORMED;
  for (guint i = 0; i < SEND_EXT_KINDS; i++)
    no_room |= !may_grow && is_missing (plan, i);
  data_write (data, ext, plan, may_grow || plan->at[COLOUR] > 0, values);
  *buffer = gst_buffer_make_writable (*buffer);
  if (size > 0)
    header_replace (*buffer, size, plan, data);
  else
    data_fill (*buffer, plan, data);
  return no_room ? SEND_EXT_NO_ROOM : SEND_EXT_DONE;
}
