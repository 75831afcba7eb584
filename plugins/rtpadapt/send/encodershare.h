/* Several elements behind one encoder: the smallest of their bitrates holds.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The encoder keeps the list of the elements that drive it, and what the application has
 * set: a recording of it goes on with that when the last one has stopped.  One that leads
 * to none of them any more keeps what it has until then.
 * `who` names an element and is only compared.  Any thread may call; no lock is held
 * while the encoder's properties are set.
 */
#pragma once

#include "encoder.h"

G_BEGIN_DECLS

/* `who` drives the encoder from now on.  `again`: the encoder gets its bitrate once
 * more, even if it has the same already.  Returns how many others drive it. */
guint encoder_share_join (
    GstElement *encoder, gconstpointer who, gboolean again);
/* `who` does not drive the encoder any more; it need not have joined.  Sets nothing:
 * encoder_share_restore() follows when `who` stops. */
void encoder_share_leave (GstElement *encoder, gconstpointer who);
/* `who` wants nothing of the encoder until its next encoder_share_follow().  The
 * encoder keeps what it has: it would make too much for a path that is just back. */
void encoder_share_pause (GstElement *encoder, gconstpointer who);
/* If nobody drives the encoder any more it gets back its bitrate, its largest frame and
 * the size of its pictures, each unless somebody else has set it since.  No lock of the
 * caller is held; it may block for a frame. */
void encoder_share_restore (GstElement *encoder);

/* `who` changes the size of its pictures, or not.  TRUE: so does another. */
gboolean encoder_share_adapts (
    GstElement *encoder, gconstpointer who, gboolean adapts);

typedef struct
{
  guint64 bps;      /* the bitrate that `who` wants */
  gboolean quiet;   /* nobody answers `who`, so it lowers nobody's bitrate */
  GstClockTime now; /* by a clock that all elements share */
  gdouble
      largest; /* frames' times that one may take, 0: any; see encoderlargest.h */
} EncoderWish;

/* Calls encoder_follow() with the smallest bitrate that is wanted, and encoder_largest() with
 * what one of them wants; `given` becomes what the encoder got.  Returns
 * GST_CLOCK_TIME_NONE also where another element's thread sets it. */
GstClockTime encoder_share_follow (GstElement *encoder, const EncoderRow *row,
    gconstpointer who, const EncoderWish *wish, EncoderState *given);

G_END_DECLS
