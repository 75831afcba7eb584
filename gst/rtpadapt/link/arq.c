/* A radio link that sends again what it lost: Bhandarkar, Sadry, Reddy,
 * Vaidya, 2005 (TCP-DCR: a novel protocol for tolerating wireless channel
 * errors, IEEE Transactions on Mobile Computing 4(5)), sections 3.5 and 4.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each transmission is lost with probability p, a repetition as well, and a
 * lost one is repeated after the link's round-trip time.  Later packets do not
 * wait for it (paper 002, 3.5), unless order=1.
 * Different here:
 * - a link gives up after some retries; the paper names no limit;
 * - a repetition takes no time of the line.  The paper puts it at the head of
 *   the queue; put p more load on the bottleneck to have that.
 * What will be lost for good is reported lost as it enters: its last
 * transmission is retries * delay later, and so long order=1 holds the rest.
 */
#include <gst/rtpadapt/link/fifo.h>
#include <gst/rtpadapt/link/schedule.h>

#include <math.h>

typedef struct
{
  RaNode node;
  gdouble p;
  gdouble delay; /* s */
  gdouble retries, order;

  RaLinkFifo fifo; /* in the order of leaving */
  RaTime last;     /* when the last one leaves, if in order */
} Arq;

static gboolean
arq_init (RaNode *n, GError **error)
{
  if (isnan (((Arq *) n)->p)) {
    g_set_error (error, RA_LINK_ERROR, RA_LINK_ERROR_PARAM, "p= is missing");
    return FALSE;
  }
  return TRUE;
}

/* Behind all that leave no later. */
static void
arq_insert (RaLinkFifo *f, const RaLinkPacket *p, RaTime at)
{
  guint mask, i;

  ra_link_fifo_push (f, p, at);
  mask = f->room - 1;
  i = f->head + f->n - 1;
  for (guint k = 1; k < f->n && f->items[(i - 1) & mask].at > at; k++, i--) {
    RaLinkItem later = f->items[(i - 1) & mask];

    f->items[(i - 1) & mask] = f->items[i & mask];
    f->items[i & mask] = later;
  }
}

static void
arq_push (RaNode *n, const RaLinkPacket *p, RaTime now)
{
  Arq *a = (Arq *) n;
  guint retries = (guint) a->retries, failed = 0;
  RaTime at;

  while (failed <= retries && ra_rng_chance (&n->rng, a->p))
    failed++;
  /* paper 002, 4: "retransmitted after a delay corresponding to the rtt" */
  at = ra_later (now, ra_span (MIN (failed, retries) * a->delay));
  if (a->order > 0)
    at = a->last = MAX (at, a->last);
  if (failed > retries)
    ra_node_drop (n, p, RA_CAUSE_WIRELESS, now);
  else
    arq_insert (&a->fifo, p, at);
}

static RaTime
arq_next (const RaNode *n)
{
  return ra_link_fifo_next (&((const Arq *) n)->fifo);
}

static void
arq_run (RaNode *n, RaTime now)
{
  Arq *a = (Arq *) n;

  while (ra_link_fifo_next (&a->fifo) <= now && a->fifo.n) {
    RaLinkItem item = ra_link_fifo_pop (&a->fifo);

    ra_node_forward (n, &item.p, now);
  }
}

static void
arq_clear (RaNode *n)
{
  Arq *a = (Arq *) n;

  ra_link_fifo_clear (&a->fifo, n);
  a->last = 0;
}

static guint
arq_held (const RaNode *n)
{
  return ((const Arq *) n)->fifo.n;
}

static void
arq_observe (const RaNode *n, RaObserve emit, gpointer data)
{
  emit ("packets", ((const Arq *) n)->fifo.n, data);
}

static const RaParam arq_params[] = {
  { "p", RA_AT (Arq, p), .def = RA_NODE_NOT_SET, .max = 1,
      .text = "probability that one transmission is lost; must be given",
      .example = ".3" },
  /* paper 002, 4.1.1: 20 ms one way */
  { "delay", RA_AT (Arq, delay), .def = 0.04, .max = 60, .unit = "s",
      .text = "from a lost transmission to its "
              "repetition: the link's round trip" },
  /* IEEE 802.11: dot11LongRetryLimit is 4 transmissions */
  { "retries", RA_AT (Arq, retries), .def = 3, RA_PAPER (1000), .max = 1000,
      .text = "repetitions before the packet is "
              "lost for good; the paper: no limit" },
  { "order", RA_AT (Arq, order), .def = 0, .max = 1,
      .text = "1: what comes later waits for what is repeated" },
  { NULL },
};

const RaNodeOps ra_link_arq = {
  .name = "arq",
  .cite = "Bhandarkar, Sadry, Reddy, Vaidya 2005, 3.5 and 4",
  .needs = "the loss probability of one transmission",
  .use = "a radio that repairs its losses late, and out of order",
  .random = TRUE,
  .reorders = TRUE,
  .size = sizeof (Arq),
  .params = arq_params,
  .positional = "p",
  .init = arq_init,
  .push = arq_push,
  .next = arq_next,
  .run = arq_run,
  .clear = arq_clear,
  .held = arq_held,
  .observe = arq_observe,
};
