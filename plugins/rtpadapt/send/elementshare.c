/* Several elements that drive one element: who they are, and whose thread sets it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "elementshare.h"

static void
share_free (gpointer data)
{
  ElementShare *share = data;

  g_array_unref (share->members);
  g_mutex_clear (&share->lock);
  g_free (share);
}

gpointer
element_share_of (
    GstElement *element, const gchar *name, gsize size, gsize member_size)
{
  static GMutex lock;
  GQuark quark = g_quark_from_string (name);
  ElementShare *share;

  g_mutex_lock (&lock);
  share = g_object_get_qdata (G_OBJECT (element), quark);
  if (!share) {
    share = g_malloc0 (size);
    g_mutex_init (&share->lock);
    share->members = g_array_new (FALSE, FALSE, (guint) member_size);
    g_object_set_qdata_full (G_OBJECT (element), quark, share, share_free);
  }
  g_mutex_unlock (&lock);
  return share;
}

static gconstpointer *
member_at (const ElementShare *share, guint i)
{
  return (gpointer) (share->members->data
      + i * g_array_get_element_size (share->members));
}

/* The number of members if `who` is none of them. */
static guint
member_find (const ElementShare *share, gconstpointer who)
{
  guint i = 0;

  while (i < share->members->len && *member_at (share, i) != who)
    i++;
  return i;
}

gpointer
element_share_place (ElementShare *share, gconstpointer fresh)
{
  guint i = member_find (share, *(const gconstpointer *) fresh);

  if (i == share->members->len)
    g_array_append_vals (share->members, fresh, 1);
  return member_at (share, i);
}

gboolean
element_share_remove (ElementShare *share, gconstpointer who)
{
  guint i = member_find (share, who);

  if (i == share->members->len)
    return FALSE;
  g_array_remove_index_fast (share->members, i);
  return TRUE;
}

gboolean
element_share_begin (ElementShare *share)
{
  gboolean ours = !share->busy;

  share->again = share->busy = TRUE;
  return ours;
}

gboolean
element_share_next (ElementShare *share)
{
  share->busy = share->again;
  share->again = FALSE;
  return share->busy;
}
