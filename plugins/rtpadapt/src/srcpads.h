/* rtpadaptsrc: a source pad, and what is behind it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `bin` is the bin that has the pad: it gets children and pads, and has to be called
 * without locks.
 */
#pragma once

#include "srcstreams.h"

G_BEGIN_DECLS

/* A stream with a pad `name` that says these caps, fed from `pad`.  With `fec` it
 * brings back what is lost of video. */
SrcStream *src_stream_new (GstBin *bin, const gchar *name, GstCaps *caps,
    const SrcPending *from, gboolean fec);
/* Feeds the stream from a pad of rtpbin, or from none. */
void src_stream_feed (SrcStream *stream, GstPad *pad);
/* What feeds it now hears the latency of the pipeline, as what fed it before did. */
void src_stream_say_latency (SrcStream *stream);
/* How many packets, or frames of them, the source pad `ghost` has dropped because nothing
 * is linked to it. */
guint src_stream_dropped (GstPad *ghost);
/* Takes the pad away, and frees `stream`. */
void src_stream_remove (GstBin *bin, SrcStream *stream);

G_END_DECLS
