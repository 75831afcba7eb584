/* The sender after an outage: a new controller, and losses that are no congestion.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/senderpriv.h>

void
ra_sender_exchange (RaSender *s, RaRate *rate, guint64 start)
{
  rate->s = s->rate->s;
  rate->n_sent = s->rate->n_sent;
  rate->last_sent = s->rate->last_sent;
  ra_rate_free (s->rate);
  s->rate = rate;
  s->handed = start;
}

static void
outage_end (RaSender *s, RaTime now)
{
  s->anew = s->ledger->next;
  s->anew_at = now;
  s->masked = TRUE;
}

/* No queue delays packets for RA_FEEDBACK_GONE, so an outage took them.  The
 * no-feedback timer has lowered the rate for that already. */
void
ra_sender_look_back (RaSender *s, RaTime now)
{
  if (s->unanswered && s->last_word != RA_TIME_NONE
      && ra_diff (now, s->last_word) > RA_FEEDBACK_GONE)
    outage_end (s, now);
}

void
ra_sender_begin_anew (RaSender *s, RaTime now)
{
  RaRateConfig cfg = s->cfg;
  RaRate *rate;

  if (cfg.start > 0 && s->before > 0)
    cfg.start = MIN (cfg.start, s->before);
  rate = ra_rate_new (s->rate->ops, s->rate_params, &cfg, now, NULL);
  rate->before = s->before;
  ra_sender_exchange (s, rate, cfg.start);
  s->unanswered = FALSE;
  s->asked = s->last_feedback = RA_TIME_NONE;
  s->interval = s->spacing = 0;
  outage_end (s, now);
}

void
ra_sender_outage_hide (RaSender *s, RaReport *report)
{
  RaTime due = ra_later (report->t_recvdata, -MAX (report->loss_age, 0));

  if (s->anew_at != RA_TIME_NONE && due < s->anew_at)
    report->n_events = report->lost_congestion = report->lost_wireless
        = report->wireless_runs = 0;
  s->masked &= report->n_events == 0 && report->lost_congestion == 0;
  if (s->masked)
    report->p = MIN (report->p, s->p_before);
}
