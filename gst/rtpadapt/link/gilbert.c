/* Wireless loss in bursts: the two-state model of Gilbert, 1960 (Capacity of
 * a burst-noise channel, Bell System Technical Journal 39(5)), in the form of
 * paper 003, 5.1: nothing is lost in Good, everything in Bad.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The channel starts Good.  Each packet first moves the channel, with one
 * random number, and is lost if the channel is then Bad; so p is the
 * probability of a loss after a success, r of a success after a loss.
 * Loss ratio p / (p + r), mean burst 1 / r packets.
 */
#include <gst/rtpadapt/link/schedule.h>

#include <math.h>

typedef struct
{
  RaNode node;
  /* As given, NaN if not. */
  gdouble p, r, p13, p31, q;

  gdouble to_bad, to_good; /* transition probabilities per packet */
  gboolean bad;
} Gilbert;

static gboolean
gilbert_init (RaNode *n, GError **error)
{
  Gilbert *g = (Gilbert *) n;
  gboolean p = !isnan (g->p), r = !isnan (g->r), q = !isnan (g->q);
  gboolean p13 = !isnan (g->p13), p31 = !isnan (g->p31);

  if (p && r && !q && !p13 && !p31) {
    g->to_bad = g->p;
    g->to_good = g->r;
  } else if (p13 && p31 && !p && !r && !q) {
    g->to_bad = g->p13;
    g->to_good = g->p31;
  } else if (p && q && !r && !p13 && !p31) {
    /* paper 003, 5.1: p and q are on the diagonal of the matrix */
    g->to_bad = 1 - g->p;
    g->to_good = 1 - g->q;
  } else {
    g_set_error (error, RA_LINK_ERROR, RA_LINK_ERROR_PARAM,
        "give either p= and r= (to bad, to good), or p13= and p31= (the same),"
        " or p= and q= (stay good, stay bad)");
    return FALSE;
  }
  return TRUE;
}

static void
gilbert_push (RaNode *n, const RaLinkPacket *p, RaTime now)
{
  Gilbert *g = (Gilbert *) n;

  if (ra_rng_chance (&n->rng, g->bad ? g->to_good : g->to_bad))
    g->bad = !g->bad;
  if (g->bad)
    ra_node_drop (n, p, RA_CAUSE_WIRELESS, now);
  else
    ra_node_forward (n, p, now);
}

static void
gilbert_observe (const RaNode *n, RaObserve emit, gpointer data)
{
  emit ("bad", ((const Gilbert *) n)->bad, data);
}

static const RaParam gilbert_params[] = {
  { "p", RA_AT (Gilbert, p), .def = RA_NODE_NOT_SET, .max = 1,
      .text = "good to bad; beside q: good stays good", .example = ".05" },
  { "r", RA_AT (Gilbert, r), .def = RA_NODE_NOT_SET, .max = 1,
      .text = "bad to good", .example = ".3" },
  { "p13", RA_AT (Gilbert, p13), .def = RA_NODE_NOT_SET, .max = 1,
      .text = "as p, by netem's name" },
  { "p31", RA_AT (Gilbert, p31), .def = RA_NODE_NOT_SET, .max = 1,
      .text = "as r, by netem's name" },
  { "q", RA_AT (Gilbert, q), .def = RA_NODE_NOT_SET, .max = 1,
      .text = "bad stays bad, as in paper 003's matrix" },
  { NULL },
};

const RaNodeOps ra_link_gilbert = {
  .name = "gilbert",
  .cite = "Gilbert 1960; matrix and names p, q: paper 003, 5.1",
  .needs = "p= and r= (or p13= and p31=, or p= and q=)",
  .use = "radio losses in bursts",
  .random = TRUE,
  .size = sizeof (Gilbert),
  .params = gilbert_params,
  .init = gilbert_init,
  .push = gilbert_push,
  .observe = gilbert_observe,
};
