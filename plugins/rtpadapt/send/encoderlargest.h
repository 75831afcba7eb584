/* How large the encoder's largest frame may be.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A receiver that follows the path holds each frame for as long as the largest ones
 * take, and what is lost of a frame's last packets is not sent again in time where the
 * frame takes too long to leave.  With a VBV of one frame's time x264's largest frame
 * takes that at its bitrate, instead of three times as much with 200 ms, for a quarter less
 * than the bitrate (tests/bench/vbv.csv).
 */
#pragma once

#include "encoder.h"

G_BEGIN_DECLS

/* What was done to an encoder; all 0: nothing. */
typedef struct
{
  guint before, set; /* ms, its own and ours */
} EncoderLargest;

/* So many `frames`' times at most become the encoder's `largest` property.  0: the
 * encoder's own value comes back, unless another one was set since.  An encoder without
 * that property is left alone. */
void encoder_largest (GstElement *encoder, const EncoderRow *row,
    EncoderLargest *state, gdouble frames);

G_END_DECLS
