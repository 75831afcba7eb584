/* rtpadaptsrc's inside: the element, and how its children are linked.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "gstrtpadaptsrc.h"
#include "srcanswer.h"
#include "srcgate.h"
#include "srchints.h"
#include "srcpayload.h"
#include "srcprops.h"
#include "srcsession.h"
#include "srcstreams.h"
#include "parts/herald.h"
#include "wire/secure.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (rtpadaptsrc_debug);

struct _GstRtpAdaptSrc
{
  GstBin parent;

  /* from init to the end */
  GstElement *udpsrc, *rtcpsrc, *recv, *udpsink;
  SrcGate *gate;
  Secure *secure;

  /* under the object lock */
  SrcConfig cfg;
  GstStructure *taken; /* what it was opened with, by property; NULL: in NULL */
  GError *problem;     /* a bad URI */
  GSocket *sockets[2]; /* RTP, RTCP; between NULL and READY */
  GstClockID sign, stats, hint, behind; /* timers, or NULL */

  /* between NULL and READY */
  SrcPayloads payloads;
  gboolean open;
  gboolean hinted; /* it warned since it was opened */

  SrcAnswer answer;

  gint posting;         /* atomic: statistics are on their way to the bus */
  gint looking;         /* atomic: a thread looks what comes of the packets */
  SrcUnlinked unlinked; /* of that thread, but for `restarted` */

  GMutex lock; /* nothing is called with it that waits, or comes back here */
  SrcStreams streams;
  GstEvent *eos; /* that the application sent since READY, or NULL */
  Herald herald;
  SrcSession session;
  GMutex feeding; /* taken before the lock, while a stream changes its pad */
};

/* srcbuild.c */
void src_build_init (GstRtpAdaptSrc *self);
/* NULL to READY: sockets, security, the session, the links.  FALSE after an error. */
gboolean src_build_open (GstRtpAdaptSrc *self, const SrcConfig *cfg);
void src_build_close (GstRtpAdaptSrc *self);
/* Ends the branches of streams that are over, once the application has sent EOS. */
void src_build_eos (GstRtpAdaptSrc *self);
/* Has a message posted of each stream that changed. */
void src_build_news (GstRtpAdaptSrc *self);
/* Has the session follow the three properties of the latency. */
void src_build_latency (GstRtpAdaptSrc *self);

G_END_DECLS
