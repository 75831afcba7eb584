/* The size and the frame rate of a picture that a bitrate is enough for.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Below some bitrate a smaller picture looks better than a full one: libwebrtc has a
 * least bitrate of each size (rtc_base/experiments/encoder_info_settings.cc, "VP8 and
 * other codecs": 200 kbit/s for 480x270, 300 for 640x360, 500 for 960x540, 900 for
 * 1280x720), and measured with x264 the same ones hold (tests/bench/sizes.csv).
 *
 * The steps are 1; 3/4; 3/4 at half the frame rate; 1/2, 3/8, 1/4 at half of it.  A
 * step down waits for 2 s, a step up for 10 s with a third more than it needs.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

typedef struct
{
  guint width, height;
  guint fps_n, fps_d; /* 0: not known */
} RaPicture;

/* Zeroed memory is the full picture. */
typedef struct
{
  guint step;   /* 0: the full picture */
  gint towards; /* the bitrate asks for a step down, 1, or up, -1; 0: neither */
  RaTime since; /* when it began to */
} RaPictureFit;

/* bit/s below which `step` of the picture `full` is too large. */
guint64 ra_picture_least (const RaPicture *full, guint step);
/* The picture at `step`.  At step 0 it is `full`; else width and height are even, and not
 * above those of `full`. */
RaPicture ra_picture_at (const RaPicture *full, guint step);
/* The encoder has `bps`, which ought to be said at least once a second; TRUE: the
 * step is another one now. */
gboolean ra_picture_fit (
    RaPictureFit *fit, const RaPicture *full, guint64 bps, RaTime now);

G_END_DECLS
