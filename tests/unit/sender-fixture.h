/* A sender under test, with a controller and an LDA that tell what they hear.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "../rows.h"

#include <gst/rtpadapt/sender.h>

static guint64 probe_rate;      /* what the controller wants, bit/s */
static gboolean probe_apart;    /* and how, RaRate's `apart` */
static gboolean probe_competes; /* so RaRate says */
static RaRateLimit probe_why;
static RaReport probe_report; /* the last it got */
static GString *probe_heard;  /* " SEQ-LOSTbBYTES" that the LDA got */

static inline void
probe_init (RaRate *r, RaTime now)
{
  r->bps = r->cfg.start ? r->cfg.start : probe_rate;
}

static inline void
probe_on_report (RaRate *r, const RaReport *report, RaTime now)
{
  probe_report = *report;
  r->bps = probe_rate;
  r->apart = probe_apart;
  r->competes = probe_competes;
  r->why = probe_why;
}

static const RaRateOps probe_controller = {
  .name = "probe",
  .cite = "-",
  .size = sizeof (RaRate),
  .init = probe_init,
  .on_report = probe_on_report,
};

static inline RaCause
probe_on_packet (RaLda *lda, const RaArrival *a)
{
  g_string_append_printf (probe_heard, " %" G_GUINT64_FORMAT, a->seq);
  if (a->n_lost > 0)
    g_string_append_printf (probe_heard, "-%ub%u", a->n_lost, a->bytes_lost);
  return RA_CAUSE_CONGESTION;
}

static const RaLdaOps probe_lda = {
  .name = "probe",
  .cite = "-",
  .size = sizeof (RaLda),
  .on_packet = probe_on_packet,
};

typedef struct
{
  RaSender *sender;
  RaTime now;
  guint64 next; /* number to be sent */
} Fixture;

static inline void
fixture_begin (Fixture *f, const RaSenderConfig *cfg, RaTime now)
{
  GError *error = NULL;

  *f = (Fixture){ .sender = ra_sender_new (cfg, now, &error), .now = now };
  g_assert_no_error (error);
}

static inline void
fixture_start (Fixture *f, const RaSenderConfig *cfg)
{
  fixture_begin (f, cfg, 0);
}

static inline RaSenderStats
fixture_stats (const Fixture *f)
{
  RaSenderStats stats;

  ra_sender_get_stats (f->sender, &stats);
  return stats;
}

/* At 1 Mbit/s. */
static inline void
fixture_init (Fixture *f, RaSpan burst)
{
  RaSenderConfig cfg = { .controller = &probe_controller,
    .lda = &probe_lda,
    .rate = { .min = 1000, .max = 100000000, .mss = 1200 },
    .burst = burst };

  probe_rate = 1000000;
  probe_report = (RaReport){ 0 };
  probe_heard = g_string_new (NULL);
  fixture_start (f, &cfg);
  f->next = 100;
}

static inline void
fixture_clear (Fixture *f)
{
  ra_sender_free (f->sender);
  g_string_free (probe_heard, TRUE);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fixture, fixture_clear)

/* The next packet, a tenth of it is overhead. */
static inline void
fixture_send (Fixture *f, guint size, RaSentFlags flags)
{
  RaOutgoing p = {
    .seq = f->next++, .size = size, .media = size - size / 10, .flags = flags
  };

  ra_sender_on_sent (f->sender, &p, f->now);
}

static inline void
fixture_report (Fixture *f, RaTime t_recvdata, guint64 recv_rate)
{
  RaReport report = { .t_recvdata = t_recvdata, .recv_rate = recv_rate };

  g_assert_true (ra_sender_on_report (f->sender, &report, 0, f->now));
}
