/* What Biaz and mBiaz share: T_min, and the gap T_i around a hole.
 * S. Cen, P. C. Cosman, G. M. Voelker, "End-to-end differentiation of
 * congestion and wireless losses", IEEE/ACM ToN 11(5), 2003, III-A.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * On real video:
 * - Packets differ in size: the unit is the byte (paper: the packet), so
 *   (n + 1) T_min is the time the bottleneck needs for the missing bytes and
 *   this packet, and one T_min more or less is that of a missing packet.
 * - One late wake-up makes one gap as short as nothing, for ever.  T_min is
 *   measured over `span`: 50 ms are ten times a bad wake-up, and busy times of
 *   a queue are longer.  It ages.
 * - Missing packets do not count in a span: if the radio lost them the span
 *   is too long for its bytes, never too short, and the minimum ignores it;
 *   if the queue dropped them they took no time.
 * - A queue that drops sends on without a gap, T_i is that of this packet
 *   alone; after a radio loss T_i holds the missing ones too.  `lower` -.5 is
 *   half-way between n and n - 1 of them having crossed.
 * - When the capacity falls every gap grows, and one without the missing packet
 *   passes for one with it.  Behind a queue, where spans hold no pauses, the
 *   lower limit goes by T_min of late, `recent`.
 * - An encoder pauses, and the paper's upper limit takes that for congestion.
 *   The sender's own gap is known, iat less the growth of rott.  If this
 *   packet found the bottleneck empty T_i is that gap, plus what it takes
 *   longer to cross than the one before, and no less a sign of a radio loss:
 *   a queue that was full would not have drained.  If there was a queue the
 *   paper's limit stands, as on a shared one T_i is the sender's own gap
 *   whatever happened to the packet.
 * - Stamps are late by up to a millisecond as a rule; `jitter` is twice that.
 *   The upper limit allows for it.  Where it exceeds T_min itself (from 4 Mb/s
 *   on) half a T_min cannot be measured, and unsure means congestion.
 */
#include <gst/rtpadapt/lda/biazgap.h>

gdouble
ra_biaz_gap_units (const RaBiazGap *g, guint size)
{
  return g->per_byte > 0 ? (gdouble) size : 1;
}

gdouble
ra_biaz_gap_units_lost (const RaBiazGap *g, const RaArrival *a)
{
  if (g->per_byte > 0 && a->bytes_lost > 0)
    return (gdouble) a->bytes_lost;
  return (gdouble) a->n_lost * ra_biaz_gap_units (g, a->size);
}

gdouble
ra_biaz_gap_t_min (const RaBiazGap *g)
{
  return ra_winmin_get (&g->min, g->now, ra_span (g->window));
}

gboolean
ra_biaz_gap_is_blind (const RaBiazGap *g)
{
  gdouble t_min = ra_biaz_gap_t_min (g);

  return t_min < G_MAXDOUBLE
      && t_min * g->packet < g->jitter * (gdouble) RA_SECOND;
}

/* T_min of late; the long one where nothing was measured since. */
static gdouble
t_min_recent (const RaBiazGap *g)
{
  gdouble recent = G_MAXDOUBLE;

  if (g->recent > 0)
    recent = ra_winmin_get (&g->recent_min, g->now, ra_span (g->recent));
  return recent < G_MAXDOUBLE ? recent : ra_biaz_gap_t_min (g);
}

/* Did this packet find no queue?  Its own crossing is part of its rott. */
static gboolean
found_empty (RaBiazGap *g, const RaArrival *a)
{
  gdouble min = ra_winmin_get (&g->rott_min, g->now, ra_span (g->window));
  gdouble own = ra_biaz_gap_units (g, a->size) * ra_biaz_gap_t_min (g);

  return ra_rott (&g->offset, a->rott)
      < min + own + g->slack * (gdouble) RA_SECOND;
}

/* Cen 2003, III-A: (n + 1) T_min <= T_i < (n + 2) T_min, resp. 1.25. */
static RaCause
judge (RaBiazGap *g, const RaArrival *a)
{
  gdouble t_min = ra_biaz_gap_t_min (g);
  gdouble t_i = (gdouble) a->iat;
  gdouble lost, whole, one, least, most;
  gboolean empty;

  if (!g->has_last || a->n_lost == 0 || t_min == G_MAXDOUBLE
      || ra_biaz_gap_is_blind (g))
    return RA_CAUSE_CONGESTION;
  lost = ra_biaz_gap_units_lost (g, a);
  one = lost / (gdouble) a->n_lost;
  whole = lost + ra_biaz_gap_units (g, a->size);
  empty = found_empty (g, a);
  least = (whole + g->lower * one) * (empty ? t_min : t_min_recent (g));
  most = whole * t_min;
  if (g->pause > 0 && empty) {
    gdouble growth = ra_rott (&g->offset, a->rott) - g->last_rott;
    gdouble longer
        = ra_biaz_gap_units (g, a->size) - ra_biaz_gap_units (g, g->last_size);

    most = MAX (most, t_i - growth + longer * t_min);
  }
  most += g->upper * one * t_min;
  if (g->jitter > 0)
    most += g->jitter * (gdouble) RA_SECOND + (gdouble) a->grain;
  return least <= t_i && t_i < most ? RA_CAUSE_WIRELESS : RA_CAUSE_CONGESTION;
}

/* The span grows by this packet; a full one is measured and a new one begins. */
static void
learn (RaBiazGap *g, const RaArrival *a)
{
  g->elapsed += (gdouble) MAX (a->iat, 0);
  g->units += ra_biaz_gap_units (g, a->size);
  g->count++;
  if (g->units > 0 && g->elapsed >= g->span * (gdouble) RA_SECOND) {
    gdouble t = g->elapsed / g->units;

    ra_winmin_add (&g->min, t, a->arrival, ra_span (g->window));
    ra_winmin_add (&g->recent_min, t, a->arrival, ra_span (g->recent));
    g->packet = g->units / g->count;
    g->elapsed = 0;
    g->units = 0;
    g->count = 0;
  }
}

RaCause
ra_biaz_gap_on_packet (RaLda *lda, const RaArrival *a)
{
  RaBiazGap *g = (RaBiazGap *) lda;
  RaCause cause;

  g->now = a->arrival;
  cause = judge (g, a);
  if (g->has_last)
    learn (g, a);
  g->has_last = TRUE;
  g->last_rott = ra_rott (&g->offset, a->rott);
  ra_winmin_add (&g->rott_min, g->last_rott, a->arrival, ra_span (g->window));
  g->last_size = a->size;
  return cause;
}

void
ra_biaz_gap_observe (const RaLda *lda, RaObserve emit, gpointer data)
{
  gdouble t_min = ra_biaz_gap_t_min ((const RaBiazGap *) lda);

  if (t_min < G_MAXDOUBLE)
    emit ("t_min", t_min / (gdouble) RA_SECOND, data);
}

const RaParam ra_biaz_gap_params[] = {
  { "per-byte", RA_AT (RaBiazGap, per_byte), .def = 1, RA_PAPER (0), .max = 1,
      .text = "1: T_min is per byte, 0: per packet" },
  { "span", RA_AT (RaBiazGap, span), .def = .05, RA_PAPER (0), .max = 10,
      .unit = "s", .text = "T_min is measured over this, 0: over single gaps" },
  { "window", RA_AT (RaBiazGap, window), .def = 10, RA_PAPER (0), .max = 86400,
      .unit = "s", .text = "age of T_min, 0: the whole connection" },
  { "recent", RA_AT (RaBiazGap, recent), .def = .15, RA_PAPER (0), .max = 86400,
      .unit = "s",
      .text = "age of the T_min that `lower` holds to, 0: the same" },
  { "jitter", RA_AT (RaBiazGap, jitter), .def = .002, RA_PAPER (0), .max = 1,
      .unit = "s",
      .text = "of an arrival's stamp, beside its grain; 0: stamps are exact" },
  { "pause", RA_AT (RaBiazGap, pause), .def = 1, RA_PAPER (0), .max = 1,
      .text = "1: a gap that the sender made itself is allowed for" },
  { "slack", RA_AT (RaBiazGap, slack), .def = .005, .max = 10, .unit = "s",
      .text = "rott up to this above its minimum: the queue was empty" },
  { NULL },
};
