/* The sender's ear, inside: what its files share.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/feedback/ccfbnotes.h>
#include <gst/rtpadapt/feedback/ear.h>
#include <gst/rtpadapt/feedback/remoteclock.h>
#include <gst/rtpadapt/feedback/rtcp.h>
#include <gst/rtpadapt/feedback/twccalign.h>

G_BEGIN_DECLS

/* How many sender reports are remembered, because report blocks may still name
 * them.  Two per second leave while nobody answers. */
#define RA_EAR_REPORTS_MAX 64

/* Sender reports that left. */
typedef struct
{
  struct
  {
    guint32 lsr; /* the middle of its NTP time (RFC 3550 6.4.1) */
    RaTime sent;
  } sent[RA_EAR_REPORTS_MAX];
  guint n; /* so far */
} RaEarReports;

/* A compound, as far as it was read. */
typedef struct
{
  const guint8 *radp; /* its data, which waits for the TFRC-FB behind it */
  gsize radp_size;
  guint32 radp_ssrc;
  gboolean twcc_malformed;
  gboolean twcc_based; /* it has transport-wide feedback */
  guint16 twcc_base;   /* and this is the first number of it */
} RaEarCompound;

struct _RaEar
{
  RaSender *sender;
  RaLedger *ledger; /* the sender's */
  RaEarConfig cfg;
  RaListener *listener;
  RaEcn ecn;
  RaRemoteClock remote;
  RaTwccAlign align;
  RaCcfbNotes notes;
  RaEarReports reports;
  guint64 pushed;     /* index of the first packet whose push is not over */
  gboolean unstamped; /* a packet left without its send time */

  RaEarCompound compound; /* the latest */
  RaEarNews news;         /* since the owner last heard of it */
  const RaFeedbackOps *other, *wish;
  RaTakes takes;
  gboolean has_takes;
  RaRadpHold hold; /* what the receiver said last, if it did */
  gboolean has_hold;

  RaEarLoss losses[RA_EAR_LOSSES_MAX]; /* a ring */
  guint first_loss, n_losses;
  RaEarStats stats;
};

/* Feedback of a kind that is not in use. */
void ra_ear_hear_other (RaEar *e, const RaFeedbackOps *kind);
/* earblocks.c: report blocks of an SR or RR that begin at `at` in its body. */
void ra_ear_hear_blocks (
    RaEar *e, const RaRtcpPacket *packet, gsize at, RaTime now);

G_END_DECLS
