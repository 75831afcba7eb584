/* rtpadaptsrc: warnings that no packet comes, that anybody may send some, and that
 * nothing comes of them.
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

#define SRC_HINT_LOOK (5 * GST_SECOND)
/* Begins with zeros. */
typedef struct
{
  guint dropped; /* packets, by the last look */
  guint looks; /* in a row that found more of them, and no pad that is linked */
  gint restarted; /* atomic, set by who removes the pads, in any thread */
} SrcUnlinked;
/* To be called so often, by one thread at a time: warns if packets have come for 10 s
 * while no source pad was linked, once until the pads are removed. */
void src_hint_unlinked (GstElement *bin, SrcUnlinked *u);
/* To be called so often for each source pad, by one thread at a time: warns, once, if the
 * depayloader behind it got packets for 10 s and has made nothing.  Its codec is another,
 * or it waits for a key frame: both look the same from here.  A
 * GstElementForeachPadFunc. */
gboolean src_hint_unmade (GstElement *bin, GstPad *pad, gpointer data);

G_END_DECLS
