/* Independent wireless loss: each packet with the probability of the moment.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One number is drawn for each packet, whatever the probability: what is lost
 * after a change is what would be lost without it at the new probability.
 */
#include <gst/rtpadapt/link/schedule.h>

typedef struct
{
  RaNode node;
  RaSchedule p;
} Bernoulli;

static gboolean
bernoulli_init (RaNode *n, GError **error)
{
  return ra_node_is_set (&((Bernoulli *) n)->p, "p", error);
}

static void
bernoulli_push (RaNode *n, const RaLinkPacket *p, RaTime now)
{
  const Bernoulli *b = (const Bernoulli *) n;

  if (ra_rng_chance (&n->rng, ra_node_value (n, &b->p, now)))
    ra_node_drop (n, p, RA_CAUSE_WIRELESS, now);
  else
    ra_node_forward (n, p, now);
}

static const RaParam bernoulli_params[] = {
  { "p", RA_AT (Bernoulli, p), .def = RA_NODE_NOT_SET, .max = 1,
      .text = "loss probability" RA_NODE_SCHEDULE_TEXT ("1%,10s:3%"),
      .example = "10%" },
  { NULL },
};

const RaNodeOps ra_link_bernoulli = {
  .name = "bernoulli",
  .cite = "-",
  .needs = "the probability",
  .use = "radio losses that know nothing of each other",
  .random = TRUE,
  .size = sizeof (Bernoulli),
  .params = bernoulli_params,
  .positional = "p",
  .init = bernoulli_init,
  .push = bernoulli_push,
};
