/* When the task of rtpadaptsend takes what from the backlog.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pacetask.h"

void
pace_init (PaceTask *p)
{
  g_cond_init (&p->wakeup);
  p->flow = GST_FLOW_FLUSHING;
}

void
pace_clear (PaceTask *p)
{
  g_cond_clear (&p->wakeup);
}

void
pace_start (PaceTask *p)
{
  p->backlog = backlog_new ();
  p->ended = 0;
  p->lost = p->fed = FALSE;
}

void
pace_stop (PaceTask *p)
{
  g_clear_pointer (&p->backlog, backlog_free);
}

void
pace_run (PaceTask *p)
{
  if (p->backlog)
    backlog_flush (p->backlog);
  p->lost |= p->fed;
  p->fed = FALSE;
  g_cond_broadcast (&p->wakeup);
  p->flow = GST_FLOW_OK;
  p->eos = FALSE;
}

void
pace_end (PaceTask *p)
{
  p->flow = GST_FLOW_FLUSHING;
  pace_wake (p);
}

void
pace_flush (PaceTask *p)
{
  if (p->backlog)
    backlog_clear (p->backlog);
  g_cond_broadcast (&p->wakeup);
}

gboolean
pace_take_lost (PaceTask *p)
{
  gboolean lost = p->lost;

  p->lost = FALSE;
  return lost;
}

gboolean
pace_relink (PaceTask *p)
{
  if (!pace_is_unlinked (p))
    return FALSE;
  p->flow = GST_FLOW_OK;
  return TRUE;
}

gboolean
pace_runs (const PaceTask *p)
{
  return p->flow == GST_FLOW_OK;
}

gboolean
pace_is_unlinked (const PaceTask *p)
{
  return p->flow == GST_FLOW_NOT_LINKED;
}

RaSpan
pace_waiting (const PaceTask *p, guint64 rate)
{
  return backlog_span (p->backlog, rate);
}

guint64
pace_dropped (const PaceTask *p)
{
  return backlog_dropped (p->backlog) + p->ended;
}

guint64
pace_dropped_frames (const PaceTask *p)
{
  return backlog_dropped_frames (p->backlog);
}

/* --- in ------------------------------------------------------------------- */

GstFlowReturn
pace_flow (const PaceTask *p)
{
  return p->flow == GST_FLOW_OK && p->eos ? GST_FLOW_EOS : p->flow;
}

gboolean
pace_push_event (PaceTask *p, GstEvent *event, RaSpan limit, RaTime now)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START)
    p->eos = FALSE;
  if (pace_flow (p) != GST_FLOW_OK) {
    gst_event_unref (event);
    return FALSE;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    p->eos = TRUE;
    p->eos_at = ra_later (now, limit);
  }
  backlog_push_event (p->backlog, event);
  pace_wake (p);
  return TRUE;
}

gboolean
pace_push (PaceTask *p, const BacklogItem *item, RaSpan limit, guint64 rate,
    SendWants *wants)
{
  gboolean was_empty = backlog_is_empty (p->backlog);
  guint64 frames = backlog_dropped_frames (p->backlog);

  *wants = SEND_WANTS_NOTHING;
  p->fed = TRUE;
  if (backlog_push_packet (p->backlog, item, limit, rate)) {
    /* Otherwise the task waits for the packet at the head. */
    if (was_empty)
      *wants = SEND_WAKE;
    return TRUE;
  }
  gst_mini_object_unref (item->object);
  if (backlog_dropped_frames (p->backlog) > frames)
    *wants = SEND_REFRESH;
  return FALSE;
}

/* --- out ------------------------------------------------------------------ */

static gboolean
eos_is_overdue (const PaceTask *p, RaTime now)
{
  return p->eos && p->eos_at <= now;
}

gboolean
pace_packet_is_due (PaceTask *p, RaTime now, RaTime next_send)
{
  const BacklogItem *item = next_send <= now || eos_is_overdue (p, now)
      ? backlog_peek (p->backlog)
      : NULL;

  return item && item->is_packet;
}

PaceStep
pace_step (PaceTask *p, RaTime now, RaTime timer, RaTime next_send)
{
  const BacklogItem *item = backlog_peek (p->backlog);

  if (p->eos && !item)
    timer = RA_TIME_NONE;
  if (timer <= now)
    return PACE_TIMER;
  if (item && (!item->is_packet || next_send <= now || eos_is_overdue (p, now)))
    return PACE_ITEM;
  p->until = timer;
  if (item)
    p->until = MIN (p->until, next_send);
  if (item && p->eos)
    p->until = MIN (p->until, p->eos_at);
  return PACE_WAIT;
}

void
pace_take (PaceTask *p, BacklogItem *item)
{
  backlog_pop (p->backlog, item);
  p->in_flight = TRUE;
}

void
pace_on_left (PaceTask *p)
{
  p->in_flight = FALSE;
  if (backlog_is_empty (p->backlog))
    g_cond_broadcast (&p->wakeup);
}

gboolean
pace_drops (PaceTask *p, RaTime now)
{
  gboolean drops = eos_is_overdue (p, now);

  p->ended += drops;
  return drops;
}

/* What waits is of the frame that came in last; a retransmission, which passed it,
 * is of none. */
static gboolean
is_spread (PaceTask *p, const BacklogItem *item)
{
  return backlog_is_latest (
      p->backlog, item->is_repeat ? backlog_peek (p->backlog) : item);
}

RaSentFlags
pace_flags (PaceTask *p, const BacklogItem *item)
{
  if (backlog_packets (p->backlog) == 0)
    return 0;
  return RA_SENT_WAITING | (is_spread (p, item) ? RA_SENT_SPREAD : 0);
}

void
pace_wait (PaceTask *p, const OurClock *clock, GMutex *lock)
{
  GstClockID id;

  if (p->until == RA_TIME_NONE) {
    g_cond_wait (&p->wakeup, lock);
    return;
  }
  id = gst_clock_new_single_shot_id (
      clock->clock, our_clock_time (clock, p->until));
  p->wait = id;
  g_mutex_unlock (lock);
  gst_clock_id_wait (id, NULL);
  g_mutex_lock (lock);
  p->wait = NULL;
  gst_clock_id_unref (id);
}

void
pace_wake (PaceTask *p)
{
  if (p->wait)
    gst_clock_id_unschedule (p->wait);
  g_cond_broadcast (&p->wakeup);
}

void
pace_pad_goes (PaceTask *p, gboolean goes)
{
  if (goes)
    p->going++;
  else
    p->going--;
  g_cond_broadcast (&p->wakeup);
}

static gboolean
is_drained (const PaceTask *p)
{
  return backlog_is_empty (p->backlog) && !p->in_flight;
}

gboolean
pace_drain (PaceTask *p, GMutex *lock)
{
  while (p->flow == GST_FLOW_OK && p->going == 0 && !is_drained (p))
    g_cond_wait (&p->wakeup, lock);
  return p->flow == GST_FLOW_OK && is_drained (p);
}

gboolean
pace_on_flow (PaceTask *p, GstFlowReturn flow)
{
  p->lost |= flow != GST_FLOW_OK;
  if (p->flow != GST_FLOW_OK || flow == GST_FLOW_OK)
    return FALSE;
  p->flow = flow;
  if (flow != GST_FLOW_FLUSHING && p->backlog)
    p->ended += backlog_packets (p->backlog);
  pace_flush (p);
  return p->eos && (flow == GST_FLOW_NOT_LINKED || flow <= GST_FLOW_ERROR);
}
