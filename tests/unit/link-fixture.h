/* What a link did with its packets, as text.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/rtpadapt/link.h>

/* 1,250 bytes are 10,000 bits: 10 ms at 1 Mbit/s. */
#define S 1250

static gboolean log_flows; /* SEQ is FLOW.SEQ */

static inline void
log_packet (GString *log, gchar what, const RaLinkPacket *p)
{
  g_string_append_c (log, what);
  if (log_flows)
    g_string_append_printf (log, "%u.", p->flow);
  g_string_append_printf (log, "%u", (guint) p->seq);
}

/* What came out, as text: "+SEQ MS" delivered, "-SEQ MS CAUSE NODE" dropped,
 * "~SEQ" discarded. */
static inline void
log_deliver (const RaLinkPacket *p, RaTime now, gpointer log)
{
  log_packet (log, '+', p);
  g_string_append_printf (log, " %.9g, ", (gdouble) now / 1e6);
}

static inline void
log_drop (const RaLinkPacket *p, RaCause cause, const gchar *node, RaTime now,
    gpointer log)
{
  log_packet (log, '-', p);
  g_string_append_printf (
      log, " %.9g %s %s, ", (gdouble) now / 1e6, ra_cause_nick (cause), node);
}

static inline void
log_discard (const RaLinkPacket *p, gpointer log)
{
  log_packet (log, '~', p);
  g_string_append (log, ", ");
}

static const RaLinkSink log_sink = { log_deliver, log_drop, log_discard };

static inline RaLink *
link_new (const gchar *text, GString *log)
{
  GError *error = NULL;
  RaLink *l = ra_link_parse (text, 1, &log_sink, log, &error);

  g_assert_no_error (error);
  g_assert_nonnull (l);
  return l;
}
