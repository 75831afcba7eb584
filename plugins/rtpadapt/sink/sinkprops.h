/* rtpadaptsink: the table of its properties, and whose those are that are not in it.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A row without a place in the config is read, or set, by the element.
 */
#pragma once

#include "parts/props.h"

G_BEGIN_DECLS

#define SINK_COLOUR "content"
/* Its receiver may be any, and may know nothing of FEC. */
#define SINK_FEC_UNASKED FALSE

typedef struct
{
  gchar *host; /* never NULL */
  gint port, rtcp_port;
  gboolean rtcp_mux;
  gboolean retransmission;
  GstClockTime rtx_time;
} SinkConfig;

/* What follows when a property changed. */
enum
{
  THEN_DESTINATION = 1 << 0, /* for the UDP sinks */
  THEN_PEER = 1 << 1,        /* somebody else answers */
  THEN_STREAM = 1 << 2,      /* it is taken when a stream starts */
  THEN_START = 1 << 3,       /* it is taken at the next start */
  THEN_LOOK = 1 << 4,        /* the host is looked up */
  THEN_MOVES = THEN_DESTINATION | THEN_PEER | THEN_LOOK
};

/* Who has the value of a property. */
typedef enum
{
  SINK_PROP_OWN,
  SINK_PROP_SECURE, /* wire/secure.h */
  SINK_PROP_SEND,   /* rtpadaptsend */
  SINK_PROP_UDP,    /* rtpadaptudpsink */
} SinkPropOf;

extern const PropRow sink_props[];
void sink_props_install (GObjectClass *klass);
SinkPropOf sink_prop_of (guint id);

G_END_DECLS
