/* Several elements that drive one element: who they are, and whose thread sets it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element that is driven keeps this, for as long as it lives.  No lock is held while
 * its properties are set:
 *
 *   if (element_share_begin (share))
 *     while (element_share_next (share)) {
 *       ... copy what is wanted, unlock, set the properties, lock ...
 *     }
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* The first field of a struct whose other fields the lock guards, too. */
typedef struct
{
  GMutex lock;
  GArray *
      members; /* each begins with `who`, a gconstpointer that is only compared */
  gboolean busy;  /* a member's thread sets the element's properties */
  gboolean again; /* that thread has to look again afterwards */
} ElementShare;

/* That of `element` with this name: `size` bytes, at first 0 behind the ElementShare, and
 * members of `member_size` bytes. */
gpointer element_share_of (
    GstElement *element, const gchar *name, gsize size, gsize member_size);

/* The lock is held for all of these. */

/* The member whose `who` is that of `fresh`, which becomes one if there is none. */
gpointer element_share_place (ElementShare *share, gconstpointer fresh);
/* FALSE if `who` is not a member. */
gboolean element_share_remove (ElementShare *share, gconstpointer who);
/* TRUE: this thread sets the properties; else another one does, and looks again. */
gboolean element_share_begin (ElementShare *share);
/* FALSE: nobody asked for another look. */
gboolean element_share_next (ElementShare *share);

G_END_DECLS
