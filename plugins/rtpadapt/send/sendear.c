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
  if (news & RA_EAR_CHANGED) {
    e->heard_at = now;
    /* The pacer's next packet and the no-feedback timer may have moved. */
    wants |= SEND_WAKE | SEND_TELL;
  }
  return wants;
}

GstStructure *
send_ear_loss (const RaEarLoss *loss, const OurClock *clock)
{
  return gst_structure_new ("rtpadapt-loss", "time", G_TYPE_UINT64,
      our_clock_time (clock, loss->sent), "ssrc", G_TYPE_UINT, loss->ssrc,
      "seqnum", G_TYPE_UINT, (guint) loss->seq, "verdict", G_TYPE_STRING,
      ra_cause_nick (loss->verdict), "truth", G_TYPE_STRING,
      ra_cause_nick (loss->truth), NULL);
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
