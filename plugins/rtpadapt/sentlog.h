/* What was sent lately, so that feedback and truth find it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packets have our own consecutive index.  rtpsession numbers them as they
 * pass, so that index = its number + a constant (modulo 2^16).  The constant
 * is 0 if it began with us; each row is checked against the time and the size
 * that rtpsession saw, and where they disagree the constant is found anew.
 */
#pragma once

#include "twcc.h"

G_BEGIN_DECLS

#define SENT_LOG_SIZE 16384 /* as many as RaSender remembers */

typedef struct
{
  guint64 index;
  RaTime sent;                /* our clock */
  GstClockTime before, after; /* the push, system clock; `after` NONE: not yet
                                 over */
  guint payload;              /* bytes */
  guint32 ssrc;
  guint16 seq;   /* RTP */
  RaCause truth; /* why it was lost, where somebody knows */
} SentPacket;

typedef struct
{
  SentPacket ring[SENT_LOG_SIZE];
  guint64 next;     /* index of the next packet */
  guint16 constant; /* index - TWCC number */
  gboolean checked; /* the constant was confirmed by at least one row */
} SentLog;

void sent_log_init (SentLog *log);
/* `p` gets the next index and a copy goes to the log, which is returned. */
SentPacket *sent_log_add (SentLog *log, const SentPacket *p);
/* NULL if it was never sent or is too old. */
SentPacket *sent_log_find (SentLog *log, guint64 index);
/* The latest packet with these RTP numbers, or NULL. */
SentPacket *sent_log_find_rtp (SentLog *log, guint32 ssrc, guint16 seq);

/* Makes sure that the constant fits the rows of one event.  TRUE if it had
 * been confirmed before and had to be changed: rtpsession and we disagreed. */
gboolean sent_log_align (SentLog *log, const GArray *rows);
/* The packet a row speaks of; NULL if none, or if the row contradicts it. */
const SentPacket *sent_log_map (SentLog *log, const TwccRow *row);

G_END_DECLS
