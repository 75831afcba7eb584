/* The Unix socket that tracers send their lines to.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "store.h"

#include <gio/gio.h>

typedef struct _Intake Intake;

/* Listens at `path`, for this user only; NULL and an error if it cannot. */
Intake *intake_new (const gchar *path, Store *store, GError **error);
/* Removes the socket. */
void intake_free (Intake *intake);
