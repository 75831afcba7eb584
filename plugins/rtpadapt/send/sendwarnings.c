/* What rtpadaptsend warns of: what happened, and what to do about it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sendwarnings.h"

#define WARN(n, domain, code, detail, ...)                   \
  notices_add (n, GST_MESSAGE_WARNING, GST_##domain##_ERROR, \
      GST_##domain##_ERROR_##code, detail, __VA_ARGS__)

void
warn_of_lacks (Notices *n, ModeLacks lacks, const RaFeedbackOps *wanted,
    const RaFeedbackOps *kind)
{
  for (guint bit = 1; bit < MODE_LACKS_ROOM; bit <<= 1) {
    g_autofree gchar *text = lacks & bit ? mode_lacks_text (bit, wanted) : NULL;

    if (text)
      WARN (n, LIBRARY, SETTINGS,
          g_strdup_printf ("%s serves instead",
              kind ? kind->name : "nothing but receiver reports"),
          "No feedback=%s: %s.", wanted->name, text);
  }
  if (lacks & MODE_LACKS_ROOM)
    WARN (n, LIBRARY, SETTINGS,
        g_strdup (
            "or put the caps with extmap-N between payloader and FEC encoder"),
        "Packets come without the header extensions that the caps name, and cannot "
        "have both them and FEC: set feedback=ccfb on both sides.");
}

void
warn_of_difference (Notices *n, const gchar *what, const RaFeedbackOps *wanted,
    const RaFeedbackOps *kind)
{
  WARN (n, LIBRARY, SETTINGS,
      g_strdup_printf (
          "feedback=%s is used until then", ra_feedback_name (kind)),
      "%s, and feedback=%s is set here: set the same on both sides.", what,
      wanted->name);
}

/* What each breaker means, RFC 8083. */
static const gchar *
breaker_cause (RaBreakerTrip trip)
{
  switch (trip) {
    case RA_BREAKER_RTCP_TIMEOUT:
      return "neither feedback nor a receiver report came";
    case RA_BREAKER_MEDIA_TIMEOUT:
      return "the receiver says that nothing arrives";
    case RA_BREAKER_CONGESTION:
      return "more than ten times what a TCP would send with these losses";
    case RA_BREAKER_USABILITY:
      return "losses or delays make the media useless";
    default:
      return "none";
  }
}

void
warn_of_breaker (Notices *n, RaBreakerState state, RaBreakerTrip trip,
    const RaFeedbackOps *kind)
{
  if (state == RA_BREAKER_OPEN)
    WARN (n, RESOURCE, FAILED,
        g_strdup_printf (
            "RFC 8083; feedback is %s; sending begins again when the receiver "
            "answers, or by the action signal restart",
            ra_feedback_name (kind)),
        "Sending has stopped: circuit breaker %s: %s.", ra_breaker_nick (trip),
        breaker_cause (trip));
  else if (state != RA_BREAKER_CLOSED)
    WARN (n, RESOURCE, BUSY, g_strdup ("RFC 8083 4.3"),
        "Sending a tenth, every loss is congestion: circuit breaker %s: %s.",
        ra_breaker_nick (trip), breaker_cause (trip));
}

void
warn_of_lies (Notices *n)
{
  WARN (n, RESOURCE, NOT_AUTHORIZED,
      g_strdup (
          "RFC 8888 10; for 15 s, and twice as long each time, up to 16 min; "
          "the action signal restart ends it"),
      "The receiver says that packets came which were never sent: it gets "
      "min-bitrate.");
}

/* Only feedback about single packets says how each of them came.  With tfrc the
 * receiver answers marks, but neither a path that takes ECT off nor one that marks
 * everything would show. */
void
warn_of_ecn_unheard (Notices *n, const RaFeedbackOps *wanted)
{
  WARN (n, LIBRARY, SETTINGS, g_strdup ("RFC 6679 7.2"),
      "Packets are sent without ECN: feedback=%s does not say how each of "
      "them came; set feedback=ccfb.",
      wanted->name);
}

static const gchar *
fault_text (RaEcnFault fault)
{
  switch (fault) {
    case RA_ECN_BLEACHED:
      return "they come without the ECN bits that they left with";
    case RA_ECN_REMARKED:
      return "they come with other ECN bits than they left with";
    case RA_ECN_HIDDEN:
      return "marks are taken off, or the receiver hides them";
    case RA_ECN_ALL_CE:
      return "all of them come marked";
    default:
      return "those with ECN bits are lost, and only those";
  }
}

void
warn_of_ecn_failed (Notices *n, RaEcnFault fault)
{
  WARN (n, RESOURCE, FAILED,
      g_strdup ("RFC 6679 7.4; it is tried again after a minute, and twice as "
                "late each time, up to 16 min"),
      "Packets are sent without ECN: %s.", fault_text (fault));
}

void
warn_of_no_truth (Notices *n, const RaLdaOps *lda)
{
  WARN (n, LIBRARY, SETTINGS,
      g_strdup ("such an LDA is for measurements; lda=fused needs no truth"),
      "lda=%s needs %s, and there is none: every loss counts as congestion.",
      lda->name, lda->needs);
}

/* RFC 6184 8.1: profile-level-id begins with profile_idc.  ITU-T H.264 A.2: High 10, High
 * 4:2:2, High 4:4:4 Predictive, CAVLC 4:4:4 Intra. */
gboolean
caps_have_rare_chroma (const GstCaps *caps)
{
  static const gchar *const rare[] = { "6e", "7a", "f4", "2c" };
  const gchar *id = gst_structure_get_string (
      gst_caps_get_structure (caps, 0), "profile-level-id");

  for (guint i = 0; id && i < G_N_ELEMENTS (rare); i++) {
    if (g_ascii_strncasecmp (id, rare[i], 2) == 0)
      return TRUE;
  }
  return FALSE;
}

void
warn_of_chroma (Notices *n)
{
  WARN (n, STREAM, FORMAT,
      g_strdup ("ITU-T H.264 A.2: more than 4:2:0 and 8 bits"),
      "Few browsers and decoders in hardware play this H.264: put "
      "video/x-raw,format=I420 before the encoder.");
}

void
warn_of_not_rtp (Notices *n)
{
  WARN (n, STREAM, FORMAT, NULL, "Dropping buffers that are not RTP packets.");
}

void
warn_of_alike (Notices *n)
{
  WARN (n, STREAM, FORMAT,
      g_strdup ("the payloader gets no times: appsrc has do-timestamp=true"),
      "All frames have the same RTP timestamp.");
}

void
warn_of_early (Notices *n)
{
  WARN (n, STREAM, FAILED, NULL,
      "Frames come more than 1 s before their time, and some are dropped: if the "
      "source is not live, put clocksync before the encoder.");
}

void
warn_of_realigned (Notices *n, const gchar *name)
{
  WARN (n, STREAM, FAILED,
      g_strdup (
          "rtpadaptsend has to be the last element before rtpsession, and the "
          "only one that feeds it"),
      "Packets that left %s were not all numbered by the RTP session.", name);
}

void
warn_of_too_large (Notices *n, const gchar *encoder)
{
  WARN (n, LIBRARY, SETTINGS,
      g_strdup ("put \"videoscale ! videorate ! capsfilter\" before it"),
      "adapt-size finds no way to make the pictures of %s smaller.", encoder);
}

void
warn_of_late_setting (Notices *n, const gchar *property)
{
  WARN (n, LIBRARY, SETTINGS, NULL,
      "%s is taken from READY to PAUSED: until then the stream goes on as before.",
      property);
}

void
warn_of_setting (Notices *n, gchar *text)
{
  if (text)
    WARN (n, LIBRARY, SETTINGS, NULL, "%s", text);
  g_free (text);
}

static void
choice_add (GString *choice, const gchar *property, const gchar *name)
{
  g_string_append_printf (
      choice, "%s%s=%s", choice->len ? " or " : "", property, name);
}

/* Singh et al. 2006, 3.2: "it is incompatible with the loss event rate used in the
 * TFRC equation". */
gchar *
warning_of_pair (
    const RaLdaOps *lda, const RaColourOps *colour, const RaRateOps *rate)
{
  gboolean events = lda->shares && rate->by_events;
  g_autoptr (GString) choice = g_string_new (NULL);

  for (guint i = 0; events && ra_rates[i]; i++) {
    if (ra_rates[i]->by_shares)
      choice_add (choice, "controller", ra_rates[i]->name);
  }
  if (events)
    return g_strdup_printf (
        "lda %s estimates a loss rate, and controller %s goes by loss events: "
        "set %s",
        lda->name, rate->name, choice->str);
  if (!lda->colours || !colour->none)
    return NULL;
  for (guint i = 0; ra_colours[i]; i++) {
    if (!ra_colours[i]->none)
      choice_add (choice, "colour", ra_colours[i]->name);
  }
  return g_strdup_printf (
      "lda %s needs %s: set %s", lda->name, lda->needs, choice->str);
}
