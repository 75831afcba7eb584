/* What happened, a JSON object a line, from any thread; and the clocks.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "log.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <time.h>

/* As much as may be lost if we are killed. */
#define WRITE_EVERY (G_TIME_SPAN_SECOND / 2)

struct _Log
{
  GMutex lock;
  GCond wakeup;
  GString *text; /* to be written */
  gboolean now, closing;
  FILE *file;
  gchar *path;
  GThread *writer;
};

/* Those who log do not wait for a disk. */
static gpointer
write_log (gpointer data)
{
  Log *log = data;
  GString *text = g_string_new (NULL), *other;
  gboolean last;

  do {
    gint64 until = g_get_monotonic_time () + WRITE_EVERY;

    g_mutex_lock (&log->lock);
    while (!log->now && !log->closing
        && g_cond_wait_until (&log->wakeup, &log->lock, until))
      ;
    log->now = FALSE;
    last = log->closing;
    other = log->text;
    log->text = text;
    text = other;
    g_mutex_unlock (&log->lock);
    fwrite (text->str, 1, text->len, log->file);
    fflush (log->file);
    g_string_truncate (text, 0);
  } while (!last);
  g_string_free (text, TRUE);
  return NULL;
}

Log *
log_open (const gchar *path, GError **error)
{
  FILE *file = g_fopen (path, "wb");
  Log *log;

  if (!file) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
        "%s cannot be written: %s", path, g_strerror (errno));
    return NULL;
  }
  log = g_new0 (Log, 1);
  g_mutex_init (&log->lock);
  g_cond_init (&log->wakeup);
  log->text = g_string_new (NULL);
  log->file = file;
  log->path = g_strdup (path);
  log->writer = g_thread_new ("log", write_log, log);
  return log;
}

gboolean
log_close (Log *log, GError **error)
{
  gboolean bad;

  g_mutex_lock (&log->lock);
  log->closing = TRUE;
  g_cond_signal (&log->wakeup);
  g_mutex_unlock (&log->lock);
  g_thread_join (log->writer);
  bad = ferror (log->file) != 0;
  bad = fclose (log->file) != 0 || bad;
  if (bad)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
        "not all of %s could be written", log->path);
  g_string_free (log->text, TRUE);
  g_mutex_clear (&log->lock);
  g_cond_clear (&log->wakeup);
  g_free (log->path);
  g_free (log);
  return !bad;
}

void
log_line (Log *log, const gchar *format, ...)
{
  va_list args;

  va_start (args, format);
  g_mutex_lock (&log->lock);
  g_string_append_vprintf (log->text, format, args);
  g_string_append_c (log->text, '\n');
  g_mutex_unlock (&log->lock);
  va_end (args);
}

void
log_flush (Log *log)
{
  g_mutex_lock (&log->lock);
  log->now = TRUE;
  g_cond_signal (&log->wakeup);
  g_mutex_unlock (&log->lock);
}

static gint64
clock_ns (clockid_t clock)
{
  struct timespec t;

  clock_gettime (clock, &t);
  return (gint64) t.tv_sec * G_GINT64_CONSTANT (1000000000) + t.tv_nsec;
}

gint64
log_monotonic (void)
{
  return clock_ns (CLOCK_MONOTONIC);
}

gint64
log_realtime (void)
{
  return clock_ns (CLOCK_REALTIME);
}

gint64
log_cpu (void)
{
  return clock_ns (CLOCK_PROCESS_CPUTIME_ID);
}
