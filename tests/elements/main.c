/* The main() of the tests of elements (../main.c).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../main.h"
#include "../watchdog.h"

#include <gst/gst.h>

/* A little less than the test's timeout, s. */
#define HANGS 280

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  tests_add ();
  watchdog_start (HANGS, NULL);
  return g_test_run ();
}
