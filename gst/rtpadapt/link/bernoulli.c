/* Independent wireless loss: each packet with the same probability.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/link.h>

#include <math.h>

typedef struct
{
  RaNode node;
  gdouble p;
} Bernoulli;

static gboolean
bernoulli_init (RaNode *n, GError **error)
{
  if (isnan (((Bernoulli *) n)->p)) {
    g_set_error (error, RA_LINK_ERROR, RA_LINK_ERROR_PARAM, "p= is missing");
    return FALSE;
  }
  return TRUE;
}

static void
bernoulli_push (RaNode *n, const RaLinkPacket *p, RaTime now)
{
  if (ra_rng_chance (&n->rng, ((Bernoulli *) n)->p))
    ra_node_drop (n, p, RA_CAUSE_WIRELESS, now);
  else
    ra_node_forward (n, p, now);
}

#define NOT_SET ((gdouble) NAN)

static const RaParam bernoulli_params[] = {
  { "p", G_STRUCT_OFFSET (Bernoulli, p), NOT_SET, NOT_SET, 0, 1, "",
      "loss probability; must be given" },
  { NULL },
};

const RaNodeOps ra_link_bernoulli = {
  .name = "bernoulli",
  .cite = "-",
  .needs = "the probability",
  .use = "radio losses that know nothing of each other",
  .size = sizeof (Bernoulli),
  .params = bernoulli_params,
  .positional = "p",
  .init = bernoulli_init,
  .push = bernoulli_push,
};
