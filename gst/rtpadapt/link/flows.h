/* Who shares a link: its packets counted by flow, in bounded memory.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/link.h>

G_BEGIN_DECLS

typedef struct
{
  RaLinkStats all;
  RaLinkStats by_place[RA_LINK_FLOWS + 1]; /* the last: all later flows */
  GHashTable *places;                      /* flow -> 1 + its place */
} RaLinkFlows;

typedef enum
{
  RA_LINK_IN,
  RA_LINK_OUT,
  RA_LINK_CONGESTION,
  RA_LINK_WIRELESS
} RaLinkEvent;

/* Of a zeroed one. */
void ra_link_flows_init (RaLinkFlows *f);
void ra_link_flows_clear (RaLinkFlows *f);
/* A new flow gets its place when its first packet comes in. */
void ra_link_flows_count (
    RaLinkFlows *f, const RaLinkPacket *p, RaLinkEvent what);
/* 0 to RA_LINK_FLOWS. */
guint ra_link_flows_place (const RaLinkFlows *f, guint flow);
/* FALSE: the stats are those of all later flows. */
gboolean ra_link_flows_get (
    const RaLinkFlows *f, guint flow, RaLinkStats *stats);

G_END_DECLS
