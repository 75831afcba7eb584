/* The path inside rtpadaptlink: models, the events between the packets, and
 * what is to be pushed.  No lock, no clock: the element's.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "parts/fields.h"

#include <gst/gst.h>
#include <gst/rtpadapt/link.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 in, out, congestion, wireless, discarded; /* packets */
  guint64 bytes_in, bytes_out;                      /* on the wire */
} LinkCounts;

typedef struct
{
  guint64 in, out, congestion, wireless; /* packets */
} LinkFlow;

typedef struct
{
  GstElement *owner;      /* source of messages and logs */
  gboolean loss_messages; /* post each loss too */

  RaLink *link;       /* NULL: closed, nothing may enter */
  RaTime releasing;   /* a path's end: what is inside leaves then; or NONE */
  RaTime resumed;     /* since when time runs: nothing left before */
  GstSegment segment; /* of what leaves now */
  guint64 next_seq;
  GQueue waiting; /* serialized events that wait for packets before them */
  GQueue out; /* buffers, events (either way) and messages to push, in order */
  GQueue sizes; /* on the wire, of each buffer in `out` */
  LinkCounts n;
  GHashTable *flows; /* of the first RA_LINK_FLOWS SSRCs: to LinkFlow */
  LinkFlow others;   /* all later ones */
} LinkPath;

void link_path_init (LinkPath *path, GstElement *owner);
void link_path_clear (LinkPath *path); /* of a closed one */
void link_path_reset_counts (LinkPath *path);

/* A new chain.  What is inside the old one leaves at `now`, in order; with an
 * error nothing changes. */
gboolean link_path_open (LinkPath *path, const gchar *text, guint64 seed,
    RaTime now, GError **error);
/* The next to push, out of `out` (transfer full), or NULL. */
gpointer link_path_pop (LinkPath *path);
/* Discards what is inside and in `out`; sticky events stay on `srcpad`. */
void link_path_flush (LinkPath *path, GstPad *srcpad);
void link_path_close (LinkPath *path);

/* Both take what enters. */
void link_path_push_buffer (
    LinkPath *path, GstBuffer *buffer, guint overhead, RaTime now);
void link_path_push_event (LinkPath *path, GstEvent *event);

/* (transfer full); `now` is RA_TIME_NONE while time does not run. */
GstStructure *link_path_stats (const LinkPath *path, RaTime now);

/* Of "application/x-rtpadaptlink-stats", the list in it, and "RTPAdaptLoss". */
extern const Field link_path_fields[];
extern const Field link_path_flow_fields[];
extern const Field link_path_loss_fields[];

G_END_DECLS
