/* Cuts and renumbers packets of transport-wide feedback.
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

/* How many bytes a part of a packet of `size` bytes may need. */
gsize twcc_back_room (gsize size);
/* Writes the report about `n` packets, from the one with index `from` on, which
 * gets the number `base`.  It leaves out lost packets at either end.  Returns the
 * size; 0: none of the packets arrived, or the report cannot be read. */
gsize twcc_back_part (const guint8 *packet, gsize size, guint from, guint n,
    guint16 base, guint8 *out);

G_END_DECLS
