/* The meter behind the colours: what share of the allowed rate may be green.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/colour/meter.h>

/* RFC 2698 2: a bucket holds the largest IP packet; ours holds two, so that
 * the wait for the next one is not lost. */
#define MIN_BURST (2 * 1500)

void
ra_meter_init (RaColour *c)
{
  RaMeter *m = (RaMeter *) c;
  RaGrade *green = &m->grade[0], *yellow = &m->grade[1];

  green->least = m->min_green;
  green->share = MAX (m->green, m->min_green);
  if (green->share > 0 && green->share < 1) {
    yellow->share = MIN (m->yellow / (1 - green->share), 1);
    yellow->least = yellow->share * green->least / green->share;
  } else {
    yellow->share = m->yellow;
  }
}

static gdouble
reserve_size (const RaMeter *m)
{
  return m->reserve * ra_bytes (m->base.rate);
}

/* How many of a packet's bytes the rate allows. */
static gdouble
within_rate (RaMeter *m, guint size)
{
  gdouble bucket = MAX (m->burst * ra_bytes (m->base.rate), MIN_BURST);
  gdouble within;

  if (m->base.rate == 0)
    return size;
  if (!m->filled) {
    m->filled = TRUE;
    m->tokens = bucket;
    m->grade[0].reserve = m->grade[1].reserve = reserve_size (m);
  }
  m->tokens = MIN (m->tokens + m->base.allowed, bucket);
  within = MIN (size, m->tokens);
  m->tokens -= within;
  return within;
}

/* The part of the reserve that is not for this importance. */
static gdouble
reserve_floor (const RaMeter *m, RaImportance importance)
{
  gdouble layer = (gint) RA_IMPORTANCE_BASE - (gint) importance;

  if (importance >= RA_IMPORTANCE_KEY)
    return 0;
  return m->key
      + (1 - m->key) * layer / (RA_IMPORTANCE_BASE - RA_IMPORTANCE_TOP);
}

/* Does the packet get this colour? */
static gboolean
take (
    RaMeter *m, RaGrade *g, guint size, gdouble within, RaImportance importance)
{
  gdouble full = reserve_size (m), *credit = &g->credit[importance];
  gdouble earned = g->share * within, kept;

  g->reserve = MIN (g->reserve, full); /* the rate fell */
  if (importance > RA_IMPORTANCE_UNKNOWN) {
    if (g->reserve + earned - size >= reserve_floor (m, importance) * full) {
      g->reserve += earned - size;
      return TRUE;
    }
    kept = MIN ((g->share - g->least) * within, full - g->reserve);
    g->reserve += kept;
    earned -= kept;
  }
  *credit += earned;
  if (*credit < size / 2.)
    return FALSE;
  *credit -= size;
  return TRUE;
}

RaMark
ra_meter_mark (RaMeter *m, const RaColourPacket *p, RaImportance importance)
{
  RaImportance i
      = CLAMP (importance, RA_IMPORTANCE_UNKNOWN, RA_IMPORTANCE_PARAMETERS);
  gdouble within = within_rate (m, p->size);

  if (!p->repair && take (m, &m->grade[0], p->size, within, i))
    return RA_MARK_GREEN;
  return take (m, &m->grade[1], p->size, within, i) ? RA_MARK_YELLOW
                                                    : RA_MARK_RED;
}

void
ra_meter_observe (const RaColour *c, RaObserve emit, gpointer data)
{
  const RaMeter *m = (const RaMeter *) c;

  emit ("tokens", m->tokens, data);
  emit ("green_reserve", m->grade[0].reserve, data);
  emit ("yellow_reserve", m->grade[1].reserve, data);
}

const RaParam ra_meter_params[] = {
  { "green", RA_AT (RaMeter, green), .def = .5, .max = 1,
      .text = "assured rate: share of bytes that is green" },
  { "min-green", RA_AT (RaMeter, min_green), .def = .3, RA_PAPER (0), .max = 1,
      .text = "no less is green, nor of any importance; wled needs .3" },
  { "yellow", RA_AT (RaMeter, yellow), .def = .3, .max = 1,
      .text = "share of bytes that is yellow; the rest is red" },
  { "burst", RA_AT (RaMeter, burst), .def = .2, .max = 10, .unit = "s",
      .text = "bytes of this time at the rate may be sent at once within it" },
  { NULL },
};
