/* Hides keys and passwords in a command line.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* The command in one line of valid UTF-8, with "***" where it names a key or a
 * password. */
gchar *secret_hide (const gchar *const *command);
