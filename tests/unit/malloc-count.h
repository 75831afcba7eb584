/* Counts the allocations of the program and of GLib, where no sanitizer has a malloc of
 * its own.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One source file of a program can include this.
 */
#pragma once

#include <glib.h>
#include <stdlib.h>

/* Allocations so far; what is not freed of them. */
static guint n_malloc, n_live;

#ifndef __SANITIZE_ADDRESS__
extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *memory, size_t size);
extern void __libc_free (void *memory);

void *
malloc (size_t size)
{
  n_malloc++;
  n_live++;
  return __libc_malloc (size);
}

void *
calloc (size_t n, size_t size)
{
  n_malloc++;
  n_live++;
  return __libc_calloc (n, size);
}

void *
realloc (void *memory, size_t size)
{
  n_malloc++;
  n_live += memory == NULL;
  return __libc_realloc (memory, size);
}

void
free (void *memory)
{
  n_live -= memory != NULL;
  __libc_free (memory);
}
#endif

/* FALSE: nothing is counted, and the test is skipped. */
static inline gboolean
malloc_counts (void)
{
#ifdef __SANITIZE_ADDRESS__
  g_test_skip ("the sanitizer has a malloc of its own");
  return FALSE;
#else
  guint before = n_malloc;

  g_free (g_malloc (100000));
  g_free (g_malloc0 (100000));
  g_assert_cmpuint (n_malloc, ==, before + 2);
  return TRUE;
#endif
}
