/* The table of attacks and faults: one line of it per call, in the test's log.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tests/trust/table collects the lines.  Tests that are no C programs print
 * "# trust|KIND|NAME|PROMISE|FIGURE|pass" (or fail) themselves.
 */
#pragma once

#include <glib.h>
#include <malloc.h>

#include "../main.h"

G_BEGIN_DECLS

/* `kind` is "attack", "fault", "bounds", "flood", "stress", "fuzz", "soak" or
 * "harm".  `name` is unique, short and begins for an attack with the number of
 * its threat in tests/trust/table ("3 denies losses").  `promise` is what must
 * happen, with its bound; what follows is the figure measured.  None has a '|'.
 * The test fails where `pass` is FALSE. */
static inline void G_GNUC_PRINTF (5, 6)
    trust_row (const gchar *kind, const gchar *name, const gchar *promise,
        gboolean pass, const gchar *format, ...)
{
  va_list args;
  g_autofree gchar *figure = NULL;

  va_start (args, format);
  figure = g_strdup_vprintf (format, args);
  va_end (args);
  g_test_message ("trust|%s|%s|%s|%s|%s", kind, name, promise, figure,
      pass ? "pass" : "fail");
  if (!pass)
    g_test_fail_printf ("%s %s: %s; %s", kind, name, promise, figure);
}

/* What the application and all libraries have, bytes; 0: not known. */
static inline gint64
trust_memory (void)
{
  struct mallinfo2 info = mallinfo2 ();

  return (gint64) (info.uordblks + info.hblkhd);
}

G_END_DECLS
