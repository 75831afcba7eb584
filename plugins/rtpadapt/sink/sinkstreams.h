/* rtpadaptsink: what is behind each of its request pads.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Only its caps say what a stream is, so its elements are made when they come:
 * video gets FEC and, if wanted, retransmission, anything else goes straight
 * into the funnel.
 *
 * A plain funnel: rtpfunnel (1.22) replaces the streams' caps by its own, which
 * do not say what is in them.  Its one drawback is mended here: what goes
 * upstream about one SSRC would reach the sources of all.
 *
 * The owner's lock guards the list, and of a stream what its caps say; the rest of a
 * stream belongs to the thread that pushes into its pad.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS


typedef struct
{
  GstPad *ghost, *funnel_pad;
  GstElement *fec, *rtx; /* NULL: none */
  gboolean built;        /* ghost has a target */

  /* under the owner's lock */
  gint payload;     /* as in the caps, or -1 */
  gint rtx_payload; /* what is sent again, or -1 */
  gboolean ssrc_known;
  guint32 ssrc;
  GstCaps *caps; /* or NULL */
} SinkStream;

typedef struct
{
  GPtrArray *list; /* (SinkStream) */
  guint
      ext_twcc; /* the id of transport-wide numbers, which rtpsession knows one of
                      for all streams */
} SinkStreams;

void sink_streams_init (SinkStreams *s);
void sink_streams_clear (SinkStreams *s);

/* --- without the lock --- */

/* The stream of a pad that has to be added with the lock.  Both pads are the
 * owner's. */
SinkStream *sink_stream_new (GstPad *ghost, GstPad *funnel_pad);

/* What there has to be behind a pad, or how that changes. */
typedef struct
{
  gboolean builds, video;
  gint payload;
  gboolean repeats;    /* retransmission is wanted, or stays with new caps */
  gboolean may_repeat; /* and sends this payload type again */
  gint repeats_other;  /* but sends this one again already, or -1 */
  guint keep;          /* ms that packets are kept for it */
  const gchar *name;   /* (static) its encoding */
  const gchar *twin;   /* (static) another one's with its payload type,
                        or "repair"; NULL: there is none */
} SinkStreamJob;

/* Makes the elements, adds them to `bin` and links them, from the funnel back to the
 * pad.  What cannot be had is warned of on the bin. */
void sink_stream_do (GstBin *bin, SinkStream *stream, const SinkStreamJob *job);
/* Takes them out, so that the next caps make others.  Nothing is pushed into the pad
 * meanwhile. */
void sink_stream_undo (GstBin *bin, SinkStream *stream);

/* --- with the lock --- */

void sink_streams_add (SinkStreams *s, SinkStream *stream);
/* All are as new ones again. */
void sink_streams_stop (SinkStreams *s);
/* Nothing comes any more: the next stream may have what this one sends again. */
void sink_stream_end (SinkStream *stream);
/* Takes it out, and frees it once nothing uses it. */
void sink_streams_remove (SinkStreams *s, SinkStream *stream);
/* NULL: there is none with that pad. */
SinkStream *sink_streams_find (SinkStreams *s, GstPad *ghost);
/* The caps of that payload type (transfer full), or NULL. */
GstCaps *sink_streams_caps (SinkStreams *s, guint payload);

/* Caps came.  `repeats`: retransmission is wanted; `keep`: ms. */
SinkStreamJob sink_streams_on_caps (SinkStreams *s, SinkStream *stream,
    GstCaps *caps, gboolean repeats, guint keep);

G_END_DECLS
