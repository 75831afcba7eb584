/* A policer: what a token bucket has no tokens for is dropped, nothing waits.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * As the single rate of RFC 2697 with one colour: tokens come at `rate`, up to
 * `burst` bytes; the bucket is full at first.  A packet larger than the bucket
 * never passes.
 */
#include <gst/rtpadapt/link/schedule.h>

typedef struct
{
  RaNode node;
  RaSchedule rate; /* bit/s */
  gdouble burst;   /* bytes */

  gdouble tokens; /* bytes */
  RaTime at;      /* of `tokens` */
  gboolean begun;
} Policer;

static gboolean
policer_init (RaNode *n, GError **error)
{
  return ra_node_is_set (&((Policer *) n)->rate, "rate", error);
}

/* Tokens that come in the span, at the rates in it. */
static gdouble
tokens_between (const Policer *l, RaTime from, RaTime to)
{
  gdouble tokens = 0;

  while (from < to) {
    RaTime end = MIN (ra_node_change (&l->node, &l->rate, from), to);

    tokens += ra_node_value (&l->node, &l->rate, from) / 8
        * ra_seconds (ra_diff (end, from));
    from = end;
  }
  return tokens;
}

static void
policer_push (RaNode *n, const RaLinkPacket *p, RaTime now)
{
  Policer *l = (Policer *) n;

  l->tokens = l->begun
      ? MIN (l->tokens + tokens_between (l, l->at, now), l->burst)
      : l->burst;
  l->begun = TRUE;
  l->at = now;
  if (p->size > l->tokens) {
    ra_node_drop (n, p, RA_CAUSE_CONGESTION, now);
    return;
  }
  l->tokens -= p->size;
  ra_node_forward (n, p, now);
}

static guint64
policer_capacity (const RaNode *n, RaTime now)
{
  const Policer *l = (const Policer *) n;

  return (guint64) (ra_node_value (n, &l->rate, now) + .5);
}

static const RaParam policer_params[] = {
  { "rate", RA_AT (Policer, rate), .def = RA_NODE_NOT_SET, .max = 100e9,
      .unit = "bit/s",
      .text = "of the tokens" RA_NODE_SCHEDULE_TEXT ("3M,20s:1.5M"),
      .example = "1M" },
  { "burst", RA_AT (Policer, burst), .def = 15000, .min = 1, .max = 1e12,
      .unit = "bytes", .text = "most tokens, and as many at first" },
  { NULL },
};

const RaNodeOps ra_link_policer = {
  .name = "policer",
  .cite = "RFC 2697 with one rate and one colour",
  .needs = "rate=",
  .use = "an operator's limit that drops and delays nothing",
  .size = sizeof (Policer),
  .params = policer_params,
  .init = policer_init,
  .push = policer_push,
  .capacity = policer_capacity,
};
