/* What the link did to the stream: scored by the library.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "path.h"

#include <math.h>

/* As systems.ini has it; what else is RTP in the stream repairs it. */
#define PT_MEDIA 96
/* RFC 5761 4: with the marker bit, RTCP's packet types look like these. */
#define PT_RTCP_FROM 64
#define PT_RTCP_TO 95
/* Sequence numbers come again after 65536 packets, at the earliest after this
 * long; a packet is stamped before the pacer lets it go. */
#define NEAR (3 * RA_SECOND)
/* A flow that carries less than this share of the capacity does not compete; it
 * may be the connection by which two iperf3 agree. */
#define COMPETES .01

typedef struct
{
  RaTime t;
  enum
  {
    SENT,
    ARRIVED,
    LOST,
    CAPACITY,
    VERDICT
  } kind;
  guint size;
  RaSpan queued;
  RaCause truth, verdict;
  guint64 bps;
} Event;

static gint
compare_events (gconstpointer a, gconstpointer b)
{
  RaTime x = ((const Event *) a)->t, y = ((const Event *) b)->t;

  return x < y ? -1 : x > y;
}

static gboolean
is_rtcp (const Records *r, const Packet *p)
{
  return r->sent->len > 0 && p->pt >= PT_RTCP_FROM && p->pt <= PT_RTCP_TO;
}

static void
events_of_packets (const Path *p, const Records *r, GArray *events)
{
  for (guint i = 0; i < p->packets->len; i++) {
    const Packet *k = &g_array_index (p->packets, Packet, i);
    Event sent = { .kind = SENT, .t = (RaTime) k->in, .size = k->size };
    Event end = { .kind = k->lost ? LOST : ARRIVED,
      .t = (RaTime) (k->lost ? k->in : k->out),
      .size = k->size,
      .queued = k->queued,
      .truth = k->lost };

    if (is_rtcp (r, k))
      continue;
    g_array_append_val (events, sent);
    g_array_append_val (events, end);
  }
}

/* The packet that a verdict is about: of that number, and sent about then. */
static const Packet *
packet_find (GHashTable *lost, const Verdict *v)
{
  gint64 key = (gint64) v->ssrc << 16 | v->seq;
  const Packet *best = NULL;

  for (GSList *i = g_hash_table_lookup (lost, &key); i; i = i->next) {
    const Packet *k = i->data;

    if (ABS (k->in - v->t) < (best ? ABS (best->in - v->t) : NEAR))
      best = k;
  }
  return best;
}

static GHashTable *
lost_packets (const Path *p)
{
  GHashTable *lost = g_hash_table_new_full (
      g_int64_hash, g_int64_equal, g_free, (GDestroyNotify) g_slist_free);

  for (guint i = 0; i < p->packets->len; i++) {
    Packet *k = &g_array_index (p->packets, Packet, i);
    gpointer old_key, list = NULL;
    gint64 key;

    if (!k->lost || k->ssrc < 0 || k->seq < 0)
      continue;
    key = k->ssrc << 16 | k->seq;
    if (!g_hash_table_steal_extended (lost, &key, &old_key, &list))
      old_key = g_memdup2 (&key, sizeof key);
    g_hash_table_insert (lost, old_key, g_slist_prepend (list, k));
  }
  return lost;
}

static void
events_of_verdicts (const Path *p, const Records *r, GArray *events)
{
  g_autoptr (GHashTable) lost = lost_packets (p);

  for (guint i = 0; i < r->verdicts->len; i++) {
    const Verdict *v = &g_array_index (r->verdicts, Verdict, i);
    const Packet *k = packet_find (lost, v);
    Event e = { .kind = VERDICT, .t = (RaTime) v->t, .verdict = v->verdict };

    if (!k)
      continue;
    e.truth = k->lost;
    g_array_append_val (events, e);
  }
}

static void
events_of_capacity (const Path *p, GArray *events)
{
  for (guint i = 0; i < p->capacities->len; i++) {
    const Capacity *c = &g_array_index (p->capacities, Capacity, i);
    Event e = { .kind = CAPACITY,
      .t = (RaTime) c->t,
      .bps = isnan (c->bps) ? 0 : (guint64) MAX (c->bps, 0) };

    if (!isnan (c->bps))
      g_array_append_val (events, e);
  }
}

static void
replay (RaScore *score, const Event *e, RaTime from, PathScore *out)
{
  switch (e->kind) {
    case SENT:
      ra_score_sent (score, e->size, e->t);
      break;
    case ARRIVED:
      ra_score_arrived (score, e->size, e->queued, e->t);
      break;
    case LOST:
      ra_score_lost (score, e->size, e->truth, e->t);
      break;
    case CAPACITY:
      ra_score_capacity (score, e->bps, e->t);
      break;
    case VERDICT:
      ra_score_verdict (score, e->verdict, e->truth, e->t);
      if (e->t >= from && e->verdict != RA_CAUSE_NONE) {
        out->judged_congestion += e->truth == RA_CAUSE_CONGESTION;
        out->judged_wireless += e->truth == RA_CAUSE_WIRELESS;
      }
      break;
  }
}

static gdouble
fec_overhead (const Path *p, const Records *r, gint64 from, gint64 until)
{
  guint64 media = 0, repair = 0;

  for (guint i = 0; i < p->packets->len; i++) {
    const Packet *k = &g_array_index (p->packets, Packet, i);

    if (k->in < from || k->in >= until || k->pt < 0 || is_rtcp (r, k))
      continue;
    media += k->pt == PT_MEDIA;
    repair += k->pt != PT_MEDIA;
  }
  return r->sent->len > 0 && media > 0 ? (gdouble) repair / (gdouble) media
                                       : (gdouble) NAN;
}

gboolean
path_competes (
    const Path *p, guint other, gdouble seconds, gdouble capacity_bps)
{
  gdouble bytes = g_array_index (p->others, OtherFlow, other).bytes;

  return capacity_bps > 0 && seconds > 0
      && bytes * 8 / seconds > COMPETES * capacity_bps;
}

gdouble
path_share (const Path *p, gdouble bytes, gdouble seconds, gdouble capacity_bps)
{
  guint flows = 1;

  for (guint i = 0; i < p->others->len; i++)
    flows += path_competes (p, i, seconds, capacity_bps);
  return capacity_bps > 0 && seconds > 0
      ? bytes * 8 / seconds / (capacity_bps / flows)
      : (gdouble) NAN;
}

void
path_score (
    const Path *p, const Records *r, gint64 from, gint64 until, PathScore *out)
{
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (Event));
  RaScore *score = ra_score_new ((RaTime) from, 0);

  *out = (PathScore){ .scored = p->packets->len > 0 };
  events_of_packets (p, r, events);
  events_of_verdicts (p, r, events);
  events_of_capacity (p, events);
  g_array_sort (events, compare_events);
  for (guint i = 0; i < events->len; i++) {
    const Event *e = &g_array_index (events, Event, i);

    if (e->t < (RaTime) until)
      replay (score, e, (RaTime) from, out);
  }
  ra_score_get (score, (RaTime) until, &out->score);
  ra_score_free (score);
  out->fec_overhead = fec_overhead (p, r, from, until);
}
