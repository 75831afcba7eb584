/* rtpadaptsend: the header extensions of RFC 8285 that it writes as a packet
 * leaves.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>
#include <gst/rtpadapt/colour/number.h>

G_BEGIN_DECLS

typedef struct
{
  guint twcc, send_ts, colour; /* ids, 0: not in the caps */
  RaMarkNumbers numbers;       /* of those written */
} SendExt;

/* What an extension says of a packet. */
typedef struct
{
  RaSpan rtt; /* smoothed, 0 unknown */
  RaTime now; /* it leaves */
  RaMark mark;
} SendExtValues;

/* The ids of what `s`, of RTP caps, announces. */
void send_ext_set_caps (SendExt *ext, const GstStructure *s);
/* Bytes by which send_ext_write() is going to make the packet longer. */
guint send_ext_growth (const SendExt *ext, GstBuffer *buffer);
typedef enum
{
  SEND_EXT_DONE,
  SEND_EXT_MALFORMED, /* or of another form: the packet goes as it is */
  SEND_EXT_NO_ROOM,   /* there was none for all, and it may not grow */
} SendExtResult;

/* Takes and gives *buffer.  `may_grow`: elements that it lacks are added. */
SendExtResult send_ext_write (SendExt *ext, GstBuffer **buffer,
    gboolean may_grow, const SendExtValues *values);

G_END_DECLS
