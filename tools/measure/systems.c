/* What can be measured: a group of systems.ini each, made into launch lines.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "systems.h"

#include <gst/gst.h>
#include <stdlib.h>
#include <string.h>

#define BUILT_IN "/measure/systems.ini"
#define COMMON "common"

G_DEFINE_QUARK (rtpadapt - measure - system, system_error)

struct _System
{
  GKeyFile *file;
  gchar *name;
};

static GKeyFile *
file_load (const gchar *path, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GBytes) text = NULL;
  gboolean ok;

  if (path) {
    ok = g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, error);
    if (!ok)
      g_prefix_error (error, "%s: ", path);
  } else {
    text = g_resources_lookup_data (BUILT_IN, 0, error);
    ok = text
        && g_key_file_load_from_bytes (file, text, G_KEY_FILE_NONE, error);
  }
  return ok ? g_steal_pointer (&file) : NULL;
}

static gchar **
file_names (GKeyFile *file)
{
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();

  for (gchar **group = groups; *group; group++) {
    if (!g_str_equal (*group, COMMON))
      g_strv_builder_add (names, *group);
  }
  return g_strv_builder_end (names);
}

gchar **
system_names (const gchar *path, GError **error)
{
  g_autoptr (GKeyFile) file = file_load (path, error);

  return file ? file_names (file) : NULL;
}

System *
system_load (const gchar *path, const gchar *name, GError **error)
{
  g_autoptr (GKeyFile) file = file_load (path, error);
  System *s;

  if (!file)
    return NULL;
  if (g_str_equal (name, COMMON) || !g_key_file_has_group (file, name)) {
    g_auto (GStrv) names = file_names (file);
    g_autofree gchar *list = g_strjoinv (", ", names);

    g_set_error (error, SYSTEM_ERROR, SYSTEM_ERROR_UNKNOWN,
        "there is no system %s, only %s", name, list);
    return NULL;
  }
  s = g_new0 (System, 1);
  s->file = g_steal_pointer (&file);
  s->name = g_strdup (name);
  return s;
}

void
system_free (System *s)
{
  g_key_file_unref (s->file);
  g_free (s->name);
  g_free (s);
}

static gchar *
system_get (const System *s, const gchar *group, const gchar *key)
{
  return g_key_file_get_string (s->file, group, key, NULL);
}

/* Of a list of element names in `group`. */
static void
missing_add (const System *s, const gchar *group, GPtrArray *missing)
{
  g_autofree gchar *needs = system_get (s, group, "needs");
  g_auto (GStrv) words = g_strsplit (needs ? needs : "", " ", -1);

  for (gchar **word = words; *word; word++) {
    g_autoptr (GstElementFactory) factory
        = **word ? gst_element_factory_find (*word) : NULL;

    if (**word && !factory)
      g_ptr_array_add (missing, g_strdup (*word));
  }
}

gboolean
system_installed (const System *s, GError **error)
{
  g_autoptr (GPtrArray) missing = g_ptr_array_new_with_free_func (g_free);
  g_autofree gchar *list = NULL, *from = NULL;

  missing_add (s, COMMON, missing);
  missing_add (s, s->name, missing);
  if (missing->len == 0)
    return TRUE;
  g_ptr_array_add (missing, NULL);
  list = g_strjoinv (", ", (gchar **) missing->pdata);
  from = system_get (s, s->name, "from");
  g_set_error (error, SYSTEM_ERROR, SYSTEM_ERROR_MISSING,
      "%s is not installed: GStreamer has no %s; %s", s->name, list,
      from ? from : "tools/install-deps installs what Debian has");
  return FALSE;
}

/* "name=value", or nothing if no value was given. */
static gchar *
setting (const System *s, const gchar *key, guint64 value)
{
  g_autofree gchar *name = system_get (s, s->name, key);

  if (!name || value == 0)
    return g_strdup ("");
  return g_strdup_printf ("%s=%" G_GUINT64_FORMAT, name, value);
}

static gboolean
fill (GString *text, const gchar *placeholder, const gchar *value,
    const gchar *option, const System *s, GError **error)
{
  if (!strstr (text->str, placeholder))
    return TRUE;
  if (!value) {
    g_set_error (error, SYSTEM_ERROR, SYSTEM_ERROR_OPTION, "%s needs %s",
        s->name, option);
    return FALSE;
  }
  g_string_replace (text, placeholder, value, 0);
  return TRUE;
}

static gboolean
fill_numbers (
    GString *text, const System *s, const SystemValues *v, GError **error)
{
  g_autofree gchar *port = g_strdup_printf ("%u", v->port);
  g_autofree gchar *rtcp = g_strdup_printf ("%u", v->port + 1);
  g_autofree gchar *back = g_strdup_printf ("%u", v->port + 2);
  g_autofree gchar *bps = g_strdup_printf ("%" G_GUINT64_FORMAT, v->bitrate);
  g_autofree gchar *kbps
      = g_strdup_printf ("%" G_GUINT64_FORMAT, MAX (v->bitrate / 1000, 1));
  g_autofree gchar *start = setting (s, "start", v->start);
  g_autofree gchar *max = setting (s, "max", v->max);
  const gboolean known = v->bitrate > 0;

  return fill (text, "{port}", port, "", s, error)
      && fill (text, "{rtcp_port}", rtcp, "", s, error)
      && fill (text, "{back_port}", back, "", s, error)
      && fill (text, "{start}", start, "", s, error)
      && fill (text, "{max}", max, "", s, error)
      && fill (text, "{bitrate}", known ? bps : NULL, "--bitrate", s, error)
      && fill (text, "{kbps}", known ? kbps : NULL, "--bitrate", s, error);
}

/* An option without a place in the line would be in the record, and not in force. */
static gboolean
places_check (const gchar *line, const System *s, const gchar *side,
    const SystemValues *v, GError **error)
{
  g_autofree gchar *start = system_get (s, s->name, "start");
  g_autofree gchar *max = system_get (s, s->name, "max");
  const struct
  {
    const gchar *option;
    gboolean given, used;
  } options[] = {
    { "--options", v->options && *v->options,
        strstr (line, "{options}") != NULL },
    { "--bitrate", v->bitrate > 0,
        strstr (line, "{bitrate}") || strstr (line, "{kbps}") },
    { "--start-bitrate", v->start > 0, start && strstr (line, "{start}") },
    { "--max-bitrate", v->max > 0, max && strstr (line, "{max}") },
  };

  for (guint i = 0; i < G_N_ELEMENTS (options); i++) {
    if (options[i].given && !options[i].used) {
      g_set_error (error, SYSTEM_ERROR, SYSTEM_ERROR_OPTION,
          "to %s, %s has no %s", side, s->name, options[i].option);
      return FALSE;
    }
  }
  return TRUE;
}

gchar *
system_line (
    const System *s, const gchar *side, const SystemValues *v, GError **error)
{
  static const gchar *const parts[] = { "video", "pay", "depay", "screen" };
  g_autofree gchar *pattern = system_get (s, s->name, side);
  g_autofree gchar *latency = system_get (s, COMMON, "latency");
  GString *text;

  if (!pattern) {
    g_set_error (error, SYSTEM_ERROR, SYSTEM_ERROR_UNKNOWN,
        "system %s has no line for %s", s->name, side);
    return NULL;
  }
  text = g_string_new (pattern);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    g_autofree gchar *value = system_get (s, COMMON, parts[i]);
    g_autofree gchar *placeholder = g_strdup_printf ("{%s}", parts[i]);

    g_string_replace (text, placeholder, value ? value : "", 0);
  }
  if (places_check (text->str, s, side, v, error)
      && fill_numbers (text, s, v, error)
      && fill (text, "{latency}", latency, "latency in [common]", s, error)
      && fill (text, "{host}", v->host, "--to", s, error)
      && fill (text, "{from}", v->from,
          "--from HOST, the sender, to which it reports", s, error)
      && fill (text, "{options}", v->options ? v->options : "", "", s, error))
    return g_string_free (text, FALSE);
  g_string_free (text, TRUE);
  return NULL;
}

gboolean
system_property (const System *s, const gchar *key, gchar **element,
    gchar **property, guint *unit)
{
  g_autofree gchar *text = system_get (s, s->name, key);
  g_auto (GStrv) words = g_strsplit (text ? text : "", ":", 3);
  guint n = g_strv_length (words);

  if (n < 2)
    return FALSE;
  *element = g_strdup (words[0]);
  *property = g_strdup (words[1]);
  *unit = n == 3 ? (guint) CLAMP (atoi (words[2]), 1, 1000000) : 1;
  return TRUE;
}
