/* A clock that a test makes faster while nothing is measured.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fast_clock_install() makes it GStreamer's system clock, so that the bins,
 * rtpsession, rtpjitterbuffer and the DTLS timers take their time from it.  A
 * pipeline has to be told to use it, too (gst_pipeline_use_clock()).  It begins at
 * speed 1.  At speed 20 a wait of 20 s lasts one, and a change of the speed
 * holds for the waits that are under way.
 *
 * Two functions that read the wall clock are replaced, because GStreamer's
 * parts compare what they say with the system clock: g_get_real_time(), from
 * which rtpsession makes the NTP time of a sender report (RFC 3550 6.4.1), and
 * gettimeofday(), by which OpenSSL judges when a handshake's flight is sent
 * again (RFC 6347 4.2.4.1).  The program has to be linked with export_dynamic.
 * g_get_monotonic_time() is left as it is, since GLib waits until times of it.
 * The kernel's times of arrival are left, too: rtpadaptudpsrc reads the two
 * clocks at once, with each batch of packets.
 *
 * One source file of a program can include this.
 */
#pragma once

#include <gst/gst.h>
#include <sys/time.h>
#include <time.h>

/* --- the time ------------------------------------------------------------ */

static struct
{
  GMutex lock;
  GstClockTime real, fast; /* the same moment, when the speed was set */
  guint speed;
} fast_time;

static inline GstClockTime
fast_read (clockid_t id)
{
  struct timespec t;

  clock_gettime (id, &t);
  return GST_TIMESPEC_TO_TIME (t);
}

static inline GstClockTime
fast_now_locked (void)
{
  GstClockTime real = fast_read (CLOCK_MONOTONIC);

  return fast_time.fast + (real - fast_time.real) * fast_time.speed;
}

/* The time of the clock, from any thread. */
static inline GstClockTime
fast_now (void)
{
  GstClockTime now;

  g_mutex_lock (&fast_time.lock);
  now = fast_now_locked ();
  g_mutex_unlock (&fast_time.lock);
  return now;
}

static inline guint
fast_speed (void)
{
  guint speed;

  g_mutex_lock (&fast_time.lock);
  speed = fast_time.speed;
  g_mutex_unlock (&fast_time.lock);
  return speed;
}

/* How far it is ahead of the monotonic clock; 0 before it is installed. */
static inline GstClockTime
fast_ahead (void)
{
  GstClockTime ahead = 0;

  g_mutex_lock (&fast_time.lock);
  if (fast_time.speed > 0)
    ahead = fast_now_locked () - fast_read (CLOCK_MONOTONIC);
  g_mutex_unlock (&fast_time.lock);
  return ahead;
}

__attribute__ ((visibility ("default"))) gint64
g_get_real_time (void)
{
  return (gint64) ((fast_read (CLOCK_REALTIME) + fast_ahead ()) / GST_USECOND);
}

__attribute__ ((visibility ("default"))) int
gettimeofday (struct timeval *restrict tv, void *restrict zone)
{
  GstClockTime now = fast_read (CLOCK_REALTIME) + fast_ahead ();

  GST_TIME_TO_TIMEVAL (now, *tv);
  return 0;
}

/* --- the clock ------------------------------------------------------------ */

/* A thread that waits for an entry. */
typedef struct _FastWaiter
{
  GstClockEntry *entry;
  GCond wakeup;
  struct _FastWaiter *next;
} FastWaiter;

typedef struct
{
  GstClock parent;
  FastWaiter *waiters; /* all of it under the lock of the time */
  GList *async;        /* (GstClockEntry) in order of time */
  GCond async_wakeup;
  GThread *thread;
  gboolean stop;
} FastClock;

typedef struct
{
  GstClockClass parent_class;
} FastClockClass;

GType fast_clock_get_type (void);
G_DEFINE_TYPE (FastClock, fast_clock, GST_TYPE_CLOCK)

static GstClockTime
fast_clock_internal_time (GstClock *clock)
{
  return fast_now ();
}

static guint64
fast_clock_resolution (GstClock *clock)
{
  return 1;
}

/* Waits until `time` or a wakeup.  FALSE: it is that time already.  The time's lock
 * is held. */
static gboolean
fast_wait_locked (GCond *wakeup, GstClockTime time)
{
  GstClockTime now = fast_now_locked ();
  gint64 end;

  if (now >= time)
    return FALSE;
  end = (gint64) ((fast_read (CLOCK_MONOTONIC) + (time - now) / fast_time.speed)
            / GST_USECOND)
      + 1;
  g_cond_wait_until (wakeup, &fast_time.lock, end);
  return TRUE;
}

static GstClockReturn
fast_clock_wait (
    GstClock *clock, GstClockEntry *entry, GstClockTimeDiff *jitter)
{
  FastClock *self = (FastClock *) clock;
  GstClockTime time = GST_CLOCK_ENTRY_TIME (entry);
  GstClockReturn ret = GST_CLOCK_EARLY; /* it is late already */
  FastWaiter waiter = { .entry = entry }, **link;

  g_cond_init (&waiter.wakeup);
  g_mutex_lock (&fast_time.lock);
  if (jitter)
    *jitter = GST_CLOCK_DIFF (time, fast_now_locked ());
  waiter.next = self->waiters;
  self->waiters = &waiter;
  while (GST_CLOCK_ENTRY_STATUS (entry) != GST_CLOCK_UNSCHEDULED
      && fast_wait_locked (&waiter.wakeup, time))
    ret = GST_CLOCK_OK;
  for (link = &self->waiters; *link != &waiter; link = &(*link)->next)
    ;
  *link = waiter.next;
  if (GST_CLOCK_ENTRY_STATUS (entry) == GST_CLOCK_UNSCHEDULED)
    ret = GST_CLOCK_UNSCHEDULED;
  else
    GST_CLOCK_ENTRY_STATUS (entry) = ret;
  g_mutex_unlock (&fast_time.lock);
  g_cond_clear (&waiter.wakeup);
  return ret;
}

static gint
fast_compare (gconstpointer a, gconstpointer b)
{
  GstClockTime x = GST_CLOCK_ENTRY_TIME ((const GstClockEntry *) a);
  GstClockTime y = GST_CLOCK_ENTRY_TIME ((const GstClockEntry *) b);

  return x < y ? -1 : x > y;
}

/* Links are made and freed without the lock of the time: GLib's allocator asks for
 * the time of day now and then, and so takes that lock itself. */
static void
fast_async_put_locked (FastClock *self, GList *link)
{
  GList *after = self->async;

  while (after && fast_compare (after->data, link->data) < 0)
    after = after->next;
  self->async = g_list_insert_before_link (self->async, after, link);
}

static GstClockReturn
fast_clock_wait_async (GstClock *clock, GstClockEntry *entry)
{
  FastClock *self = (FastClock *) clock;
  GList *link = g_list_append (NULL, gst_clock_id_ref (entry));

  g_mutex_lock (&fast_time.lock);
  if (GST_CLOCK_ENTRY_STATUS (entry) != GST_CLOCK_UNSCHEDULED) {
    fast_async_put_locked (self, g_steal_pointer (&link));
    g_cond_signal (&self->async_wakeup);
  }
  g_mutex_unlock (&fast_time.lock);
  if (!link)
    return GST_CLOCK_OK;
  g_list_free_full (link, gst_clock_id_unref);
  return GST_CLOCK_UNSCHEDULED;
}

static void
fast_clock_unschedule (GstClock *clock, GstClockEntry *entry)
{
  FastClock *self = (FastClock *) clock;
  GList *link;

  g_mutex_lock (&fast_time.lock);
  GST_CLOCK_ENTRY_STATUS (entry) = GST_CLOCK_UNSCHEDULED;
  for (FastWaiter *w = self->waiters; w; w = w->next) {
    if (w->entry == entry)
      g_cond_signal (&w->wakeup);
  }
  link = g_list_find (self->async, entry);
  if (link)
    self->async = g_list_remove_link (self->async, link);
  g_mutex_unlock (&fast_time.lock);
  g_list_free_full (link, gst_clock_id_unref);
}

/* Serves the first of the asynchronous waits.  Its function is called without a
 * lock.  A periodic wait is put back before, so that its function can end it. */
static void
fast_async_call_locked (FastClock *self)
{
  GList *link = self->async;
  GstClockEntry *entry = link->data;
  GstClockTime time = GST_CLOCK_ENTRY_TIME (entry);
  GstClockCallback func = entry->func;
  gpointer data = entry->user_data;

  self->async = g_list_remove_link (self->async, link);
  if (GST_CLOCK_ENTRY_TYPE (entry) == GST_CLOCK_ENTRY_PERIODIC) {
    entry->time += GST_CLOCK_ENTRY_INTERVAL (entry);
    gst_clock_id_ref (entry);
    fast_async_put_locked (self, g_steal_pointer (&link));
  }
  g_mutex_unlock (&fast_time.lock);
  g_list_free (link);
  if (func)
    func (GST_CLOCK (self), time, entry, data);
  gst_clock_id_unref (entry);
  g_mutex_lock (&fast_time.lock);
}

static gpointer
fast_async_run (gpointer data)
{
  FastClock *self = data;

  g_mutex_lock (&fast_time.lock);
  while (!self->stop) {
    if (!self->async)
      g_cond_wait (&self->async_wakeup, &fast_time.lock);
    else if (!fast_wait_locked (&self->async_wakeup,
                 GST_CLOCK_ENTRY_TIME ((GstClockEntry *) self->async->data)))
      fast_async_call_locked (self);
  }
  g_mutex_unlock (&fast_time.lock);
  return NULL;
}

static void
fast_clock_dispose (GObject *object)
{
  FastClock *self = (FastClock *) object;

  if (self->thread) {
    g_mutex_lock (&fast_time.lock);
    self->stop = TRUE;
    g_cond_signal (&self->async_wakeup);
    g_mutex_unlock (&fast_time.lock);
    g_thread_join (g_steal_pointer (&self->thread));
    g_list_free_full (g_steal_pointer (&self->async), gst_clock_id_unref);
    g_cond_clear (&self->async_wakeup);
  }
  G_OBJECT_CLASS (fast_clock_parent_class)->dispose (object);
}

static void
fast_clock_class_init (FastClockClass *klass)
{
  GstClockClass *clock_class = GST_CLOCK_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = fast_clock_dispose;
  clock_class->get_internal_time = fast_clock_internal_time;
  clock_class->get_resolution = fast_clock_resolution;
  clock_class->wait = fast_clock_wait;
  clock_class->wait_async = fast_clock_wait_async;
  clock_class->unschedule = fast_clock_unschedule;
}

static void
fast_clock_init (FastClock *self)
{
  g_cond_init (&self->async_wakeup);
  GST_OBJECT_FLAG_SET (self,
      GST_CLOCK_FLAG_CAN_DO_SINGLE_SYNC | GST_CLOCK_FLAG_CAN_DO_SINGLE_ASYNC
          | GST_CLOCK_FLAG_CAN_DO_PERIODIC_SYNC
          | GST_CLOCK_FLAG_CAN_DO_PERIODIC_ASYNC);
  self->thread = g_thread_new ("fast-clock", fast_async_run, self);
}

/* --- for a test ------------------------------------------------------------ */

/* Makes it the system clock, before there is any element. */
static inline FastClock *
fast_clock_install (void)
{
  FastClock *self;

  fast_time.real = fast_time.fast = fast_read (CLOCK_MONOTONIC);
  fast_time.speed = 1;
  self = g_object_new (fast_clock_get_type (), "name", "fast", NULL);
  gst_object_ref_sink (self);
  gst_system_clock_set_default (GST_CLOCK (self));
  return self;
}

static inline void
fast_clock_uninstall (FastClock *self)
{
  gst_system_clock_set_default (NULL);
  gst_object_unref (self);
}

/* `speed` is at least 1. */
static inline void
fast_clock_set_speed (FastClock *self, guint speed)
{
  g_mutex_lock (&fast_time.lock);
  fast_time.fast = fast_now_locked ();
  fast_time.real = fast_read (CLOCK_MONOTONIC);
  fast_time.speed = speed;
  for (FastWaiter *w = self->waiters; w; w = w->next)
    g_cond_signal (&w->wakeup);
  g_cond_signal (&self->async_wakeup);
  g_mutex_unlock (&fast_time.lock);
}

/* Sleeps by the clock. */
static inline void
fast_sleep (FastClock *self, GstClockTime time)
{
  GstClockID id
      = gst_clock_new_single_shot_id (GST_CLOCK (self), fast_now () + time);

  gst_clock_id_wait (id, NULL);
  gst_clock_id_unref (id);
}
