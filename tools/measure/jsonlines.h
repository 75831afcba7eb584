/* Reads files of a JSON object a line.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* FALSE and `error` if the object is not what it should be. */
typedef gboolean (*JsonLinesEach) (
    JsonObject *line, gpointer data, GError **error);

/* FALSE and one sentence with the place if the file cannot be read, or a line
 * is not an object, or was refused.  A last line without its end, as of a
 * program that was killed, is left out. */
gboolean json_lines_read (
    const gchar *path, JsonLinesEach each, gpointer data, GError **error);

/* In ns it is 73 years, and sums of two or three of them have room. */
#define JSON_LINES_MAX (G_MAXINT64 / 4)

/* A whole number from 0 to JSON_LINES_MAX; `fallback` if there is none. */
gint64 json_lines_int (JsonObject *object, const gchar *name, gint64 fallback);
/* `fallback` if there is none (e.g. null). */
gdouble json_lines_number (
    JsonObject *object, const gchar *name, gdouble fallback);
/* (transfer none); NULL if there is none. */
const gchar *json_lines_string (JsonObject *object, const gchar *name);
JsonObject *json_lines_object (JsonObject *object, const gchar *name);

G_END_DECLS
