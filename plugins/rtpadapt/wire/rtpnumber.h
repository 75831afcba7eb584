/* The transport-wide number in an RTP packet: reading it, and taking it off.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* This many bytes of a packet are more than a header with 15 CSRCs and all
 * elements of the one-byte form need (RFC 3550 5.1, RFC 8285 4.2). */
#define RTP_NUMBER_HEAD 512

/* Finds the two bytes of the number: the first element with the extension's
 * `id`, in either form of RFC 8285.  An extension that is cut off is read as far
 * as it goes.  NULL: the packet has no number. */
guint8 *rtp_number_find (guint8 *data, gsize size, guint id);

/* Reads the number of a packet that leaves, of which `data` may be the first
 * RTP_NUMBER_HEAD bytes.  rtpsession (1.22) numbers only the one-byte form, so
 * only that is read.  FALSE: the packet has no number. */
gboolean rtp_number_read (
    const guint8 *data, gsize size, guint id, guint16 *number);

/* Turns each element with that id into padding (RFC 8285 4.1.2), so that nobody
 * downstream reads it.  The size stays. */
void rtp_number_strip (guint8 *data, gsize size, guint id);

G_END_DECLS
