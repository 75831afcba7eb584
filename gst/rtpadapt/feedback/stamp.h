/* Times as 32-bit stamps, which wrap, and back.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A stamp alone says which time it was only modulo its wrap, so the way back
 * asks for the latest time that is possible:
 *   - a stamp of one's own that comes back: now, plus some slack if one clock
 *     stamps and another says now.  What would be in the future is an old one;
 *   - a peer's stamp: the peer's latest so far plus half a wrap, which finds
 *     the nearest.  For the first stamp any time beyond one wrap will do.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define RA_STAMP_US_WRAP (RA_USECOND << 32) /* 71.6 min */
#define RA_STAMP_NTP_WRAP (RA_SECOND << 16) /* 18.2 h */

/* Microseconds: t_i of draft-ietf-avt-tfrc-profile-10, 5. */
guint32 ra_stamp_us (RaTime t);
/* The beginning of the latest microsecond with that stamp that is not after
 * `latest`; RA_TIME_NONE if there was none. */
RaTime ra_stamp_us_time (guint32 stamp, RaTime latest);

/* The middle 32 bits of an NTP timestamp (RFC 3550 4), in 1/65536 s: RTS of RFC
 * 8888.  `t` counts from 1900 where the peer has to know the time of day; any
 * other beginning serves where only differences matter. */
guint32 ra_stamp_ntp (RaTime t);
/* As ra_stamp_us_time(), in ns rounded up, so that its stamp is this one. */
RaTime ra_stamp_ntp_time (guint32 stamp, RaTime latest);

G_END_DECLS
