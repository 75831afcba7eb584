/* rtpadaptudpsrc's own: the element's struct, shared by its two files.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "gstrtpadaptudpsrc.h"
#include "parts/props.h"
#include "udprecv.h"
#include "udpstats.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (rtpadaptudpsrc_debug);

typedef struct
{
  gchar *address, *iface; /* or NULL */
  guint port, mtu;
  GSocket *socket; /* to be used, or NULL */
  GstCaps *caps;   /* or NULL: any */
  gint buffer_size;
  gboolean close_socket, auto_multicast, loop, reuse;
  GstClockTime timeout; /* 0: none */
} UdpSrcConfig;

struct _GstRtpAdaptUdpSrc
{
  GstPushSrc parent;

  /* under the object lock */
  UdpSrcConfig cfg;
  GSocket *socket;      /* between NULL and READY */
  gboolean is_given;    /* it came from outside */
  GCancellable *unlock; /* cancelled: return from create */
  UdpSrcCounters count; /* since NULL */
  gint64
      stale_before; /* CLOCK_REALTIME: what came earlier is dropped; 0: nothing */
  gboolean discont;    /* of the next buffer */
  GInetAddress *group; /* multicast joined, or NULL */
  gchar **ifaces;      /* by which, or NULL, */
  guint *joined;       /* and the numbers that they had; 0: it was not there */
  GstClockID look;     /* the timer, or NULL */

  gint resumed; /* atomic: one of these two is set */

  /* of the streaming thread */
  UdpReceiver *receiver; /* between NULL and READY */
  guint n_errors;        /* since the latest packet */
  GstClockTime now;      /* running time when the packets were taken, */
  gint64 real_now;       /* and CLOCK_REALTIME */
  GstClockTime last;     /* running time at which the latest packet came, */
  gint64 arrival;        /* and CLOCK_REALTIME */

  RaTime
      paused; /* when PLAYING ended, or RA_TIME_NONE; of the state's thread */
};

/* udpsrcprops.c */
extern const PropRow udp_src_props[];
void udp_src_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec);
void udp_src_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec);
/* The object lock is held. */
void udp_src_count_drops (GstRtpAdaptUdpSrc *self);

G_END_DECLS
