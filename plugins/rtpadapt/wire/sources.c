/* How many SSRCs rtpsession gets to hear of, and how often each may report.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sources.h"

#include "bucket.h"
#include "peer.h"
#include "rtpmux.h"

#include <gst/rtpadapt/util/bytes.h>

typedef struct
{
  guint32 ssrc;
  RaTime heard;
  RaTime paid; /* see bucket_pay() */
} Source;

struct _Sources
{
  Source list[SOURCES_MAX];
  guint n;
  gboolean seen; /* transport-wide feedback came, the latest at `fed` */
  RaTime fed;
  guint16 newest; /* number that its feedback named */
  guint64 dropped;
};

Sources *
sources_new (void)
{
  return g_new0 (Sources, 1);
}

void
sources_free (Sources *sources)
{
  g_free (sources);
}

/* NULL if the table is full. */
static Source *
source_place (Sources *s, guint32 ssrc, RaTime now)
{
  Source *oldest = NULL;

  for (guint i = 0; i < s->n; i++) {
    Source *source = &s->list[i];

    if (source->ssrc == ssrc)
      return source;
    if (!oldest || source->heard < oldest->heard)
      oldest = source;
  }
  if (s->n < SOURCES_MAX)
    oldest = &s->list[s->n++];
  else if (ra_diff (now, oldest->heard) < PEER_STALE)
    return NULL;
  *oldest = (Source){ .ssrc = ssrc, .heard = now };
  return oldest;
}

typedef struct
{
  Sources *sources;
  RaTime now;
} Naming;

static gboolean
name_source (guint32 ssrc, gpointer data)
{
  const Naming *naming = data;
  Source *source = source_place (naming->sources, ssrc, naming->now);

  if (source)
    source->heard = naming->now;
  return source != NULL;
}

/* A source may be SOURCES_BURST units ahead of SOURCES_RATE. */
static gboolean
pay (Source *source, guint units, RaTime now)
{
  const RaSpan each = RA_SECOND / SOURCES_RATE;

  return bucket_pay (&source->paid, units * each, SOURCES_BURST * each, now);
}

/* The transport-wide feedback of a compound. */
typedef struct
{
  gboolean seen;
  guint16 newest, sent; /* numbers */
  guint packets;
} Twcc;

/* FALSE if the feedback is about numbers that have not left, or says nothing
 * new. */
static gboolean
hear_twcc (guint16 base, guint16 count, gpointer data)
{
  Twcc *twcc = data;
  guint16 last = (guint16) (base + count - 1);

  if (count == 0 || (gint16) (twcc->sent - last) < 0
      || (twcc->seen && (gint16) (last - twcc->newest) <= 0))
    return FALSE;
  twcc->seen = TRUE;
  twcc->newest = last;
  twcc->packets += count;
  return TRUE;
}

static gboolean
no_twcc (guint16 base, guint16 count, gpointer data)
{
  return FALSE;
}

gboolean
sources_rtcp_may_pass (
    Sources *s, const guint8 *data, gsize size, guint64 sent, RaTime now)
{
  Naming naming = { s, now };
  /* In an outage so many numbers may leave that later ones look earlier. */
  gboolean seen = s->seen && ra_diff (now, s->fed) < PEER_STALE;
  Twcc twcc = { seen, s->newest, (guint16) (sent - 1), 0 };
  Source *sender = source_place (s, ra_get_u32 (data + 4), now);

  if (sender
      && rtcp_name_twcc (data, size, sent > 0 ? hear_twcc : no_twcc, &twcc)
      && pay (sender,
          1 + twcc.packets / SOURCES_TWCC
              + rtcp_count_requests (data, size) / SOURCES_NACK,
          now)) {
    sender->heard = now;
    if (rtcp_name_sources (data, size, name_source, &naming)) {
      s->seen = twcc.seen;
      s->newest = twcc.newest;
      if (twcc.packets > 0)
        s->fed = now;
      return TRUE;
    }
  }
  s->dropped++;
  return FALSE;
}

gboolean
sources_rtp_may_pass (Sources *s, const guint8 *data, gsize size, RaTime now)
{
  Naming naming = { s, now };
  guint n = data[0] & 0x0f;

  for (guint i = 0; i < n; i++) {
    if (!name_source (ra_get_u32 (data + RA_RTP_HEADER + 4 * i), &naming)) {
      s->dropped++;
      return FALSE;
    }
  }
  return TRUE;
}

guint64
sources_dropped (const Sources *s)
{
  return s->dropped;
}
