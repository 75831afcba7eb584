/* What the files of a flow share: running it (flow.c), its beginning and its end
 * (flowends.c).
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "flow.h"
#include "source.h"

#include <gst/rtpadapt/colour/number.h>

G_BEGIN_DECLS

#define LOG_SIZE 65536 /* packets on record */

typedef struct
{
  guint size;
  RaTime sent;
  RaSpan rtt;
  RaMark mark;
  guint16 n_mark; /* of its colour */
  gboolean frame_end;
  gboolean ce; /* it came with ECN congestion experienced */
  RaCause truth;
  SimFrame *frame;  /* NULL: of none, or known */
  guint pos;        /* in it */
  SimHeader header; /* by bytes */
} Record;

/* A report or per-packet rows on their way back. */
typedef struct
{
  RaTime due; /* RA_TIME_NONE: the path carries it */
  guint64 id;
  RaReport report;
  RaSpan t_delay;
  GArray *rows;     /* of RaFeedbackPacket; NULL: a report */
  SimReport *bytes; /* NULL: none of that goes by bytes */
} Feedback;

struct _SimFlow
{
  const RaSimConfig *cfg;
  const RaSimFlow *own;
  guint index;
  SimPath path;
  RaTime now, start, stop;
  RaSender *sender;
  RaReceiver *receiver; /* NULL with per-packet feedback, and by bytes */
  SimWire *wire;        /* NULL: exact */
  RaTime tried;         /* by bytes: to report, the last time */
  SimClocks clocks;
  guint32 ssrc;
  gint64
      shift; /* of the number that the sender gives a packet to its record's */
  guint64 first; /* by bytes: of the RTP number to the record's */
  gint64
      offset; /* of the record's to that which RaReporter gives it; 0: no packet
                    came yet */
  RaColour *colour;
  RaMarkNumbers numbers; /* what a header extension would carry */
  RaMarkSeen seen;
  RaScore *score;
  RaRng rng;
  guint64 next; /* record */
  Record log[LOG_SIZE];
  SimSource source;
  GArray *rows; /* arrived since the last per-packet feedback */
  guint64 next_row;
  GQueue feedback; /* of Feedback */
  guint64 n_feedback;
};

static inline Record *
record (SimFlow *f, guint64 n)
{
  return &f->log[n % LOG_SIZE];
}

static inline RaTime
flow_here (const SimFlow *f, RaTime now)
{
  return now + (RaTime) f->clocks.here;
}

/* A Feedback. */
void flow_feedback_free (gpointer data);

G_END_DECLS
