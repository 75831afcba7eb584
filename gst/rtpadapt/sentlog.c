/* What was sent and when, until feedback speaks of it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/sentlog.h>

void
ra_sent_log_init (RaSentLog *log)
{
  for (guint i = 0; i < RA_SENT_MAX; i++)
    log->ring[i].sent = RA_TIME_NONE;
  log->first = RA_TIME_NONE;
  log->next = 0;
}

void
ra_sent_log_add (RaSentLog *log, const RaSent *packet)
{
  log->first = MIN (log->first, packet->sent); /* a clock may go back */
  log->ring[packet->seq % RA_SENT_MAX] = *packet;
  log->next = packet->seq + 1;
}

static gboolean
holds (const RaSentLog *log, guint64 seq)
{
  const RaSent *p = &log->ring[seq % RA_SENT_MAX];

  return p->sent != RA_TIME_NONE && p->seq == seq;
}

guint
ra_sent_log_after (const RaSentLog *log, RaTime t)
{
  guint n = 0;

  for (guint64 seq = log->next; seq-- > 0 && holds (log, seq); n++) {
    if (log->ring[seq % RA_SENT_MAX].sent / RA_USECOND <= t / RA_USECOND)
      break;
  }
  return n;
}

RaSent *
ra_sent_log_find (RaSentLog *log, guint64 seq)
{
  return holds (log, seq) ? &log->ring[seq % RA_SENT_MAX] : NULL;
}

const RaSent *
ra_sent_log_last (const RaSentLog *log)
{
  return &log->ring[(log->next - 1) % RA_SENT_MAX];
}

gboolean
ra_sent_log_waited (const RaSentLog *log, RaTime t_old, RaTime t_new)
{
  for (guint64 seq = log->next; seq-- > 0 && holds (log, seq);) {
    const RaSent *p = &log->ring[seq % RA_SENT_MAX];

    if (p->sent <= t_old)
      return FALSE;
    if (p->sent <= t_new && p->waiting)
      return TRUE;
  }
  return FALSE;
}

void
ra_moments_init (RaMoments *m)
{
  m->n = m->packets = m->bytes = 0;
}

static const RaMoment *
moment (const RaMoments *m, guint64 i)
{
  return &m->ring[i % RA_SENT_MAX];
}

gboolean
ra_moments_add (RaMoments *m, guint size, RaTime now)
{
  RaMoment *last = m->n > 0 ? &m->ring[(m->n - 1) % RA_SENT_MAX] : NULL;
  gboolean back = last && now < last->at;

  if (back)
    m->n = 0;
  if (m->n > 0 && now / RA_USECOND == last->at / RA_USECOND)
    last->at = now;
  else
    m->ring[m->n++ % RA_SENT_MAX] = (RaMoment){ now, m->packets, m->bytes };
  m->packets++;
  m->bytes += size;
  return !back;
}

/* The first in the microsecond of `t` or later; m->n if there is none. */
static guint64
moment_from (const RaMoments *m, RaTime t)
{
  guint64 low = m->n - MIN (m->n, RA_SENT_MAX), high = m->n;

  while (low < high) {
    guint64 middle = low + (high - low) / 2;

    if (moment (m, middle)->at / RA_USECOND < t / RA_USECOND)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const RaMoment *
ra_moments_find (const RaMoments *m, RaTime t)
{
  guint64 i = moment_from (m, t);

  return i < m->n && moment (m, i)->at / RA_USECOND == t / RA_USECOND
      ? moment (m, i)
      : NULL;
}

const RaMoment *
ra_moments_next (const RaMoments *m, const RaMoment *x)
{
  guint64 i = moment_from (m, x->at) + 1;

  return i < m->n ? moment (m, i) : NULL;
}

guint64
ra_moments_packets (const RaMoments *m, RaTime t)
{
  guint64 i = moment_from (m, ra_later (t, RA_USECOND));

  return i < m->n ? moment (m, i)->packets : m->packets;
}
