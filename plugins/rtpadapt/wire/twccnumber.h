/* The transport-wide number that an RTP packet carries as it leaves.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* More than a header with 15 CSRCs, and than all elements of the one-byte form,
 * need (RFC 3550 5.1, RFC 8285 4.2). */
#define TWCC_NUMBER_HEAD 512

/* Reads the element `id` of the one-byte form, the only one that rtpsession
 * (1.22) numbers.  `data` may be the first TWCC_NUMBER_HEAD bytes of the packet.
 * FALSE: the packet has no number. */
gboolean twcc_number_read (
    const guint8 *data, gsize size, guint id, guint16 *number);

G_END_DECLS
