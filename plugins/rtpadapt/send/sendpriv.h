/* rtpadaptsend's inside, shared by its files.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "encoder.h"
#include "gstrtpadaptsend.h"
#include "keygate.h"
#include "outage.h"
#include "pacetask.h"
#include "rtxgate.h"
#include "parts/herald.h"
#include "parts/ourclock.h"
#include "parts/sessiontap.h"
#include "sendwants.h"
#include "skipper.h"
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
#define SEND_STATS_INTERVAL GST_SECOND
/* Packets.  None: each number left out makes about one picture late, and asks for
 * a key frame (tests/bench/skips.csv), whatever the feedback; the rate it costs
 * nothing (tests/trust/test-lies.c, test-lies-tfrc.c). */
#define SEND_SKIP_INTERVAL 0
/* Packets per second while nobody answers, however low the rate is. */
#define SEND_FLOOR 2
/* Encoders that are driven at a time. */
#define SEND_ENCODERS_MAX 16
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
  GstClockTime burst, max_backlog, stats_interval;
  gboolean loss_messages;
  gdouble friendliness_cap;
  gboolean circuit_breakers;
  guint tfrc_fmt; /* FMT of TFRC-FB */
  guint skip_interval;
  RaEcnField ecn; /* wanted */
} SendConfig;

/* What a way of feedback lacks here. */
typedef enum
{
  SEND_LACKS_SESSION = 1 << 0, /* downstream */
  SEND_LACKS_AVPF = 1 << 1,    /* the session's profile */
  SEND_LACKS_EXTMAP = 1 << 2,  /* in the caps */
  SEND_LACKS_PEER = 1 << 3,    /* rtcp-fb-* in the caps */
  SEND_LACKS_ROOM = 1 << 4,    /* in the packets, for header extensions */
} SendLacks;

/* Feedback by receiver reports alone; else a GstRtpAdaptFeedback. */
#define SEND_FEEDBACK_NONE -1

/* What the caps that went out said, all of them together.  Bits by
 * GstRtpAdaptFeedback. */
typedef struct
{
  gboolean any;     /* did go out */
  guint extensions; /* it has its header extension */
  gboolean limited; /* they name the ways there are, rtcp-fb-* */
  guint ways;       /* it is one of these */
} SendSaid;

/* How the receiver is heard, and what that was decided by. */
typedef struct
{
  gint mode;      /* in effect */
  SendLacks told; /* warned of since the start */
  SendSaid said;
  gboolean no_room; /* a packet that may not grow lacked an extension */
  gboolean pushed;  /* somebody downstream took a packet */
  gboolean avpf;    /* the session's profile */
} SendHearing;

/* Feedback of another kind than the one that is set.  Kinds are those of
 * GstRtpAdaptFeedback, or SEND_FEEDBACK_NONE. */
typedef struct
{
  gint way;       /* the other kind that came last */
  guint n;        /* how often it came in a row, till enough */
  RaTime since;   /* when the first of these came */
  gint adopted;   /* the kind that is used in place of the one that is set */
  gint wish;      /* the kind that the receiver says it is set to */
  RaTime kind_at; /* when the kind in use came last, RA_TIME_NONE: never */
  RaTime alone_since; /* when the first receiver report came, the same */
  gboolean alone;     /* nothing but receiver reports comes */
} SendOther;

/* What is posted at most once per start. */
typedef enum
{
  SEND_WARNED_NOT_RTP = 1 << 0,
  SEND_WARNED_NO_ENCODER = 1 << 1,
  SEND_WARNED_REALIGNED = 1 << 2,
  SEND_WARNED_LIAR = 1 << 3,
  SEND_WARNED_ECN_UNHEARD = 1 << 4,
  SEND_WARNED_ECN_FAILED = 1 << 5,
  SEND_WARNED_SHARED = 1 << 6,
  SEND_WARNED_OTHER = 1 << 7,
} SendWarned;

/* What is notified or posted where it changes. */
typedef enum
{
  SEND_NEWS_RATE,
  SEND_NEWS_BREAKER, /* RaBreakerState */
} SendNews;

/* An encoder that is driven. */
typedef struct
{
  GWeakRef element;
  const EncoderRow *row;
  EncoderRow told;    /* where `row` is the user's */
  EncoderState state; /* what was set last */
  guint streams;      /* payloaders that it feeds, as far as known */
  gboolean beside_us; /* it was in our pipeline when it was found */
} SendEncoder;

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
  SendHearing hearing;
  SendOther other;

  OurClock clock;
  Herald herald;
  Outage outage;
  KeyGate keys;
  RtxGate rtx;

  /* what the job does */
  gboolean encoder_stale;    /* look for it anew */
  gboolean encoder_expected; /* video came: it is wrong not to find one */
  gboolean encoders_retold;  /* the user told something else about them */
  SendEncoder encoders[SEND_ENCODERS_MAX];
  guint n_encoders;
  guint64 beside;         /* what streams took that are none of theirs, bit/s */
  RaTime beside_again;    /* when to look for that */
  RaTime heard_at;        /* when feedback or a report about us came last, or
                             when we started */
  RaTime encoder_again;   /* when one may be changed, or RA_TIME_NONE */
  gboolean fecenc_stale;  /* look for it anew */
  gboolean fecenc_usable; /* one of them makes packets */
  GPtrArray *fecencs;     /* of those of sendfec.c, or NULL */
  gboolean skips_stale;   /* look for payloaders anew */
  gboolean renumbered;    /* behind us */
  GPtrArray *skippers;    /* or NULL */
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

/* sendprops.c */
void send_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec);
void send_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec);
RaRateConfig send_limits (const SendConfig *cfg);
/* A warning about the limits (transfer full), or NULL. */
gchar *send_limits_check (const SendConfig *cfg);
/* Colours, FEC and streams of the statistics; the lock is held. */
void send_stream_stats (GstRtpAdaptSend *self, GstStructure *s);

/* Another colouring, or other parameters.  The warning to be posted if they are
 * bad, or NULL; the lock is held. */
gchar *send_colour_rule (
    GstRtpAdaptSend *self, gint colour, const gchar *params);
/* The warning that the LDA wants colours and there are none, or NULL; the lock
 * is held. */
gchar *send_colour_check (const GstRtpAdaptSend *self);

void send_restart (GstRtpAdaptSend *self);

/* What is upstream may be another now; the lock is held. */
static inline void
send_upstream_changed (GstRtpAdaptSend *self)
{
  self->encoder_stale = self->fecenc_stale = self->skips_stale = TRUE;
}

/* sendencoders.c */
/* Finds the encoders and gives each its share; may block.  The lock is held, and
 * let go. */
void send_encoders_drive (GstRtpAdaptSend *self);
/* A packet leaves: what audio takes now may change their share.  The lock is
 * held. */
void send_encoders_watch (GstRtpAdaptSend *self, RaTime now);
/* Drives none of them any more; the lock is held. */
void send_encoders_stop (GstRtpAdaptSend *self);
/* What they were told last, together, bit/s; the lock is held. */
guint64 send_encoders_bitrate (const GstRtpAdaptSend *self);

/* sendfec.c */
/* A rule with parameters.  The warning to be posted if they are bad, or NULL;
 * the lock is held. */
gchar *send_fec_rule (GstRtpAdaptSend *self, gint fec, const gchar *params);
/* Finds the FEC encoder and sets its level; may block.  The lock is held, and
 * let go. */
void send_fec_drive (GstRtpAdaptSend *self);
/* Lets go of all FEC encoders; the lock is not held. */
void send_fec_stop (GstRtpAdaptSend *self);

/* sendskips.c */
/* Has numbers left out where the feedback allows, and tells of a liar; may block.
 * The lock is held, and let go. */
void send_skips_drive (GstRtpAdaptSend *self);
/* No more from here on; the lock is not held. */
void send_skips_stop (GstRtpAdaptSend *self);


/* sendpads.c */
void send_pads_init (GstRtpAdaptSend *self);

/* sendsession.c */
/* Finds the session and settles how the receiver is heard.  The lock is held,
 * and let go. */
void send_hearing_drive (GstRtpAdaptSend *self);
/* The lock is held for all of these.  A new start; it may be another session;
 * caps go out; a packet went out. */
void send_hearing_start (GstRtpAdaptSend *self);
void send_hearing_changed (GstRtpAdaptSend *self);
void send_hearing_on_caps (GstRtpAdaptSend *self, GstEvent *event);
void send_hearing_pushed (GstRtpAdaptSend *self, GstFlowReturn flow);
void send_hearing_stamped (GstRtpAdaptSend *self, SendExtResult result);
/* TRUE if the receiver answers to any packet, and not to a frame. */
gboolean send_hearing_always_asks (const GstRtpAdaptSend *self);
/* Nobody is heard from here on.  What is left is for tap_link_cut(). */
TapLink send_hearing_stop (GstRtpAdaptSend *self);
/* Into the statistics; the lock is held. */
void send_hearing_describe (const GstRtpAdaptSend *self, GstStructure *s);
/* "twcc", "tfrc", "ccfb", "none". */
const gchar *send_feedback_nick (gint mode);

/* sendother.c: the lock is held for all of these. */
void send_other_start (GstRtpAdaptSend *self);
/* What came: feedback of the kind in use; feedback of another kind, once per
 * compound; reports about us; the kind that the receiver is set to. */
void send_other_on_kind (GstRtpAdaptSend *self, RaTime now);
void send_other_on_feedback (GstRtpAdaptSend *self, gint way, RaTime now);
void send_other_on_reports (GstRtpAdaptSend *self, RaTime now);
void send_other_on_wish (GstRtpAdaptSend *self, gint way);
/* Warns where the settings differ.  The lock is let go. */
void send_other_drive (GstRtpAdaptSend *self);

/* sendear.c */
/* The ear of a sender that was just made; no more of it.  The lock is held. */
void send_ear_start (GstRtpAdaptSend *self);
void send_ear_stop (GstRtpAdaptSend *self);
/* A packet leaves; its ECN field is noted on the buffer, if it is ours to decide.
 * The lock is held. */
void send_ear_on_sent (GstRtpAdaptSend *self, BacklogItem *item,
    const RaEarPacket *packet, RaTime now);
/* A compound from the peer, and one to it; the lock is not held. */
void send_on_rtcp (GstRtpAdaptSend *self, GstBuffer *buffer);
void send_on_rtcp_sent (GstRtpAdaptSend *self, GstBuffer *buffer);
/* The same for rtpsession's event, FALSE: it is none, and for one that says why a
 * packet was lost. */
gboolean send_on_feedback (GstRtpAdaptSend *self, const GstStructure *s);
void send_on_truth (GstRtpAdaptSend *self, const GstStructure *s);
/* Warns where ECN is not used though it was wanted.  The lock is held, and let
 * go. */
void send_ecn_drive (GstRtpAdaptSend *self);
/* What was heard since the start, also after a stop; the lock is held. */
RaEarStats send_ear_stats (const GstRtpAdaptSend *self);
void send_ecn_describe (const GstRtpAdaptSend *self, GstStructure *s);

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
