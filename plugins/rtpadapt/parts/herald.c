/* When an element's job runs, what it posts and notifies, and what was said already.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "herald.h"

void
herald_init (Herald *h)
{
  *h = (Herald){ .next_stats = RA_TIME_NONE };
  g_queue_init (&h->messages);
}

void
herald_start (Herald *h)
{
  h->warned = 0;
  h->unposted = 0;
  for (guint i = 0; i < HERALD_NEWS_MAX; i++)
    h->said[i] = 0;
}

void
herald_clear (Herald *h)
{
  g_queue_clear_full (&h->messages, (GDestroyNotify) gst_message_unref);
}

gboolean
herald_wake (Herald *h)
{
  gboolean start = !h->pending;

  h->again = h->pending = TRUE;
  return start;
}

void
herald_round (Herald *h)
{
  h->again = FALSE;
}

gboolean
herald_goes_on (Herald *h)
{
  h->pending = h->again;
  return h->again;
}

gboolean
herald_post (Herald *h, GstMessage *message)
{
  if (herald_is_full (h)) {
    herald_leave_out (h, 1);
    gst_message_unref (message);
    return FALSE;
  }
  g_queue_push_tail (&h->messages, message);
  return TRUE;
}

void
herald_post_always (Herald *h, GstMessage *message)
{
  g_queue_push_tail (&h->messages, message);
}

gboolean
herald_is_full (const Herald *h)
{
  return h->messages.length >= HERALD_MESSAGES_MAX;
}

void
herald_leave_out (Herald *h, guint64 n)
{
  h->unposted += n;
}

GstMessage *
herald_next (Herald *h)
{
  return g_queue_pop_head (&h->messages);
}

void
herald_job (Herald *h, GMutex *lock, GstElement *element)
{
  GstMessage *message;

  g_mutex_lock (lock);
  do {
    herald_round (h);
    while ((message = herald_next (h))) {
      g_mutex_unlock (lock);
      gst_element_post_message (element, message);
      g_mutex_lock (lock);
    }
  } while (herald_goes_on (h));
  g_mutex_unlock (lock);
}

gboolean
herald_has_warned (const Herald *h, guint what)
{
  return (h->warned & what) != 0;
}

gboolean
herald_warn_once (Herald *h, guint what)
{
  gboolean first = !herald_has_warned (h, what);

  h->warned |= what;
  return first;
}

gboolean
herald_is_news (Herald *h, guint what, guint64 value)
{
  gboolean news = h->said[what] != value;

  h->said[what] = value;
  return news;
}

void
herald_stats_restart (Herald *h, RaTime now, GstClockTime interval)
{
  h->next_stats = now != RA_TIME_NONE && interval > 0
      ? ra_later (now, (RaSpan) interval)
      : RA_TIME_NONE;
}

gboolean
herald_stats_due (Herald *h, RaTime now, GstClockTime interval)
{
  if (h->next_stats > now)
    return FALSE;
  h->next_stats = ra_later (now, (RaSpan) interval);
  return TRUE;
}

void
herald_observe (const gchar *name, gdouble value, gpointer structure)
{
  gst_structure_set (
      (GstStructure *) structure, name, G_TYPE_DOUBLE, value, NULL);
}
