/* Transport-wide feedback, draft-holmer-rmcat-transport-wide-cc-extensions-01:
 * is it all there?
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rtpsession reads it; but that of GStreamer 1.22 takes what is malformed for a
 * report, too, and reads beyond its end for that.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define RA_TWCC_FMT 15
/* The header extension that has the number of a packet. */
#define RA_TWCC_URI         \
  "http://www.ietf.org/id/" \
  "draft-holmer-rmcat-transport-wide-cc-extensions-01"

/* FALSE: there are fewer statuses than it says, or fewer deltas than statuses
 * that have one, or a status that the draft reserves. */
gboolean ra_twcc_fci_is_whole (const guint8 *fci, gsize len);

G_END_DECLS
