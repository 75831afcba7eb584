/* rtpadaptsrc: the table of its properties.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A row without a place in the config is read, or set, by the element; so are the
 * ports while there are sockets.
 */
#pragma once

#include "parts/props.h"

G_BEGIN_DECLS

#define SRC_MIN_LATENCY 20 /* ms, of min-latency */

typedef struct
{
  gchar *address, *iface; /* or NULL */
  guint port, rtcp_port;  /* 0: a free one, the one after port */
  gboolean mux;
  guint latency, min_latency; /* ms */
  gboolean adaptive_latency;
  gboolean drop_on_latency, fec, retransmission;
  gint feedback;            /* place in ra_feedbacks[] */
  gchar *encoding, *pt_map; /* or NULL */
  GstCaps *caps;            /* or NULL */
  GstClockTime stats_interval;
} SrcConfig;

/* What follows when a property changed. */
enum
{
  THEN_LATENCY = 1 << 0, /* of the session */
  THEN_STATS = 1 << 1,   /* the next ones are an interval from now */
};

/* The min-latency that is in effect, ms: never more than the latency. */
static inline guint
src_config_least (const SrcConfig *cfg)
{
  return MIN (cfg->min_latency, cfg->latency);
}

extern const PropRow src_props[];
/* With those of secure.h. */
void src_props_install (GObjectClass *klass);
/* NULL: it is one of secure.h. */
const PropRow *src_prop (guint id);

G_END_DECLS
