/* What can be measured: a group of systems.ini each, made into launch lines.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define SYSTEM_ERROR (system_error_quark ())
GQuark system_error_quark (void);

enum
{
  SYSTEM_ERROR_UNKNOWN, /* no such system, or the file is wrong */
  SYSTEM_ERROR_MISSING, /* its elements are not installed */
  SYSTEM_ERROR_OPTION /* something it needs was not said, or it has no place for it */
};

typedef struct _System System;

/* What stands for the placeholders; 0 and NULL: not said. */
typedef struct
{
  const gchar *host, *from, *options;
  guint port;
  guint64 bitrate, start, max; /* bit/s */
} SystemValues;

/* `file` NULL: the ones that are built in.  (transfer full): system_free(). */
System *system_load (const gchar *file, const gchar *name, GError **error);
void system_free (System *s);
/* The names, NULL at the end.  (transfer full): g_strfreev(). */
gchar **system_names (const gchar *file, GError **error);

/* FALSE and a sentence that names them if elements are missing. */
gboolean system_installed (const System *s, GError **error);
/* The launch line, `side` "send" or "receive".  (transfer full) */
gchar *system_line (
    const System *s, const gchar *side, const SystemValues *v, GError **error);

/* ELEMENT and PROPERTY that the application has to hand to the encoder (drive)
 * or that have the bitrate estimated (estimate), and their unit in bit/s.
 * FALSE: none is needed. */
gboolean system_property (const System *s, const gchar *key, gchar **element,
    gchar **property, guint *unit);

G_END_DECLS
