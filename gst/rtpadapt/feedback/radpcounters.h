/* RADP's counters since some report, held against what was sent.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/feedback/radp.h>

G_BEGIN_DECLS

typedef struct
{
  RaRadp radp;  /* the latest taken in */
  RaTime begun; /* when the first one came */
  guint64 sent; /* packets, when the counters stood as in the first one */
  guint64 late; /* of these as many may come after all */
  guint64 expected, arrived, congestion, wireless; /* since then */
  gint64 settled; /* unaccounted for good, and reported as losses */
} RaRadpCounters;

void ra_radp_counters_begin (RaRadpCounters *c, const RaRadp *radp,
    guint64 sent, guint64 late, RaTime now);
/* Takes `radp` in, and fills what TFRC-FB lacks of `report` with what happened
 * since the one before.  FALSE: they ran backwards, nothing is changed. */
gboolean ra_radp_counters_add (
    RaRadpCounters *c, const RaRadp *radp, RaReport *report);
/* FALSE: more arrived than `sent` packets.  A packet that came late may have
 * been counted as expected, as lost, and as arrived, so arrivals and losses
 * have a bound each. */
gboolean ra_radp_counters_were_sent (const RaRadpCounters *c, guint64 sent);
/* FALSE: more was lost than expected. */
gboolean ra_radp_counters_add_up (const RaRadpCounters *c);

G_END_DECLS
