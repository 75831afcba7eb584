/* What happens once before any input of a fuzz target.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fuzz.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef FUZZ_GST
#include <gst/gst.h>
#endif

static FILE *notes;

static void
notes_open (void)
{
  const gchar *path = g_getenv ("FUZZ_NOTES");

  if (path && !(notes = fopen (path, "w")))
    g_error ("%s: %s", path, g_strerror (errno));
}

void
fuzz_note (const gchar *format, ...)
{
  va_list args;

  if (!notes)
    return;
  va_start (args, format);
  vfprintf (notes, format, args);
  va_end (args);
  fputc ('\n', notes);
}

void
fuzz_note_bytes (const gchar *name, gconstpointer bytes, gsize size)
{
  if (!notes)
    return;
  fprintf (notes, "%s ", name);
  for (gsize i = 0; i < size; i++)
    fprintf (notes, "%02x", ((const guint8 *) bytes)[i]);
  fputc ('\n', notes);
}

/* GLib's end of a fatal message, which libFuzzer does not know. */
static void
on_trap (int number)
{
  abort ();
}

/* What g_return_if_fail() says is a finding, what loading plugins says is
 * not. */
int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
#ifdef FUZZ_GST
  gst_init (NULL, NULL);
#endif
  notes_open ();
  signal (SIGTRAP, on_trap);
  g_log_set_always_fatal ((GLogLevelFlags) (G_LOG_LEVEL_CRITICAL
      | G_LOG_LEVEL_WARNING | G_LOG_FATAL_MASK));
  return 0;
}
