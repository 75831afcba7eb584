/* The program that is started, with the tracer in it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gio/gio.h>

typedef struct _Program Program;

/* It has ended; `status` is what a shell would say. */
typedef void (*ProgramEnded) (gint status, gpointer data);
/* What it wrote. */
typedef void (*ProgramWrote) (const gchar *text, gsize len, gpointer data);

/* `wrote` NULL: it has our own output.  NULL and an error if it cannot be
 * started. */
Program *program_new (const gchar *const *argv, const gchar *socket,
    ProgramEnded ended, ProgramWrote wrote, gpointer data, GError **error);
/* Only once it has ended. */
void program_free (Program *program);

void program_signal (Program *program, gint signal_number);
