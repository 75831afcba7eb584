/* The receiver's side of faults.h, and the two clocks.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * It is RaReporter, or with per-packet feedback one that answers to each frame
 * with what arrived of it, as twcc.
 */
#pragma once

#include <gst/rtpadapt/feedback/listener.h>
#include <gst/rtpadapt/feedback/reporter.h>
#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/link.h>
#include <gst/rtpadapt/loss/seq.h>
#include <gst/rtpadapt/sender.h>

#define FAULTS_FRAME (RA_SECOND / 25)
#define FAULTS_HEADER 20 /* bytes of RTP, with an extension */
#define FAULTS_RECORDS 65536
#define FAULTS_QUEUE 8192
/* rtpadaptsend's defaults */
#define FAULTS_BACKLOG (250 * RA_MSECOND)
#define FAULTS_BURST (5 * RA_MSECOND)
#define FAULTS_CAP 9
#define FAULTS_GRAIN (250 * RA_USECOND) /* of twcc's arrival times */

typedef struct
{
  const gchar *controller, *lda;
  gboolean rows; /* per-packet feedback; else TFRC-FB and RADP */
  const gchar *path, *back;
  guint64 min, start, max; /* bit/s */
  guint packet;            /* bytes at most */
  guint floor;             /* packets/s while nobody answers */
  RaSpan rtcp;             /* the interval of empty RRs, 0: none come */
  gdouble excess;          /* the encoder makes so many times what it is told */
  gdouble duplicate;       /* share of feedback that comes twice, */
  const gchar *copy;       /* the second time by this path */
  gint ppm;                /* by so much the receiver's clock is fast */
  guint16 seq;             /* of the first packet */
  RaTime begin;            /* of the sender's clock */
  /* as RaLinkSink's, for "trace" in `path`; NULL: none */
  gboolean (*load) (
      const gchar *name, gchar **text, gsize *length, GError **error);
} FaultsConfig;

/* A packet on the wire. */
typedef struct
{
  guint32 ssrc;
  guint16 seq;
  guint size;
  gboolean marker;
  RaSendTs ts;
} FaultsWire;

/* One that waits for the pacer. */
typedef struct
{
  guint size;
  gboolean marker;
  guint64 frame;
} FaultsItem;

typedef struct
{
  guint16 seq;
  RaTime arrival; /* RA_TIME_NONE: lost */
} FaultsRow;

typedef struct
{
  guint32 ssrc; /* it is about */
  guint8 radp[RA_RADP_SIZE_MAX], fci[RA_TFRC_FB_SIZE];
  gsize radp_size;
  GArray *rows; /* of FaultsRow; NULL: TFRC-FB */
} FaultsFeedback;

typedef struct
{
  const FaultsConfig *cfg;
  RaTime now; /* the true time */
  RaRng rng;
  gint64 here, there; /* what the two clocks are ahead of it */
  gboolean dead;      /* nothing gets onto the path or back */
  RaLink *path, *back, *copies;

  RaSender *sender;
  RaListener *listener;
  guint32 ssrc, old_ssrc; /* feedback about both is taken */
  guint64 index; /* of the next packet; its low 16 bits are its number */
  FaultsItem queue[FAULTS_QUEUE];
  guint64 queue_in, queue_out;
  guint64 queue_bytes, frame, dropped_frames;
  RaTime next_frame, next_rtcp;
  FaultsWire records[FAULTS_RECORDS];

  RaReporter *reporter; /* NULL: rows */
  RaTime tried;         /* to report */
  GArray *rows;
  RaSeq seq;
  guint64 next_row;

  /* counted */
  guint64 packets, bytes;         /* sent */
  guint64 arrived, arrived_bytes; /* at the receiver */
  guint64 lost;                   /* on the path */
  guint64 reports, heard[RA_N_HEARD];
  guint64 expected, told_arrived, told_lost;
  RaSpan backlog; /* the longest */
} Faults;

static inline void
faults_config_init (FaultsConfig *cfg)
{
  *cfg = (FaultsConfig){ .controller = "tfrc",
    .lda = "none",
    .path = "bottleneck rate=1M queue=100ms ! delay 25ms",
    .back = "delay 25ms",
    .min = 50000,
    .start = 300000,
    .max = 4000000,
    .packet = 1200,
    .excess = 1,
    .copy = "delay 25ms",
    .begin = 10 * 3600 * RA_SECOND };
}

/* --- the clocks ---------------------------------------------------------- */

static inline RaTime
faults_here (const Faults *w)
{
  return w->now + (RaTime) w->here;
}

static inline RaTime
faults_there (const Faults *w)
{
  return w->now + (RaTime) w->there
      + (RaTime) (gint64) ((gdouble) w->now * w->cfg->ppm * 1e-6);
}

/* The true time of a timer of the sender's. */
static inline RaTime
faults_from_here (const Faults *w, RaTime t)
{
  if (t == RA_TIME_NONE)
    return t;
  return ra_diff (t, (RaTime) w->here) > 0 ? t - (RaTime) w->here : 0;
}

/* Of the receiver's; rounded up, so that it is due then. */
static inline RaTime
faults_from_there (const Faults *w, RaTime t)
{
  gdouble span;

  if (t == RA_TIME_NONE)
    return t;
  span = (gdouble) ra_diff (t, (RaTime) w->there) / (1 + w->cfg->ppm * 1e-6);
  return span > 0 ? (RaTime) span + 2 : 0;
}

/* --- the receiver -------------------------------------------------------- */

static inline void
faults_feedback_free (FaultsFeedback *x)
{
  g_clear_pointer (&x->rows, g_array_unref);
  g_free (x);
}

static inline void
faults_feedback_push (Faults *w, RaLink *link, FaultsFeedback *x)
{
  if (w->dead)
    faults_feedback_free (x);
  else
    ra_link_push (link, &(RaLinkPacket){ .size = 100, .data = x }, w->now);
}

/* Takes `x`. */
static inline void
faults_feedback_send (Faults *w, FaultsFeedback *x)
{
  w->reports++;
  if (ra_rng_chance (&w->rng, w->cfg->duplicate)) {
    FaultsFeedback *copy = g_memdup2 (x, sizeof *x);

    if (x->rows)
      g_array_ref (x->rows);
    faults_feedback_push (w, w->copies, copy);
  }
  faults_feedback_push (w, w->back, x);
}

static inline void
faults_report (Faults *w)
{
  FaultsFeedback *x;
  RaTfrcFb fb;
  RaRadp radp;
  guint32 ssrc;

  w->tried = w->now;
  if (!ra_reporter_tfrc (w->reporter, faults_there (w), &fb, &radp, &ssrc))
    return;
  x = g_new0 (FaultsFeedback, 1);
  x->ssrc = ssrc;
  ra_tfrc_fb_write (&fb, x->fci, sizeof x->fci);
  x->radp_size = ra_radp_write (&radp, x->radp, sizeof x->radp);
  faults_feedback_send (w, x);
}

static inline RaTime
faults_next_report (const Faults *w)
{
  RaTime t
      = w->reporter ? ra_reporter_next_timeout (w->reporter) : RA_TIME_NONE;

  t = faults_from_there (w, t);
  return t == RA_TIME_NONE ? t : MAX (t, w->tried + RA_MSECOND);
}

/* What TWCC does: a row for every number up to the newest, lost or not. */
static inline void
faults_row (Faults *w, const FaultsWire *wire)
{
  FaultsRow row = { .seq = wire->seq };
  FaultsFeedback *x;
  guint64 seq;

  if (ra_seq_unwrap (&w->seq, wire->seq, &seq) == RA_SEQ_BAD)
    return;
  if (w->next_row == 0 || seq > w->next_row + RA_MAX_DROPOUT)
    w->next_row = seq;
  for (row.arrival = RA_TIME_NONE; w->next_row < seq; w->next_row++) {
    row.seq = (guint16) (wire->seq - (seq - w->next_row));
    g_array_append_val (w->rows, row);
  }
  row.seq = wire->seq;
  row.arrival = faults_there (w);
  row.arrival -= row.arrival % (RaTime) FAULTS_GRAIN;
  g_array_append_val (w->rows, row);
  w->next_row = MAX (w->next_row, seq + 1);
  if (!wire->marker)
    return;
  x = g_new0 (FaultsFeedback, 1);
  x->ssrc = wire->ssrc;
  x->rows = g_steal_pointer (&w->rows);
  w->rows = g_array_new (FALSE, FALSE, sizeof (FaultsRow));
  faults_feedback_send (w, x);
}

static inline void
faults_arrive (const RaLinkPacket *p, RaTime now, gpointer data)
{
  Faults *w = data;
  const FaultsWire *wire = &w->records[p->seq % FAULTS_RECORDS];
  RaWirePacket packet = { .ssrc = wire->ssrc,
    .seq = wire->seq,
    .size = wire->size,
    .number = -1,
    .send_ts = &wire->ts,
    .tos = -1 };

  w->now = now;
  w->arrived++;
  w->arrived_bytes += wire->size;
  packet.arrival = faults_there (w);
  if (!w->reporter)
    faults_row (w, wire);
  else if (ra_reporter_on_packet (w->reporter, &packet))
    faults_report (w);
}

static inline void
faults_lose (const RaLinkPacket *p, RaCause cause, const gchar *node,
    RaTime now, gpointer data)
{
  ((Faults *) data)->lost++;
}
