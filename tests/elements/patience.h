/* How long a test waits for what other threads do, and elements from text.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* For slow machines. */
#define PATIENCE (60 * G_TIME_SPAN_SECOND)

/* Other threads act on what this one did.  The condition is not evaluated again once
 * it was true. */
#define wait_until(condition)                                           \
  G_STMT_START                                                          \
  {                                                                     \
    gint64 end_ = g_get_monotonic_time () + PATIENCE;                   \
    while (!(condition)) {                                              \
      if (g_get_monotonic_time () > end_)                               \
        g_error ("%s:%d: in vain: %s", __FILE__, __LINE__, #condition); \
      g_usleep (1000);                                                  \
    }                                                                   \
  }                                                                     \
  G_STMT_END

/* Fails at a property that is not there, which gst_parse_launch() passes over. */
static inline GstElement *
line_new (const gchar *line)
{
  GError *error = NULL;
  GstElement *element = gst_parse_launch (line, &error);

  g_assert_no_error (error);
  return element;
}
