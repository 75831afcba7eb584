/* Properties that do not stand for themselves: what an element refuses, what does
 * not go together, an algorithm with its parameters, and what follows a change.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "property-fixture.h"
#include "../rows.h"

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
    g_autoptr (GError) error = NULL;

    gst_message_parse_warning (message, &error, NULL);
    n += g_error_matches (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS);
    gst_message_unref (message);
  }
  return n;
}

static void
test_bad (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  const gchar *property = bad_rows[row].property;
  g_autofree gchar *read = NULL;
  GstBus *bus;
  GstElement *element = element_started (bad_rows[row].element, &bus);

  g_test_message ("%s", bad_rows[row].why);
  g_object_set (element, property, bad_rows[row].old, NULL);
  count_warnings (bus);
  g_object_set (element, property, bad_rows[row].bad, NULL);
  g_assert_cmpuint (count_warnings (bus), ==, 1);
  g_object_get (element, property, &read, NULL);
  g_assert_cmpstr (read, ==, bad_rows[row].old);
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
  { "events", "colour=content lda=wled controller=tfrc", 1,
      "which loss gets which label means nothing" },
  { "events-gone", "colour=content lda=wled controller=tfrc controller=arc", 0,
      "arc goes by the rate" },
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
    g_assert_cmpint (g_param_values_cmp (p, &read, &expected), ==, 0);
  }
  g_assert_cmpuint (n, ==, odd_rows[row].warnings);
  element_end (element, bus);
}

/* --- what follows a change while it plays -------------------------------------- */

/* An encoder gets its bitrate once more when its unit is another. */
static void
test_unit (void)
{
  g_autoptr (GstElement) pipeline = gst_parse_launch (
      "rtpfunnel name=f ! rtpadaptsend name=send controller=fixed "
      "start-bitrate=900000 stats-interval=0 encoder-property=sleep-time "
      "encoder-unit=1000 ! fakesink identity name=enc ! rtph264pay ! f.",
      NULL);
  g_autoptr (GstElement) send
      = gst_bin_get_by_name (GST_BIN (pipeline), "send");
  g_autoptr (GstElement) encoder
      = gst_bin_get_by_name (GST_BIN (pipeline), "enc");
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
  g_autofree gchar *read = NULL;

  g_object_get (element, property, &read, NULL);
  g_assert_cmpstr (read, ==, expected);
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

void
tests_add (void)
{
  rows_add ("/properties/bad", bad_rows, test_bad);
  rows_add_by ("/properties/odd", odd_rows, name, test_odd);
  g_test_add_func ("/properties/playing/encoder-unit", test_unit);
  rows_add ("/properties/pair", pair_rows, test_pair);
}
