/* A text that runs a link model of the registry, made from its table.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/link.h>

/* The model's name, and the example of each parameter that has one.  A model
 * whose parameters all have values is its bare name.  (transfer full) */
static inline gchar *
link_text (const RaNodeOps *ops)
{
  RaParamWalk walk = ra_params_walk (ops->params);
  GString *text = g_string_new (ops->name);

  if (ops->example)
    g_string_append_printf (text, " %s", ops->example);
  for (const RaParam *p; (p = ra_params_next (&walk));) {
    if (p->example)
      g_string_append_printf (text, " %s=%s", p->name, p->example);
  }
  return g_string_free (text, FALSE);
}

static inline void
link_deliver (const RaLinkPacket *p, RaTime now, gpointer data)
{
}

static inline void
link_drop (const RaLinkPacket *p, RaCause cause, const gchar *node, RaTime now,
    gpointer data)
{
}

/* Where all is forgotten. */
static const RaLinkSink link_nowhere = { link_deliver, link_drop, NULL, NULL };
