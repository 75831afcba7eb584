/* When a DTLS connection begins, is given up, or takes another one's place.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "dtlstry.h"

gboolean
dtls_try_may_send (const DtlsTry *t, gsize size)
{
  return t->keyed || t->out + size <= DTLS_AMPLIFY * t->in;
}

gboolean
dtls_try_may_replace (
    const DtlsTry *t, const DtlsCurrent *current, gboolean client, RaTime now)
{
  if (!t->keyed || t->failed)
    return FALSE;
  return !current || client || t->proven
      || ra_diff (now, current->heard) >= DTLS_SILENCE;
}

gboolean
dtls_try_is_over (
    const DtlsTry *t, const DtlsCurrent *current, gboolean client, RaTime now)
{
  if (t->failed)
    return TRUE;
  if (!client)
    return ra_diff (now, t->begun) >= DTLS_PATIENCE;
  if (t->heard != RA_TIME_NONE)
    return ra_diff (now, t->heard) >= (t->dubious ? DTLS_DOUBT : DTLS_ANSWERED);
  if (t->rival && ra_diff (now, t->begun) >= DTLS_ROOM)
    return TRUE;
  /* The peer still uses the current connection. */
  if (current && ra_diff (current->heard, t->begun) > 0)
    return TRUE;
  return ra_diff (now, t->begun) >= DTLS_UNANSWERED;
}

gboolean
dtls_current_is_over (const DtlsCurrent *current, RaTime now)
{
  return current->full && ra_diff (now, current->heard) >= DTLS_FULL;
}

gboolean
dtls_try_may_leave (const DtlsTry *t, RaTime now)
{
  return !t->keyed && ra_diff (now, t->begun) >= DTLS_ROOM;
}

gboolean
dtls_try_may_restart (const DtlsTry *t, RaTime now)
{
  return ra_diff (now, t->begun) >= DTLS_RESTART;
}

gboolean
dtls_try_says_hello (const DtlsTry *t, RaTime now)
{
  return (!t->replied || t->dubious) && !t->keyed
      && ra_diff (now, t->hello) >= DTLS_HELLO_AGAIN;
}

gboolean
dtls_client_begins (const DtlsCurrent *current, RaTime last, RaTime now)
{
  if (last != RA_TIME_NONE && ra_diff (now, last) < DTLS_BEGIN_AGAIN)
    return FALSE;
  if (!current)
    return TRUE;
  return current->sent != RA_TIME_NONE
      && ra_diff (current->sent, current->heard) > 0
      && ra_diff (now, current->heard) >= DTLS_DEAF
      && ra_diff (now, current->sent) < DTLS_DEAF;
}
