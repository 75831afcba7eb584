/* Warnings and infos about an element that a part of it wants posted.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "notices.h"

typedef struct
{
  GstMessageType type;
  GQuark domain;
  gint code;
  gchar *text, *detail;
} Notice;

static void
notice_free (gpointer data)
{
  Notice *notice = data;

  g_free (notice->text);
  g_free (notice->detail);
  g_free (notice);
}

void
notices_add (Notices *n, GstMessageType type, GQuark domain, gint code,
    gchar *detail, const gchar *format, ...)
{
  Notice *notice = g_new0 (Notice, 1);
  va_list args;

  va_start (args, format);
  notice->text = g_strdup_vprintf (format, args);
  va_end (args);
  notice->type = type;
  notice->domain = domain;
  notice->code = code;
  notice->detail = detail;
  if (!n->list)
    n->list = g_ptr_array_new_with_free_func (notice_free);
  g_ptr_array_add (n->list, notice);
}

void
notices_post (Notices *n, GstElement *element)
{
  for (guint i = 0; n->list && i < n->list->len; i++) {
    Notice *notice = g_ptr_array_index (n->list, i);

    gst_element_message_full (element, notice->type, notice->domain,
        notice->code, g_steal_pointer (&notice->text),
        g_steal_pointer (&notice->detail), __FILE__, G_STRFUNC, __LINE__);
  }
  notices_clear (n);
}

void
notices_clear (Notices *n)
{
  g_clear_pointer (&n->list, g_ptr_array_unref);
}
