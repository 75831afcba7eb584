/* The sender's ear: what it gives to a kind of feedback, and what comes back.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/feedback/ear.h>
#include <gst/rtpadapt/feedback/remoteclock.h>
#include <gst/rtpadapt/ledger.h>

G_BEGIN_DECLS

struct _RaHearing
{
  RaSender *sender;
  RaLedger *ledger; /* the sender's */
  const RaEarConfig *cfg;
  RaEcn *ecn;
  RaRemoteClock *remote; /* the clock of the peer that reports */
  gboolean stamped;      /* all packets left with their send time */
  const guint8 *radp;    /* the RADP in front of the feedback, of the same SSRC;
                            NULL: there is none, or it was heard */
  gsize radp_size;

  /* What became of it. */
  RaEarStats *stats; /* it is counted there */
  RaEarNews news;    /* zero at first */
};

G_END_DECLS
