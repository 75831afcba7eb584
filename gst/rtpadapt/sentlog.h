/* What was sent and when, until feedback speaks of it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define RA_SENT_MAX 16384 /* packets: 3 s at 5,000 packets/s */

typedef struct
{
  guint64 seq;
  RaTime sent; /* RA_TIME_NONE: nothing here */
  guint size;
  RaMark mark;
  gboolean waiting; /* only the pacer held the next packet back */
  gboolean arrived; /* feedback said so */
} RaSent;

typedef struct
{
  RaSent ring[RA_SENT_MAX];
  RaTime first; /* when the first packet was sent, RA_TIME_NONE: none was */
  guint64 next; /* one after the last seq */
} RaSentLog;

void ra_sent_log_init (RaSentLog *log);
/* The next packet; its seq is one more than the last. */
void ra_sent_log_add (RaSentLog *log, const RaSent *packet);
/* NULL if it was never sent, or too long ago. */
RaSent *ra_sent_log_find (RaSentLog *log, guint64 seq);
/* The latest; there must be one. */
const RaSent *ra_sent_log_last (const RaSentLog *log);
/* TRUE: in (t_old, t_new] one was sent while another waited for the pacer. */
gboolean ra_sent_log_waited (const RaSentLog *log, RaTime t_old, RaTime t_new);

G_END_DECLS
