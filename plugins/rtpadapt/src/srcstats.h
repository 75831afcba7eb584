/* rtpadaptsrc: statistics of what it let in, and of its streams.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "srcgate.h"
#include "srchold.h"
#include "srcstreams.h"
#include "parts/fields.h"

G_BEGIN_DECLS

/* An SSRC that feeds a source pad, or has fed it.  `counts.early` is filled by the caller
 * under its lock, the rest by src_stats_set_streams() without it. */
typedef struct
{
  guint32 ssrc;
  GstElement *jitterbuffer; /* owned */
  SrcCounts counts;
} SrcStatsFeeder;

/* A source pad, and the jitterbuffers to be asked about it. */
typedef struct
{
  gchar *name; /* of the pad; owned */
  guint pt;
  guint32 ssrc;
  RaSpan silence;    /* RA_SPAN_NONE: it ended */
  guint64 fec;       /* repair packets that came */
  SrcCounts decoded; /* by its decoder alone */
  GArray *feeders;   /* (SrcStatsFeeder) owned */
  SrcCounts before;  /* of SSRCs that are no feeders any more */
} SrcStatsSource;

/* Of all streams; the lock of both is held.  `jitterbuffers`: SSRC to GstElement.
 * (transfer full) (element-type SrcStatsSource) */
GArray *src_stats_sources (
    const SrcStreams *streams, GHashTable *jitterbuffers);

/* The share of the media packets that is missing after all.  pushed, lost: packets
 * of the jitterbuffer, repair packets too; of these `fec` came, and `recovered` media
 * packets were brought back. */
gdouble src_stats_residual (
    guint64 pushed, guint64 lost, guint64 fec, guint64 recovered);

/* Asks the elements, so no lock may be held.  `before`: that of the SrcStreams. */
void src_stats_set_streams (
    GstStructure *stats, GArray *sources, const SrcCounts *before);
/* Asks a jitterbuffer for all but `early`; no lock may be held. */
void src_stats_ask (GstElement *jitterbuffer, SrcCounts *counts);
void src_stats_set_hold (GstStructure *stats, const SrcHoldStats *hold);
void src_stats_set_gate (GstStructure *stats, const SrcGateStats *gate);

/* Puts `inner` (transfer full), or the statistics of a child, under that name. */
void src_stats_take (
    GstStructure *stats, const gchar *name, GstStructure *inner);
void src_stats_set_child (
    GstStructure *stats, const gchar *name, GstElement *child);

/* The message of what is `said` of the stream (transfer full). */
GstStructure *src_stats_news (const SrcStream *stream);
extern const Field src_stats_news_fields[];

/* Of "application/x-rtpadaptsrc-stats", and of the list in it. */
extern const Field src_stats_gate_fields[];
extern const Field src_stats_fields[];
extern const Field src_stats_hold_fields[];
extern const Field src_stats_stream_fields[];

G_END_DECLS
