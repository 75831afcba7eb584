/* The RTP streams that pass rtpadaptsend: what is known of each SSRC.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Caps belong to the packets that follow them.  Behind an rtpfunnel they say
 * nothing of a stream; the caps of the payloaders upstream do, by their `ssrc`.
 */
#pragma once

#include "parts/fields.h"

#include <gst/gst.h>
#include <gst/rtpadapt/colour/importance.h>
#include <gst/rtpadapt/util/throughput.h>

G_BEGIN_DECLS

/* The idlest gives way to one more. */
#define STREAMS_MAX 32

/* What RTP caps say of a stream; all 0 where they say nothing. */
typedef struct
{
  gint payload_type; /* the media's, or -1; others are FEC or the like */
  gboolean named;    /* there is an encoding-name */
  RaCodec codec;
  gboolean is_audio;
} StreamKind;

/* Where a stream comes from, as found upstream. */
typedef struct
{
  guint32 ssrc;
  StreamKind kind;
  gboolean driven; /* by an encoder that gets its share of the rate from us */
} StreamOrigin;

typedef struct
{
  gboolean used;
  guint32 ssrc;
  RaTime last;   /* that a packet came in */
  GstCaps *caps; /* that its packets have, or NULL */
  StreamKind caps_kind;
  StreamKind kind; /* by its caps, else by its origin */
  gboolean driven; /* by an encoder that gets its share from us */
  RaImportanceReader reader;
  RaThroughput out;
  guint64 packets, bytes; /* sent, repair included */
} Stream;

typedef struct
{
  Stream stream[STREAMS_MAX];
  GstCaps *caps; /* that the packets to come have, or NULL */
  StreamKind kind;
  GArray *origins;        /* of StreamOrigin; NULL before a search */
  gboolean others_driven; /* so are streams of no known origin */
} Streams;

StreamKind stream_kind (const GstCaps *caps);
gboolean stream_caps_are_video (const GstCaps *caps);

/* Zeroed memory is ready. */
void streams_clear (Streams *s);

/* TRUE unless a stream has such caps already. */
gboolean streams_on_caps (Streams *s, GstCaps *caps);
/* The stream of a packet that comes in.  `unknown`: it is new, and neither caps
 * nor a search have named it. */
Stream *streams_on_packet (
    Streams *s, guint32 ssrc, RaTime now, gboolean *unknown);
/* What a search found; takes `origins` (of StreamOrigin). */
void streams_on_search (Streams *s, GArray *origins, gboolean others_driven);

/* NULL if there is none. */
Stream *streams_find (Streams *s, guint32 ssrc);
/* A packet leaves. */
void stream_on_sent (Stream *stream, guint size, RaTime now);
/* Its rate is its own affair: audio, or of an encoder that we do not drive. */
gboolean stream_is_other (const Stream *stream);
/* What the streams that we do not drive take, bit/s of whole packets. */
guint64 streams_other_bitrate (const Streams *s, RaTime now);
/* Of all: GST_TYPE_ARRAY of structures. */
void streams_describe (const Streams *s, RaTime now, GValue *value);
/* Of "stream", in the list that streams_describe() makes. */
extern const Field streams_fields[];

G_END_DECLS
