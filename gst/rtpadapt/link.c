/* A chain of link models: its text, its order of time, its bookkeeping.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/link/flows.h>
#include <gst/rtpadapt/link-list.inc>

#include <string.h>

#define MAX_NODES 64 /* each costs stack when a packet passes at once */

G_DEFINE_QUARK (ra - link - error - quark, ra_link_error)

const RaNodeOps *const ra_links[] = { RA_LIST };

struct _RaLink
{
  RaNode *nodes[MAX_NODES];
  guint n;
  RaLinkSink sink;
  gpointer data;
  guint64 seed;
  GHashTable *files; /* name -> GString */
  RaLinkFlows flows;
  RaTime now; /* the latest time that came */
  gboolean started;
  gboolean busy; /* inside a callback of the sink, perhaps */
};

RaTime
ra_node_now (const RaNode *n)
{
  return n->link->now;
}

guint
ra_node_flow (const RaNode *n, const RaLinkPacket *p)
{
  return ra_link_flows_place (&n->link->flows, p->flow);
}

/* To the node at `index`, or out. */
static void
link_enter (RaLink *l, guint index, const RaLinkPacket *p, RaTime now)
{
  if (index < l->n) {
    l->nodes[index]->ops->push (l->nodes[index], p, now);
    return;
  }
  ra_link_flows_count (&l->flows, p, RA_LINK_OUT);
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

  ra_link_flows_count (&l->flows, p,
      cause == RA_CAUSE_CONGESTION ? RA_LINK_CONGESTION : RA_LINK_WIRELESS);
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
  g_autofree gchar *shown = ra_word_shown (name);

  for (guint i = 0; ra_links[i]; i++)
    g_string_append_printf (names, "%s%s", i ? ", " : "", ra_links[i]->name);
  g_set_error (error, RA_LINK_ERROR, RA_LINK_ERROR_UNKNOWN_NODE,
      "no link model '%s', only %s", shown, names->str);
  g_string_free (names, TRUE);
}

/* The text of a file; fetched once, however many models read it. */
static const GString *
file_text (RaLink *l, const gchar *name, GError **error)
{
  GString *file = g_hash_table_lookup (l->files, name);
  g_autofree gchar *text = NULL;
  gsize length = 0;

  if (!file && l->sink.load (name, &text, &length, error)) {
    file = g_string_new_len (text, (gssize) length);
    g_hash_table_insert (l->files, g_strdup (name), file);
  }
  return file;
}

static void
file_free (gpointer file)
{
  g_string_free (file, TRUE);
}

/* "file=NAME" */
static gboolean
node_load (RaNode *n, const gchar *name, GError **error)
{
  const GString *file;
  g_autofree gchar *shown = ra_word_shown (name);
  g_autoptr (GError) why = NULL;

  if (!n->link->sink.load) {
    g_set_error (error, RA_LINK_ERROR, RA_LINK_ERROR_FILE,
        "%s: file=%s: this program reads no files", n->ops->name, shown);
    return FALSE;
  }
  file = file_text (n->link, name, &why);
  if (!file) {
    g_autofree gchar *message = ra_word_shown (why->message);

    g_set_error (error, RA_LINK_ERROR, RA_LINK_ERROR_FILE,
        "%s: %s (a name here holds no blank and no '!')", n->ops->name,
        message);
    return FALSE;
  }
  if (!n->ops->load (n, file->str, file->len, &why)) {
    g_set_error (error, RA_LINK_ERROR, RA_LINK_ERROR_FILE, "%s: file=%s: %s",
        n->ops->name, shown, why->message);
    return FALSE;
  }
  return TRUE;
}

/* "name=value", or the bare first value. */
static gboolean
node_set (RaNode *n, const gchar *word, gboolean first, GError **error)
{
  g_autofree gchar *own = g_strdup (word);
  gchar *equals = strchr (own, '=');
  const gchar *name = own, *value;
  GError *why = NULL;

  if (equals) {
    *equals = '\0';
    value = equals + 1;
  } else if (first && n->ops->positional) {
    name = n->ops->positional;
    value = word;
  } else {
    g_autofree gchar *shown = ra_word_shown (word);

    g_set_error (error, RA_LINK_ERROR, RA_LINK_ERROR_SYNTAX,
        "%s: '%s': expected name=value", n->ops->name, shown);
    return FALSE;
  }
  if (n->ops->load && g_str_equal (name, "file"))
    return node_load (n, value, error);
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
node_seed (RaNode *n, guint64 seed)
{
  guint32 hash = g_str_hash (n->ops->name);
  guint64 nth = 0;

  for (guint i = 0; i < n->index; i++)
    nth += (guint32) n->link->nodes[i]->stream == hash;
  n->stream = nth << 32 | hash;
  ra_rng_init (&n->rng, seed, n->stream);
}

/* The words after the name. */
static gboolean
node_words (RaNode *n, const gchar *const *words, GError **error)
{
  if (n->ops->parse)
    return n->ops->parse (n, words, error);
  for (guint i = 0; words[i]; i++) {
    if (!node_set (n, words[i], i == 0, error))
      return FALSE;
  }
  return TRUE;
}

/* "NAME [VALUE] [NAME=VALUE]...", with at least the name. */
static RaNode *
node_new (RaLink *l, guint index, const gchar *const *words, guint64 seed,
    GError **error)
{
  const RaNodeOps *ops = ra_link_find (words[0]);
  RaNode *n;

  if (!ops) {
    unknown_node_error (words[0], error);
    return NULL;
  }
  n = g_malloc0 (ops->size);
  n->ops = ops;
  n->link = l;
  n->index = index;
  n->start = RA_TIME_NONE;
  node_seed (n, seed);
  ra_params_init (n, ops->params);
  if (!node_words (n, words + 1, error)) {
    ra_node_free (n);
    return NULL;
  }
  if (ops->init && !ops->init (n, error)) {
    g_prefix_error (error, "%s: ", ops->name);
    ra_node_free (n);
    return NULL;
  }
  return n;
}

RaNode *
ra_node_new_inside (
    RaNode *n, const gchar *const *words, guint nth, GError **error)
{
  /* 2^64 / golden ratio: odd, so that no two nth give the same seed */
  guint64 seed
      = n->link->seed + (nth + 1) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  RaNode *inside = node_new (n->link, n->index, words, seed, error);

  if (inside)
    inside->start = n->start;
  return inside;
}

void
ra_node_free (RaNode *n)
{
  if (n->ops->clear)
    n->ops->clear (n);
  if (n->ops->free)
    n->ops->free (n);
  g_free (n);
}

/* One part of the chain's text. */
static gboolean
node_parse (RaLink *l, const gchar *text, GError **error)
{
  g_auto (GStrv) split = g_strsplit_set (text, " \t\r\n", -1);
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  RaNode *n;

  for (guint i = 0; split[i]; i++) {
    if (*split[i])
      g_ptr_array_add (words, split[i]);
  }
  if (words->len == 0) {
    g_set_error (error, RA_LINK_ERROR, RA_LINK_ERROR_SYNTAX,
        "model %u is empty: expected MODEL ! MODEL ! ...", l->n + 1);
    return FALSE;
  }
  g_ptr_array_add (words, NULL);
  n = node_new (l, l->n, (const gchar *const *) words->pdata, l->seed, error);
  if (n)
    l->nodes[l->n++] = n;
  return n != NULL;
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
  l->seed = seed;
  l->files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, file_free);
  ra_link_flows_init (&l->flows);
  if (g_strv_length (parts) > MAX_NODES) {
    g_set_error (error, RA_LINK_ERROR, RA_LINK_ERROR_SYNTAX,
        "%u models, at most %d", g_strv_length (parts), MAX_NODES);
    ra_link_free (l);
    return NULL;
  }
  for (guint i = 0; parts[i]; i++) {
    if (!node_parse (l, parts[i], error)) {
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
    ra_node_free (l->nodes[i]);
  g_hash_table_unref (l->files);
  ra_link_flows_clear (&l->flows);
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
  ra_link_flows_count (&l->flows, p, RA_LINK_IN);
  l->busy = TRUE;
  link_enter (l, 0, &entering, now);
  link_run_due (l, now);
  l->busy = FALSE;
}

void
ra_link_get_stats (const RaLink *l, RaLinkStats *stats)
{
  *stats = l->flows.all;
}

gboolean
ra_link_get_flow_stats (const RaLink *l, guint flow, RaLinkStats *stats)
{
  return ra_link_flows_get (&l->flows, flow, stats);
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
  guint64 tightest = RA_LINK_NO_CAPACITY;

  for (guint i = 0; i < l->n; i++) {
    if (l->nodes[i]->ops->capacity)
      tightest = MIN (tightest, l->nodes[i]->ops->capacity (l->nodes[i], now));
  }
  return tightest == RA_LINK_NO_CAPACITY ? 0 : tightest;
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
