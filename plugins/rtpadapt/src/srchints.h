/* rtpadaptsrc: warnings that no packet comes, and that anybody may send some.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * They are posted on `bin`, so no lock may be held.
 */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

G_BEGIN_DECLS

/* Without a key: warns if anybody on the network can send to this socket, which was
 * opened for `port` of `address` (NULL: this host). */
void src_hint_open (
    GstElement *bin, GSocket *socket, const gchar *address, guint port);
/* Warns if no packet has come to `udpsrc`.  TRUE: it did. */
gboolean src_hint_silence (GstElement *bin, GstElement *udpsrc);

G_END_DECLS
