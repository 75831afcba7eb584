/* Frames of one size, where the receiver waits no longer than the path takes.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A receiver that follows the path holds each frame for as long as the largest ones
 * take.  With a VBV of one frame's time x264's largest frame takes that at its bitrate,
 * instead of two to three times as much, for a quarter less than the bitrate
 * (tests/bench/vbv.csv).
 */
#pragma once

#include "encoder.h"

G_BEGIN_DECLS

/* What was done to an encoder; all 0: nothing. */
typedef struct
{
  guint before, set; /* ms, its own and ours */
} EncoderEven;

/* `even`: one frame's time at most becomes the encoder's `even` property; else the
 * encoder's own value comes back, unless another one was set since.  It stays when
 * nobody drives the encoder any more.  An encoder without that property is left alone. */
void encoder_even (GstElement *encoder, const EncoderRow *row,
    EncoderEven *state, gboolean even);

G_END_DECLS
