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
  if (log->first == RA_TIME_NONE)
    log->first = packet->sent;
  log->ring[packet->seq % RA_SENT_MAX] = *packet;
  log->next = packet->seq + 1;
}

static gboolean
holds (const RaSentLog *log, guint64 seq)
{
  const RaSent *p = &log->ring[seq % RA_SENT_MAX];

  return p->sent != RA_TIME_NONE && p->seq == seq;
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
