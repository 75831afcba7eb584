/* GEnum types made from the library's registries.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "enums.h"

#include <gst/rtpadapt/lda.h>
#include <gst/rtpadapt/rate.h>

static void
value_add (GArray *values, const gchar *nick, const gchar *cite)
{
  GEnumValue value = { (gint) values->len, cite, nick };

  g_array_append_val (values, value);
}

/* The values live as long as the type: for ever. */
static GType
type_register (const gchar *name, GArray *values)
{
  GType type = g_enum_register_static (
      name, (const GEnumValue *) g_array_free (values, FALSE));

  gst_type_mark_as_plugin_api (type, 0);
  return type;
}

static GArray *
values_new (void)
{
  return g_array_new (TRUE, TRUE, sizeof (GEnumValue));
}

GType
gst_rtp_adapt_controller_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    GArray *values = values_new ();

    for (guint i = 0; ra_rates[i]; i++)
      value_add (values, ra_rates[i]->name, ra_rates[i]->cite);
    g_once_init_leave (&type, type_register ("GstRtpAdaptController", values));
  }
  return type;
}

GType
gst_rtp_adapt_lda_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    GArray *values = values_new ();

    for (guint i = 0; ra_ldas[i]; i++)
      value_add (values, ra_ldas[i]->name, ra_ldas[i]->cite);
    g_once_init_leave (&type, type_register ("GstRtpAdaptLda", values));
  }
  return type;
}

GType
gst_rtp_adapt_feedback_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    GArray *values = values_new ();

    value_add (values, "twcc",
        "transport-wide congestion control, draft-holmer-rmcat-"
        "transport-wide-cc-extensions-01");
    g_once_init_leave (&type, type_register ("GstRtpAdaptFeedback", values));
  }
  return type;
}

gint
gst_rtp_adapt_enum_value (GType type, const gchar *nick)
{
  GEnumClass *klass = g_type_class_ref (type);
  const GEnumValue *value = g_enum_get_value_by_nick (klass, nick);
  gint number = value ? value->value : 0;

  g_type_class_unref (klass);
  return number;
}
