/* A file that is written by a thread of its own.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "writer.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define BLOCK 65536 /* bytes, to begin with */

static void
block_write (LinkWriter *w, const GString *block)
{
  gsize done = 0;

  while (done < block->len && w->code == 0) {
    gssize n = write (w->fd, block->str + done, block->len - done);

    if (n >= 0)
      done += (gsize) n;
    else if (errno != EINTR)
      w->code = errno;
  }
}

/* Until the empty block. */
static gpointer
writer_run (gpointer data)
{
  LinkWriter *w = data;
  gboolean last;

  do {
    GString *block = g_async_queue_pop (w->blocks);

    last = block->len == 0;
    block_write (w, block);
    g_string_free (block, TRUE);
  } while (!last);
  return NULL;
}

LinkWriter *
link_writer_new (const gchar *name, GError **error)
{
  gint fd = g_str_equal (name, "-")
      ? fcntl (STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
      : open (name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  LinkWriter *w;

  if (fd < 0) {
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "%s: %s",
        name, g_strerror (errno));
    return NULL;
  }
  w = g_new0 (LinkWriter, 1);
  w->fd = fd;
  w->name = g_strdup (name);
  w->block = g_string_sized_new (BLOCK);
  w->blocks = g_async_queue_new ();
  w->thread = g_thread_new ("writer", writer_run, w);
  return w;
}

void
link_writer_flush (LinkWriter *w, gsize least)
{
  if (w->block->len < MAX (least, 1))
    return;
  g_async_queue_push (w->blocks, w->block);
  w->block = g_string_sized_new (BLOCK);
}

gboolean
link_writer_close (LinkWriter *w, GError **error)
{
  gboolean ok;

  link_writer_flush (w, 0);
  g_async_queue_push (w->blocks, w->block); /* the empty one */
  g_thread_join (w->thread);
  if (close (w->fd) != 0 && w->code == 0)
    w->code = errno;
  ok = w->code == 0;
  if (!ok)
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (w->code), "%s: %s",
        w->name, g_strerror (w->code));
  g_async_queue_unref (w->blocks);
  g_free (w->name);
  g_free (w);
  return ok;
}
