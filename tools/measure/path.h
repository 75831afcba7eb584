/* What the link did to the stream, by its own record.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "records.h"

#include <gst/rtpadapt/score/score.h>

G_BEGIN_DECLS

/* A packet of the stream. */
typedef struct
{
  gint64 in, out; /* out: 0 if it did not come through */
  guint size;
  gint64 ssrc;  /* -1: no RTP */
  gint seq, pt; /* -1: no RTP */
  RaCause lost;
  gint64 queued; /* RA_SPAN_NONE: not given */
} Packet;

/* What somebody else's flow got through. */
typedef struct
{
  gchar *name;
  gdouble bytes;
} OtherFlow;

typedef struct
{
  gint64 t;
  gdouble bps; /* NaN: not limited */
} Capacity;

typedef struct
{
  GArray *packets;    /* Packet, in order of `in` */
  GArray *capacities; /* Capacity, in order */
  GArray *others;     /* OtherFlow */
  gdouble bytes;      /* of the stream that came through, by the log */
  /* Of the link's work, both ways: by how much 99 % of the packets were late
   * at most, NaN if that is not known; packets that no model lost, -1. */
  gdouble late_ms_p99;
  gint64 missed;
} Path;

/* `packets` may be NULL.  From `from` until `until` others are counted.
 * (transfer full): path_free().  NULL and one sentence. */
Path *path_read (const gchar *packets, const gchar *log, const Records *r,
    gint64 from, gint64 until, GError **error);
void path_free (Path *p);

typedef struct
{
  RaScoreResult score;
  gboolean scored; /* else there is nothing in it */
  guint judged_congestion, judged_wireless;
  gdouble fec_overhead; /* NaN: not known */
} PathScore;

void path_score (
    const Path *p, const Records *r, gint64 from, gint64 until, PathScore *out);

/* In seconds; NaN: not known, or there was nothing of the kind. */
typedef struct
{
  /* From the stream's first packet until .9 of the line was used in half a
   * second; until the end if it never was. */
  gdouble ramp_s;
  /* The slowest after a step of the line to .75 of its rate or less: until the
   * estimated bitrate was no more than the line, and until no packet had waited
   * for 25 ms for half a second; until the line's next rate if that was not. */
  gdouble rate_settle_s, queue_settle_s;
} PathSettle;

/* The start is looked at whole, steps from `from` until `until`. */
void path_settle (const Path *p, const Records *r, gint64 from, gint64 until,
    PathSettle *out);

/* Whether others[other] wants a share of the link. */
gboolean path_competes (
    const Path *p, guint other, gdouble seconds, gdouble capacity_bps);
/* `bytes` in `seconds` as a share of what is fair: the capacity by the number
 * of those who want it, the stream among them.  NaN: not known. */
gdouble path_share (
    const Path *p, gdouble bytes, gdouble seconds, gdouble capacity_bps);

G_END_DECLS
