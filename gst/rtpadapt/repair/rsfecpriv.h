/* The symbols of the Reed-Solomon code, for both sides of repair/rsfec.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/repair/bytes.h>

G_BEGIN_DECLS

#define RA_RSFEC_FIXED 6  /* bytes of a payload before its symbol */
#define RA_RSFEC_SYMBOL 8 /* bytes of a symbol before a packet's rest */

/* Adds `factor` times the symbol of `packet` to `sum`, which has room for it. */
void ra_rsfec_symbol_add (guint8 *sum, const RaRtpBytes *packet, guint8 factor);

G_END_DECLS
