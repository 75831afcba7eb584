/* Several elements behind one encoder: the smallest of their bitrates holds.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What they know of each other hangs on the encoder, and goes with it.  `who` is
 * only compared.  Any thread may call; no lock is held while the encoder is
 * given something.
 */
#pragma once

#include "encoder.h"

G_BEGIN_DECLS

/* `who` drives the encoder from now on; `anew`: it is to be told again, whatever
 * it was told.  How many others drive it. */
guint encoder_share_join (
    GstElement *encoder, gconstpointer who, gboolean anew);
/* What `who` wanted does not count any more.  May be called for one that never
 * joined. */
void encoder_share_leave (GstElement *encoder, gconstpointer who);

typedef struct
{
  guint64 bps;      /* that `who` wants */
  gboolean quiet;   /* nobody answers it: it holds none of the others down */
  GstClockTime now; /* of a clock that all of them have */
} EncoderWish;

/* As encoder_follow(), with the smallest bitrate that is wanted; `told` becomes
 * what the encoder was given.  The time is GST_CLOCK_TIME_NONE, too, where
 * another one gives it the bitrate. */
GstClockTime encoder_share_follow (GstElement *encoder, const EncoderRow *row,
    gconstpointer who, const EncoderWish *wish, EncoderState *told);

G_END_DECLS
