/* The main() of the tests of elements (../main.c).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../main.h"

#include <gst/gst.h>

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  tests_add ();
  return g_test_run ();
}
