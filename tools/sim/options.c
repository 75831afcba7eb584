/* The settings of rtpadapt-sim.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "options.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

#define FIELD(name, field) name, G_STRUCT_OFFSET (SimOptions, field)

static const RaParam numbers[] = {
  { "flows", RA_AT (SimOptions, flows), .def = 0, .max = 1000,
      .text = "flows that share the link; 0: as many as --mix names, or 1" },
  { "stagger", RA_AT (SimOptions, stagger), .def = 0, .max = 1e6, .unit = "s",
      .text = "flow i starts i times this later" },
  { "seconds", RA_AT (SimOptions, seconds), .def = 60, .min = 0.001, .max = 1e9,
      .unit = "s", .text = "virtual time" },
  { "warmup", RA_AT (SimOptions, warmup), .def = 2, .max = 1e9, .unit = "s",
      .text = "not measured, nor what is before a flow's start" },
  { "seed", RA_AT (SimOptions, seed), .def = 1, .max = 9e15,
      .text = "of all randomness" },
  { "feedback-delay", RA_AT (SimOptions, feedback_delay), .def = 0.025,
      .max = 1000, .unit = "s", .text = "one way back" },
  { "feedback-loss", RA_AT (SimOptions, feedback_loss), .def = 0, .max = 1,
      .text = "share of feedback lost" },
  { "per-packet", RA_AT (SimOptions, per_packet), .def = 0, .max = 1,
      .text = "twcc-like feedback at the end of "
              "each frame; else one report per RTT" },
  { "fps", RA_AT (SimOptions, fps), .def = 0, .max = 1000,
      .text = "send video frames; 0: always data to send" },
  { "mpeg", RA_AT (SimOptions, mpeg), .def = 0, .max = 1,
      .text = "1: frames of MPEG-4, I B B P B B and so on, "
              "in full packets; 0: frames alike; needs fps" },
  { "excess", RA_AT (SimOptions, excess), .def = 1, .min = .01, .max = 100,
      .text = "frames have so many times the bytes that they should; "
              "needs fps and a wire of bytes, and no mpeg" },
  { "packet-size", RA_AT (SimOptions, packet_size), .def = 1200, .min = 64,
      .max = 65000, .unit = "bytes", .text = "of the largest RTP packet" },
  { "overhead", RA_AT (SimOptions, overhead), .def = 0, .max = 1000,
      .unit = "bytes", .text = "IP and UDP headers as the link counts them" },
  { "min", RA_AT (SimOptions, min), .def = 1000, .min = 1, .max = 100e9,
      .unit = "bit/s", .text = "lowest rate" },
  { "start", RA_AT (SimOptions, start), .def = 0, .max = 100e9, .unit = "bit/s",
      .text = "rate before the first feedback; 0: the controller's own" },
  { "friendliness-cap", RA_AT (SimOptions, friendliness_cap),
      .def = RA_DEFAULT_FRIENDLINESS_CAP, .max = 1e9,
      .text = "the rate stays below this times a TCP's, without the losses "
              "that are shown to be the radio's; 0: no bound, as in the "
              "papers" },
  { "breakers", RA_AT (SimOptions, breakers), .def = 1, .max = 1,
      .text = "1: circuit breakers of RFC 8083; 0: none" },
  { "max", RA_AT (SimOptions, max), .def = 100e6, .min = 1, .max = 100e9,
      .unit = "bit/s", .text = "highest rate" },
  { NULL },
};

/* Of the numbers, those of which a half would be cut off. */
static const struct
{
  const gchar *name;
  gsize offset;
} whole[] = {
  { FIELD ("flows", flows) },
  { FIELD ("seed", seed) },
  { FIELD ("per-packet", per_packet) },
  { FIELD ("mpeg", mpeg) },
  { FIELD ("packet-size", packet_size) },
  { FIELD ("overhead", overhead) },
  { FIELD ("breakers", breakers) },
};

static const struct
{
  const gchar *name;
  gsize offset;
  const gchar *def, *text;
} texts[] = {
  { FIELD ("controller", controller), "tfrc",
      "rate controller; if nothing is said, tfrc" },
  { FIELD ("controller-params", controller_params), NULL,
      "its parameters: NAME=VALUE,... or 'paper' for the printed ones" },
  { FIELD ("lda", lda), "none",
      "loss differentiation; if nothing is said, none" },
  { FIELD ("lda-params", lda_params), NULL, "its parameters" },
  { FIELD ("fec", fec), "none", "rule for the FEC level" },
  { FIELD ("fec-params", fec_params), NULL, "its parameters" },
  { FIELD ("colour", colour), "none", "colouring" },
  { FIELD ("colour-params", colour_params), NULL, "its parameters" },
  { FIELD ("link", link), "bottleneck rate=2M queue=100ms ! delay 25ms",
      "the path: models, chained by !; if nothing is said, 'bottleneck rate=2M "
      "queue=100ms ! delay 25ms'" },
  { FIELD ("wire", wire), "exact",
      "how the ends talk: exact, or by the bytes of a kind of feedback: tfrc (a "
      "report per RTT), ccfb (RFC 8888), twcc (at the end of a frame)" },
  { FIELD ("mix", mix), NULL,
      "flows that differ, ended by ;: CONTROLLER [PARAMS] [+ LDA [PARAMS]] "
      "[@ START[-STOP]], e.g. 'ssvp + ld; tfrc + zbs @ 10-50'" },
};

static const gchar **
text_at (SimOptions *o, guint i)
{
  return (const gchar **) ((guint8 *) o + texts[i].offset);
}

void
sim_options_init (SimOptions *o)
{
  ra_params_init (o, numbers);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    *text_at (o, i) = texts[i].def;
}

static gint
text_find (const gchar *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    if (g_str_equal (texts[i].name, name))
      return (gint) i;
  }
  return -1;
}

gboolean
sim_options_has (const gchar *name)
{
  RaParamWalk walk = ra_params_walk (numbers);

  for (const RaParam *p; (p = ra_params_next (&walk));) {
    if (g_str_equal (p->name, name))
      return TRUE;
  }
  return text_find (name) >= 0;
}

static gboolean
number_set (
    SimOptions *o, const gchar *name, const gchar *value, GError **error)
{
  if (!ra_params_set (o, numbers, name, value, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (whole); i++) {
    gdouble number = G_STRUCT_MEMBER (gdouble, o, whole[i].offset);

    if (number != floor (number)) {
      g_set_error (error, RA_PARAM_ERROR, RA_PARAM_ERROR_VALUE,
          "%s=%s: not a whole number", name, value);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
sim_options_set (
    SimOptions *o, const gchar *name, const gchar *value, GError **error)
{
  gint i = text_find (name);

  if (i < 0)
    return number_set (o, name, value, error);
  *text_at (o, (guint) i) = value;
  return TRUE;
}

gboolean
sim_options_replace (SimOptions *o, const gchar *name, const gchar *value)
{
  g_autofree gchar *mark = g_strdup_printf ("{%s}", name);
  gboolean found = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    const gchar **text = text_at (o, i);
    GString *with;

    if (!*text || !strstr (*text, mark))
      continue;
    with = g_string_new (*text);
    g_string_replace (with, mark, value, 0);
    *text = g_intern_string (with->str);
    g_string_free (with, TRUE);
    found = TRUE;
  }
  return found;
}

static gboolean
on_option (
    const gchar *option, const gchar *value, gpointer data, GError **error)
{
  /* Longer than a letter: "--name". */
  const gchar *name = g_str_has_prefix (option, "--") ? option + 2
      : g_str_equal (option, "-c")                    ? "controller"
      : g_str_equal (option, "-l")                    ? "lda"
                                                      : "link";
  GError *why = NULL;

  /* GOption frees `value`. */
  if (sim_options_set (data, name, value ? g_intern_string (value) : "1", &why))
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--%s: %s",
      name, why->message);
  g_error_free (why);
  return FALSE;
}

/* With the default; lives as long as the program. */
static const gchar *
described (const gchar *text, gdouble def)
{
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree gchar *with = g_strdup_printf (
      "%s (%s)", text, g_ascii_formatd (number, sizeof number, "%.9g", def));

  return g_intern_string (with);
}

GOptionEntry *
sim_options_entries (void)
{
  GArray *entries = g_array_new (TRUE, TRUE, sizeof (GOptionEntry));
  RaParamWalk walk = ra_params_walk (numbers);

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    GOptionEntry e = { .long_name = texts[i].name,
      .arg = G_OPTION_ARG_CALLBACK,
      .arg_data = (gpointer) on_option,
      .description = texts[i].text,
      .arg_description = "TEXT" };

    e.short_name = g_str_equal (e.long_name, "controller") ? 'c'
        : g_str_equal (e.long_name, "lda")                 ? 'l'
        : g_str_equal (e.long_name, "link")                ? 'L'
                                                           : 0;
    g_array_append_val (entries, e);
  }
  for (const RaParam *p; (p = ra_params_next (&walk));) {
    GOptionEntry e = { .long_name = p->name,
      .arg = G_OPTION_ARG_CALLBACK,
      .arg_data = (gpointer) on_option,
      .description = described (p->text, p->def),
      .arg_description = *p->unit ? p->unit : "N" };

    if (p->offset == G_STRUCT_OFFSET (SimOptions, per_packet))
      e.flags = G_OPTION_FLAG_OPTIONAL_ARG; /* bare: 1 */
    g_array_append_val (entries, e);
  }
  return (GOptionEntry *) g_array_free (entries, FALSE);
}

/* "NAME [PARAMS]" in two; (transfer none), NULL if there are none. */
static void
algorithm_split (GPtrArray *keep, const gchar *text, const gchar **name,
    const gchar **params)
{
  gchar *copy = g_strstrip (g_strdup (text));
  gchar *blank = strpbrk (copy, " \t");

  g_ptr_array_add (keep, copy);
  *name = copy;
  *params = NULL;
  if (blank) {
    *blank = '\0';
    *params = blank + 1;
  }
}

/* "START[-STOP]" in seconds. */
static gboolean
times_parse (RaSimFlow *flow, const gchar *text, GError **error)
{
  gchar *end;
  gdouble start = g_ascii_strtod (text, &end), stop = 0;
  gboolean ok = end != text;

  if (ok && *end == '-') {
    const gchar *second = end + 1;

    stop = g_ascii_strtod (second, &end);
    ok = end != second && stop > start;
  }
  ok &= start >= 0 && start < 1e9 && stop < 1e9
      && strspn (end, " \t") == strlen (end);
  if (!ok) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--mix: '@%s': expected START[-STOP] in seconds", text);
    return FALSE;
  }
  flow->start = ra_span (start);
  flow->stop = ra_span (stop);
  return TRUE;
}

/* "CONTROLLER [PARAMS] [+ LDA [PARAMS]] [@ START[-STOP]]" */
static gboolean
flow_parse (GPtrArray *keep, RaSimFlow *flow, const gchar *text, GError **error)
{
  g_auto (GStrv) when = g_strsplit (text, "@", 2);
  g_auto (GStrv) pair = g_strsplit (when[0], "+", 2);

  if (when[1] && !times_parse (flow, when[1], error))
    return FALSE;
  algorithm_split (keep, pair[0], &flow->controller, &flow->controller_params);
  if (pair[1])
    algorithm_split (keep, pair[1], &flow->lda, &flow->lda_params);
  return TRUE;
}

static gboolean
wire_parse (RaSimConfig *cfg, const gchar *name, GError **error)
{
  g_autoptr (GString) names = g_string_new ("exact");

  cfg->wire = ra_feedback_named ((const guint8 *) name, strlen (name));
  if (cfg->wire || g_str_equal (name, "exact"))
    return TRUE;
  for (guint i = 0; ra_feedbacks[i]; i++)
    g_string_append_printf (names, ", %s", ra_feedbacks[i]->name);
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "--wire: no '%s', only %s", name, names->str);
  return FALSE;
}

static gboolean
mix_parse (SimSetup *setup, const SimOptions *o, GError **error)
{
  g_auto (GStrv) flows = g_strsplit (o->mix ? o->mix : "", ";", -1);
  RaSimConfig *cfg = &setup->cfg;

  setup->mix = g_new0 (RaSimFlow, g_strv_length (flows) + 1);
  for (guint i = 0; flows[i]; i++) {
    if (strspn (flows[i], " \t\n") == strlen (flows[i]))
      continue;
    setup->mix[cfg->n_mix] = cfg->flow;
    if (!flow_parse (setup->texts, &setup->mix[cfg->n_mix], flows[i], error))
      return FALSE;
    cfg->n_mix++;
  }
  if (o->mix && !cfg->n_mix) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--mix: '%s': no flow in it", o->mix);
    return FALSE;
  }
  if (o->flows < 1)
    cfg->flows = MAX (cfg->n_mix, 1);
  return TRUE;
}

/* Flows that start one after the other are a mix of as many. */
static void
stagger (SimSetup *setup, RaSpan step)
{
  RaSimConfig *cfg = &setup->cfg;
  RaSimFlow *all = g_new (RaSimFlow, cfg->flows);

  for (guint i = 0; i < cfg->flows; i++) {
    all[i] = cfg->n_mix ? setup->mix[i % cfg->n_mix] : cfg->flow;
    all[i].start += i * step;
    if (all[i].stop > 0)
      all[i].stop += i * step;
  }
  g_free (setup->mix);
  setup->mix = all;
  cfg->n_mix = cfg->flows;
}

gboolean
sim_setup_init (SimSetup *setup, const SimOptions *o, GError **error)
{
  RaSimConfig *cfg = &setup->cfg;

  *setup = (SimSetup){ .texts = g_ptr_array_new_with_free_func (g_free) };
  ra_sim_config_init (cfg);
  cfg->flow = (RaSimFlow){ o->controller, o->controller_params, o->lda,
    o->lda_params, o->fec, o->fec_params, o->colour, o->colour_params };
  cfg->link = o->link;
  cfg->flows = (guint) o->flows;
  cfg->seed = (guint64) o->seed;
  cfg->seconds = ra_span (o->seconds);
  cfg->warmup = ra_span (o->warmup);
  cfg->packet_size = (guint) o->packet_size;
  cfg->rate = (RaRateConfig){ (guint64) o->min, (guint64) o->start,
    (guint64) o->max, cfg->packet_size };
  cfg->friendliness_cap = o->friendliness_cap;
  cfg->breakers = o->breakers > 0;
  cfg->feedback_delay = ra_span (o->feedback_delay);
  cfg->feedback_loss = o->feedback_loss;
  cfg->per_packet = o->per_packet > 0;
  cfg->grain = cfg->per_packet ? 250 * RA_USECOND : 0; /* TWCC's */
  cfg->overhead = (guint) o->overhead;
  cfg->fps = o->fps;
  cfg->mpeg = o->mpeg > 0;
  cfg->excess = o->excess;
  if (cfg->warmup >= cfg->seconds) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--seconds %g: nothing is left after --warmup %g", o->seconds,
        o->warmup);
    sim_setup_clear (setup);
    return FALSE;
  }
  if (o->min > o->max) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--min %g is above --max %g", o->min, o->max);
    sim_setup_clear (setup);
    return FALSE;
  }
  if (cfg->mpeg && cfg->fps <= 0) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--mpeg: frames of how many a second? --fps is missing");
    sim_setup_clear (setup);
    return FALSE;
  }
  if (!wire_parse (cfg, o->wire, error) || !mix_parse (setup, o, error)) {
    sim_setup_clear (setup);
    return FALSE;
  }
  if (o->excess != 1 && (cfg->fps <= 0 || cfg->mpeg || !cfg->wire)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--excess %g: it needs --fps and another --wire than exact, and no --mpeg",
        o->excess);
    sim_setup_clear (setup);
    return FALSE;
  }
  if (o->stagger > 0)
    stagger (setup, ra_span (o->stagger));
  cfg->mix = setup->mix;
  return TRUE;
}

void
sim_setup_clear (SimSetup *setup)
{
  g_clear_pointer (&setup->mix, g_free);
  g_clear_pointer (&setup->texts, g_ptr_array_unref);
}
