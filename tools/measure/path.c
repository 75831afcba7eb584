/* What the link did to the stream, by its own record: the files are read.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "path.h"

#include "jsonlines.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

#define THERE "there" /* from the sender to the receiver */

typedef struct
{
  Path *path;
  const Records *records;
  gint64 from, until;
  gint64 start, interval; /* of the log */
  gint64 last;            /* the end of the interval before */
  GHashTable *names;      /* id of a flow -> "tcp 5201", of those there */
  gchar *media;           /* id of the stream's flow, or NULL */
  GHashTable *bytes;      /* id -> gdouble, that came through */
} Reading;

static gboolean
wrong (GError **error, const gchar *text)
{
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, text);
  return FALSE;
}

/* --- the log -------------------------------------------------------------- */

static gboolean
on_link (Reading *g, JsonObject *o, GError **error)
{
  gdouble interval = json_lines_number (o, "interval", 0);

  g->start = json_lines_int (o, "start_ns", 0);
  g->interval = ra_span (interval);
  g->last = g->start;
  return (g->start > 0 && interval > 0 && interval < 3600)
      || wrong (error, "the link tells no start_ns or interval");
}

static gboolean
on_flow (Reading *g, JsonObject *o, GError **error)
{
  gint64 id = json_lines_int (o, "id", -1),
         port = json_lines_int (o, "dport", -1);
  const gchar *proto = json_lines_string (o, "proto");
  const gchar *dir = json_lines_string (o, "dir");
  gchar *key;

  if (id < 0 || !proto || !dir)
    return wrong (error, "this flow has no id, proto or dir");
  if (!g_str_equal (dir, THERE))
    return TRUE;
  key = g_strdup_printf ("%" G_GINT64_FORMAT, id);
  if (!g->media && g_str_equal (proto, "udp") && port == g->records->port)
    g->media = g_strdup (key);
  g_hash_table_insert (
      g->names, key, g_strdup_printf ("%s %" G_GINT64_FORMAT, proto, port));
  return TRUE;
}

/* What came in an interval came evenly: the part of it counts that is between
 * `from` and `until`. */
static gboolean
on_interval (Reading *g, JsonObject *o, gint64 end, GError **error)
{
  JsonObject *flows = json_lines_object (o, "flows");
  gint64 begin = MAX (end - g->interval, g->last); /* the last one is shorter */
  gint64 inside = MIN (end, g->until) - MAX (begin, g->from);
  Capacity c = { begin, json_lines_number (o, "capacity_bps", (gdouble) NAN) };
  JsonObjectIter iter;
  const gchar *id;
  JsonNode *node;

  g_array_append_val (g->path->capacities, c);
  g->last = end;
  if (!flows || inside <= 0)
    return TRUE;
  json_object_iter_init (&iter, flows);
  while (json_object_iter_next (&iter, &id, &node)) {
    gdouble *sum = g_hash_table_lookup (g->bytes, id);

    if (!JSON_NODE_HOLDS_OBJECT (node))
      return wrong (error, "the numbers of a flow are no object");
    if (!sum) {
      sum = g_new0 (gdouble, 1);
      g_hash_table_insert (g->bytes, g_strdup (id), sum);
    }
    *sum += json_lines_number (json_node_get_object (node), "out_bytes", 0)
        * (gdouble) inside / (gdouble) (end - begin);
  }
  return TRUE;
}

/* How well the link kept its own times: the last line. */
static gboolean
on_self (Reading *g, JsonObject *o)
{
  g->path->late_ms_p99 = json_lines_number (o, "late_ms_p99", (gdouble) NAN);
  g->path->missed = json_lines_int (o, "missed", -1);
  return TRUE;
}

static gboolean
on_log_line (JsonObject *line, gpointer data, GError **error)
{
  Reading *g = data;
  JsonObject *o;
  gdouble t;

  if ((o = json_lines_object (line, "link")))
    return on_link (g, o, error);
  if (g->start == 0)
    return wrong (error, "the link's log does not begin with its \"link\"");
  if ((o = json_lines_object (line, "flow")))
    return on_flow (g, o, error);
  if ((o = json_lines_object (line, "self")))
    return on_self (g, o);
  t = json_lines_number (line, "t", -1);
  if (!(t >= 0 && t <= 86400)
      || g_strcmp0 (json_lines_string (line, "dir"), THERE) != 0)
    return TRUE;
  return on_interval (g, line, g->start + ra_span (t), error);
}

static gint
compare_others (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (
      ((const OtherFlow *) a)->name, ((const OtherFlow *) b)->name);
}

static void
others_take (Reading *g)
{
  GHashTableIter iter;
  gpointer id, sum;

  g_hash_table_iter_init (&iter, g->bytes);
  while (g_hash_table_iter_next (&iter, &id, &sum)) {
    const gchar *name = g_hash_table_lookup (g->names, id);
    OtherFlow other = { g_strdup (name ? name : "unknown"), *(gdouble *) sum };

    if (g_strcmp0 (id, g->media) == 0) {
      g->path->bytes = other.bytes;
      g_free (other.name);
    } else {
      g_array_append_val (g->path->others, other);
    }
  }
  g_array_sort (g->path->others, compare_others);
}

/* --- the packets ---------------------------------------------------------- */

static const gchar *const columns[] = { "t_in_ns", "dir", "flow", "size",
  "ssrc", "seq", "pt", "fate", "t_out_ns", "queued_ns" };
enum
{
  T_IN,
  DIRECTION,
  FLOW,
  SIZE,
  SSRC,
  SEQ,
  PT,
  FATE,
  T_OUT,
  QUEUED,
  N_COLUMNS
};

/* Where each column is; FALSE if one is missing. */
static gboolean
columns_find (const gchar *header, guint *place)
{
  g_auto (GStrv) names = g_strsplit (header, ",", -1);

  for (guint c = 0; c < N_COLUMNS; c++) {
    for (place[c] = 0; names[place[c]]
         && !g_str_equal (g_strstrip (names[place[c]]), columns[c]);
         place[c]++)
      ;
    if (!names[place[c]])
      return FALSE;
  }
  return TRUE;
}

/* Empty, no number or above `max`: `none`. */
static gint64
number (const gchar *text, gint64 max, gint64 none)
{
  gint64 value;

  return g_ascii_string_to_signed (text, 10, 0, max, &value, NULL) ? value
                                                                   : none;
}

static gboolean
packet_read (Reading *g, gchar **field, const guint *place, GError **error)
{
#define F(column) field[place[column]]
  Packet p = { .in = number (F (T_IN), JSON_LINES_MAX, 0),
    .out = number (F (T_OUT), JSON_LINES_MAX, 0),
    .size = (guint) number (F (SIZE), G_MAXUINT16, 0),
    .ssrc = number (F (SSRC), G_MAXUINT32, -1),
    .seq = (gint) number (F (SEQ), G_MAXUINT16, -1),
    .pt = (gint) number (F (PT), 127, -1),
    .queued = number (F (QUEUED), JSON_LINES_MAX, RA_SPAN_NONE) };

  if (!g_str_equal (F (DIRECTION), THERE)
      || g_strcmp0 (F (FLOW), g->media) != 0)
    return TRUE;
  if (p.in == 0 || p.size == 0)
    return wrong (error, "this packet has no time or no size");
  if (g_str_equal (F (FATE), "discarded"))
    return TRUE; /* the end of the run cut it off, or the host did */
  for (RaCause c = RA_CAUSE_CONGESTION; c <= RA_CAUSE_WIRELESS; c++) {
    if (g_str_equal (F (FATE), ra_cause_nick (c)))
      p.lost = c;
  }
  if (p.lost == RA_CAUSE_NONE && (!g_str_equal (F (FATE), "out") || !p.out))
    return wrong (error, "this packet's fate is unknown");
  g_array_append_val (g->path->packets, p);
  return TRUE;
#undef F
}

static gint
compare_packets (gconstpointer a, gconstpointer b)
{
  gint64 x = ((const Packet *) a)->in, y = ((const Packet *) b)->in;

  return x < y ? -1 : x > y;
}

static gboolean
packets_read (Reading *g, const gchar *path, GError **error)
{
  g_autofree gchar *text = NULL;
  guint place[N_COLUMNS], line_no = 2, n_columns;
  gchar *line, *end, *header;

  if (!g_file_get_contents (path, &text, NULL, error))
    return FALSE;
  end = strchr (text, '\n');
  if (end)
    *end = '\0';
  header = text;
  if (!end || !columns_find (header, place)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "%s is not what rtpadapt-link --packets writes", path);
    return FALSE;
  }
  n_columns = 1;
  for (const gchar *c = header; (c = strchr (c, ',')); c++)
    n_columns++;
  for (line = end + 1; (end = strchr (line, '\n')); line = end + 1, line_no++) {
    g_auto (GStrv) field = NULL;
    gboolean ok;

    *end = '\0';
    field = g_strsplit (line, ",", -1);
    ok = g_strv_length (field) == n_columns
        ? packet_read (g, field, place, error)
        : wrong (error, "this line has not all columns");
    if (!ok) {
      g_prefix_error (error, "%s, line %u: ", path, line_no);
      return FALSE;
    }
  }
  g_array_sort (g->path->packets, compare_packets);
  return TRUE;
}

static void
other_clear (gpointer other)
{
  g_free (((OtherFlow *) other)->name);
}

Path *
path_read (const gchar *packets, const gchar *log, const Records *r,
    gint64 from, gint64 until, GError **error)
{
  Path *p = g_new0 (Path, 1);
  Reading g = { p, r, from, until };
  gboolean ok;

  p->late_ms_p99 = (gdouble) NAN;
  p->missed = -1;
  p->packets = g_array_new (FALSE, FALSE, sizeof (Packet));
  p->capacities = g_array_new (FALSE, FALSE, sizeof (Capacity));
  p->others = g_array_new (FALSE, FALSE, sizeof (OtherFlow));
  g_array_set_clear_func (p->others, other_clear);
  g.names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g.bytes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  ok = json_lines_read (log, on_log_line, &g, error);
  if (ok && !g.media) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        "%s knows of nothing that went to UDP port %" G_GINT64_FORMAT, log,
        r->port);
    ok = FALSE;
  }
  if (ok)
    others_take (&g);
  ok = ok && (!packets || packets_read (&g, packets, error));
  g_hash_table_unref (g.names);
  g_hash_table_unref (g.bytes);
  g_free (g.media);
  if (!ok)
    g_clear_pointer (&p, path_free);
  return p;
}

void
path_free (Path *p)
{
  g_array_unref (p->packets);
  g_array_unref (p->capacities);
  g_array_unref (p->others);
  g_free (p);
}
