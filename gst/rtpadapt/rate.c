/* Rate control: the laws that hold for every controller.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/defaults.h>
#include <gst/rtpadapt/rate.h>
#include <gst/rtpadapt/rate-list.inc>

#include <math.h>

/* s is the mean of the packets so far, then of about the last 256.  RFC 5348
 * 4.1 would have four loss intervals (SHOULD) or more (MAY); those know no end
 * where nothing is lost, while an encoder's sizes change with its rate.  256 is
 * four intervals at p = 1.6 %; the mean of 30..1200 bytes is good to 2 %.  Packets that
 * are sent into a silence do not count: they are few and small, and the rate after an
 * outage would be taken for half of what it is. */
#define S_PACKETS 256

const RaRateOps *const ra_rates[] = { RA_LIST };

const gchar *
ra_rate_limit_nick (RaRateLimit limit)
{
  static const gchar *const nicks[] = {
    [RA_LIMIT_CONTROLLER] = "controller",
    [RA_LIMIT_START] = "start",
    [RA_LIMIT_SOURCE] = "source",
    [RA_LIMIT_QUEUE] = "queue",
    [RA_LIMIT_LOSS] = "loss",
    [RA_LIMIT_COMPETITION] = "competition",
    [RA_LIMIT_POLICER] = "policer",
    [RA_LIMIT_MIN] = "min",
    [RA_LIMIT_MAX] = "max",
    [RA_LIMIT_UNANSWERED] = "unanswered",
    [RA_LIMIT_LIES] = "lies",
    [RA_LIMIT_FRIENDLINESS] = "friendliness",
    [RA_LIMIT_EVIDENCE] = "evidence",
    [RA_LIMIT_FALLBACK] = "fallback",
    [RA_LIMIT_BREAKER] = "breaker",
  };

  G_STATIC_ASSERT (G_N_ELEMENTS (nicks) == RA_N_LIMITS);
  return nicks[limit];
}

static RaRateConfig
config_valid (const RaRateConfig *cfg)
{
  RaRateConfig c = *cfg;

  c.max = MAX (c.max, 1);
  c.min = CLAMP (c.min, 1, c.max);
  if (c.start)
    c.start = CLAMP (c.start, c.min, c.max);
  if (c.mss == 0)
    c.mss = RA_DEFAULT_MSS;
  return c;
}

/* The controller's time.  It must never see a stored time in the future: it would
 * wait for that time, or take every loss until then for one that it has answered.
 * So where the clock goes back, the controller's time goes on. */
static RaTime
time_in (RaRate *r, RaTime now)
{
  RaTime in = ra_later (now, r->ahead);
  RaSpan back = ra_diff (r->latest, in);

  if (back > RA_CLOCK_BACK && back < G_MAXINT64 - r->ahead) {
    r->ahead += back;
    in = r->latest;
  }
  r->latest = in;
  return in;
}

/* Every call ends here: no timer due, the answer within its limits.  The
 * controller runs all that it has due in one on_timeout(); a caller that comes
 * late gets one expiry, not all that were missed. */
static void
settle (RaRate *r, RaTime now)
{
  if (r->timeout <= now) {
    r->timeout = RA_TIME_NONE;
    r->unheard = TRUE;
    if (r->ops->on_timeout)
      r->ops->on_timeout (r, now);
    if (r->timeout <= now)
      r->timeout = now + 1;
  }
  r->bps = CLAMP (r->bps, r->cfg.min, r->cfg.max);
}

/* What was due before what happens now; if both at once, the timer is last. */
static void
catch_up (RaRate *r, RaTime now)
{
  if (r->timeout < now)
    settle (r, now);
}

RaRate *
ra_rate_new (const RaRateOps *ops, const gchar *params, const RaRateConfig *cfg,
    RaTime now, GError **error)
{
  RaRate *r = g_malloc0 (ops->size);

  r->ops = ops;
  r->cfg = config_valid (cfg);
  r->min = r->cfg.min;
  r->bps = r->cfg.start;
  r->s = r->cfg.mss;
  r->timeout = r->last_sent = RA_TIME_NONE;
  r->latest = now;
  ra_params_init (r, ops->params);
  if (!ra_params_parse (r, ops->size, ops->params, params, error)) {
    g_free (r);
    return NULL;
  }
  if (ops->init)
    ops->init (r, now);
  settle (r, now);
  return r;
}

void
ra_rate_free (RaRate *r)
{
  g_free (r);
}

void
ra_rate_set_config (RaRate *r, const RaRateConfig *cfg)
{
  r->cfg = config_valid (cfg);
  r->min = r->cfg.min;
  r->bps = CLAMP (r->bps, r->cfg.min, r->cfg.max);
}

void
ra_rate_inherit (RaRate *to, const RaRate *from, guint64 before)
{
  to->s = from->s;
  to->n_sizes = from->n_sizes;
  to->last_sent = from->last_sent;
  if (to->last_sent != RA_TIME_NONE) /* in the caller's time */
    to->last_sent = ra_later (to->last_sent, -from->ahead);
  to->before = before;
}

void
ra_rate_set_floor (RaRate *r, guint64 bps)
{
  r->cfg.min = CLAMP (bps, r->min, r->cfg.max);
}

void
ra_rate_set_radio (RaRate *r, gdouble radio)
{
  r->radio = radio;
}

void
ra_rate_on_sent (RaRate *r, guint size, RaTime now)
{
  now = time_in (r, now);
  catch_up (r, now);
  if (!r->unheard || r->n_sizes == 0) {
    r->n_sizes = MIN (r->n_sizes + 1, S_PACKETS);
    r->s += (size - r->s) / r->n_sizes;
    r->s = MAX (r->s, 1);
  }
  r->last_sent = now;
  if (r->ops->on_sent)
    r->ops->on_sent (r, size, now);
  settle (r, now);
}

static gboolean
report_valid (const RaReport *report)
{
  return report->rtt > 0 && report->p >= 0 && report->p <= 1;
}

void
ra_rate_on_report (RaRate *r, const RaReport *report, RaTime now)
{
  RaReport in = *report;

  if (!report_valid (report))
    return;
  now = time_in (r, now);
  in.t_recvdata = ra_later (in.t_recvdata, r->ahead);
  catch_up (r, now);
  /* RFC 5348 4.3 step 2, q = 0.9 */
  r->rtt += r->rtt ? (report->rtt - r->rtt) / 10 : report->rtt;
  r->interval = MAX (report->interval, 0);
  r->unheard = FALSE;
  r->ops->on_report (r, &in, now);
  settle (r, now);
}

void
ra_rate_postpone (RaRate *r, RaTime until)
{
  /* RA_TIME_NONE is the largest */
  r->timeout = MAX (r->timeout, ra_later (until, r->ahead));
}

void
ra_rate_on_timeout (RaRate *r, RaTime now)
{
  settle (r, time_in (r, now));
}

guint64
ra_rate_get (const RaRate *r)
{
  return r->bps;
}

RaLimited
ra_rate_limited (const RaRate *r)
{
  RaLimited limited = { r->bps, r->why };

  if (r->unheard)
    limited.by = RA_LIMIT_UNANSWERED;
  else if (r->rtt == 0)
    limited.by = RA_LIMIT_START;
  else if (r->bps >= r->cfg.max)
    limited.by = RA_LIMIT_MAX;
  else if (r->bps <= r->cfg.min)
    limited.by = RA_LIMIT_MIN;
  return limited;
}

RaTime
ra_rate_next_timeout (const RaRate *r)
{
  return r->timeout == RA_TIME_NONE ? RA_TIME_NONE
                                    : ra_later (r->timeout, -r->ahead);
}

void
ra_rate_observe (const RaRate *r, RaObserve emit, gpointer data)
{
  if (r->ops->observe)
    r->ops->observe (r, emit, data);
}
