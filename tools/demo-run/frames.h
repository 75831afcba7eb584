/* The clip, and which of its frames a viewer saw.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <tools/measure/clip.h>
#include <tools/sim/run.h>

G_BEGIN_DECLS

typedef struct _Frames Frames;

/* `dir` takes the luma, of the clip and decoded, while the run lasts. */
Frames *frames_new (const Clip *clip, const gchar *dir, GError **error);
void frames_free (Frames *f);

/* Frame number `index` (the clip looped) went to the encoder; its RTP packets
 * bear `rtptime`; the receiver's jitterbuffer gave them `pts`; a decoded frame
 * came out with that pts.  Any thread. */
void frames_sent (Frames *f, guint64 index);
void frames_rtptime (Frames *f, guint32 rtptime, guint64 index);
void frames_pts (Frames *f, GstClockTime pts, guint32 rtptime);
void frames_decoded (Frames *f, GstBuffer *buffer, const GstVideoInfo *info);

/* Of the frames from `first` on: frames_sent, frames_decoded, frozen_s,
 * longest_freeze_s and, where ffmpeg can be run, ssim.  FALSE: decoded frames
 * could not be kept. */
gboolean frames_score (Frames *f, guint64 first, RaRun *run, GError **error);

G_END_DECLS
