/* Assertions of a law for all of a registry: they fail the test and go on, so
 * that one run names all that break it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The program has to run with --keep-going, as in the suites, because GLib ends
 * after the first test that fails.  Each test, or each name given to law_of(), says
 * its first break only.  What a law cannot go on without is still a g_assert_*().
 */
#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

/* Whom the law is asked of, if not one test each, and who broke one last. */
static gchar law_subject[256], law_broken_by[512];

static inline void
law_of (const gchar *name)
{
  g_strlcpy (law_subject, name, sizeof law_subject);
}

static inline void
law_break (const gchar *file, gint line, const gchar *law, const gchar *values)
{
  g_autofree gchar *by
      = g_strconcat (g_test_get_path (), " ", law_subject, NULL);

  if (g_str_equal (by, law_broken_by))
    return;
  g_strlcpy (law_broken_by, by, sizeof law_broken_by);
  g_test_fail_printf ("%s%s%s:%d: %s%s", law_subject, *law_subject ? ": " : "",
      file, line, law, values);
}

#define law_compare_(type, format, a, b, good, law)                          \
  G_STMT_START                                                               \
  {                                                                          \
    const type law_a_ = (a), law_b_ = (b);                                   \
    if (!(good)) {                                                           \
      g_autofree gchar *law_v_                                               \
          = g_strdup_printf (" (%" format ", %" format ")", law_a_, law_b_); \
      law_break (__FILE__, __LINE__, law, law_v_);                           \
    }                                                                        \
  }                                                                          \
  G_STMT_END
#define law_cmp_(type, format, a, op, b) \
  law_compare_ (type, format, a, b, law_a_ op law_b_, #a " " #op " " #b)
#define law_cmpuint(a, op, b) law_cmp_ (guint64, G_GUINT64_FORMAT, a, op, b)
#define law_cmpint(a, op, b) law_cmp_ (gint64, G_GINT64_FORMAT, a, op, b)
#define law_cmpfloat(a, op, b) law_cmp_ (gdouble, ".17g", a, op, b)
#define law_cmpfloat_with_epsilon(a, b, e) \
  law_compare_ (                           \
      gdouble, ".17g", a, b, ABS (law_a_ - law_b_) <= (e), #a " is " #b)

#define law_when_(broken, law)                   \
  G_STMT_START                                   \
  {                                              \
    if (broken)                                  \
      law_break (__FILE__, __LINE__, (law), ""); \
  }                                              \
  G_STMT_END
#define law_true(x) law_when_ (!(x), #x)
#define law_false(x) law_when_ (x, "not " #x)
#define law_cmpstr(a, op, b) \
  law_when_ (!(g_strcmp0 ((a), (b)) op 0), #a " " #op " " #b)

G_END_DECLS
