/* Property values that make no sense, for every property of every element of
 * ours: a warning at most, and the element goes on.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "trust.h"

#include <gst/gst.h>

#include <math.h>
#include <string.h>

#define LONG 65536

/* As a user writes them in gst-launch. */
static const gchar *const nonsense[] = {
  "",
  "nonsense",
  "-1",
  "0",
  "1",
  "99999999999999999999999",
  "nan",
  "inf",
  "-inf",
  "1e999",
  "%s%n",
  "\xff\xfe",
  "NULL",
  "rtpadapt://[::1",
  "a=1,b=2",
  "/no/such/file",
};

static guint n_values;

/* Whatever an element says to the bus; nobody listens. */
static GstElement *
element_new (const gchar *name)
{
  GstElement *element = gst_element_factory_make (name, NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();

  g_assert_nonnull (element);
  gst_object_ref_sink (element);
  gst_element_set_bus (element, bus);
  return element;
}

static void
element_free (GstElement *element)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (element);

  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_bus_set_flushing (bus, TRUE);
  /* A clock's thread may just be calling it. */
  for (gint64 end = g_get_monotonic_time () + 60 * G_TIME_SPAN_SECOND;
       GST_OBJECT_REFCOUNT_VALUE (element) > 1
       && g_get_monotonic_time () < end;)
    g_usleep (1000);
  g_assert_cmpint (GST_OBJECT_REFCOUNT_VALUE (element), ==, 1);
  gst_object_unref (element);
}

/* A number that comes back is one, and in its range. */
static void
value_check (GObject *object, GParamSpec *pspec)
{
  GValue value = G_VALUE_INIT;

  if (!(pspec->flags & G_PARAM_READABLE))
    return;
  g_value_init (&value, pspec->value_type);
  g_object_get_property (object, pspec->name, &value);
  if (G_IS_PARAM_SPEC_DOUBLE (pspec))
    g_assert_false (isnan (g_value_get_double (&value)));
  g_assert_false (g_param_value_validate (pspec, &value));
  g_value_unset (&value);
}

static void
value_set (GObject *object, GParamSpec *pspec, const GValue *value)
{
  g_object_set_property (object, pspec->name, value);
  value_check (object, pspec);
  n_values++;
}

/* The least and the largest that there is. */
static void
ends_set (GObject *object, GParamSpec *pspec)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, pspec->value_type);
  for (guint i = 0; i < 2; i++) {
    if (G_IS_PARAM_SPEC_INT (pspec)) {
      GParamSpecInt *p = G_PARAM_SPEC_INT (pspec);

      g_value_set_int (&value, i ? p->maximum : p->minimum);
    } else if (G_IS_PARAM_SPEC_UINT (pspec)) {
      GParamSpecUInt *p = G_PARAM_SPEC_UINT (pspec);

      g_value_set_uint (&value, i ? p->maximum : p->minimum);
    } else if (G_IS_PARAM_SPEC_UINT64 (pspec)) {
      GParamSpecUInt64 *p = G_PARAM_SPEC_UINT64 (pspec);

      g_value_set_uint64 (&value, i ? p->maximum : p->minimum);
    } else if (G_IS_PARAM_SPEC_DOUBLE (pspec)) {
      GParamSpecDouble *p = G_PARAM_SPEC_DOUBLE (pspec);

      g_value_set_double (&value, i ? p->maximum : p->minimum);
    } else if (G_IS_PARAM_SPEC_BOOLEAN (pspec)) {
      g_value_set_boolean (&value, i > 0);
    } /* else NULL, for a string, a structure, an object */
    if (!G_IS_PARAM_SPEC_ENUM (pspec))
      value_set (object, pspec, &value);
  }
  g_value_unset (&value);
}

/* Texts of caps and structures are GStreamer's to read. */
static void
texts_set (GObject *object, GParamSpec *pspec)
{
  g_autofree gchar *text = g_strnfill (LONG, 'x');

  if (G_IS_PARAM_SPEC_BOXED (pspec) || G_IS_PARAM_SPEC_OBJECT (pspec))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (nonsense); i++) {
    gst_util_set_object_arg (object, pspec->name, nonsense[i]);
    value_check (object, pspec);
    n_values++;
  }
  gst_util_set_object_arg (object, pspec->name, text);
  value_check (object, pspec);
  n_values++;
}

static gboolean
is_ours (const GParamSpec *pspec, GstElement *element)
{
  return (pspec->flags & G_PARAM_WRITABLE)
      && !(pspec->flags & G_PARAM_CONSTRUCT_ONLY)
      && pspec->owner_type == G_OBJECT_TYPE (element);
}

/* All of one property after the other, then up and down again with what the
 * last of them left; an error is an answer. */
static void
test_element (gconstpointer name)
{
  GstElement *element = element_new (name);
  GObject *object = G_OBJECT (element);
  guint n = 0, n_properties = 0;
  g_autofree GParamSpec **pspecs
      = g_object_class_list_properties (G_OBJECT_GET_CLASS (object), &n);

  n_values = 0;
  for (guint i = 0; i < n; i++) {
    if (!is_ours (pspecs[i], element))
      continue;
    g_test_message ("%s", pspecs[i]->name);
    n_properties++;
    ends_set (object, pspecs[i]);
    texts_set (object, pspecs[i]);
    gst_element_set_state (element, GST_STATE_READY);
    if (pspecs[i]->flags
        & (GST_PARAM_MUTABLE_READY | GST_PARAM_MUTABLE_PAUSED
            | GST_PARAM_MUTABLE_PLAYING))
      ends_set (object, pspecs[i]);
    gst_element_set_state (element, GST_STATE_NULL);
  }
  trust_row ("bounds", name,
      "nonsense for each property: nothing aborts, what is read back is in "
      "its range",
      TRUE, "%u properties, %u values", n_properties, n_values);
  element_free (element);
}

static guint
warnings_take (GstElement *element)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (element);
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING))) {
    gst_message_unref (message);
    n++;
  }
  return n;
}

static const struct
{
  const gchar *element, *property, *value;
  const gchar *why;
} warned[] = {
  { "rtpadaptsend", "min-bitrate", "30000000",
      "min-bitrate above max-bitrate" },
  { "rtpadaptsend", "lda-params", "nonsense=1", "a parameter that is not" },
  { "rtpadaptsend", "controller-params", "jitter=nan", "a value that is none" },
};

/* It says so, and goes on. */
static void
test_warnings (void)
{
  guint told = 0;

  for (guint i = 0; i < G_N_ELEMENTS (warned); i++) {
    GstElement *element = element_new (warned[i].element);

    gst_util_set_object_arg (
        G_OBJECT (element), warned[i].property, warned[i].value);
    g_test_message ("%s", warned[i].why);
    g_assert_cmpint (gst_element_set_state (element, GST_STATE_READY), ==,
        GST_STATE_CHANGE_SUCCESS);
    g_assert_cmpint (gst_element_set_state (element, GST_STATE_PAUSED), !=,
        GST_STATE_CHANGE_FAILURE);
    told += warnings_take (element) > 0;
    element_free (element);
  }
  trust_row ("bounds", "impossible settings",
      "min-bitrate above max-bitrate and the like: a warning, and it runs",
      told == G_N_ELEMENTS (warned), "%u of %u warned", told,
      (guint) G_N_ELEMENTS (warned));
}

void
tests_add (void)
{
  GList *features;

  /* GObject warns of what is out of a property's range, and leaves it. */
  g_log_set_always_fatal (G_LOG_LEVEL_CRITICAL | G_LOG_FATAL_MASK);
  features = gst_registry_get_feature_list_by_plugin (
      gst_registry_get (), "rtpadapt");
  for (GList *l = features; l; l = l->next) {
    const gchar *name = gst_plugin_feature_get_name (l->data);
    g_autofree gchar *path
        = g_strdup_printf ("/trust/bounds/properties/%s", name);

    if (GST_IS_ELEMENT_FACTORY (l->data))
      g_test_add_data_func_full (path, g_strdup (name), test_element, g_free);
  }
  gst_plugin_feature_list_free (features);
  g_test_add_func ("/trust/bounds/warnings", test_warnings);
}
