/* The properties of elements as their classes have them, in their order, and the
 * values of a new instance, for tests/tools/golden.  gst-inspect-1.0 sorts them,
 * and calls the latter the default.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *   golden-inspect ELEMENT...
 */
#include <gst/gst.h>

static void
value_print (const gchar *what, const GValue *value)
{
  g_autofree gchar *text = g_strdup_value_contents (value);

  g_print (", %s %s", what, text);
}

static void
property_print (GObject *object, GParamSpec *p)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_print ("%s: %s, %s, flags %#x", p->name, G_PARAM_SPEC_TYPE_NAME (p),
      g_type_name (p->value_type), p->flags);
  /* Structures and objects have an address, or are NULL. */
  if (!G_TYPE_IS_BOXED (p->value_type)
      && !g_type_is_a (p->value_type, G_TYPE_OBJECT)) {
    value_print ("default", g_param_spec_get_default_value (p));
    if (p->flags & G_PARAM_READABLE) {
      g_object_get_property (object, p->name, &value);
      value_print ("value", &value);
    }
  }
  g_print (
      "\n  %s\n  %s\n", g_param_spec_get_nick (p), g_param_spec_get_blurb (p));
}

static void
element_print (const gchar *name)
{
  g_autoptr (GstElement) element = gst_element_factory_make (name, NULL);
  g_autofree GParamSpec **properties = NULL;
  guint n;

  if (!element)
    g_error ("no element %s", name);
  gst_object_ref_sink (element);
  properties
      = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);
  g_print ("input %s properties\n", name);
  for (guint i = 0; i < n; i++) {
    /* The name of an instance counts those before it. */
    if (g_type_is_a (properties[i]->owner_type, GST_TYPE_ELEMENT)
        && properties[i]->owner_type != GST_TYPE_BIN)
      property_print (G_OBJECT (element), properties[i]);
  }
}

int
main (int argc, char **argv)
{
  gst_init (NULL, NULL);
  for (gint i = 1; i < argc; i++)
    element_print (argv[i]);
  return 0;
}
