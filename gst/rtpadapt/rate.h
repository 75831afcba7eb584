/* Rate control: how much may be sent?
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An algorithm is one file in rate/ that ends in one const RaRateOps named
 * ra_rate_NAME; its word in gst/rtpadapt/meson.build adds it everywhere.  The
 * base below holds the answer, the algorithm moves it; the wrappers keep the
 * laws (answer within [min, max], timeouts in the future) in one place.
 */
#pragma once

#include <gst/rtpadapt/registry.h>
#include <gst/rtpadapt/util/observe.h>

G_BEGIN_DECLS

/* What the receiver says, from its own mouth (feedback=tfrc) or worked out at
 * the sender from per-packet feedback. */
typedef struct
{
  RaSpan rtt;        /* R_sample of this report; > 0 */
  RaTime t_recvdata; /* send time of the last packet received */
  guint64 recv_rate; /* X_recv, bit/s */
  gdouble p;         /* loss event rate, wireless losses taken out */
  guint n_events;    /* new congestion loss events since the last report */
  guint expected;    /* packets that should have come since the last report */
  guint arrived;     /* packets that came since the last report */
  guint64 bytes;     /* of these packets; 0 where a peer does not say */
  guint skipped;     /* packets whose fate stays unknown, as feedback was lost;
                        not in `expected` */
  guint lost_congestion;
  guint lost_wireless;
  guint recovered; /* lost in an earlier report, and came after all; 0 where a
                      peer does not say.  For the guard */
  guint ce;        /* came with ECN congestion experienced, as far as known */
  RaSpan loss_age; /* how long before the packet of t_recvdata the newest
                      congestion loss or mark was due; 0 without one */
  guint wireless_runs;   /* holes that made up lost_wireless: its bursts */
  gboolean data_limited; /* whole interval, RFC 5348 8.2.1; set by the sender */
  RaSpan interval;       /* time between reports, smoothed; with per-packet
                            feedback a longer one counts at once.  0: not known,
                            or (tfrc) they come about once per R */
  RaSpan queue;          /* rott above its minimum: the queue, for controllers
                           with a delay target; RA_SPAN_NONE if unknown.  Of
                           the packet of t_recvdata; minimum of 120 s, without
                           the drift of the clocks (util/tripbase.h) */
  /* The lowest and the highest queue that this report's packets met: the last
   * one has waited for its own frame.  RA_SPAN_NONE where feedback is tfrc and the
   * peer's RADP ends before them (feedback/radp.h). */
  RaSpan queue_min, queue_max;
  /* The LDA's own estimate of the loss ratio of congestion, 0 to 1, if it makes one
   * (has_p_c). */
  gboolean has_p_c;
  gdouble p_c;
} RaReport;

/* A mark counts as a loss: RFC 3168 5, RFC 6679 7.3.3. */
static inline guint
ra_report_congestion (const RaReport *report)
{
  return report->lost_congestion + report->ce;
}

/* Limits; 0 < min <= start <= max is established by ra_rate_new(). */
typedef struct
{
  guint64 min, start, max; /* bit/s; start 0: the algorithm's own beginning */
  guint mss;               /* largest packet, bytes (W_init of RFC 5348 4.2) */
} RaRateConfig;

/* What holds a rate where it is.  Of several on the way from the controller to the
 * pacer it is the last one that changed the rate.  A controller's rate that equals
 * cfg.min or cfg.max was changed to it: nobody keeps what it was before. */
typedef enum
{
  /* The controller holds it: */
  RA_LIMIT_CONTROLLER, /* it gives no reason */
  RA_LIMIT_START,      /* no report came yet, or its rate still rises steeply */
  RA_LIMIT_SOURCE,     /* the source uses much less than it may (RFC 7661 3) */
  RA_LIMIT_QUEUE,      /* what was sent waits in a queue */
  RA_LIMIT_LOSS,       /* packets were lost to congestion */
  RA_LIMIT_COMPETITION, /* others keep the queue full: it sends as a TCP would */
  RA_LIMIT_POLICER,     /* the network drops what exceeds a rate */
  RA_LIMIT_MIN,         /* cfg.min */
  RA_LIMIT_MAX,         /* cfg.max */
  RA_LIMIT_UNANSWERED,  /* no report comes (RFC 5348 4.4) */
  /* The guard (safety/guard.h): */
  RA_LIMIT_LIES,         /* the peer lied lately */
  RA_LIMIT_FRIENDLINESS, /* the bound by a TCP's rate */
  RA_LIMIT_EVIDENCE,     /* a test whether the losses are the radio's */
  RA_LIMIT_FALLBACK, /* a breaker tripped: a tenth, and rising (RFC 8083 4.3) */
  RA_LIMIT_BREAKER,  /* a breaker is open (RFC 8083 4.5) */
  RA_N_LIMITS
} RaRateLimit;

/* The name above in small letters, as "queue". */
const gchar *ra_rate_limit_nick (RaRateLimit limit);

typedef struct
{
  guint64 bps;    /* bit/s */
  RaRateLimit by; /* what holds it there */
} RaLimited;

/* `most`, bit/s, holds the rate if that would be higher. */
static inline void
ra_limited_lower (RaLimited *rate, guint64 most, RaRateLimit by)
{
  if (most < rate->bps)
    *rate = (RaLimited){ most, by };
}

typedef struct _RaRate RaRate;
typedef struct _RaRateOps RaRateOps;

struct _RaRateOps
{
  RA_ALGORITHM;
  gboolean open_loop; /* a baseline: it answers neither loss nor silence */
  gboolean by_events; /* goes by the loss event rate, not by single losses */
  gboolean by_shares; /* goes by p_c of a report that has it */
  /* Laws of every controller that do not hold for this one: NULL, or why.
   * - If all times, its parameters' too, are twice as long, so is what it does.
   * - More loss on the same path never gives a higher rate. */
  const gchar *absolute, *crosses;
  void (*init) (RaRate *r, RaTime now);                /* optional */
  void (*on_sent) (RaRate *r, guint size, RaTime now); /* optional */
  void (*on_report) (RaRate *r, const RaReport *report, RaTime now);
  void (*on_timeout) (RaRate *r, RaTime now); /* optional */
  void (*observe) (const RaRate *r, RaObserve emit, gpointer data); /* opt. */
};

struct _RaRate
{
  const RaRateOps *ops;
  RaRateConfig cfg;  /* its min is not below the floor (ra_rate_set_floor()) */
  guint64 min;       /* the user's */
  guint64 bps;       /* the answer, bit/s; wrappers clamp it to [min, max] */
  guint64 before;    /* the rate before a silence, bit/s, which slow start may
                       reach again in spite of p; 0: not known */
  RaSpan rtt;        /* smoothed by .9 (RFC 5348 4.3 step 2), 0 until known */
  RaSpan interval;   /* of the latest report, 0: reports come once per R */
  gdouble s;         /* mean packet size, bytes (RFC 5348 4.1); mss at first */
  guint n_sizes;     /* packets that s is the mean of */
  gboolean unheard;  /* on_timeout ran since the latest report */
  gdouble radio;     /* share of all packets, lost and shown to be the radio's
                    (safety/evidence.h) */
  gboolean competes; /* with flows that keep a queue full: it is long then; set
                        by controllers that know */
  gboolean apart;    /* packets are lost, and may be so because they came close
                        behind others: they leave without a burst, and small
                        ones are paced with their headers; set by controllers
                        that know */
  RaRateLimit why;  /* the answer is not higher; set by controllers that know */
  gboolean rebased; /* the latest report showed a longer route, not a queue; set
                       by controllers that know */
  RaTime timeout;   /* when on_timeout wants to run, or RA_TIME_NONE */
  RaTime last_sent; /* RA_TIME_NONE before the first packet */
  /* All times in here go on where the caller's clock falls back. */
  RaTime latest;
  RaSpan ahead; /* of that clock */
};

/* All controllers, ended by NULL. */
extern const RaRateOps *const ra_rates[];

/* NULL if there is none of that name. */
static inline const RaRateOps *
ra_rate_find (const gchar *name)
{
  return (const RaRateOps *) ra_algorithm_find (
      (gconstpointer const *) ra_rates, name);
}

/* min above max: both become max (the caller warns); start is clamped.
 * NULL and `error` on bad params.  (transfer full): ra_rate_free(). */
RaRate *ra_rate_new (const RaRateOps *ops, const gchar *params,
    const RaRateConfig *cfg, RaTime now, GError **error);
void ra_rate_free (RaRate *r);
/* New limits while running. */
void ra_rate_set_config (RaRate *r, const RaRateConfig *cfg);
/* `to`, a new one, replaces `from`: the packets are the same.  `before` is the rate
 * before a silence, bit/s, 0: not known. */
void ra_rate_inherit (RaRate *to, const RaRate *from, guint64 before);
/* From now on the rate does not fall below `bps`, within cfg.max, until the next limits
 * or floor.  0: none but cfg.min. */
void ra_rate_set_floor (RaRate *r, guint64 bps);
/* The share of all packets that is shown to be lost to the radio. */
void ra_rate_set_radio (RaRate *r, gdouble radio);

/* A packet of `size` bytes left at `now`. */
void ra_rate_on_sent (RaRate *r, guint size, RaTime now);
/* A report with rtt <= 0 is ignored. */
void ra_rate_on_report (RaRate *r, const RaReport *report, RaTime now);
/* Feedback cannot have come yet: the timer does not expire before `until`. */
void ra_rate_postpone (RaRate *r, RaTime until);
/* Runs every timer that is due at `now`. */
void ra_rate_on_timeout (RaRate *r, RaTime now);

/* The allowed sending rate, bit/s. */
guint64 ra_rate_get (const RaRate *r);
/* The same, and what holds it there. */
RaLimited ra_rate_limited (const RaRate *r);
RaTime ra_rate_next_timeout (const RaRate *r);
void ra_rate_observe (const RaRate *r, RaObserve emit, gpointer data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RaRate, ra_rate_free)

G_END_DECLS
