/* rtpadaptsrc: which of rtpbin's source pads feeds which of ours.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A source pad is for one payload type of one SSRC.  When another SSRC comes
 * with that payload type, it is either a second stream, which gets a pad of its
 * own, or the sender was started again, and it goes on on the same pad, so that
 * what is linked there goes on as well.  It is the second if the old SSRC said
 * BYE, or is silent for SRC_RESTARTED; the first as soon as the old one is heard
 * SRC_GRACE after the new.  Until then the new one's pad is blocked; nothing is
 * lost.  The new one waits as well while a pad with that payload type is being decided
 * about or shown, but no longer than SRC_GRACE, since an application may hold that up.
 * An SSRC that was silent, lost its place, and is heard again when the packets that were
 * overtaken are long here, is decided about like a new one.
 *
 * No clock, no lock, and no pad is touched here: the caller has the lock, and does
 * what the job says without it.  Of a decoder only the counters are read.
 */
#pragma once

#include <gst/gst.h>
#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* No live encoder is silent for that long, its sound less so. */
#define SRC_RESTARTED RA_SECOND
/* Packets of the old SSRC that the new one's overtook on their way. */
#define SRC_GRACE (100 * RA_MSECOND)

/* No live camera or microphone is silent for that long, so the application hears of it. */
#define SRC_SILENT (2 * RA_SECOND)

/* What the application heard of a stream. */
typedef enum
{
  SRC_STREAM_NEW,     /* nothing, as its pad is not yet there */
  SRC_STREAM_SHOWN,   /* nothing, but its pad is there */
  SRC_STREAM_BEGINS,  /* packets come */
  SRC_STREAM_SILENT,  /* none has come for SRC_SILENT */
  SRC_STREAM_GOES_ON, /* they come again, of the same SSRC or of another */
  SRC_STREAM_ENDS,    /* its SSRC said BYE, or is not known any more */
} SrcStreamState;

/* What a jitterbuffer counted, and decoders behind it; packets. */
typedef struct
{
  guint64 pushed, lost, late;
  guint64 early; /* of `pushed`: brought back before they came there */
  guint64 recovered, unrecovered; /* by the decoders */
} SrcCounts;

static inline void
src_counts_add (SrcCounts *sum, const SrcCounts *c)
{
  sum->pushed += c->pushed;
  sum->lost += c->lost;
  sum->late += c->late;
  sum->early += c->early;
  sum->recovered += c->recovered;
  sum->unrecovered += c->unrecovered;
}

/* A source pad, and what feeds it: one SSRC with one payload type, and after
 * its end another with the same. */
typedef struct
{
  GstPad *ghost;
  GstElement *fecdec; /* behind rtpbin, or NULL */
  guint pt;
  guint32 ssrc;
  GstPad *pad;      /* of rtpbin, not owned, or NULL: it is gone */
  guint64 fec;      /* repair packets that came */
  GSList *feeders;  /* (guint32) SSRCs that fed it, and have a jitterbuffer */
  SrcCounts before; /* of those that have none any more */
  SrcStreamState said;
  guint32 said_ssrc; /* of which */
} SrcStream;

/* Only itself. */
void src_stream_free (SrcStream *stream);
/* Adds what its decoder counted. */
void src_stream_decoded (const SrcStream *stream, SrcCounts *counts);

/* A pad of rtpbin about which it has to be decided, or one that lost its place
 * and is mute, should its SSRC be heard again. */
typedef struct
{
  GstPad *pad;
  GstPad *loser;   /* whose place it takes, or NULL */
  SrcStream *home; /* the place that it lost, or NULL */
  gulong block;    /* probe */
  guint pt;
  guint32 ssrc;
  RaTime since;
} SrcPending;

void src_pending_free (SrcPending *p);

/* Since when nothing has come of an SSRC, with a payload type if that is not -1;
 * RA_SPAN_NONE: the SSRC is not known, or it said BYE. */
typedef RaSpan (*SrcSilence) (gpointer data, guint32 ssrc, gint pt);

typedef struct
{
  SrcSilence silence;
  gpointer silence_data;
  GPtrArray *streams; /* (SrcStream) */
  GList *pending;     /* (SrcPending) */
  gint n_pending;     /* atomic: its length, to be looked at without the lock */
  GList *losers;      /* (SrcPending) */
  gint n_losers;      /* atomic: the same */
  GList *jobs;        /* (SrcPending, not owned) that are being carried out */
  GArray *leaving;    /* SSRCs that are over, but for their jitterbuffers */
  gint n_leaving;     /* atomic: their number */
  SrcCounts
      before; /* of the jitterbuffers and decoders that are gone; the owner may
                       begin again at 0 */
  guint next_name;
  gboolean stopped; /* pads that come are ignored */
} SrcStreams;

void src_streams_init (
    SrcStreams *s, SrcSilence silence, gpointer silence_data);
void src_streams_clear (SrcStreams *s);

typedef enum
{
  SRC_STREAMS_SHOW,   /* a new stream gets the pad */
  SRC_STREAMS_AGAIN,  /* a stream goes on with the pad: `again` */
  SRC_STREAMS_LATER,  /* block the pad, then src_streams_wait() */
  SRC_STREAMS_IGNORE, /* nothing more is shown */
} SrcDecision;

/* What is decided about `p`. */
typedef struct
{
  SrcDecision what;
  SrcPending *p; /* (transfer full): src_streams_done(), src_streams_wait() */
  SrcStream *again; /* or NULL */
} SrcStreamsJob;

/* rtpbin has a new pad. */
SrcStreamsJob src_streams_on_pad (
    SrcStreams *s, GstPad *pad, guint32 ssrc, guint pt, RaTime now);
/* The pad is blocked by the probe `p->block`.  FALSE: it is to be ignored by
 * now, and the caller keeps `p`. */
gboolean src_streams_wait (SrcStreams *s, SrcPending *p);
/* A pad of which it is decided now.  FALSE: there is nothing to do. */
gboolean src_streams_next (SrcStreams *s, RaTime now, SrcStreamsJob *job);
/* The job is done; `p` is still the caller's, who removes the probe `p->block` as it is
 * then.  Until then its SSRC does not leave, because its pad and the stream that it is
 * for are not yet known to each other. */
void src_streams_done (SrcStreams *s, SrcPending *p);
/* A packet of RTP was let in. */
void src_streams_on_packet (
    SrcStreams *s, guint32 ssrc, guint pt, gboolean fec, RaTime now);
/* The pad that lost its place is mute by this probe.  FALSE: meanwhile it was decided
 * about, or is mute by another one, and the caller removes the probe. */
gboolean src_streams_muted (SrcStreams *s, GstPad *pad, gulong probe);
/* The SSRC is over.  Its jitterbuffer goes as soon as no thread is beyond its pads;
 * until then its pads that come are ignored.  The caller has it, and gets in `waited`
 * its pads that were not shown, or no longer are (transfer full) (element-type
 * SrcPending).  FALSE: it is leaving already. */
gboolean src_streams_leave (SrcStreams *s, guint32 ssrc, GList **waited);
/* An SSRC that leaves, that nobody has, and that no job is for: the first from the
 * place `at` on, which becomes the next place.  The caller has it.  FALSE: there is
 * none. */
gboolean src_streams_next_leaver (SrcStreams *s, guint *at, guint32 *ssrc);
/* The caller has it no longer.  `gone`: the jitterbuffer, so it may come again. */
void src_streams_leaver_done (SrcStreams *s, guint32 ssrc, gboolean gone);
/* The jitterbuffer of the SSRC is gone, and had counted this. */
void src_streams_on_gone (SrcStreams *s, guint32 ssrc, const SrcCounts *counts);
/* Our pads that nothing feeds any more, because their SSRCs are over (transfer full)
 * (element-type GstPad). */
GPtrArray *src_streams_unfed (const SrcStreams *s);
/* rtpbin's pad is gone.  Returns what waited at it (transfer full), or NULL. */
SrcPending *src_streams_forget (SrcStreams *s, GstPad *pad);

/* Adds a stream that is shown.  FALSE: they stopped meanwhile. */
gboolean src_streams_add (SrcStreams *s, SrcStream *stream);
/* The pad of the stream is there: the application may hear of it. */
void src_streams_shown (SrcStreams *s, SrcStream *stream);
/* A stream of which the application has to hear `said`, which counts as said; NULL: there
 * is none. */
SrcStream *src_streams_news (SrcStreams *s);
/* Since when nothing came of the stream; RA_SPAN_NONE: it ended. */
RaSpan src_streams_silence (const SrcStreams *s, const SrcStream *stream);
/* From now on pads that come are ignored.  Returns what waited (transfer full)
 * (element-type SrcPending). */
GList *src_streams_stop (SrcStreams *s);
/* Takes all streams out (transfer full) (element-type SrcStream), keeps what they counted,
 * and begins again. */
GPtrArray *src_streams_take (SrcStreams *s);

G_END_DECLS
