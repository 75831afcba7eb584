/* The FEC encoder upstream, rtpadaptfecenc or rtpulpfecenc: finding it and setting
 * its level.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "lateness.h"

#include <gst/gst.h>
#include <gst/rtpadapt/fec.h>

G_BEGIN_DECLS

/* ms: the longest span that can be set. */
#define FECENC_SPAN_MAX 2000

/* Nothing was set yet. */
#define FECENC_UNSET G_MAXUINT

/* All of them upstream of `sinkpad`, none behind another, as
 * encoder_find_all_upstream(): in the pipeline, or before an aux sender in rtpbin.
 * (transfer full) (element-type GstElement): g_ptr_array_unref(). */
GPtrArray *fecenc_find_all_upstream (GstPad *sinkpad);
/* The nearest one behind a source pad.  (transfer full), or NULL. */
GstElement *fecenc_find_downstream (GstPad *srcpad);

/* The payload type of its repair packets.  -1: it has none, and makes no
 * packets whatever the percentage. */
gint fecenc_payload_type (GstElement *fecenc);

/* Sets repair packets per 100 media packets unless that was `last` (or
 * FECENC_UNSET), and more of them for key frames.  Returns what is set now,
 * 0..100.  May block while a frame's packets are made. */
guint fecenc_set (GstElement *fecenc, guint percentage, guint last);

/* The most time that what one repair packet repairs may take; for rtpadaptfecenc. */
void fecenc_set_span (GstElement *fecenc, RaSpan span);
/* The code to be used, if it has it; for rtpadaptfecenc. */
void fecenc_set_code (GstElement *fecenc, RaFecCode code);
/* Media packets in a block, on the mean of late, 0 before the first; its code. */
guint fecenc_block (GstElement *fecenc, RaFecCode *code);

/* The share of the packets that is lost for which no other repair comes in time, 0:
 * they get none; and the share of the others that stays missing whatever is sent again;
 * for rtpadaptfecenc. */
void fecenc_set_late_loss (GstElement *fecenc, gdouble loss, gdouble rest);

/* Watches what goes into `fecenc` for packets of key frames, so that they get
 * what fecenc_set() gives them, and for those that will be late by `lateness`.  Returns
 * what fecenc_unwatch() wants. */
gulong fecenc_watch (GstElement *fecenc, Lateness *lateness);
void fecenc_unwatch (GstElement *fecenc, gulong watch);

G_END_DECLS
