/* Delay variation without reordering: NR-BPDV of Singh, Ott, Holmer, 2021
 * (RFC 8868, Evaluating Congestion Control for Interactive Real-Time Media),
 * section 4.5.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packet n, which came at s(n), leaves at j(n) = s(n) + z(n), but no earlier
 * than j(n-1) + serial(n-1).  x_mean is left to a delay model in the chain.
 * The RFC keeps the order within a flow, as "each jitter" does; alone, this
 * keeps that of all flows together.  The delay is a device's or a scheduler's,
 * not that of a full queue, and does not count as queueing.
 */
#include <gst/rtpadapt/link/fifo.h>

#include <math.h>

typedef struct
{
  RaNode node;
  gdouble std; /* s */
  gdouble n_std;
  gdouble rate; /* bit/s */

  RaLinkFifo fifo;
  RaTime free; /* j(n-1) + serial(n-1) */
} Jitter;

/* Standard normal: Box, Muller 1958 (A Note on the Generation of Random Normal
 * Deviates, Annals of Mathematical Statistics 29(2)), the first of a pair. */
static gdouble
normal (RaRng *rng)
{
  gdouble u = 1 - ra_rng_uniform (rng); /* never 0 */
  gdouble v = ra_rng_uniform (rng);

  return sqrt (-2 * log (u)) * cos (2 * G_PI * v);
}

static void
jitter_push (RaNode *n, const RaLinkPacket *p, RaTime now)
{
  Jitter *j = (Jitter *) n;
  /* RFC 8868 4.5.3: |max(min(N(0, std^2), N_STD * std), -N_STD * std)| */
  gdouble z = fmin (fabs (normal (&n->rng)), j->n_std) * j->std;
  /* RFC 8868 4.5.2 */
  RaTime at = MAX (ra_later (now, ra_span (z)), j->free);

  j->free = at;
  if (j->rate > 0)
    j->free = ra_later (at, ra_span (p->size * 8.0 / j->rate));
  ra_link_fifo_push (&j->fifo, p, at);
}

static RaTime
jitter_next (const RaNode *n)
{
  return ra_link_fifo_next (&((const Jitter *) n)->fifo);
}

static void
jitter_run (RaNode *n, RaTime now)
{
  Jitter *j = (Jitter *) n;

  while (ra_link_fifo_next (&j->fifo) <= now && j->fifo.n) {
    RaLinkItem item = ra_link_fifo_pop (&j->fifo);

    ra_node_forward (n, &item.p, now);
  }
}

static void
jitter_clear (RaNode *n)
{
  Jitter *j = (Jitter *) n;

  ra_link_fifo_clear (&j->fifo, n);
  j->free = 0;
}

static guint
jitter_held (const RaNode *n)
{
  return ((const Jitter *) n)->fifo.n;
}

static void
jitter_observe (const RaNode *n, RaObserve emit, gpointer data)
{
  const Jitter *j = (const Jitter *) n;
  RaTime now = ra_node_now (n);

  emit ("packets", j->fifo.n, data);
  /* the least delay of a packet that comes now */
  emit ("wait", j->free > now ? (gdouble) (j->free - now) * 1e-9 : 0, data);
}

static const RaParam jitter_params[] = {
  { "std", RA_AT (Jitter, std), .def = 0.005, .max = 60, .unit = "s",
      .text = "standard deviation of the normal distribution" },
  { "n-std", RA_AT (Jitter, n_std), .def = 3, .max = 100,
      .text = "where it is cut, in std" },
  { "rate", RA_AT (Jitter, rate), .def = 0, .max = 100e9, .unit = "bit/s",
      .text = "of the path's bottleneck, no less: who "
              "was held up follows no faster; 0: together" },
  { NULL },
};

const RaNodeOps ra_link_jitter = {
  .name = "jitter",
  .cite = "Singh, Ott, Holmer 2021: RFC 8868, 4.5.2 and 4.5.3",
  .needs = "-",
  .use = "delay that varies without congestion, and without reordering",
  .random = TRUE,
  .size = sizeof (Jitter),
  .params = jitter_params,
  .positional = "std",
  .push = jitter_push,
  .next = jitter_next,
  .run = jitter_run,
  .clear = jitter_clear,
  .held = jitter_held,
  .observe = jitter_observe,
};
