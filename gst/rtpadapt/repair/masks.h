/* Which media packets of a block each XOR packet repairs.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The derivation is in masks.c.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Media packets that a long mask reaches (RFC 5109 7.4). */
#define RA_MASKS_MAX 48

/* Fills `rows` with the masks of `f` repair packets for `n` media packets in
 * order, 1 <= f <= n <= RA_MASKS_MAX: bit i of rows[r] says that repair packet r
 * is made of media packet i.  Every media packet is in a row. */
void ra_masks_make (guint n, guint f, guint64 *rows);

/* Of the media packets in `missing` those that stay missing when the repair
 * packets in `came` (bit r) are there, and each one that misses exactly one
 * gives it, again and again. */
guint64 ra_masks_missing (
    const guint64 *rows, guint f, guint64 came, guint64 missing);

G_END_DECLS
