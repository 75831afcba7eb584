/* The packets of a link, counted by flow.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/rtpadapt/link/flows.h>

void
ra_link_flows_init (RaLinkFlows *f)
{
  f->places = g_hash_table_new (NULL, NULL);
}

void
ra_link_flows_clear (RaLinkFlows *f)
{
  g_hash_table_unref (f->places);
}

guint
ra_link_flows_place (const RaLinkFlows *f, guint flow)
{
  gpointer place = g_hash_table_lookup (f->places, GUINT_TO_POINTER (flow));

  return place ? GPOINTER_TO_UINT (place) - 1 : RA_LINK_FLOWS;
}

static void
count (RaLinkStats *s, const RaLinkPacket *p, RaLinkEvent what)
{
  switch (what) {
    case RA_LINK_IN:
      s->in++;
      s->bytes_in += p->size;
      break;
    case RA_LINK_OUT:
      s->out++;
      s->bytes_out += p->size;
      break;
    case RA_LINK_CONGESTION:
      s->congestion++;
      break;
    case RA_LINK_WIRELESS:
      s->wireless++;
      break;
  }
}

void
ra_link_flows_count (RaLinkFlows *f, const RaLinkPacket *p, RaLinkEvent what)
{
  guint place = ra_link_flows_place (f, p->flow);
  guint n = g_hash_table_size (f->places);

  if (what == RA_LINK_IN && place == RA_LINK_FLOWS && n < RA_LINK_FLOWS) {
    place = n;
    g_hash_table_insert (
        f->places, GUINT_TO_POINTER (p->flow), GUINT_TO_POINTER (n + 1));
  }
  count (&f->all, p, what);
  count (&f->by_place[place], p, what);
}

gboolean
ra_link_flows_get (const RaLinkFlows *f, guint flow, RaLinkStats *stats)
{
  guint place = ra_link_flows_place (f, flow);

  *stats = f->by_place[place];
  return place < RA_LINK_FLOWS || g_hash_table_size (f->places) < RA_LINK_FLOWS;
}
