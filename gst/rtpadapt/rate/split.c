/* Who gets how much of the allowed rate.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/rate/split.h>

/* Packets over which sizes are averaged. */
#define PACKETS 256
/* A frame that is being paced out does not count as a standing backlog: on the mean
 * half of it is left, 20 ms at 25 Hz.  The encoder gives way by a tenth of the rest in each of
 * 30 frames a second: after RFC 8698 5.2.2, BETA_V 8 buffer_len FPS, BETA_V .1 and FPS 30.
 * The RFC takes at most 5 % of the rate so, and sends faster than the rate (r_send).  Here
 * nothing else drains the backlog, so half is the most. */
#define BACKLOG_FREE (20 * RA_MSECOND)
#define BACKLOG_DRAIN ((RaSpan) (RA_SECOND / (.1 * 30)))
#define DRAIN_MAX 0.5

/* The n-th value; a mean of all while they are few, so that the first (often a
 * parameter set of some bytes) weighs no more than others. */
static void
mean_add (gdouble *mean, guint n, gdouble value)
{
  *mean += (value - *mean) / n;
}

static guint
count (guint *n)
{
  return *n = MIN (*n + 1, PACKETS);
}

void
ra_sizes_on_sent (RaSizes *sizes, guint size, guint media, gboolean repair)
{
  guint n = count (&sizes->n);

  size = MAX (size, 1);
  mean_add (&sizes->all, n, size);
  mean_add (&sizes->packets, n, repair ? 0 : size);
  mean_add (&sizes->media, n, repair ? 0 : MIN (media, size));
  if (repair)
    mean_add (&sizes->repair, count (&sizes->n_repair), size);
  else
    mean_add (&sizes->packet, count (&sizes->n_packet), size);
}

/* Bytes of repair per byte of media packets: what is wanted, or what was sent
 * (by an FEC encoder of its own mind) if that is more. */
static gdouble
repair_ratio (const RaSizes *sizes, guint percentage)
{
  gdouble wanted = percentage / 100.0, sent = 0;

  /* A repair packet is as long as the longest it protects (RFC 5109 7.4);
   * before the first one it counts as a mean one. */
  if (sizes->packet > 0 && sizes->repair > 0)
    wanted *= sizes->repair / sizes->packet;
  if (sizes->packets > 0)
    sent = (sizes->all - sizes->packets) / sizes->packets;
  return MAX (wanted, sent);
}

/* Of `rate`, rounded down; NaN counts as nothing. */
static guint64
share (guint64 rate, gdouble part)
{
  gdouble bps = (gdouble) rate * part;

  if (!(bps > 0))
    return 0;
  return bps < (gdouble) rate ? (guint64) bps : rate;
}

void
ra_split (const RaSizes *sizes, guint64 rate, guint percentage, RaSpan backlog,
    RaSpan within, RaSplit *out)
{
  RaSpan standing = MAX (backlog, BACKLOG_FREE) - BACKLOG_FREE;
  RaSpan time = within == RA_SPAN_NONE ? BACKLOG_DRAIN
                                       : CLAMP (within, 1, BACKLOG_DRAIN);
  gdouble drain = MIN (ra_seconds (standing) / ra_seconds (time), DRAIN_MAX);
  gdouble media = sizes->packets > 0 ? sizes->media / sizes->packets : 1;
  guint64 packets; /* what media packets may take */

  /* Each takes its own from what is left, so that no rounding adds to it. */
  packets = share (rate, 1 / (1 + repair_ratio (sizes, percentage)));
  out->fec = rate - packets;
  out->media = share (packets, media);
  out->header = packets - out->media;
  out->media = share (out->media, 1 - drain);
}

void
ra_split_other (RaSplit *split, guint64 rate, guint64 other)
{
  guint64 left = rate - MIN (other, rate);
  gdouble part = rate > 0 ? (gdouble) left / (gdouble) rate : 0;

  split->media = share (split->media, part);
  split->fec = share (split->fec, part);
  split->header = share (split->header, part);
}
