/* A library to be preloaded, which makes a quiet machine a loaded one: each thread stops now
 * and then, by chance, for up to 30 ms before it takes a lock, pushes, or asks for the time.
 * A test that wins a race each time on a quiet machine loses it here.
 *
 *   meson test -C build --setup shake --suite elements --num-processes 4
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE
#include <dlfcn.h>

#include <gst/gst.h>

#define ONE_OF 256
#define MOST_US 30000
/* Locks are taken far more often than all else. */
#define LOCKS 64

static void
shake (void)
{
  static __thread guint32 x;
  static __thread gint64 awake_until;
  gint64 now = g_get_monotonic_time (), stops;

  if (x == 0)
    x = (guint32) now ^ GPOINTER_TO_UINT (&x);
  x = x * 1664525 + 1013904223;
  /* It runs for as long as it stopped: a thread has half of a core at least. */
  if (x >> 16 >= 65536 / ONE_OF || now < awake_until)
    return;
  stops = (x & 0xffff) * MOST_US / 65536;
  g_usleep ((gulong) stops);
  awake_until = now + 2 * stops;
}

#define SHAKEN(Result, name, parameters, arguments) \
  Result name parameters                            \
  {                                                 \
    static Result (*real) parameters;               \
    Result result;                                  \
                                                    \
    if (!real)                                      \
      real = dlsym (RTLD_NEXT, #name);              \
    shake ();                                       \
    result = real arguments;                        \
    shake ();                                       \
    return result;                                  \
  }

SHAKEN (GstFlowReturn, gst_pad_push, (GstPad * pad, GstBuffer *buffer),
    (pad, buffer))
SHAKEN (GstFlowReturn, gst_pad_push_list, (GstPad * pad, GstBufferList *list),
    (pad, list))
SHAKEN (
    gboolean, gst_pad_push_event, (GstPad * pad, GstEvent *event), (pad, event))
SHAKEN (GstClockTime, gst_clock_get_time, (GstClock * clock), (clock))
SHAKEN (GstClockReturn, gst_clock_id_wait,
    (GstClockID id, GstClockTimeDiff *jitter), (id, jitter))

void
g_mutex_lock (GMutex *mutex)
{
  static void (*real) (GMutex *);
  static __thread guint n;

  if (!real)
    real = dlsym (RTLD_NEXT, "g_mutex_lock");
  if (++n % LOCKS == 0)
    shake ();
  real (mutex);
}
