/* The encoder upstream: finding it and setting its bitrate in its own unit.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *     const EncoderRow *row = encoder_row (encoder);
 *     EncoderState state = { 0 };
 *     gchar *problem = encoder_prepare (encoder, row);   once
 *     again = encoder_follow (encoder, row, &state, bps, now);   often
 */
#pragma once

#include "encodermade.h"

#include <gst/rtpadapt/rate/quality.h>

G_BEGIN_DECLS

/* A setting of the encoder that must hold, or its bitrate is not followed. */
typedef struct
{
  const gchar *property;
  const gchar *good; /* what it may be, as in gst-launch: globs, '|' between */
  const gchar *bad;  /* what it may not be, the same */
  guint max;         /* a number above is bad; 0: none is */
  const gchar *set;  /* what we set it to where it is bad by default and the
                        encoder takes it while it runs; or NULL */
  const gchar *why;  /* what happens else */
} EncoderSetting;

/* What is known about an encoder. */
typedef struct
{
  const gchar *factory;       /* a glob */
  const gchar *property;      /* a number, or a structure with `field` */
  const gchar *field;         /* or NULL */
  const gchar *along;         /* a number that never is below, or NULL */
  const gchar *caps;          /* of a source: globs of what it codes, or NULL */
  gboolean by_quality;        /* `property` is a JPEG quality, see quality.h */
  guint unit;                 /* bit/s */
  guint step;                 /* bit/s that make a difference to the encoder */
  guint least;                /* bit/s; it never gets less */
  guint min_change;           /* percent below which it is left alone */
  GstClockTime min_interval;  /* between two changes */
  gboolean lags;              /* makes too much after a fall, see lead.h */
  const gchar *largest;       /* ms that its largest frame may take, or NULL */
  const gchar *settings;      /* worth having, as in gst-launch */
  const gchar *change;        /* what a change in PLAYING does */
  const EncoderSetting *must; /* ended by one without property; or NULL */
} EncoderRow;

/* What somebody else set of an encoder last; all 0: nothing was given. */
typedef struct
{
  gboolean noted;
  EncoderRow row;       /* whose property it is */
  gboolean had;         /* the number: a field may be missing */
  gint64 before, along; /* the numbers, in the encoder's units */
  gint64 given;         /* ours that was given last, as the encoder has it */
} EncoderOwn;

/* What an encoder was given last, and should have had since; all 0: nothing. */
typedef struct
{
  guint64 bps;   /* bit/s, that it should make */
  guint64 asked; /* bit/s; another one while the bitrate moves, see lead.h */
  GstClockTime at;
  gdouble heard; /* bit/s that encoder_follow() got last */
  GstClockTime heard_at;
  gdouble mean;      /* of what it got, see encoder_follow() */
  RaLead lead;       /* of one that takes another bitrate with each frame */
  RaQuality quality; /* of one that has a quality and no bitrate */
  RaMade made;       /* when that was set */
  EncoderOwn own;
} EncoderState;

/* The element's row in the table; or, for an encoder of video that has a
 * `bitrate` or `target-bitrate` whose description names its unit, a
 * cautious one.  NULL if it is none of these. */
const EncoderRow *encoder_row (GstElement *element);
/* The row of an element that the user describes: `property` in units of `unit`
 * bit/s.  NULL if that is not a number that can be written; else `space`. */
const EncoderRow *encoder_row_described (
    GstElement *element, const gchar *property, guint unit, EncoderRow *space);

/* The known encoders upstream of `sinkpad`, through payloaders, parsers, filters,
 * queues and bins, none behind another; those that have a number `property` instead
 * unless that is NULL.  (transfer full) (element-type GstElement):
 * g_ptr_array_unref(). */
GPtrArray *encoder_find_all_upstream (GstPad *sinkpad, const gchar *property);

/* Sets what must hold and was left at a default that is bad; what the user set
 * stays as it is.  The text of a warning about what remains (transfer full),
 * or NULL. */
gchar *encoder_prepare (GstElement *encoder, const EncoderRow *row);

/* When an encoder at `state` should get `bps`: `now`, a later time, or
 * GST_CLOCK_TIME_NONE if the difference is not worth a change.  Pure. */
GstClockTime encoder_when (const EncoderRow *row, const EncoderState *state,
    guint64 bps, GstClockTime now);

/* Gives the encoder `bps` if it is time, and notes it in `state`; `now` is on
 * any clock.  One that is not to be changed again soon gets a mean of what was
 * wanted (time constant: half its interval), at most twice what it had, or a third of
 * it: a rate that held for a moment only must not fill the path, or starve the
 * stream, for as long as that.  One that may be changed with each frame is asked
 * for what ra_lead_for() says.  For one that has a quality and no bitrate, what it made
 * since the last call shows what the next quality should be.
 * Returns when to come back with the `bps` of then, or GST_CLOCK_TIME_NONE: not
 * before there is another.  May block for a frame. */
GstClockTime encoder_follow (GstElement *encoder, const EncoderRow *row,
    EncoderState *state, guint64 bps, GstClockTime now);
/* Gives the encoder back what it had before encoder_follow() set it over, unless it has
 * another number than ours by now.  `state` is as at first.  May block for a frame. */
void encoder_restore (GstElement *encoder, EncoderState *state);

G_END_DECLS
