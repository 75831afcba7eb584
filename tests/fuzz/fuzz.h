/* What fuzz targets share: taking an input apart.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A target is one file fuzz-NAME.c with LLVMFuzzerTestOneInput(), which
 * libFuzzer calls, or drive.c.  Whatever the bytes, it returns; what must not
 * happen is an assertion.  An input behind its end is zeros.
 */
#pragma once

#include <glib.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

G_BEGIN_DECLS

int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* init.c.  A line about what an input led to, which tests/tools/golden compares
 * between two builds.  It goes to the file that FUZZ_NOTES in the environment
 * names, or nowhere. */
void fuzz_note (const gchar *format, ...) G_GNUC_PRINTF (1, 2);
void fuzz_note_bytes (const gchar *name, gconstpointer bytes, gsize size);

typedef struct
{
  const guint8 *at;
  gsize left;
} FuzzBytes;

static inline FuzzBytes
fuzz_bytes (const guint8 *data, gsize size)
{
  return (FuzzBytes){ data, size };
}

/* The next `n` bytes, at most 8, as a big-endian number. */
static inline guint64
fuzz_take (FuzzBytes *b, guint n)
{
  guint64 value = 0;

  for (; n > 0; n--) {
    value <<= 8;
    if (b->left > 0) {
      value |= *b->at++;
      b->left--;
    }
  }
  return value;
}

/* The next `n` bytes or what is left of them, as *size. */
static inline const guint8 *
fuzz_span (FuzzBytes *b, gsize n, gsize *size)
{
  const guint8 *span = b->at;

  *size = MIN (n, b->left);
  b->at += *size;
  b->left -= *size;
  return span;
}

/* The same in memory of that size alone, so that ASan sees who reads on;
 * NULL if there is none.  (transfer full) */
static inline guint8 *
fuzz_copy (FuzzBytes *b, gsize n, gsize *size)
{
  const guint8 *span = fuzz_span (b, n, size);

  return g_memdup2 (span, *size);
}

/* The same as a string, up to its first zero.  (transfer full) */
static inline gchar *
fuzz_text (FuzzBytes *b, gsize n)
{
  gsize size;
  const guint8 *span = fuzz_span (b, n, &size);

  return size > 0 ? g_strndup ((const gchar *) span, size) : g_strdup ("");
}

/* Up to the next line's end, which is taken, too. */
static inline gchar *
fuzz_line (FuzzBytes *b)
{
  const guint8 *end = b->left > 0 ? memchr (b->at, '\n', b->left) : NULL;
  gchar *line = fuzz_text (b, end ? (gsize) (end - b->at) : b->left);

  fuzz_take (b, 1);
  return line;
}

/* What a reader that refuses has to leave alone. */
static inline void
fuzz_poison (gpointer x, gsize size)
{
  memset (x, 0xa5, size);
}

static inline gboolean
fuzz_is_poison (gconstpointer x, gsize size)
{
  const guint8 *bytes = x;

  for (gsize i = 0; i < size; i++) {
    if (bytes[i] != 0xa5)
      return FALSE;
  }
  return TRUE;
}

/* As g_assert_cmpmem(), of any size. */
static inline void
fuzz_check_same (gconstpointer a, gsize na, gconstpointer b, gsize nb)
{
  g_assert_cmpuint (na, ==, nb);
  g_assert_true (na == 0 || memcmp (a, b, na) == 0);
}

/* One that can be shown: something, and UTF-8. */
static inline void
fuzz_check_message (const GError *error)
{
  g_assert_cmpuint (strlen (error->message), >, 0);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
}

G_END_DECLS
