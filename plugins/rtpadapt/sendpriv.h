/* rtpadaptsend's inside, shared by its files.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "backlog.h"
#include "encoder.h"
#include "gstrtpadaptsend.h"
#include "sentlog.h"

#include <gst/rtpadapt/sender.h>

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_adapt_send_debug);

/* Defaults. */
#define SEND_MIN 1000     /* bit/s */
#define SEND_START 500000 /* bit/s */
#define SEND_MAX 20000000 /* bit/s */
#define SEND_CONTROLLER "tfrc"
#define SEND_LDA "zbs"
#define SEND_FEC "ulp"
#define SEND_BURST (5 * GST_MSECOND)
#define SEND_BACKLOG (250 * GST_MSECOND)
#define SEND_STATS_INTERVAL GST_SECOND
/* Below the 10 of RFC 8083 4.3, where its breaker trips. */
#define SEND_FRIENDLINESS_CAP 9
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
  GstClockTime burst, max_backlog, stats_interval;
  gboolean loss_messages;
  gdouble friendliness_cap;
  gboolean circuit_breakers;
} SendConfig;

/* What is posted at most once per start. */
typedef enum
{
  SEND_WARNED_NOT_RTP = 1 << 0,
  SEND_WARNED_NO_ENCODER = 1 << 1,
  SEND_WARNED_REALIGNED = 1 << 2,
} SendWarned;

typedef struct
{
  guint64 not_rtp;   /* buffers that were not RTP */
  guint64 ceased;    /* packets not sent because a breaker was open */
  guint64 unmapped;  /* feedback rows about packets we do not know */
  guint64 doubtful;  /* feedback that was ignored, see twcc_is_doubtful() */
  guint64 realigned; /* times rtpsession's numbers and ours disagreed */
  guint64 known_congestion, known_wireless; /* losses whose truth is known */
  guint64 misread_congestion, misread_wireless; /* of these, judged wrongly */
} SendCounters;

struct _GstRtpAdaptSend
{
  GstElement parent;

  GstPad *sinkpad, *srcpad;

  GMutex lock;  /* guards all below; never held while something is pushed,
                  posted or notified */
  GCond wakeup; /* the task has something to do, the backlog was emptied */

  SendConfig cfg;

  /* the task */
  GstFlowReturn flow; /* FLUSHING when it shall not run */
  gboolean eos;       /* EOS came in */
  gint media_type;    /* payload type of the sink's caps, or -1 */
  GstClockID wait;    /* what the task waits for, or NULL */
  RaTime wait_until;
  Backlog *backlog; /* all from here exist between READY and PAUSED */
  SentLog *log;
  RaSender *sender;
  TwccClock remote;

  /* Our time: the clock's plus a constant, so that it goes on when the
   * pipeline gets another clock. */
  GstClock *clock;
  gint64 clock_offset;
  GstClock *sysclock; /* rtpsession's */

  RaTime next_stats;
  RaTime last_refresh; /* the last request for a key frame */
  gboolean ceased;     /* packets were dropped since a breaker opened */
  gboolean ssrc_known;
  guint32 ssrc;
  guint warned; /* SendWarned */
  SendCounters count;

  /* what the world is told, by one job of the element's thread pool */
  gboolean job_pending, job_again;
  gboolean encoder_stale;    /* look for it anew */
  gboolean encoder_expected; /* caps came: it is wrong not to find one */
  GWeakRef encoder;
  const EncoderRow *encoder_row;
  EncoderState encoder_state; /* what was set last */
  RaTime encoder_again;       /* when it may be changed, or RA_TIME_NONE */
  gboolean fecenc_stale;      /* look for it anew */
  gboolean fecenc_usable;
  GWeakRef fecenc;
  guint fec_level;  /* as set last, or FECENC_UNSET */
  guint64 notified; /* the rate as last notified */
  RaBreakerState breaker_told;
  GQueue messages; /* to be posted */
};

/* Any time of ours; the lock is held. */
RaTime send_now (GstRtpAdaptSend *self);
/* On the clock. */
static inline GstClockTime
send_clock_time (const GstRtpAdaptSend *self, RaTime t)
{
  return t - (guint64) self->clock_offset;
}

/* Posts the next statistics an interval from now; the lock is held. */
void send_stats_restart (GstRtpAdaptSend *self);

/* sendprops.c */
void send_props_install (GObjectClass *klass);
void send_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec);
void send_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec);
RaRateConfig send_limits (const SendConfig *cfg);
/* A warning about the limits (transfer full), or NULL. */
gchar *send_limits_check (const SendConfig *cfg);

void send_restart (GstRtpAdaptSend *self);

/* What is upstream may be another now; the lock is held. */
static inline void
send_upstream_changed (GstRtpAdaptSend *self)
{
  self->encoder_stale = self->fecenc_stale = TRUE;
}

/* sendinput.c */
void send_input_init (GstPad *sinkpad);

/* sendfec.c */
/* A rule with parameters, for the encoder there is.  The warning to be posted
 * if they are bad, or NULL; the lock is held. */
gchar *send_fec_rule (GstRtpAdaptSend *self, gint fec, const gchar *params);
/* Finds the FEC encoder and sets its level; may block.  The lock is held, and
 * let go. */
void send_fec_drive (GstRtpAdaptSend *self);

/* sendpads.c */
void send_pads_init (GstRtpAdaptSend *self);
/* Makes the task look again; the lock is held. */
void send_wake (GstRtpAdaptSend *self);

/* sendfeedback.c */
gboolean send_on_feedback (GstRtpAdaptSend *self, const GstStructure *s);
void send_on_truth (GstRtpAdaptSend *self, const GstStructure *s);
/* Connects the library's callbacks; the lock is held. */
void send_sender_setup (GstRtpAdaptSend *self);

/* sendworld.c */
/* Has the job tell what changed; the lock is held. */
void send_tell (GstRtpAdaptSend *self);
/* TRUE the first time; the lock is held. */
gboolean send_warn_once (GstRtpAdaptSend *self, SendWarned what);
/* (transfer full); the lock is held. */
GstStructure *send_stats (GstRtpAdaptSend *self);

G_END_DECLS
