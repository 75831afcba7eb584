/* What rtpadaptsend does while nobody answers.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "outage.h"

/* The search for a packet with a marker lasts some frames.  Audio has no marker,
 * so any packet serves afterwards. */
#define CHOICE_MAX (250 * RA_MSECOND)
/* A peer that is silent for this long gets sender reports, and so often. */
#define SILENT RA_SECOND
#define ASK_INTERVAL (RA_SECOND / 2)

void
outage_start (Outage *o, RaTime now)
{
  *o = (Outage){ .answered = RA_TIME_NONE,
    .heard = now,
    .last_sent = RA_TIME_NONE,
    .probe_since = RA_TIME_NONE };
}

/* With twcc a stock rtpsession answers when it gets the last packet of a frame,
 * and a new receiver accepts a source after two packets in a row (RFC 3550 A.1).
 * So a packet with a marker and the packet after it are good probes. */
static gboolean
is_good (const Outage *o, const OutagePacket *p)
{
  return p->asks
      || (o->probe_ssrc == p->ssrc && (guint16) (o->probe_seq + 1) == p->seq);
}

gboolean
outage_take_probe (
    Outage *o, const OutagePacket *p, RaTime next_probe, RaTime now)
{
  if (next_probe > now)
    return FALSE;
  if (o->probe_since == RA_TIME_NONE)
    o->probe_since = now;
  if (!is_good (o, p) && ABS (ra_diff (now, o->probe_since)) < CHOICE_MAX)
    return FALSE;
  o->probe_since = RA_TIME_NONE;
  o->probe_ssrc = p->ssrc;
  o->probe_seq = p->seq;
  o->probes++;
  return TRUE;
}

SendWants
outage_on_ceased (Outage *o)
{
  o->ceased++;
  return SEND_REFRESH;
}

void
outage_on_stale (Outage *o, gboolean ends)
{
  o->stale++;
  o->stale_frames += ends ? 1 : 0;
}

SendWants
outage_on_answer (Outage *o, RaTime now)
{
  gboolean was_silent
      = o->answered != RA_TIME_NONE && ra_diff (now, o->answered) >= SILENT;

  o->answered = now;
  return was_silent ? SEND_REFRESH : SEND_WANTS_NOTHING;
}

void
outage_on_rtcp (Outage *o, RaTime now)
{
  o->heard = now;
}

void
outage_on_sent (Outage *o, RaTime now)
{
  o->last_sent = now;
}

RaTime
outage_next_ask (const Outage *o, gboolean is_open)
{
  RaTime t = o->ask_again;

  if (o->last_sent == RA_TIME_NONE)
    return RA_TIME_NONE;
  if (is_open)
    return t;
  t = MAX (t, ra_later (o->heard, SILENT));
  return t <= ra_later (o->last_sent, SILENT) ? t : RA_TIME_NONE;
}

RaSpan
outage_ask (Outage *o, RaTime now)
{
  o->ask_again = ra_later (now, ASK_INTERVAL);
  return ASK_INTERVAL;
}
