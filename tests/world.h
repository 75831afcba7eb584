/* One flow in a world of its own: the simulator's (tools/sim/flow.h), a path there
 * and a path back, virtual time, and a hand that changes what travels.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * True time begins at 0.  A test runs the world for so long, reads what it counted,
 * and goes on.
 */
#pragma once

#include <tools/sim/flow.h>

typedef struct _World World;

typedef struct
{
  const RaFeedbackOps *wire;
  const gchar *controller, *lda; /* NULL: tfrc, none */
  const gchar *path, *back;      /* links; back NULL: delay 25ms */
  RaTime begin;                  /* the sender's clock when the world begins */
  guint64 first;                 /* number of the first packet */
  RaRateConfig rate;             /* its mss is the largest packet; 0: 1200 */
  gdouble cap;                   /* of RaSender; 0: none */
  gboolean breakers;
  RaSpan burst;
  guint floor;
  gdouble fps;       /* frames; 0: always a packet */
  gdouble excess;    /* they have so many times what they should; 0: 1 */
  RaSpan rtcp;       /* the receiver sends an empty RR so often; 0: never */
  gdouble duplicate; /* share of the reports that come twice, */
  const gchar *copy; /* the second time by this path; NULL: delay 25ms */
  gint ppm;          /* the receiver's clock is fast */
  /* The receiver is about to say that.  FALSE: it does not. */
  gboolean (*report) (World *w, SimReport *r);
  /* As RaLinkSink's, for "trace" in `path`; NULL: none. */
  gboolean (*load) (
      const gchar *name, gchar **text, gsize *length, GError **error);
} WorldConfig;

struct _World
{
  const WorldConfig *cfg;
  RaTime now; /* the true time */
  RaSimConfig sim;
  SimFlow *flow;
  RaLink *path, *back, *copies;
  RaRng rng;
  RaTime next_rtcp;
  gboolean dead; /* nothing gets onto the path, nor back */

  guint64 packets, bytes;         /* sent */
  guint64 arrived, arrived_bytes; /* at the receiver */
  guint64 lost;                   /* on the path */
  guint64 reports;                /* sent */
};

/* (transfer full): world_free().  `cfg` has to outlive it. */
World *world_new (const WorldConfig *cfg, guint64 seed);
void world_free (World *w);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (World, world_free)
void world_run (World *w, RaSpan span);
/* bit/s that arrive in the next `span`. */
gdouble world_goodput (World *w, RaSpan span);

/* Not for long: each is another one after a restart. */
RaSender *world_sender (const World *w);
const RaReporter *world_reporter (const World *w);
RaSenderStats world_stats (const World *w);
/* The sender's clock. */
RaTime world_here (const World *w);
