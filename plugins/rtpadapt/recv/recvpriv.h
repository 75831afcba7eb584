/* rtpadaptrecv's inside: the element, and its reports.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "parts/enums.h"
#include "parts/herald.h"
#include "parts/ourclock.h"
#include "parts/sessiontap.h"
#include "gstrtpadaptrecv.h"
#include "framehurry.h"
#include "recvhold.h"
#include "recvkind.h"
#include "recvstats.h"
#include "reporttimer.h"

#include <gst/rtpadapt/feedback/disorder.h>

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_adapt_recv_debug);

/* Properties that are set; under the lock. */
typedef struct
{
  gint feedback;     /* place in ra_feedbacks[] */
  gint lda;          /* index of ra_ldas[] */
  gchar *lda_params; /* never NULL */
  GstClockTime interval, late, stats_interval;
  GstClockTime latency;                  /* of the jitterbuffer, 0: not said */
  GstClockTime max_latency, min_latency; /* see recv_hold_of() */
  guint tfrc_fmt;
  gboolean loss_messages;
  gboolean takes_rtx, takes_fec, takes_rs;
} RecvConfig;

/* What is posted at most once per start. */
typedef enum
{
  RECV_WARNED_NO_SEND_TS = 1 << 0,
  RECV_WARNED_NO_SESSION = 1 << 1,
  RECV_WARNED_NO_AVPF = 1 << 2,
  RECV_WARNED_SLOW = 1 << 3,
  RECV_WARNED_PARAMS = 1 << 4,
  RECV_WARNED_KIND = 1 << 5,
  RECV_WARNED_LDA = 1 << 6,
} RecvWarned;

struct _GstRtpAdaptRecv
{
  GstElement parent;

  GstPad *sinkpad, *srcpad;

  GstSegment segment; /* the sink's, of its streaming thread */

  GMutex lock; /* guards all below; never held while something is pushed,
                  posted or asked of the session */
  RecvConfig cfg;
  RecvIds ids;
  gboolean eos;

  RaReporter *reporter;         /* exists between READY and PAUSED */
  const RaFeedbackOps *reports; /* what it is for */
  RecvKindSeen seen;
  RaDisorder disorder;
  RaTime takes_again;  /* when the sender may hear again what this is */
  gboolean takes_said; /* the sender may have heard of it */
  gboolean says_takes; /* the sender hears it even if nothing is taken */

  OurClock clock;

  SessionTap tap;
  RaTime session_again; /* when the session may be looked for */

  FrameHurry frame; /* twcc */
  ReportTimer report;
  RecvHold hold;
  guint n_packets; /* since the DSCP was looked at */

  GstClockID wait; /* the timer, or NULL */
  RaTime wait_until;

  Herald herald;
  RecvCounters count;
};

/* recvreport.c: the lock is held for all of these. */
/* A reporter for `reports`, with the settings.  Bad parameters are replaced by the
 * defaults, with a warning. */
void recv_reporter_create (GstRtpAdaptRecv *self, const RaFeedbackOps *reports);
/* Warns where the reports go by `lda` and lack what it needs. */
void recv_lda_check (GstRtpAdaptRecv *self, const RaLdaOps *lda);
/* Has the job post a warning, once per start. */
void recv_warn (GstRtpAdaptRecv *self, RecvWarned what, gint code,
    const gchar *text, const gchar *debug);
/* Posts the losses that the reporter confirmed, where that is wanted. */
void recv_losses_post (GstRtpAdaptRecv *self);
/* Posts what became of the DSCP, if that is news. */
void recv_dscp_post (GstRtpAdaptRecv *self);
/* A report is due.  TRUE: recv_session_ask() for it. */
gboolean recv_report_due (GstRtpAdaptRecv *self, RaTime now);
/* (transfer full) */
GstStructure *recv_stats (GstRtpAdaptRecv *self);
/* Posts the next statistics an interval from now. */
void recv_stats_restart (GstRtpAdaptRecv *self);
/* Sets the timer to what comes next. */
void recv_timer_set (GstRtpAdaptRecv *self);
void recv_timer_stop (GstRtpAdaptRecv *self);

/* recvreport.c: no lock is held for these. */
/* Looks for the session if it has to. */
void recv_session_find (GstRtpAdaptRecv *self);
/* Has the session answer as the frame at hand wants it, before the packet gets
 * there. */
void recv_session_hurry (GstRtpAdaptRecv *self);
/* Lets it go. */
void recv_session_forget (GstRtpAdaptRecv *self);
/* Asks rtpsession for an RTCP packet. */
void recv_session_ask (GstRtpAdaptRecv *self);

G_END_DECLS
