/* Every writable property of every element of ours, found by introspection, set
 * from other threads to whatever its type allows while it plays.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../elements/src-fixture.h"
#include "trust.h"

#define PLUGIN "rtpadapt"
#define THREADS 2
/* Times that a thread goes through all properties. */
#define ROUNDS 100

typedef struct
{
  GstElement *element;
  GParamSpec *spec;
} Target;

typedef struct
{
  GArray *targets;
  guint seed;
  gint set; /* atomic */
} Work;

/* Properties read in handlers of notify and of messages; atomic. */
static gint n_read;

/* --- what there is to be set ------------------------------------------------------ */

static gboolean
is_ours (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory
      && g_strcmp0 (
             gst_plugin_feature_get_plugin_name (GST_PLUGIN_FEATURE (factory)),
             PLUGIN)
      == 0;
}

static void
add_targets (GArray *targets, GstElement *element, GHashTable *seen)
{
  guint n;
  g_autofree GParamSpec **specs
      = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);

  if (!is_ours (element))
    return;
  g_hash_table_add (
      seen, g_strdup (GST_OBJECT_NAME (gst_element_get_factory (element))));
  for (guint i = 0; i < n; i++) {
    const Target target = { element, specs[i] };

    /* What all elements have, or all sinks, is not ours. */
    if (specs[i]->flags & G_PARAM_WRITABLE
        && !(specs[i]->flags & G_PARAM_CONSTRUCT_ONLY)
        && specs[i]->owner_type == G_OBJECT_TYPE (element))
      g_array_append_val (targets, target);
  }
}

/* In `bin` and below. */
static void
find_targets (GArray *targets, GstElement *bin, GHashTable *seen)
{
  GstIterator *all = gst_bin_iterate_recurse (GST_BIN (bin));
  GValue item = G_VALUE_INIT;

  while (gst_iterator_next (all, &item) == GST_ITERATOR_OK) {
    add_targets (targets, g_value_get_object (&item), seen);
    g_value_reset (&item);
  }
  gst_iterator_free (all);
}

/* The element factories of the plugin that `seen` has not. */
static guint
not_seen (GHashTable *seen)
{
  GList *features
      = gst_registry_get_feature_list_by_plugin (gst_registry_get (), PLUGIN);
  guint n = 0;

  for (GList *l = features; l; l = l->next) {
    const gchar *name = GST_OBJECT_NAME (l->data);

    /* Header extensions are written into payloaders, and have no properties. */
    if (!GST_IS_ELEMENT_FACTORY (l->data)
        || g_str_has_prefix (name, "rtphdrext")
        || g_hash_table_contains (seen, name))
      continue;
    g_test_message ("not in the pipeline: %s", name);
    n++;
  }
  gst_plugin_feature_list_free (features);
  return n;
}

/* --- values ------------------------------------------------------------------------ */

static const gchar *const texts[] = { NULL, "", "127.0.0.1", "::1", "a=b",
  "=,=", "96=H264/90000", "96=X/0,300=Y/-1", "alpha=1e999", "min=nan",
  "rtpadapt://127.0.0.1:1?key=00", "\xc3\x28", "%s%n", "delay 1ms", "/dev/null",
  "0123456789abcdef" };

#define LABEL "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* Such as are found, or refused, without asking a name server: that would be
 * traffic, and is waited for.  RFC 1035 2.3.4: a label has 63 letters at most. */
static const gchar *const hosts[]
    = { NULL, "", "127.0.0.1", "::1", "localhost", "a..b", LABEL, "\xc3\x28" };

/* One end of the range, or what is inside. */
static gint64
pick (GRand *dice, gint64 low, gint64 high)
{
  switch (g_rand_int_range (dice, 0, 4)) {
    case 0:
      return low;
    case 1:
      return high;
    default:
      return low
          + (gint64) (g_rand_double (dice) * ((gdouble) high - (gdouble) low));
  }
}

static void
set_number (GRand *dice, GParamSpec *spec, GValue *value)
{
  if (G_IS_PARAM_SPEC_INT (spec))
    g_value_set_int (value,
        (gint) pick (dice, G_PARAM_SPEC_INT (spec)->minimum,
            G_PARAM_SPEC_INT (spec)->maximum));
  else if (G_IS_PARAM_SPEC_UINT (spec))
    g_value_set_uint (value,
        (guint) pick (dice, G_PARAM_SPEC_UINT (spec)->minimum,
            G_PARAM_SPEC_UINT (spec)->maximum));
  else if (G_IS_PARAM_SPEC_INT64 (spec))
    g_value_set_int64 (value,
        g_rand_boolean (dice) ? G_PARAM_SPEC_INT64 (spec)->minimum
                              : G_PARAM_SPEC_INT64 (spec)->maximum);
  else if (G_IS_PARAM_SPEC_UINT64 (spec))
    g_value_set_uint64 (value,
        g_rand_boolean (dice) ? G_PARAM_SPEC_UINT64 (spec)->minimum
                              : G_PARAM_SPEC_UINT64 (spec)->maximum);
  else if (G_IS_PARAM_SPEC_DOUBLE (spec))
    g_value_set_double (value,
        g_rand_boolean (dice) ? G_PARAM_SPEC_DOUBLE (spec)->minimum
                              : G_PARAM_SPEC_DOUBLE (spec)->maximum);
}

static const gchar *
pick_text (GRand *dice, GParamSpec *spec)
{
  if (g_str_equal (spec->name, "host") || g_str_equal (spec->name, "address"))
    return hosts[g_rand_int_range (dice, 0, G_N_ELEMENTS (hosts))];
  return texts[g_rand_int_range (dice, 0, G_N_ELEMENTS (texts))];
}

static void
make_value (GRand *dice, GParamSpec *spec, GValue *value)
{
  g_value_init (value, spec->value_type);
  if (g_rand_int_range (dice, 0, 4) == 0) {
    g_param_value_set_default (spec, value);
  } else if (G_IS_PARAM_SPEC_STRING (spec)) {
    g_value_set_static_string (value, pick_text (dice, spec));
  } else if (G_IS_PARAM_SPEC_BOOLEAN (spec)) {
    g_value_set_boolean (value, g_rand_boolean (dice));
  } else if (G_IS_PARAM_SPEC_ENUM (spec)) {
    const GEnumClass *e = G_PARAM_SPEC_ENUM (spec)->enum_class;

    g_value_set_enum (
        value, e->values[g_rand_int_range (dice, 0, (gint) e->n_values)].value);
  } else if (spec->value_type == GST_TYPE_CAPS) {
    g_value_take_boxed (value,
        g_rand_boolean (dice)
            ? gst_caps_new_any ()
            : gst_caps_new_empty_simple ("application/x-rtp"));
  } else {
    set_number (dice, spec, value);
  }
}

static gpointer
set_all (gpointer data)
{
  Work *work = data;
  g_autoptr (GRand) dice
      = g_rand_new_with_seed ((guint32) g_atomic_int_add (&work->seed, 1));

  for (guint i = 0; i < ROUNDS * work->targets->len; i++) {
    const Target *t = &g_array_index (work->targets, Target,
        g_rand_int_range (dice, 0, (gint) work->targets->len));
    GValue value = G_VALUE_INIT;

    make_value (dice, t->spec, &value);
    g_object_set_property (G_OBJECT (t->element), t->spec->name, &value);
    g_value_unset (&value);
    if (t->spec->flags & G_PARAM_READABLE) {
      g_value_init (&value, t->spec->value_type);
      g_object_get_property (G_OBJECT (t->element), t->spec->name, &value);
      g_value_unset (&value);
    }
    g_atomic_int_inc (&work->set);
  }
  return NULL;
}

/* --- who listens -------------------------------------------------------------------- */

static void
read_property (GObject *object, GParamSpec *spec)
{
  GValue value = G_VALUE_INIT;

  if (!(spec->flags & G_PARAM_READABLE))
    return;
  g_value_init (&value, spec->value_type);
  g_object_get_property (object, spec->name, &value);
  g_value_unset (&value);
  g_atomic_int_inc (&n_read);
}

/* An application reads what changed at once.  It would wait for ever if the
 * element still held its lock. */
static void
on_notify (GObject *object, GParamSpec *spec, gpointer data)
{
  read_property (object, spec);
}

static void
on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  GObject *from = G_OBJECT (GST_MESSAGE_SRC (message));
  guint n;
  g_autofree GParamSpec **specs = NULL;

  if (!GST_IS_ELEMENT (from) || !is_ours (GST_ELEMENT (from)))
    return;
  specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (from), &n);
  for (guint i = 0; i < n; i++)
    if (specs[i]->owner_type == G_OBJECT_TYPE (from))
      read_property (from, specs[i]);
}

static void
listen_to_bus (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);

  gst_bus_enable_sync_message_emission (bus);
  g_signal_connect (bus, "sync-message", G_CALLBACK (on_message), NULL);
}

static void
listen_to_elements (const GArray *targets)
{
  GstElement *last = NULL;

  for (guint i = 0; i < targets->len; i++) {
    GstElement *element = g_array_index (targets, Target, i).element;

    if (element != last)
      g_signal_connect (element, "notify", G_CALLBACK (on_notify), NULL);
    last = element;
  }
}

/* --- the test ---------------------------------------------------------------------- */

#define TONE                                          \
  "audiotestsrc is-live=true samplesperbuffer=160 ! " \
  "audio/x-raw,rate=8000,channels=1 ! mulawenc ! rtppcmupay "

/* All elements in one pipeline: the bins with what is inside them, and each by
 * itself. */
static GstElement *
pipeline_new (gint port)
{
  g_autofree gchar *line = g_strdup_printf (TONE
      "! rtpadaptsink host=127.0.0.1 port=%d " TONE
      "! rtpadaptfecenc ! rtpadaptsend ! rtpadaptlink link=\"delay 1ms\" ! "
      "rtpadaptudpsink host=127.0.0.1 port=%d "
      "rtpadaptudpsrc port=0 address=127.0.0.1 ! rtpadaptrecv ! "
      "fakesink sync=false async=false",
      port, port);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);

  g_assert_no_error (error);
  return pipeline;
}

static void
no_news (
    const gchar *domain, GLogLevelFlags level, const gchar *text, gpointer data)
{
}

static void
test_properties (void)
{
  g_autoptr (GHashTable) seen
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Work work
      = { .targets = g_array_new (FALSE, FALSE, sizeof (Target)), .seed = 1 };
  GThread *threads[THREADS];
  GstElement *pipeline;
  Receiver t;
  guint missing, n;

  /* A warning is what nonsense shall get; a critical one is a bug. */
  g_log_set_always_fatal (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
  g_log_set_handler (NULL, G_LOG_LEVEL_WARNING, no_news, NULL);
  receiver_open (&t, "latency=0", "rtppcmudepay" RECEIVER_OUT);
  pipeline = pipeline_new (t.port);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_frames (&t, 0, 10);
  find_targets (work.targets, pipeline, seen);
  find_targets (work.targets, t.pipeline, seen);
  listen_to_bus (pipeline);
  listen_to_bus (t.pipeline);
  listen_to_elements (work.targets);
  missing = not_seen (seen);
  n = work.targets->len;
  for (guint i = 0; i < THREADS; i++)
    threads[i] = g_thread_new ("setter", set_all, &work);
  for (guint i = 0; i < THREADS; i++)
    g_thread_join (threads[i]);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  receiver_end (&t);
  trust_row ("stress", "properties",
      "set from two threads while it plays, legal and extreme: nothing crashes, "
      "hangs or is critical; no element is left out",
      missing == 0 && work.set == (gint) (THREADS * ROUNDS * n)
          && g_atomic_int_get (&n_read) > work.set / 2,
      "%u properties of %u elements, set %d times", n, g_hash_table_size (seen),
      work.set);
  g_array_free (work.targets, TRUE);
}

void
tests_add (void)
{
  g_test_add_func ("/stress/properties", test_properties);
}
