/* Raw frames that an encoder does not get while too much waits for the pacer.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A frame that is dropped behind the encoder costs a key frame, because later frames
 * need it.  One that the encoder never gets costs nothing but its own picture
 * (Salsify, NSDI 2018, 3.2).  So frames are skipped at the encoder's sink pad while
 * more than some time waits.  It stops at the same level: one frame less takes as much
 * time off what waits, and several in a row would be seen as a freeze.
 *
 * Each element that drives an encoder says in its SkipLevel how much waits.  Of
 * several elements behind one encoder any one makes it skip, as the smallest of
 * their bitrates holds: a frame that one of them dropped would cost all of them a
 * key frame.  Elements that nobody answers do not count where others are answered.
 *
 * Any thread may call; no lock of a caller is needed or taken.
 */
#pragma once

#include <gst/gst.h>
#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

/* What one element says, and how many frames were skipped for it. */
typedef struct _SkipLevel SkipLevel;

/* Nothing waits.  (transfer full): skip_level_unref(). */
SkipLevel *skip_level_new (void);
void skip_level_unref (SkipLevel *level);
/* `waiting` at the rate; frames are skipped above `above`, or never where that is
 * RA_SPAN_NONE. */
void skip_level_set (SkipLevel *level, RaSpan waiting, RaSpan above);
/* `quiet`: nobody answers the element. */
void skip_level_set_quiet (SkipLevel *level, gboolean quiet);
/* The element starts, with no frame skipped yet. */
void skip_level_start (SkipLevel *level);
/* Frames that encoders did not get while it drove them. */
guint64 skip_level_skipped (const SkipLevel *level);

/* TRUE: some of them were more than 1 s before their time. */
gboolean skip_level_early (const SkipLevel *level);

/* TRUE: the element of `sinkpad` plays, and by the pad's segment `buffer` is more than 1 s
 * before its time, so that nothing upstream waits for the clock. */
gboolean frame_is_early (GstPad *sinkpad, GstBuffer *buffer);

/* `encoder`, if it has a pad "sink", skips by `level`, too.  Only raw video is
 * skipped.  FALSE if `level` was there before, or such a pad is missing. */
gboolean frame_skip_join (GstElement *encoder, SkipLevel *level);
/* `level` need not have joined. */
void frame_skip_leave (GstElement *encoder, const SkipLevel *level);

G_END_DECLS
