/* Runs a fuzz target without libFuzzer: over its seeds, over every input that
 * once was a finding, and over mutations of them all, always the same ones.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *   fuzz-NAME            as a test
 *   fuzz-NAME PATH...    files, and all files in folders, as they are
 *
 * FUZZ_KEEP=FILE in the environment writes each input there before it is run:
 * what is in it after a crash is the one.
 */
#include "../trust/trust.h"
#include "fuzz.h"

#include <gst/rtpadapt/util/rng.h>

#define INPUT_MAX 4096
#define SEED 1

static GPtrArray *inputs;      /* of GBytes */
static GPtrArray *input_names; /* of their files, for notes */
static guint n_seeds, n_crashers;

static void
run (const guint8 *data, gsize size)
{
  const gchar *keep = g_getenv ("FUZZ_KEEP");
  g_autofree guint8 *exact = g_memdup2 (data, size);

  if (keep)
    g_file_set_contents_full (keep, (const gchar *) data, (gssize) size,
        G_FILE_SET_CONTENTS_NONE, 0600, NULL);
  LLVMFuzzerTestOneInput (exact, size);
}

/* --- files -------------------------------------------------------------- */

static void
file_add (const gchar *path)
{
  g_autoptr (GError) error = NULL;
  gchar *text;
  gsize size;

  if (!g_file_get_contents (path, &text, &size, &error))
    g_error ("%s", error->message);
  g_ptr_array_add (inputs, g_bytes_new_take (text, size));
  g_ptr_array_add (input_names, g_path_get_basename (path));
}

static gint
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(gchar *const *) a, *(gchar *const *) b);
}

/* In order of their names, whatever the file system's is.  How many. */
static guint
folder_add (const gchar *path)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const gchar *name;

  while (folder && (name = g_dir_read_name (folder)))
    g_ptr_array_add (names, g_build_filename (path, name, NULL));
  g_ptr_array_sort (names, by_name);
  for (guint i = 0; i < names->len; i++)
    file_add (g_ptr_array_index (names, i));
  return names->len;
}

static void
path_add (const gchar *path)
{
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    folder_add (path);
  else
    file_add (path);
}

static guint
folder_of (const gchar *kind)
{
  g_autofree gchar *path
      = g_build_filename (FUZZ_FOLDER, kind, FUZZ_NAME, NULL);

  return folder_add (path);
}

/* --- mutations ---------------------------------------------------------- */

static guint
below (RaRng *rng, guint n)
{
  return ra_rng_next (rng) % n;
}

/* `n` bytes at `at` take the place of `old` ones. */
static void
splice (GByteArray *x, guint at, guint old, const guint8 *bytes, guint n)
{
  guint tail = x->len - at - old;

  if (n > old)
    g_byte_array_set_size (x, x->len + n - old);
  memmove (x->data + at + n, x->data + at + old, tail);
  memcpy (x->data + at, bytes, n);
  g_byte_array_set_size (x, at + n + tail);
}

/* A number at the edge of something, big-endian. */
static void
put_edge (GByteArray *x, guint at, RaRng *rng)
{
  static const gint64 edges[] = { 0, 1, -1, 2, 0x7f, 0x80, 0xff, 0x100, 0x3fff,
    0x4000, 0x7fff, 0x8000, 0xffff, 0xffffff, 0x7fffffff, 0x80000000 };
  guint size = 1u << below (rng, 4), n = MIN (size, x->len - at);
  guint64 edge = (guint64) edges[below (rng, G_N_ELEMENTS (edges))];

  for (guint i = 0; i < n; i++)
    x->data[at + i] = (guint8) (edge >> 8 * (n - 1 - i));
}

static void
mutate_once (GByteArray *x, RaRng *rng)
{
  guint kind = below (rng, 8), at = x->len > 0 ? below (rng, x->len) : 0, n;
  guint8 bytes[16];
  GBytes *other;
  const guint8 *from;
  gsize size;

  for (guint i = 0; i < sizeof bytes; i++)
    bytes[i] = (guint8) ra_rng_next (rng);
  if (x->len == 0 || kind == 0) {
    splice (x, at, 0, bytes, 1 + below (rng, sizeof bytes));
  } else if (kind == 1) {
    n = 1 + below (rng, 16);
    splice (x, at, MIN (n, x->len - at), bytes, 0);
  } else if (kind == 2) {
    other = g_ptr_array_index (inputs, below (rng, inputs->len));
    from = g_bytes_get_data (other, &size);
    if (size > 0)
      splice (x, at, 0, from, 1 + below (rng, (guint) size));
  } else if (kind == 3) {
    g_byte_array_set_size (x, at);
  } else if (kind == 4) {
    put_edge (x, at, rng);
  } else if (kind == 5) {
    x->data[at] = bytes[0];
  } else {
    x->data[at] ^= (guint8) (1u << below (rng, 8));
  }
  g_byte_array_set_size (x, MIN (x->len, INPUT_MAX));
}

static GByteArray *
mutant (RaRng *rng)
{
  GByteArray *x = g_byte_array_new ();
  gsize size = 0;
  const guint8 *data = NULL;

  if (inputs->len > 0)
    data = g_bytes_get_data (
        g_ptr_array_index (inputs, below (rng, inputs->len)), &size);
  if (size > 0)
    g_byte_array_append (x, data, (guint) size);
  for (guint n = 1 + below (rng, 6); n > 0; n--)
    mutate_once (x, rng);
  return x;
}

/* --- tests -------------------------------------------------------------- */

static void
run_inputs (guint from, guint to)
{
  for (guint i = from; i < to; i++) {
    gsize size;
    const guint8 *data
        = g_bytes_get_data (g_ptr_array_index (inputs, i), &size);

    fuzz_note ("input %s", (gchar *) g_ptr_array_index (input_names, i));
    run (data, size);
  }
}

static void
test_seeds (void)
{
  g_assert_cmpuint (n_seeds, >, 0);
  run_inputs (0, n_seeds);
}

static void
test_crashers (void)
{
  run_inputs (n_seeds, n_seeds + n_crashers);
}

static void
test_mutations (void)
{
  RaRng rng;

  ra_rng_init (&rng, SEED, 0);
  fuzz_note ("input %u mutations of %u", FUZZ_MUTATIONS, inputs->len);
  for (guint i = 0; i < FUZZ_MUTATIONS; i++) {
    g_autoptr (GByteArray) x = mutant (&rng);

    run (x->data, x->len);
  }
  trust_row ("fuzz", FUZZ_NAME, FUZZ_PROMISE, TRUE,
      "%u seeds, %u former findings, %u mutations of seed %d: no finding",
      n_seeds, n_crashers, FUZZ_MUTATIONS, SEED);
}

static int
run_paths (int argc, char **argv)
{
  for (gint i = 1; i < argc; i++)
    path_add (argv[i]);
  run_inputs (0, inputs->len);
  g_print ("%s: %u inputs\n", FUZZ_NAME, inputs->len);
  g_ptr_array_unref (inputs);
  g_ptr_array_unref (input_names);
  return 0;
}

int
main (int argc, char **argv)
{
  gint status;

  LLVMFuzzerInitialize (&argc, &argv);
  inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  input_names = g_ptr_array_new_with_free_func (g_free);
  if (argc > 1 && argv[1][0] != '-')
    return run_paths (argc, argv);
  g_test_init (&argc, &argv, NULL);
  n_seeds = folder_of ("corpus");
  n_crashers = folder_of ("crashers");
  g_test_add_func ("/fuzz/" FUZZ_NAME "/seeds", test_seeds);
  g_test_add_func ("/fuzz/" FUZZ_NAME "/crashers", test_crashers);
  g_test_add_func ("/fuzz/" FUZZ_NAME "/mutations", test_mutations);
  status = g_test_run ();
  g_ptr_array_unref (inputs);
  g_ptr_array_unref (input_names);
  return status;
}
