/* What a test program gives to the main() of all (main.c).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Adds the program's tests by g_test_add_func(), rows_add() and the like.  GLib is
 * ready, and where elements are tested GStreamer is, too. */
void tests_add (void);
