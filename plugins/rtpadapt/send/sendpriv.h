/* rtpadaptsend's inside: the element, and its job.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "encoders.h"
#include "fecencs.h"
#include "gstrtpadaptsend.h"
#include "feedbackmode.h"
#include "keygate.h"
#include "outage.h"
#include "pacetask.h"
#include "rtxgate.h"
#include "sendear.h"
#include "parts/herald.h"
#include "parts/ourclock.h"
#include "parts/sessiontap.h"
#include "sendprops.h"
#include "sendwants.h"
#include "skippers.h"
#include "way.h"

#include <gst/rtpadapt/ledger.h>
#include <gst/rtpadapt/sender.h>

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_adapt_send_debug);

/* What is posted at most once per start. */
typedef enum
{
  SEND_WARNED_NOT_RTP = 1 << 0,
  SEND_WARNED_REALIGNED = 1 << 1,
  SEND_WARNED_LIAR = 1 << 2,
  SEND_WARNED_ECN_UNHEARD = 1 << 3,
  SEND_WARNED_ECN_FAILED = 1 << 4,
  SEND_WARNED_OTHER = 1 << 5,
  SEND_WARNED_TRUTH = 1 << 6,
  SEND_WARNED_ALIKE = 1 << 7,
  SEND_WARNED_CHROMA = 1 << 8,
  SEND_WARNED_EARLY = 1 << 9,
} SendWarned;

/* What is notified or posted where it changes. */
typedef enum
{
  SEND_NEWS_RATE,
  SEND_NEWS_BREAKER, /* RaBreakerState */
  SEND_NEWS_LIMIT,   /* RaRateLimit; for the log */
} SendNews;

struct _GstRtpAdaptSend
{
  GstElement parent;

  GstPad *sinkpad, *srcpad;

  GMutex lock; /* guards all below; never held while something is pushed,
                  posted or notified */

  SendConfig cfg;

  PaceTask pace;
  Way way;
  RaSender *sender; /* exists between READY and PAUSED */
  SendEar ear;
  SessionTap tap;
  FeedbackMode mode;

  OurClock clock;
  Herald herald;
  Outage outage;
  KeyGate keys;
  RtxGate rtx;

  /* what the job does */
  Encoders encoders;
  FecEncoders fecencs;
  Skippers skippers;
};

/* Ends the program if nobody holds the lock, in builds with debugging: so each
 * test finds a missing lock, even one with a single thread. */
static inline void
send_assert_locked (GstRtpAdaptSend *self)
{
#ifdef RTP_ADAPT_CHECK_LOCKS
  if (g_mutex_trylock (&self->lock))
    g_error ("%s: its lock is not held", GST_OBJECT_NAME (self));
#endif
}

/* The time now; the lock is held. */
static inline RaTime
send_now (GstRtpAdaptSend *self)
{
  send_assert_locked (self);
  return our_now (&self->clock);
}

/* TRUE the first time after a start; the lock is held. */
static inline gboolean
send_warn_once (GstRtpAdaptSend *self, SendWarned what)
{
  return herald_warn_once (&self->herald, what);
}

/* What may be sent, bit/s; before the start what it begins with.  The lock is held. */
static inline guint64
send_rate (const GstRtpAdaptSend *self)
{
  return self->sender ? ra_sender_rate (self->sender) : self->cfg.start_bitrate;
}

/* What is upstream may be another now; the lock is held. */
static inline void
send_upstream_changed (GstRtpAdaptSend *self)
{
  encoders_on_upstream_changed (&self->encoders);
  fecencs_on_upstream_changed (&self->fecencs);
  skippers_on_upstream_changed (&self->skippers);
}

/* sendjob.c: the lock is held for all of these. */
/* Does what a part wants. */
void send_apply (GstRtpAdaptSend *self, SendWants wants);
/* Makes the task look again. */
void send_wake (GstRtpAdaptSend *self);
/* Has the job run once more: it drives encoders, FEC encoders and payloaders, finds the
 * session, asks for key frames, then posts and notifies what changed. */
void send_job_start (GstRtpAdaptSend *self);
/* Sets the ear by what is set and in effect now, and returns it; there must be a
 * sender. */
RaEar *send_ear_configured (GstRtpAdaptSend *self);
/* Does what the ear's news ask for. */
void send_on_news (GstRtpAdaptSend *self, RaEarNews news, RaTime now);
/* The time between requests for a key frame. */
RaSpan send_keys_interval (const GstRtpAdaptSend *self);
/* Passes on the requests for key frames whose time has come; lets the lock go. */
void send_keys_pass (GstRtpAdaptSend *self);
/* A packet lacks header extensions that the caps name; the lock is held. */
SendWants send_on_no_room (GstRtpAdaptSend *self);
/* Posts the next statistics an interval from now. */
void send_stats_restart (GstRtpAdaptSend *self);
/* (transfer full) */
GstStructure *send_stats (GstRtpAdaptSend *self);

G_END_DECLS
