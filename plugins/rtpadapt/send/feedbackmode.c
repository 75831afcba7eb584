/* How rtpadaptsend hears the receiver.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "feedbackmode.h"

#include "parts/extmap.h"

#include <string.h>

/* As gst_sdp_media_add_rtcp_fb_attributes_from_media() spells it. */
#define FB "rtcp-fb-"

/* So much feedback over so long a time is neither chance nor a rest from an
 * earlier receiver. */
#define OTHER_ENOUGH 5
#define OTHER_AFTER RA_SECOND
/* After this long without it, the feedback in use does not come any more. */
#define KIND_SILENT (2 * RA_SECOND)
/* Where so many receiver reports came in this long without feedback, none will come.
 * Two may be of a process that stood still between them. */
#define REPORTS_ENOUGH 3
#define REPORTS_ALONE (4 * RA_SECOND)

/* Caps that are the only ones for so long are those of all streams. */
#define CAPS_ALONE (10 * RA_SECOND)

void
mode_start (FeedbackMode *m, const RaFeedbackOps *wanted)
{
  *m = (FeedbackMode){ .wanted = wanted,
    .kind = wanted,
    .kind_at = RA_TIME_NONE,
    .latest_at = RA_TIME_NONE,
    .alone_since = RA_TIME_NONE };
}

/* --- what may come ------------------------------------------------------- */

static gboolean
is_announced (const GstStructure *caps, const RaFeedbackOps *kind)
{
  if (!kind->extension)
    return FALSE;
  return ra_feedback_send_times (kind) ? extmap_send_ts_id (caps) != 0
                                       : extmap_id (caps, kind->extension) != 0;
}

/* What these caps say. */
static ModeSaid
said_by (const GstStructure *caps)
{
  ModeSaid said = { 0 };

  /* Sound that is sent with video may do without. */
  said.any = g_strcmp0 (gst_structure_get_string (caps, "media"), "audio") != 0;
  for (gint i = 0; i < gst_structure_n_fields (caps); i++)
    said.limited |= g_str_has_prefix (
        gst_structure_nth_field_name (caps, (guint) i), FB);
  for (guint i = 0; ra_feedbacks[i]; i++) {
    const RaFeedbackOps *kind = ra_feedbacks[i];
    g_autofree gchar *field = g_strconcat (FB, kind->sdp, NULL);
    gboolean offered = FALSE;

    gst_structure_get_boolean (caps, field, &offered);
    said.offered |= offered ? 1u << i : 0;
    said.extensions |= is_announced (caps, kind) ? 1u << i : 0;
  }
  return said;
}

static SendWants
said_set (FeedbackMode *m, const ModeSaid *said)
{
  if (memcmp (&m->said, said, sizeof *said) == 0)
    return SEND_WANTS_NOTHING;
  m->said = *said;
  return SEND_JOB;
}

SendWants
mode_on_caps (FeedbackMode *m, const GstStructure *caps, RaTime now)
{
  ModeSaid said = m->said;

  m->latest = said_by (caps);
  m->latest_at = now;
  said.any |= m->latest.any;
  said.extensions |= m->latest.extensions;
  said.limited |= m->latest.limited;
  said.offered |= m->latest.offered;
  return said_set (m, &said);
}

SendWants
mode_on_pushed (FeedbackMode *m)
{
  if (m->pushed)
    return SEND_WANTS_NOTHING;
  m->pushed = TRUE;
  return SEND_JOB;
}

SendWants
mode_on_no_room (FeedbackMode *m)
{
  if (m->no_room)
    return SEND_WANTS_NOTHING;
  m->no_room = TRUE;
  return SEND_JOB;
}

void
mode_on_session (FeedbackMode *m, gboolean session, gboolean avpf)
{
  m->session = session;
  m->avpf = avpf;
}

/* --- what came ----------------------------------------------------------- */

void
mode_on_kind (FeedbackMode *m, RaTime now)
{
  m->kind_at = now;
}

SendWants
mode_on_other (FeedbackMode *m, const RaFeedbackOps *kind, RaTime now)
{
  if (m->other != kind) {
    m->other = kind;
    m->n_other = 0;
    m->other_since = now;
  }
  if (m->n_other < OTHER_ENOUGH)
    m->n_other++;
  if (m->n_other < OTHER_ENOUGH || ra_diff (now, m->other_since) < OTHER_AFTER
      || (m->kind_at != RA_TIME_NONE
          && ra_diff (now, m->kind_at) < KIND_SILENT))
    return SEND_WANTS_NOTHING;
  if (m->adopted == kind)
    return SEND_WANTS_NOTHING;
  m->adopted = kind;
  return SEND_JOB;
}

SendWants
mode_on_reports (FeedbackMode *m, RaTime now)
{
  SendWants wants = SEND_WANTS_NOTHING;

  if (m->latest_at != RA_TIME_NONE && ra_diff (now, m->latest_at) >= CAPS_ALONE)
    wants = said_set (m, &m->latest);
  if (m->alone_since == RA_TIME_NONE)
    m->alone_since = now;
  m->n_alone = MIN (m->n_alone + 1, REPORTS_ENOUGH);
  if (m->alone || m->kind_at != RA_TIME_NONE || m->other || !m->kind
      || m->n_alone < REPORTS_ENOUGH
      || ra_diff (now, m->alone_since) < REPORTS_ALONE)
    return wants;
  m->alone = TRUE;
  return SEND_JOB;
}

SendWants
mode_on_wish (FeedbackMode *m, const RaFeedbackOps *kind)
{
  if (m->wish == kind)
    return SEND_WANTS_NOTHING;
  m->wish = kind;
  return SEND_JOB;
}

void
mode_on_receiver (FeedbackMode *m)
{
  m->other = m->adopted = m->wish = NULL;
  m->n_other = m->n_alone = 0;
  m->kind_at = m->alone_since = RA_TIME_NONE;
  m->alone = FALSE;
}

/* --- what is used -------------------------------------------------------- */

static ModeLacks
lacks_of (const FeedbackMode *m, const RaFeedbackOps *kind)
{
  const guint bit = 1u << ra_feedback_place (kind);
  ModeLacks lacks = 0;

  /* Other feedback rtpsession reads itself, whatever its profile, and sends it
   * upstream in an event, which other elements may send, too. */
  if (kind->needs_session && !m->session && m->pushed)
    lacks |= MODE_LACKS_SESSION;
  if (kind->needs_avpf && m->session && !m->avpf)
    lacks |= MODE_LACKS_AVPF;
  if (!m->said.any)
    return lacks;
  if (kind->extension && (kind->needs_session || m->session))
    lacks |= m->said.extensions & bit ? 0 : MODE_LACKS_EXTMAP;
  if (m->said.limited && !(m->said.offered & bit))
    lacks |= MODE_LACKS_PEER;
  return lacks;
}

static const RaFeedbackOps *
choose (const FeedbackMode *m, const RaFeedbackOps *wanted)
{
  if (m->adopted && !lacks_of (m, m->adopted))
    return m->adopted;
  if (!lacks_of (m, wanted))
    return wanted;
  for (guint i = 0; ra_feedbacks[i]; i++)
    if (!ra_feedbacks[i]->needs_session && m->said.extensions & 1u << i
        && !lacks_of (m, ra_feedbacks[i]))
      return ra_feedbacks[i];
  return NULL;
}

ModeNews
mode_choose (FeedbackMode *m, const RaFeedbackOps *wanted)
{
  const RaFeedbackOps *before = m->kind;
  ModeLacks lacks = lacks_of (m, wanted) | (m->no_room ? MODE_LACKS_ROOM : 0);
  ModeNews news = { .lacks = lacks & ~m->warned };

  m->warned |= lacks;
  m->kind = choose (m, wanted);
  news.changed = m->kind != before;
  return news;
}

gboolean
mode_always_asks (const FeedbackMode *m)
{
  return m->kind && m->kind->asks == RA_ASKS_ALWAYS;
}

/* --- texts --------------------------------------------------------------- */

gchar *
mode_lacks_text (ModeLacks lacks, const RaFeedbackOps *kind)
{
  switch (lacks) {
    case MODE_LACKS_SESSION:
      return g_strdup ("there is no rtpsession downstream");
    case MODE_LACKS_AVPF:
      return g_strdup ("the RTP session does not use it: set rtp-profile=avpf");
    case MODE_LACKS_EXTMAP:
      return g_strdup_printf ("the caps lack extmap-%d=%s",
          ra_feedback_place (kind) + 1, kind->extension);
    default:
      return g_strdup_printf ("the peer does not offer it: the caps lack " FB
                              "%s=(boolean)true",
          kind->sdp);
  }
}

gchar *
mode_difference (const FeedbackMode *m, const RaFeedbackOps *wanted)
{
  if (m->wish && m->wish != wanted)
    return g_strdup_printf (
        "The receiver is set to feedback=%s", m->wish->name);
  if (m->adopted && m->adopted != wanted)
    return g_strdup_printf ("The receiver sends feedback=%s", m->adopted->name);
  return m->alone ? g_strdup ("The receiver sends reports, but no feedback")
                  : NULL;
}
