/* Tells ThreadSanitizer of the locks that it cannot see: GLib's are futexes of
 * its own, and GLib and GStreamer are not built with it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * To be preloaded (tests/trust/tsan).  Each function does what its namesake does,
 * and tells that what was written before a release is seen after an acquire:
 * of a lock; of a condition; of an object that is let go, and then freed, by
 * another thread; of what is handed over by a pool of threads or a bus.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <gst/gst.h>
#include <sanitizer/tsan_interface.h>

void __tsan_acquire (void *at);
void __tsan_release (void *at);

#define REAL(name)                \
  static __typeof__ (name) *real; \
                                  \
  if (!real)                      \
  real = (__typeof__ (name) *) dlsym (RTLD_NEXT, #name)

/* --- locks ---------------------------------------------------------------------- */

#define LOCK(name, type)   \
  void name (type *lock)   \
  {                        \
    REAL (name);           \
    real (lock);           \
    __tsan_acquire (lock); \
  }
#define TRYLOCK(name, type)  \
  gboolean name (type *lock) \
  {                          \
    gboolean got;            \
    REAL (name);             \
                             \
    got = real (lock);       \
    if (got)                 \
      __tsan_acquire (lock); \
    return got;              \
  }
#define UNLOCK(name, type) \
  void name (type *lock)   \
  {                        \
    REAL (name);           \
    __tsan_release (lock); \
    real (lock);           \
  }

LOCK (g_mutex_lock, GMutex)
TRYLOCK (g_mutex_trylock, GMutex)
UNLOCK (g_mutex_unlock, GMutex)
LOCK (g_rec_mutex_lock, GRecMutex)
UNLOCK (g_rec_mutex_unlock, GRecMutex)
LOCK (g_rw_lock_writer_lock, GRWLock)
UNLOCK (g_rw_lock_writer_unlock, GRWLock)
LOCK (g_rw_lock_reader_lock, GRWLock)
UNLOCK (g_rw_lock_reader_unlock, GRWLock)

/* A GRecMutex is a pthread mutex, and GLib's other functions jump to those of pthread,
 * which TSan sees as calls from here.  This one calls: TSan sees the unlock alone. */
gboolean
g_rec_mutex_trylock (GRecMutex *lock)
{
  gboolean got;
  REAL (g_rec_mutex_trylock);

  got = real (lock);
  if (got) {
    __tsan_mutex_pre_lock (lock->p, __tsan_mutex_try_lock);
    __tsan_mutex_post_lock (lock->p, __tsan_mutex_try_lock, 1);
    __tsan_acquire (lock);
  }
  return got;
}

void
g_cond_wait (GCond *cond, GMutex *mutex)
{
  REAL (g_cond_wait);
  __tsan_release (mutex);
  real (cond, mutex);
  __tsan_acquire (mutex);
}

gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end)
{
  gboolean signalled;
  REAL (g_cond_wait_until);

  __tsan_release (mutex);
  signalled = real (cond, mutex, end);
  __tsan_acquire (mutex);
  return signalled;
}

#undef g_once_init_enter
#undef g_once_init_leave
gboolean
g_once_init_enter (volatile void *location)
{
  gboolean first;
  static gboolean (*real) (volatile void *);

  if (!real)
    real = (gboolean (*) (volatile void *)) dlsym (
        RTLD_NEXT, "g_once_init_enter");
  first = real (location);
  __tsan_acquire ((void *) location);
  return first;
}

void
g_once_init_leave (volatile void *location, gsize result)
{
  static void (*real) (volatile void *, gsize);

  if (!real)
    real = (void (*) (volatile void *, gsize)) dlsym (
        RTLD_NEXT, "g_once_init_leave");
  __tsan_release ((void *) location);
  real (location, result);
}

/* --- references ------------------------------------------------------------------ */

#define UNREF(name, type)    \
  void name (type object)    \
  {                          \
    REAL (name);             \
    __tsan_release (object); \
    __tsan_acquire (object); \
    real (object);           \
  }

#undef g_object_ref
UNREF (g_object_unref, gpointer)
UNREF (gst_object_unref, gpointer)
UNREF (gst_mini_object_unref, GstMiniObject *)

gpointer
g_weak_ref_get (GWeakRef *ref)
{
  gpointer object;
  REAL (g_weak_ref_get);

  object = real (ref);
  __tsan_acquire (ref);
  return object;
}

void
g_weak_ref_set (GWeakRef *ref, gpointer object)
{
  REAL (g_weak_ref_set);
  __tsan_release (ref);
  real (ref, object);
}

/* --- what is handed over ----------------------------------------------------------- */

/* A job of the pool, run by any of its threads. */
typedef struct
{
  GstElement *element;
  GstElementCallAsyncFunc func;
  gpointer data;
  GDestroyNotify destroy;
} Job;

static void
job_run (GstElement *element, gpointer data)
{
  Job *job = data;

  __tsan_acquire (job);
  job->func (element, job->data);
}

static void
job_free (gpointer data)
{
  Job *job = data;

  __tsan_acquire (job);
  if (job->destroy)
    job->destroy (job->data);
  g_free (job);
}

void
gst_element_call_async (GstElement *element, GstElementCallAsyncFunc func,
    gpointer data, GDestroyNotify destroy)
{
  Job *job = g_new (Job, 1);
  REAL (gst_element_call_async);

  *job = (Job){ element, func, data, destroy };
  __tsan_release (job);
  real (element, job_run, job, job_free);
}

/* GstHarness hands its buffers and events over by these. */
void
g_async_queue_push (GAsyncQueue *queue, gpointer data)
{
  REAL (g_async_queue_push);
  __tsan_release (queue);
  real (queue, data);
}

gpointer
g_async_queue_try_pop (GAsyncQueue *queue)
{
  gpointer data;
  REAL (g_async_queue_try_pop);

  data = real (queue);
  __tsan_acquire (queue);
  return data;
}

gpointer
g_async_queue_timeout_pop (GAsyncQueue *queue, guint64 us)
{
  gpointer data;
  REAL (g_async_queue_timeout_pop);

  data = real (queue, us);
  __tsan_acquire (queue);
  return data;
}

gboolean
gst_bus_post (GstBus *bus, GstMessage *message)
{
  REAL (gst_bus_post);
  __tsan_release (bus);
  return real (bus, message);
}

GstMessage *
gst_bus_timed_pop_filtered (
    GstBus *bus, GstClockTime timeout, GstMessageType types)
{
  GstMessage *message;
  REAL (gst_bus_timed_pop_filtered);

  message = real (bus, timeout, types);
  __tsan_acquire (bus);
  return message;
}

GThread *
g_thread_new (const gchar *name, GThreadFunc func, gpointer data)
{
  REAL (g_thread_new);
  __tsan_release (data ? data : (gpointer) name);
  return real (name, func, data);
}
