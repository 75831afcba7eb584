/* Who gets how much of the allowed rate.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/rate/split.h>

/* Packets over which sizes are averaged. */
#define PACKETS 256
/* A frame that is being paced out is no standing backlog (25 Hz and more); the
 * rest is drained within about a second. */
#define BACKLOG_FREE (40 * RA_MSECOND)
#define BACKLOG_DRAIN 1.0
#define DRAIN_MAX 0.5

static void
mean_add (gdouble *mean, gboolean first, gdouble value)
{
  *mean = first ? value : *mean + (value - *mean) / PACKETS;
}

void
ra_sizes_on_sent (RaSizes *sizes, guint size, guint media, gboolean repair)
{
  gdouble *kind = repair ? &sizes->repair : &sizes->packet;
  gboolean first = sizes->all <= 0;

  size = MAX (size, 1);
  mean_add (kind, *kind <= 0, size);
  mean_add (&sizes->all, first, size);
  mean_add (&sizes->packets, first, repair ? 0 : size);
  mean_add (&sizes->media, first, repair ? 0 : MIN (media, size));
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
  if (sizes->all > 0)
    sent = (sizes->all - sizes->packets) / MAX (sizes->packets, 1);
  return MAX (wanted, sent);
}

void
ra_split (const RaSizes *sizes, guint64 rate, gdouble rtcp, guint percentage,
    RaSpan backlog, RaSplit *out)
{
  gdouble standing = ra_seconds (MAX (backlog - BACKLOG_FREE, 0));
  gdouble drain = MIN (standing / BACKLOG_DRAIN, DRAIN_MAX);
  gdouble rtp = (gdouble) rate * (1 - rtcp);
  gdouble packets = rtp / (1 + repair_ratio (sizes, percentage));
  gdouble media = sizes->packets > 0 ? sizes->media / sizes->packets : 1;

  *out = (RaSplit){
    .media = (guint64) (packets * media * (1 - drain)),
    .fec = (guint64) (rtp - packets),
    .header = (guint64) (packets * (1 - media)),
    .rtcp = (guint64) ((gdouble) rate * rtcp),
  };
}
