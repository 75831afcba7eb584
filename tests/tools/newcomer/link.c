/* newcomer: independent losses of all but small packets.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tests/tools/one-word adds this to a copy of the library.
 */
#include <gst/rtpadapt/link/schedule.h>

typedef struct
{
  RaNode node;
  gdouble p, small; /* parameters */
} Newcomer;

static gboolean
newcomer_init (RaNode *n, GError **error)
{
  if (isnan (((Newcomer *) n)->p)) {
    g_set_error (error, RA_LINK_ERROR, RA_LINK_ERROR_PARAM, "p= is missing");
    return FALSE;
  }
  return TRUE;
}

static void
newcomer_push (RaNode *n, const RaLinkPacket *p, RaTime now)
{
  const Newcomer *x = (const Newcomer *) n;

  if (p->size >= x->small && ra_rng_chance (&n->rng, x->p))
    ra_node_drop (n, p, RA_CAUSE_WIRELESS, now);
  else
    ra_node_forward (n, p, now);
}

static const RaParam params[] = {
  { "p", RA_AT (Newcomer, p), .def = RA_NODE_NOT_SET, .max = 1,
      .text = "loss probability; must be given", .example = "10%" },
  { "small", RA_AT (Newcomer, small), .def = 100, .max = 65535, .unit = "bytes",
      .text = "packets below this are never lost" },
  { NULL },
};

const RaNodeOps ra_link_newcomer = {
  .name = "newcomer",
  .cite = "-",
  .needs = "p=",
  .use = "a test of the build",
  .random = TRUE,
  .size = sizeof (Newcomer),
  .params = params,
  .init = newcomer_init,
  .push = newcomer_push,
};
