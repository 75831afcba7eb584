/* gst-rtpadapt: units and conversions, in one place.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Times are nanoseconds (as GstClockTime), rates bit/s, sizes bytes,
 * probabilities 0..1.  Formulas that come from a paper or an RFC work in
 * seconds, bytes and bytes/s as printed there and convert at their edge.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef guint64 RaTime; /* a point in time, ns on a clock the caller chose */
typedef gint64 RaSpan;  /* a difference of two RaTime, ns */

typedef struct _RaLedger RaLedger; /* ledger.h */

#define RA_TIME_NONE G_MAXUINT64
#define RA_SPAN_NONE G_MININT64

#define RA_USECOND G_GINT64_CONSTANT (1000)
#define RA_MSECOND G_GINT64_CONSTANT (1000000)
#define RA_SECOND G_GINT64_CONSTANT (1000000000)

/* Two threads may read the clock and enter in the other order.  So a small step back is
 * such a pair, and a larger one is a clock that was set. */
#define RA_CLOCK_BACK RA_SECOND

/* Drop precedence of a packet (RFC 2597): which one should be dropped first. */
typedef enum
{
  RA_MARK_NONE,
  RA_MARK_GREEN, /* last */
  RA_MARK_YELLOW,
  RA_MARK_RED /* first */
} RaMark;
#define RA_N_MARKS 4

/* Why a packet is missing.  NONE: not lost, or not known. */
typedef enum
{
  RA_CAUSE_NONE,
  RA_CAUSE_CONGESTION,
  RA_CAUSE_WIRELESS
} RaCause;

/* "none", "congestion" or "wireless". */
static inline const gchar *
ra_cause_nick (RaCause cause)
{
  return cause == RA_CAUSE_CONGESTION ? "congestion"
      : cause == RA_CAUSE_WIRELESS    ? "wireless"
                                      : "none";
}

/* What makes the repair packets of FEC. */
typedef enum
{
  RA_FEC_CODE_FRAME, /* rtpulpfecenc, one frame at a time */
  RA_FEC_CODE_XOR,   /* RFC 5109 over several frames, repair/masks.h */
  RA_FEC_CODE_RS,    /* Reed-Solomon over several frames, repair/rs.h */
} RaFecCode;

static inline gdouble
ra_seconds (RaSpan span)
{
  return (gdouble) span / (gdouble) RA_SECOND;
}

/* Seconds to ns, rounded.  Too much saturates; NaN and what is below -9.2e9 s
 * (where RA_SPAN_NONE is near) give 0. */
static inline RaSpan
ra_span (gdouble seconds)
{
  gdouble ns = seconds * (gdouble) RA_SECOND;

  if (!(seconds > -9.2e9))
    return 0;
  return seconds > 9.2e9 ? G_MAXINT64 : (RaSpan) (ns < 0 ? ns - .5 : ns + .5);
}

/* a - b; both must be valid times. */
static inline RaSpan
ra_diff (RaTime a, RaTime b)
{
  return (RaSpan) (a - b);
}

/* t + span, never before 0 and never RA_TIME_NONE. */
static inline RaTime
ra_later (RaTime t, RaSpan span)
{
  RaTime back
      = -(RaTime) span; /* unsigned: an RaSpan cannot hold -G_MININT64 */

  if (span < 0)
    return t < back ? 0 : t - back;
  return t >= RA_TIME_NONE - 1 - (RaTime) span ? RA_TIME_NONE - 1
                                               : t + (RaTime) span;
}

/* Bytes/s to bit/s, rounded, saturating; negative and NaN give 0. */
static inline guint64
ra_bits (gdouble bytes_per_s)
{
  gdouble bps = bytes_per_s * 8.0 + 0.5;

  if (!(bps > 0))
    return 0;
  return bps >= 1.8e19 ? G_MAXUINT64 : (guint64) bps;
}

/* Bit/s to bytes/s. */
static inline gdouble
ra_bytes (guint64 bps)
{
  return (gdouble) bps / 8.0;
}

/* Time that `bytes` take at `bps`; for ever at 0 bit/s. */
static inline RaSpan
ra_send_span (gdouble bytes, guint64 bps)
{
  return bps ? ra_span (bytes * 8.0 / (gdouble) bps) : G_MAXINT64;
}

G_END_DECLS
