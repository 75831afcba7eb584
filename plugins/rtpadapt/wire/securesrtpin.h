/* Decrypts the packets that come with a key, and decides which of them go on.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A packet goes on if it is authentic and its sender has shown that it is alive
 * (replayguard.h).  Packets of a sender that has still to show it are held back.
 *
 * No clock, no lock: the caller has both.
 */
#pragma once

#include "bucket.h"
#include "heldpackets.h"
#include "replayguard.h"
#include "unprotect.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean receiver; /* it answers no questions */
  guint64 (*chance) (void);
  Unprotect *unprotect; /* owned */
  ReplayGuard *guard;   /* owned, or NULL */
  HeldPackets held;
  guint64 received, dropped; /* packets */
  guint64 unproven;          /* of `dropped`: authentic, but perhaps recorded */
  RaTime failing;  /* since when no packet was authentic, RA_TIME_NONE: the
                      latest one was */
  RaTime good;     /* since when all were authentic; RA_TIME_NONE: the latest
                      one was not */
  RaTime wondered; /* when a question was sent because of that */
  guint failed;    /* packets that were not authentic since `failing` */
  gboolean warned_key, warned_replay, warned_stuck;
  BucketSecond answers; /* to questions */
} SrtpIn;

/* Takes `unprotect` and `guard` (NULL: a sender need not answer).  `chance` gives 64
 * bits that nobody can guess. */
void srtp_in_init (SrtpIn *in, Unprotect *unprotect, ReplayGuard *guard,
    gboolean receiver, guint64 (*chance) (void));
void srtp_in_clear (SrtpIn *in);

/* A packet that comes, and what the caller has to do about it. */
typedef struct
{
  gboolean from_known; /* its sender can be asked */
  guint8 *data;        /* decrypted in place */
  gsize size;
  RaTime now;

  gboolean rtcp;
  guint32 ssrc;
  gboolean drop, hold; /* hold: srtp_in_hold(), and drop */
  gboolean asks, is_asked;
  ReplayGuardQuestion question; /* ours, to be sent if `asks` */
  RaXrItem asked;               /* the peer's, to be answered if `is_asked` */
  gboolean warn_key, warn_replay, warn_stuck;
} SrtpComing;

/* Fills what is below `now`. */
void srtp_in_take (SrtpIn *in, SrtpComing *c);
/* Keeps the packet, which comes to `pad`, until its sender has answered. */
void srtp_in_hold (
    SrtpIn *in, const SrtpComing *c, GstPad *pad, GstBuffer *buffer);
/* The packets that may leave by this pad before the one that comes.
 * (transfer full) (element-type GstBuffer) */
GList *srtp_in_release (SrtpIn *in, const SrtpComing *c, GstPad *pad);

G_END_DECLS
