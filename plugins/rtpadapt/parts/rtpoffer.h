/* What the sink pad of an element for any RTP answers to a payloader.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Answers a query of caps at the sink pad `pad`; returns what the query function does.
 *
 * rtph264pay asks without a filter which profiles it may take.  "application/x-rtp"
 * without a profile-level-id is Baseline to it (RFC 6184 8.1), and an x264enc would leave
 * out CABAC; ANY leaves the profile to the encoder, as behind udpsink.  Where downstream
 * names an SSRC or no caps fit, where nothing is linked, which may be no RTP at all, and
 * within an rtpbin, as that of webrtcbin, where SDP settles the profile, the answer is that
 * of gst_pad_query_default(). */
gboolean rtp_offer_query (GstPad *pad, GstObject *parent, GstQuery *query);

G_END_DECLS
