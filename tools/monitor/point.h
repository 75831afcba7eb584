/* What is plotted of one statistics message.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <json-glib/json-glib.h>
#include <math.h>

#define UNKNOWN ((gdouble) NAN)

typedef enum
{
  POINT_ESTIMATED_BPS, /* what may be sent */
  POINT_SENT_BPS,      /* RTP packets with header, since the point before */
  POINT_ENCODER_BPS,   /* what the encoders were set to */
  POINT_RECEIVED_BPS,
  POINT_QUEUE_MS, /* of the path */
  POINT_RTT_MS,
  POINT_BACKLOG_MS, /* waiting in rtpadaptsend */
  POINT_PACKETS,    /* sent, since the point before; so are the next three */
  POINT_CONGESTION, /* lost, by verdict */
  POINT_WIRELESS,
  POINT_UNJUDGED,    /* lost, where the sender judges and we do not know */
  POINT_FEC_PERCENT, /* repair packets per media packet */
  POINT_DELAYED,     /* share of the packets since the point before */
  POINT_DELAYED_ALL, /* share of all packets */
  POINT_RESIDUAL,    /* share of all media packets missing after repair */
  POINT_N,
} PointField;

/* Their names in JSON, with units. */
extern const gchar *const point_names[POINT_N];

typedef enum
{
  SOURCE_SEND,
  SOURCE_RECV,
  SOURCE_SRC,
  SOURCE_N,
} SourceKind;

extern const gchar *const source_kinds[SOURCE_N];

/* Counters of the message before. */
typedef enum
{
  COUNT_BYTES,
  COUNT_PACKETS,
  COUNT_ARRIVED,
  COUNT_CONGESTION,
  COUNT_WIRELESS,
  COUNT_DELAYED,
  COUNT_N,
} Count;

typedef struct
{
  gint64 time_us;
  gdouble n[COUNT_N]; /* UNKNOWN where it is */
} PointCounts;

typedef struct
{
  gint64 time_us;
  guint64 serial;
  gdouble value[POINT_N]; /* UNKNOWN where it is */
} Point;

/* `before` of the first message is NULL; `counts` is for the next one. */
void point_read (Point *point, PointCounts *counts, SourceKind kind,
    JsonObject *stats, gint64 time_us, const PointCounts *before);

/* A text of `stats`, or NULL; "receiver/lda" is one in an object. */
const gchar *stats_text (JsonObject *stats, const gchar *path);
/* TRUE where that is known to be so. */
gboolean stats_flag (JsonObject *stats, const gchar *path);
