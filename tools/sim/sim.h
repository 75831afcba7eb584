/* Sender, link and receiver in virtual time, with the library alone.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "run.h"

#include <gst/rtpadapt/colour.h>
#include <gst/rtpadapt/link.h>
#include <gst/rtpadapt/defaults.h>
#include <gst/rtpadapt/feedback/reporter.h>
#include <gst/rtpadapt/sender.h>

G_BEGIN_DECLS

/* Names of algorithms and their parameters (NULL: the defaults). */
typedef struct
{
  const gchar *controller, *controller_params;
  const gchar *lda, *lda_params;
  const gchar *fec, *fec_params;
  const gchar *colour, *colour_params;
  RaSpan start, stop; /* stop 0: until the end */
} RaSimFlow;

typedef struct _RaSimView RaSimView;

typedef struct
{
  RaSimFlow flow; /* all flows are like this one, */
  const RaSimFlow *mix;
  guint n_mix;       /* unless there is a mix: flow i is mix[i % n_mix] */
  const gchar *link; /* forward path of all flows together */
  guint flows;
  guint64 seed;
  RaSpan seconds, warmup;
  RaRateConfig rate;
  gdouble friendliness_cap; /* 0: none */
  gboolean breakers;
  RaSpan burst; /* as RaSenderConfig's, */
  guint floor;  /* packets/s while nobody answers; 0: none */
  RaSpan feedback_delay;
  gdouble feedback_loss;
  /* FALSE: the receiver reports once per RTT (RFC 5348 6).  TRUE: it reports
   * each packet, at the end of a frame (twcc), and the receiver of the library
   * runs at the sender. */
  gboolean per_packet;
  /* The two ends talk by the bytes of this kind (wire.h), which then decides, not
   * per_packet.  NULL: by structs, exactly: no number is rounded or wraps. */
  const RaFeedbackOps *wire;
  guint64 first;     /* number of a flow's first packet */
  RaTime begin;      /* by bytes: the sender's clock when all begins */
  RaSpan grain;      /* resolution of the arrival times of per_packet */
  guint packet_size; /* bytes of RTP */
  guint overhead;    /* bytes the link counts on top (IP, UDP) */
  gdouble fps;       /* 0: the source always has data; else video frames */
  gboolean mpeg;     /* of I, P and B frames; else all are alike */
  gdouble excess;    /* by bytes: frames have so many times what they should */
  RaSpan idle_from, idle_until; /* the source has nothing to send in between */
  /* Optional: called about every `trace_interval` of virtual time. */
  void (*trace) (const RaSimView *view, RaTime now, gpointer data);
  RaSpan trace_interval;
  gpointer trace_data;
} RaSimConfig;

/* A flow as the tracer sees it. */
struct _RaSimView
{
  guint flow;
  const RaSimFlow *cfg;
  const RaSender *sender;
  const RaReceiver *receiver; /* NULL: it runs in the sender, or in */
  const RaReporter
      *reporter; /* the one who answers by bytes; NULL: none does */
  const RaColour *colour;
  const RaLink *link; /* NULL: the path is somebody else's */
};

/* What rtpadapt-sim runs when nothing else is said. */
void ra_sim_config_init (RaSimConfig *cfg);

/* Fills runs[cfg->flows].  FALSE and `error` on a bad name, parameter or
 * link. */
gboolean ra_sim_run (const RaSimConfig *cfg, RaRun *runs, GError **error);

/* All values that the algorithms and the link emit, in a stable order. */
void ra_sim_observe (const RaSimView *view, RaObserve emit, gpointer data);

G_END_DECLS
