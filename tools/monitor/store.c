/* The last minute of every element that posts its statistics.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "store.h"

#include "../../plugins/monitor/monitorsocket.h"

#include <math.h>

/* Names longer than this are none. */
#define NAME_MAX_BYTES 512
/* Ours are 4 deep; json-glib parses by recursion, without a limit. */
#define DEPTH_MAX 16
/* CLOCK_MONOTONIC is the same for all programs of a machine. */
#define EARLY_US G_USEC_PER_SEC

static void
source_free (gpointer data)
{
  Source *source = data;

  g_free (source->program);
  g_free (source->element);
  g_array_unref (source->points);
  g_clear_pointer (&source->stats, json_object_unref);
  g_free (source);
}

Store *
store_new (const gchar *command, gint64 now_us)
{
  Store *store = g_new0 (Store, 1);

  store->sources = g_ptr_array_new_with_free_func (source_free);
  store->start_us = now_us;
  store->span_us = STORE_SPAN_US;
  store->sources_max = STORE_SOURCES_MAX;
  store->command = g_strdup (command);
  return store;
}

void
store_free (Store *store)
{
  g_ptr_array_unref (store->sources);
  g_free (store->command);
  g_free (store->date);
  g_free (store);
}

/* --- lines --------------------------------------------------------------- */

typedef struct
{
  const gchar *program, *element;
  SourceKind kind;
  gint64 pid, time_us, dropped;
  JsonObject *stats;
} Line;

static gboolean
is_flat (const gchar *line, gsize len)
{
  gboolean quoted = FALSE;
  guint depth = 0;

  for (gsize i = 0; i < len; i++) {
    if (quoted && line[i] == '\\')
      i++;
    else if (line[i] == '"')
      quoted = !quoted;
    else if (!quoted && strchr ("[{", line[i]) && ++depth > DEPTH_MAX)
      return FALSE;
    else if (!quoted && strchr ("]}", line[i]) && depth > 0)
      depth--;
  }
  return TRUE;
}

static gboolean
get_int (JsonObject *object, const gchar *name, gint64 *value)
{
  JsonNode *node = json_object_get_member (object, name);

  if (!node || json_node_get_value_type (node) != G_TYPE_INT64)
    return FALSE;
  *value = json_node_get_int (node);
  return *value >= 0;
}

static gboolean
get_name (JsonObject *object, const gchar *name, const gchar **value)
{
  *value = stats_text (object, name);
  return *value && strlen (*value) <= NAME_MAX_BYTES;
}

static gboolean
line_read (Line *line, JsonNode *root, gint64 now_us, gint64 span_us)
{
  JsonObject *object;
  JsonNode *stats;
  const gchar *kind;
  gint64 version;

  if (!root || !JSON_NODE_HOLDS_OBJECT (root))
    return FALSE;
  object = json_node_get_object (root);
  stats = json_object_get_member (object, "stats");
  if (!get_int (object, "version", &version) || version != MONITOR_VERSION
      || !get_name (object, "program", &line->program)
      || !get_name (object, "element", &line->element)
      || !get_name (object, "kind", &kind)
      || !get_int (object, "pid", &line->pid)
      || !get_int (object, "time_us", &line->time_us)
      || !get_int (object, "dropped", &line->dropped) || !stats
      || !JSON_NODE_HOLDS_OBJECT (stats))
    return FALSE;
  line->stats = json_node_get_object (stats);
  for (line->kind = 0; line->kind < SOURCE_N; line->kind++) {
    if (g_str_equal (kind, source_kinds[line->kind]))
      return line->time_us <= now_us + EARLY_US
          && line->time_us >= now_us - span_us;
  }
  return FALSE;
}

static Source *
source_find (const Store *store, const Line *line)
{
  for (guint i = 0; i < store->sources->len; i++) {
    Source *source = g_ptr_array_index (store->sources, i);

    if (source->pid == line->pid && source->kind == line->kind
        && g_str_equal (source->element, line->element))
      return source;
  }
  return NULL;
}

static Source *
source_add (Store *store, const Line *line)
{
  Source *source = g_new0 (Source, 1);

  source->id = ++store->last_id;
  source->kind = line->kind;
  source->pid = line->pid;
  source->program = g_strdup (line->program);
  source->element = g_strdup (line->element);
  source->points = g_array_new (FALSE, FALSE, sizeof (Point));
  g_ptr_array_add (store->sources, source);
  return source;
}

static gboolean
take (Store *store, const Line *line, guint connection)
{
  Source *source = source_find (store, line);
  const Point *last = source ? source_last (source) : NULL;
  PointCounts counts;
  Point point;

  if (!source && store->sources->len >= store->sources_max)
    return FALSE;
  if (last && line->time_us < last->time_us)
    return FALSE;
  if (!source)
    source = source_add (store, line);
  if (!last)
    source->first_us = line->time_us;
  source->connection = connection;
  source->live = TRUE;
  source->dropped = line->dropped;
  g_clear_pointer (&source->stats, json_object_unref);
  source->stats = json_object_ref (line->stats);
  if (last && line->time_us < last->time_us + STORE_STEP_US)
    return TRUE;
  point_read (&point, &counts, line->kind, line->stats, line->time_us,
      last ? &source->counts : NULL);
  point.serial = ++store->serial;
  source->counts = counts;
  g_array_append_val (source->points, point);
  return TRUE;
}

gboolean
store_take_line (
    Store *store, const gchar *text, gsize len, guint connection, gint64 now_us)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  gboolean good = FALSE;
  Line line;

  if (!memchr (text, 0, len) && g_utf8_validate (text, (gssize) len, NULL)
      && is_flat (text, len)
      && json_parser_load_from_data (parser, text, (gssize) len, NULL))
    good = line_read (
               &line, json_parser_get_root (parser), now_us, store->span_us)
        && take (store, &line, connection);
  store->bad_lines += !good;
  if (good && store->taken)
    store->taken (text, len, store->taken_data);
  return good;
}

void
store_gone (Store *store, guint connection)
{
  for (guint i = 0; i < store->sources->len; i++) {
    Source *source = g_ptr_array_index (store->sources, i);

    if (source->connection == connection)
      source->live = FALSE;
  }
}

void
store_forget (Store *store, gint64 now_us)
{
  for (guint i = store->sources->len; i-- > 0;) {
    Source *source = g_ptr_array_index (store->sources, i);
    guint old = 0;

    while (old < source->points->len
        && g_array_index (source->points, Point, old).time_us
            < now_us - store->span_us)
      old++;
    if (old > 0)
      g_array_remove_range (source->points, 0, old);
    if (source->points->len == 0 && !source->live)
      g_ptr_array_remove_index (store->sources, i);
  }
}

const Point *
source_last (const Source *source)
{
  guint n = source->points->len;

  return n > 0 ? &g_array_index (source->points, Point, n - 1) : NULL;
}

/* --- JSON ---------------------------------------------------------------- */

const gchar *
source_about (const Source *source, const gchar *what)
{
  g_autofree gchar *inner = g_strconcat ("receiver/", what, NULL);
  const gchar *state;

  if (g_str_equal (what, "feedback") && source->kind == SOURCE_SEND)
    return stats_text (source->stats, "feedback-mode");
  if (g_str_equal (what, "breaker")) {
    state = stats_text (source->stats, "breaker-state");
    return g_strcmp0 (state, "closed") == 0 ? NULL : state;
  }
  if (g_str_equal (what, "queue"))
    return stats_flag (source->stats, "competes") ? "kept full by others"
                                                  : NULL;
  return stats_text (source->stats, source->kind == SOURCE_SRC ? inner : what);
}

static void
set_text (JsonBuilder *b, const gchar *name, const gchar *text)
{
  json_builder_set_member_name (b, name);
  if (text)
    json_builder_add_string_value (b, text);
  else
    json_builder_add_null_value (b);
}

static void
set_number (JsonBuilder *b, const gchar *name, gdouble value)
{
  json_builder_set_member_name (b, name);
  if (value == rint (value) && fabs (value) < G_MAXINT32)
    json_builder_add_int_value (b, (gint64) value);
  else
    json_builder_add_double_value (b, value);
}

static gdouble
seconds (const Store *store, gint64 time_us)
{
  return (gdouble) (time_us - store->start_us) * 1e-6;
}

/* What is unknown is left out. */
static void
add_point (JsonBuilder *b, const Store *store, const Point *point)
{
  json_builder_begin_object (b);
  set_number (b, "t", seconds (store, point->time_us));
  for (guint i = 0; i < POINT_N; i++) {
    if (isfinite (point->value[i]))
      set_number (b, point_names[i], point->value[i]);
  }
  json_builder_end_object (b);
}

static void
describe (JsonBuilder *b, const Store *store, const Source *source)
{
  static const gchar *const about[]
      = { "controller", "lda", "fec", "feedback", "queue", "limit", "breaker" };

  set_number (b, "id", source->id);
  set_text (b, "program", source->program);
  set_number (b, "pid", (gdouble) source->pid);
  set_text (b, "element", source->element);
  set_text (b, "kind", source_kinds[source->kind]);
  set_number (b, "dropped", (gdouble) source->dropped);
  set_number (b, "since", seconds (store, source->first_us));
  json_builder_set_member_name (b, "live");
  json_builder_add_boolean_value (b, source->live);
  for (guint i = 0; i < G_N_ELEMENTS (about); i++)
    set_text (b, about[i], source_about (source, about[i]));
}

static void
begin (JsonBuilder *b, const Store *store, gint64 now_us)
{
  json_builder_begin_object (b);
  set_number (b, "now", seconds (store, now_us));
  set_number (b, "span", (gdouble) store->span_us / G_USEC_PER_SEC);
  set_text (b, "command", store->command);
  set_text (b, "recorded", store->date);
  set_number (b, "bad_lines", (gdouble) store->bad_lines);
  json_builder_set_member_name (b, "sources");
  json_builder_begin_array (b);
}

static gchar *
finish (JsonBuilder *b)
{
  JsonNode *root;
  gchar *text;

  json_builder_end_array (b);
  json_builder_end_object (b);
  root = json_builder_get_root (b);
  text = json_to_string (root, FALSE);
  json_node_unref (root);
  g_object_unref (b);
  return text;
}

gchar *
store_update (const Store *store, guint64 *cursor, gint64 now_us)
{
  JsonBuilder *b = json_builder_new ();

  begin (b, store, now_us);
  for (guint i = 0; i < store->sources->len; i++) {
    const Source *source = g_ptr_array_index (store->sources, i);

    json_builder_begin_object (b);
    describe (b, store, source);
    json_builder_set_member_name (b, "points");
    json_builder_begin_array (b);
    for (guint j = 0; j < source->points->len; j++) {
      const Point *point = &g_array_index (source->points, Point, j);

      if (point->serial > *cursor)
        add_point (b, store, point);
    }
    json_builder_end_array (b);
    json_builder_end_object (b);
  }
  *cursor = store->serial;
  return finish (b);
}

gchar *
store_stats (const Store *store, gint64 now_us)
{
  JsonBuilder *b = json_builder_new ();

  begin (b, store, now_us);
  for (guint i = 0; i < store->sources->len; i++) {
    const Source *source = g_ptr_array_index (store->sources, i);
    JsonNode *stats = json_node_new (JSON_NODE_OBJECT);

    json_builder_begin_object (b);
    describe (b, store, source);
    json_node_set_object (stats, source->stats);
    json_builder_set_member_name (b, "stats");
    json_builder_add_value (b, stats);
    json_builder_end_object (b);
  }
  return finish (b);
}
