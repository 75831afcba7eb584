/* How rtpadaptsend hears the receiver: the kind of feedback in use, and why it is
 * not the one that is set.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The caps that go out say what both sides agreed upon: `extmap-N` the header
 * extensions, `rtcp-fb-*`, which caps from SDP have, the feedback.  Where the kind
 * that is set lacks something, a warning names that once, and what is left is used:
 * feedback that rtpsession reads, or receiver reports alone.
 *
 * Feedback of another kind shows that the settings of the two sides differ.  One
 * warning says how to mend that.  The feedback that comes is used if no other
 * comes, and if the packets have the header extension that it needs.
 *
 * A kind is NULL where there is none.  `wanted` is the kind that is set.
 */
#pragma once

#include "sendwants.h"

#include <gst/gst.h>
#include <gst/rtpadapt/feedback.h>

G_BEGIN_DECLS

/* What a kind of feedback lacks here. */
typedef enum
{
  MODE_LACKS_SESSION = 1 << 0, /* downstream */
  MODE_LACKS_AVPF = 1 << 1,    /* the session's profile */
  MODE_LACKS_EXTMAP = 1 << 2,  /* in the caps */
  MODE_LACKS_PEER = 1 << 3,    /* rtcp-fb-* in the caps */
  MODE_LACKS_ROOM = 1 << 4,    /* in the packets, for header extensions */
} ModeLacks;

/* What the caps that went out said, all of them together: caps of several streams take
 * turns.  Where the latest ones stay, the others are of streams that are gone.  Bits are by
 * ra_feedback_place(). */
typedef struct
{
  gboolean any;     /* did go out */
  guint extensions; /* kinds whose header extension they have */
  gboolean limited; /* they name the kinds there are, rtcp-fb-* */
  guint offered;    /* these kinds */
} ModeSaid;

typedef struct
{
  const RaFeedbackOps *wanted; /* that was set at the start */
  const RaFeedbackOps *kind;   /* in use; NULL: receiver reports alone */
  ModeLacks warned;            /* since the start */
  ModeSaid said;
  ModeSaid latest; /* what the latest of these caps said alone */
  RaTime latest_at;
  gboolean session, avpf; /* there is one downstream; its profile */
  gboolean pushed;        /* somebody downstream took a packet */
  gboolean no_room;       /* a packet that may not grow lacked an extension */

  const RaFeedbackOps *other;   /* the other kind that came last */
  guint n_other;                /* how often it came in a row, till enough */
  RaTime other_since;           /* when the first of these came */
  const RaFeedbackOps *adopted; /* used in place of the one that is set */
  const RaFeedbackOps *wish;    /* what the receiver says it is set to */
  RaTime kind_at;     /* when the kind in use came last, or RA_TIME_NONE */
  RaTime alone_since; /* when the first receiver report came, the same */
  guint n_alone;      /* how many came, till enough */
  gboolean alone;     /* nothing but receiver reports comes */
} FeedbackMode;

typedef struct
{
  gboolean changed; /* another kind is in use */
  ModeLacks lacks;  /* of the kind that is set, to be warned of now */
} ModeNews;

void mode_start (FeedbackMode *m, const RaFeedbackOps *wanted);
/* Caps go out. */
SendWants mode_on_caps (FeedbackMode *m, const GstStructure *caps, RaTime now);
/* A packet went out, and somebody took it. */
SendWants mode_on_pushed (FeedbackMode *m);
/* A packet that may not grow lacked an extension. */
SendWants mode_on_no_room (FeedbackMode *m);
/* The session downstream was looked for. */
void mode_on_session (FeedbackMode *m, gboolean session, gboolean avpf);

/* What came: feedback of the kind in use; feedback of another kind; a report block
 * about us; the kind that the receiver says it is set to, never NULL. */
void mode_on_kind (FeedbackMode *m, RaTime now);
SendWants mode_on_other (
    FeedbackMode *m, const RaFeedbackOps *kind, RaTime now);
SendWants mode_on_reports (FeedbackMode *m, RaTime now);
SendWants mode_on_wish (FeedbackMode *m, const RaFeedbackOps *kind);

/* Another receiver takes the place of the one that all of it came from. */
void mode_on_receiver (FeedbackMode *m);

/* Settles which kind is used from now on. */
ModeNews mode_choose (FeedbackMode *m, const RaFeedbackOps *wanted);
/* TRUE if the receiver answers to any packet, and not to a frame. */
gboolean mode_always_asks (const FeedbackMode *m);

/* What to do about one of the `lacks` of `kind` (transfer full); not about
 * MODE_LACKS_ROOM. */
gchar *mode_lacks_text (ModeLacks lacks, const RaFeedbackOps *kind);
/* "The receiver sends feedback=ccfb" where the settings differ (transfer full), or
 * NULL. */
gchar *mode_difference (const FeedbackMode *m, const RaFeedbackOps *wanted);

G_END_DECLS
