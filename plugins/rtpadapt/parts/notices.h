/* Warnings and infos about an element that a part of it wants posted.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A part knows neither its element nor a lock, so it collects what it has to say,
 * and the element posts that while it holds no lock.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Zeroed memory is ready, and holds none. */
typedef struct
{
  GPtrArray *list;
} Notices;

/* Adds a message of the type GST_MESSAGE_INFO or GST_MESSAGE_WARNING.  `domain`
 * and `code` are GError's; `detail` (transfer full) is for people who debug, or
 * NULL. */
void notices_add (Notices *n, GstMessageType type, GQuark domain, gint code,
    gchar *detail, const gchar *format, ...) G_GNUC_PRINTF (6, 7);
/* Posts all of them in order and forgets them.  No lock is held. */
void notices_post (Notices *n, GstElement *element);
/* Forgets them. */
void notices_clear (Notices *n);

G_END_DECLS
