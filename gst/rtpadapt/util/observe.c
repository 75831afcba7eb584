/* Named internal values of an algorithm.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/util/observe.h>

void
ra_observe_prefixed (const gchar *name, gdouble value, gpointer observer)
{
  const RaObserver *o = observer;
  gchar full[80];

  g_snprintf (full, sizeof full, "%s.%s", o->prefix, name);
  o->emit (full, value, o->data);
}
