/* All algorithms of all kinds.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/registry.h>

#include <gst/rtpadapt/colour.h>
#include <gst/rtpadapt/fec.h>
#include <gst/rtpadapt/lda.h>
#include <gst/rtpadapt/link.h>
#include <gst/rtpadapt/rate.h>

#define LIST(list) ((gconstpointer const *) list)

const RaKind ra_kinds[] = {
  { "controller", "Rate control", LIST (ra_rates) },
  { "lda", "Loss differentiation", LIST (ra_ldas) },
  { "colour", "Colouring", LIST (ra_colours) },
  { "fec", "Forward error correction", LIST (ra_fecs) },
  { "link", "Link models", LIST (ra_links) },
  { NULL },
};

gconstpointer
ra_algorithm_find (gconstpointer const *list, const gchar *name)
{
  for (guint i = 0; list[i]; i++) {
    if (g_str_equal (((const RaAlgorithm *) list[i])->name, name))
      return list[i];
  }
  return NULL;
}
