/* The main() of the tests of the library alone.  Those that need more before
 * GLib's tests begin, or after them, have their own.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "main.h"

#include <glib.h>

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  tests_add ();
  return g_test_run ();
}
