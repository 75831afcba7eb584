/* Which feedback rtpadaptrecv sends: what is set, where the packets allow it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Caps announce header extensions, but only packets show whether the sender
 * writes them.  Without them feedback=twcc and feedback=tfrc have nothing to
 * report.  Then RFC 8888 is sent, which needs no header extension, and an RTCP APP
 * packet names the kind that is set here to the sender, so that both sides can
 * warn.  (rtpsession 1.22 takes the id of transport-wide numbers only once, from
 * the map of payload types, so it cannot be made to answer in place of
 * feedback=tfrc.)
 *
 * `wanted` is the kind that is set, a value of the property `feedback`.
 */
#pragma once

#include "recvpackets.h"

G_BEGIN_DECLS

/* The header extensions that the packets had so far. */
typedef struct
{
  gboolean number, send_ts;
  gboolean judged; /* enough came to say which extensions are missing */
  gboolean second; /* an earlier sender was judged: nobody is warned twice */
  guint packets;
  RaTime since;      /* the first packet */
  RaTime last;       /* the latest packet with an extension */
  RaTime wish_again; /* when the sender may hear again what is set here */
} RecvKindSeen;

typedef enum
{
  RECV_KIND_NOTHING = 0,
  RECV_KIND_CHANGED = 1 << 0, /* recv_kind_choose() may say another */
  RECV_KIND_JUDGED = 1 << 1,  /* the moment to ask recv_kind_difference() */
} RecvKindNews;

/* The reports that the settings, the caps and the packets so far ask for. */
const RaFeedbackOps *recv_kind_choose (
    const RecvKindSeen *seen, gint wanted, const RecvIds *ids);
/* What to warn of where the caps lack what `wanted` needs, or NULL. */
const gchar *recv_kind_lack (gint wanted, const RecvIds *ids);
/* `ids` hold instead of `before`.  Where they differ, the packets so far say nothing of
 * those to come: their extensions were looked for by other ids, or not at all. */
void recv_kind_on_caps (
    RecvKindSeen *seen, const RecvIds *before, const RecvIds *ids);
/* A packet came, with a transport-wide number and a send time or without. */
RecvKindNews recv_kind_on_packet (
    RecvKindSeen *seen, gboolean number, gboolean send_ts, RaTime now);
/* What to warn of where `reports` rest on what `lda` says, and the packets lack what
 * it needs (transfer full), or NULL. */
gchar *recv_kind_lda_lack (
    const RaLdaOps *lda, const RaFeedbackOps *reports, const RecvIds *ids);

/* What to warn of where the sender seems to be set to another kind (transfer
 * full), or NULL. */
gchar *recv_kind_difference (
    const RecvKindSeen *seen, gint wanted, const RecvIds *ids);
/* The name of the kind that is set here, if the next RTCP packet is to name it to
 * the sender; else NULL.  `reports` is what is sent. */
const gchar *recv_kind_wish (
    RecvKindSeen *seen, gint wanted, const RaFeedbackOps *reports, RaTime now);
/* TRUE: the reports are made here, and not by rtpsession. */
gboolean recv_kind_is_ours (const RaFeedbackOps *reports);
/* What report_spacing() takes: `interval`, where these reports come at intervals. */
RaSpan recv_kind_interval (const RaFeedbackOps *reports, RaSpan interval);
/* TRUE: no report leaves without packets (RFC 5348 6.2). */
gboolean recv_kind_is_silent (const RaFeedbackOps *reports);
/* "twcc", "tfrc", "ccfb" or "none": what the sender gets. */
const gchar *recv_kind_nick (const RaFeedbackOps *reports, const RecvIds *ids);

G_END_DECLS
