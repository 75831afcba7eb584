/* When a report of rtpadaptrecv is due, and whether RTCP keeps up.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "reporttimer.h"

#include "recvpackets.h"

/* Asked at least, and at most, so often while a report is due. */
#define ASK_MIN (5 * RA_MSECOND)
#define ASK_MAX (200 * RA_MSECOND)
/* Nobody needs feedback more often than there are frames: 50 Hz. */
#define SLOW_MIN (20 * RA_MSECOND)
/* If so many reports in a row were late, the settings are the reason, not chance. */
#define SLOW_ROW 10
/* What rtpsession counts for UDP and IP. */
#define UDP_IP 28
/* An RTCP packet with RR, SDES, RADP and TFRC-FB, if none has been seen. */
#define RTCP_SIZE 200
/* Us and the sender. */
#define MEMBERS 2
/* RFC 3550 6.2: RTCP has a twentieth of the session's bandwidth. */
#define RTCP_SHARE 20

RaSpan
report_spacing (RaSpan interval, RaSpan rtt)
{
  if (interval != RA_SPAN_NONE)
    return interval;
  return rtt > 0 ? CLAMP (rtt, ASK_MIN, ASK_MAX) : ASK_MAX;
}

void
report_on_packet (ReportTimer *t)
{
  t->fresh = TRUE;
}

gboolean
report_due (ReportTimer *t, RaSpan spacing, RaTime now)
{
  if (t->due)
    return FALSE; /* asked for already, and again by the timer */
  t->due = TRUE;
  t->due_since = now;
  t->ask_again = ra_later (now, spacing);
  return TRUE;
}

ReportStep
report_step (
    ReportTimer *t, gboolean silent, RaTime timeout, RaSpan spacing, RaTime now)
{
  if (report_next (t, timeout) > now)
    return REPORT_NOTHING;
  if (t->due) {
    t->ask_again = ra_later (now, spacing);
    return REPORT_ASK;
  }
  /* In silence there is nothing to report, as the reporter finds out (RFC 5348
   * 6.2), and an RTCP packet now would keep back the one that the first packet
   * after the silence may need at once. */
  if (!t->fresh && silent)
    return REPORT_SILENT;
  report_due (t, spacing, now);
  return REPORT_ASK;
}

RaTime
report_next (const ReportTimer *t, RaTime timeout)
{
  return t->due ? t->ask_again : timeout;
}

void
report_done (ReportTimer *t, gsize size)
{
  t->due = t->fresh = FALSE;
  if (size > 0)
    t->rtcp_size = size + UDP_IP;
}

gboolean
report_is_slow (ReportTimer *t, RaSpan waited, RaSpan spacing)
{
  if (waited <= MAX (spacing, SLOW_MIN) / 2) {
    t->n_slow = 0;
    return FALSE;
  }
  return ++t->n_slow >= SLOW_ROW;
}

gboolean
report_is_refused (ReportTimer *t, RaSpan delay, RaSpan spacing)
{
  return report_is_slow (t, MAX (delay, SLOW_MIN), spacing);
}

gchar *
report_slow_text (const ReportTimer *t, RaSpan spacing, gchar **debug)
{
  RaSpan want = MAX (spacing, SLOW_MIN);
  guint64 need = recv_rtcp_bandwidth (
      t->rtcp_size ? t->rtcp_size : RTCP_SIZE, MEMBERS, want);

  *debug = g_strdup_printf ("%" G_GUINT64_FORMAT
                            " bit/s of RTCP for a report each "
                            "%" G_GINT64_FORMAT " ms",
      need, want / RA_MSECOND);
  return g_strdup_printf (
      "The RTP session sends feedback less often than the sender needs it: "
      "set its bandwidth to %" G_GUINT64_FORMAT " bit/s at least.",
      need * RTCP_SHARE);
}
