/* One sequence from packets of several SSRCs.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packets that share a path are one flow, however many SSRCs they have: the
 * third that arrives after a hole confirms it, whosoever it is.  Here they get
 * numbers of one sequence, in order of arrival, and k numbers are left out
 * where k are missing.  A late packet gets the number that was left out for it,
 * a copy that of the first.
 *
 * What is missing shows in the transport-wide number where packets carry one,
 * else in each SSRC's RTP numbers.  An SSRC whose packets carry it now and then
 * (a payloader wrote it, and FEC came in behind) is judged by those alone, or
 * its losses would count twice.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A stream that has sent this many packets in a row without a transport-wide number
 * counts as unnumbered, and starts again either way.  A block of FEC is shorter. */
#define RA_BUNDLE_PLAIN 100

typedef enum
{
  RA_BUNDLE_NEXT, /* the highest number so far */
  RA_BUNDLE_LATE, /* a number below: late, or a copy */
  RA_BUNDLE_BAD,  /* a jump seen once (RA_SEQ_BAD), or sent before the first
                     packet of its SSRC that came: ignore it */
} RaBundleResult;

typedef struct _RaBundle RaBundle;

/* (transfer full): ra_bundle_free(). */
RaBundle *ra_bundle_new (void);
void ra_bundle_free (RaBundle *b);
/* `number` is the transport-wide one, -1: none.  `*out` is the number in the
 * one sequence; left alone if BAD. */
RaBundleResult ra_bundle_push (
    RaBundle *b, guint32 ssrc, guint16 seq, gint number, guint64 *out);
/* How many numbers were given or left out. */
guint64 ra_bundle_length (const RaBundle *b);

G_END_DECLS
