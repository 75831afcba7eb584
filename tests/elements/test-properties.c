/* All elements: what is set can be read back, and what is impossible changes
 * nothing.  The properties are found by introspection.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gio/gio.h>
#include <gst/gst.h>
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
  GstElement *element = gst_element_factory_make (data, NULL);

  g_assert_cmpuint (for_each_property (element, data, try_values), >, 0);
  gst_object_unref (element);
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
  GstElement *element = gst_element_factory_make (data, NULL);

  g_assert_cmpuint (for_each_property (element, data, try_default), >, 0);
  gst_object_unref (element);
}

/* What can be set while it plays reads back then, too.  Names of hosts and texts
 * of algorithms have rows of their own. */
static void
try_playing (GObject *object, GParamSpec *p)
{
  if (p->flags & GST_PARAM_MUTABLE_PLAYING && !G_IS_PARAM_SPEC_STRING (p))
    try_values (object, p);
}

static GstElement *
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

static void
element_end (GstElement *element, GstBus *bus)
{
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
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

  for (guint i = 0; i < G_N_ELEMENTS (make); i++) {
    GValue before = G_VALUE_INIT, bad = G_VALUE_INIT;

    if (make[i](p, &bad)) {
      g_value_init (&before, p->value_type);
      g_object_get_property (object, p->name, &before);
      g_test_expect_message (
          "GLib-GObject", G_LOG_LEVEL_WARNING, "*out of range*");
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
  GstElement *element = gst_element_factory_make (data, NULL);

  for_each_property (element, data, try_refused);
  gst_object_unref (element);
}

/* What the type allows, but not the element: it posts a warning. */
static const struct
{
  const gchar *element, *property, *old, *bad, *why;
} bad_rows[] = {
  { "rtpadaptsend", "lda-params", "paper", "nonsense=1", "no such parameter" },
  { "rtpadaptsend", "controller-params", "paper", "nonsense=1",
      "no such parameter" },
  { "rtpadaptsend", "fec-params", "paper", "nonsense=1", "no such parameter" },
  { "rtpadaptsend", "colour-params", "paper", "nonsense=1",
      "no such parameter" },
  { "rtpadaptrecv", "lda-params", "paper", "=,=", "no word at all" },
  { "rtpadaptsink", "lda-params", "paper", "nonsense=1",
      "its part warns, and has the value" },
  { "rtpadaptsrc", "lda-params", "paper", "nonsense=1",
      "its part warns, and has the value" },
};

static guint
count_warnings (GstBus *bus)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING))) {
    GError *error;

    gst_message_parse_warning (message, &error, NULL);
    n += g_error_matches (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS);
    g_error_free (error);
    gst_message_unref (message);
  }
  return n;
}

static void
test_bad (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  const gchar *property = bad_rows[row].property;
  gchar *read = NULL;
  GstBus *bus;
  GstElement *element = element_started (bad_rows[row].element, &bus);

  g_test_message ("%s", bad_rows[row].why);
  g_object_set (element, property, bad_rows[row].old, NULL);
  count_warnings (bus);
  g_object_set (element, property, bad_rows[row].bad, NULL);
  g_assert_cmpuint (count_warnings (bus), ==, 1);
  g_object_get (element, property, &read, NULL);
  g_assert_cmpstr (read, ==, bad_rows[row].old);
  g_free (read);
  element_end (element, bus);
}

/* Settings of which each is possible, but not all together: the last one is taken,
 * with a warning. */
static const struct
{
  const gchar *name, *settings;
  guint warnings;
  const gchar *why;
} odd_rows[] = {
  { "min-above-max", "max-bitrate=200000 min-bitrate=300000", 1,
      "max-bitrate holds" },
  { "max-below-min", "min-bitrate=300000 max-bitrate=200000", 1,
      "in whatever order" },
  { "max-below-default", "max-bitrate=50000", 0, "nobody set min-bitrate" },
  { "no-colours", "lda=wled", 1, "it needs colours" },
  { "colours", "colour=content lda=wled", 0, "here they are" },
  { "colours-gone", "colour=content lda=wled colour=none", 1, "now none" },
};

static void
test_odd (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_auto (GStrv) settings = g_strsplit (odd_rows[row].settings, " ", -1);
  GstBus *bus;
  GstElement *element = element_started ("rtpadaptsend", &bus);
  guint n = 0;

  g_test_message ("%s", odd_rows[row].why);
  for (gchar **s = settings; *s; s++) {
    g_auto (GStrv) words = g_strsplit (*s, "=", 2);
    GValue read = G_VALUE_INIT, expected = G_VALUE_INIT;
    GParamSpec *p
        = g_object_class_find_property (G_OBJECT_GET_CLASS (element), words[0]);

    count_warnings (bus);
    gst_util_set_object_arg (G_OBJECT (element), words[0], words[1]);
    n = count_warnings (bus);
    g_value_init (&read, p->value_type);
    g_value_init (&expected, p->value_type);
    g_object_get_property (G_OBJECT (element), words[0], &read);
    g_assert_true (gst_value_deserialize (&expected, words[1]));
    assert_equal (p, &read, &expected);
  }
  g_assert_cmpuint (n, ==, odd_rows[row].warnings);
  element_end (element, bus);
}

/* --- what follows a change while it plays -------------------------------------- */

/* An encoder gets its bitrate once more when its unit is another. */
static void
test_unit (void)
{
  GstElement *pipeline = gst_parse_launch (
      "rtpfunnel name=f ! rtpadaptsend name=send controller=fixed "
      "start-bitrate=900000 stats-interval=0 encoder-property=sleep-time "
      "encoder-unit=1000 ! fakesink identity name=enc ! rtph264pay ! f.",
      NULL);
  GstElement *send = gst_bin_get_by_name (GST_BIN (pipeline), "send");
  GstElement *encoder = gst_bin_get_by_name (GST_BIN (pipeline), "enc");
  static const guint units[] = { 1000, 100, 2000 };

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  for (guint i = 0; i < G_N_ELEMENTS (units); i++) {
    guint is = 0;

    g_object_set (send, "encoder-unit", units[i], NULL);
    for (guint waits = 0; is != 900000 / units[i]; waits++) {
      g_assert_cmpuint (waits, <, 6000); /* a minute */
      g_usleep (10000);
      g_object_get (encoder, "sleep-time", &is, NULL);
    }
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (encoder);
  gst_object_unref (send);
  gst_object_unref (pipeline);
}

/* --- an algorithm and its parameters ------------------------------------------ */

static const struct
{
  const gchar *element, *algorithm, *params;
} pair_rows[] = {
  { "rtpadaptsend", "controller", "controller-params" },
  { "rtpadaptsend", "lda", "lda-params" },
  { "rtpadaptsend", "fec", "fec-params" },
  { "rtpadaptsend", "colour", "colour-params" },
  { "rtpadaptrecv", "lda", "lda-params" },
  { "rtpadaptsink", "controller", "controller-params" },
  { "rtpadaptsrc", "lda", "lda-params" },
};

static void
assert_text (GstElement *element, const gchar *property, const gchar *expected)
{
  gchar *read;

  g_object_get (element, property, &read, NULL);
  g_assert_cmpstr (read, ==, expected);
  g_free (read);
}

/* Before the start both come in any order, so that one does not undo the other.
 * Later another algorithm begins with its defaults, as parameters are an
 * algorithm's own; the same one keeps them. */
static void
test_pair (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  const gchar *algorithm = pair_rows[row].algorithm;
  const gchar *params = pair_rows[row].params;
  GstBus *bus;
  GstElement *element = gst_element_factory_make (pair_rows[row].element, NULL);
  gint other;

  g_object_get (element, algorithm, &other, NULL);
  other = other == 0 ? 1 : 0;
  g_object_set (element, params, "paper", algorithm, other, NULL);
  assert_text (element, params, "paper");
  gst_object_unref (element);

  element = element_started (pair_rows[row].element, &bus);
  g_object_set (element, params, "paper", NULL);
  g_object_set (element, algorithm, other == 0 ? 1 : 0, NULL);
  g_object_set (element, params, "paper", NULL);
  assert_text (element, params, "paper");
  g_object_set (element, algorithm, other == 0 ? 1 : 0, NULL);
  assert_text (element, params, "paper");
  g_object_set (element, algorithm, other, NULL);
  assert_text (element, params, "");
  g_assert_cmpuint (count_warnings (bus), ==, 0);
  element_end (element, bus);
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  add_elements ();
  for (guint i = 0; i < G_N_ELEMENTS (bad_rows); i++) {
    g_autofree gchar *path = g_strdup_printf (
        "/properties/%s/bad/%s", bad_rows[i].element, bad_rows[i].property);

    g_test_add_data_func (path, GUINT_TO_POINTER (i), test_bad);
  }
  for (guint i = 0; i < G_N_ELEMENTS (odd_rows); i++) {
    g_autofree gchar *path
        = g_strdup_printf ("/properties/odd/%s", odd_rows[i].name);

    g_test_add_data_func (path, GUINT_TO_POINTER (i), test_odd);
  }
  g_test_add_func ("/properties/playing/encoder-unit", test_unit);
  for (guint i = 0; i < G_N_ELEMENTS (pair_rows); i++) {
    g_autofree gchar *path = g_strdup_printf (
        "/properties/%s/pair/%s", pair_rows[i].element, pair_rows[i].algorithm);

    g_test_add_data_func (path, GUINT_TO_POINTER (i), test_pair);
  }
  return g_test_run ();
}
