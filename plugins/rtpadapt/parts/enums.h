/* GEnum types made from the library's registries.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Values index ra_rates[], ra_ldas[], ra_fecs[], ra_colours[]; nick = name,
 * name = when to take it, and the citation. */
#define GST_TYPE_RTP_ADAPT_CONTROLLER (gst_rtp_adapt_controller_get_type ())
GType gst_rtp_adapt_controller_get_type (void);

#define GST_TYPE_RTP_ADAPT_LDA (gst_rtp_adapt_lda_get_type ())
GType gst_rtp_adapt_lda_get_type (void);

#define GST_TYPE_RTP_ADAPT_FEC (gst_rtp_adapt_fec_get_type ())
GType gst_rtp_adapt_fec_get_type (void);

#define GST_TYPE_RTP_ADAPT_COLOUR (gst_rtp_adapt_colour_get_type ())
GType gst_rtp_adapt_colour_get_type (void);

/* Values are places in ra_feedbacks[]. */
#define GST_TYPE_RTP_ADAPT_FEEDBACK (gst_rtp_adapt_feedback_get_type ())
GType gst_rtp_adapt_feedback_get_type (void);

/* Values are RaEcnField's. */
#define GST_TYPE_RTP_ADAPT_ECN (gst_rtp_adapt_ecn_get_type ())
GType gst_rtp_adapt_ecn_get_type (void);

/* Values are RaFecCode's, but for RA_FEC_CODE_FRAME. */
#define GST_TYPE_RTP_ADAPT_FEC_CODE (gst_rtp_adapt_fec_code_get_type ())
GType gst_rtp_adapt_fec_code_get_type (void);

/* The same, and one that leaves the choice of the code. */
#define GST_RTP_ADAPT_FEC_AUTO (-1)
#define GST_TYPE_RTP_ADAPT_FEC_CHOICE (gst_rtp_adapt_fec_choice_get_type ())
GType gst_rtp_adapt_fec_choice_get_type (void);

/* Between messages with statistics; a GstSystemClock (1.22) that waits for some
 * centuries does so busily. */
#define GST_RTP_ADAPT_STATS_INTERVAL_MAX (24 * 3600 * GST_SECOND)

/* The value of `nick`, or the first one if there is none of that nick. */
gint gst_rtp_adapt_enum_value (GType type, const gchar *nick);

G_END_DECLS
