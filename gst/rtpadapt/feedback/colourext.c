/* The header extension that carries a packet's colour and its number in that
 * colour.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/colourext.h>

#include <gst/rtpadapt/colour/number.h>
#include <gst/rtpadapt/util/bytes.h>

gsize
ra_colour_ext_write (const RaColourExt *x, guint8 *data, gsize len)
{
  guint32 mark = x->mark < RA_N_MARKS ? x->mark : RA_MARK_NONE;

  if (len < RA_COLOUR_EXT_SIZE)
    return 0;
  ra_put_u16 (data,
      mark == RA_MARK_NONE
          ? 0
          : mark << RA_MARK_NUMBER_BITS | (x->n & RA_MARK_NUMBER_MASK));
  return RA_COLOUR_EXT_SIZE;
}

gboolean
ra_colour_ext_read (RaColourExt *x, const guint8 *data, gsize len)
{
  guint16 v;

  if (len != RA_COLOUR_EXT_SIZE)
    return FALSE;
  v = ra_get_u16 (data);
  x->mark = (RaMark) (v >> RA_MARK_NUMBER_BITS);
  x->n = x->mark == RA_MARK_NONE ? 0 : v & RA_MARK_NUMBER_MASK;
  return TRUE;
}
