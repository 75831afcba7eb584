/* rtpadaptsend: statistics and messages, field by field.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "sendstreams.h"
#include "parts/fields.h"

#include <gst/gst.h>
#include <gst/rtpadapt/feedback/ear.h>
#include <gst/rtpadapt/repair/repair.h>

G_BEGIN_DECLS

/* What the statistics say.  Names are never NULL. */
typedef struct
{
  const gchar *controller, *lda, *fec, *colour; /* in use */
  const gchar *mode, *wanted;                   /* kinds of feedback */
  gboolean receiver_judges;                     /* the losses, by `mode` */
  guint rate, encoder_rate;                     /* bit/s */
  guint64 not_rtp, malformed, plain, late;      /* packets */
  guint64 ceased, probes;                       /* packets, see outage.h */
  guint64 keys_held;
  guint64 unposted; /* messages */
  RaEarStats heard;
  const gchar *ecn_state, *ecn_fault;
  guint64 mark_packets[RA_N_MARKS], mark_bytes[RA_N_MARKS];
  guint encoders;
  gboolean fec_made;

  /* Only while the element runs. */
  guint fec_percentage;
  guint64 other_rate; /* bit/s */
  RaSenderStats sender;
  const gchar *trip, *breaker, *limit;
  RaSpan heard_ago;
  RaRepairStats repair;
  guint64 time;
  RaSpan backlog;
  guint64 dropped, dropped_frames, frames_skipped, skipped;
} SendStats;

/* The names of `heard` are looked up here.  `sender` is NULL while the element is
 * stopped, and so is `ear`. */
GstStructure *send_stats_new (SendStats *stats, const RaSender *sender,
    const RaEar *ear, const Streams *streams, RaTime now);

/* Of "application/x-rtpadaptsend-stats": always; while the element runs; after the
 * receiver has said something of itself. */
extern const Field send_stats_fields[];
extern const Field send_stats_running_fields[];
extern const Field send_stats_heard_fields[];
/* Of "peer", inside it. */
extern const Field send_stats_peer_fields[];

/* A message that a circuit breaker has another state (transfer full). */
GstStructure *send_breaker_news (const RaSenderStats *stats);
extern const Field send_breaker_fields[];

G_END_DECLS
