/* rtpadaptudpsink's own: the element's struct, shared by its two files.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "gstrtpadaptudpsink.h"
#include "udpreach.h"
#include "udpsend.h"
#include "udpstats.h"

#include <gst/rtpadapt/safety/ecn.h>
#include <gst/rtpadapt/types.h>

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (rtpadaptudpsink_debug);

typedef struct
{
  gchar *host, *bind_address, *iface; /* host is never NULL */
  guint port, bind_port, af_class, ttl, ttl_mc;
  GSocket *socket; /* to be used, or NULL */
  gboolean close_socket, loop;
  gint dscp;      /* -1: none */
  RaEcnField ecn; /* of packets without a mark of their own */
} UdpSinkConfig;

/* What was posted: UDP_WARNED_OVERSIZED once per start, the others once for a row of
 * errors and a destination. */
typedef enum
{
  UDP_WARNED_OVERSIZED = 1 << 0,
  UDP_WARNED_ERROR = 1 << 1,
  UDP_WARNED_LOST = 1 << 2,
} UdpSinkWarned;

/* A packet of the batch. */
typedef struct
{
  gsize size;
  RaMark mark;
  gboolean rtcp;
} UdpSinkPacket;

struct _GstRtpAdaptUdpSink
{
  GstBaseSink parent;

  /* under the object lock, which is never held while anything is sent */
  UdpSinkConfig cfg;
  GSocket *socket;       /* between NULL and READY */
  gboolean is_given;     /* it came from outside */
  gchar *to_host;        /* the host that `to` is of, or NULL: none was found */
  UdpAddress to;         /* where to send */
  gboolean moved;        /* nothing was sent there yet */
  GCancellable *unlock;  /* cancelled: return from render */
  UdpSinkCounters count; /* since NULL */

  /* of the streaming thread */
  UdpBatch *batch; /* between NULL and READY */
  UdpSinkPacket packets[UDP_BATCH_PACKETS];
  gboolean coloured; /* packets with a colour came */
  gint tos;          /* the socket's own: DSCP << 2 | ECN */
  guint warned;      /* UdpSinkWarned */
  gint64 renewed;    /* monotonic time of the last renew() */
  UdpReach reach;

  gint looking; /* atomic: the host is being looked up again */
};

/* udpsinkprops.c */
/* TRUE: the host is to be looked up. */
gboolean udp_sink_set_property (
    GstRtpAdaptUdpSink *self, guint id, const GValue *value);
void udp_sink_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec);

G_END_DECLS
