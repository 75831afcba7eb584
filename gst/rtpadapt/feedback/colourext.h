/* The header extension that carries a packet's colour and its number in that
 * colour (colour/number).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *      0                   1
 *      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *     | j |            N_j            |
 *     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *
 * j: 0 none, 1 green, 2 yellow, 3 red.  N_j: modulo 2^14; 0 without a colour.
 * The colour on the packet's DSCP may be remarked on its way (RFC 7657); this
 * is what the sender gave it.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define RA_COLOUR_EXT_URI "urn:x-rtpadapt:rtp-hdrext:colour"
#define RA_COLOUR_EXT_SIZE 2

typedef struct
{
  RaMark mark;
  guint16 n; /* of ra_mark_number() */
} RaColourExt;

/* RA_COLOUR_EXT_SIZE, or 0 if `len` has no room for it. */
gsize ra_colour_ext_write (const RaColourExt *x, guint8 *data, gsize len);
/* FALSE if `len` is another: `x` is left alone. */
gboolean ra_colour_ext_read (RaColourExt *x, const guint8 *data, gsize len);

G_END_DECLS
