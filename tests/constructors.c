/* What libraries allocate in their constructors is theirs, and no leak.  LeakSanitizer
 * is told here, because it cannot see with its fast unwinder who called g_malloc().
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib.h>
#include <sanitizer/lsan_interface.h>

/* The dynamic linker calls this before the constructors of all libraries. */
__attribute__ ((section (".preinit_array"),
    used)) static void (*const constructors_begin) (void)
    = __lsan_disable;

/* The program's own constructors come after those of its libraries.  GLib lets go of its
 * table of quarks, on purpose, whenever their number is a multiple of 2048: 2048 more
 * begin here. */
__attribute__ ((constructor)) static void
constructors_end (void)
{
  gchar name[16];
  guint i = 0;

  do
    g_snprintf (name, sizeof name, "%u", i++);
  while (g_quark_from_string (name) % 2048 != 0);
  __lsan_enable ();
}
