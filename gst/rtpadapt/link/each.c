/* One copy of a model for each flow: the last hops behind a line that flows
 * share.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * S. Cen, P. Cosman, G. Voelker, End-to-end Differentiation of Congestion and
 * Wireless Losses, 2003 (paper 000), figure 5, "wireless last hop"; paper 001,
 * figure 4.
 *
 * A copy is made when a flow's first packet comes.  What it draws depends on
 * the link's seed, the model and the flow's number, not on other flows.
 * Flows after the first RA_LINK_FLOWS share one.
 */
#include <gst/rtpadapt/link.h>

#define EXAMPLE "gilbert p=.01 r=.3"

typedef struct
{
  RaNode *model; /* NULL: no packet of the flow came this far */
  guint flow;
} Copy;

typedef struct
{
  RaNode node;
  GStrv words;   /* the model's */
  RaNode *model; /* to ask; no packet enters it */
  Copy copies[RA_LINK_FLOWS + 1];
  guint n; /* where the last one is, + 1 */
} Each;

static gboolean
each_parse (RaNode *n, const gchar *const *words, GError **error)
{
  Each *e = (Each *) n;

  if (!words[0] || g_str_equal (words[0], n->ops->name)) {
    g_set_error (error, RA_LINK_ERROR, RA_LINK_ERROR_SYNTAX,
        "%s: expected one model, as in '%s " EXAMPLE "'", n->ops->name,
        n->ops->name);
    return FALSE;
  }
  e->words = g_strdupv ((GStrv) words);
  e->model = ra_node_new_inside (n, words, 0, error);
  if (e->model)
    n->stream = e->model->stream; /* a later one like it gets other numbers */
  return e->model != NULL;
}

static RaNode *
copy_of (Each *e, const RaLinkPacket *p)
{
  guint place = ra_node_flow (&e->node, p);
  Copy *copy = &e->copies[place];

  if (!copy->model) {
    /* all later flows: a number that none of the first is likely to have */
    copy->flow = place < RA_LINK_FLOWS ? p->flow : G_MAXUINT;
    /* the same words passed in each_parse() */
    copy->model = ra_node_new_inside (
        &e->node, (const gchar *const *) e->words, copy->flow, NULL);
    e->n = MAX (e->n, place + 1);
  }
  return copy->model;
}

static void
each_push (RaNode *n, const RaLinkPacket *p, RaTime now)
{
  RaNode *copy = copy_of ((Each *) n, p);

  copy->ops->push (copy, p, now);
}

static RaTime
each_next (const RaNode *n)
{
  const Each *e = (const Each *) n;
  RaTime next = RA_TIME_NONE;

  for (guint i = 0; e->model->ops->next && i < e->n; i++) {
    if (e->copies[i].model)
      next = MIN (next, e->model->ops->next (e->copies[i].model));
  }
  return next;
}

static void
each_run (RaNode *n, RaTime now)
{
  Each *e = (Each *) n;

  for (guint i = 0; i < e->n; i++) {
    RaNode *copy = e->copies[i].model;

    if (copy && copy->ops->next (copy) <= now)
      copy->ops->run (copy, now);
  }
}

static void
each_clear (RaNode *n)
{
  Each *e = (Each *) n;

  for (guint i = 0; i < e->n; i++) {
    RaNode *copy = e->copies[i].model;

    if (copy && copy->ops->clear)
      copy->ops->clear (copy);
  }
}

static void
each_free (RaNode *n)
{
  Each *e = (Each *) n;

  for (guint i = 0; i < e->n; i++)
    g_clear_pointer (&e->copies[i].model, ra_node_free);
  g_clear_pointer (&e->model, ra_node_free);
  g_strfreev (e->words);
}

static guint
each_held (const RaNode *n)
{
  const Each *e = (const Each *) n;
  guint held = 0;

  for (guint i = 0; e->model->ops->held && i < e->n; i++) {
    if (e->copies[i].model)
      held += e->model->ops->held (e->copies[i].model);
  }
  return held;
}

typedef struct
{
  guint flow;
  RaObserve emit;
  gpointer data;
} Observer;

static void
observe_prefixed (const gchar *name, gdouble value, gpointer data)
{
  const Observer *o = data;
  g_autofree gchar *full = g_strdup_printf ("%u.%s", o->flow, name);

  o->emit (full, value, o->data);
}

/* "FLOW.NAME" */
static void
each_observe (const RaNode *n, RaObserve emit, gpointer data)
{
  const Each *e = (const Each *) n;

  for (guint i = 0; e->model->ops->observe && i < e->n; i++) {
    Observer o = { e->copies[i].flow, emit, data };

    if (e->copies[i].model)
      e->model->ops->observe (e->copies[i].model, observe_prefixed, &o);
  }
}

/* What one flow has; the same for all of them. */
static guint64
each_capacity (const RaNode *n, RaTime now)
{
  RaNode *model = ((const Each *) n)->model;

  model->start = n->start;
  return model->ops->capacity ? model->ops->capacity (model, now)
                              : RA_LINK_NO_CAPACITY;
}

const RaNodeOps ra_link_each = {
  .name = "each",
  .cite = "topologies of paper 000, figure 5, and paper 001, figure 4",
  .needs = "a model with its parameters: 'each " EXAMPLE "'",
  .use = "a hop of its own for each flow, beside hops that they share",
  .random = TRUE,
  .size = sizeof (Each),
  .parse = each_parse,
  .example = EXAMPLE,
  .push = each_push,
  .next = each_next,
  .run = each_run,
  .clear = each_clear,
  .free = each_free,
  .held = each_held,
  .observe = each_observe,
  .capacity = each_capacity,
};
