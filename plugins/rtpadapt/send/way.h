/* The way of a packet through rtpadaptsend: what its header says, its stream, its
 * colour, the header extensions it leaves with.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * way_in() reads the header, once.  way_colour() and way_stamp() use what was found
 * when the packet leaves, in the order of sending.
 *
 * The owner's lock is held for all calls.
 */
#pragma once

#include "backlog.h"
#include "sendstreams.h"
#include "sendwants.h"

#include <gst/rtpadapt/colour.h>
#include <gst/rtpadapt/safety/ecn.h>
#include <gst/rtpadapt/sender.h>

G_BEGIN_DECLS

typedef struct
{
  Streams streams;
  RaColour *colour; /* NULL while the element is stopped */
  SendExt in, out;  /* by the caps that came in, that went out */

  guint64 parses;    /* headers read so far, so that a test can count them */
  guint64 not_rtp;   /* buffers that were not RTP */
  guint64 plain;     /* repeats that left as what they repeat */
  guint64 malformed; /* packets whose header extension could not be written */
  guint64 mark_packets[RA_N_MARKS],
      mark_bytes[RA_N_MARKS]; /* sent, by colour */
} Way;

/* Zeroed memory is ready for these two.  way_set_colour() has to follow the
 * start. */
void way_start (Way *w);
void way_stop (Way *w);

/* Colours by `ops` from now on.  FALSE if `params` are bad: it goes on as before. */
gboolean way_set_colour (
    Way *w, const RaColourOps *ops, const gchar *params, GError **error);

/* Caps come in.  FALSE if a stream has such caps already. */
gboolean way_on_caps_in (Way *w, GstCaps *caps);
/* Caps leave. */
void way_on_caps_out (Way *w, GstCaps *caps);

/* `buffer` comes in.  FALSE if it is not RTP.  Else `item` has all that the header
 * says, by reference to the buffer, and `size` counts the extensions to come.
 * `fec_made`: FEC is made upstream, so media must not grow here.  *wants has
 * SEND_SEARCH if neither caps nor a search say what the stream is. */
gboolean way_in (Way *w, GstBuffer *buffer, gboolean fec_made, RaTime now,
    BacklogItem *item, SendWants *wants);

/* The stream of a packet of the media; NULL for a retransmission, or if the stream
 * gave way to others meanwhile. */
Stream *way_stream (Way *w, const BacklogItem *item);
/* Makes a retransmission (RFC 4588) what it repeats again, a packet of the stream `ssrc`.
 * It is left alone if it has no payload, or that stream's payload type is not known.  `item`
 * has its own SSRC and number still, by which it is noted, but for the one that it leaves
 * with. */
void way_unwrap (Way *w, BacklogItem *item, guint32 ssrc);
/* TRUE if packets are coloured here, so that way_colour() needs the rate. */
gboolean way_colours (const Way *w);
/* The colour of a packet that leaves at `rate` (bit/s), which its buffer says from
 * then on. */
RaMark way_colour (Way *w, BacklogItem *item, guint64 rate, RaTime now);
/* Writes its header extensions, which may make it longer; `fec_made` as above. */
SendExtResult way_stamp (
    Way *w, BacklogItem *item, gboolean fec_made, const SendExtValues *values);
/* Describes in `out` the packet that leaves as it is now, but for its number and its
 * colour.  Its stream counts it. */
void way_describe (
    Way *w, const BacklogItem *item, RaOutgoing *out, RaTime now);
/* Has the buffer say with which ECN field it leaves, unless that is not ours to
 * decide (RA_ECN_UNSAID). */
void way_mark (BacklogItem *item, RaEcnField field);

G_END_DECLS
