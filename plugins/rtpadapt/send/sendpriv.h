/* rtpadaptsend's inside, shared by its files.
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
#include "parts/herald.h"
#include "parts/ourclock.h"
#include "parts/sessiontap.h"
#include "sendwants.h"
#include "skippers.h"
#include "way.h"

#include <gst/rtpadapt/feedback/ear.h>
#include <gst/rtpadapt/ledger.h>
#include <gst/rtpadapt/defaults.h>
#include <gst/rtpadapt/sender.h>

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_adapt_send_debug);

/* Defaults. */
#define SEND_MIN 100000   /* bit/s: a small picture */
#define SEND_START 500000 /* bit/s */
#define SEND_MAX 20000000 /* bit/s */
#define SEND_FEC "ulp"
#define SEND_COLOUR "none"
#define SEND_BURST (5 * GST_MSECOND)
#define SEND_BACKLOG (250 * GST_MSECOND)
#define SEND_FRAME_SKIP (100 * GST_MSECOND)
#define SEND_STATS_INTERVAL GST_SECOND
/* Packets.  None: each number left out makes about one picture late, and asks for
 * a key frame (tests/bench/skips.csv), whatever the feedback; the rate it costs
 * nothing (tests/trust/test-lies.c, test-lies-tfrc.c). */
#define SEND_SKIP_INTERVAL 0
/* Packets per second while nobody answers, however low the rate is. */
#define SEND_FLOOR 2
/* Only for LDAs that draw lots about a known truth: repeatable. */
#define SEND_SEED 1

/* Properties that are set; under the lock. */
typedef struct
{
  guint min_bitrate, start_bitrate, max_bitrate;   /* bit/s */
  gint controller, lda, feedback;                  /* index of the registry */
  gint fec;                                        /* the same */
  gchar *controller_params, *lda_params, *encoder; /* never NULL */
  gchar *fec_params;
  gint colour; /* index of the registry */
  gchar *colour_params, *encoder_property;
  guint encoder_unit; /* bit/s */
  GstClockTime burst, max_backlog, frame_skip, stats_interval;
  gboolean loss_messages, adapt_size;
  gdouble friendliness_cap;
  gboolean circuit_breakers;
  guint tfrc_fmt; /* FMT of TFRC-FB */
  guint skip_interval;
  RaEcnField ecn; /* wanted */
} SendConfig;

/* What is posted at most once per start. */
typedef enum
{
  SEND_WARNED_NOT_RTP = 1 << 0,
  SEND_WARNED_REALIGNED = 1 << 1,
  SEND_WARNED_LIAR = 1 << 2,
  SEND_WARNED_ECN_UNHEARD = 1 << 3,
  SEND_WARNED_ECN_FAILED = 1 << 4,
  SEND_WARNED_OTHER = 1 << 5,
} SendWarned;

/* What is notified or posted where it changes. */
typedef enum
{
  SEND_NEWS_RATE,
  SEND_NEWS_BREAKER, /* RaBreakerState */
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
  RaSender *sender; /* this and the ear exist between READY and PAUSED */
  RaEar *ear;
  RaEarStats heard_so_far; /* when the ear was there last */
  SessionTap tap;
  FeedbackMode mode;

  OurClock clock;
  Herald herald;
  Outage outage;
  KeyGate keys;
  RtxGate rtx;

  /* what the job does */
  Encoders encoders;
  RaTime heard_at; /* when feedback or a report about us came last, or
                             when we started */
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

/* What was sent; there must be a sender.  The lock is held. */
static inline RaLedger *
send_ledger (const GstRtpAdaptSend *self)
{
  return ra_sender_ledger (self->sender);
}

/* The warning that the LDA needs colours and there are none, or NULL; the lock is
 * held. */
static inline gchar *
send_colour_check (const GstRtpAdaptSend *self)
{
  return self->sender ? way_colour_missing (
             ra_ldas[self->cfg.lda], ra_colours[self->cfg.colour])
                      : NULL;
}

/* sendprops.c */
void send_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec);
void send_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec);
RaRateConfig send_limits (const SendConfig *cfg);
/* A warning about the limits (transfer full), or NULL. */
gchar *send_limits_check (const SendConfig *cfg);

/* What is upstream may be another now; the lock is held. */
static inline void
send_upstream_changed (GstRtpAdaptSend *self)
{
  self->encoders.stale = self->fecencs.stale = self->skippers.stale = TRUE;
}

/* sendpads.c */
void send_pads_init (GstRtpAdaptSend *self);

/* sendear.c */
/* The ear of a sender that was just made; no more of it.  The lock is held. */
void send_ear_start (GstRtpAdaptSend *self);
void send_ear_stop (GstRtpAdaptSend *self);
/* A packet leaves; its ECN field is noted on the buffer, if it is ours to decide.
 * The lock is held. */
void send_ear_on_sent (GstRtpAdaptSend *self, BacklogItem *item,
    const RaEarPacket *packet, RaTime now);
/* A compound from the peer, and one to it; the lock is held. */
SendWants send_on_rtcp (GstRtpAdaptSend *self, const guint8 *bytes, gsize len);
void send_on_rtcp_sent (GstRtpAdaptSend *self, const guint8 *bytes, gsize len);
/* What rtpsession read out of transport-wide feedback, as twcc_parse() gives it.
 * `warn`: packets were not numbered as they should be.  The lock is held. */
SendWants send_on_twcc (
    GstRtpAdaptSend *self, const GArray *rows, gboolean *warn);
/* An event that says why a packet was lost; the lock is not held. */
void send_on_truth (GstRtpAdaptSend *self, const GstStructure *s);
/* What was heard since the start, also after a stop; the lock is held. */
RaEarStats send_ear_stats (const GstRtpAdaptSend *self);

/* sendjob.c: the lock is held for all of these. */
/* Does what a part wants. */
void send_apply (GstRtpAdaptSend *self, SendWants wants);
/* Makes the task look again. */
void send_wake (GstRtpAdaptSend *self);
/* Has the job post and notify what changed. */
void send_tell (GstRtpAdaptSend *self);
/* The time between requests for a key frame. */
RaSpan send_keys_interval (const GstRtpAdaptSend *self);
/* Posts the next statistics an interval from now. */
void send_stats_restart (GstRtpAdaptSend *self);
/* (transfer full) */
GstStructure *send_stats (GstRtpAdaptSend *self);

G_END_DECLS
