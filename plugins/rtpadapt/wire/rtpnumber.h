/* The transport-wide number in an RTP packet: finding it, and taking it off.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Where the two bytes of the number are in a packet that is RTP_MUX_RTP (see
 * rtpmux.h), with the extension's `id`, in either form of RFC 8285.  NULL: it
 * has none. */
guint8 *rtp_number_find (guint8 *data, gsize size, guint id);

/* Makes padding (RFC 8285 4.1.2) of each extension with that id, so that
 * nobody behind reads it.  The size stays. */
void rtp_number_strip (guint8 *data, gsize size, guint id);

G_END_DECLS
