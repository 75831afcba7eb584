/* A file that is written by a thread of its own: who adds to it never waits
 * for the disk.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  GString *block; /* append to this */
  gint fd;
  gint code; /* errno of what failed; the thread's until it ended */
  gchar *name;
  GAsyncQueue *blocks;
  GThread *thread;
} LinkWriter;

/* "-" is stdout.  (transfer full): link_writer_close(). */
LinkWriter *link_writer_new (const gchar *name, GError **error);
/* Hands on what is in block if it is at least `least` bytes. */
void link_writer_flush (LinkWriter *w, gsize least);
/* FALSE and `error` if not all was written. */
gboolean link_writer_close (LinkWriter *w, GError **error);

G_END_DECLS
