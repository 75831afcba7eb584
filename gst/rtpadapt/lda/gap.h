/* The two Biaz schemes: T_min, and the gap around a hole compared with it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/lda.h>
#include <gst/rtpadapt/lda/rott.h>
#include <gst/rtpadapt/util/winmin.h>

G_BEGIN_DECLS

typedef struct
{
  RaLda base;
  /* Parameters. */
  gdouble lower, upper, per_byte, span, window, recent, jitter, pause, slack;
  /* T_min, ns per unit, and that of late; the span that is being measured. */
  RaWinMin min, recent_min;
  gdouble elapsed, units;
  guint count;
  gdouble packet; /* mean packet of the last span, units */
  RaRott offset;
  RaWinMin rott_min; /* ns */
  /* The packet before. */
  gboolean has_last;
  gdouble last_rott; /* ns */
  guint last_size;
  RaTime now;
} RaGap;

/* clang-format off */
#define RA_GAP_PARAMS(prefix, at, upper_)                                      \
  { prefix "lower", (at) + G_STRUCT_OFFSET (RaGap, lower), -.5, 0, -1, 1, "",  \
      "wireless from (n + 1 + lower) T_min on" },                              \
  { prefix "upper", (at) + G_STRUCT_OFFSET (RaGap, upper), upper_, upper_, 0,  \
      10, "", "wireless below (n + 1 + upper) T_min" },                        \
  { prefix "per-byte", (at) + G_STRUCT_OFFSET (RaGap, per_byte), 1, 0, 0, 1,   \
      "", "1: T_min is per byte, 0: per packet" },                             \
  { prefix "span", (at) + G_STRUCT_OFFSET (RaGap, span), .05, 0, 0, 10, "s",   \
      "T_min is measured over this, 0: over single gaps" },                    \
  { prefix "window", (at) + G_STRUCT_OFFSET (RaGap, window), 10, 0, 0, 86400,  \
      "s", "age of T_min, 0: the whole connection" },                          \
  { prefix "recent", (at) + G_STRUCT_OFFSET (RaGap, recent), .15, 0, 0, 86400, \
      "s", "age of the T_min that `lower` holds to, 0: the same" },            \
  { prefix "jitter", (at) + G_STRUCT_OFFSET (RaGap, jitter), .002, 0, 0, 1,    \
      "s", "of an arrival's stamp, beside its grain; 0: stamps are exact" },   \
  { prefix "pause", (at) + G_STRUCT_OFFSET (RaGap, pause), 1, 0, 0, 1, "",     \
      "1: a gap that the sender made itself is allowed for" },                 \
  { prefix "slack", (at) + G_STRUCT_OFFSET (RaGap, slack), .005, .005, 0, 10,  \
      "s", "rott up to this above its minimum: the queue was empty" }
/* clang-format on */

/* RaLdaOps.on_packet and .observe of both. */
RaCause ra_gap_on_packet (RaLda *lda, const RaArrival *a);
void ra_gap_observe (const RaLda *lda, RaObserve emit, gpointer data);

/* T_min in ns per unit, G_MAXDOUBLE while unknown. */
gdouble ra_gap_t_min (const RaGap *g);
/* The jitter hides a gap of T_min. */
gboolean ra_gap_is_blind (const RaGap *g);
/* The units in the missing packets before `a`, and in `a`: packets or bytes. */
gdouble ra_gap_units_lost (const RaGap *g, const RaArrival *a);
gdouble ra_gap_units (const RaGap *g, guint size);

G_END_DECLS
