/* What rtpadaptsend warns of: what happened, and what to do about it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each function adds one warning, or as many as there are bits, to `n`.  A kind of
 * feedback is NULL where there are receiver reports alone.
 */
#pragma once

#include "feedbackmode.h"
#include "parts/notices.h"

#include <gst/rtpadapt/colour.h>
#include <gst/rtpadapt/lda.h>
#include <gst/rtpadapt/rate.h>
#include <gst/rtpadapt/safety/breaker.h>
#include <gst/rtpadapt/safety/ecn.h>

G_BEGIN_DECLS

/* `wanted` lacks something, and `kind` is used instead. */
void warn_of_lacks (Notices *n, ModeLacks lacks, const RaFeedbackOps *wanted,
    const RaFeedbackOps *kind);
/* The settings of the two sides differ, as `what` says: mode_difference(). */
void warn_of_difference (Notices *n, const gchar *what,
    const RaFeedbackOps *wanted, const RaFeedbackOps *kind);
/* A breaker tripped; nothing if the state is RA_BREAKER_CLOSED. */
void warn_of_breaker (Notices *n, RaBreakerState state, RaBreakerTrip trip,
    const RaFeedbackOps *kind);
/* The receiver lies. */
void warn_of_lies (Notices *n);
/* ECN is not used though it was wanted: `wanted` does not say how packets came;
 * or the path, or the receiver, does not bear it. */
void warn_of_ecn_unheard (Notices *n, const RaFeedbackOps *wanted);
void warn_of_ecn_failed (Notices *n, RaEcnFault fault);
/* Packets were lost, and nobody has said why, although `lda` goes by that. */
void warn_of_no_truth (Notices *n, const RaLdaOps *lda);

/* The caps are of H.264 with more than 4:2:0 and 8 bits: `video/x-raw,format=I420` before
 * the encoder is missing. */
gboolean caps_have_rare_chroma (const GstCaps *caps);
void warn_of_chroma (Notices *n);

/* Buffers are dropped that are not RTP. */
void warn_of_not_rtp (Notices *n);
/* All frames have the same timestamp. */
void warn_of_alike (Notices *n);
/* Frames come before their time, and some are dropped. */
void warn_of_early (Notices *n);
/* The session numbers packets that did not leave the element of that name, too. */
void warn_of_realigned (Notices *n, const gchar *name);
/* The pictures of the encoder of that name cannot be made smaller. */
void warn_of_too_large (Notices *n, const gchar *encoder);
/* The property counts from the next start on. */
void warn_of_late_setting (Notices *n, const gchar *property);
/* What is wrong with a setting (transfer full); NULL: nothing. */
void warn_of_setting (Notices *n, gchar *text);

/* For warn_of_setting(): `lda` does not go with `rate`, or needs colours where
 * `colour` gives none (transfer full); or NULL. */
gchar *warning_of_pair (
    const RaLdaOps *lda, const RaColourOps *colour, const RaRateOps *rate);

G_END_DECLS
