/* Lines as a tracer sends them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* `stats` is JSON. */
static inline gchar *
line_new (const gchar *kind, gint64 time_us, const gchar *stats)
{
  return g_strdup_printf (
      "{\"version\":1,\"program\":\"prog\",\"pid\":7,\"element\":\"/a:x/b:e\","
      "\"kind\":\"%s\",\"time_us\":%" G_GINT64_FORMAT
      ",\"dropped\":3,\"stats\":%s}",
      kind, time_us, stats);
}
