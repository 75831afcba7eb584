/* rtpadapt://host:port?property=value&...: the URI of both bins.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "binuri.h"

#include "parts/props.h"

#include <gst/rtpadapt/util/params.h>

#include <math.h>
#include <string.h>

/* The host of a source that has no address. */
#define ANY "::"

/* Units of properties that are times. */
static const gchar *const times[] = { "ns", "ms", NULL };

/* A property and the value that it gets. */
typedef struct
{
  GParamSpec *pspec;
  GValue value;
} Setting;

static void
setting_clear (gpointer data)
{
  Setting *setting = data;

  if (G_IS_VALUE (&setting->value))
    g_value_unset (&setting->value);
}

static const gchar *
host_property (GObject *bin)
{
  return g_object_class_find_property (G_OBJECT_GET_CLASS (bin), "host")
      ? "host"
      : "address";
}

/* bin_uri_get() writes "::" for a source without an address.  That takes IPv4 alone where
 * there is no IPv6, which the address "::" does not. */
static const gchar *
host_value (GObject *bin, GUri *uri)
{
  const gchar *host = g_uri_get_host (uri);

  return g_str_equal (host, ANY) && g_str_equal (host_property (bin), "address")
      ? NULL
      : host;
}

/* The bin's own that a query may name, or NULL and an error. */
static GParamSpec *
query_property (GObject *bin, const gchar *name, GError **error)
{
  static const gchar *const elsewhere[]
      = { "uri", "host", "address", "port", NULL };
  static const gchar *const files[] = { "key-file", "pem-file", NULL };
  GParamSpec *pspec
      = g_object_class_find_property (G_OBJECT_GET_CLASS (bin), name);

  /* GObject finds the same one as key_file and as Type::key-file. */
  if (pspec && !g_str_equal (pspec->name, name))
    pspec = NULL;
  if (g_str_equal (name, "key")) {
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_REFERENCE,
        "a key does not belong in a URI, which others can read: set the property "
        "key-file");
    return NULL;
  }
  if (g_strv_contains (files, name)) {
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_REFERENCE,
        "a URI, which may come from elsewhere, cannot name a file to be read: "
        "set the property %s",
        name);
    return NULL;
  }
  if (!pspec || pspec->owner_type != G_OBJECT_TYPE (bin)
      || !(pspec->flags & G_PARAM_WRITABLE)
      || g_strv_contains (elsewhere, name)) {
    g_autofree gchar *shown = ra_word_shown (name);

    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_REFERENCE,
        "\"%s\" is no property that a URI can set", shown);
    return NULL;
  }
  return pspec;
}

/* "2.5M" of bit/s, "200ms" of ns and ms, as in the text of a link.  Without a unit a
 * fraction means nothing. */
static gboolean
unit_parse (GParamSpec *pspec, const gchar *text, guint64 *out)
{
  const gchar *unit = props_unit (pspec);
  gboolean is_time = unit && g_strv_contains (times, unit);
  gdouble value, most = is_time ? 1e9 : 1e18; /* s, or the unit itself */
  gdouble factor = !is_time ? 1 : g_str_equal (unit, "ns") ? 1e9 : 1e3;
  const RaParam rows[] = {
    { "value", .max = most, .unit = is_time ? "s" : unit },
    { NULL },
  };

  if (!unit || !*text || !g_ascii_isalpha (text[strlen (text) - 1])
      || !ra_params_set (&value, rows, "value", text, NULL))
    return FALSE;
  *out = (guint64) (value * factor + .5);
  return TRUE;
}

/* gst_value_deserialize() would take 2^32 + 5 as 5, and -1 as much. */
static gboolean
number_parse (GParamSpec *pspec, const gchar *text, GValue *value)
{
  guint64 natural;
  gint64 number;

  if (G_IS_PARAM_SPEC_INT (pspec)) {
    if (!g_ascii_string_to_signed (text, 10, G_MININT, G_MAXINT, &number, NULL))
      return FALSE;
    g_value_set_int (value, (gint) number);
  } else if (G_IS_PARAM_SPEC_UINT (pspec)) {
    if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT, &natural, NULL)
        && !(unit_parse (pspec, text, &natural) && natural <= G_MAXUINT))
      return FALSE;
    g_value_set_uint (value, (guint) natural);
  } else if (G_IS_PARAM_SPEC_UINT64 (pspec)) {
    if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT64, &natural, NULL)
        && !unit_parse (pspec, text, &natural))
      return FALSE;
    g_value_set_uint64 (value, natural);
  } else {
    return gst_value_deserialize_with_pspec (value, text, pspec);
  }
  return TRUE;
}

static gboolean
value_parse (GParamSpec *pspec, const gchar *text, GValue *value)
{
  g_value_init (value, pspec->value_type);
  if (G_IS_PARAM_SPEC_STRING (pspec)) {
    g_value_set_string (value, text);
    return TRUE;
  }
  /* The last changes what is out of range, NaN not. */
  return number_parse (pspec, text, value)
      && !(G_VALUE_HOLDS_DOUBLE (value) && isnan (g_value_get_double (value)))
      && !g_param_value_validate (pspec, value);
}

/* A URI may make the connection safer than the properties do, and not less
 * safe. */
static gboolean
value_is_safe (GObject *bin, const Setting *setting, GError **error)
{
  static const gchar *const switches[]
      = { "circuit-breakers", "dtls", "replay-guard", NULL };
  const gchar *name = setting->pspec->name;
  g_autofree gchar *before = NULL;
  const gchar *after;

  if (g_strv_contains (switches, name)) {
    if (g_value_get_boolean (&setting->value))
      return TRUE;
  } else if (g_str_equal (name, "fingerprint")) {
    g_object_get (bin, name, &before, NULL);
    after = g_value_get_string (&setting->value);
    if (after && *after && (!before || g_str_equal (before, after)))
      return TRUE;
  } else {
    return TRUE;
  }
  g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_REFERENCE,
      "a URI, which may come from elsewhere, cannot make the stream less safe: "
      "set the property %s",
      name);
  return FALSE;
}

static gboolean
query_parse (GObject *bin, const gchar *query, GArray *settings, GError **error)
{
  GUriParamsIter iter;
  gchar *name, *text;
  GError *syntax = NULL;
  gboolean good = TRUE;

  g_uri_params_iter_init (&iter, query, -1, "&", G_URI_PARAMS_NONE);
  while (good && g_uri_params_iter_next (&iter, &name, &text, &syntax)) {
    Setting setting = { .pspec = query_property (bin, name, error) };

    good = setting.pspec != NULL;
    if (good && !value_parse (setting.pspec, text, &setting.value)) {
      g_autofree gchar *shown = ra_word_shown (text);

      g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_REFERENCE,
          "\"%s\" is no value of %s", shown, name);
      good = FALSE;
    }
    good = good && value_is_safe (bin, &setting, error);
    g_array_append_val (settings, setting);
    g_free (name);
    g_free (text);
  }
  if (syntax) {
    g_autofree gchar *shown = ra_word_shown (query);
    g_autofree gchar *why = ra_word_shown (syntax->message);

    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
        "\"%s\" is no query: %s", shown, why);
    g_error_free (syntax);
    return FALSE;
  }
  return good;
}

/* What is wrong with the part before the query, or NULL. */
static const gchar *
authority_problem (GUri *uri)
{
  const gchar *host = g_uri_get_host (uri);
  const gchar *path = g_uri_get_path (uri);

  if (!g_str_equal (g_uri_get_scheme (uri), BIN_URI_PROTOCOL))
    return "it does not begin with " BIN_URI_PROTOCOL "://";
  if (!host || !*host)
    return "it has no host";
  if (g_uri_get_userinfo (uri))
    return "it has a user";
  if (*path && !g_str_equal (path, "/"))
    return "it has a path";
  if (g_uri_get_fragment (uri))
    return "it has a fragment";
  return NULL;
}

/* A source may have port 0, any free one, a sink not. */
static gboolean
port_is_good (GObject *bin, gint port)
{
  GParamSpec *pspec
      = g_object_class_find_property (G_OBJECT_GET_CLASS (bin), "port");

  return port >= G_PARAM_SPEC_INT (pspec)->minimum;
}

gboolean
bin_uri_apply (GstElement *bin, const gchar *text, GError **error)
{
  GObject *object = G_OBJECT (bin);
  GError *syntax = NULL;
  g_autoptr (GUri) uri
      = g_uri_parse (text ? text : "", G_URI_FLAGS_ENCODED_QUERY, &syntax);
  g_autoptr (GArray) settings = NULL;
  const gchar *problem = syntax ? syntax->message : authority_problem (uri);
  gint port
      = uri && g_uri_get_port (uri) >= 0 ? g_uri_get_port (uri) : BIN_URI_PORT;

  if (!problem && !port_is_good (object, port))
    problem = "it has no port to send to";
  if (problem) {
    g_autofree gchar *shown = ra_word_shown (text ? text : "");
    g_autofree gchar *why = ra_word_shown (problem);

    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
        "\"%s\" is not " BIN_URI_PROTOCOL "://host:port?property=value&...: %s",
        shown, why);
    g_clear_error (&syntax);
    return FALSE;
  }
  settings = g_array_new (FALSE, TRUE, sizeof (Setting));
  g_array_set_clear_func (settings, setting_clear);
  if (g_uri_get_query (uri)
      && !query_parse (object, g_uri_get_query (uri), settings, error))
    return FALSE;

  g_object_set (object, host_property (object), host_value (object, uri),
      "port", port, NULL);
  for (guint i = 0; i < settings->len; i++) {
    Setting *s = &g_array_index (settings, Setting, i);

    g_object_set_property (object, s->pspec->name, &s->value);
  }
  return TRUE;
}

gchar *
bin_uri_get (GstElement *bin)
{
  g_autofree gchar *host = NULL;
  gint port;

  g_object_get (
      bin, host_property (G_OBJECT (bin)), &host, "port", &port, NULL);
  return g_uri_join (G_URI_FLAGS_NONE, BIN_URI_PROTOCOL, NULL,
      host ? host : ANY, port, "", NULL, NULL);
}

gboolean
bin_uri_query (GstElement *bin, GstQuery *query)
{
  g_autofree gchar *uri = NULL;

  if (GST_QUERY_TYPE (query) != GST_QUERY_URI)
    return FALSE;
  uri = bin_uri_get (bin);
  gst_query_set_uri (query, uri);
  return TRUE;
}

void
bin_uri_set (GstElement *bin, const gchar *uri, GError **problem)
{
  g_clear_error (problem);
  if (uri)
    bin_uri_apply (bin, uri, problem);
  if (*problem && GST_STATE (bin) > GST_STATE_NULL)
    GST_ELEMENT_WARNING (bin, RESOURCE, SETTINGS,
        ("Wrong uri: %s.", (*problem)->message),
        ("nothing of it is set, and it cannot start again with it"));
  else if (*problem)
    GST_WARNING_OBJECT (bin, "%s", (*problem)->message);
}

gboolean
bin_uri_check (GstElement *bin, const GError *problem)
{
  if (problem)
    GST_ELEMENT_ERROR (
        bin, RESOURCE, SETTINGS, ("Wrong uri: %s.", problem->message), (NULL));
  return problem == NULL;
}

/* --- GstURIHandler ------------------------------------------------------- */

static GstURIType
type_sink (GType type)
{
  return GST_URI_SINK;
}

static GstURIType
type_src (GType type)
{
  return GST_URI_SRC;
}

static const gchar *const *
protocols (GType type)
{
  static const gchar *const all[] = { BIN_URI_PROTOCOL, NULL };

  return all;
}

static gchar *
handler_get (GstURIHandler *handler)
{
  return bin_uri_get (GST_ELEMENT (handler));
}

static gboolean
handler_set (GstURIHandler *handler, const gchar *uri, GError **error)
{
  return bin_uri_apply (GST_ELEMENT (handler), uri, error);
}

static void
handler_init (
    GstURIHandlerInterface *iface, GstURIType (*get_type) (GType type))
{
  iface->get_type = get_type;
  iface->get_protocols = protocols;
  iface->get_uri = handler_get;
  iface->set_uri = handler_set;
}

void
bin_uri_sink_init (gpointer iface, gpointer data)
{
  handler_init (iface, type_sink);
}

void
bin_uri_src_init (gpointer iface, gpointer data)
{
  handler_init (iface, type_src);
}
