/* A pipeline that plays until a signal ends it or it breaks; what the sender
 * and the receiver share.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "log.h"

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _Play Play;

/* On CLOCK_MONOTONIC; from now on SIGINT and SIGTERM end play_run().  Errors
 * have `name`.  (transfer full): play_free(). */
Play *play_new (const gchar *name, const gchar *line, Log *log, GError **error);
void play_free (Play *p);

/* Of the pipeline; NULL if it has none of that name.  (transfer full) */
GstElement *play_get (Play *p, const gchar *name);
/* The same, which must be there. */
GstElement *play_need (Play *p, const gchar *name, GError **error);
/* Its "stats"; NULL if the element or the property does not exist.  (transfer
 * full) */
GstStructure *play_stats (Play *p, const gchar *name);

typedef void (*PlayMessage) (const GstStructure *message, gpointer data);
void play_on_message (Play *p, PlayMessage callback, gpointer data);

/* The pipeline's time of a buffer at a pad, by which a picture is known from
 * element to element; 0 if it has none. */
GstClockTime play_running_time (GstPad *pad, GstClockTime pts);

/* Counts the RTP packets through a pad per timestamp into the log, if the
 * pipeline has such an element. */
void play_count_rtp (Play *p, const gchar *element, const gchar *pad);

/* To PLAYING; play_run() returns after `seconds` (0: never), play_stop(), which
 * is for any thread, or a signal.  FALSE and `error` if the pipeline broke. */
gboolean play_start (Play *p, GError **error);
gboolean play_run (Play *p, gdouble seconds, GError **error);
void play_stop (Play *p);
/* To NULL; nothing flows any more. */
void play_halt (Play *p);

G_END_DECLS
