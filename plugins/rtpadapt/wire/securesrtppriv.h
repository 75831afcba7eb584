/* securesrtp's own: its struct, shared by its files.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "bucket.h"
#include "heldpackets.h"
#include "protect.h"
#include "replayguard.h"
#include "securesrtp.h"
#include "unprotect.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (rtpadaptsecure_debug);

/* Bytes of the longest answer or question, with room to encrypt it. */
#define SECURE_SAYING \
  (8 + RA_XR_DLRR_SIZE (1) * PROTECT_SSRCS + PROTECT_TRAILER)

typedef struct
{
  GstPad *pad;
  gulong probe;
} Hook;

struct _SecureSrtp
{
  GstElement *bin;
  gboolean receiver;
  GArray *hooks; /* (Hook) */

  GMutex out; /* guards what encrypts; never held while `in` is taken, nor
                 while anything is pushed or called */
  Protect *protect;
  GSocket *socket; /* or NULL */
  gboolean rtcp_port_next;
  GSocketAddress *group; /* or NULL */
  guint64 unsent;

  GMutex in; /* guards what decrypts; the same */
  Unprotect *unprotect;
  ReplayGuard *guard; /* or NULL */
  HeldPackets held;
  SecureSrtpStats count;
  RaTime failing;  /* since when no packet was authentic, RA_TIME_NONE: the
                      latest one was */
  RaTime wondered; /* when a question was sent because of that */
  guint failed;    /* packets that were not authentic since `failing` */
  gboolean warned_key, warned_replay;
  BucketSecond answers; /* to questions */
};

/* 64 bits that nobody can guess. */
guint64 secure_srtp_chance (void);
/* Encrypts a packet of RTCP of our own in place, and sends it.  `data` has room for
 * PROTECT_TRAILER more bytes. */
void secure_srtp_say (
    SecureSrtp *x, GSocketAddress *to, guint8 *data, gsize size);

/* securesrtpin.c: a packet leaves a UDP source. */
GstPadProbeReturn secure_srtp_comes (
    GstPad *pad, GstPadProbeInfo *info, gpointer x);

G_END_DECLS
