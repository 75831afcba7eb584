/* A hold on the RTPSession that an element feeds.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sessiontap.h"

#include "session.h"

#include <string.h>

void
tap_init (SessionTap *tap)
{
  g_weak_ref_init (&tap->element, NULL);
}

void
tap_clear (SessionTap *tap)
{
  g_weak_ref_clear (&tap->element);
}

/* (transfer full) */
static GObject *
session_of (GstElement *element)
{
  GObject *session;

  g_object_get (element, "internal-session", &session, NULL);
  return session;
}

/* Handlers of another holder are not cut with `link`. */
static void
link_leave (TapLink *link)
{
  memset (link->ids, 0, sizeof link->ids);
}

void
tap_link_cut (TapLink *link)
{
  GObject *session;

  if (!link->element)
    return;
  session = session_of (link->element);
  for (guint i = 0; i < TAP_HANDLERS_MAX; i++)
    if (link->ids[i] != 0)
      g_signal_handler_disconnect (session, link->ids[i]);
  g_object_unref (session);
  gst_clear_object (&link->element);
}

void
tap_lose (SessionTap *tap)
{
  tap->stale = TRUE;
}

TapSearch
tap_plan (SessionTap *tap)
{
  TapSearch s = { .n_drops = tap->n_drops };

  s.before.element = tap_element (tap);
  memcpy (s.before.ids, tap->ids, sizeof tap->ids);
  tap->stale = FALSE;
  return s;
}

void
tap_find (TapSearch *s, GstPad *srcpad, const TapHandler *handlers, guint n,
    gpointer owner)
{
  GObject *session;

  s->found.element = session_element_downstream (srcpad);
  if (!s->found.element)
    return;
  session = session_of (s->found.element);
  s->avpf = session_is_avpf (session);
  for (guint i = 0; s->found.element != s->before.element && i < n; i++)
    s->found.ids[i] = session_connect (
        session, handlers[i].signal, handlers[i].handler, owner);
  g_object_unref (session);
}

TapResult
tap_take (SessionTap *tap, TapSearch *s)
{
  if (tap->n_drops != s->n_drops) {
    link_leave (&s->before);
    return TAP_LATE;
  }
  if (!s->found.element) {
    tap_lose (tap);
    if (!s->before.element) /* the session took its handlers along */
      memset (tap->ids, 0, sizeof tap->ids);
    link_leave (&s->before);
    return TAP_NONE;
  }
  if (s->found.element == s->before.element) {
    link_leave (&s->before);
    return TAP_SAME;
  }
  g_weak_ref_set (&tap->element, s->found.element);
  memcpy (tap->ids, s->found.ids, sizeof tap->ids);
  link_leave (&s->found);
  return TAP_OTHER;
}

void
tap_end (TapSearch *s)
{
  tap_link_cut (&s->before);
  tap_link_cut (&s->found);
}

TapLink
tap_drop (SessionTap *tap)
{
  TapLink link = { .element = tap_element (tap) };

  memcpy (link.ids, tap->ids, sizeof tap->ids);
  memset (tap->ids, 0, sizeof tap->ids);
  g_weak_ref_set (&tap->element, NULL);
  tap->n_drops++;
  return link;
}

gboolean
tap_is_on (const SessionTap *tap)
{
  return tap->ids[0] != 0;
}

GstElement *
tap_element (SessionTap *tap)
{
  return g_weak_ref_get (&tap->element);
}

gboolean
tap_ask_rtcp (GstElement *element, RaSpan delay)
{
  GObject *session = session_of (element);
  gboolean in_time = FALSE;

  g_signal_emit_by_name (session, "send-rtcp-full", (guint64) delay, &in_time);
  g_object_unref (session);
  gst_object_unref (element);
  return in_time;
}

RaSpan
tap_set_twcc_interval (GstElement *element, RaSpan interval, RaSpan ours)
{
  GObject *session = session_of (element);
  RaSpan now = RA_SPAN_NONE;
  guint64 before;

  g_object_get (session, "twcc-feedback-interval", &before, NULL);
  if (before == GST_CLOCK_TIME_NONE
      || (ours != RA_SPAN_NONE && before == (guint64) ours)) {
    now = interval;
    g_object_set (session, "twcc-feedback-interval",
        now != RA_SPAN_NONE ? (guint64) now : GST_CLOCK_TIME_NONE, NULL);
  }
  g_object_unref (session);
  return now;
}
