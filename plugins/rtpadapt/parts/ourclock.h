/* The time of an element: a clock's plus a constant.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The constant lets the time go on where the pipeline takes another clock.  The
 * owner's lock is held for all calls.
 */
#pragma once

#include <gst/gst.h>
#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

typedef struct
{
  GstClock *clock;  /* NULL while the element is stopped */
  GstClock *system; /* GStreamer's system clock, by which rtpsession works */
  gint64 offset;    /* our time less the clock's, ns */
} OurClock;

/* Starts by `clock` (transfer full), or by the system clock where it is NULL:
 * packets may come before PLAYING brings a clock. */
void our_clock_start (OurClock *c, GstClock *clock);
/* Lets both clocks go. */
void our_clock_stop (OurClock *c);
/* Goes on by `clock`.  FALSE: it has none to replace, or it is the same. */
gboolean our_clock_set (OurClock *c, GstClock *clock);

/* The time now.  our_clock_start() came before. */
static inline RaTime
our_now (const OurClock *c)
{
  return gst_clock_get_time (c->clock) + (guint64) c->offset;
}

/* The time of the system clock now. */
static inline RaTime
our_system_now (const OurClock *c)
{
  return gst_clock_get_time (c->system);
}

/* A time of ours on the clock, and a time of the clock as ours. */
static inline GstClockTime
our_clock_time (const OurClock *c, RaTime t)
{
  return t - (guint64) c->offset;
}

static inline RaTime
our_time (const OurClock *c, GstClockTime t)
{
  return t + (guint64) c->offset;
}

G_END_DECLS
