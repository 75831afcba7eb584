/* Sender, link and receiver in virtual time, with the library alone.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "run.h"

#include <gst/rtpadapt/link.h>
#include <gst/rtpadapt/sender.h>

G_BEGIN_DECLS

typedef struct
{
  const gchar *controller, *controller_params, *lda, *lda_params;
  const gchar *link; /* forward path of all flows together */
  guint flows;
  guint64 seed;
  RaSpan seconds, warmup;
  RaRateConfig rate;
  RaSpan feedback_delay;
  gdouble feedback_loss;
  /* FALSE: the receiver reports once per RTT (RFC 5348 6).  TRUE: it tells of
   * each packet, at the end of a frame (twcc), and the receiver of the library
   * runs at the sender. */
  gboolean per_packet;
  RaSpan grain;      /* resolution of the arrival times of per_packet */
  guint packet_size; /* bytes of RTP */
  guint overhead;    /* bytes the link counts on top (IP, UDP) */
  gdouble fps;       /* 0: the source always has data; else video frames */
  RaSpan idle_from, idle_until; /* the source has nothing to send in between */
  /* Optional: called about every `trace_interval` of virtual time. */
  void (*trace) (guint flow, const RaSender *sender, const RaLink *link,
      RaTime now, gpointer data);
  RaSpan trace_interval;
  gpointer trace_data;
} RaSimConfig;

/* What rtpadapt-sim runs when nothing else is said. */
void ra_sim_config_init (RaSimConfig *cfg);

/* Fills runs[cfg->flows].  FALSE and `error` on a bad name, parameter or
 * link. */
gboolean ra_sim_run (const RaSimConfig *cfg, RaRun *runs, GError **error);

G_END_DECLS
