/* What was sent and when, until feedback speaks of it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define RA_SENT_MAX 16384 /* packets: 3 s at 5,000 packets/s */

typedef struct
{
  guint64 seq;
  RaTime sent; /* RA_TIME_NONE: nothing here */
  guint size;
  RaMark mark;
  gboolean waiting; /* only the pacer held the next packet back */
  gboolean arrived; /* feedback said so */
  gboolean lost;    /* or so */
} RaSent;

typedef struct
{
  RaSent ring[RA_SENT_MAX];
  RaTime first; /* the earliest that one was sent at, RA_TIME_NONE: none was */
  guint64 next; /* one after the last seq */
} RaSentLog;

void ra_sent_log_init (RaSentLog *log);
/* The next packet; its seq is one more than the last. */
void ra_sent_log_add (RaSentLog *log, const RaSent *packet);
/* How many of those known were sent after the microsecond of `t`. */
guint ra_sent_log_after (const RaSentLog *log, RaTime t);
/* NULL if it was never sent, or too long ago. */
RaSent *ra_sent_log_find (RaSentLog *log, guint64 seq);
/* The latest; there must be one. */
const RaSent *ra_sent_log_last (const RaSentLog *log);
/* TRUE: in (t_old, t_new] one was sent while another waited for the pacer. */
gboolean ra_sent_log_waited (const RaSentLog *log, RaTime t_old, RaTime t_new);

/* How much was sent when, for feedback that knows times and no numbers.  What
 * leaves in one microsecond, which is all that the wire carries of a time, is
 * one moment. */
typedef struct
{
  RaTime at;              /* the last packet in it */
  guint64 packets, bytes; /* sent before it, from the beginning */
} RaMoment;

typedef struct
{
  RaMoment ring[RA_SENT_MAX];
  guint64 n;              /* so far */
  guint64 packets, bytes; /* sent so far */
} RaMoments;

void ra_moments_init (RaMoments *m);
/* FALSE: the clock went back, and what was known is forgotten. */
gboolean ra_moments_add (RaMoments *m, guint size, RaTime now);
/* The microsecond of `t`; NULL if nothing left in it, or too long ago. */
const RaMoment *ra_moments_find (const RaMoments *m, RaTime t);
/* The one after `x`, which is one of these; NULL if `x` is the latest. */
const RaMoment *ra_moments_next (const RaMoments *m, const RaMoment *x);
/* Sent up to `t`, from the beginning; at least what left before all that is
 * remembered. */
guint64 ra_moments_packets (const RaMoments *m, RaTime t);

G_END_DECLS
