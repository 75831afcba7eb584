/* Repair packets of RFC 5109, one level, from a mask.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * They have no RED around them, and are numbered with the media, as GStreamer's
 * rtpulpfecenc does it: RFC 5109 7.2 numbers them on their own, in a stream of their own
 * (14.1), which rtpulpfecdec would not find.
 */
#pragma once

#include <gst/rtpadapt/repair/bytes.h>

G_BEGIN_DECLS

/* What a repair packet's payload has before the longest of its packets' rest: the
 * FEC header and a level's, with a long mask. */
#define RA_ULPFEC_HEADER 18

/* Writes the payload of the XOR of those `media` that bit i of `row` names.  Their
 * sequence numbers rise, by less than 48 from the first to the last.  Returns its
 * size, RA_ULPFEC_HEADER and the longest packet's rest at most; 0 if that is more
 * than `room`, or the row is empty or too long. */
gsize ra_ulpfec_write (
    const RaRtpBytes *media, guint n, guint64 row, guint8 *out, gsize room);

G_END_DECLS
