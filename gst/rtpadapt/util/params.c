/* Parameters of an algorithm.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/util/params.h>

#include <math.h>
#include <string.h>

G_DEFINE_QUARK (ra - param - error - quark, ra_param_error)

#define SHOWN 300 /* bytes: a sentence has room for a path */

gchar *
ra_word_shown (const gchar *word)
{
  gsize n = strnlen (word, SHOWN + 1);
  g_autofree gchar *valid = g_utf8_make_valid (word, (gssize) MIN (n, SHOWN));

  return g_strconcat (valid, n > SHOWN ? "..." : "", NULL);
}

/* Divisors, not factors: a double cannot hold 1e-3, and 25 / 1e3 is the nearest to
 * .025. */
static const struct
{
  const gchar *unit, *suffix;
  gdouble divisor;
} parts[] = {
  { "s", "ns", 1e9 },
  { "s", "us", 1e6 },
  { "s", "ms", 1e3 },
  { "", "%", 1e2 },
};

static const struct
{
  gchar letter;
  gdouble factor;
} prefixes[] = {
  { 'k', 1e3 },
  { 'M', 1e6 },
  { 'G', 1e9 },
};

gdouble
ra_schedule_at (const RaSchedule *s, RaSpan since_start)
{
  guint i = s->n - 1;

  while (i > 0 && s->at[i] > since_start)
    i--;
  return s->value[i];
}

RaSpan
ra_schedule_next (const RaSchedule *s, RaSpan since_start)
{
  for (guint i = 1; i < s->n; i++) {
    if (s->at[i] > since_start)
      return s->at[i];
  }
  return RA_SPAN_NONE;
}

RaParamWalk
ra_params_walk (const RaParam *params)
{
  return (RaParamWalk){ .rows = { params } };
}

/* The row with what the tables around it add. */
static const RaParam *
row_resolve (RaParamWalk *w, const RaParam *p)
{
  gsize prefix = w->prefix[w->depth];

  w->row = *p;
  w->row.offset += w->offset[w->depth];
  if (prefix > 0) {
    g_strlcpy (w->name + prefix, p->name, sizeof w->name - prefix);
    w->row.name = w->name;
  }
  if (!p->has_paper)
    w->row.paper = p->def;
  if (!p->unit)
    w->row.unit = "";
  return &w->row;
}

/* The next row is the first of that table. */
static void
table_open (RaParamWalk *w, const RaParam *p)
{
  guint inside = w->depth + 1;
  gsize prefix = w->prefix[w->depth];

  g_return_if_fail (inside < RA_PARAM_DEPTH);
  prefix += g_strlcpy (w->name + prefix, p->name, sizeof w->name - prefix);
  g_return_if_fail (prefix < sizeof w->name);
  w->rows[inside] = p->table;
  w->offset[inside] = w->offset[w->depth] + p->offset;
  w->prefix[inside] = prefix;
  w->depth = inside;
}

const RaParam *
ra_params_next (RaParamWalk *w)
{
  for (;;) {
    const RaParam *p = w->rows[w->depth];

    if (p && p->name) {
      w->rows[w->depth]++;
      if (!p->table)
        return row_resolve (w, p);
      table_open (w, p);
    } else if (w->depth > 0) {
      w->depth--;
    } else {
      return NULL;
    }
  }
}

static gpointer
param_field (gpointer instance, const RaParam *p)
{
  return (guint8 *) instance + p->offset;
}

static void
param_store (gpointer instance, const RaParam *p, gdouble value)
{
  if (p->is_schedule)
    *(RaSchedule *) param_field (instance, p)
        = (RaSchedule){ .n = 1, .value = { value } };
  else
    *(gdouble *) param_field (instance, p) = value;
}

void
ra_params_init (gpointer instance, const RaParam *params)
{
  RaParamWalk walk = ra_params_walk (params);

  for (const RaParam *p; (p = ra_params_next (&walk));)
    param_store (instance, p, p->def);
}

void
ra_params_paper (gpointer instance, const RaParam *params)
{
  RaParamWalk walk = ra_params_walk (params);

  for (const RaParam *p; (p = ra_params_next (&walk));)
    param_store (instance, p, p->paper);
}

/* Takes what follows the number and scales the value to the table's unit. */
static gboolean
suffix_parse (const gchar *unit, const gchar *suffix, gdouble *value)
{
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    if (g_str_equal (parts[i].unit, unit)
        && g_str_equal (parts[i].suffix, suffix)) {
      *value /= parts[i].divisor;
      return TRUE;
    }
  }
  /* Nobody means 5,000,000 s or a probability of 1,000 by 5M and 1k. */
  if (*unit && !g_str_equal (unit, "s")) {
    for (guint i = 0; i < G_N_ELEMENTS (prefixes); i++) {
      if (*suffix == prefixes[i].letter) {
        *value *= prefixes[i].factor;
        suffix++;
        break;
      }
    }
  }
  return *suffix == '\0' || g_str_equal (suffix, unit);
}

/* A number and its suffix, in the unit of the table. */
static gboolean
number_parse (const gchar *unit, const gchar *text, gdouble *out)
{
  gchar *end;
  gdouble value = g_ascii_strtod (text, &end);

  if (end == text || !suffix_parse (unit, end, &value) || !isfinite (value))
    return FALSE;
  *out = value;
  return TRUE;
}

static gboolean
value_parse (
    const RaParam *p, const gchar *text, gdouble *value, GError **error)
{
  if (!number_parse (p->unit, text, value)) {
    g_autofree gchar *shown = ra_word_shown (text);

    g_set_error (error, RA_PARAM_ERROR, RA_PARAM_ERROR_VALUE,
        "%s=%s: not a number%s%s", p->name, shown, *p->unit ? " in " : "",
        p->unit);
    return FALSE;
  }
  if (*value < p->min || *value > p->max) {
    g_autofree gchar *shown = ra_word_shown (text);

    g_set_error (error, RA_PARAM_ERROR, RA_PARAM_ERROR_VALUE,
        "%s=%s: not between %g and %g%s%s", p->name, shown, p->min, p->max,
        *p->unit ? " " : "", p->unit);
    return FALSE;
  }
  return TRUE;
}

/* "3M,20s:1.5M,40s:3M" */
static gboolean
schedule_parse (
    const RaParam *p, const gchar *text, RaSchedule *out, GError **error)
{
  g_auto (GStrv) steps = g_strsplit (text, ",", -1);
  guint n = g_strv_length (steps);
  RaSchedule s = { 0 };

  if (n == 0 || n > RA_SCHEDULE_MAX) {
    g_autofree gchar *shown = ra_word_shown (text);

    g_set_error (error, RA_PARAM_ERROR, RA_PARAM_ERROR_VALUE,
        "%s=%s: needs 1 to %d values", p->name, shown, RA_SCHEDULE_MAX);
    return FALSE;
  }
  for (; s.n < n; s.n++) {
    gchar *colon = strchr (steps[s.n], ':');
    gdouble at = 0;

    if (colon)
      *colon = '\0';
    if ((s.n == 0) != (colon == NULL)
        || (colon && !number_parse ("s", steps[s.n], &at))
        || (colon && ra_span (at) <= s.at[s.n - 1])) {
      g_autofree gchar *shown = ra_word_shown (text);

      g_set_error (error, RA_PARAM_ERROR, RA_PARAM_ERROR_VALUE,
          "%s=%s: expected VALUE,TIME:VALUE,... with rising times", p->name,
          shown);
      return FALSE;
    }
    s.at[s.n] = ra_span (at);
    if (!value_parse (p, colon ? colon + 1 : steps[s.n], &s.value[s.n], error))
      return FALSE;
  }
  *out = s;
  return TRUE;
}

/* Where `walk` finds it. */
static const RaParam *
param_find (RaParamWalk *walk, const gchar *name)
{
  const RaParam *p;

  do
    p = ra_params_next (walk);
  while (p && !g_str_equal (p->name, name));
  return p;
}

/* Names those that there are, as a wrong one is mostly a slip, or another
 * algorithm's. */
static void
unknown_error (const RaParam *params, const gchar *name, GError **error)
{
  RaParamWalk walk = ra_params_walk (params);
  g_autoptr (GString) names = g_string_new (NULL);
  g_autofree gchar *shown = ra_word_shown (name);
  const RaParam *p;

  while ((p = ra_params_next (&walk)))
    g_string_append_printf (
        names, "%s%s", names->len ? ", " : "only ", p->name);
  g_set_error (error, RA_PARAM_ERROR, RA_PARAM_ERROR_UNKNOWN,
      "no parameter '%s', %s", shown,
      names->len ? names->str : "there is none");
}

gboolean
ra_params_set (gpointer instance, const RaParam *params, const gchar *name,
    const gchar *value, GError **error)
{
  RaParamWalk walk = ra_params_walk (params);
  const RaParam *p = param_find (&walk, name);
  gdouble number;

  if (!p) {
    unknown_error (params, name, error);
    return FALSE;
  }
  if (p->is_schedule)
    return schedule_parse (p, value, param_field (instance, p), error);
  if (!value_parse (p, value, &number, error))
    return FALSE;
  param_store (instance, p, number);
  return TRUE;
}

/* One word: "paper" or "name=value". */
static gboolean
word_parse (
    gpointer instance, const RaParam *params, gchar *word, GError **error)
{
  gchar *equals = strchr (word, '=');

  if (g_str_equal (word, "paper")) {
    ra_params_paper (instance, params);
    return TRUE;
  }
  if (!equals) {
    g_autofree gchar *shown = ra_word_shown (word);

    g_set_error (error, RA_PARAM_ERROR, RA_PARAM_ERROR_VALUE,
        "'%s': expected name=value", shown);
    return FALSE;
  }
  *equals = '\0';
  return ra_params_set (instance, params, word, equals + 1, error);
}

/* A step of a schedule, "20s:1.5M", belongs to the word before it. */
static gboolean
is_step (const gchar *word)
{
  return strchr (word, ':') && !strchr (word, '=');
}

gboolean
ra_params_parse (gpointer instance, gsize size, const RaParam *params,
    const gchar *text, GError **error)
{
  g_auto (GStrv) words = g_strsplit_set (text ? text : "", ", \t\n", -1);
  g_autofree gpointer before = g_memdup2 (instance, size);
  gboolean ok = TRUE;

  for (guint i = 0; ok && words[i];) {
    g_autoptr (GString) word = g_string_new (words[i++]);

    for (; words[i] && (!*words[i] || is_step (words[i])); i++) {
      if (*words[i])
        g_string_append_printf (word, ",%s", words[i]);
    }
    ok = !word->len || word_parse (instance, params, word->str, error);
  }
  if (!ok && before)
    memcpy (instance, before, size);
  return ok;
}

gchar *
ra_params_to_string (gconstpointer instance, const RaParam *params)
{
  GString *text = g_string_new (NULL);
  RaParamWalk walk = ra_params_walk (params);
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  for (const RaParam *p; (p = ra_params_next (&walk));) {
    const guint8 *field = (const guint8 *) instance + p->offset;

    g_string_append_printf (text, "%s%s=", text->len ? "," : "", p->name);
    if (p->is_schedule) {
      const RaSchedule *s = (const RaSchedule *) field;

      for (guint i = 0; i < s->n; i++) {
        if (i > 0)
          g_string_append_printf (text, ",%s:",
              g_ascii_dtostr (number, sizeof number, ra_seconds (s->at[i])));
        g_string_append (
            text, g_ascii_dtostr (number, sizeof number, s->value[i]));
      }
    } else {
      g_string_append (text,
          g_ascii_dtostr (number, sizeof number, *(const gdouble *) field));
    }
  }
  return g_string_free (text, FALSE);
}
