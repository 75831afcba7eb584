/* Random numbers that nobody can guess.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* 64 bits of the system's. */
guint64 secure_chance (void);

G_END_DECLS
