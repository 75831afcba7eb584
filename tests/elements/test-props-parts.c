/* What the elements' properties are made of: parts/props.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "../../plugins/rtpadapt/parts/props.h"

#include <gio/gio.h>

/* --- an object with a table ------------------------------------------------- */

typedef struct
{
  gboolean on;
  gint number;
  guint size;
  guint64 time;
  gdouble share;
  GstState state;
  gchar *name, *plain, *secret;
  GstCaps *caps;
  GSocket *socket;
  gint rule;
  gchar *rule_params;
} Config;

typedef struct
{
  GObject parent;
  GMutex lock;
  Config cfg;
} Owner;

typedef GObjectClass OwnerClass;

GType owner_get_type (void);
G_DEFINE_TYPE (Owner, owner, G_TYPE_OBJECT)

static guint n_used, n_forgotten;
static gchar *forgotten;

/* Refuses the parameters "bad". */
static gboolean
use_rule (gpointer owner, const PropPair *pair, gint number,
    const gchar *params, GError **error)
{
  n_used++;
  if (g_strcmp0 (params, "bad") != 0)
    return TRUE;
  g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "bad");
  return FALSE;
}

static void
forget (gchar *text)
{
  n_forgotten++;
  g_free (forgotten);
  forgotten = text;
}

static void
get_answer (gpointer owner, const PropRow *row, GValue *value)
{
  Owner *self = owner;

  g_assert_true (g_mutex_trylock (&self->lock)); /* nobody holds it */
  g_mutex_unlock (&self->lock);
  g_value_set_uint (value, 42);
}

static void
get_locked (gpointer owner, const PropRow *row, GValue *value)
{
  Owner *self = owner;

  g_assert_false (g_mutex_trylock (&self->lock)); /* props_get() holds it */
  g_value_set_uint (value, 43);
}

PROP_PAIR (Config, rule, gst_state_get_type, use_rule);

static const PropRow others[] = {
  { "size", "Size", "In @, of the other (@)", PROP_READY,
      PROP_UINT (Config, size, 2, 7, 5), .unit = "bytes" },
  { NULL },
};

static const PropRow rows[] = {
  { "on", "On", "A switch", PROP_ANY, PROP_BOOLEAN (Config, on, TRUE) },
  { "number", "Number", "Below zero, too", PROP_READY,
      PROP_INT (Config, number, G_MININT, -1, -7), .then = 1 << 3 },
  { "size", .text = "A text of its own (@)", .like = others },
  { "time", "Time", "Any (@)", PROP_PLAYING,
      PROP_UINT64 (Config, time, 1, G_MAXUINT64, G_MAXUINT64 - 1),
      .unit = "ns" },
  { "share", "Share", "@ stays as it is", PROP_ANY,
      PROP_DOUBLE (Config, share, -.5, G_MAXDOUBLE, .25) },
  { "state", "State", "An enumeration", PROP_ANY,
      PROP_ENUM (Config, state, gst_state_get_type, "paused") },
  { "name", "Name", "Never none", PROP_ANY, PROP_TEXT (Config, name, "here") },
  { "plain", "Plain", "Empty is none", PROP_ANY,
      PROP_TEXT (Config, plain, NULL), .empty_is_none = TRUE },
  { "secret", "Secret", "Only written", PROP_ANY & ~G_PARAM_READABLE,
      PROP_TEXT (Config, secret, NULL), .forget = forget },
  { "caps", "Caps", "Boxed", PROP_ANY,
      PROP_BOXED (Config, caps, gst_caps_get_type) },
  { "socket", "Socket", "An object", PROP_ANY,
      PROP_OBJECT (Config, socket, g_socket_get_type) },
  { "answer", "Answer", "Only read (@)", PROP_READ, .type = G_TYPE_UINT,
      .max.u = 100, .def.u = 42, .unit = "%", .get = get_answer },
  { "locked", "Locked", "Only read", PROP_READ, .type = G_TYPE_UINT,
      .max.u = 100, .get_locked = get_locked },
  { "rule", "Rule", "Of a pair", PROP_ANY,
      PROP_ENUM (Config, rule, gst_state_get_type, "null"), .pair = &rule_pair,
      .then = 1 << 5 },
  { "rule-params", "Rule's", "Of the pair", PROP_ANY,
      PROP_TEXT (Config, rule_params, ""), .pair = &rule_pair, .then = 1 << 6 },
  { NULL },
};

static void
owner_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  Owner *self = (Owner *) object;

  g_mutex_lock (&self->lock);
  props_set (&self->cfg, &rows[id - 1], value, NULL, NULL);
  g_mutex_unlock (&self->lock);
}

static void
owner_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  Owner *self = (Owner *) object;

  props_get (self, &self->lock, &self->cfg, &rows[id - 1], value);
}

static void
owner_finalize (GObject *object)
{
  Owner *self = (Owner *) object;

  props_clear (&self->cfg, rows);
  g_assert_null (self->cfg.name);
  g_assert_null (self->cfg.caps);
  g_assert_null (self->cfg.socket);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (owner_parent_class)->finalize (object);
}

static void
owner_class_init (OwnerClass *klass)
{
  klass->set_property = owner_set_property;
  klass->get_property = owner_get_property;
  klass->finalize = owner_finalize;
  g_assert_cmpuint (props_install (klass, 1, rows), ==, G_N_ELEMENTS (rows));
}

static void
owner_init (Owner *self)
{
  g_mutex_init (&self->lock);
  props_init (&self->cfg, rows, self);
}

static Owner *
owner_new (void)
{
  return g_object_new (owner_get_type (), NULL);
}

/* --- what is installed -------------------------------------------------------- */

#define STATIC G_PARAM_STATIC_STRINGS
#define BOTH (G_PARAM_READWRITE | STATIC)

static const struct
{
  const gchar *name, *type, *text, *def;
  guint flags;
  const gchar *why;
} spec_rows[] = {
  { "on", "gboolean", "A switch", "TRUE", BOTH, "no state is named" },
  { "number", "gint", "Below zero, too", "-7", BOTH | GST_PARAM_MUTABLE_READY,
      "a negative default" },
  { "size", "guint", "A text of its own (bytes)", "5",
      BOTH | GST_PARAM_MUTABLE_READY, "all but the text is the other table's" },
  { "time", "guint64", "Any (ns)", "18446744073709551614",
      BOTH | GST_PARAM_MUTABLE_PLAYING, "64 bits are kept" },
  { "share", "gdouble", "@ stays as it is", "0.250000", BOTH,
      "without a unit the text stays" },
  { "state", "GstState", "An enumeration", "3", BOTH, "by its nick" },
  { "name", "gchararray", "Never none", "\"here\"", BOTH, "a text" },
  { "secret", "gchararray", "Only written", "NULL", G_PARAM_WRITABLE | STATIC,
      "not to be read" },
  { "caps", "GstCaps", "Boxed", "NULL", BOTH, "none" },
  { "socket", "GSocket", "An object", "NULL", BOTH, "none" },
  { "answer", "guint", "Only read (%)", "42", G_PARAM_READABLE | STATIC,
      "it stands nowhere" },
};

static void
test_spec (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  GObjectClass *klass = g_type_class_ref (owner_get_type ());
  GParamSpec *p = g_object_class_find_property (klass, spec_rows[row].name);
  const GValue *def = g_param_spec_get_default_value (p);
  g_autofree gchar *text = G_VALUE_HOLDS_ENUM (def)
      ? g_strdup_printf ("%d", g_value_get_enum (def))
      : g_strdup_value_contents (def);

  g_test_message ("%s", spec_rows[row].why);
  g_assert_cmpstr (g_type_name (p->value_type), ==, spec_rows[row].type);
  g_assert_cmpstr (g_param_spec_get_blurb (p), ==, spec_rows[row].text);
  g_assert_cmpstr (text, ==, spec_rows[row].def);
  g_assert_cmphex (p->flags, ==, spec_rows[row].flags);
  g_type_class_unref (klass);
}

static void
test_ranges (void)
{
  GObjectClass *klass = g_type_class_ref (owner_get_type ());
  GParamSpecInt *number
      = G_PARAM_SPEC_INT (g_object_class_find_property (klass, "number"));
  GParamSpecUInt *size
      = G_PARAM_SPEC_UINT (g_object_class_find_property (klass, "size"));
  GParamSpecUInt64 *time
      = G_PARAM_SPEC_UINT64 (g_object_class_find_property (klass, "time"));
  GParamSpecDouble *share
      = G_PARAM_SPEC_DOUBLE (g_object_class_find_property (klass, "share"));

  g_assert_cmpint (number->minimum, ==, G_MININT);
  g_assert_cmpint (number->maximum, ==, -1);
  g_assert_cmpuint (size->minimum, ==, 2);
  g_assert_cmpuint (size->maximum, ==, 7);
  g_assert_cmpuint (time->minimum, ==, 1);
  g_assert_true (time->maximum == G_MAXUINT64);
  g_assert_cmpfloat (share->minimum, ==, -.5);
  g_assert_cmpfloat (share->maximum, ==, G_MAXDOUBLE);
  g_assert_cmpstr (G_PARAM_SPEC (size)->_nick, ==, "Size");
  g_assert_true (props_row (rows, "time") == &rows[3]);
  g_assert_null (props_row (rows, "tim"));
  g_type_class_unref (klass);
}

/* --- the config ----------------------------------------------------------------- */

static void
test_init (void)
{
  Owner *o = owner_new ();
  guint answer, locked;

  g_assert_true (o->cfg.on);
  g_assert_cmpint (o->cfg.number, ==, -7);
  g_assert_true (o->cfg.time == G_MAXUINT64 - 1);
  g_assert_cmpfloat (o->cfg.share, ==, .25);
  g_assert_cmpint (o->cfg.state, ==, GST_STATE_PAUSED);
  g_assert_cmpstr (o->cfg.name, ==, "here");
  g_assert_null (o->cfg.plain);
  g_assert_null (o->cfg.caps);
  g_assert_cmpstr (o->cfg.rule_params, ==, "");
  g_object_get (o, "answer", &answer, "locked", &locked, NULL);
  g_assert_cmpuint (answer, ==, 42);
  g_assert_cmpuint (locked, ==, 43);
  g_object_unref (o);
}

static void
test_set (void)
{
  Owner *o = owner_new ();
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple ("a/b");
  g_autoptr (GSocket) socket = g_socket_new (G_SOCKET_FAMILY_IPV4,
      G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);

  g_object_set (o, "on", FALSE, "number", -1, "time", G_MAXUINT64, "share",
      1e300, "state", GST_STATE_READY, "name", "there", "caps", caps, "socket",
      socket, NULL);
  g_assert_false (o->cfg.on);
  g_assert_cmpint (o->cfg.number, ==, -1);
  g_assert_true (o->cfg.time == G_MAXUINT64);
  g_assert_cmpfloat (o->cfg.share, ==, 1e300);
  g_assert_cmpint (o->cfg.state, ==, GST_STATE_READY);
  g_assert_cmpstr (o->cfg.name, ==, "there");
  g_assert_true (o->cfg.caps == caps && o->cfg.socket == socket);
  g_assert_cmpint (GST_MINI_OBJECT_REFCOUNT (caps), ==, 2);
  g_object_set (o, "caps", caps, "socket", socket, NULL); /* the same again */
  g_assert_cmpint (GST_MINI_OBJECT_REFCOUNT (caps), ==, 2);
  g_object_set (o, "caps", NULL, "socket", NULL, NULL);
  g_assert_true (!o->cfg.caps && !o->cfg.socket);
  g_assert_cmpint (GST_MINI_OBJECT_REFCOUNT (caps), ==, 1);
  g_assert_cmpint (G_OBJECT (socket)->ref_count, ==, 1);
  g_object_unref (o);
}

static const struct
{
  const gchar *property, *set, *stored, *why;
} text_rows[] = {
  { "name", "x", "x", "as it is" },
  { "name", NULL, "here", "none is the default" },
  { "name", "", "", "an empty text is a text" },
  { "plain", "", NULL, "where empty is none" },
  { "plain", NULL, NULL, "and none is none" },
  { "plain", "x", "x", "as it is" },
};

static void
test_text (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  Owner *o = owner_new ();
  g_autofree gchar *read = NULL;

  g_test_message ("%s", text_rows[row].why);
  g_object_set (o, text_rows[row].property, "before", NULL);
  g_object_set (o, text_rows[row].property, text_rows[row].set, NULL);
  g_object_get (o, text_rows[row].property, &read, NULL);
  g_assert_cmpstr (read, ==, text_rows[row].stored);
  g_object_unref (o);
}

/* A secret text is freed by the row's own function, whenever it goes. */
static void
test_secret (void)
{
  Owner *o = owner_new ();

  g_object_set (o, "secret", "one", NULL);
  n_forgotten = 0;
  g_object_set (o, "secret", "two", NULL);
  g_assert_cmpuint (n_forgotten, ==, 1);
  g_assert_cmpstr (forgotten, ==, "one");
  g_object_unref (o);
  g_assert_cmpuint (n_forgotten, ==, 2);
  g_assert_cmpstr (forgotten, ==, "two");
  g_clear_pointer (&forgotten, g_free);
}

/* --- an algorithm and its parameters ---------------------------------------------- */

/* READY with "old" is what was set before.  `number` below 0: `params` are set. */
static const struct
{
  const gchar *name;
  gboolean running;
  gint number;
  const gchar *params;
  gint is;
  const gchar *has;
  guint used, then;
  const gchar *why;
} pair_rows[] = {
  { "other-before", FALSE, GST_STATE_PAUSED, NULL, GST_STATE_PAUSED, "old", 0,
      1 << 5, "before the start both come in any order" },
  { "bad-before", FALSE, -1, "bad", GST_STATE_READY, "bad", 0, 1 << 6,
      "before the start nobody looks at them" },
  { "other", TRUE, GST_STATE_PAUSED, NULL, GST_STATE_PAUSED, "", 1, 1 << 5,
      "parameters are an algorithm's own" },
  { "same", TRUE, GST_STATE_READY, NULL, GST_STATE_READY, "old", 1, 1 << 5,
      "the same keeps its own" },
  { "params", TRUE, -1, "new", GST_STATE_READY, "new", 1, 1 << 6,
      "others are taken" },
  { "none", TRUE, -1, NULL, GST_STATE_READY, "", 1, 1 << 6,
      "none is the default" },
  { "bad", TRUE, -1, "bad", GST_STATE_READY, "old", 1, 0,
      "refused, nothing changes and nothing follows" },
};

static void
test_pair (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  gboolean is_number = pair_rows[row].number >= 0;
  Owner *o = owner_new ();
  g_autofree gchar *warning = NULL;
  GValue value = G_VALUE_INIT;
  guint then;

  g_test_message ("%s", pair_rows[row].why);
  g_object_set (o, "rule", GST_STATE_READY, "rule-params", "old", NULL);
  g_value_init (&value, is_number ? GST_TYPE_STATE : G_TYPE_STRING);
  if (is_number)
    g_value_set_enum (&value, pair_rows[row].number);
  else
    g_value_set_string (&value, pair_rows[row].params);
  n_used = 0;
  then = props_set (&o->cfg,
      props_row (rows, is_number ? "rule" : "rule-params"), &value,
      pair_rows[row].running ? o : NULL, &warning);
  g_assert_cmpint (o->cfg.rule, ==, pair_rows[row].is);
  g_assert_cmpstr (o->cfg.rule_params, ==, pair_rows[row].has);
  g_assert_cmpuint (n_used, ==, pair_rows[row].used);
  g_assert_cmpuint (then, ==, pair_rows[row].then);
  g_assert_cmpstr (warning, ==,
      pair_rows[row].then ? NULL : "rule ready goes on as it was: bad");
  g_value_unset (&value);
  g_object_unref (o);
}

/* READY with these parameters is set when the algorithm starts. */
static const struct
{
  const gchar *name, *params, *has, *warning;
  guint used;
  const gchar *why;
} start_rows[] = {
  { "good", "new", "new", NULL, 1, "they are taken" },
  { "bad", "bad", "",
      "default parameters are used: rule ready goes on as it was: bad", 2,
      "it starts once more, with its defaults" },
};

static void
test_start (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  Owner *o = owner_new ();
  g_autofree gchar *warning = NULL;

  g_test_message ("%s", start_rows[row].why);
  g_object_set (
      o, "rule", GST_STATE_READY, "rule-params", start_rows[row].params, NULL);
  n_used = 0;
  warning = props_start (&o->cfg, props_row (rows, "rule"), o);
  g_assert_cmpstr (warning, ==, start_rows[row].warning);
  g_assert_cmpint (o->cfg.rule, ==, GST_STATE_READY);
  g_assert_cmpstr (o->cfg.rule_params, ==, start_rows[row].has);
  g_assert_cmpuint (n_used, ==, start_rows[row].used);
  g_object_unref (o);
}

static void
test_then (void)
{
  Owner *o = owner_new ();
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_INT);
  g_value_set_int (&value, -3);
  g_assert_cmpuint (
      props_set (&o->cfg, props_row (rows, "number"), &value, NULL, NULL), ==,
      1 << 3);
  g_value_unset (&value);
  g_object_unref (o);
}

void
tests_add (void)
{
  rows_add_by ("/props/spec", spec_rows, name, test_spec);
  g_test_add_func ("/props/ranges", test_ranges);
  g_test_add_func ("/props/init", test_init);
  g_test_add_func ("/props/set", test_set);
  g_test_add_func ("/props/then", test_then);
  rows_add ("/props/text", text_rows, test_text);
  g_test_add_func ("/props/secret", test_secret);
  rows_add_by ("/props/pair", pair_rows, name, test_pair);
  rows_add_by ("/props/start", start_rows, name, test_start);
}
