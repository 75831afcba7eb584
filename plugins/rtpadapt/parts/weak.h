/* An element in the data of a callback that may outlive it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

/* (transfer full): weak_free(). */
static inline GWeakRef *
weak_new (gpointer object)
{
  GWeakRef *weak = g_new (GWeakRef, 1);

  g_weak_ref_init (weak, object);
  return weak;
}

static inline void
weak_free (gpointer weak)
{
  g_weak_ref_clear (weak);
  g_free (weak);
}

G_END_DECLS
