/* The receiver's requests for key frames.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "keygate.h"

/* The interval is no shorter, because a round trip may be shorter than a frame. */
#define INTERVAL_MIN (200 * RA_MSECOND)

void
key_gate_clear (KeyGate *g)
{
  for (guint i = 0; i < G_N_ELEMENTS (g->of); i++) {
    gst_clear_event (&g->of[i].waiting);
    g->of[i].asked = RA_TIME_NONE;
  }
  g->n_waiting = 0;
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
  g->n_waiting++;
  return verdict;
}

RaTime
key_gate_next (const KeyGate *g, RaSpan interval)
{
  RaTime next = RA_TIME_NONE;

  for (guint i = 0; g->n_waiting > 0 && i < G_N_ELEMENTS (g->of); i++) {
    if (g->of[i].waiting)
      next = MIN (next, ra_later (g->of[i].asked, interval));
  }
  return next;
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
