/* The receiver's requests for key frames.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "keygate.h"

#include <gst/video/video.h>

/* The interval is this long at least, because a round trip may be shorter than
 * a frame. */
#define INTERVAL_MIN (200 * RA_MSECOND)
/* We ask for a key frame at most this often because of frames that we drop. */
#define DROP_INTERVAL RA_SECOND

void
key_gate_clear (KeyGate *g)
{
  for (guint i = 0; i < G_N_ELEMENTS (g->of); i++) {
    gst_clear_event (&g->of[i].waiting);
    g->of[i].asked = g->of[i].dropped = RA_TIME_NONE;
  }
  g->n_waiting = 0;
  g->due = g->lacking = FALSE;
  g->held = 0;
}

RaSpan
key_gate_interval (RaSpan rtt)
{
  return MAX (rtt, INTERVAL_MIN);
}

static GstEvent *
take (KeyGate *g, guint i)
{
  g->n_waiting -= g->of[i].waiting != NULL;
  return g_steal_pointer (&g->of[i].waiting);
}

/* Takes `event`. */
static void
hold (KeyGate *g, guint i, GstEvent *event, gboolean ours)
{
  g->of[i].waiting = event;
  g->of[i].ours = ours;
  g->n_waiting++;
}

/* When a request may go that comes `span` after one at `asked`. */
static RaTime
after (RaTime asked, RaSpan span)
{
  return asked == RA_TIME_NONE ? 0 : ra_later (asked, span);
}

/* When the request that waits may go. */
static RaTime
due_at (const KeyRequest *request, RaSpan interval)
{
  RaTime due = after (request->asked, interval);

  return request->ours ? MAX (due, after (request->dropped, DROP_INTERVAL))
                       : due;
}

KeyVerdict
key_gate_ask (KeyGate *g, guint i, GstEvent *event, RaSpan interval, RaTime now)
{
  KeyRequest *request = &g->of[i];
  GstEvent *before = take (g, i);
  KeyVerdict verdict = before && !request->ours ? KEY_HELD : KEY_HELD_FIRST;

  gst_clear_event (&before);
  if (after (request->asked, interval) <= now
      || now < request->asked) { /* the clock went back */
    request->asked = now;
    return KEY_PASS;
  }
  hold (g, i, gst_event_ref (event), FALSE);
  g->held++;
  return verdict;
}

RaTime
key_gate_next (const KeyGate *g, RaSpan interval)
{
  RaTime next = RA_TIME_NONE;

  if (g->due)
    return next;
  for (guint i = 0; g->n_waiting > 0 && i < G_N_ELEMENTS (g->of); i++) {
    if (g->of[i].waiting)
      next = MIN (next, due_at (&g->of[i], interval));
  }
  return next;
}

SendWants
key_gate_on_due (KeyGate *g)
{
  g->due = TRUE;
  return SEND_JOB;
}

gboolean
key_gate_begin (KeyGate *g)
{
  gboolean due = g->due;

  g->due = FALSE;
  return due;
}

GstEvent *
key_gate_take (KeyGate *g, RaSpan interval, RaTime now)
{
  for (guint i = 0; g->n_waiting > 0 && i < G_N_ELEMENTS (g->of); i++) {
    if (g->of[i].waiting && due_at (&g->of[i], interval) <= now) {
      g->of[i].asked = now;
      if (g->of[i].ours)
        g->of[i].dropped = now;
      return take (g, i);
    }
  }
  return NULL;
}

/* As rtpsession's, with the stream, so that a funnel asks one encoder alone. */
static GstEvent *
request_new (guint32 ssrc)
{
  GstEvent *event = gst_video_event_new_upstream_force_key_unit (
      GST_CLOCK_TIME_NONE, TRUE, 0);

  gst_structure_set (gst_event_writable_structure (event), "ssrc", G_TYPE_UINT,
      (guint) ssrc, NULL);
  return event;
}

SendWants
key_gate_on_drop (KeyGate *g, guint i, guint32 ssrc)
{
  if (g->of[i].waiting) /* it goes on later than now */
    return SEND_WANTS_NOTHING;
  hold (g, i, request_new (ssrc), TRUE);
  return SEND_WAKE;
}

void
key_gate_lack (KeyGate *g)
{
  g->lacking = TRUE;
}

gboolean
key_gate_refresh (KeyGate *g, RaTime now)
{
  gboolean lacking = g->lacking;

  g->lacking = FALSE;
  for (guint i = 0; lacking && i < G_N_ELEMENTS (g->of); i++) {
    g_autoptr (GstEvent) served = take (g, i);

    g->of[i].asked = now;
  }
  return lacking;
}
