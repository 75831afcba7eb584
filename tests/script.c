/* The words that tests write what happens in.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "script.h"

#include <string.h>

static gboolean
is_end (gchar c)
{
  return c == '\0' || c == ' ';
}

static gboolean
number_take (const gchar **at, guint64 *number)
{
  gchar *end;

  if (!g_ascii_isdigit (**at))
    return FALSE;
  *number = g_ascii_strtoull (*at, &end, 10);
  *at = end;
  return TRUE;
}

static RaTime
time_take (const gchar **at)
{
  guint64 time = 0;

  g_assert_true (number_take (at, &time));
  if (g_str_has_prefix (*at, "ns") || g_str_has_prefix (*at, "us")) {
    time *= **at == 'n' ? 1 : RA_USECOND;
    *at += 2;
    return time;
  }
  return time * RA_MSECOND;
}

gboolean
script_next (const gchar **script, ScriptWord *w)
{
  const gchar *at = *script + strspn (*script, " ");

  *w = (ScriptWord){ .at = RA_TIME_NONE };
  if (!*at)
    return FALSE;
  if (!g_ascii_isdigit (*at) && *at != '@')
    w->letter = *at++;
  w->has_number = number_take (&at, &w->number);
  w->last = w->number;
  if (w->has_number && *at == '-') {
    at++;
    g_assert_true (number_take (&at, &w->last));
  }
  if (*at == '@') {
    at++;
    w->at = time_take (&at);
  }
  for (guint i = 0; !is_end (*at); i++) {
    g_assert_cmpuint (i, <, SCRIPT_FLAGS_MAX);
    w->flags[i] = *at++;
  }
  *script = at;
  return TRUE;
}

gboolean
script_has (const ScriptWord *w, gchar flag)
{
  return strchr (w->flags, flag) != NULL;
}

guint64
script_value (const ScriptWord *w, gchar flag, guint64 fallback)
{
  const gchar *at = strchr (w->flags, flag);
  guint64 value = 0;

  if (!at)
    return fallback;
  at++;
  g_assert_true (number_take (&at, &value));
  return value;
}
