/* Hides keys and passwords in a command line.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "secret.h"

/* Properties, options and variables whose values are secret.  A longer word may
 * end with such a name ("SRTP_KEY").  A path is not hidden ("key-file"). */
#define NAMES "(?:key|passphrase|passwd|password|secret|token|user-pw)"
/* The ways to write a value after a name: "key=", "key = ", "\"key\": ",
 * "key=(string)", "key%3D" in a URI, "--key " before an argument of its own. */
#define ASSIGNED "[\\\\\"']*\\s*(?:[=:]|%3d)\\s*(?:\\([a-z0-9_]+\\)\\s*)?"
#define OPTION "(?<![^\\s\"'])--?[a-z0-9_-]*" NAMES "\\s+"
/* A value ends with the quote that began it, escaped as that one was, else at a
 * blank or where a URI, a shell or a structure goes on. */
#define PLAIN "(?:\\\\.|[^\\s&;!#\"'\\\\,)}\\]])+"
#define PATTERN                            \
  "(?<name>" NAMES ASSIGNED "|" OPTION ")" \
  "(?:(?<quote>\\\\*[\"']).*?(?:\\g{quote}|$)|" PLAIN ")"
/* The shortest SRTP key with its salt has 28 bytes (RFC 7714 12): so many hex
 * digits are hidden whatever stands before them. */
#define DIGITS "(?:[0-9a-f]{2}){28,}"

static gchar *
replace (gchar *text, const gchar *pattern, const gchar *with)
{
  GRegex *regex
      = g_regex_new (pattern, G_REGEX_CASELESS | G_REGEX_DOTALL, 0, NULL);
  gchar *replaced = g_regex_replace (regex, text, -1, 0, with, 0, NULL);

  g_regex_unref (regex);
  g_free (text);
  /* A line that is too much for the expression is not shown at all. */
  return replaced ? replaced : g_strdup ("***");
}

gchar *
secret_hide (const gchar *const *command)
{
  g_autofree gchar *line = g_strjoinv (" ", (gchar **) command);
  gchar *text = g_utf8_make_valid (line, -1);

  text = replace (text, PATTERN, "\\g<name>***");
  return replace (text, DIGITS, "***");
}
