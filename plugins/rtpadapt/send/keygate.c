/* The receiver's requests for key frames.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "keygate.h"

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
    g->of[i].asked = RA_TIME_NONE;
  }
  g->n_waiting = 0;
  g->due = g->lacking = FALSE;
  g->dropped = RA_TIME_NONE;
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

KeyVerdict
key_gate_ask (KeyGate *g, guint i, GstEvent *event, RaSpan interval, RaTime now)
{
  KeyRequest *request = &g->of[i];
  GstEvent *before = take (g, i);
  KeyVerdict verdict = before ? KEY_HELD : KEY_HELD_FIRST;

  gst_clear_event (&before);
  if (request->asked == RA_TIME_NONE
      || ra_diff (now, request->asked) >= interval
      || now < request->asked) { /* the clock went back */
    request->asked = now;
    return KEY_PASS;
  }
  request->waiting = gst_event_ref (event);
  g->held++;
  g->n_waiting++;
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
      next = MIN (next, ra_later (g->of[i].asked, interval));
  }
  return next;
}

SendWants
key_gate_on_due (KeyGate *g)
{
  g->due = TRUE;
  return SEND_TELL;
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
    if (g->of[i].waiting && ra_diff (now, g->of[i].asked) >= interval) {
      g->of[i].asked = now;
      return take (g, i);
    }
  }
  return NULL;
}

SendWants
key_gate_on_drop (KeyGate *g, RaTime now)
{
  if (g->dropped != RA_TIME_NONE && ra_diff (now, g->dropped) < DROP_INTERVAL)
    return SEND_WANTS_NOTHING;
  g->dropped = now;
  return SEND_REFRESH;
}

void
key_gate_lack (KeyGate *g)
{
  g->lacking = TRUE;
}

gboolean
key_gate_refresh (KeyGate *g)
{
  gboolean lacking = g->lacking;

  g->lacking = FALSE;
  return lacking;
}
