/* How late things were: a histogram.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "histogram.h"

#include <math.h>

void
link_histogram_add (LinkHistogram *late, RaSpan span)
{
  late->bins[CLAMP (span / LINK_HISTOGRAM_BIN, 0, LINK_HISTOGRAM_BINS - 1)]++;
  late->n++;
  late->max = MAX (late->max, span);
}

/* The upper end of the bin in which that share is reached. */
static RaSpan
quantile (const LinkHistogram *late, gdouble share)
{
  guint64 wanted = (guint64) ceil (share * (gdouble) late->n), seen = 0;

  for (guint i = 0; i < LINK_HISTOGRAM_BINS - 1; i++) {
    seen += late->bins[i];
    if (seen >= wanted)
      return MIN ((i + 1) * LINK_HISTOGRAM_BIN, late->max);
  }
  return late->max;
}

void
link_histogram_append (
    const LinkHistogram *late, const gchar *name, GString *out)
{
  static const struct
  {
    const gchar *name;
    gdouble share;
  } rows[] = { { "p50", .5 }, { "p99", .99 }, { "max", 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_string_append_printf (
        out, "%s\"%s_%s\": ", i ? ", " : "", name, rows[i].name);
    if (late->n == 0)
      g_string_append (out, "null");
    else
      g_string_append_printf (
          out, "%.3f", 1e3 * ra_seconds (quantile (late, rows[i].share)));
  }
}
