/* One flow of the simulation: source, sender, receiver, feedback.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "wire.h"

G_BEGIN_DECLS

/* The receiver's clock is not the sender's. */
#define SIM_CLOCK_OFFSET (12345 * RA_SECOND)

typedef struct _SimFlow SimFlow;

/* How it travels. */
typedef struct
{
  /* A packet sets out; sim_flow_deliver() or sim_flow_drop() follows. */
  void (*packet) (const RaLinkPacket *lp, RaTime now, gpointer data);
  /* So does feedback of about `size` bytes of RTCP, and if it comes through,
   * sim_flow_feedback() follows; NULL: all does, after cfg->feedback_delay. */
  void (*feedback) (guint64 id, guint size, RaTime now, gpointer data);
  /* By bytes it is this one instead.  (transfer full); each time that it comes
   * through, sim_flow_hear() follows. */
  void (*report) (SimReport *r, guint size, RaTime now, gpointer data);
  gpointer data;
} SimPath;

/* NULL and `error` on a bad name or parameter.  (transfer full):
 * sim_flow_free(). */
SimFlow *sim_flow_new (
    const RaSimConfig *cfg, guint index, const SimPath *path, GError **error);
void sim_flow_free (SimFlow *f);

/* When sim_flow_run() has something to do. */
RaTime sim_flow_next (const SimFlow *f, RaTime now);
/* Does everything due at `now`; packets enter the link. */
void sim_flow_run (SimFlow *f, RaTime now);

/* What the path did with a packet, with feedback. */
void sim_flow_deliver (SimFlow *f, const RaLinkPacket *lp, RaTime now);
void sim_flow_drop (
    SimFlow *f, const RaLinkPacket *lp, RaCause cause, RaTime now);
/* A queue marked it (ECN); before it is delivered, and not by bytes. */
void sim_flow_mark (SimFlow *f, guint64 seq);
void sim_flow_feedback (SimFlow *f, guint64 id, RaTime now);
void sim_flow_hear (SimFlow *f, const SimReport *r, RaTime now);
void sim_flow_capacity (SimFlow *f, guint64 capacity, RaTime now);

/* By how much the clocks of both ends are ahead of the true time, and by how many
 * ppm the receiver's is fast.  They may be set at any time, by bytes only. */
typedef struct
{
  gint64 here, there;
  gint ppm;
} SimClocks;
SimClocks *sim_flow_clocks (SimFlow *f);
/* By bytes only.  Another process at that end, which knows nothing of before; the
 * sender's has another SSRC and goes on with any number.  The same sender with
 * another SSRC. */
void sim_flow_restart_receiver (SimFlow *f);
void sim_flow_restart_sender (SimFlow *f);
void sim_flow_change_ssrc (SimFlow *f);
/* NULL: not by bytes. */
RaEar *sim_flow_ear (const SimFlow *f);

gboolean sim_flow_is_on (const SimFlow *f, RaTime now);
/* `link` is left to whoever has one. */
RaSimView sim_flow_view (const SimFlow *f);
void sim_flow_result (const SimFlow *f, RaTime now, RaRun *run);

G_END_DECLS
