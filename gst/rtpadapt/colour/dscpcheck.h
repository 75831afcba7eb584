/* What became of the DSCP on the way?
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The colours as sent, in the header extension, against the octets that came.
 * A network may set any DSCP to 0 or to another (RFC 7657 3.2), so this is
 * for people to read; nothing follows from it.  A sender that does not mark at
 * all looks bleached.
 */
#pragma once

#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

typedef enum
{
  RA_DSCP_UNKNOWN,  /* no colour, or no octets, or too few packets */
  RA_DSCP_INTACT,   /* each colour has its own DSCP of one AF class */
  RA_DSCP_BLEACHED, /* all colours came with 0 */
  RA_DSCP_REMARKED, /* anything else */
} RaDscpFate;

/* A colour that came less often is not judged; one of which so many in a row
 * came with the same DSCP has that. */
#define RA_DSCP_ENOUGH 20
/* A colour that did not come among so many coloured packets is forgotten. */
#define RA_DSCP_MEMORY 1000

typedef struct
{
  guint64 packets; /* with a colour and an octet */
  struct
  {
    guint64 last;       /* in `packets` */
    guint dscp, n, run; /* the latest; packets; of them in a row with it */
  } seen[RA_N_MARKS];
} RaDscpSeen; /* zeroed at first */

/* "unknown", "intact", "bleached", "remarked". */
const gchar *ra_dscp_fate_nick (RaDscpFate fate);
/* `tos`: the octet the packet came with, -1: unknown. */
void ra_dscp_seen (RaDscpSeen *s, RaMark mark, gint tos);
RaDscpFate ra_dscp_fate (const RaDscpSeen *s);

G_END_DECLS
