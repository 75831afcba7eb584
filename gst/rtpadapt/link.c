/* A chain of link models: its text, its order of time, its bookkeeping.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/link.h>

#include <string.h>

#define MAX_NODES 64 /* each costs stack when a packet passes at once */

G_DEFINE_QUARK (ra - link - error - quark, ra_link_error)

#define RA_ENTRY(name) extern const RaNodeOps ra_link_##name;
#include "link-list.inc"
#undef RA_ENTRY

const RaNodeOps *const ra_links[] = {
#define RA_ENTRY(name) &ra_link_##name,
#include "link-list.inc"
#undef RA_ENTRY
  NULL
};

struct _RaLink
{
  RaNode *nodes[MAX_NODES];
  guint n;
  RaLinkSink sink;
  gpointer data;
  RaLinkStats stats;
  RaTime now; /* the latest time told */
  gboolean started;
  gboolean busy; /* inside a callback of the sink, perhaps */
};

RaTime
ra_node_now (const RaNode *n)
{
  return n->link->now;
}

/* To the node at `index`, or out. */
static void
link_enter (RaLink *l, guint index, const RaLinkPacket *p, RaTime now)
{
  if (index < l->n) {
    l->nodes[index]->ops->push (l->nodes[index], p, now);
    return;
  }
  l->stats.out++;
  l->stats.bytes_out += p->size;
  l->sink.deliver (p, now, l->data);
}

void
ra_node_forward (RaNode *n, const RaLinkPacket *p, RaTime now)
{
  link_enter (n->link, n->index + 1, p, now);
}

void
ra_node_drop (RaNode *n, const RaLinkPacket *p, RaCause cause, RaTime now)
{
  RaLink *l = n->link;

  if (cause == RA_CAUSE_CONGESTION)
    l->stats.congestion++;
  else
    l->stats.wireless++;
  l->sink.drop (p, cause, n->ops->name, now, l->data);
}

void
ra_node_discard (RaNode *n, const RaLinkPacket *p)
{
  if (n->link->sink.discard)
    n->link->sink.discard (p, n->link->data);
}

static void
unknown_node_error (const gchar *name, GError **error)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; ra_links[i]; i++)
    g_string_append_printf (names, "%s%s", i ? ", " : "", ra_links[i]->name);
  g_set_error (error, RA_LINK_ERROR, RA_LINK_ERROR_UNKNOWN_NODE,
      "no link model '%s', only %s", name, names->str);
  g_string_free (names, TRUE);
}

/* "name=value", or the bare first value. */
static gboolean
node_set (RaNode *n, gchar *word, gboolean first, GError **error)
{
  const gchar *name = word, *value;
  gchar *equals = strchr (word, '=');
  GError *why = NULL;

  if (equals) {
    *equals = '\0';
    value = equals + 1;
  } else if (first && n->ops->positional) {
    name = n->ops->positional;
    value = word;
  } else {
    g_set_error (error, RA_LINK_ERROR, RA_LINK_ERROR_SYNTAX,
        "%s: '%s': expected name=value", n->ops->name, word);
    return FALSE;
  }
  if (!ra_params_set (n, n->ops->params, name, value, &why)) {
    g_set_error (error, RA_LINK_ERROR, RA_LINK_ERROR_PARAM, "%s: %s",
        n->ops->name, why->message);
    g_error_free (why);
    return FALSE;
  }
  return TRUE;
}

/* The numbers of a node depend on the seed, its name and how many of that
 * name stand before it: not on other models, nor on what they draw. */
static void
node_seed (RaLink *l, RaNode *n, guint64 seed)
{
  guint64 nth = 0;

  for (guint i = 0; i < n->index; i++)
    nth += l->nodes[i]->ops == n->ops;
  ra_rng_init (&n->rng, seed, nth << 32 | g_str_hash (n->ops->name));
}

/* One node: "NAME [VALUE] [NAME=VALUE]...". */
static gboolean
node_parse (RaLink *l, const gchar *text, guint64 seed, GError **error)
{
  g_auto (GStrv) words = g_strsplit_set (text, " \t\r\n", -1);
  const RaNodeOps *ops;
  guint seen = 0;
  RaNode *n = NULL;

  for (guint i = 0; words[i]; i++) {
    if (!*words[i])
      continue;
    if (seen++ > 0) {
      if (!node_set (n, words[i], seen == 2, error))
        return FALSE;
      continue;
    }
    ops = ra_link_find (words[i]);
    if (!ops) {
      unknown_node_error (words[i], error);
      return FALSE;
    }
    n = g_malloc0 (ops->size);
    n->ops = ops;
    n->link = l;
    n->index = l->n;
    n->start = RA_TIME_NONE;
    l->nodes[l->n++] = n; /* freed with the link from here on */
    node_seed (l, n, seed);
    ra_params_init (n, ops->params);
  }
  if (!n) {
    g_set_error (error, RA_LINK_ERROR, RA_LINK_ERROR_SYNTAX,
        "model %u is empty: expected MODEL ! MODEL ! ...", l->n + 1);
    return FALSE;
  }
  if (n->ops->init && !n->ops->init (n, error)) {
    g_prefix_error (error, "%s: ", n->ops->name);
    return FALSE;
  }
  return TRUE;
}

RaLink *
ra_link_parse (const gchar *text, guint64 seed, const RaLinkSink *sink,
    gpointer data, GError **error)
{
  g_autofree gchar *stripped = g_strstrip (g_strdup (text ? text : ""));
  g_auto (GStrv) parts = g_strsplit (stripped, "!", -1);
  RaLink *l = g_new0 (RaLink, 1);

  l->sink = *sink;
  l->data = data;
  if (g_strv_length (parts) > MAX_NODES) {
    g_set_error (error, RA_LINK_ERROR, RA_LINK_ERROR_SYNTAX,
        "%u models, at most %d", g_strv_length (parts), MAX_NODES);
    ra_link_free (l);
    return NULL;
  }
  for (guint i = 0; parts[i]; i++) {
    if (!node_parse (l, parts[i], seed, error)) {
      ra_link_free (l);
      return NULL;
    }
  }
  return l;
}

void
ra_link_clear (RaLink *l)
{
  g_return_if_fail (!l->busy);

  l->busy = TRUE;
  for (guint i = l->n; i-- > 0;) { /* the oldest are near the exit */
    if (l->nodes[i]->ops->clear)
      l->nodes[i]->ops->clear (l->nodes[i]);
  }
  l->busy = FALSE;
}

void
ra_link_free (RaLink *l)
{
  if (!l)
    return;
  g_return_if_fail (!l->busy);

  ra_link_clear (l);
  for (guint i = 0; i < l->n; i++)
    g_free (l->nodes[i]);
  g_free (l);
}

static RaTime
node_next (const RaNode *n)
{
  return n->ops->next ? n->ops->next (n) : RA_TIME_NONE;
}

RaTime
ra_link_next (const RaLink *l)
{
  RaTime next = RA_TIME_NONE;

  for (guint i = 0; i < l->n; i++)
    next = MIN (next, node_next (l->nodes[i]));
  return next;
}

/* Earliest first; at the same time the node nearest to the exit first, so
 * that a departure makes room for what arrives with it. */
static void
link_run_due (RaLink *l, RaTime now)
{
  for (;;) {
    RaTime due = now;
    RaNode *n = NULL;

    for (guint i = 0; i < l->n; i++) {
      RaTime next = node_next (l->nodes[i]);

      if (next <= due && next != RA_TIME_NONE) {
        due = next;
        n = l->nodes[i];
      }
    }
    if (!n)
      return;
    l->now = MAX (l->now, due);
    n->ops->run (n, due);
  }
}

void
ra_link_run (RaLink *l, RaTime now)
{
  g_return_if_fail (!l->busy);

  l->busy = TRUE;
  link_run_due (l, now);
  l->now = MAX (l->now, now);
  l->busy = FALSE;
}

void
ra_link_push (RaLink *l, const RaLinkPacket *p, RaTime now)
{
  RaLinkPacket entering = *p;

  g_return_if_fail (!l->busy);

  ra_link_run (l, now);
  now = l->now; /* a clock that went back stands still */
  if (!l->started) {
    l->started = TRUE;
    for (guint i = 0; i < l->n; i++)
      l->nodes[i]->start = now;
  }
  entering.entered = now;
  entering.queued = 0;
  l->stats.in++;
  l->stats.bytes_in += p->size;
  l->busy = TRUE;
  link_enter (l, 0, &entering, now);
  link_run_due (l, now);
  l->busy = FALSE;
}

void
ra_link_get_stats (const RaLink *l, RaLinkStats *stats)
{
  *stats = l->stats;
}

guint
ra_link_held (const RaLink *l)
{
  guint held = 0;

  for (guint i = 0; i < l->n; i++) {
    if (l->nodes[i]->ops->held)
      held += l->nodes[i]->ops->held (l->nodes[i]);
  }
  return held;
}

guint64
ra_link_capacity (const RaLink *l, RaTime now)
{
  guint64 tightest = G_MAXUINT64;
  gboolean any = FALSE;

  for (guint i = 0; i < l->n; i++) {
    if (l->nodes[i]->ops->capacity) {
      tightest = MIN (tightest, l->nodes[i]->ops->capacity (l->nodes[i], now));
      any = TRUE;
    }
  }
  return any ? tightest : 0;
}

typedef struct
{
  const RaNode *node;
  RaObserve emit;
  gpointer data;
} Observer;

static void
observe_prefixed (const gchar *name, gdouble value, gpointer data)
{
  const Observer *o = data;
  g_autofree gchar *full
      = g_strdup_printf ("%s%u.%s", o->node->ops->name, o->node->index, name);

  o->emit (full, value, o->data);
}

void
ra_link_observe (const RaLink *l, RaObserve emit, gpointer data)
{
  for (guint i = 0; i < l->n; i++) {
    Observer o = { l->nodes[i], emit, data };

    if (l->nodes[i]->ops->observe)
      l->nodes[i]->ops->observe (l->nodes[i], observe_prefixed, &o);
  }
}
