/* The encoders that get their bitrate from rtpadaptsend, and whose stream is whose.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What audio takes, and what streams take whose encoder was not found, is measured
 * and comes off the rate.  The rest is shared equally among the streams that the
 * encoders make.
 *
 * A search upstream may block, and so may an encoder that gets a bitrate.  Each of
 * the two is three calls: plan with the owner's lock, do without it, take with it;
 * end follows without the lock.  One thread does that.  The lock is held for all
 * other calls.
 *
 *     if (encoders_search_plan (e, &config, &search)) ...
 *     bps = encoders_share (e, &split, rate, other_bitrate);
 *     encoders_plan (e, bps, quiet, now, &job); ...
 */
#pragma once

#include "encodersearch.h"
#include "encodershare.h"
#include "frameskip.h"
#include "sendwants.h"
#include "sizefit.h"

#include <gst/rtpadapt/rate/split.h>

G_BEGIN_DECLS

/* What the user says about encoders, in properties of rtpadaptsend. */
typedef struct
{
  const gchar *names;    /* with commas between; "": those upstream; "none" */
  const gchar *property; /* the number to set; "": what encoder_row() says */
  guint unit;            /* of `property`, bit/s */
} EncodersConfig;

/* An encoder that is driven. */
typedef struct
{
  GWeakRef element;
  EncoderAbout about;
  EncoderState state; /* what was set last */
  SizeFit size;
} EncodersPlace;

typedef struct
{
  EncodersPlace places[ENCODERS_MAX];
  guint n;
  gboolean stale;        /* other encoders may stand upstream: search */
  gboolean doubtful;     /* one that is driven may feed another element now */
  gboolean expected;     /* video came, so an encoder should be found */
  gboolean other_config; /* the bitrates have to be set again */
  RaTime left; /* when the last one that was driven left, 0: none did */
  gboolean missing_said, shared_said, size_said; /* since the start */
  gdouble largest;                               /* as in EncoderWish */
  guint64 other_bitrate; /* of streams that the encoders do not make, bit/s */
  RaTime other_again;    /* when to look at that */
  RaTime again;          /* when an encoder may be changed, or RA_TIME_NONE */
  SkipLevel *level;      /* by which the encoders skip frames */
  GPtrArray *driven;     /* of GWeakRef: those that were since the start */
  GPtrArray *dropped;    /* of GstElement: to get back what they had */
  guint n_stops;
} Encoders;

/* Once, when the element is made, and when it goes. */
void encoders_init (Encoders *e);
void encoders_clear (Encoders *e);
/* A new start; encoders_stop() came before. */
void encoders_start (Encoders *e);
/* Drives none of them any more; what is planned and not yet taken is dropped.  All that
 * were driven since the start get back what they had in the job that it wants, which may
 * come after the change of state. */
SendWants encoders_stop (Encoders *e);
/* Drives none of them until the next bitrate. */
void encoders_pause (Encoders *e);
/* Those that were driven until the stop (transfer full), or NULL. */
GPtrArray *encoders_take_dropped (Encoders *e);
/* The lock is not held.  They get back what they had, as encoder_share_restore() says. */
void encoders_restore (GPtrArray *dropped);

/* Other elements may stand upstream: a search is due. */
void encoders_on_upstream_changed (Encoders *e);
/* The user says something else.  `restart`: their bitrates have to be set again. */
void encoders_on_config (Encoders *e, gboolean restart);
/* `waiting` at the rate: above `above` the encoders skip frames, RA_SPAN_NONE: never. */
void encoders_set_waiting (Encoders *e, RaSpan waiting, RaSpan above);
/* Frames that they skipped since the start. */
guint64 encoders_skipped (const Encoders *e);
/* TRUE: some of those were more than 1 s before their time. */
gboolean encoders_early (const Encoders *e);
/* `largest`: as in EncoderWish, from the next bitrate on. */
SendWants encoders_set_largest (Encoders *e, gdouble largest);
/* Such an event comes from a funnel or a selector that switches, and from an element that
 * was linked again. */
void encoders_on_stream_start (Encoders *e);
/* Video comes in. */
void encoders_on_video (Encoders *e);

/* FALSE: none is due. */
gboolean encoders_search_plan (
    Encoders *e, const EncodersConfig *config, EncodersSearch *s);
/* encoders_search_do() and encoders_search_end(): encodersearch.h. */
/* The owner may take `origins` afterwards. */
SendWants encoders_search_take (Encoders *e, EncodersSearch *s);

/* bit/s for each stream of an encoder, of a `split` of `rate` that does not know of
 * the streams which take `other_bitrate`. */
guint64 encoders_share (
    Encoders *e, const RaSplit *split, guint64 rate, guint64 other_bitrate);

/* An encoder that gets a bitrate. */
typedef struct
{
  GstElement *element;
  EncoderAbout about;
  EncoderState state;
  SizeFit size;
  GstStructure *proposal; /* of another size, or NULL; to be posted */
  gboolean changed;       /* it got another bitrate now */
  GstClockTime
      again; /* by the system's clock; GST_CLOCK_TIME_NONE: not yet known */
  GstClockTime now; /* the same */
} EncodersTask;

typedef struct
{
  gconstpointer who; /* for encoder_share_follow() */
  guint64 bps;
  gboolean quiet;
  gdouble largest;
  gboolean adapt_size; /* set by the owner: as in size_fit_do() */
  /* By encoders_take(): an encoder whose pictures should become smaller and cannot, said
   * once; or NULL.  It is one of `tasks`. */
  GstElement *too_large;
  RaTime now;
  EncodersTask tasks[ENCODERS_MAX];
  guint n, n_done;
  gboolean gone; /* one of them is not there any more */
  guint n_stops;
} EncodersJob;

/* Each stream gets `bps`.  `quiet`: as in EncoderWish. */
void encoders_plan (
    Encoders *e, guint64 bps, gboolean quiet, RaTime now, EncodersJob *job);
/* `sinkpad` is the owner's. */
void encoders_do (EncodersJob *job, GstPad *sinkpad);
SendWants encoders_take (Encoders *e, EncodersJob *job);
void encoders_end (EncodersJob *job);

/* When encoders_timeout() is due, or RA_TIME_NONE. */
RaTime encoders_next (const Encoders *e);
SendWants encoders_timeout (Encoders *e);

/* TRUE if encoders_watch() is due: ten times a second. */
gboolean encoders_watch_due (Encoders *e, RaTime now);
/* What the streams of others take now, which may change the encoders' share.  A job
 * finds out whether the encoders are still there. */
SendWants encoders_watch (Encoders *e, guint64 other_bitrate, guint64 rate);

/* What they were given last, together, bit/s. */
guint64 encoders_bitrate (const Encoders *e);

G_END_DECLS
