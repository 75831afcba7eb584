/* Transport-wide feedback as bytes, to be cut and renumbered.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* draft-holmer-rmcat-transport-wide-cc-extensions-01 3.1, from its RTCP header
 * on. */
#define TWCC_BACK_FMT 15
#define TWCC_BACK_PT 205
#define TWCC_BACK_HEAD 20

gboolean twcc_back_is (const guint8 *packet, gsize size);
guint16 twcc_back_base (const guint8 *packet);
guint16 twcc_back_count (const guint8 *packet);

/* Bytes that a part may need, of a packet of `size`. */
gsize twcc_back_room (gsize size);
/* Writes the report about the `n` packets from the `from`th on, less those at
 * either end that did not come; the first is called `base` + what is left
 * out.  0: none of them came, or the packet cannot be read. */
gsize twcc_back_part (const guint8 *packet, gsize size, guint from, guint n,
    guint16 base, guint8 *out);

G_END_DECLS
