/* All algorithms, from the registry.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "list.h"
#include "run.h"

#include <gst/rtpadapt/defaults.h>
#include <gst/rtpadapt/lda.h>
#include <gst/rtpadapt/rate.h>
#include <math.h>

/* As one would write it; "-" if it must be given. */
static void
number_format (gdouble value, gchar *out, gsize size)
{
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  if (isnan (value))
    g_strlcpy (out, "-", size);
  else
    g_strlcpy (
        out, g_ascii_formatd (number, sizeof number, "%.6g", value), size);
}

typedef struct
{
  gchar def[32], paper[32], min[32], max[32];
} Numbers;

static Numbers
numbers_of (const RaParam *p)
{
  Numbers n;

  number_format (p->def, n.def, sizeof n.def);
  number_format (p->paper, n.paper, sizeof n.paper);
  number_format (p->min, n.min, sizeof n.min);
  number_format (p->max, n.max, sizeof n.max);
  return n;
}

gchar *
sim_list_text (void)
{
  GString *out = g_string_new (NULL);

  for (const RaKind *kind = ra_kinds; kind->name; kind++) {
    g_string_append_printf (
        out, "%s%s (%s)\n", out->len ? "\n" : "", kind->title, kind->name);
    for (guint i = 0; kind->list[i]; i++) {
      const RaAlgorithm *a = kind->list[i];
      RaParamWalk walk = ra_params_walk (a->params);

      g_string_append_printf (out, "  %-12s %s\n", a->name, a->cite);
      for (const RaParam *p; (p = ra_params_next (&walk));) {
        Numbers n = numbers_of (p);

        g_string_append_printf (out, "      %s=%s%s%s  %s", p->name, n.def,
            *p->unit ? " " : "", p->unit, p->text);
        if (!g_str_equal (n.def, n.paper))
          g_string_append_printf (out, " (paper: %s)", n.paper);
        g_string_append_c (out, '\n');
      }
    }
  }
  return g_string_free (out, FALSE);
}

/* "|" would end a cell. */
static void
cell (GString *out, const gchar *text)
{
  g_string_append (out, "| ");
  for (const gchar *c = text; *c; c++)
    g_string_append_printf (out, *c == '|' ? "\\|" : "%c", *c);
  g_string_append_c (out, ' ');
}

static void
params_markdown (GString *out, const RaAlgorithm *a)
{
  RaParamWalk walk = ra_params_walk (a->params);

  g_string_append_printf (out,
      "\n`%s`:\n\n| parameter | default | paper | range | unit | |\n"
      "|---|---|---|---|---|---|\n",
      a->name);
  for (const RaParam *p; (p = ra_params_next (&walk));) {
    Numbers n = numbers_of (p);

    g_string_append_printf (out, "| `%s` | %s | %s | %s to %s ", p->name, n.def,
        n.paper, n.min, n.max);
    cell (out, p->unit);
    cell (out, p->text);
    g_string_append (out, "|\n");
  }
}

static void
kind_markdown (GString *out, const RaKind *kind)
{
  g_string_append_printf (out,
      "\n## %s\n\n| %s | source | needs | use |\n|---|---|---|---|\n",
      kind->title, kind->name);
  for (guint i = 0; kind->list[i]; i++) {
    const RaAlgorithm *a = kind->list[i];

    g_string_append_printf (out, "| `%s` ", a->name);
    cell (out, a->cite);
    cell (out, a->needs);
    cell (out, a->use);
    g_string_append (out, "|\n");
  }
  for (guint i = 0; kind->list[i]; i++) {
    const RaAlgorithm *a = kind->list[i];

    if (a->params && a->params->name)
      params_markdown (out, a);
  }
}

gchar *
sim_list_markdown (void)
{
  GString *out = g_string_new (
      "# Algorithms\n\n"
      "Made from the registry by `rtpadapt-sim --list=markdown`; a test holds\n"
      "this page to it. *default* is what runs on real video, *paper* what the\n"
      "paper printed (`controller-params=paper`, `lda-params=paper` and so on set\n"
      "all of them); a \"-\" has no default, and *needs* says what has to be given.\n"
      "Where the *source* is our own, or \"-\", both columns are ours.\n"
      "Papers with a number are those of [papers](papers/README.md).\n\n"
      "## Which to take\n\n"
      "- Nothing: that is `" RA_DEFAULT_CONTROLLER "` with `" RA_DEFAULT_LDA
      "`. The queue stays short, the line full\n"
      "  at up to 10 % of radio losses; a TCP gets about its share, but less\n"
      "  behind a queue of a few packets.\n"
      "- `tfrc` with `zbs` or `spike`: a rate that RFCs describe, where a full queue\n"
      "  does no harm, however long it is; or where a TCP shares a queue of 2 or 3\n"
      "  packets.\n"
      "- `fused` with a controller of a paper: on a lossy radio beside a TCP, where\n"
      "  `zbs`, `ld` and `spike` take most of the radio's losses for congestion.\n"
      "- `full` alone: a queue that others always keep full.\n"
      "- What a paper has, with its parameters (`paper`): to repeat it.\n"
      "- `fixed`: a line of one's own whose rate is known.\n");

  for (const RaKind *kind = ra_kinds; kind->name; kind++)
    kind_markdown (out, kind);
  return g_string_free (out, FALSE);
}

static void
member (GString *out, const gchar *key, const gchar *text)
{
  g_autofree gchar *value = text ? ra_json_string (text) : g_strdup ("null");

  g_string_append_printf (out, "\"%s\": %s, ", key, value);
}

static void
algorithm_json (GString *out, const RaKind *kind, const RaAlgorithm *a)
{
  gboolean is_lda = kind->list == (gconstpointer const *) ra_ldas;
  const gchar *otherwise = is_lda                      ? RA_DEFAULT_LDA
      : kind->list == (gconstpointer const *) ra_rates ? RA_DEFAULT_CONTROLLER
                                                       : "";

  g_string_append (out, "{");
  member (out, "name", a->name);
  member (out, "cite", a->cite);
  if (is_lda)
    member (out, "reference", ((const RaLdaOps *) a)->reference);
  g_string_append_printf (out, "\"default\": %s}",
      g_str_equal (a->name, otherwise) ? "true" : "false");
}

gchar *
sim_list_json (void)
{
  GString *out = g_string_new ("{");

  for (const RaKind *kind = ra_kinds; kind->name; kind++) {
    g_string_append_printf (
        out, "%s\n \"%s\": [", kind == ra_kinds ? "" : ",", kind->name);
    for (guint i = 0; kind->list[i]; i++) {
      g_string_append (out, i > 0 ? ",\n  " : "\n  ");
      algorithm_json (out, kind, kind->list[i]);
    }
    g_string_append (out, "]");
  }
  g_string_append (out, "\n}\n");
  return g_string_free (out, FALSE);
}
