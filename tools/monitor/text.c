/* The same in a terminal, or line by line.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* A cell is two seconds. */
#define CELLS 30
#define CELL_US (STORE_SPAN_US / CELLS)
/* One interval has too few packets for a share of them. */
#define SHARE_US (10 * G_USEC_PER_SEC)
/* If the terminal does not say. */
#define WIDTH 80
#define HEIGHT 24

struct _Text
{
  const Store *store;
  gboolean terminal;
  guint lines;       /* drawn, and to be drawn over */
  GString *above;    /* a line of the program's that has no end yet */
  gboolean returned; /* a carriage return came, and nothing after it */
  guint64 serial;    /* points that were printed */
};

static const gchar *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };

/* --- words --------------------------------------------------------------- */

/* "first, then, ..." of what is known. */
static void
say (GString *s, const gchar *format, gdouble value)
{
  if (!isfinite (value))
    return;
  if (s->len > 0)
    g_string_append (s, ", ");
  g_string_append_printf (s, format, value);
}

/* Another program chose the text.  It must not steer the terminal, so control
 * characters of ASCII and of C1 (U+0080 to U+009F), and characters that change the
 * direction of the line, become blanks. */
static void
add_clean (GString *s, const gchar *text)
{
  for (; *text; text = g_utf8_next_char (text)) {
    gunichar c = g_utf8_get_char (text);

    g_string_append_unichar (s, g_unichar_isprint (c) ? c : ' ');
  }
}

/* Of the packets of the last 10 s. */
static gdouble
share (const Source *source, PointField field)
{
  const Point *last = source_last (source);
  gdouble sum = 0, packets = 0;

  for (guint i = 0; i < source->points->len; i++) {
    const Point *p = &g_array_index (source->points, Point, i);

    if (p->time_us <= last->time_us - SHARE_US || !isfinite (p->value[field])
        || !isfinite (p->value[POINT_PACKETS]))
      continue;
    sum += p->value[field];
    packets += p->value[POINT_PACKETS];
  }
  return packets > 0 ? 100 * sum / packets : UNKNOWN;
}

static GString *
words_rate (const Source *source)
{
  const gdouble *v = source_last (source)->value;
  const gchar *limit = source_about (source, "limit");
  GString *s = g_string_new (NULL);

  say (s, "estimated %.2f", v[POINT_ESTIMATED_BPS] * 1e-6);
  if (s->len > 0 && limit) {
    g_string_append (s, " (limit ");
    add_clean (s, limit);
    g_string_append_c (s, ')');
  }
  say (s, "sent %.2f", v[POINT_SENT_BPS] * 1e-6);
  say (s, "encoder %.2f", v[POINT_ENCODER_BPS] * 1e-6);
  say (s, "received %.2f", v[POINT_RECEIVED_BPS] * 1e-6);
  if (s->len > 0)
    g_string_append (s, " Mb/s");
  return s;
}

static GString *
words_delay (const Source *source)
{
  const gdouble *v = source_last (source)->value;
  GString *s = g_string_new (NULL);

  say (s, "queue %.0f ms", v[POINT_QUEUE_MS]);
  say (s, "RTT %.0f ms", v[POINT_RTT_MS]);
  say (s, "backlog %.0f ms", v[POINT_BACKLOG_MS]);
  return s;
}

static GString *
words_loss (const Source *source)
{
  GString *s = g_string_new (NULL);

  say (s, "congestion %.1f %%", share (source, POINT_CONGESTION));
  say (s, "wireless %.1f %%", share (source, POINT_WIRELESS));
  say (s, "lost %.1f %%", share (source, POINT_UNJUDGED));
  return s;
}

static GString *
words_repair (const Source *source)
{
  const gdouble *v = source_last (source)->value;
  GString *s = g_string_new (NULL);

  say (s, "FEC %.0f %%", v[POINT_FEC_PERCENT]);
  say (s, "delayed %.1f %%", v[POINT_DELAYED] * 100);
  say (s, "delayed of all %.1f %%", v[POINT_DELAYED_ALL] * 100);
  say (s, "missing of all %.1f %%", v[POINT_RESIDUAL] * 100);
  return s;
}

static GString *
words_source (const Source *source)
{
  static const gchar *const about[]
      = { "controller", "lda", "fec", "feedback", "queue" };
  const gchar *name = strrchr (source->element, ':');
  const gchar *breaker = source_about (source, "breaker");
  GString *s = g_string_new (NULL);

  add_clean (s, name ? name + 1 : source->element);
  g_string_append (s, " of ");
  add_clean (s, source->program);
  g_string_append_printf (s, " (pid %" G_GINT64_FORMAT ")%s", source->pid,
      source->live ? "" : ", ended");
  for (guint i = 0; i < G_N_ELEMENTS (about); i++) {
    const gchar *text = source_about (source, about[i]);

    if (!text)
      continue;
    g_string_append_printf (s, ", %s ", about[i]);
    add_clean (s, text);
  }
  if (breaker) {
    g_string_append (s, ", CIRCUIT BREAKER ");
    add_clean (s, breaker);
  }
  return s;
}

/* Each with the field that its bars show; bitrates first that are there. */
static const struct
{
  GString *(*words) (const Source *source);
  PointField field[3]; /* the first that is known */
  gboolean of_packets;
  gdouble least; /* the top of the bars is not lower */
} rows[] = {
  { words_rate, { POINT_SENT_BPS, POINT_RECEIVED_BPS, POINT_ESTIMATED_BPS },
      FALSE, 1e5 },
  { words_delay, { POINT_QUEUE_MS, POINT_RTT_MS, POINT_RTT_MS }, FALSE, 20 },
  { words_loss, { POINT_WIRELESS, POINT_UNJUDGED, POINT_UNJUDGED }, TRUE, .05 },
  { words_repair, { POINT_FEC_PERCENT, POINT_DELAYED, POINT_DELAYED }, FALSE,
      .1 },
};

/* --- a terminal ---------------------------------------------------------- */

/* Losses of both kinds are one bar. */
static gdouble
bar_value (const Point *p, guint row)
{
  for (guint i = 0; i < 3; i++) {
    PointField field = rows[row].field[i];
    gdouble value = p->value[field];

    if (field == POINT_WIRELESS)
      value += p->value[POINT_CONGESTION];
    if (!isfinite (value))
      continue;
    return rows[row].of_packets ? value / p->value[POINT_PACKETS] : value;
  }
  return UNKNOWN;
}

static void
add_bars (GString *s, const Source *source, guint row, gint64 now_us)
{
  gdouble sum[CELLS] = { 0 }, top = rows[row].least;
  guint n[CELLS] = { 0 };

  for (guint i = 0; i < source->points->len; i++) {
    const Point *p = &g_array_index (source->points, Point, i);
    gint64 cell = CELLS - 1 - (now_us - p->time_us) / CELL_US;
    gdouble value = bar_value (p, row);

    if (cell < 0 || cell >= CELLS || !isfinite (value))
      continue;
    sum[cell] += value;
    n[cell]++;
  }
  for (guint i = 0; i < CELLS; i++)
    top = MAX (top, n[i] ? sum[i] / n[i] : 0);
  for (guint i = 0; i < CELLS; i++) {
    gdouble part = n[i] ? sum[i] / n[i] / top : 0;

    g_string_append (s, n[i] ? blocks[MIN ((guint) (part * 8), 7)] : " ");
  }
}

static struct winsize
terminal_size (void)
{
  struct winsize size = { 0 };

  ioctl (STDOUT_FILENO, TIOCGWINSZ, &size);
  if (size.ws_col == 0)
    size.ws_col = WIDTH;
  if (size.ws_row == 0)
    size.ws_row = HEIGHT;
  return size;
}

/* A line that the terminal broke could not be drawn over. */
static void
put_line (Text *self, GString *out, const gchar *line, guint width)
{
  g_autofree gchar *cut = g_utf8_substring (
      line, 0, MIN (g_utf8_strlen (line, -1), (glong) width - 1));

  g_string_append (out, cut);
  g_string_append_c (out, '\n');
  self->lines++;
}

/* Nor could one that left the terminal at its top: the cursor is below the last
 * line. */
static void
put_lines (Text *self, GString *out, const GPtrArray *lines)
{
  struct winsize size = terminal_size ();
  guint room = MAX (size.ws_row, 2) - 1;
  guint n = lines->len > room ? room - 1 : lines->len;

  for (guint i = 0; i < n; i++)
    put_line (self, out, g_ptr_array_index (lines, i), size.ws_col);
  if (n < lines->len) {
    g_autofree gchar *more
        = g_strdup_printf ("... and %u more", lines->len - n);

    put_line (self, out, more, size.ws_col);
  }
}

static void
add_source (GPtrArray *lines, const Source *source, gint64 now_us)
{
  g_ptr_array_add (lines, g_string_free (words_source (source), FALSE));
  for (guint row = 0; row < G_N_ELEMENTS (rows); row++) {
    GString *words = rows[row].words (source);

    if (words->len > 0) {
      GString *line = g_string_new ("  ");

      add_bars (line, source, row, now_us);
      g_string_append_printf (line, "  %s", words->str);
      g_ptr_array_add (lines, g_string_free (line, FALSE));
    }
    g_string_free (words, TRUE);
  }
}

static void
erase (Text *self, GString *out)
{
  if (self->lines > 0)
    g_string_append_printf (out, "\033[%uA\r\033[J", self->lines);
  self->lines = 0;
}

static void
put (const GString *out)
{
  fwrite (out->str, 1, out->len, stdout);
  fflush (stdout);
}

static void
draw_terminal (Text *self, gint64 now_us)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  GString *out = g_string_new (NULL);

  erase (self, out);
  for (guint i = 0; i < self->store->sources->len; i++) {
    const Source *source = g_ptr_array_index (self->store->sources, i);

    if (source_last (source))
      add_source (lines, source, now_us);
  }
  if (lines->len == 0)
    g_ptr_array_add (lines, g_strdup ("No statistics yet."));
  put_lines (self, out, lines);
  put (out);
  g_string_free (out, TRUE);
}

/* --- lines --------------------------------------------------------------- */

static void
print_source (GString *out, const Source *source, gdouble seconds)
{
  GString *about = words_source (source);

  g_string_append_printf (out, "%.1f s: %s: ", seconds, about->str);
  g_string_free (about, TRUE);
  for (guint row = 0; row < G_N_ELEMENTS (rows); row++) {
    GString *words = rows[row].words (source);

    if (words->len > 0)
      g_string_append_printf (out, "%s%s", row > 0 ? "; " : "", words->str);
    g_string_free (words, TRUE);
  }
  g_string_append_c (out, '\n');
}

static void
draw_lines (Text *self)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < self->store->sources->len; i++) {
    const Source *source = g_ptr_array_index (self->store->sources, i);
    const Point *last = source_last (source);

    if (last && last->serial > self->serial)
      print_source (out, source,
          (gdouble) (last->time_us - self->store->start_us) * 1e-6);
  }
  self->serial = self->store->serial;
  put (out);
  g_string_free (out, TRUE);
}

/* --- from outside -------------------------------------------------------- */

Text *
text_new (const Store *store, gboolean terminal)
{
  Text *self = g_new0 (Text, 1);

  self->store = store;
  self->terminal = terminal;
  self->above = g_string_new (NULL);
  return self;
}

void
text_free (Text *self)
{
  if (self->above->len > 0)
    text_above (self, "\n", 1);
  g_string_free (self->above, TRUE);
  g_free (self);
}

void
text_draw (Text *self, gint64 now_us)
{
  if (self->terminal)
    draw_terminal (self, now_us);
  else
    draw_lines (self);
}

/* Whole lines only; the last of those that carriage returns write over each other. */
void
text_above (Text *self, const gchar *bytes, gsize len)
{
  GString *out = g_string_new (NULL);

  for (gsize i = 0; i < len; i++) {
    if (self->returned && bytes[i] != '\n' && bytes[i] != '\r')
      g_string_truncate (self->above, 0);
    self->returned = bytes[i] == '\r';
    if (self->returned)
      continue;
    g_string_append_c (self->above, bytes[i]);
    if (bytes[i] != '\n')
      continue;
    erase (self, out);
    g_string_append_len (out, self->above->str, (gssize) self->above->len);
    g_string_truncate (self->above, 0);
  }
  put (out);
  g_string_free (out, TRUE);
}
