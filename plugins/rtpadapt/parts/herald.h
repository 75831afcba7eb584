/* When an element's job runs, what it posts and notifies, and what was said already.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A handler on the bus, or of a notify, may block, and so may another element whose
 * property is set.  So one job at a time in GStreamer's thread pool does that.  The
 * element starts it when herald_wake() says so.  The owner's lock is held for all calls.
 */
#pragma once

#include <gst/gst.h>
#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* Messages that may wait to be posted. */
#define HERALD_MESSAGES_MAX 1024
/* Things of an element that herald_is_news() knows apart. */
#define HERALD_NEWS_MAX 3

typedef struct
{
  GQueue messages;               /* GstMessage */
  gboolean pending;              /* the job runs, or is about to */
  gboolean again;                /* it has to look once more */
  guint warned;                  /* bits of the element's own */
  guint64 said[HERALD_NEWS_MAX]; /* the latest values */
  RaTime next_stats;
  guint64 unposted; /* messages since the start, as too many waited */
} Herald;

/* Once, when the element is made. */
void herald_init (Herald *h);
/* A new start: nothing was said yet.  A job that runs goes on. */
void herald_start (Herald *h);
/* Drops the messages that wait. */
void herald_clear (Herald *h);

/* TRUE: the owner has to start the job.  FALSE: it runs already, and looks once
 * more. */
gboolean herald_wake (Herald *h);
/* A round of the job begins. */
void herald_round (Herald *h);
/* A round ends.  FALSE: the job is over. */
gboolean herald_goes_on (Herald *h);

/* Takes `message`.  FALSE: too many wait, and it was dropped. */
gboolean herald_post (Herald *h, GstMessage *message);
/* The same, but never drops it: for what comes seldom and matters. */
void herald_post_always (Herald *h, GstMessage *message);
/* TRUE: herald_post() would drop a message. */
gboolean herald_is_full (const Herald *h);
/* `n` more were not even made: they count as dropped. */
void herald_leave_out (Herald *h, guint64 n);
/* The message to be posted next (transfer full), or NULL. */
GstMessage *herald_next (Herald *h);
/* The job of an element that only posts: posts all messages of `h`, from `element`.  `lock`
 * guards `h`; it is not held at the call, nor while a message is posted, as a handler on
 * the bus may block. */
void herald_job (Herald *h, GMutex *lock, GstElement *element);

/* TRUE the first time after a start; `what` is one of the element's bits. */
gboolean herald_warn_once (Herald *h, guint what);
/* TRUE: that call was made since the start. */
gboolean herald_has_warned (const Herald *h, guint what);
/* TRUE where `value` differs from what it was the last time, or from 0 after a
 * start.  `what` is below HERALD_NEWS_MAX. */
gboolean herald_is_news (Herald *h, guint what, guint64 value);

/* The next statistics come an `interval` (ns) from `now`; none where the interval
 * is 0, or `now` RA_TIME_NONE. */
void herald_stats_restart (Herald *h, RaTime now, GstClockTime interval);
/* TRUE if statistics are due; the next ones come an interval later. */
gboolean herald_stats_due (Herald *h, RaTime now, GstClockTime interval);
/* An RaObserve: puts the value into the GstStructure `structure`. */
void herald_observe (const gchar *name, gdouble value, gpointer structure);

G_END_DECLS
