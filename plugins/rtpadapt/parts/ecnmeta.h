/* The ECN field that a packet must leave with, on its way from the element that
 * decides it to the UDP sink.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>
#include <gst/rtpadapt/safety/ecn.h>

G_BEGIN_DECLS

typedef struct
{
  GstMeta meta;
  RaEcnField field;
} RtpAdaptEcnMeta;

GType rtp_adapt_ecn_meta_api_get_type (void);
const GstMetaInfo *rtp_adapt_ecn_meta_get_info (void);

/* Replaces what `buffer`, which must be writable, had. */
void rtp_adapt_buffer_set_ecn (GstBuffer *buffer, RaEcnField field);
/* RA_ECN_UNSAID if nobody decided. */
RaEcnField rtp_adapt_buffer_get_ecn (GstBuffer *buffer);

G_END_DECLS
