/* A flow's two ends down to the bytes: what a packet carries, what the receiver
 * answers, and what the sender makes of that.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The sender's is RaEar.  The receiver is RaReporter (tfrc, ccfb), whose reports
 * go as RTCP compounds.  With twcc the answer is rtpsession's, so here it is the rows
 * that rtpsession gives: 16-bit numbers, and times in steps of 250 us.  No byte of it
 * knows more than the wire does.
 */
#pragma once

#include "sim.h"

#include <gst/rtpadapt/feedback/colourext.h>
#include <gst/rtpadapt/feedback/ear.h>
#include <gst/rtpadapt/feedback/reporter.h>

G_BEGIN_DECLS

#define SIM_SSRC 1
#define SIM_TWCC_GRAIN (250 * RA_USECOND)
/* A report and what goes in front of it fit one packet. */
#define SIM_RTCP_ROOM 1200

/* A packet as it leaves: what the receiver may know of it. */
typedef struct
{
  guint32 ssrc;
  guint16 seq;
  guint size;
  gboolean marker; /* a frame's last */
  guint8 send_ts[RA_SEND_TS_SIZE];
  gboolean has_colour;
  guint8 colour[RA_COLOUR_EXT_SIZE];
} SimHeader;

/* A colour of RA_MARK_NONE is left out. */
SimHeader sim_header_write (guint32 ssrc, guint64 seq, guint size,
    gboolean marker, const RaSendTs *ts, const RaColourExt *colour);

/* The receiver's answer. */
typedef struct
{
  guint8 rtcp[SIM_RTCP_ROOM + 100]; /* a compound; with twcc none */
  gsize len;
  GArray *rows; /* of SimTwccRow; NULL: bytes */
} SimReport;

typedef struct
{
  guint16 number;
  RaTime arrival; /* RA_TIME_NONE: lost */
} SimTwccRow;

/* (transfer full): sim_report_free(). */
SimReport *sim_report_copy (const SimReport *r);
void sim_report_free (SimReport *r);

typedef struct _SimWire SimWire;

/* Both ends of a flow; cfg->wire must not be NULL.  `sender` has to
 * outlive it.  NULL and `error` on bad parameters.  (transfer full):
 * sim_wire_free(). */
SimWire *sim_wire_new (const RaSimConfig *cfg, const RaSimFlow *own,
    RaSender *sender, GError **error);
void sim_wire_free (SimWire *w);
/* The receiver, for statistics; NULL with twcc. */
RaReporter *sim_wire_reporter (const SimWire *w);

RaEar *sim_wire_ear (const SimWire *w);

/* A packet leaves; `out` without its seq, which the ear counts. */
void sim_wire_send (
    SimWire *w, const RaOutgoing *out, const SimHeader *header, RaTime now);

/* Times at the receiver are on its own clock.  TRUE: a report is due at once. */
gboolean sim_wire_arrive (SimWire *w, const SimHeader *h, RaTime arrival);
/* When the next report is due without a packet; RA_TIME_NONE: never. */
RaTime sim_wire_next_report (const SimWire *w);
/* (transfer full); NULL: there is nothing to say. */
SimReport *sim_wire_report (SimWire *w, RaTime now);

/* At the sender. */
void sim_wire_hear (SimWire *w, const SimReport *r, RaTime now);

/* Another process at that end, which knows nothing of before.  The sender before has
 * to be there still. */
void sim_wire_restart_receiver (SimWire *w);
void sim_wire_restart_sender (SimWire *w, RaSender *sender);

G_END_DECLS
