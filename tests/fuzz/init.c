/* What happens once before any input of a fuzz target.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fuzz.h"

#include <signal.h>
#include <stdlib.h>

#ifdef FUZZ_GST
#include <gst/gst.h>
#endif

/* GLib's end of a fatal message, which libFuzzer does not know. */
static void
on_trap (int number)
{
  abort ();
}

/* What g_return_if_fail() says is a finding, what loading plugins says is
 * not. */
int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
#ifdef FUZZ_GST
  gst_init (NULL, NULL);
#endif
  signal (SIGTRAP, on_trap);
  g_log_set_always_fatal ((GLogLevelFlags) (G_LOG_LEVEL_CRITICAL
      | G_LOG_LEVEL_WARNING | G_LOG_FATAL_MASK));
  return 0;
}
