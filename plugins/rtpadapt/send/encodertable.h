/* The encoders that are known, and how each one is driven.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "encoder.h"

G_BEGIN_DECLS

#define ENCODER_KILO 1000

/* A change that restarts coding costs a key frame, 3 to 7 frames' bits: once
 * in 2 s at 25 Hz, 6 to 14 % of them. */
#define ENCODER_RESTART_CHANGE 10 /* percent */
#define ENCODER_RESTART_INTERVAL (2 * GST_SECOND)

/* A picture of any size needs that much (libwebrtc's min_bitrate_bps of all sizes,
 * rtc_base/experiments/encoder_info_settings.cc).  At 2 kbit/s a VBV of 200 ms is 50
 * bytes for five frames. */
#define ENCODER_LEAST (30 * ENCODER_KILO)

/* One that is changed no oftener than that, in units of `unit_` bit/s. */
#define ENCODER_RESTARTS(unit_)                         \
  .unit = unit_, .step = unit_, .least = ENCODER_LEAST, \
  .min_change = ENCODER_RESTART_CHANGE,                 \
  .min_interval = ENCODER_RESTART_INTERVAL

/* The first that fits counts; the last has no factory. */
extern const EncoderRow encoder_table[];

G_END_DECLS
