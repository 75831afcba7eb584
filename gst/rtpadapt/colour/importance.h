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
#define RA_N_IMPORTANCES 11

typedef enum
{
  RA_CODEC_NONE, /* content is not looked at */
  RA_CODEC_H264,
  RA_CODEC_H265,
  RA_CODEC_VP8,
  RA_CODEC_VP9
} RaCodec;

/* Of one RTP stream; public to be embedded, not to be read. */
typedef struct
{
  RaCodec codec;
  gboolean in_frame; /* VP8: the first packet of a frame was seen */
  guint32 timestamp; /* of that frame */
  RaImportance frame;
  guint top_tid; /* H.265: of the highest sub-layer so far */
} RaImportanceReader;

/* By the encoding-name of the RTP caps ("H264", ...), any case; may be NULL. */
RaCodec ra_codec_find (const gchar *encoding_name);

void ra_importance_init (RaImportanceReader *r, RaCodec codec);
/* For each packet of the stream in the order of sending: `payload` and RTP
 * timestamp.  Any bytes may come; what cannot be read is UNKNOWN.  A packet
 * that holds several units counts as the most important of them. */
RaImportance ra_importance_read (
    RaImportanceReader *r, const guint8 *payload, gsize len, guint32 timestamp);

G_END_DECLS
