/* An element by itself, to set its properties while it runs.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

static inline GstElement *
element_started (const gchar *name, GstBus **bus)
{
  GstElement *element = gst_element_factory_make (name, NULL);
  GObjectClass *class = G_OBJECT_GET_CLASS (element);

  *bus = gst_bus_new ();
  gst_element_set_bus (element, *bus);
  if (g_object_class_find_property (class, "address"))
    g_object_set (element, "address", "127.0.0.1", "port", 0, NULL);
  g_assert_cmpint (gst_element_set_state (element, GST_STATE_PAUSED), !=,
      GST_STATE_CHANGE_FAILURE);
  return element;
}

static inline void
element_end (GstElement *element, GstBus *bus)
{
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
}
