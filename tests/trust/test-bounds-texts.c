/* Texts of any length, as a user or a program may hand them over: link chains
 * and parameters.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../link-text.h"
#include "trust.h"

#include <gst/rtpadapt/fec.h>
#include <gst/rtpadapt/registry.h>

#include <math.h>
#include <string.h>

/* Under ASan with strict_string_checks each search reads all of the text. */
#ifdef __SANITIZE_ADDRESS__
#define MANY 2000
#define MEGABYTE (16 * 1024)
#else
#define MANY 100000
#define MEGABYTE (1024 * 1024)
#endif
#define LONG 65536
/* An error is a sentence for a person, however long what was wrong. */
#define SENTENCE 500 /* characters */

/* `part` as often as it takes. */
static gchar *
repeat (const gchar *part, gsize n)
{
  GString *text = g_string_sized_new (n * strlen (part) + 1);

  for (gsize i = 0; i < n; i++)
    g_string_append (text, part);
  return g_string_free (text, FALSE);
}

static void
assert_sentence (const GError *error)
{
  g_assert_nonnull (error);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_assert_cmpint (g_utf8_strlen (error->message, -1), >, 0);
  g_assert_cmpint (g_utf8_strlen (error->message, -1), <=, SENTENCE);
}

/* Each `part` a hundred thousand times, or a word of a megabyte. */
static const struct
{
  const gchar *before, *part;
  gsize n;
  gboolean ok;
  const gchar *why;
} chains[] = {
  { "", "delay 1ms ! ", MANY, FALSE, "10^5 models" },
  { "", "!", MEGABYTE, FALSE, "10^6 models of nothing" },
  { "", "x", MEGABYTE, FALSE, "a name of a megabyte" },
  { "delay ", "9", MEGABYTE, FALSE, "a number of a megabyte" },
  { "delay delay=", "x", MEGABYTE, FALSE, "no number, of a megabyte" },
  { "delay 1ms ", "x", MEGABYTE, FALSE, "a word of a megabyte" },
  { "delay 1ms ", "y=1 ", MANY, FALSE, "10^5 unknown parameters" },
  { "delay 1ms ", "delay=1ms ", MANY, TRUE, "the same one again, 10^5 times" },
  { "delay 1ms", ",1s:2ms", MANY, FALSE, "a schedule of 10^5 changes" },
  { "bottleneck rate=1", ",x", MANY, FALSE, "and of nothing" },
  { "delay 1ms ", " ", MEGABYTE, TRUE, "a megabyte of blanks" },
  { "each each each ", "each ", MANY, FALSE, "a model in itself" },
  { "trace file=", "x", MEGABYTE, FALSE, "a file's name of a megabyte" },
  { "", "\xff\xfe! ", MANY, FALSE, "no text at all" },
  { "", "\xff", MEGABYTE, FALSE, "a name that is no text" },
};

static void
test_chains (void)
{
  guint n = 0;

  for (; n < G_N_ELEMENTS (chains); n++) {
    g_autofree gchar *tail = repeat (chains[n].part, chains[n].n);
    g_autofree gchar *text = g_strconcat (chains[n].before, tail, NULL);
    g_autoptr (GError) error = NULL;
    g_autoptr (RaLink) l = ra_link_parse (text, 1, &link_nowhere, NULL, &error);

    g_test_message ("%s", chains[n].why);
    g_assert_true ((l != NULL) == chains[n].ok);
    if (!l)
      assert_sentence (error);
  }
  trust_row ("bounds", "hostile link texts",
      "chains of 10^5 models, words of a megabyte: a link, or an error of one "
      "sentence",
      n > 0, "%u texts", n);
}

static const struct
{
  const gchar *before, *part;
  gsize n;
  gboolean ok;
} texts[] = {
  { "", ",", MEGABYTE, TRUE },
  { "", " \t\n,", MEGABYTE / 4, TRUE },
  { "", "paper,", MEGABYTE / 6, TRUE },
  { "", "x", MEGABYTE, FALSE },
  { "", "x=1,", MEGABYTE / 4, FALSE },
  { "x=", "9", MEGABYTE, FALSE },
  { "", "=", MEGABYTE, FALSE },
  { "", ":", MEGABYTE, FALSE },
  { "", "1:1,", MEGABYTE / 4, FALSE },
  { "", "\xc3,", MEGABYTE / 2, FALSE },
};

static void
params_parse (const RaAlgorithm *a, const gchar *text, gboolean ok)
{
  g_autofree guint8 *x = g_malloc0 (a->size);
  g_autoptr (GError) error = NULL;

  ra_params_init (x, a->params);
  g_assert_true (ra_params_parse (x, a->size, a->params, text, &error) == ok);
  if (!ok)
    assert_sentence (error);
}

/* Each parameter's own name, with a long value. */
static void
params_long (const RaAlgorithm *a, const gchar *nines)
{
  RaParamWalk walk = ra_params_walk (a->params);

  for (const RaParam *p; (p = ra_params_next (&walk));) {
    g_autofree gchar *text = g_strconcat (p->name, "=", nines, NULL);
    g_autofree gchar *zeros = g_strdelimit (g_strdup (text), "9", '0');
    g_autofree gchar *word = g_strconcat (zeros, "x", NULL);

    params_parse (a, text, FALSE); /* infinite */
    params_parse (a, word, FALSE);
    params_parse (a, zeros, p->min <= 0);
  }
}

/* The words are taken apart in the same way for all; ulp has many. */
static void
test_params (void)
{
  g_autofree gchar *nines = repeat ("9", LONG);
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++, n++) {
    g_autofree gchar *tail = repeat (texts[i].part, texts[i].n);
    g_autofree gchar *text = g_strconcat (texts[i].before, tail, NULL);

    params_parse ((const RaAlgorithm *) ra_fec_find ("ulp"), text, texts[i].ok);
  }
  for (const RaKind *kind = ra_kinds; kind->name; kind++) {
    for (guint k = 0; kind->list[k]; k++, n++)
      params_long (kind->list[k], nines);
  }
  trust_row ("bounds", "hostile parameter texts",
      "a megabyte of commas and words, and for each parameter of each "
      "algorithm a number of 64 kB: values, or an error of one sentence",
      n > 0, "%u texts and algorithms", n);
}

void
tests_add (void)
{
  g_test_add_func ("/trust/bounds/chains", test_chains);
  g_test_add_func ("/trust/bounds/params", test_params);
}
