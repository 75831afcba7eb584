/* GEnum types made from the library's registries.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "enums.h"

#include <gst/rtpadapt/colour.h>
#include <gst/rtpadapt/fec.h>
#include <gst/rtpadapt/feedback.h>
#include <gst/rtpadapt/lda.h>
#include <gst/rtpadapt/rate.h>
#include <gst/rtpadapt/safety/ecn.h>

#define LIST(list) ((gconstpointer const *) list)

/* `use` says when to take it; `cite` is "-" where it is our own. */
static void
value_add (
    GArray *values, const gchar *nick, const gchar *use, const gchar *cite)
{
  g_autofree gchar *text = g_str_equal (cite, "-")
      ? g_strdup (use)
      : g_strdup_printf ("%s (%s)", use, cite);
  GEnumValue value = { (gint) values->len, g_intern_string (text), nick };

  g_array_append_val (values, value);
}

/* An LDA that others are compared with is no choice for a stream. */
static gchar *
use_of (gconstpointer const *list, const RaAlgorithm *a)
{
  gboolean compares
      = list == LIST (ra_ldas) && ((const RaLdaOps *) a)->reference;

  return g_strconcat (compares ? "to compare with: " : "", a->use, NULL);
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

/* Of a NULL-ended list of algorithms. */
static GType
registry_type (gsize *type, const gchar *name, gconstpointer const *list)
{
  if (g_once_init_enter (type)) {
    GArray *values = values_new ();

    for (guint i = 0; list[i]; i++) {
      const RaAlgorithm *a = list[i];
      g_autofree gchar *use = use_of (list, a);

      value_add (values, a->name, use, a->cite);
    }
    g_once_init_leave (type, type_register (name, values));
  }
  return *type;
}

GType
gst_rtp_adapt_controller_get_type (void)
{
  static gsize type = 0;

  return registry_type (&type, "GstRtpAdaptController", LIST (ra_rates));
}

GType
gst_rtp_adapt_lda_get_type (void)
{
  static gsize type = 0;

  return registry_type (&type, "GstRtpAdaptLda", LIST (ra_ldas));
}

GType
gst_rtp_adapt_fec_get_type (void)
{
  static gsize type = 0;

  return registry_type (&type, "GstRtpAdaptFec", LIST (ra_fecs));
}

GType
gst_rtp_adapt_colour_get_type (void)
{
  static gsize type = 0;

  return registry_type (&type, "GstRtpAdaptColour", LIST (ra_colours));
}

GType
gst_rtp_adapt_feedback_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    GArray *values = values_new ();

    for (guint i = 0; ra_feedbacks[i]; i++)
      value_add (values, ra_feedbacks[i]->name, ra_feedbacks[i]->use,
          ra_feedbacks[i]->cite);
    g_once_init_leave (&type, type_register ("GstRtpAdaptFeedback", values));
  }
  return type;
}

GType
gst_rtp_adapt_ecn_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { RA_ECN_NOT_ECT, "where no router marks (RFC 3168)", "not-ect" },
    { RA_ECN_ECT_1,
        "as ect-0, and not where routers do L4S, which expects another rate control "
        "(RFC 9331)",
        "ect-1" },
    { RA_ECN_ECT_0,
        "where routers can mark packets, with feedback=ccfb (RFC 3168)",
        "ect-0" },
    { 0 },
  };

  if (g_once_init_enter (&type)) {
    GType registered = g_enum_register_static ("GstRtpAdaptEcn", values);

    gst_type_mark_as_plugin_api (registered, 0);
    g_once_init_leave (&type, registered);
  }
  return type;
}

GType
gst_rtp_adapt_fec_code_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { RA_FEC_CODE_FRAME, "the best that the receiver knows", "auto" },
    { RA_FEC_CODE_XOR,
        "for receivers other than rtpadaptsrc, over several frames (RFC 5109)",
        "xor" },
    { RA_FEC_CODE_RS,
        "for rtpadaptsrc and rtpadaptfecdec: Reed-Solomon over several frames",
        "rs" },
    { 0 },
  };

  if (g_once_init_enter (&type)) {
    GType registered = g_enum_register_static ("GstRtpAdaptFecCode", values);

    gst_type_mark_as_plugin_api (registered, 0);
    g_once_init_leave (&type, registered);
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
