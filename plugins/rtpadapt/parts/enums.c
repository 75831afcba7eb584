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

static void
algorithm_add (GArray *values, gconstpointer algorithm)
{
  const RaAlgorithm *a = algorithm;

  value_add (values, a->name, a->use, a->cite);
}

/* An LDA that others are compared with is no choice for a stream. */
static void
lda_add (GArray *values, gconstpointer lda)
{
  const RaLdaOps *ops = lda;
  g_autofree gchar *use
      = g_strconcat (ops->reference ? "to compare with: " : "", ops->use, NULL);

  value_add (values, ops->name, use, ops->cite);
}

static void
feedback_add (GArray *values, gconstpointer feedback)
{
  const RaFeedbackOps *ops = feedback;

  value_add (values, ops->name, ops->use, ops->cite);
}

/* The values live as long as the type: for ever. */
static GType
type_register (const gchar *name, const GEnumValue *values)
{
  GType type = g_enum_register_static (name, values);

  gst_type_mark_as_plugin_api (type, 0);
  return type;
}

static GType
static_type (gsize *type, const gchar *name, const GEnumValue *values)
{
  if (g_once_init_enter (type))
    g_once_init_leave (type, type_register (name, values));
  return *type;
}

/* Of a NULL-ended list, of whose tables `add` takes one. */
static GType
registry_type (gsize *type, const gchar *name, gconstpointer const *list,
    void (*add) (GArray *values, gconstpointer table))
{
  if (g_once_init_enter (type)) {
    GArray *values = g_array_new (TRUE, TRUE, sizeof (GEnumValue));

    for (guint i = 0; list[i]; i++)
      add (values, list[i]);
    g_once_init_leave (type,
        type_register (name, (GEnumValue *) g_array_free (values, FALSE)));
  }
  return *type;
}

GType
gst_rtp_adapt_controller_get_type (void)
{
  static gsize type = 0;

  return registry_type (
      &type, "GstRtpAdaptController", LIST (ra_rates), algorithm_add);
}

GType
gst_rtp_adapt_lda_get_type (void)
{
  static gsize type = 0;

  return registry_type (&type, "GstRtpAdaptLda", LIST (ra_ldas), lda_add);
}

GType
gst_rtp_adapt_fec_get_type (void)
{
  static gsize type = 0;

  return registry_type (&type, "GstRtpAdaptFec", LIST (ra_fecs), algorithm_add);
}

GType
gst_rtp_adapt_colour_get_type (void)
{
  static gsize type = 0;

  return registry_type (
      &type, "GstRtpAdaptColour", LIST (ra_colours), algorithm_add);
}

GType
gst_rtp_adapt_feedback_get_type (void)
{
  static gsize type = 0;

  return registry_type (
      &type, "GstRtpAdaptFeedback", LIST (ra_feedbacks), feedback_add);
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

  return static_type (&type, "GstRtpAdaptEcn", values);
}

/* The first is a choice, and no code. */
static const GEnumValue fec_choices[] = {
  { GST_RTP_ADAPT_FEC_AUTO, "the best that the receiver knows", "auto" },
  { RA_FEC_CODE_XOR,
      "for receivers other than rtpadaptsrc, over several frames (RFC 5109)",
      "xor" },
  { RA_FEC_CODE_RS,
      "for rtpadaptsrc and rtpadaptfecdec: Reed-Solomon over several frames",
      "rs" },
  { 0 },
};

GType
gst_rtp_adapt_fec_code_get_type (void)
{
  static gsize type = 0;

  return static_type (&type, "GstRtpAdaptFecCode", fec_choices + 1);
}

GType
gst_rtp_adapt_fec_choice_get_type (void)
{
  static gsize type = 0;

  return static_type (&type, "GstRtpAdaptFecChoice", fec_choices);
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
