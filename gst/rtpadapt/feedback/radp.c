/* Our RTCP APP packet "RADP": what TFRC-FB does not say.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/feedback/radp.h>

#include <gst/rtpadapt/feedback/stamp.h>
#include <gst/rtpadapt/lda.h>
#include <gst/rtpadapt/util/bytes.h>

#include <string.h>

#define VERSION 1
#define FIXED 52     /* bytes before the name */
#define EXTREMES 8   /* behind it */
#define HOLD_LEAST 8 /* of how long packets are held, without the least */
#define QUEUE_UNKNOWN G_MAXUINT32
#define BURST_UNIT 256.

static gsize
padded (gsize len)
{
  return (len + 3) & ~(gsize) 3;
}

/* It ends up in logs and structures. */
static gboolean
is_name (const gchar *name, gsize len)
{
  if (len > RA_RADP_LDA_MAX)
    return FALSE;
  for (gsize i = 0; i < len; i++)
    if (!g_ascii_isgraph (name[i]))
      return FALSE;
  return TRUE;
}

static guint32
burst_units (gdouble burst)
{
  if (!(burst > 0))
    return 0;
  return (guint32) MIN (burst * BURST_UNIT + .5, (gdouble) G_MAXUINT16);
}

static void
put_queue (guint8 *data, RaSpan queue)
{
  ra_put_u32 (data,
      queue == RA_SPAN_NONE ? QUEUE_UNKNOWN
                            : ra_to_usec (queue, QUEUE_UNKNOWN - 1));
}

static RaSpan
get_queue (const guint8 *data)
{
  guint32 queue = ra_get_u32 (data);

  return queue == QUEUE_UNKNOWN ? RA_SPAN_NONE : ra_from_usec (queue);
}

gsize
ra_radp_write (const RaRadp *x, guint8 *data, gsize len)
{
  gsize name = strnlen (x->lda, sizeof x->lda);
  gsize end = FIXED + padded (name), size = end + EXTREMES;

  if (len < size || !is_name (x->lda, name))
    return 0;
  data[0] = VERSION;
  data[1] = (guint8) name;
  ra_put_u16 (data + 2, burst_units (x->burst));
  ra_put_u32 (data + 4, x->t_i);
  ra_put_u32 (data + 8, x->expected);
  ra_put_u32 (data + 12, x->arrived);
  ra_put_u32 (data + 16, x->lost_congestion);
  ra_put_u32 (data + 20, x->lost_wireless);
  ra_put_u32 (data + 24, x->wireless_runs);
  ra_put_u32 (data + 28, x->n_events);
  ra_put_u32 (data + 32, x->t_lost);
  put_queue (data + 36, x->queue);
  ra_put_u32 (data + 40, ra_to_fraction (x->w));
  ra_put_u32 (data + 44, ra_to_fraction (x->p_c));
  ra_put_u32 (data + 48, ra_to_fraction (x->delayed));
  memset (data + FIXED, 0, padded (name));
  memcpy (data + FIXED, x->lda, name);
  put_queue (data + end, x->queue_min);
  put_queue (data + end + 4, x->queue_max);
  return size;
}

gboolean
ra_radp_read (RaRadp *x, const guint8 *data, gsize len)
{
  gsize end;

  if (len < FIXED || len % 4 != 0 || data[0] != VERSION
      || len < FIXED + padded (data[1])
      || !is_name ((const gchar *) data + FIXED, data[1]))
    return FALSE;
  end = FIXED + padded (data[1]);
  *x = (RaRadp){
    .burst = ra_get_u16 (data + 2) / BURST_UNIT,
    .t_i = ra_get_u32 (data + 4),
    .expected = ra_get_u32 (data + 8),
    .arrived = ra_get_u32 (data + 12),
    .lost_congestion = ra_get_u32 (data + 16),
    .lost_wireless = ra_get_u32 (data + 20),
    .wireless_runs = ra_get_u32 (data + 24),
    .n_events = ra_get_u32 (data + 28),
    .t_lost = ra_get_u32 (data + 32),
    .queue = get_queue (data + 36),
    .queue_min = RA_SPAN_NONE,
    .queue_max = RA_SPAN_NONE,
    .w = ra_from_fraction (ra_get_u32 (data + 40)),
    .p_c = ra_from_fraction (ra_get_u32 (data + 44)),
    .delayed = ra_from_fraction (ra_get_u32 (data + 48)),
  };
  memcpy (x->lda, data + FIXED, data[1]);
  if (len >= end + EXTREMES) {
    x->queue_min = get_queue (data + end);
    x->queue_max = get_queue (data + end + 4);
  }
  return TRUE;
}

void
ra_radp_hold_write (const RaRadpHold *x, guint8 *data)
{
  ra_put_u32 (data, ra_to_usec (x->now, G_MAXUINT32));
  ra_put_u32 (data + 4, ra_to_usec (x->most, G_MAXUINT32));
  ra_put_u32 (data + 8, ra_to_usec (x->least, G_MAXUINT32));
}

gboolean
ra_radp_hold_read (RaRadpHold *x, const guint8 *data, gsize len)
{
  if (len < HOLD_LEAST)
    return FALSE;
  x->now = MIN (ra_from_usec (ra_get_u32 (data)), RA_RADP_HOLD_MAX);
  x->most = MIN (ra_from_usec (ra_get_u32 (data + 4)), RA_RADP_HOLD_MAX);
  x->least = x->most;
  if (len >= RA_RADP_HOLD_SIZE)
    x->least = MIN (ra_from_usec (ra_get_u32 (data + 8)), x->most);
  return TRUE;
}

void
ra_radp_count (RaRadp *x, const RaReport *report)
{
  x->t_i = ra_stamp_us (report->t_recvdata);
  x->expected += report->expected;
  x->arrived += report->arrived;
  x->lost_congestion += report->lost_congestion;
  x->lost_wireless += report->lost_wireless;
  x->wireless_runs += report->wireless_runs;
  x->n_events += report->n_events;
  if (ra_report_congestion (report) > 0)
    x->t_lost = x->t_i - ra_to_usec (report->loss_age, G_MAXUINT32);
  x->queue = report->queue;
  x->queue_min = report->queue_min;
  x->queue_max = report->queue_max;
}

gboolean
ra_radp_since (const RaRadp *x, const RaRadp *before, RaReport *report)
{
  static const RaRadp zero = { 0 };
  const RaRadp *b = before ? before : &zero;
  guint32 expected = x->expected - b->expected;
  guint32 arrived = x->arrived - b->arrived;
  guint32 congestion = x->lost_congestion - b->lost_congestion;
  guint32 wireless = x->lost_wireless - b->lost_wireless;
  guint32 runs = x->wireless_runs - b->wireless_runs;
  guint32 events = x->n_events - b->n_events;
  const RaLdaOps *lda = ra_lda_find (x->lda);

  if ((expected | arrived | congestion | wireless | runs | events) > G_MAXINT32)
    return FALSE;
  if (runs > wireless) /* a run that goes on counts in the report it began in */
    return FALSE;
  report->expected = expected;
  report->arrived = arrived;
  report->lost_congestion = congestion;
  report->lost_wireless = wireless;
  report->wireless_runs = runs;
  report->n_events = events;
  report->loss_age
      = congestion > 0 || events > 0 ? ra_from_usec (x->t_i - x->t_lost) : 0;
  report->queue = x->queue;
  report->queue_min = x->queue_min;
  report->queue_max = x->queue_max;
  report->has_p_c = lda && lda->values;
  report->p_c = x->p_c;
  return TRUE;
}
