/* A frame's number, painted into its picture: whatever a system does to the
 * stream, the viewer's picture says which frame it is.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * 24 bits and a CRC-16 over them, most significant first, a block of black or
 * white each, from the top left corner on, row after row.
 */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

#define BARCODE_BLOCK 16 /* pixels: a macroblock, which one QP quantises */
#define BARCODE_MAX 0xffffffu

/* Rows of pixels that it takes at the top of a picture of that width. */
gint barcode_height (gint width);
/* I420, at least a block wide and barcode_height() high; the number's lower
 * 24 bits. */
void barcode_paint (GstVideoFrame *picture, guint32 number);
/* FALSE if it cannot be read for sure. */
gboolean barcode_read (const GstVideoFrame *picture, guint32 *number);
/* CRC-16/CCITT-FALSE. */
guint16 barcode_crc (const guint8 *data, gsize length);

G_END_DECLS
