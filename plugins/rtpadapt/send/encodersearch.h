/* The encoders upstream of rtpadaptsend, and the streams that they feed.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A search may block.  encoders_search_plan() begins one and encoders_search_take()
 * takes what it found (encoders.h), both with the owner's lock; what is here runs
 * without it.
 */
#pragma once

#include "encoder.h"
#include "parts/notices.h"

G_BEGIN_DECLS

/* Encoders that are driven at a time. */
#define ENCODERS_MAX 16

/* What a search found out about an encoder. */
typedef struct
{
  EncoderRow row;
  guint streams;            /* payloaders that it feeds, as far as known */
  gboolean in_our_pipeline; /* when it was found */
  gboolean leads;           /* it was found upstream of us */
} EncoderAbout;

/* What a search is about, and what it found. */
typedef struct
{
  /* by encoders_search_plan() */
  gchar **names;   /* of encoders; none: all that are upstream */
  gchar *property; /* as in EncodersConfig */
  guint unit;
  gboolean hands_off; /* no encoder is driven */
  gboolean expected;  /* an encoder should be found */
  GPtrArray *known;   /* of GstElement: driven before */
  guint n_stops;
  /* by encoders_search_do() */
  GPtrArray *found;                 /* of GstElement */
  EncoderAbout about[ENCODERS_MAX]; /* these */
  gchar *missing;                   /* names that are no encoder's */
  gboolean video;                   /* there is video upstream */
  GArray *origins; /* of StreamOrigin; NULL if the result came too late */
  gboolean others_driven; /* so are streams of no known origin */
  Notices notices;        /* to be posted after encoders_search_take() */
} EncodersSearch;

/* `sinkpad` is the owner's.  Prepares encoders that were not driven before. */
void encoders_search_do (EncodersSearch *s, GstPad *sinkpad);
/* Frees what it holds.  The owner may have stolen `origins`. */
void encoders_search_end (EncodersSearch *s);

G_END_DECLS
