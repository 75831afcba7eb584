/* What rtpadaptsend hears.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sendear.h"

void
send_ear_start (SendEar *e, RaSender *sender, RaTime now)
{
  /* As the seed of skipper.c. */
  guint64 seed = (guint64) g_random_int () << 32 | g_random_int ();

  *e = (SendEar){ .ear = ra_ear_new (sender, seed), .heard_at = now };
}

void
send_ear_stop (SendEar *e)
{
  e->stats = send_ear_stats (e);
  g_clear_pointer (&e->ear, ra_ear_free);
}

SendWants
send_ear_take (
    SendEar *e, RaEarNews news, FeedbackMode *mode, Outage *outage, RaTime now)
{
  SendWants wants = SEND_WANTS_NOTHING;

  if (news & RA_EAR_REPORTED)
    wants |= mode_on_reports (mode, now);
  if (news & RA_EAR_WISH)
    wants |= mode_on_wish (mode, ra_ear_wish (e->ear));
  if (news & RA_EAR_ANSWERED) {
    mode_on_kind (mode, now);
    wants |= outage_on_answer (outage, now);
  }
  if (news & RA_EAR_OTHER)
    wants |= mode_on_other (mode, ra_ear_other (e->ear), now);
  if (news & (RA_EAR_ANSWERED | RA_EAR_REPORTED)) {
    e->heard_at = now;
    e->heard = TRUE;
  }
  /* The pacer's next packet and the no-feedback timer may have moved. */
  if (news & RA_EAR_CHANGED)
    wants |= SEND_WAKE | SEND_JOB;
  return wants;
}

void
send_ear_on_pushed (SendEar *e, GstFlowReturn flow, RaTime passed_by)
{
  ra_ear_on_pushed (e->ear, passed_by);
  e->refused |= flow != GST_FLOW_OK;
}

gboolean
send_ear_take_misled (SendEar *e, RaEarNews news)
{
  gboolean refused = e->refused;

  if (!(news & RA_EAR_REALIGNED))
    return FALSE;
  e->refused = FALSE;
  return !refused;
}

RaSpan
send_ear_heard_ago (const SendEar *e, RaTime now)
{
  return e->heard ? MAX (ra_diff (now, e->heard_at), 0) : RA_SPAN_NONE;
}

typedef struct
{
  guint64 time;
  guint ssrc, seqnum;
  const gchar *verdict, *truth;
} LossNews;

const Field send_ear_loss_fields[] = {
  { "time", "ns", "when the packet was sent, on the pipeline's clock", "ledger",
      FIELD_UINT64 (LossNews, time) },
  { "ssrc", "", "of the packet", "RFC 3550 5.1", FIELD_UINT (LossNews, ssrc) },
  { "seqnum", "", "its sequence number", "RFC 3550 5.1",
      FIELD_UINT (LossNews, seqnum) },
  { "verdict", "", "why it was lost: congestion or wireless", "LDA",
      FIELD_TEXT (LossNews, verdict) },
  { "truth", "", "the same as rtpadaptlink says; none: nobody knows",
      "event RTPAdaptLoss", FIELD_TEXT (LossNews, truth) },
  { NULL },
};

GstStructure *
send_ear_loss (const RaEarLoss *loss, const OurClock *clock)
{
  return fields_new ("rtpadapt-loss", send_ear_loss_fields,
      &(LossNews){ .time = our_clock_time (clock, loss->sent),
          .ssrc = loss->ssrc,
          .seqnum = loss->seq,
          .verdict = ra_cause_nick (loss->verdict),
          .truth = ra_cause_nick (loss->truth) });
}

void
send_ear_on_truth (SendEar *e, const GstStructure *s)
{
  const gchar *nick = gst_structure_get_string (s, "cause");
  RaCause cause = RA_CAUSE_NONE;
  guint ssrc, seqnum;

  if (!e->ear || !nick || !gst_structure_get_uint (s, "ssrc", &ssrc)
      || !gst_structure_get_uint (s, "seqnum", &seqnum))
    return;
  if (g_str_equal (nick, ra_cause_nick (RA_CAUSE_CONGESTION)))
    cause = RA_CAUSE_CONGESTION;
  else if (g_str_equal (nick, ra_cause_nick (RA_CAUSE_WIRELESS)))
    cause = RA_CAUSE_WIRELESS;
  ra_ear_truth (e->ear, ssrc, (guint16) seqnum, cause);
}

RaEarStats
send_ear_stats (const SendEar *e)
{
  RaEarStats stats = e->stats;

  if (e->ear)
    ra_ear_get_stats (e->ear, &stats);
  return stats;
}
