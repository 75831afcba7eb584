/* Encoders as elements, for the tests of what drives them.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/check/gstharness.h>
#include <plugins/rtpadapt/send/encoder.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstHarness, gst_harness_teardown)

static inline gint64
number_get (GstElement *element, const gchar *property)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_INT64);
  g_object_get_property (G_OBJECT (element), property, &value);
  return g_value_get_int64 (&value);
}

/* NULL and a skipped test if it is not installed. */
static inline GstElement *
element_new (const gchar *line)
{
  g_autofree gchar *factory = g_strndup (line, strcspn (line, " "));
  g_autoptr (GstElementFactory) found = gst_element_factory_find (factory);
  g_autoptr (GError) error = NULL;
  GstElement *element;

  if (!found) {
    g_autofree gchar *why = g_strdup_printf ("no %s is installed", factory);

    g_test_skip (why);
    return NULL;
  }
  element = gst_parse_launch (line, &error);
  g_assert_no_error (error);
  return gst_object_ref_sink (element);
}
