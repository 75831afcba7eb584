/* Big-endian bytes and the fixed-point numbers of the wire.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define RA_RTP_HEADER 12 /* RFC 3550 5.1 */
/* The profile of header extensions, RFC 8285 4.2 and 4.3; of the second the low 4 bits
 * are the application's. */
#define RA_EXT_ONE_BYTE 0xbede
#define RA_EXT_TWO_BYTE 0x1000

static inline guint16
ra_get_u16 (const guint8 *b)
{
  return (guint16) (b[0] << 8 | b[1]);
}

static inline guint32
ra_get_u24 (const guint8 *b)
{
  return (guint32) b[0] << 16 | ra_get_u16 (b + 1);
}

static inline guint32
ra_get_u32 (const guint8 *b)
{
  return (guint32) ra_get_u16 (b) << 16 | ra_get_u16 (b + 2);
}

static inline void
ra_put_u16 (guint8 *b, guint32 v)
{
  b[0] = (guint8) (v >> 8);
  b[1] = (guint8) v;
}

static inline void
ra_put_u24 (guint8 *b, guint32 v)
{
  b[0] = (guint8) (v >> 16);
  ra_put_u16 (b + 1, v);
}

static inline void
ra_put_u32 (guint8 *b, guint32 v)
{
  ra_put_u16 (b, v >> 16);
  ra_put_u16 (b + 2, v);
}

/* A share of 1 with the binary point at the left edge of the field: the
 * integer part of p 2^32 (draft-ietf-avt-tfrc-profile-10, 6).  1 does not fit
 * and saturates; NaN and what is negative give 0. */
static inline guint32
ra_to_fraction (gdouble p)
{
  if (!(p > 0))
    return 0;
  return p < 1 ? (guint32) (p * 4294967296.) : G_MAXUINT32;
}

static inline gdouble
ra_from_fraction (guint32 v)
{
  return v / 4294967296.;
}

/* Whole microseconds, 0 to `max`. */
static inline guint32
ra_to_usec (RaSpan span, guint32 max)
{
  return (guint32) CLAMP (span / RA_USECOND, 0, (RaSpan) max);
}

static inline RaSpan
ra_from_usec (guint32 usec)
{
  return (RaSpan) usec * RA_USECOND;
}

G_END_DECLS
