/* The tables of all algorithms of all kinds: what properties, tools and
 * documentation are made of.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback.h>
#include <gst/rtpadapt/registry.h>

#include <math.h>
#include <string.h>

#include "../main.h"

/* What util/params.h lists; ra_params_set() knows how to read them. */
static const gchar *const units[]
    = { "", "s", "bit/s", "bytes", "packets", "pkt/s", "Hz", NULL };

/* An enum nick, a property, a word in a text: "t-min". */
static void
assert_word (const gchar *name)
{
  g_assert_true (g_ascii_islower (*name));
  g_assert_false (g_str_has_suffix (name, "-"));
  for (const gchar *c = name; *c; c++)
    g_assert_true (g_ascii_islower (*c) || g_ascii_isdigit (*c) || *c == '-');
}

/* A cell of a table in the documentation, no sentence with its stop. */
static void
assert_cell (const gchar *text)
{
  g_assert_nonnull (text);
  g_assert_cmpstr (text, !=, "");
  g_assert_null (strpbrk (text, "\n|"));
  g_assert_false (g_str_has_suffix (text, "."));
  g_assert_false (g_ascii_isspace (*text));
}

/* NaN: there is no default, it has to be given. */
static void
assert_value (const RaParam *p, gdouble value)
{
  if (isnan (value))
    return;
  g_assert_cmpfloat (p->min, <=, value);
  g_assert_cmpfloat (value, <=, p->max);
}

static void
assert_param (const RaAlgorithm *a, const RaParam *p, guint place)
{
  gsize size = p->is_schedule ? sizeof (RaSchedule) : sizeof (gdouble);
  RaParamWalk walk = ra_params_walk (a->params);

  g_test_message ("%s %s", a->name, p->name);
  assert_word (p->name);
  g_assert_cmpuint (strlen (p->name), <, RA_PARAM_NAME_MAX - 1);
  assert_cell (p->text);
  g_assert_true (g_strv_contains (units, p->unit));
  g_assert_cmpfloat (p->min, <, p->max);
  assert_value (p, p->def);
  assert_value (p, p->paper);
  g_assert_cmpuint (p->offset + size, <=, a->size);
  for (guint i = 0; i < place; i++) {
    const RaParam *other = ra_params_next (&walk);

    g_assert_cmpstr (other->name, !=, p->name);
    g_assert_cmpuint (other->offset, !=, p->offset);
  }
}

static void
test_table (gconstpointer data)
{
  const RaAlgorithm *a = data;
  RaParamWalk walk = ra_params_walk (a->params);
  guint n = 0;

  assert_word (a->name);
  assert_cell (a->cite);
  assert_cell (a->needs);
  assert_cell (a->use);
  g_assert_cmpuint (a->size, >=, sizeof (gpointer)); /* its ops */
  for (const RaParam *p; (p = ra_params_next (&walk));)
    assert_param (a, p, n++);
}

/* Every value can be said; one that has to be given cannot. */
static gboolean
is_complete (const RaParam *params)
{
  RaParamWalk walk = ra_params_walk (params);

  for (const RaParam *p; (p = ra_params_next (&walk));) {
    if (isnan (p->def) || isnan (p->paper))
      return FALSE;
  }
  return TRUE;
}

/* What ra_params_to_string() writes, ra_params_parse() takes back, for the
 * defaults and for the paper's. */
static void
test_text (gconstpointer data)
{
  const RaAlgorithm *a = data;

  if (!a->params || !is_complete (a->params))
    return;
  for (guint i = 0; i < 2; i++) {
    g_autofree gpointer one = g_malloc0 (a->size), two = g_malloc0 (a->size);
    g_autofree gchar *text = NULL;
    GError *error = NULL;

    if (i == 0)
      ra_params_init (one, a->params);
    else
      ra_params_paper (one, a->params);
    text = ra_params_to_string (one, a->params);
    ra_params_parse (two, a->size, a->params, text, &error);
    g_assert_no_error (error);
    g_assert_cmpint (memcmp (one, two, a->size), ==, 0);
  }
}

/* A name means one algorithm of its kind. */
static void
test_kind (gconstpointer data)
{
  const RaKind *kind = data;

  assert_word (kind->name);
  assert_cell (kind->title);
  for (guint i = 0; kind->list[i]; i++) {
    const RaAlgorithm *a = kind->list[i];

    g_assert_true (ra_algorithm_find (kind->list, a->name) == a);
  }
  g_assert_null (ra_algorithm_find (kind->list, "no-such"));
}

/* The fields of a kind's table fit together: a loss of a row stays one, and the receiver
 * that judges needs send times. */
static void
test_feedback (void)
{
  for (guint i = 0; ra_feedbacks[i]; i++) {
    const RaFeedbackOps *kind = ra_feedbacks[i];

    g_assert_true (kind->rows || !kind->final);
    g_assert_cmpint (
        ra_feedback_send_times (kind), ==, ra_feedback_judges (kind));
  }
}

void
tests_add (void)
{
  g_test_add_func ("/tables/feedback", test_feedback);
  for (const RaKind *kind = ra_kinds; kind->name; kind++) {
    g_autofree gchar *path = g_strdup_printf ("/tables/%s", kind->name);

    g_test_add_data_func (path, kind, test_kind);
    for (guint i = 0; kind->list[i]; i++) {
      const RaAlgorithm *a = kind->list[i];
      g_autofree gchar *table = g_strdup_printf ("%s/%s/table", path, a->name);
      g_autofree gchar *text = g_strdup_printf ("%s/%s/text", path, a->name);

      g_test_add_data_func (table, a, test_table);
      g_test_add_data_func (text, a, test_text);
    }
  }
}
