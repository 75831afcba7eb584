/* What the picture loses with a packet, read from its RTP payload.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/colour/importance.h>

RaCodec
ra_codec_find (const gchar *encoding_name)
{
  return RA_CODEC_NONE;
}

RaImportance
ra_importance (RaCodec codec, const guint8 *payload, gsize len)
{
  return RA_IMPORTANCE_UNKNOWN;
}
