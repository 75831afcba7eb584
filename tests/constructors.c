/* What libraries allocate in their constructors is theirs, and no leak: GLib lets go of
 * its table of quarks, on purpose, when that table grows over 2048.  LeakSanitizer is told
 * here, because it cannot see with its fast unwinder who called g_malloc().
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <sanitizer/lsan_interface.h>

typedef void (*Function) (void);

/* The dynamic linker calls this before the constructors of all libraries. */
__attribute__ ((
    section (".preinit_array"), used)) static const Function constructors_begin
    = __lsan_disable;

/* The program's own constructors come after those of its libraries. */
__attribute__ ((constructor)) static void
constructors_end (void)
{
  __lsan_enable ();
}
