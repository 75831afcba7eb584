/* Which feedback rtpadaptrecv sends: what is set, where the packets allow it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recvkind.h"

#include "parts/enums.h"

/* Audio that comes before the video may have no header extension, so packets are
 * judged only after this time and number. */
#define JUDGE_AFTER (2 * RA_SECOND)
#define JUDGE_PACKETS 30
/* The sender hears what is set here so often. */
#define WISH_INTERVAL RA_SECOND
/* After this long without the extension its sender is gone, and another sender
 * may have other settings. */
#define FORGET_AFTER (10 * RA_SECOND)

static const gchar *const nicks[] = {
  [GST_RTP_ADAPT_FEEDBACK_TWCC] = "twcc",
  [GST_RTP_ADAPT_FEEDBACK_TFRC] = "tfrc",
  [GST_RTP_ADAPT_FEEDBACK_CCFB] = "ccfb",
};

RaReports
recv_kind_choose (const RecvKindSeen *seen, gint wanted, const RecvIds *ids)
{
  switch (wanted) {
    case GST_RTP_ADAPT_FEEDBACK_CCFB:
      return RA_REPORTS_CCFB;
    case GST_RTP_ADAPT_FEEDBACK_TFRC:
      if (!ids->send_ts)
        return RA_REPORTS_NONE;
      return seen->judged && !seen->send_ts ? RA_REPORTS_CCFB : RA_REPORTS_TFRC;
    default:
      return ids->number && seen->judged && !seen->number ? RA_REPORTS_CCFB
                                                          : RA_REPORTS_NONE;
  }
}

const gchar *
recv_kind_lack (gint wanted, const RecvIds *ids)
{
  if (wanted != GST_RTP_ADAPT_FEEDBACK_TFRC || ids->send_ts)
    return NULL;
  return ids->number
      ? "The caps lack extmap-N=" RA_SEND_TS_URI
        ", which feedback=tfrc needs: falling back to feedback=twcc."
      : "The caps lack extmap-N=" RA_SEND_TS_URI
        ", which feedback=tfrc needs: the sender gets no feedback.";
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

/* The feedback that the sender is set to, to judge by its packets. */
static gint
kind_of_sender (const RecvKindSeen *seen)
{
  if (seen->send_ts)
    return GST_RTP_ADAPT_FEEDBACK_TFRC;
  return seen->number ? GST_RTP_ADAPT_FEEDBACK_TWCC
                      : GST_RTP_ADAPT_FEEDBACK_CCFB;
}

gchar *
recv_kind_difference (const RecvKindSeen *seen, gint wanted, const RecvIds *ids)
{
  static const gchar *const signs[] = {
    [GST_RTP_ADAPT_FEEDBACK_TWCC] = "transport-wide numbers",
    [GST_RTP_ADAPT_FEEDBACK_TFRC] = "send times",
    [GST_RTP_ADAPT_FEEDBACK_CCFB] = "no header extension",
  };
  gint theirs = kind_of_sender (seen);

  /* Where the caps name no header extension, none is looked for. */
  if (theirs == wanted || (!ids->number && !ids->send_ts))
    return NULL;
  return g_strdup_printf (
      "The packets carry %s, as with feedback=%s at the sender, and feedback=%s "
      "is set here: set the same on both sides.",
      signs[theirs], nicks[theirs], nicks[wanted]);
}

const gchar *
recv_kind_wish (RecvKindSeen *seen, gint wanted, RaReports reports, RaTime now)
{
  gboolean kept = TRUE;

  if (wanted == GST_RTP_ADAPT_FEEDBACK_TWCC)
    kept = reports == RA_REPORTS_NONE;
  else if (wanted == GST_RTP_ADAPT_FEEDBACK_TFRC)
    kept = reports == RA_REPORTS_TFRC;
  if (kept || now < seen->wish_again)
    return NULL;
  seen->wish_again = ra_later (now, WISH_INTERVAL);
  return nicks[wanted];
}

gboolean
recv_kind_is_ours (RaReports reports)
{
  return reports != RA_REPORTS_NONE;
}

RaSpan
recv_kind_interval (RaReports reports, RaSpan interval)
{
  return reports == RA_REPORTS_CCFB ? interval : RA_SPAN_NONE;
}

gboolean
recv_kind_is_silent (RaReports reports)
{
  return reports == RA_REPORTS_TFRC;
}

const gchar *
recv_kind_nick (RaReports reports, const RecvIds *ids)
{
  switch (reports) {
    case RA_REPORTS_TFRC:
      return nicks[GST_RTP_ADAPT_FEEDBACK_TFRC];
    case RA_REPORTS_CCFB:
      return nicks[GST_RTP_ADAPT_FEEDBACK_CCFB];
    default:
      return ids->number ? nicks[GST_RTP_ADAPT_FEEDBACK_TWCC] : "none";
  }
}
