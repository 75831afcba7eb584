/* Which header extensions caps announce (RFC 8285), and under which id.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>
#include <gst/rtpadapt/feedback/twccfci.h>

G_BEGIN_DECLS

#define EXTMAP_TWCC_URI RA_TWCC_URI

/* Caps fields: extmap-ID=URI, or extmap-ID=<direction, URI, attributes>. */
/* The id of `uri`, 1 to 255; 0 if it is not there. */
guint extmap_id (const GstStructure *s, const gchar *uri);
/* That of rtt-sendts, in either of the draft's spellings. */
guint extmap_send_ts_id (const GstStructure *s);
/* The caps without that extension.  (transfer full) */
GstCaps *extmap_remove (GstCaps *caps, const gchar *uri);

G_END_DECLS
