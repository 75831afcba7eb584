/* Which feedback rtpadaptrecv sends: what is set, where the packets allow it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recvkind.h"

/* Audio that comes before the video may have no header extension, so packets are
 * judged only after this time and number. */
#define JUDGE_AFTER (2 * RA_SECOND)
#define JUDGE_PACKETS 30
/* The sender hears what is set here so often. */
#define WISH_INTERVAL RA_SECOND
/* After this long without the extension its sender is gone, and another sender
 * may have other settings. */
#define FORGET_AFTER (10 * RA_SECOND)

/* TRUE: these header extensions have what the kind needs. */
static gboolean
is_allowed (const RaFeedbackOps *kind, gboolean number, gboolean send_ts)
{
  if (!kind->extension)
    return TRUE;
  return ra_feedback_send_times (kind) ? send_ts : number;
}

/* The kind that any packets allow, */
static const RaFeedbackOps *
plain_kind (void)
{
  guint i = 0;

  while (ra_feedbacks[i]->extension)
    i++;
  return ra_feedbacks[i];
}

/* and the one that rtpsession reports. */
static const RaFeedbackOps *
session_kind (void)
{
  guint i = 0;

  while (ra_feedbacks[i]->due)
    i++;
  return ra_feedbacks[i];
}

const RaFeedbackOps *
recv_kind_choose (const RecvKindSeen *seen, gint wanted, const RecvIds *ids)
{
  const RaFeedbackOps *kind = ra_feedback_at (wanted);

  if (!is_allowed (kind, ids->number > 0, ids->send_ts > 0))
    return NULL;
  if (seen->judged && !is_allowed (kind, seen->number, seen->send_ts))
    return plain_kind ();
  return recv_kind_is_ours (kind) ? kind : NULL;
}

const gchar *
recv_kind_lack (gint wanted, const RecvIds *ids)
{
  const RaFeedbackOps *kind = ra_feedback_at (wanted);

  if (!recv_kind_is_ours (kind)
      || is_allowed (kind, ids->number > 0, ids->send_ts > 0))
    return NULL;
  return ids->number
      ? "The caps lack extmap-N=" RA_SEND_TS_URI
        ", which feedback=tfrc needs: falling back to feedback=twcc."
      : "The caps lack extmap-N=" RA_SEND_TS_URI
        ", which feedback=tfrc needs: the sender gets no feedback.";
}

gchar *
recv_kind_lda_lack (
    const RaLdaOps *lda, const RaFeedbackOps *reports, const RecvIds *ids)
{
  if (!ra_feedback_judges (reports))
    return NULL;
  if (lda->truth)
    return g_strdup_printf (
        "lda=%s needs %s, which only the sender hears, so with feedback=%s every "
        "loss counts as congestion: set feedback=twcc or ccfb on both sides.",
        lda->name, lda->needs, reports->name);
  if (lda->colours && !ids->colour)
    return g_strdup_printf (
        "lda=%s needs %s, and the caps lack extmap-N=" RA_COLOUR_EXT_URI
        ", so every loss counts as congestion: set colour at the sender, and "
        "put that extension into its caps.",
        lda->name, lda->needs);
  return NULL;
}

void
recv_kind_on_caps (
    RecvKindSeen *seen, const RecvIds *before, const RecvIds *ids)
{
  if (before->number != ids->number || before->send_ts != ids->send_ts)
    *seen = (RecvKindSeen){ .second = seen->second,
      .wish_again = seen->wish_again };
}

RecvKindNews
recv_kind_on_packet (
    RecvKindSeen *seen, gboolean number, gboolean send_ts, RaTime now)
{
  RecvKindNews news = RECV_KIND_NOTHING;
  RecvKindSeen before;

  if (number || send_ts)
    seen->last = now;
  else if ((seen->number || seen->send_ts)
      && ra_diff (now, seen->last) > FORGET_AFTER)
    *seen = (RecvKindSeen){ .second = TRUE, .wish_again = seen->wish_again };
  if (seen->packets == 0)
    seen->since = now;
  before = *seen;
  seen->number |= number;
  seen->send_ts |= send_ts;
  seen->packets = MIN (seen->packets + 1, JUDGE_PACKETS);
  seen->judged |= seen->packets == JUDGE_PACKETS
      && ra_diff (now, seen->since) >= JUDGE_AFTER;
  if (seen->judged && !before.judged && !seen->second)
    news |= RECV_KIND_JUDGED;
  if (seen->judged != before.judged || seen->number != before.number
      || seen->send_ts != before.send_ts)
    news |= RECV_KIND_CHANGED;
  return news;
}

/* The feedback that the sender is set to, to judge by its packets.  Of several the
 * last counts, as packets with send times may have transport-wide numbers, too. */
static const RaFeedbackOps *
kind_of_sender (const RecvKindSeen *seen)
{
  const RaFeedbackOps *found = plain_kind ();

  for (guint i = 0; ra_feedbacks[i]; i++) {
    if (ra_feedbacks[i]->extension
        && is_allowed (ra_feedbacks[i], seen->number, seen->send_ts))
      found = ra_feedbacks[i];
  }
  return found;
}

gchar *
recv_kind_difference (const RecvKindSeen *seen, gint wanted, const RecvIds *ids)
{
  const RaFeedbackOps *theirs = kind_of_sender (seen);
  const RaFeedbackOps *ours = ra_feedback_at (wanted);

  /* Where the caps name no header extension, none is looked for. */
  if (theirs == ours || (!ids->number && !ids->send_ts))
    return NULL;
  return g_strdup_printf (
      "The packets carry %s, as with feedback=%s at the sender, and feedback=%s "
      "is set here: set the same on both sides.",
      theirs->sign, theirs->name, ours->name);
}

const gchar *
recv_kind_wish (
    RecvKindSeen *seen, gint wanted, const RaFeedbackOps *reports, RaTime now)
{
  const RaFeedbackOps *kind = ra_feedback_at (wanted);

  if (!kind->extension || reports == (kind->due ? kind : NULL)
      || now < seen->wish_again)
    return NULL;
  seen->wish_again = ra_later (now, WISH_INTERVAL);
  return kind->name;
}

gboolean
recv_kind_is_ours (const RaFeedbackOps *reports)
{
  return reports && reports->due;
}

RaSpan
recv_kind_interval (const RaFeedbackOps *reports, RaSpan interval)
{
  return reports && reports->at_interval ? interval : RA_SPAN_NONE;
}

gboolean
recv_kind_is_silent (const RaFeedbackOps *reports)
{
  return reports && reports->silent;
}

const gchar *
recv_kind_nick (const RaFeedbackOps *reports, const RecvIds *ids)
{
  if (!reports && ids->number)
    reports = session_kind ();
  return ra_feedback_name (reports);
}
