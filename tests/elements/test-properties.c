/* All elements: what is set can be read back, and what is impossible changes
 * nothing.  The properties are found by introspection.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../main.h"
#include "property-fixture.h"

#include <gio/gio.h>
#include <math.h>

#define PLUGIN "rtpadapt"

/* Properties that do not read back as they were set. */
static const struct
{
  const gchar *element, *property, *why;
} exceptions[] = {
  { "rtpadaptsink", "uri", "it is made of host and port" },
  { "rtpadaptsrc", "uri", "it is made of address and port" },
  { "rtpadaptlink", "link", "it is a language; test-rtpadaptlink.c" },
};

static gboolean
is_exception (const gchar *element, const GParamSpec *p)
{
  for (guint i = 0; i < G_N_ELEMENTS (exceptions); i++)
    if (g_str_equal (exceptions[i].element, element)
        && g_str_equal (exceptions[i].property, p->name))
      return TRUE;
  return FALSE;
}

/* --- set and read back ---------------------------------------------------- */

static void
assert_equal (GParamSpec *p, const GValue *is, const GValue *expected)
{
  g_autofree gchar *a = g_strdup_value_contents (is);
  g_autofree gchar *b = g_strdup_value_contents (expected);

  if (g_param_values_cmp (p, is, expected) != 0) {
    g_test_message ("%s is %s, not %s", p->name, a, b);
    g_test_fail ();
  }
}

static void
assert_reads (GObject *object, GParamSpec *p, const GValue *expected)
{
  GValue value = G_VALUE_INIT;

  if (!(p->flags & G_PARAM_READABLE))
    return;
  g_value_init (&value, p->value_type);
  g_object_get_property (object, p->name, &value);
  if (p->value_type == GST_TYPE_CAPS && g_value_get_boxed (&value))
    g_assert_true (gst_caps_is_equal (
        gst_value_get_caps (&value), gst_value_get_caps (expected)));
  else
    assert_equal (p, &value, expected);
  g_value_unset (&value);
}

/* `value` is unset. */
static void
set_and_read (GObject *object, GParamSpec *p, GValue *value)
{
  g_object_set_property (object, p->name, value);
  assert_reads (object, p, value);
  g_value_unset (value);
}

/* Both ends of a number; FALSE if it is no number. */
static gboolean
get_range (GParamSpec *p, GValue *low, GValue *high)
{
  g_value_init (low, p->value_type);
  g_value_init (high, p->value_type);
  if (G_IS_PARAM_SPEC_INT (p)) {
    g_value_set_int (low, G_PARAM_SPEC_INT (p)->minimum);
    g_value_set_int (high, G_PARAM_SPEC_INT (p)->maximum);
  } else if (G_IS_PARAM_SPEC_UINT (p)) {
    g_value_set_uint (low, G_PARAM_SPEC_UINT (p)->minimum);
    g_value_set_uint (high, G_PARAM_SPEC_UINT (p)->maximum);
  } else if (G_IS_PARAM_SPEC_UINT64 (p)) {
    g_value_set_uint64 (low, G_PARAM_SPEC_UINT64 (p)->minimum);
    g_value_set_uint64 (high, G_PARAM_SPEC_UINT64 (p)->maximum);
  } else if (G_IS_PARAM_SPEC_DOUBLE (p)) {
    g_value_set_double (low, G_PARAM_SPEC_DOUBLE (p)->minimum);
    g_value_set_double (high, G_PARAM_SPEC_DOUBLE (p)->maximum);
  } else if (G_IS_PARAM_SPEC_BOOLEAN (p)) {
    g_value_set_boolean (low, FALSE);
    g_value_set_boolean (high, TRUE);
  } else {
    g_value_unset (low);
    g_value_unset (high);
    return FALSE;
  }
  return TRUE;
}

static void
try_enum (GObject *object, GParamSpec *p)
{
  const GEnumClass *all = G_PARAM_SPEC_ENUM (p)->enum_class;

  for (guint i = 0; i < all->n_values; i++) {
    GValue value = G_VALUE_INIT;

    g_value_init (&value, p->value_type);
    g_value_set_enum (&value, all->values[i].value);
    set_and_read (object, p, &value);
  }
}

/* Nothing set is the default; an empty text may read as none. */
static void
try_text (GObject *object, GParamSpec *p)
{
  const gchar *otherwise = G_PARAM_SPEC_STRING (p)->default_value;
  gchar *read = NULL;
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_STRING);
  g_value_set_static_string (&value, "192.0.2.1");
  set_and_read (object, p, &value);
  if (p->flags & G_PARAM_READABLE) {
    g_object_set (object, p->name, "", NULL);
    g_object_get (object, p->name, &read, NULL);
    g_assert_cmpstr (read ? read : "", ==, "");
    g_free (read);
    g_object_set (object, p->name, NULL, NULL);
    g_object_get (object, p->name, &read, NULL);
    g_assert_cmpstr (read, ==, otherwise);
    g_free (read);
  }
}

static void
try_rest (GObject *object, GParamSpec *p)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, p->value_type);
  if (p->value_type == GST_TYPE_CAPS)
    g_value_take_boxed (
        &value, gst_caps_from_string ("application/x-rtp,payload=96"));
  else if (p->value_type == G_TYPE_SOCKET)
    g_value_take_object (&value,
        g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM,
            G_SOCKET_PROTOCOL_UDP, NULL));
  else
    g_error ("%s: this test does not know its type", p->name);
  set_and_read (object, p, &value);
}

/* Minimum, maximum, each value of an enumeration; at last the default. */
static void
try_values (GObject *object, GParamSpec *p)
{
  GValue low = G_VALUE_INIT, high = G_VALUE_INIT;
  GValue otherwise = G_VALUE_INIT;

  if (get_range (p, &low, &high)) {
    set_and_read (object, p, &low);
    set_and_read (object, p, &high);
  } else if (G_IS_PARAM_SPEC_ENUM (p)) {
    try_enum (object, p);
  } else if (G_IS_PARAM_SPEC_STRING (p)) {
    try_text (object, p);
  } else {
    try_rest (object, p);
  }
  g_value_init (&otherwise, p->value_type);
  g_param_value_set_default (p, &otherwise);
  set_and_read (object, p, &otherwise);
}

typedef void (*TryFunc) (GObject *object, GParamSpec *p);

/* Of the element's own class that can be written. */
static guint
for_each_property (GstElement *element, const gchar *name, TryFunc try)
{
  guint n, tried = 0;
  g_autofree GParamSpec **all
      = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);

  for (guint i = 0; i < n; i++) {
    if (all[i]->owner_type != G_OBJECT_TYPE (element)
        || !(all[i]->flags & G_PARAM_WRITABLE) || is_exception (name, all[i]))
      continue;
    try (G_OBJECT (element), all[i]);
    tried++;
  }
  return tried;
}

static void
test_values (gconstpointer data)
{
  g_autoptr (GstElement) element = gst_element_factory_make (data, NULL);

  g_assert_cmpuint (for_each_property (element, data, try_values), >, 0);
}

static void
try_default (GObject *object, GParamSpec *p)
{
  GValue otherwise = G_VALUE_INIT;

  g_value_init (&otherwise, p->value_type);
  g_param_value_set_default (p, &otherwise);
  assert_reads (object, p, &otherwise);
  g_value_unset (&otherwise);
}

/* A new element has the defaults of its class. */
static void
test_defaults (gconstpointer data)
{
  g_autoptr (GstElement) element = gst_element_factory_make (data, NULL);

  g_assert_cmpuint (for_each_property (element, data, try_default), >, 0);
}

/* What can be set while it plays reads back then, too.  Names of hosts and texts
 * of algorithms have rows of their own. */
static void
try_playing (GObject *object, GParamSpec *p)
{
  if (p->flags & GST_PARAM_MUTABLE_PLAYING && !G_IS_PARAM_SPEC_STRING (p))
    try_values (object, p);
}

static void
test_playing (gconstpointer data)
{
  GstBus *bus;
  GstElement *element = element_started (data, &bus);

  for_each_property (element, data, try_playing);
  element_end (element, bus);
}

/* --- impossible values ------------------------------------------------------ */

/* One less than the minimum; FALSE if the type has none. */
static gboolean
make_below (GParamSpec *p, GValue *value)
{
  GValue high = G_VALUE_INIT;

  if (G_IS_PARAM_SPEC_BOOLEAN (p) || !get_range (p, value, &high))
    return FALSE;
  g_value_unset (&high);
  if (G_IS_PARAM_SPEC_INT (p) && g_value_get_int (value) > G_MININT)
    g_value_set_int (value, g_value_get_int (value) - 1);
  else if (G_IS_PARAM_SPEC_UINT (p) && g_value_get_uint (value) > 0)
    g_value_set_uint (value, g_value_get_uint (value) - 1);
  else if (G_IS_PARAM_SPEC_UINT64 (p) && g_value_get_uint64 (value) > 0)
    g_value_set_uint64 (value, g_value_get_uint64 (value) - 1);
  else if (G_IS_PARAM_SPEC_DOUBLE (p))
    g_value_set_double (value, g_value_get_double (value) - 1);
  else
    return FALSE;
  return TRUE;
}

/* One more than the maximum, or a number that the enumeration does not have. */
static gboolean
make_above (GParamSpec *p, GValue *value)
{
  GValue low = G_VALUE_INIT;

  if (G_IS_PARAM_SPEC_ENUM (p)) {
    g_value_init (value, p->value_type);
    g_value_set_enum (value, G_MAXINT);
    return TRUE;
  }
  if (G_IS_PARAM_SPEC_BOOLEAN (p) || !get_range (p, &low, value))
    return FALSE;
  g_value_unset (&low);
  if (G_IS_PARAM_SPEC_INT (p) && g_value_get_int (value) < G_MAXINT)
    g_value_set_int (value, g_value_get_int (value) + 1);
  else if (G_IS_PARAM_SPEC_UINT (p) && g_value_get_uint (value) < G_MAXUINT)
    g_value_set_uint (value, g_value_get_uint (value) + 1);
  else if (G_IS_PARAM_SPEC_UINT64 (p)
      && g_value_get_uint64 (value) < G_MAXUINT64)
    g_value_set_uint64 (value, g_value_get_uint64 (value) + 1);
  else
    return FALSE;
  return TRUE;
}

static gboolean
make_nan (GParamSpec *p, GValue *value)
{
  if (!G_IS_PARAM_SPEC_DOUBLE (p))
    return FALSE;
  g_value_init (value, G_TYPE_DOUBLE);
  g_value_set_double (value, NAN);
  return TRUE;
}

static void
try_refused (GObject *object, GParamSpec *p)
{
  gboolean (*const make[]) (GParamSpec *, GValue *)
      = { make_below, make_above, make_nan };

  /* GLib 2.74 warns of such a value, 2.84 is critical of it. */
  const GLogLevelFlags level = glib_check_version (2, 76, 0)
      ? G_LOG_LEVEL_WARNING
      : G_LOG_LEVEL_CRITICAL;

  for (guint i = 0; i < G_N_ELEMENTS (make); i++) {
    GValue before = G_VALUE_INIT, bad = G_VALUE_INIT;

    if (make[i](p, &bad)) {
      g_value_init (&before, p->value_type);
      g_object_get_property (object, p->name, &before);
      g_test_expect_message ("GLib-GObject", level, "*out of range*");
      g_object_set_property (object, p->name, &bad);
      g_test_assert_expected_messages ();
      assert_reads (object, p, &before);
      g_value_unset (&before);
    }
    if (G_IS_VALUE (&bad))
      g_value_unset (&bad);
  }
}

static void
test_refused (gconstpointer data)
{
  g_autoptr (GstElement) element = gst_element_factory_make (data, NULL);

  for_each_property (element, data, try_refused);
}

static void
add_elements (void)
{
  GList *features
      = gst_registry_get_feature_list_by_plugin (gst_registry_get (), PLUGIN);
  guint n = 0;

  for (GList *l = features; l; l = l->next) {
    const gchar *name = g_intern_string (GST_OBJECT_NAME (l->data));
    g_autofree gchar *values = g_strdup_printf ("/properties/%s/values", name);
    g_autofree gchar *first = g_strdup_printf ("/properties/%s/default", name);
    g_autofree gchar *later = g_strdup_printf ("/properties/%s/playing", name);
    g_autofree gchar *bad = g_strdup_printf ("/properties/%s/refused", name);

    /* Header extensions have no properties of their own. */
    if (!GST_IS_ELEMENT_FACTORY (l->data) || g_str_has_prefix (name, "rtphdr"))
      continue;
    g_test_add_data_func (values, name, test_values);
    g_test_add_data_func (first, name, test_defaults);
    g_test_add_data_func (later, name, test_playing);
    g_test_add_data_func (bad, name, test_refused);
    n++;
  }
  g_assert_cmpuint (n, >, 0);
  gst_plugin_feature_list_free (features);
}

void
tests_add (void)
{
  add_elements ();
}
