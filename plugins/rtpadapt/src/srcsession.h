/* rtpadaptsrc: rtpbin, its one session, and the jitterbuffers that it makes.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "srchold.h"
#include "srcpayload.h"
#include "srcstreams.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean secure;
  guint latency; /* ms */
  gboolean drop_on_latency, fec, retransmission;
  gboolean adaptive;
  guint min_latency; /* ms, no more than latency */
} SrcSessionSettings;

typedef struct
{
  void (*held) (gpointer data, RaSpan hold); /* packets are held for so long */
  /* A jitterbuffer is gone, and had counted this; the lock is held. */
  void (*gone) (gpointer data, guint32 ssrc, const SrcCounts *counts);
  gpointer data;
} SrcSessionFuncs;

typedef struct
{
  GstElement *rtpbin;          /* not owned; NULL: it is not installed */
  const SrcPayloads *payloads; /* not owned */
  GPtrArray *requested;        /* (GstPad) of rtpbin */
  SrcHold hold;
  SrcSessionFuncs funcs;

  GMutex
      *lock; /* the owner's, which guards what follows: rtpbin's threads ask and
                   change it */
  SrcSessionSettings cfg;
  GHashTable *jitterbuffers; /* SSRC to GstElement */
  GstElement *rtx;           /* rtprtxreceive (srcrtxpt.h), or NULL */
  GstElement *element;       /* rtpsession, while it is open, or NULL */
  GstElement *storage;       /* rtpstorage, or NULL */
  GstElement *fecdec;        /* rtpadaptfecdec, or NULL */
} SrcSession;

/* Makes rtpbin, which the owner adds to its bin.  `lock` is not held when anything
 * here is called, unless it says so. */
void src_session_init (SrcSession *s, GMutex *lock, const SrcPayloads *payloads,
    const SrcSessionFuncs *funcs);
void src_session_clear (SrcSession *s);

/* NULL to READY: before pads are asked for, and after they were linked. */
void src_session_open (SrcSession *s, const SrcSessionSettings *cfg);
GstPad *src_session_pad (SrcSession *s, const gchar *name);
void src_session_opened (SrcSession *s);
/* READY to NULL. */
void src_session_close (SrcSession *s);

/* Times in ms, as in SrcSessionSettings. */
void src_session_set_latency (
    SrcSession *s, guint latency, gboolean adaptive, guint min_latency);
/* Has rtpsession send a report. */
void src_session_ask (SrcSession *s);
/* The SSRCs that have a stream (transfer container) (element-type guint32). */
GList *src_session_ssrcs (SrcSession *s);
/* TRUE if rtpbin has no place for this one. */
gboolean src_session_is_full (SrcSession *s, guint32 ssrc);
/* Takes the stream of an SSRC away while packets come.  No thread may wait beyond its
 * pads: its jitterbuffer would never end. */
void src_session_drop (SrcSession *s, guint32 ssrc);
/* Takes the streams away, while they are in PAUSED.  Nothing may come meanwhile. */
void src_session_drop_streams (SrcSession *s);

G_END_DECLS
