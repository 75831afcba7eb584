/* How much RTCP goes back, and to whom.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "answers.h"

#include "address.h"
#include "bucket.h"

#define HOST 16 /* bytes of an IPv6 address */

typedef struct
{
  guint8 address[HOST];
  gsize credit; /* bytes */
  guint earned; /* half packets */
  RaTime heard;
  RaTime proven; /* RA_TIME_NONE: never */
} Host;

struct _Answers
{
  Host hosts[ANSWERS_HOSTS];
  guint n;
  guint8 to[HOST]; /* whom the last answer was for */
  RaTime paid;     /* see bucket_pay() */
  guint64 dropped;
};

Answers *
answers_new (void)
{
  return g_new0 (Answers, 1);
}

void
answers_free (Answers *a)
{
  g_free (a);
}

/* Writes an IPv4 address after zeros.  FALSE: it is not an Internet address. */
static gboolean
address_bytes (GSocketAddress *address, guint8 bytes[HOST])
{
  const guint8 *from;
  gsize size;

  if (!is_inet (address))
    return FALSE;
  from = host_bytes (host_of (address), &size);
  memset (bytes, 0, HOST);
  memcpy (bytes + HOST - size, from, size);
  return TRUE;
}

static Host *
host_find (Answers *a, const guint8 *bytes)
{
  for (guint i = 0; i < a->n; i++) {
    if (memcmp (a->hosts[i].address, bytes, HOST) == 0)
      return &a->hosts[i];
  }
  return NULL;
}

/* It takes the place of another one if all are taken, but not of the one that answers go
 * to: sixteen strangers would keep them from it. */
static Host *
host_new (Answers *a, const guint8 *bytes)
{
  guint n = a->n;
  Host *place = n < ANSWERS_HOSTS ? &a->hosts[a->n++] : NULL;

  for (guint i = 0; n == ANSWERS_HOSTS && i < n; i++) {
    Host *host = &a->hosts[i];

    if (memcmp (host->address, a->to, HOST) != 0
        && (!place || host->heard < place->heard))
      place = host;
  }
  *place = (Host){ .proven = RA_TIME_NONE };
  memcpy (place->address, bytes, HOST);
  return place;
}

void
answers_heard (Answers *a, GSocketAddress *from, gsize size, gboolean authentic,
    RaTime now)
{
  guint8 bytes[HOST];
  Host *host;

  if (!address_bytes (from, bytes))
    return;
  host = host_find (a, bytes);
  if (!host)
    host = host_new (a, bytes);
  host->heard = now;
  host->credit = MIN (host->credit + size + ANSWERS_HEADERS, ANSWERS_KEEP);
  host->earned = MIN (host->earned + 1, 2 * ANSWERS_SAVED);
  if (authentic)
    host->proven = now;
}

static gboolean
pay (Answers *a, Host *host, gboolean feedback, RaTime now)
{
  const RaSpan each = RA_SECOND / ANSWERS_RATE;
  guint room = ANSWERS_BURST - (feedback ? 0 : ANSWERS_RESERVE);
  guint kept = feedback ? 0 : ANSWERS_SAVED; /* half packets: half of them */

  if (host->earned >= 2 + kept) {
    host->earned -= 2;
    return TRUE;
  }
  return bucket_pay (&a->paid, each, room * each, now);
}

gboolean
answers_may_leave (
    Answers *a, GSocketAddress *to, gsize size, gboolean feedback, RaTime now)
{
  guint8 bytes[HOST];
  gboolean known = address_bytes (to, bytes), proven;
  Host *host = known ? host_find (a, bytes) : NULL;

  if (known)
    memcpy (a->to, bytes, HOST);
  proven = host && host->proven != RA_TIME_NONE
      && ra_diff (now, host->proven) < ANSWERS_PROVEN;
  size += ANSWERS_HEADERS;
  if (!host || (!proven && host->credit < size)
      || !pay (a, host, feedback, now)) {
    a->dropped++;
    return FALSE;
  }
  if (!proven)
    host->credit -= size;
  return TRUE;
}

guint64
answers_dropped (const Answers *a)
{
  return a->dropped;
}
