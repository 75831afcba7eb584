/* What an encoder is asked for, so that it makes what it should.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An encoder follows a change of its bitrate late.  In the first half second x264 made two
 * thirds of a higher bitrate, and 1.4 times a lower one (tests/bench/encoders.csv,
 * `plain`).  So while the bitrate is another one than it was of late, the encoder is asked
 * for more, or less, by as much as it was short, or ahead: .84 and 1.02 times (`led`).
 * libwebrtc does so where an encoder makes too much (video/encoder_bitrate_adjuster.cc).
 * What it makes of a bitrate that stays is its own affair: a still picture needs little.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* What has left the encoder since its first picture. */
typedef struct
{
  guint64 frames, bytes;
} RaMade;

/* Zeroed memory is ready. */
typedef struct
{
  gboolean moves; /* the bitrate is not that of late: ask with each frame */
  /* private */
  gdouble bps;          /* that was wanted at the last call */
  gdouble mean;         /* bit/s, that were wanted of late */
  gdouble wanted, made; /* bits of pictures, of late */
  RaMade before;        /* at the last picture */
  RaTime at, frame_at;  /* of the last call, and of the last picture; 0: none */
} RaLead;

/* What to ask an encoder for, bit/s, that should make `bps` bit/s from now on.  That is `bps`
 * if it has made nothing yet.  `lags`: this encoder makes too much after a fall, so it is
 * asked for less at once, before its pictures show it. */
gdouble ra_lead_for (
    RaLead *l, gdouble bps, const RaMade *made, gboolean lags, RaTime now);

G_END_DECLS
