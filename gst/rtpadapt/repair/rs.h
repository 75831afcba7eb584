/* A systematic Reed-Solomon code over GF(256) by a Cauchy matrix.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Blomer et al. 1995 (ICSI TR-95-048): repair symbol r is the sum over the media
 * symbols i of 1 / (x_r + y_i) times each, with x and y all different.  Every square
 * part of such a matrix has an inverse, so any n of the n + f symbols give all.
 * Here y_i = i and x_r = 128 + r; the field is modulo x^8 + x^4 + x^3 + x^2 + 1.
 *
 * Without tables and SIMD: a block of 40 packets of 1200 bytes with 6 repair packets
 * costs some .4 million operations, 6 times a second.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define RA_RS_MAX 128 /* media symbols, and repair symbols */

guint8 ra_rs_multiply (guint8 a, guint8 b);
/* `a` is not 0. */
guint8 ra_rs_inverse (guint8 a);
/* What media symbol `media` counts in repair symbol `repair`; both below
 * RA_RS_MAX. */
guint8 ra_rs_factor (guint repair, guint media);
/* Adds `factor` times the `size` bytes `in` to `sum`. */
void ra_rs_add (guint8 *sum, const guint8 *in, gsize size, guint8 factor);
/* Inverts a matrix of n rows of n bytes; FALSE: it has no inverse. */
gboolean ra_rs_invert (guint8 *matrix, guint n);

G_END_DECLS
