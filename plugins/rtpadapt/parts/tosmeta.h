/* The type-of-service octet that a packet came with: DSCP and ECN bits.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  GstMeta meta;
  guint8 tos; /* DSCP << 2 | ECN (RFC 2474, RFC 3168) */
} RtpAdaptTosMeta;

GType rtp_adapt_tos_meta_api_get_type (void);
const GstMetaInfo *rtp_adapt_tos_meta_get_info (void);

/* `buffer` must be writable. */
void rtp_adapt_buffer_add_tos (GstBuffer *buffer, guint8 tos);
/* -1 if it is not known. */
gint rtp_adapt_buffer_get_tos (GstBuffer *buffer);

G_END_DECLS
