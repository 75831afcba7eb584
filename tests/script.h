/* The words that tests write what happens in: what each letter means is the test's.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *   [LETTER][NUMBER[-LAST]][@TIME[us|ns]][FLAG[NUMBER]]...
 *
 * Blanks are between words.  LETTER and FLAG are any characters but digits, blanks
 * and '@'; TIME is in ms unless a unit follows.  "A5-9", "@100", "12@50nsw9", "/40"
 * and "-@20" are words.
 */
#pragma once

#include <gst/rtpadapt/types.h>

#define SCRIPT_FLAGS_MAX 31

typedef struct
{
  gchar letter; /* 0: none */
  gboolean has_number;
  guint64 number, last; /* the same without LAST; 0: none */
  RaTime at;            /* RA_TIME_NONE: none */
  gchar flags[SCRIPT_FLAGS_MAX + 1];
} ScriptWord;

/* Takes the next word of `*script`, which goes on behind it; FALSE at the end. */
gboolean script_next (const gchar **script, ScriptWord *w);
/* Whether it has that flag. */
gboolean script_has (const ScriptWord *w, gchar flag);
/* The number behind that flag; `fallback`: the flag is not there. */
guint64 script_value (const ScriptWord *w, gchar flag, guint64 fallback);
