/* What happened in a run, event by event; scored and written when it is over.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Every function may be called from any thread.  Times are those of the
 * pipelines' clock.
 */
#pragma once

#include <tools/sim/run.h>

G_BEGIN_DECLS

typedef struct _Record Record;

Record *record_new (RaTime start, RaSpan warmup);
void record_free (Record *r);

/* An RTP packet entered the link: `size` on the wire, `media` bytes of the
 * encoder's in it, 0 in a repair packet. */
void record_sent (Record *r, guint16 seqnum, guint32 rtptime, guint size,
    guint media, RaTime now);
/* A media packet came to the depayloader, repaired or not. */
void record_came (Record *r, guint32 rtptime);
/* It left the link at the receiver's end. */
void record_arrived (Record *r, guint16 seqnum, guint size, RaTime now);
/* It died in the link; `cause` is the truth. */
void record_lost (Record *r, guint16 seqnum, RaCause cause, RaTime now);
/* What the LDA said of a lost packet. */
void record_verdict (
    Record *r, guint16 seqnum, RaCause verdict, RaCause truth, RaTime now);
/* Sampled a few times per second: bit/s; repair packets per 100. */
void record_rates (Record *r, guint64 capacity, guint64 estimated,
    guint64 encoder, guint fec, RaTime now);

/* Replays all into the library's score; fills the run's score, encoder_bps,
 * encoder_error, fec_overhead and residual_loss. */
void record_score (Record *r, RaTime end, RaRun *run);
/* "series": {...}, "losses": [...] appended to `out` as members. */
void record_write (Record *r, RaTime end, GString *out);

G_END_DECLS
