/* The last minute of every element that posts its statistics.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "point.h"

/* What the page shows. */
#define STORE_SPAN_US (60 * G_USEC_PER_SEC)
/* Points are not closer: an element may post more often. */
#define STORE_STEP_US (200 * G_TIME_SPAN_MILLISECOND)
/* Elements at a time, live; more are refused. */
#define STORE_SOURCES_MAX 32

typedef struct
{
  guint id, connection;
  gboolean live; /* its program still has the connection */
  SourceKind kind;
  gint64 pid, dropped, first_us; /* of its first point */
  gchar *program, *element;
  GArray *points;     /* Point, oldest first */
  PointCounts counts; /* of the newest point */
  JsonObject *stats;  /* the last ones, whole */
} Source;

/* Gets each good line, without its end. */
typedef void (*StoreTaken) (const gchar *line, gsize len, gpointer data);

typedef struct
{
  GPtrArray *sources;       /* Source */
  gint64 start_us, span_us; /* STORE_SPAN_US; of a recording all of it */
  guint64 serial, bad_lines;
  guint last_id, sources_max; /* STORE_SOURCES_MAX; a recording has no limit */
  gchar *command;             /* the program that was started, or NULL */
  gchar *date;                /* of a recording, else NULL */
  StoreTaken taken;           /* or NULL */
  gpointer taken_data;
} Store;

Store *store_new (const gchar *command, gint64 now_us);
void store_free (Store *store);

/* FALSE: the line is not one of monitorsocket.h, or there are too many
 * elements; it is counted and has changed nothing. */
gboolean store_take_line (Store *store, const gchar *line, gsize len,
    guint connection, gint64 now_us);
void store_gone (Store *store, guint connection);

/* Points older than the span; and an element without one that is gone. */
void store_forget (Store *store, gint64 now_us);

/* JSON for a viewer who has all points up to `*cursor`. */
gchar *store_update (const Store *store, guint64 *cursor, gint64 now_us);
/* JSON with the last statistics. */
gchar *store_stats (const Store *store, gint64 now_us);

/* "controller", "lda", "fec", "feedback", "queue", "limit", "breaker": its text, or
 * NULL where there is nothing to be said. */
const gchar *source_about (const Source *source, const gchar *what);
const Point *source_last (const Source *source);
