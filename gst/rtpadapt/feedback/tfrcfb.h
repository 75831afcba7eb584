/* TFRC over RTP: what the sender writes on each packet, what the receiver
 * answers.
 * L. Gharai, "RTP with TCP Friendly Rate Control",
 * draft-ietf-avt-tfrc-profile-10, 2007.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The draft's figure 2 says FMT 2, its section 9 says 5, which RFC 6051 has
 * taken since; farstream, the other implementation, sends 2.  Its SDP example
 * misspells the extension's name as rtp-hdtext.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

#define RA_SEND_TS_URI "urn:ietf:params:rtp-hdrext:rtt-sendts"
#define RA_SEND_TS_SIZE 7
#define RA_TFRC_FB_FMT 2
#define RA_TFRC_FB_SIZE 16

/* The data of the header extension rtt-sendts (section 5). */
typedef struct
{
  RaSpan rtt;  /* R, <= 0 unknown: 0 on the wire.  At most 16.777215 s */
  guint32 t_i; /* ra_stamp_us() of when the packet is sent */
} RaSendTs;

/* RA_SEND_TS_SIZE, or 0 if `len` has no room for it. */
gsize ra_send_ts_write (const RaSendTs *x, guint8 *data, gsize len);
/* FALSE if `len` is another: `x` is left alone. */
gboolean ra_send_ts_read (RaSendTs *x, const guint8 *data, gsize len);

/* The FCI of TFRC-FB (section 6). */
typedef struct
{
  guint32 t_i;    /* of the last packet received, as it was written on it */
  RaSpan t_delay; /* since then; at most 71.6 min */
  guint64 x_recv; /* bit/s, bytes/s on the wire: at most 34 Gbit/s */
  gdouble p;      /* at most 1 - 2^-32 */
} RaTfrcFb;

/* RA_TFRC_FB_SIZE, or 0 if `len` has no room for it. */
gsize ra_tfrc_fb_write (const RaTfrcFb *x, guint8 *fci, gsize len);
/* FALSE if `len` is another: `x` is left alone. */
gboolean ra_tfrc_fb_read (RaTfrcFb *x, const guint8 *fci, gsize len);

G_END_DECLS
