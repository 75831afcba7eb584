/* What the picture loses with a packet, read from its RTP payload.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* Rising; a layer between BASE and TOP is written as a number between them. */
typedef enum
{
  RA_IMPORTANCE_UNKNOWN = 0,
  RA_IMPORTANCE_TOP = 1,        /* nothing refers to it */
  RA_IMPORTANCE_BASE = 8,       /* all later pictures may refer to it */
  RA_IMPORTANCE_KEY = 9,        /* of a key frame */
  RA_IMPORTANCE_PARAMETERS = 10 /* nothing can be decoded without it */
} RaImportance;

typedef enum
{
  RA_CODEC_NONE, /* content is not looked at */
  RA_CODEC_H264,
  RA_CODEC_H265,
  RA_CODEC_VP8,
  RA_CODEC_VP9
} RaCodec;

/* By the encoding-name of the RTP caps ("H264", ...), any case. */
RaCodec ra_codec_find (const gchar *encoding_name);

/* `payload` of one RTP packet.  Any bytes may come; what cannot be read is
 * UNKNOWN. */
RaImportance ra_importance (RaCodec codec, const guint8 *payload, gsize len);

G_END_DECLS
