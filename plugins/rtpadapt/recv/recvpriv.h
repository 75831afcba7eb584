/* rtpadaptrecv's inside, shared by its files.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "parts/enums.h"
#include "parts/herald.h"
#include "parts/ourclock.h"
#include "parts/sessiontap.h"
#include "gstrtpadaptrecv.h"
#include "recvpackets.h"

#include <gst/rtpadapt/defaults.h>

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_adapt_recv_debug);

/* Defaults. */
/* RFC 8888 7: 50 to 200 ms work for the known algorithms. */
#define RECV_INTERVAL (50 * GST_MSECOND)
#define RECV_LATE (75 * GST_MSECOND) /* seed 003 */
#define RECV_STATS_INTERVAL GST_SECOND
/* Only for LDAs that draw lots about a known truth: repeatable. */
#define RECV_SEED 1

/* Properties that are set; under the lock. */
typedef struct
{
  gint feedback;     /* GstRtpAdaptFeedback */
  gint lda;          /* index of ra_ldas[] */
  gchar *lda_params; /* never NULL */
  GstClockTime interval, late, stats_interval;
  guint tfrc_fmt;
  gboolean loss_messages;
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
} RecvWarned;

/* What is posted where it changes. */
typedef enum
{
  RECV_NEWS_DSCP, /* RaDscpFate */
} RecvNews;

typedef struct
{
  guint64 not_rtp; /* buffers that were neither RTP nor RTCP */
  guint64 rtcp;    /* muxed packets */
  guint64 reports_sent;
  guint64 reports_refused; /* rtpsession could not send in time */
  guint64 reports_no_room; /* RTCP buffers too full for a report */
} RecvCounters;

/* The header extensions that the packets had so far. */
typedef struct
{
  gboolean number, send_ts;
  gboolean judged; /* enough came to say which extensions are missing */
  gboolean told; /* an earlier sender was judged: there is no second warning */
  guint packets;
  RaTime since; /* the first packet */
  RaTime last;  /* the latest packet with an extension */
} RecvSeen;

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

  RaReporter *reporter; /* exists between READY and PAUSED */
  RaReports reports;    /* what it is for */
  RecvSeen seen;
  RaTime wish_again; /* when the sender is told again what is set here */

  OurClock clock;

  SessionTap tap;
  RaTime session_again; /* when the session may be looked for */

  /* twcc */
  RaTime heard;       /* the latest packet, or RA_TIME_NONE */
  RaTime frame_since; /* the first packet behind a marker, or RA_TIME_NONE */
  gboolean framed;    /* a marker came */
  gboolean hurry, hurried; /* the session shall answer, answers within frames */
  gboolean untimely;       /* a packet of no running time came: it must not */

  /* the report */
  gboolean fresh; /* packets came since the last one */
  gboolean due;
  RaTime due_since;
  RaTime ask_again; /* while it is due */
  guint n_slow;     /* in a row, later than they should be */
  guint n_packets;  /* since the DSCP was looked at */
  gsize rtcp_size;  /* of the last RTCP packet with a report, bytes */

  GstClockID wait; /* the timer, or NULL */
  RaTime wait_until;

  Herald herald;
  RecvCounters count;
};

/* A reporter for `reports`, with the settings; the lock is held.  Bad
 * parameters are replaced by the defaults, with a warning. */
void recv_reporter_create (GstRtpAdaptRecv *self, RaReports reports);

/* Posts the next statistics an interval from now; the lock is held. */
void recv_stats_restart (GstRtpAdaptRecv *self);

/* recvprops.c */
void recv_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec);
void recv_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec);

/* recvpads.c */
void recv_pads_init (GstRtpAdaptRecv *self);

/* recvkind.c: the lock is held for all of these. */
/* The reports that the settings, the caps and the packets so far ask for. */
RaReports recv_kind_choose (GstRtpAdaptRecv *self);
/* Looks at a packet; the reports may be others from then on. */
void recv_kind_on_packet (
    GstRtpAdaptRecv *self, const RecvPacket *p, RaTime now);
/* The name of the feedback that is set here, if the next RTCP packet is to tell
 * it; else NULL. */
const gchar *recv_kind_wish (GstRtpAdaptRecv *self, RaTime now);

/* recvreport.c */
/* Looks for the session if it has to; no lock is held. */
void recv_session_find (GstRtpAdaptRecv *self);
/* A packet came, the last of its frame perhaps; the lock is held. */
void recv_frame_watch (GstRtpAdaptRecv *self, gboolean marker, RaTime now);
/* Has the session answer as the frame at hand wants it, before the packet gets
 * there; no lock is held. */
void recv_session_hurry (GstRtpAdaptRecv *self);
/* Lets it go; no lock is held. */
void recv_session_forget (GstRtpAdaptRecv *self);
/* A report is due; the lock is held.  TRUE: recv_session_ask() for it. */
gboolean recv_report_due (GstRtpAdaptRecv *self, RaTime now);
/* Asks rtpsession for an RTCP packet; no lock is held. */
void recv_session_ask (GstRtpAdaptRecv *self);
/* Sets the timer to what comes next; the lock is held. */
void recv_timer_set (GstRtpAdaptRecv *self);
void recv_timer_stop (GstRtpAdaptRecv *self);

/* recvworld.c */
/* Has the job post `message`, which is taken; the lock is held. */
void recv_post (GstRtpAdaptRecv *self, GstMessage *message);
/* Has the job post a warning, once per start; the lock is held. */
void recv_warn (GstRtpAdaptRecv *self, RecvWarned what, gint code,
    const gchar *text, const gchar *debug);
/* Tells what became of the DSCP, if that is news; the lock is held. */
void recv_dscp_tell (GstRtpAdaptRecv *self);
/* Connects the library's callback; the lock is held. */
void recv_reporter_setup (GstRtpAdaptRecv *self);
/* (transfer full); the lock is held. */
GstStructure *recv_stats (GstRtpAdaptRecv *self);
/* "twcc", "tfrc", "ccfb" or "none". */
const gchar *recv_feedback_nick (const GstRtpAdaptRecv *self);

G_END_DECLS
