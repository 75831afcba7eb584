/* The ear for feedback=tfrc: TFRC-FB and RADP, believed only as far as what was sent
 * allows.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TFRC-FB and the RADP that comes with it (same t_i) become one RaReport.  RADP
 * comes first in the compound, so that both are there when TFRC-FB is heard; a
 * peer that sends only TFRC-FB, another implementation, is understood, too:
 * what arrived and what was lost are then worked out from p and what was sent.
 * The caller looks after whose report it is (SSRC, address).
 */
#pragma once

#include <gst/rtpadapt/feedback/radp.h>
#include <gst/rtpadapt/feedback/tfrcfb.h>
#include <gst/rtpadapt/rate.h>

G_BEGIN_DECLS

typedef enum
{
  RA_HEARD_OK,
  RA_HEARD_MALFORMED, /* the bytes */
  RA_HEARD_OLD,       /* repeated, or overtaken by a later one */
  RA_HEARD_UNSENT,    /* about a time at which nothing was sent, or more than
                         was sent: packets, bytes */
  RA_HEARD_FAST,      /* too many in too short a time */
  RA_HEARD_CONTRARY,  /* to itself or to time: losses and p = 0, an answer
                         before the question */
} RaHeard;
#define RA_N_HEARD 6

typedef struct _RaTfrcEar RaTfrcEar;

/* `ledger` has each packet that left, also repair; t_i is ra_stamp_us() of its send
 * time.  The ear only reads it while it hears.  (transfer full):
 * ra_tfrc_ear_free(). */
RaTfrcEar *ra_tfrc_ear_new (RaLedger *ledger);
void ra_tfrc_ear_free (RaTfrcEar *e);

/* The data of an APP packet RADP of the subtype RA_RADP_SUBTYPE. */
RaHeard ra_tfrc_ear_on_radp (
    RaTfrcEar *e, const guint8 *data, gsize len, RaTime now);
/* The FCI of a TFRC-FB.  RA_HEARD_OK: `report` and `t_delay` are filled, for
 * ra_sender_on_report(). */
RaHeard ra_tfrc_ear_on_tfrc (RaTfrcEar *e, const guint8 *fci, gsize len,
    RaTime now, RaReport *report, RaSpan *t_delay);

/* What the receiver reported last, for statistics.  NULL before the first. */
const RaRadp *ra_tfrc_ear_radp (const RaTfrcEar *e);

G_END_DECLS
