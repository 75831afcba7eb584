/* rtpadaptsend: the header extensions of RFC 8285 that it writes as a packet
 * leaves.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The header of a packet is read once, as the packet comes in.  What was found is
 * its plan, by which the extensions are written when the packet leaves.
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

/* The extensions that SendExt has. */
#define SEND_EXT_KINDS 3

/* A packet whose header and extension are longer is let alone. */
#define SEND_EXT_HEADER_MAX 1024

/* Where the header of a packet has room for extensions.  All offsets are from the
 * beginning of the packet, in bytes. */
typedef struct
{
  guint8 id[SEND_EXT_KINDS];  /* that were looked for; 0: none */
  guint16 at[SEND_EXT_KINDS]; /* where the data of each is; 0: nowhere */
  guint16 base;               /* fixed header and CSRCs */
  guint16 size;               /* these and the extension */
  guint16 end;                /* behind the last element */
  gboolean two;       /* the elements have two-byte headers (RFC 8285 4.3) */
  gboolean malformed; /* not of RFC 8285: nothing can be written */
} SendExtPlan;

/* The ids of what `s`, of RTP caps, announces. */
void send_ext_set_caps (SendExt *ext, const GstStructure *s);
/* Reads the first `n` bytes of a packet, which is RTP: all of it, or
 * SEND_EXT_HEADER_MAX at least. */
void send_ext_read (
    const SendExt *ext, const guint8 *header, gsize n, SendExtPlan *plan);
/* TRUE if `plan` was made for the ids that `ext` has. */
gboolean send_ext_fits (const SendExt *ext, const SendExtPlan *plan);
/* TRUE: the packet came with the elements that feedback goes by, and the caps name some. */
gboolean send_ext_is_numbered (const SendExtPlan *plan);
/* Bytes by which send_ext_write() is going to make the packet longer. */
guint send_ext_growth (const SendExtPlan *plan);

typedef enum
{
  SEND_EXT_DONE,
  SEND_EXT_MALFORMED, /* or of another form: the packet goes as it is */
  SEND_EXT_NO_ROOM,   /* there was none for all, and it may not grow */
} SendExtResult;

/* Writes what `plan` has, which has to fit.  Takes and gives *buffer.
 * `may_grow`: elements that it lacks are added. */
SendExtResult send_ext_write (SendExt *ext, const SendExtPlan *plan,
    GstBuffer **buffer, gboolean may_grow, const SendExtValues *values);

G_END_DECLS
